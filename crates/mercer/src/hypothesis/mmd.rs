//! The maximum mean discrepancy: whether two sets of samples come from one distribution.
//!
//! Given x_1 … x_m and y_1 … y_n, the witness f(z) = 1/m Σ k(x_i, z) − 1/n Σ k(y_j, z) is what tells them apart, and MMD² = ‖f‖² = wᵀKw, where w is
//! 1/m for each x and −1/n for each y, and K the kernel matrix of all N = m + n samples. If both come from one distribution, then which samples are
//! called x is arbitrary: MMD² is compared with its values for random splits, or with a Gamma distribution of their mean and variance.
//!
//! The unbiased statistic leaves k(z, z) out: 1/(m(m−1)) Σ_{i≠j} k(x_i, x_j) + 1/(n(n−1)) Σ_{i≠j} k(y_i, y_j) − 2/(mn) Σ k(x_i, y_j).
//!
//! Gretton, Borgwardt, Rasch, Schölkopf and Smola (2012), A kernel two-sample test.

use std::time::Instant;

use super::distributions::gamma_tail;
use super::moments::{self, CentredSums};
use super::{Null, Outcome, add_one, blocks, check_permutations, power};
use crate::context::{Context, Stream};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, Plan, Splits, plan};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::{Input, symmetric};
use crate::points::{Samples, with_matrix, with_samples};
use crate::real::Real;

/// Which estimate of MMD².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statistic {
    /// The squared length of the witness, never negative.
    Biased,
    /// Without the values of samples with themselves; 0 on average if the distributions are equal.
    Unbiased,
    /// The mean of the unbiased statistics of blocks of so many samples of each set, drawn at random: a test in linear time, whose statistic is compared with
    /// Student's t. Blocks of 2 are the linear-time statistic.
    Blocks(usize),
}

/// Parameters of the test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MmdParams {
    /// The kernel; widths that depend on the data are resolved on all samples.
    pub kernel: KernelSpec,
    /// Kernels of which the one with the largest estimated power is chosen on half of the samples; the test is then made on the other half. None for `kernel` itself.
    pub candidates: Vec<KernelSpec>,
    /// The statistic.
    pub statistic: Statistic,
    /// What it is compared with.
    pub null: Null,
    /// Seed of permutations, blocks and halves.
    pub seed: u64,
}

impl MmdParams {
    /// The biased statistic with `kernel`, compared with 999 permutations.
    pub fn new(kernel: KernelSpec) -> Self {
        let (statistic, null) = (Statistic::Biased, Null::Permutations(999));
        Self { kernel, candidates: Vec::new(), statistic, null, seed: 0 }
    }

    fn check(&self, input: &Input<'_>, first: usize) -> Result<()> {
        let sizes = [first, input.n().saturating_sub(first)];
        let least = if self.candidates.is_empty() { 2 } else { 8 };
        if let Some(size) = sizes.iter().find(|&&size| size < least) {
            return Err(Error::Shape(format!(
                "each set needs at least {least} samples, but one has {size}"
            )));
        }
        if !self.candidates.is_empty() && !matches!(input, Input::Samples(_)) {
            let message = "cannot be chosen for kernel values that are given: pass samples";
            return Err(Error::parameter(Param::Kernel, message));
        }
        match (self.statistic, self.null) {
            (Statistic::Blocks(size), _) => blocks::check(size, sizes[0].min(sizes[1])),
            (_, Null::Permutations(count)) => check_permutations(count),
            (Statistic::Unbiased, Null::Gamma) => Err(Error::parameter(
                Param::Named("null"),
                "the Gamma distribution approximates the biased statistic only: use that, or permutations",
            )),
            (Statistic::Biased, Null::Gamma) if input.n() < 5 => {
                let message = "the Gamma distribution needs at least 5 samples: use permutations";
                Err(Error::parameter(Param::Named("null"), message))
            }
            (Statistic::Biased, Null::Gamma) => Ok(()),
        }
    }
}

/// The result of the test.
#[derive(Clone, Debug)]
pub struct Mmd {
    /// Statistic and p-value.
    pub outcome: Outcome,
    /// The witness at all samples, x before y: high where x is denser, low where y is. Empty for blocks.
    pub witness: Vec<f64>,
    /// The samples that the test was made on, where some chose the kernel; none for all.
    pub tested: Option<Vec<usize>>,
}

impl Mmd {
    /// Tests whether the `first` samples of `input` and all others come from one distribution.
    pub fn test<'a>(
        ctx: &Context,
        params: &MmdParams,
        input: impl Into<Input<'a>>,
        first: usize,
    ) -> Result<Self> {
        Self::test_input(ctx, params, &input.into(), first)
    }

    fn test_input(
        ctx: &Context,
        params: &MmdParams,
        input: &Input<'_>,
        first: usize,
    ) -> Result<Self> {
        let started = Instant::now();
        params.check(input, first)?;
        let mut found = match params.candidates.is_empty() {
            true => tested(ctx, params, input, first)?,
            false => chosen_and_tested(ctx, params, input, first)?,
        };
        found.outcome.seconds = started.elapsed().as_secs_f64();
        Ok(found)
    }
}

