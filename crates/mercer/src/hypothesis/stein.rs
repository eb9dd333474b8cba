//! The kernel Stein discrepancy: whether samples come from a density that is known up to its norm.
//!
//! Given x_1 … x_n and the score s(x) = ∇ log p(x) at each, KSD² = 1/n² Σ u(x_i, x_j) with the Stein kernel u (`stein_kernel`). It is compared with
//! the wild bootstrap 1/n² Σ w_i w_j u(x_i, x_j) of random signs w. For samples that are a Markov chain, signs change with a probability below ½ from
//! one sample to the next. The mean over pairs of different samples is the unbiased statistic.
//!
//! Whether samples are normal with any mean and covariance is tested on samples that are whitened by their own. The statistic then depends on neither, and is compared
//! with that of standard normal samples treated alike: the wild bootstrap would be too cautious.
//!
//! Chwialkowski, Strathmann and Gretton (2016), A kernel test of goodness of fit; Liu, Lee and Jordan (2016).

use std::time::Instant;

use super::mmd::by_permutations;
use super::stein_kernel::{SteinKernel, with_scores};
use super::{Outcome, check_permutations};
use crate::context::{Context, SharedProgress, Stream};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, MatrixFree, Splits, plan};
use crate::kernel::KernelSpec;
use crate::linalg::cholesky;
use crate::linalg::view::{Mat, MatRef};
use crate::points::{AnySamples, Dense};

/// Parameters of the test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SteinParams {
    /// The kernel: `rbf` or `rational_quadratic`.
    pub kernel: KernelSpec,
    /// Draws of the bootstrap.
    pub draws: usize,
    /// The probability that a sign differs from that of the sample before: ½ for independent samples, less for a Markov chain.
    pub change: f64,
    /// Seed of the signs.
    pub seed: u64,
}

impl SteinParams {
    /// 999 draws for independent samples.
    pub fn new(kernel: KernelSpec) -> Self {
        Self { kernel, draws: 999, change: 0.5, seed: 0 }
    }

    fn check(&self, n: usize) -> Result<()> {
        check_permutations(self.draws)?;
        if !(self.change > 0.0 && self.change <= 0.5) {
            let message = format!("must be above 0 and at most 0.5, not {}", self.change);
            return Err(Error::parameter(Param::Named("change"), message));
        }
        match n < 2 {
            true => Err(Error::Shape("at least 2 samples are required".into())),
            false => Ok(()),
        }
    }
}

/// The result of the test.
#[derive(Clone, Debug)]
pub struct Stein {
    /// Statistic and p-value.
    pub outcome: Outcome,
    /// The mean of u(x_i, x_j) over pairs of different samples.
    pub unbiased: f64,
    /// What each sample contributes to the statistic: 1/n Σ_j u(x_i, x_j).
    pub contributions: Vec<f64>,
}

impl Stein {
    /// Tests whether `x` comes from the density whose scores at `x` are given (n × d).
    pub fn test(
        ctx: &Context,
        params: &SteinParams,
        x: &Dense<f64>,
        scores: MatRef<'_, f64>,
    ) -> Result<Self> {
        let started = Instant::now();
        params.check(x.n())?;
        let spec = params.kernel.resolve(AnySamples::from(x))?;
        let (kernel, rows) = (SteinKernel::new(&spec)?, with_scores(x, scores)?);
        let n = x.n();
        let count = params.draws + 1;
        let bytes = Splits::bytes(n, count) + Splits::product_bytes(n, count) + 64 * n as u64;
        let plan = plan::<f64>(ctx, n, bytes)?;
        let gram = plan.build(ctx, &kernel, &rows)?;
        let forms = gram.forms(ctx, &signs(ctx, n, params)?)?;
        let (mut found, noise) = Self::of(ctx, &*gram)?;
        let pairs = (n * n) as f64;
        found.outcome = by_permutations(forms.iter().map(|form| form / pairs).collect(), noise);
        found.finish(spec, plan.words(), n, started);
        Ok(found)
    }

