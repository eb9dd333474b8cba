//! How far inner products of features are from the kernel, on pairs of samples.

use serde::{Deserialize, Serialize};

use super::{KernelFeaturesParams, Source, rows_of};
use crate::context::{Context, SharedProgress, Stream};
use crate::error::Result;
use crate::kernel::{FeatureMap, Kernel, KernelSpec, SpecKernel, Tile};
use crate::linalg::view::Mat;
use crate::points::{Points, Samples, Span};

/// Pairs that are looked at.
const PAIRS: usize = 1000;
/// Numbers of features that are held at a time.
const NUMBERS: usize = 1 << 20;

/// The error e = ⟨φ(x), φ(x')⟩ − k(x, x') on pairs of different training samples that were drawn at random with replacement, both
/// numbers in double precision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApproximationError {
    /// The pairs.
    pub pairs: usize,
    /// The mean of |e|.
    pub mean: f64,
    /// The root of the mean of e².
    pub rms: f64,
    /// The largest |e|.
    pub max: f64,
    /// The root of the mean of k(x, x')², to compare with.
    pub kernel_rms: f64,
}

/// Random pairs of different samples, one after another; none of fewer than two samples.
pub(super) fn pairs(n: usize, seed: u64) -> Vec<[usize; 2]> {
    if n < 2 {
        return Vec::new();
    }
    let mut stream = Stream::new(seed, "pairs of samples");
    let mut pair = || {
        let (first, other) = (stream.below(n), stream.below(n - 1));
        [first, other + usize::from(other >= first)]
    };
    (0..PAIRS).map(|_| pair()).collect()
}

/// The kernel value of each pair of rows 2p and 2p + 1.
pub(super) fn values(kernel: &KernelSpec, x: &Samples<f64>) -> Result<Vec<f64>> {
    let kernel = SpecKernel::<f64>::new(kernel)?;
    let value = |pair: usize| {
        let mut value = [0.0];
        let [row, column] = [2 * pair, 2 * pair + 1].map(|i| Span::new(x, i..i + 1));
        kernel.tile(row, column, Tile::new(&mut value, 1, 1, 1))?;
        Ok(value[0])
    };
    (0..x.len() / 2).map(value).collect()
}

/// The inner product of the features of each pair of rows 2p and 2p + 1.
fn products(ctx: &Context, map: &FeatureMap, x: &Samples<f64>) -> Result<Vec<f64>> {
    let mut features = Mat::try_zeros(x.len(), map.dimension())?;
    map.matrix_into(&ctx.without_steps(), rows_of(x)?, features.view_mut())?;
    let dot = |pair: usize| {
        let [a, b] = [features.row(2 * pair), features.row(2 * pair + 1)];
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    };
    Ok((0..x.len() / 2).map(dot).collect())
}

/// Measures the error of a map.
pub(super) fn measure(
    ctx: &Context,
    params: &KernelFeaturesParams,
    map: &FeatureMap,
    x: Source<'_>,
) -> Result<Option<ApproximationError>> {
    let pairs = pairs(x.n(), params.seed);
    let at_a_time = (NUMBERS / map.dimension() / 2).clamp(1, 250);
    let hint = "use fewer features or raise the memory budget";
    let bytes = (2 * at_a_time * map.dimension() * size_of::<f64>()) as u64;
    let _reservation = ctx.reserve("the features of pairs of samples", bytes, hint)?;
    let progress = SharedProgress::new("error of features", pairs.len());
    let mut found = ApproximationError { pairs: pairs.len(), ..ApproximationError::NONE };
    for part in pairs.chunks(at_a_time) {
        let rows = x.rows(part.as_flattened())?;
        let exact = values(&params.kernel, &rows)?;
        for (value, product) in exact.iter().zip(products(ctx, map, &rows)?) {
            found.add(product - value, *value);
        }
        progress.add(ctx, part.len())?;
    }
    Ok((!pairs.is_empty()).then(|| found.divided()))
}

impl ApproximationError {
    const NONE: Self = Self { pairs: 0, mean: 0.0, rms: 0.0, max: 0.0, kernel_rms: 0.0 };

    fn add(&mut self, error: f64, value: f64) {
        self.mean += error.abs();
        self.rms += error * error;
        self.max = self.max.max(error.abs());
        self.kernel_rms += value * value;
    }

    /// Sums as means.
    fn divided(self) -> Self {
        let count = self.pairs as f64;
        let root = |sum: f64| (sum / count).sqrt();
        let (rms, kernel_rms) = (root(self.rms), root(self.kernel_rms));
        Self { mean: self.mean / count, rms, kernel_rms, ..self }
    }
}
