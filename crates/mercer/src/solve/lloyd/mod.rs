//! Groups of samples around centres in feature space: Lloyd's rounds on a Gram matrix.
//!
//! Given K (n × n), weights w and k, find labels that make Σ_i w_i ‖φ_i − μ_{label i}‖² small, where μ_c is the weighted mean
//! of group c. With S_ic = Σ_{j in c} w_j K_ij and s_c = Σ_{j in c} w_j, the squared distance of sample i to centre c is
//! K_ii − 2 S_ic / s_c + ‖μ_c‖², and ‖μ_c‖² = Σ_{i in c} w_i S_ic / s_c². A round sends every sample to its nearest centre and
//! brings S up to date by the columns of the samples that moved. The objective never rises if K has no negative
//! eigenvalue.

mod centres;
mod span;
mod start;

pub use crate::gram::nearest;
pub use centres::Centres;
pub use span::{SpanPasses, SpanProblem, SpanSolution, SpanStart, centres_of, lloyd_in_span};
pub use start::{Chooser, around, choose};

use crate::context::{Context, Step};
use crate::error::Result;
use crate::gram::{Gram, Move};

/// Samples to be put into groups.
pub struct Problem<'a> {
    /// K.
    pub gram: &'a dyn Gram,
    /// The diagonal of K.
    pub diagonal: &'a [f64],
    /// A weight for each sample, none negative, some positive.
    pub weights: &'a [f64],
    /// Groups, at most as many as there are samples of positive weight.
    pub k: usize,
    /// The relative rounding error of entries of K.
    pub epsilon: f64,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Rounds at most.
    pub max_rounds: usize,
    /// The squared shifts of the centres in a round, summed, at which it stops, as a share of the samples' mean squared
    /// distance from their mean. With 0 it stops when no sample changes its group.
    pub tolerance: f64,
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Info {
    /// Rounds.
    pub rounds: usize,
    /// The objective at the start and after each round.
    pub objectives: Vec<f64>,
    /// Samples that changed their group, over all rounds.
    pub moved: u64,
    /// Samples that became a group of their own because a group had lost all of its samples.
    pub reseeded: usize,
    /// Times that all sums were computed anew.
    pub full_passes: usize,
    /// Why it stopped.
    pub stop: Stop,
}

/// Why rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No sample changed its group.
    Settled,
    /// The centres moved less than the tolerance.
    Tolerance,
    /// As many rounds as allowed.
    Rounds,
    /// The objective was about to rise: the matrix has negative eigenvalues. The labels are those before.
    Rise,
    /// The time limit passed.
    Time,
}

/// Groups and their centres.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The group of each sample.
    pub labels: Vec<usize>,
    /// The centres of the groups.
    pub centres: Centres,
    /// How it went.
    pub info: Info,
}

/// Runs rounds from `labels`; groups without samples are given one at once. `step` reports how much of the work is done
/// (0 to 1) in words.
pub fn lloyd(
    ctx: &Context,
    problem: &Problem<'_>,
    labels: Vec<usize>,
    params: &Params,
    step: &dyn Fn(f64, String) -> Step,
) -> Result<Solution> {
    let mut now = Centres::new(ctx, problem, &labels)?;
    // From here on there are labels to return, however late it is.
    let ctx = &ctx.with_partial_result();
    let mut labels = labels;
    let mut info = Info {
        rounds: 0,
        objectives: vec![now.objective],
        moved: 0,
        reseeded: 0,
        full_passes: 1,
        stop: Stop::Rounds,
    };
    let spread = now.spread(problem);
    let slack = problem.noise() * problem.weights.iter().sum::<f64>();
    while info.rounds < params.max_rounds {
        let (next, reseeded) = now.assign(ctx, problem, &labels)?;
        let moves = moves(problem, &labels, &next);
        info.rounds += 1;
        if moves.is_empty() {
            info.stop = Stop::Settled;
            break;
        }
        let full = !problem.gram.regrouping_pays(moves.len(), problem.k);
        let after = now.moved(ctx, problem, &next, &moves, full)?;
        if after.objective > now.objective + slack {
            info.stop = Stop::Rise;
            break;
        }
        let shift = now.shift(problem, &next, &after);
        (labels, now) = (next, after);
        info.moved += moves.len() as u64;
        info.reseeded += reseeded;
        info.full_passes += usize::from(full);
        info.objectives.push(now.objective);
        ctx.step(step(done(moves.len(), labels.len()), words(&info, moves.len())))?;
        if params.tolerance > 0.0 && shift <= params.tolerance * spread {
            info.stop = Stop::Tolerance;
            break;
        }
        if ctx.is_out_of_time() {
            info.stop = Stop::Time;
            break;
        }
    }
    Ok(Solution { labels, centres: now, info })
}

impl Problem<'_> {
    /// Differences of squared distances that are lost in rounding.
    fn noise(&self) -> f64 {
        let largest = self.diagonal.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        64.0 * self.epsilon * largest
    }
}

/// Samples whose labels differ.
fn moves(problem: &Problem<'_>, before: &[usize], after: &[usize]) -> Vec<Move> {
    let pairs = before.iter().zip(after).zip(problem.weights).enumerate();
    let moved = pairs.filter(|(_, ((from, to), _))| from != to);
    let turn =
        |(sample, ((&from, &to), &weight))| Move { sample, from: Some(from), to: Some(to), weight };
    moved.map(turn).collect()
}

/// A guess at the share of the rounds that are over: moves die away by a like factor each round.
fn done(moved: usize, n: usize) -> f64 {
    1.0 - (1.0 + moved as f64).ln() / (2.0 + n as f64).ln()
}

fn words(info: &Info, moved: usize) -> String {
    let objective = info.objectives.last().copied().unwrap_or(f64::NAN);
    format!("round {}, objective {objective:.6}, {moved} samples moved", info.rounds)
}

#[cfg(test)]
mod tests;