    /// Tests whether `x` comes from a normal distribution of any mean and covariance. The kernel must not have open widths: samples are whitened first.
    pub fn normal(ctx: &Context, params: &SteinParams, x: &Dense<f64>) -> Result<Self> {
        let started = Instant::now();
        params.check(x.n())?;
        let (n, d) = (x.n(), x.d());
        let white = whitened(ctx, x)?;
        let spec = params.kernel.resolve(AnySamples::from(&white))?;
        let kernel = SteinKernel::new(&spec)?;
        let statistic = |ctx: &Context, white: &Dense<f64>| {
            let gram = MatrixFree::new(&kernel, standard(white)?);
            Self::of(ctx, &gram)
        };
        let (mut found, noise) = statistic(ctx, &white)?;
        let progress = SharedProgress::new("normal samples", params.draws);
        let (mut stream, quiet) = (Stream::new(params.seed, "normal samples"), ctx.without_steps());
        let mut values = vec![found.outcome.statistic];
        for _ in 0..params.draws {
            let draw = (0..n * d).map(|_| stream.normal()).collect();
            let drawn = statistic(&quiet, &whitened(&quiet, &Dense::from_vec(draw, n, d)?)?)?;
            values.push(drawn.0.outcome.statistic);
            progress.add(ctx, 1)?;
        }
        found.outcome = by_permutations(values, noise);
        found.outcome.notes.push("mean and covariance are those of the samples".into());
        found.finish(spec, "tiled".into(), n, started);
        Ok(found)
    }

    /// The statistic alone, and how far equal ones may differ by rounding.
    fn of(ctx: &Context, gram: &dyn Gram) -> Result<(Self, f64)> {
        let n = gram.n();
        let sums = gram.times(ctx, &Mat::from_fn(n, 1, |_, _| 1.0))?;
        let own: f64 = gram.diag(ctx)?.iter().sum();
        let (all, n) = (sums.data().iter().sum::<f64>(), n as f64);
        let outcome = super::mmd::outcome(all / (n * n), 1.0, Vec::new(), None);
        let contributions = sums.data().iter().map(|sum| sum / n).collect();
        let unbiased = (all - own) / (n * (n - 1.0));
        Ok((Self { outcome, unbiased, contributions }, 32.0 * f64::EPSILON * own.abs() / n))
    }

    fn finish(&mut self, spec: KernelSpec, storage: String, n: usize, started: Instant) {
        self.outcome.kernels.push(spec);
        self.outcome.storage = storage;
        self.outcome.used = n;
        self.outcome.seconds = started.elapsed().as_secs_f64();
    }
}

/// Signs of all ones, and random ones: chains whose sign changes with the probability `change`.
fn signs(ctx: &Context, n: usize, params: &SteinParams) -> Result<Splits> {
    let mut splits = Splits::new(n, params.draws + 1, -1.0, 1.0)?;
    let mut stream = Stream::new(params.seed, "signs of a wild bootstrap");
    (0..n).for_each(|i| splits.put(i, 0));
    for c in 1..=params.draws {
        ctx.poll()?;
        let mut is_high = stream.bits() & 1 == 1;
        for i in 0..n {
            if i > 0 && stream.uniform() < params.change {
                is_high = !is_high;
            }
            if is_high {
                splits.put(i, c);
            }
        }
    }
    Ok(splits)
}

/// Whitened samples with the scores −x of the standard normal distribution.
fn standard(white: &Dense<f64>) -> Result<Dense<f64>> {
    let scores = Mat::from_fn(white.n(), white.d(), |i, k| -white.row(i)[k]);
    with_scores(white, scores.view())
}

/// Variances that other columns leave, relative to the whole, below which they are rounding.
const LEAST_SHARE: f64 = 1e-12;

/// L⁻¹(x − mean) with the covariance L Lᵀ of the samples (divided by n).
fn whitened(ctx: &Context, x: &Dense<f64>) -> Result<Dense<f64>> {
    let (n, d) = (x.n(), x.d());
    let mean = x.mean();
    let centred = Mat::from_fn(n, d, |i, k| x.row(i)[k] - mean[k]);
    let mut factor = Mat::from_fn(d, d, |a, b| {
        (0..n).map(|i| centred[(i, a)] * centred[(i, b)]).sum::<f64>() / n as f64
    });
    let variances: Vec<f64> = (0..d).map(|k| factor[(k, k)]).collect();
    let dependent = || {
        Error::Numeric(format!(
            "the covariance of the {d} columns of {n} samples is singular: leave out columns that are constant or sums of others"
        ))
    };
    cholesky::factor(ctx, &mut factor).map_err(|_| dependent())?;
    if (0..d).any(|k| factor[(k, k)].powi(2) <= LEAST_SHARE * variances[k]) {
        return Err(dependent());
    }
    let mut rows = centred.into_vec();
    for row in rows.chunks_exact_mut(d) {
        for k in 0..d {
            let known: f64 = (0..k).map(|j| factor[(k, j)] * row[j]).sum();
            row[k] = (row[k] - known) / factor[(k, k)];
        }
    }
    Dense::from_vec(rows, n, d)
}