/// Half of each set chooses the kernel, the other half is tested.
fn chosen_and_tested(
    ctx: &Context,
    params: &MmdParams,
    input: &Input<'_>,
    first: usize,
) -> Result<Mmd> {
    let [train, test] = halves(input.n(), first, params.seed);
    let (Input::Samples(x), [train_first, test_first]) = (input, [first / 2, first - first / 2])
    else {
        unreachable!("checked before")
    };
    let chosen = power::choose(ctx, &params.candidates, &x.select(&train), train_first)?;
    let params = MmdParams { kernel: chosen, candidates: Vec::new(), ..params.clone() };
    let rest = Input::Samples(x.select(&test));
    params.check(&rest, test_first)?;
    let mut found = tested(ctx, &params, &rest, test_first)?;
    found.outcome.notes.push(format!(
        "the kernel was chosen on {} samples, and tested on the other {}",
        train.len(),
        test.len()
    ));
    found.tested = Some(test);
    Ok(found)
}

/// Halves of both sets, drawn at random: samples of the first set come first in both.
fn halves(n: usize, first: usize, seed: u64) -> [Vec<usize>; 2] {
    let mut stream = Stream::new(seed, "halves of two samples");
    let mut train = stream.sample(first, first / 2);
    train.extend(stream.sample(n - first, (n - first) / 2).iter().map(|i| first + i));
    let mut is_left = vec![true; n];
    train.iter().for_each(|&i| is_left[i] = false);
    [train, (0..n).filter(|&i| is_left[i]).collect()]
}

fn tested(ctx: &Context, params: &MmdParams, input: &Input<'_>, first: usize) -> Result<Mmd> {
    if let Statistic::Blocks(size) = params.statistic {
        return blocks::test(ctx, params, input, first, size);
    }
    match input {
        Input::Samples(x) => with_samples!(x, x => on_samples(ctx, params, x, first)),
        Input::Precomputed { values, .. } => with_matrix!(values.view(), matrix => {
            on_gram(ctx, params, &symmetric(matrix)?, first, &Plan::given())
        }),
        Input::Gram(gram) => on_gram(ctx, params, *gram, first, &Plan::given()),
    }
}

fn on_samples<T: Real>(
    ctx: &Context,
    params: &MmdParams,
    x: &Samples<T>,
    first: usize,
) -> Result<Mmd> {
    let spec = params.kernel.resolve(x)?;
    let on = KernelOn::centred(&SpecKernel::<T>::new(&spec)?, x);
    let plan = plan::<T>(ctx, x.n(), workspace(x.n(), params))?;
    let gram = plan.build(ctx, &*on.kernel, &on.anchors)?;
    let mut found = on_gram(ctx, params, &*gram, first, &plan)?;
    // Seen from a point, the witness is less by its value there.
    let weights = Mat::from_fn(x.n(), 1, |i, _| weight(i, first, x.n()));
    let shift = on.shifts(&weights)[0];
    found.witness.iter_mut().for_each(|value| *value += shift);
    found.outcome.kernels.push(spec);
    Ok(found)
}

/// Bytes beside the matrix.
fn workspace(n: usize, params: &MmdParams) -> u64 {
    let count = match params.null {
        Null::Permutations(count) => count + 1,
        Null::Gamma => 1,
    };
    let forms = Splits::product_bytes(n, count);
    Splits::bytes(n, count).saturating_add(forms).saturating_add(64 * n as u64)
}

/// Entry i of the vector w that the statistic is a form of.
pub(super) fn weight(i: usize, first: usize, n: usize) -> f64 {
    if i < first { 1.0 / first as f64 } else { -1.0 / (n - first) as f64 }
}

