//! The witness of two samples at other points.

use super::mmd::weight;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::points::{AnySamples, Points, Samples, with_samples};
use crate::real::Real;

/// 1/m Σ k(x_i, z) − 1/n Σ k(y_j, z) at each of the samples `z`, where x are the `first` samples of `samples`, and y all others.
pub fn witness(
    ctx: &Context,
    kernel: &KernelSpec,
    samples: &AnySamples,
    first: usize,
    z: &AnySamples,
) -> Result<Vec<f64>> {
    samples.check_like(z)?;
    if first == 0 || first >= samples.n() {
        let message = format!("{first} of {} samples leave one set empty", samples.n());
        return Err(Error::Shape(message));
    }
    with_samples!(samples, x => of(ctx, kernel, x, first, &z.to_type()?))
}

fn of<T: Real>(
    ctx: &Context,
    kernel: &KernelSpec,
    x: &Samples<T>,
    first: usize,
    z: &Samples<T>,
) -> Result<Vec<f64>> {
    let on = KernelOn::centred(&SpecKernel::<T>::new(&kernel.resolve(x)?)?, x);
    let weights = Mat::from_fn(x.n(), 1, |i, _| weight(i, first, x.n()));
    let shifts = on.shifts(&weights);
    let expansion = Expansion::new(on.kernel.clone(), on.anchors.clone(), &weights, &shifts);
    let mut out = Mat::<f64>::try_zeros(z.len(), 1)?;
    expansion.scores(ctx, &on.moved(z)?, out.view_mut())?;
    Ok(out.into_vec())
}
