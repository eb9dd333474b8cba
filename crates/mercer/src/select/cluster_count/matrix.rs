//! Kernel matrices of the rows and of reference rows.

use crate::context::{Context, Reservation, Stream};
use crate::error::{Error, Result};
use crate::gram::{matrix, matrix_bytes};
use crate::kernel::KernelSpec;
use crate::kernel::SpecKernel;
use crate::linalg::view::Mat;
use crate::model::Components;
use crate::model::Input;
use crate::model::kernel_kmeans::KernelKMeansParams;
use crate::model::pca::{Pca, PcaParams};
use crate::points::{Dense, Samples};

/// Where kernel matrices come from.
pub(super) enum Source<'a> {
    /// Samples and the kernel, with its widths as numbers.
    Rows(Samples<f64>, KernelSpec),
    /// Kernel values.
    Given(&'a Input<'a>),
}

/// A kernel matrix, and its memory.
type Held = (Mat<f64>, Option<Reservation>);

impl<'a> Source<'a> {
    /// The matrix of `input`; widths that depend on the data are resolved on it.
    pub fn of(ctx: &Context, params: &KernelKMeansParams, input: &'a Input<'a>) -> Result<Self> {
        let Input::Samples(x) = input else { return Ok(Source::Given(input)) };
        let x = x.to_type::<f64>()?;
        let kernel = params.kernel.resolve(&x)?;
        let x = match x.dense() {
            Some(dense) if kernel.to_string() == "linear" => Samples::Dense(centred(dense)?),
            _ => x,
        };
        ctx.poll()?;
        Ok(Source::Rows(x, kernel))
    }

    /// The kernel matrix of the rows.
    pub fn matrix(&self, ctx: &Context) -> Result<Held> {
        match self {
            Source::Rows(x, kernel) => computed(ctx, kernel, x),
            Source::Given(input) => {
                let Input::Precomputed { values, .. } = input else {
                    unreachable!("a table is samples or values");
                };
                Ok((Mat::from_fn(input.n(), input.n(), |i, j| values.at(i, j)), None))
            }
        }
    }

    /// The kernel matrix of as many rows, uniform in the box of the rows along their principal axes.
    pub fn reference(&self, ctx: &Context, stream: &mut Stream) -> Result<Held> {
        let dense = match self {
            Source::Rows(x, kernel) => x.dense().map(|dense| (dense, kernel)),
            Source::Given(_) => None,
        };
        let Some((dense, kernel)) = dense else {
            let message = "gap draws reference rows, which needs columns of numbers: use silhouette or stability";
            return Err(Error::parameter("criterion", message));
        };
        let drawn = uniform_in_box(ctx, dense, stream)?;
        computed(ctx, kernel, &Samples::Dense(drawn))
    }
}

/// Distances do not change, and lose no digits to an offset.
fn centred(x: &Dense<f64>) -> Result<Dense<f64>> {
    let (n, d) = (x.n(), x.d());
    let mean = |j: usize| (0..n).map(|i| x.row(i)[j]).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..d).map(mean).collect();
    let values = (0..n).flat_map(|i| x.row(i).iter().zip(&means).map(|(value, mean)| value - mean));
    Dense::from_vec(values.collect(), n, d)
}

fn uniform_in_box(ctx: &Context, x: &Dense<f64>, stream: &mut Stream) -> Result<Dense<f64>> {
    let params = PcaParams::default().components(Components::All);
    let pca = Pca::fit(ctx, &params, x)?;
    let scores = pca.transform(ctx, x)?;
    let range = |j: usize| {
        let column = (0..scores.rows()).map(|i| scores[(i, j)]);
        column.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ranges: Vec<(f64, f64)> = (0..scores.cols()).map(range).collect();
    let mut drawn = Mat::zeros(scores.rows(), scores.cols());
    for i in 0..scores.rows() {
        for (j, (low, high)) in ranges.iter().enumerate() {
            drawn[(i, j)] = low + (high - low) * stream.uniform();
        }
    }
    Dense::from_vec(pca.inverse_transform(ctx, &drawn)?.into_vec(), x.n(), x.d())
}

fn computed(ctx: &Context, spec: &KernelSpec, x: &Samples<f64>) -> Result<Held> {
    let n = x.n();
    let (bytes, hint) =
        (matrix_bytes::<f64>(n, n), "give one number of clusters, or use fewer rows");
    let held = ctx.reserve("the kernel matrix", bytes, hint)?;
    let kernel = SpecKernel::<f64>::new(spec)?;
    let mut values = Mat::try_zeros(n, n)?;
    matrix(ctx, &kernel, x, None, values.view_mut())?;
    Ok((values, Some(held)))
}