fn on_gram(
    ctx: &Context,
    params: &MmdParams,
    gram: &dyn Gram,
    first: usize,
    plan: &Plan,
) -> Result<Mmd> {
    let n = gram.n();
    // K·w is the witness; K·1 is what the unbiased statistic needs.
    let two = Mat::from_fn(n, 2, |i, c| if c == 0 { weight(i, first, n) } else { 1.0 });
    let products = gram.times(ctx, &two)?;
    let witness: Vec<f64> = (0..n).map(|i| products[(i, 0)]).collect();
    let mut outcome = match params.null {
        Null::Permutations(count) => {
            let hint = "use fewer permutations or rows, or raise the memory budget";
            let bytes = Splits::bytes(n, count + 1);
            let _reservation = ctx.reserve("the permutations", bytes, hint)?;
            let splits = splits(ctx, n, first, count, params.seed)?;
            let forms = gram.forms(ctx, &splits)?;
            let diagonal = gram.diag(ctx)?;
            let sums: Vec<f64> = (0..n).map(|i| products[(i, 1)]).collect();
            let values = match params.statistic {
                Statistic::Unbiased => unbiased(&forms, &splits, first, &sums, &diagonal),
                _ => forms,
            };
            by_permutations(values, noise(&sums, &diagonal))
        }
        Null::Gamma => {
            // In double precision, whatever the type of the kernel values: the terms cancel.
            let statistic = gram.forms(ctx, &splits(ctx, n, first, 0, params.seed)?)?[0];
            let (sums, _) = moments::centred(ctx, &[gram])?;
            let w = CentredSums::of_vector((0..n).map(|i| weight(i, first, n)));
            by_moments(statistic.max(0.0), moments::of_permutations(n, &sums[0], &w))
        }
    };
    outcome.used = n;
    outcome.storage = plan.words();
    Ok(Mmd { outcome, witness, tested: None })
}

/// The observed split, followed by random ones.
pub(super) fn splits(
    ctx: &Context,
    n: usize,
    first: usize,
    count: usize,
    seed: u64,
) -> Result<Splits> {
    let (high, low) = (1.0 / first as f64, -1.0 / (n - first) as f64);
    let mut splits = Splits::new(n, count + 1, low, high)?;
    (0..first).for_each(|i| splits.put(i, 0));
    let mut stream = Stream::new(seed, "permutations of two samples");
    let mut order: Vec<usize> = (0..n).collect();
    for c in 1..=count {
        ctx.poll()?;
        for place in 0..first {
            let other = place + stream.below(n - place);
            order.swap(place, other);
            splits.put(order[place], c);
        }
    }
    Ok(splits)
}

/// Unbiased statistics of all splits, given their forms wᵀKw, K·1 and the diagonal.
///
/// Without the diagonal, a = Σ_{i≠j} k(x_i, x_j) and b, the same of y, follow from wᵀKw and the sums over the first group.
fn unbiased(
    forms: &[f64],
    splits: &Splits,
    first: usize,
    sums: &[f64],
    diagonal: &[f64],
) -> Vec<f64> {
    let (m, n) = (first as f64, (sums.len() - first) as f64);
    let total: f64 = sums.iter().zip(diagonal).map(|(sum, own)| sum - own).sum();
    let mut group = vec![[0.0; 2]; forms.len()];
    for (i, (sum, own)) in sums.iter().zip(diagonal).enumerate() {
        for (c, [s, d]) in group.iter_mut().enumerate() {
            if splits.holds(i, c) {
                *s += sum - own;
                *d += own / (m * m);
            } else {
                *d += own / (n * n);
            }
        }
    }
    let each = forms.iter().zip(&group).map(|(form, [s, d])| {
        let form = form - d;
        let a = (form - total / (n * n) + 2.0 * s / n * (1.0 / n + 1.0 / m))
            / (1.0 / m + 1.0 / n).powi(2);
        let b = total - 2.0 * s + a;
        form + a / (m * m * (m - 1.0)) + b / (n * n * (n - 1.0))
    });
    each.collect()
}

/// How far equal statistics may differ by rounding.
fn noise(sums: &[f64], diagonal: &[f64]) -> f64 {
    let n = sums.len() as f64;
    let mean = sums.iter().map(|sum| sum.abs()).sum::<f64>() / (n * n);
    let own = diagonal.iter().map(|value| value.abs()).sum::<f64>() / n;
    32.0 * f64::EPSILON * (mean + own)
}

/// The outcome, given the statistics of the observed arrangement and of the permutations.
pub(super) fn by_permutations(mut values: Vec<f64>, noise: f64) -> Outcome {
    let statistic = values.remove(0);
    let p_value = add_one(statistic, &values, noise);
    outcome(statistic, p_value, values, None)
}

/// The outcome, given mean and variance of the statistic.
pub(super) fn by_moments(statistic: f64, (mean, variance): (f64, f64)) -> Outcome {
    // Equal samples have equal statistics in any order.
    let p_value = match mean > 0.0 && variance > mean * mean * 1e-20 {
        true => gamma_tail(statistic, mean * mean / variance, variance / mean),
        false => 1.0,
    };
    outcome(statistic, p_value, Vec::new(), Some((mean, variance.sqrt())))
}

pub(super) fn outcome(
    statistic: f64,
    p_value: f64,
    null: Vec<f64>,
    moments: Option<(f64, f64)>,
) -> Outcome {
    Outcome {
        statistic,
        p_value,
        null,
        moments,
        kernels: Vec::new(),
        used: 0,
        storage: String::new(),
        notes: Vec::new(),
        seconds: 0.0,
    }
}
