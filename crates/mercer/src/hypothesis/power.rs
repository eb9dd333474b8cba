//! The kernel whose test has the largest power, estimated on samples that the test itself does not see.
//!
//! For many samples, the power of the unbiased statistic grows with MMD²/σ, where σ² = 4 Var f(x)/m + 4 Var f(y)/n is its variance and f the witness.
//! Sutherland, Tung, Strathmann, De, Ramdas, Smola and Gretton (2017), Generative models and model criticism via optimized maximum mean discrepancy.

use crate::context::Context;
use crate::error::Result;
use crate::gram::plan;
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;

/// Variances below this share of the mean squared kernel value are taken for rounding.
const FLOOR: f64 = 1e-10;

/// The candidate of the largest ratio, resolved on `x`; the first of equals.
pub(super) fn choose(
    ctx: &Context,
    candidates: &[KernelSpec],
    x: &AnySamples,
    first: usize,
) -> Result<KernelSpec> {
    let mut best: Option<(f64, KernelSpec)> = None;
    for (i, spec) in candidates.iter().enumerate() {
        let share = |at: usize| at as f64 / candidates.len() as f64;
        let part = ctx.part("choosing the kernel", share(i), share(i + 1));
        let (ratio, spec) = with_samples!(x, x => ratio(&part, spec, x, first))?;
        if best.as_ref().is_none_or(|(most, _)| ratio > *most) {
            best = Some((ratio, spec));
        }
    }
    Ok(best.expect("there is a candidate").1)
}

fn ratio<T: Real>(
    ctx: &Context,
    spec: &KernelSpec,
    x: &Samples<T>,
    first: usize,
) -> Result<(f64, KernelSpec)> {
    let spec = spec.resolve(x)?;
    let on = KernelOn::centred(&SpecKernel::<T>::new(&spec)?, x);
    let plan = plan::<T>(ctx, x.n(), 64 * x.n() as u64)?;
    let gram = plan.build(ctx, &*on.kernel, &on.anchors)?;
    let indicators = Mat::from_fn(x.n(), 2, |i, c| f64::from(u8::from((i < first) == (c == 0))));
    let sums = gram.times(ctx, &indicators)?;
    Ok((power(&sums, &gram.diag(ctx)?, first), spec))
}

/// MMD²/σ, given the sums of each sample's kernel values over both sets (N × 2) and the diagonal.
pub(super) fn power(sums: &Mat<f64>, diagonal: &[f64], first: usize) -> f64 {
    let total = sums.rows();
    let (m, n) = (first as f64, (total - first) as f64);
    // The witness at a sample, of which the sample itself is no part.
    let witness = |i: usize| {
        let (x, y) = (sums[(i, 0)], sums[(i, 1)]);
        match i < first {
            true => (x - diagonal[i]) / (m - 1.0) - y / n,
            false => x / m - (y - diagonal[i]) / (n - 1.0),
        }
    };
    let at_x: Vec<f64> = (0..first).map(witness).collect();
    let at_y: Vec<f64> = (first..total).map(witness).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance = |values: &[f64]| {
        let middle = mean(values);
        values.iter().map(|v| (v - middle).powi(2)).sum::<f64>() / values.len() as f64
    };
    let scale = mean(diagonal).abs().max(f64::MIN_POSITIVE);
    let spread = 4.0 * variance(&at_x) / m + 4.0 * variance(&at_y) / n;
    (mean(&at_x) - mean(&at_y)) / (spread + FLOOR * scale * scale).sqrt()
}
