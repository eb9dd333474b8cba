//! The mean of unbiased MMD² over blocks of samples: linear time, and a normal mean.
//!
//! Zaremba, Gretton and Blaschko (2013), B-tests; with blocks of two, the linear-time statistic of Gretton et al. (2012).

use rayon::prelude::*;

use super::distributions::student_tail;
use super::mmd::{Mmd, MmdParams, outcome};
use crate::context::{Context, SharedProgress, Stream};
use crate::error::{Error, Param, Result};
use crate::kernel::{Kernel, SpecKernel, Tile};
use crate::linalg::view::Mat;
use crate::model::Input;
use crate::model::kernel_on::KernelOn;
use crate::points::{Samples, Span, with_samples};
use crate::real::Real;

/// Fewer blocks have no mean whose distribution is known.
const FEWEST: usize = 8;
/// Blocks of a task.
const TASK: usize = 64;

/// Refuses blocks that are too small, or too large for the smaller set.
pub(super) fn check(size: usize, smaller: usize) -> Result<()> {
    if size < 2 {
        let message = format!("must be at least 2, not {size}");
        return Err(Error::parameter(Param::Named("block_size"), message));
    }
    if smaller / size < FEWEST {
        let most = smaller / FEWEST;
        let message = format!(
            "{size} leaves {} blocks of the smaller set of {smaller} samples; at least {FEWEST} are required: use at most {most}",
            smaller / size
        );
        return Err(Error::parameter(Param::Named("block_size"), message));
    }
    Ok(())
}

pub(super) fn test(
    ctx: &Context,
    params: &MmdParams,
    input: &Input<'_>,
    first: usize,
    size: usize,
) -> Result<Mmd> {
    let order = arrange(input.n(), first, size, params.seed);
    let (values, spec) = match input {
        Input::Samples(x) => {
            let spec = params.kernel.resolve(x)?;
            let chosen = x.select(&order);
            (with_samples!(&chosen, x => of_samples(ctx, &spec, x, size))?, Some(spec))
        }
        Input::Precomputed { values, .. } => {
            let at = |i: usize, j: usize| values.at(order[i], order[j]);
            (
                of_entries(ctx, order.len(), size, |start, _| {
                    Ok(Mat::from_fn(2 * size, 2 * size, |i, j| at(start + i, start + j)))
                })?,
                None,
            )
        }
        Input::Gram(gram) => {
            let entries = |start: usize, ctx: &Context| {
                let which = &order[start..start + 2 * size];
                let columns = gram.columns(ctx, which)?;
                Ok(Mat::from_fn(2 * size, 2 * size, |i, j| columns[(which[i], j)]))
            };
            (of_entries(ctx, order.len(), size, entries)?, None)
        }
    };
    Ok(assemble(&values, order.len(), spec))
}

/// Samples in blocks: `size` of the first set, then as many of the second, block after block.
fn arrange(n: usize, first: usize, size: usize, seed: u64) -> Vec<usize> {
    let mut stream = Stream::new(seed, "blocks of two samples");
    let mut shuffled = |from: usize, to: usize| {
        let mut order: Vec<usize> = (from..to).collect();
        (0..order.len()).for_each(|i| order.swap(i, i + stream.below(to - from - i)));
        order
    };
    let (x, y) = (shuffled(0, first), shuffled(first, n));
    let pairs = x.chunks_exact(size).zip(y.chunks_exact(size));
    pairs.flat_map(|(x, y)| x.iter().chain(y).copied()).collect()
}

fn of_samples<T: Real>(
    ctx: &Context,
    spec: &crate::KernelSpec,
    x: &Samples<T>,
    size: usize,
) -> Result<Vec<f64>> {
    let on = KernelOn::centred(&SpecKernel::<T>::new(spec)?, x);
    let kernel: &dyn Kernel<Samples<T>, T> = &*on.kernel;
    of_entries(ctx, x.n(), size, |start, _| {
        let mut values = Mat::<T>::try_zeros(2 * size, 2 * size)?;
        let span = Span::new(&on.anchors, start..start + 2 * size);
        kernel.tile(span, span, Tile::new(values.data_mut(), 2 * size, 2 * size, 2 * size))?;
        Ok(Mat::from_fn(2 * size, 2 * size, |i, j| values[(i, j)].to_f64()))
    })
}

/// The statistic of each block, given the kernel values of its samples.
fn of_entries(
    ctx: &Context,
    n: usize,
    size: usize,
    entries: impl Fn(usize, &Context) -> Result<Mat<f64>> + Sync,
) -> Result<Vec<f64>> {
    let count = n / (2 * size);
    let hint = "use smaller blocks, fewer threads, or raise the memory budget";
    let bytes = 16 * (4 * size * size * ctx.threads()) as u64;
    let _reservation = ctx.reserve("the kernel values of blocks", bytes, hint)?;
    let progress = SharedProgress::new("blocks", count);
    let task = |from: usize| -> Result<Vec<f64>> {
        let blocks = from..(from + TASK).min(count);
        let done = blocks.len();
        let values = blocks.map(|block| {
            ctx.poll()?;
            Ok(statistic(&entries(2 * size * block, ctx)?, size))
        });
        let values = values.collect::<Result<Vec<f64>>>()?;
        progress.add(ctx, done)?;
        Ok(values)
    };
    let tasks = || (0..count).into_par_iter().step_by(TASK).map(task).collect::<Result<Vec<_>>>();
    Ok(ctx.install(tasks)?.concat())
}

/// Σ_{i≠j} [k(x_i, x_j) + k(y_i, y_j) − 2 k(x_i, y_j)] / (b(b − 1)).
fn statistic(values: &Mat<f64>, size: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..size {
        for j in (0..size).filter(|&j| j != i) {
            sum += values[(i, j)] + values[(size + i, size + j)] - 2.0 * values[(i, size + j)];
        }
    }
    sum / (size * (size - 1)) as f64
}

fn assemble(values: &[f64], used: usize, spec: Option<crate::KernelSpec>) -> Mmd {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (variance / count).sqrt();
    let p_value = match error > 0.0 {
        true => student_tail(mean / error, count - 1.0),
        // All blocks are alike: they tell the sets apart without any doubt, or not at all.
        false => f64::from(u8::from(mean <= 0.0)),
    };
    let mut outcome = outcome(mean, p_value, Vec::new(), Some((0.0, error)));
    outcome.kernels.extend(spec);
    outcome.used = used;
    outcome.storage = "blocks".into();
    outcome.notes.push(format!("the mean of {} blocks", values.len()));
    Mmd { outcome, witness: Vec::new(), tested: None }
}
