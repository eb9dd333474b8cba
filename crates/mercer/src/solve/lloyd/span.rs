//! Lloyd's rounds for samples that are known by their kernel values with landmarks alone, and are read anew in every round.
//!
//! Given the factor L of the landmarks' kernel matrix, find labels that make Σ_i w_i ‖φ̂_i − μ_{label i}‖² small, where φ̂_i is the projection of sample i on the landmarks'
//! span. With S_c = Σ_{i in c} w_i k_Z(x_i), the centre has the coordinates L⁻¹ S_c / s_c there, and the coefficients L⁻ᵀ L⁻¹ S_c / s_c as a sum over landmarks. The objective is
//! Σ w ‖φ̂‖² − Σ_c s_c ‖μ_c‖². What the projection leaves of a sample is the same for all centres, so that the nearest of them in the whole feature space is the nearest here.

use super::{Info, Params, Stop, done, words};
use crate::context::{Context, Step};
use crate::error::Result;
use crate::gram::{ClusterSums, Far, SpanCentres, UNASSIGNED};
use crate::linalg::cholesky;
use crate::linalg::view::Mat;

/// What reads the samples.
pub trait SpanPasses {
    /// Assigns all samples to the nearest of the centres and returns the sums of their clusters; without centres, labels stay as they are.
    fn pass(
        &mut self,
        ctx: &Context,
        centres: Option<&SpanCentres>,
        labels: &mut [usize],
    ) -> Result<ClusterSums>;

    /// The kernel values of the samples `rows` with the landmarks, a row for each.
    fn values(&mut self, ctx: &Context, rows: &[usize]) -> Result<Mat<f64>>;
}

/// Samples to be put into clusters.
pub struct SpanProblem<'a> {
    /// L: m × m.
    pub factor: &'a Mat<f64>,
    /// Σ w ‖φ̂‖².
    pub explained: f64,
    /// Σ w.
    pub weight: f64,
    /// Samples.
    pub n: usize,
}

/// Where rounds begin.
pub enum SpanStart {
    /// The cluster of each sample.
    Labels(Vec<usize>),
    /// The coordinates of the centres, k × m, and the weights of their clusters, 0 where a centre is missing.
    Centres(Mat<f64>, Vec<f64>),
}

/// Clusters and their centres.
pub struct SpanSolution {
    /// The cluster of each sample.
    pub labels: Vec<usize>,
    /// The weight of each cluster.
    pub sizes: Vec<f64>,
    /// The centres as sums over landmarks.
    pub centres: SpanCentres,
    /// Σ w ‖φ̂ − μ‖².
    pub objective: f64,
    /// How it went.
    pub info: Info,
}

/// The centres after a round.
struct State {
    /// Their coordinates: k × m.
    means: Mat<f64>,
    sizes: Vec<f64>,
    centres: SpanCentres,
}

/// Centres with the coordinates `means` (k × m) as sums over landmarks; those without weight are infinitely far.
pub fn centres_of(
    ctx: &Context,
    l: &Mat<f64>,
    means: &Mat<f64>,
    sizes: &[f64],
) -> Result<SpanCentres> {
    let (k, m) = (means.rows(), means.cols());
    let mut coef = Mat::from_fn(m, k, |i, c| means[(c, i)]);
    cholesky::solve_backward(ctx, l, &mut coef)?;
    let norm = |c: usize| match sizes[c] > 0.0 {
        true => means.row(c).iter().map(|v| v * v).sum(),
        false => f64::INFINITY,
    };
    Ok(SpanCentres { coef, norms: (0..k).map(norm).collect() })
}

impl State {
    fn of(ctx: &Context, problem: &SpanProblem<'_>, sums: &ClusterSums) -> Result<Self> {
        let (k, m) = (sums.sums.rows(), sums.sums.cols());
        let share = |c: usize| if sums.sizes[c] > 0.0 { 1.0 / sums.sizes[c] } else { 0.0 };
        let mut means = Mat::from_fn(k, m, |c, i| share(c) * sums.sums[(c, i)]);
        cholesky::divide_rows(ctx, problem.factor, &mut means)?;
        let sizes = sums.sizes.clone();
        let centres = centres_of(ctx, problem.factor, &means, &sizes)?;
        Ok(Self { means, sizes, centres })
    }

    fn alive(&self) -> impl Iterator<Item = usize> {
        (0..self.sizes.len()).filter(|&c| self.sizes[c] > 0.0)
    }

    fn objective(&self, problem: &SpanProblem<'_>) -> f64 {
        let held = self.alive().map(|c| self.sizes[c] * self.centres.norms[c]).sum::<f64>();
        (problem.explained - held).max(0.0)
    }

