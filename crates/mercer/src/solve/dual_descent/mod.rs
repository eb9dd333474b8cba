//! The quadratic problem of support vector machines with a matrix of low rank, K = ΦΦᵀ, given the rows φ of Φ (n × m):
//!
//! ```text
//! minimise ½ ‖Φᵀβ‖² + Σ linear_i β_i + kink_i |β_i|     lower_i ≤ β_i ≤ upper_i,     Σ β fixed in each group
//! ```
//!
//! Given w = Φᵀβ, the slope of a coefficient costs one product φᵀw, and no kernel value is needed. Coefficients are visited one after the other in random order,
//! each goes to its own optimum (dual coordinate descent), and those that will stay at an end of their range are set aside. The sums of groups are kept by a price
//! and a penalty on what they are off (augmented Lagrangian). Where coordinates are slow, because features depend on each other, the free coefficients
//! are moved together now and then (`newton`).
//!
//! Only some rows are visited: a sample of them at first, then those near the margin. Slopes of all rows are computed after each such round, and the result is
//! assessed by these, as that of any other solver ([`Assessment`]).

mod active;
mod descent;
mod features;
mod newton;
#[cfg(test)]
mod tests;

pub use features::{Chosen, FeatureRows, StoredRows};

use std::time::Instant;

use crate::context::{Context, Step, Stream};
use crate::error::{Error, Result};
use crate::solve::smo::{Assessment, Info, Params, Problem, Solution, Stop, Variable};
use active::Active;
use descent::{Descent, End};

/// Rounds without progress after which the solver gives up.
const PATIENCE: usize = 12;
/// The share of the violation that counts as progress.
const PROGRESS: f64 = 0.9;

/// Where it ended, with w = Φᵀβ.
#[derive(Clone, Debug)]
pub struct LowRankSolution {
    /// Coefficients and their slopes Φw.
    pub solution: Solution,
    /// w.
    pub w: Vec<f64>,
}

/// Solves a problem whose variables have the features `rows`, from the coefficients that it has.
pub fn solve(
    ctx: &Context,
    features: &dyn FeatureRows,
    rows: &[usize],
    problem: Problem,
    params: &Params,
    seed: u64,
) -> Result<LowRankSolution> {
    let mut search = Search::new(ctx, features, rows, problem, params)?;
    let stop = search.run(ctx, &mut Stream::new(seed, "dual descent"))?;
    Ok(search.finish(stop))
}

/// A solution on its way.
struct Search<'a> {
    features: &'a dyn FeatureRows,
    rows: &'a [usize],
    params: &'a Params,
    problem: Problem,
    /// What coefficients of a group sum up to.
    sums: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    assessment: Assessment,
    steps: u64,
    rounds: u64,
    /// Whether the monitor stopped it before it began.
    is_interrupted: bool,
}

impl<'a> Search<'a> {
    fn new(
        ctx: &Context,
        features: &'a dyn FeatureRows,
        rows: &'a [usize],
        problem: Problem,
        params: &'a Params,
    ) -> Result<Self> {
        let groups = problem.group.iter().max().map_or(1, |&g| usize::from(g) + 1);
        let sums = (0..groups).map(|g| sum_of(&problem, g)).collect();
        let assessment = Assessment {
            violation: f64::INFINITY,
            objective: f64::INFINITY,
            gap: None,
            balance: vec![0.0; groups],
        };
        let (w, f) = (vec![0.0; features.m()], vec![0.0; rows.len()]);
        let (steps, rounds, is_interrupted) = (0, 0, false);
        let mut search = Self {
            features,
            rows,
            params,
            problem,
            sums,
            w,
            f,
            assessment,
            steps,
            rounds,
            is_interrupted,
        };
        search.is_interrupted = match search.assess(ctx) {
            Err(Error::Interrupted) => {
                search.assess(&ctx.unwatched())?;
                true
            }
            other => other.map(|()| false)?,
        };
        Ok(search)
    }

