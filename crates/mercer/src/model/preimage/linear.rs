//! The linear kernel, whose feature space is the space of samples: z = P = mean + Σ_m y_m Σ_i a_im (x_i − mean), as Σ_i a_im = 0. Without
//! centring there is no mean.

use crate::context::Context;
use crate::error::Result;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut};
use crate::model::kernel_pca::KernelPca;
use crate::points::Dense;
use crate::real::Real;

/// Rows that are mapped at a time.
const ROWS: usize = 256;

/// The samples (m × d) for `scores` (m × k).
pub(super) fn preimages<T: Real>(
    ctx: &Context,
    model: &KernelPca,
    anchors: &Dense<T>,
    scores: &Dense<T>,
) -> Result<Mat<f64>> {
    let (m, k, d) = (scores.n(), model.k(), anchors.d());
    let (directions, mean) = directions(ctx, model, anchors)?;
    let mut samples = Mat::zeros(m, d);
    for start in (0..m).step_by(ROWS) {
        ctx.poll()?;
        let count = ROWS.min(m - start);
        let y = Mat::from_fn(count, k, |i, c| scores.row(start + i)[c].to_f64());
        let mut z = Mat::from_fn(count, d, |_, j| mean[j]);
        multiply(y.view(), directions.view(), z.view_mut(), Onto::Sum);
        let place = &mut samples.data_mut()[start * d..(start + count) * d];
        place.iter_mut().zip(z.data()).for_each(|(place, v)| *place = *v);
    }
    Ok(samples)
}

/// The point that coefficients count from, and the mean of the training samples. Coefficients of landmarks do not sum to 0: they count from the
/// point that the landmarks were seen from, and so does their mean.
fn origin_and_mean<T: Real>(model: &KernelPca, anchors: &Dense<T>) -> (Vec<f64>, Vec<f64>) {
    let d = anchors.d();
    let Some(state) = &model.landmarks else {
        let mean = if model.params.center { anchors.mean() } else { vec![0.0; d] };
        return (mean.clone(), mean);
    };
    let origin = state.point.clone().unwrap_or_else(|| vec![0.0; d]);
    let mut mean = origin.clone();
    for (i, weight) in model.mean_weights().into_iter().enumerate() {
        let row = anchors.row(i).iter().zip(&origin);
        mean.iter_mut().zip(row).for_each(|(m, (v, o))| *m += weight * (v.to_f64() - o));
    }
    (origin, mean)
}

/// Σ_i a_im (x_i − mean) for each component (k × d), and the mean of the samples (zeros without centring).
fn directions<T: Real>(
    ctx: &Context,
    model: &KernelPca,
    anchors: &Dense<T>,
) -> Result<(Mat<f64>, Vec<f64>)> {
    let (n, k, d) = (anchors.n(), model.k(), anchors.d());
    let mut directions = vec![0.0; k * d];
    let (origin, mean) = origin_and_mean(model, anchors);
    for start in (0..n).step_by(ROWS) {
        ctx.poll()?;
        let count = ROWS.min(n - start);
        let x = Mat::from_fn(count, d, |i, j| anchors.row(start + i)[j].to_f64() - origin[j]);
        let a = model.coef.view().row_range(start, count).transposed();
        multiply(a, x.view(), MatMut::new(&mut directions, k, d, d), Onto::Sum);
    }
    Ok((Mat::from_vec(directions, k, d), mean))
}