    /// The squared distances between these centres and those `after` a round, summed.
    fn shift(&self, after: &Self) -> f64 {
        let shift = |c: usize| match (self.sizes[c] > 0.0, after.sizes[c] > 0.0) {
            (true, true) => {
                let pairs = self.means.row(c).iter().zip(after.means.row(c));
                pairs.map(|(a, b)| (a - b).powi(2)).sum()
            }
            (false, false) => 0.0,
            _ => f64::INFINITY,
        };
        (0..self.sizes.len()).map(shift).sum()
    }

    /// The mean squared distance of the projected samples from their mean.
    fn spread(&self, problem: &SpanProblem<'_>) -> f64 {
        let mut mean = vec![0.0; self.means.cols()];
        for c in self.alive() {
            let share = self.sizes[c] / problem.weight;
            mean.iter_mut().zip(self.means.row(c)).for_each(|(sum, v)| *sum += share * v);
        }
        let square: f64 = mean.iter().map(|v| v * v).sum();
        (problem.explained / problem.weight - square).max(0.0)
    }
}

/// Runs rounds from `start`. `step` reports how much of the work is done (0 to 1) in words.
pub fn lloyd_in_span(
    ctx: &Context,
    problem: &SpanProblem<'_>,
    start: SpanStart,
    passes: &mut dyn SpanPasses,
    params: &Params,
    step: &dyn Fn(f64, String) -> Step,
) -> Result<SpanSolution> {
    let mut info = Info {
        rounds: 0,
        objectives: Vec::new(),
        moved: 0,
        reseeded: 0,
        full_passes: 0,
        stop: Stop::Rounds,
    };
    let (mut labels, mut now) = begin(ctx, problem, start, passes, &mut info)?;
    // After the first round all samples have labels; from then on there is something to return, however late it is.
    let partial = ctx.with_partial_result();
    while info.rounds < params.max_rounds {
        let ctx = if info.full_passes > 0 { &partial } else { ctx };
        let mut sums = passes.pass(ctx, Some(&now.centres), &mut labels)?;
        let reseeded = reseed(ctx, passes, &mut sums, &mut labels)?;
        info.rounds += 1;
        info.full_passes += 1;
        if sums.moved == 0 {
            info.stop = Stop::Settled;
            break;
        }
        let after = State::of(ctx, problem, &sums)?;
        let shift = now.shift(&after);
        now = after;
        info.moved += sums.moved;
        info.reseeded += reseeded;
        info.objectives.push(now.objective(problem));
        let moved = sums.moved as usize;
        partial.step(step(done(moved, problem.n), words(&info, moved)))?;
        if params.tolerance > 0.0 && shift <= params.tolerance * now.spread(problem) {
            info.stop = Stop::Tolerance;
            break;
        }
        if partial.is_out_of_time() {
            info.stop = Stop::Time;
            break;
        }
    }
    let objective = now.objective(problem);
    Ok(SpanSolution { labels, sizes: now.sizes, centres: now.centres, objective, info })
}

/// The labels and centres before the first round.
fn begin(
    ctx: &Context,
    problem: &SpanProblem<'_>,
    start: SpanStart,
    passes: &mut dyn SpanPasses,
    info: &mut Info,
) -> Result<(Vec<usize>, State)> {
    match start {
        SpanStart::Labels(mut labels) => {
            let sums = passes.pass(ctx, None, &mut labels)?;
            let state = State::of(ctx, problem, &sums)?;
            info.full_passes += 1;
            info.objectives.push(state.objective(problem));
            Ok((labels, state))
        }
        SpanStart::Centres(means, sizes) => {
            let centres = centres_of(ctx, problem.factor, &means, &sizes)?;
            Ok((vec![UNASSIGNED; problem.n], State { means, sizes, centres }))
        }
    }
}

/// Gives every cluster without samples the one that lies farthest from its centre and is not alone there.
fn reseed(
    ctx: &Context,
    passes: &mut dyn SpanPasses,
    sums: &mut ClusterSums,
    labels: &mut [usize],
) -> Result<usize> {
    let (mut members, mut far) = (sums.members.clone(), sums.far.clone());
    let mut sent: Vec<(Far, usize)> = Vec::new();
    for c in (0..members.len()).filter(|&c| sums.members[c] == 0) {
        let Some(place) = far.iter().position(|far| members[far.label] > 1) else { break };
        let one = far.remove(place);
        members[one.label] -= 1;
        members[c] = 1;
        sent.push((one, c));
    }
    if sent.is_empty() {
        return Ok(0);
    }
    let rows: Vec<usize> = sent.iter().map(|(far, _)| far.row).collect();
    let values = passes.values(ctx, &rows)?;
    for (place, (far, c)) in sent.iter().enumerate() {
        sums.send(far, values.row(place), *c);
        labels[far.row] = *c;
    }
    Ok(sent.len())
}