    fn run(&mut self, ctx: &Context, stream: &mut Stream) -> Result<Stop> {
        if self.is_interrupted {
            return Ok(Stop::Interrupted);
        }
        let first = self.assessment.violation;
        let (mut best, mut waited) = (f64::INFINITY, 0);
        loop {
            let violation = self.assessment.violation;
            if violation <= self.params.tolerance {
                return Ok(Stop::Converged);
            }
            waited = if violation <= PROGRESS * best { 0 } else { waited + 1 };
            best = best.min(violation);
            if waited > PATIENCE {
                return Ok(Stop::Stalled);
            }
            if let Some(stop) = self.spent() {
                return Ok(stop);
            }
            match self.step(ctx, first).and_then(|()| self.round(ctx, stream)) {
                Err(Error::Interrupted) => {
                    // Not watched: a model that was stopped needs slopes that are right.
                    self.assess(&ctx.unwatched())?;
                    return Ok(Stop::Interrupted);
                }
                Err(error) => return Err(error),
                Ok(End::Balanced) => {}
                Ok(End::Stopped(stop)) => {
                    return Ok(match self.assessment.violation <= self.params.tolerance {
                        true => Stop::Converged,
                        false => stop,
                    });
                }
            }
        }
    }

    fn spent(&self) -> Option<Stop> {
        let steps = self.params.max_iterations.is_some_and(|most| self.steps >= most);
        let time = self.params.deadline.is_some_and(|end| Instant::now() >= end);
        match (steps, time) {
            (true, _) => Some(Stop::Iterations),
            (_, true) => Some(Stop::Time),
            _ => None,
        }
    }

    /// Reports how far the violation has come down, on a scale of its logarithm.
    fn step(&self, ctx: &Context, first: f64) -> Result<()> {
        let (now, end) = (self.assessment.violation, self.params.tolerance);
        let all = (first / end).ln().max(f64::MIN_POSITIVE);
        let share = ((first / now).ln() / all).clamp(0.0, 0.99);
        ctx.step(Step::converging("support vectors", share, 1.0, now))
    }

    /// Solves the problem of some coefficients to what is worth it, and assesses all.
    fn round(&mut self, ctx: &Context, stream: &mut Stream) -> Result<End> {
        let active = Active::choose(self, stream);
        let tolerance = active.tolerance(&self.assessment, self.params.tolerance);
        let chosen: Vec<usize> = active.places.iter().map(|&v| self.rows[v]).collect();
        let chosen = self.features.chosen(ctx, &chosen)?;
        let mut descent = Descent::new(self, &active.places, chosen, tolerance);
        let end = descent.run(ctx, stream);
        self.steps += descent.steps;
        for (local, &v) in active.places.iter().enumerate() {
            self.problem.variables[v] = descent.variables[local];
        }
        self.rounds += 1;
        let end = end?;
        self.assess(ctx)?;
        Ok(end)
    }

    /// Makes sums of groups what they must be; computes w and all slopes anew from the coefficients.
    fn assess(&mut self, ctx: &Context) -> Result<()> {
        for (g, &sum) in self.sums.iter().enumerate() {
            restore_sum(&mut self.problem, g, sum);
        }
        let each = self.problem.variables.iter().zip(self.rows);
        let beta: Vec<(usize, f64)> =
            each.filter(|(v, _)| v.beta != 0.0).map(|(v, &row)| (row, v.beta)).collect();
        self.w = self.features.sum(ctx, &beta)?;
        self.features.products(ctx, self.rows, &self.w, &mut self.f)?;
        let Problem { variables, group, .. } = &self.problem;
        self.assessment = Assessment::new(variables, &self.f, group);
        Ok(())
    }

    fn finish(self, stop: Stop) -> LowRankSolution {
        let info = Info { iterations: self.steps, rounds: self.rounds, stop, asked: 0, hits: 0 };
        let solution = Solution { variables: self.problem.variables, f: self.f, info };
        LowRankSolution { solution, w: self.w }
    }
}

fn sum_of(problem: &Problem, g: usize) -> f64 {
    let each = problem.variables.iter().zip(&problem.group);
    each.filter(|(_, group)| usize::from(**group) == g).map(|(v, _)| v.beta).sum()
}

/// Brings the sum of a group to what it must be: first by coefficients that are free, then by the others.
fn restore_sum(problem: &mut Problem, g: usize, sum: f64) {
    let mut missing = sum - sum_of(problem, g);
    for takes in [Variable::is_free as fn(&Variable) -> bool, |_| true] {
        let each = problem.variables.iter_mut().zip(&problem.group);
        for (v, _) in each.filter(|(_, group)| usize::from(**group) == g) {
            if missing == 0.0 {
                return;
            }
            if takes(v) {
                missing -= moved(v, missing);
            }
        }
    }
}

/// Moves a coefficient by `by` or as far as it goes, and returns how far that was.
fn moved(v: &mut Variable, by: f64) -> f64 {
    let before = v.beta;
    match by > 0.0 {
        true => v.rise(by.min(v.room_up())),
        false => v.fall((-by).min(v.room_down())),
    }
    v.beta - before
}
