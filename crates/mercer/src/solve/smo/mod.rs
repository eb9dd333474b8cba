//! The quadratic problem of support vector machines:
//!
//! ```text
//! minimise ½ βᵀKβ + Σ linear_i β_i + kink_i |β_i|     lower_i ≤ β_i ≤ upper_i,     Σ β fixed in each group
//! ```
//!
//! Two levels. Outside, the few hundred coefficients that violate the optimality conditions most are chosen; inside, their
//! own small problem is solved by moving two coefficients at a time, chosen by second-order information. Only kernel
//! columns of coefficients that moved are needed, in single precision; slopes are kept in double. The outcome is that of
//! LIBSVM, whose stopping rule is used.

mod cache;
mod local;
mod moves;
mod room;
mod scope;
mod work;
mod working_set;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::Columns;
pub use moves::Variable;
pub use room::Room;
use scope::Scope;
pub use work::Memory;
use work::{Outcome, Work};

/// Why the solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The violation is within the tolerance.
    Converged,
    /// The number of steps is spent.
    Iterations,
    /// The time is spent.
    Time,
    /// The monitor asked to stop.
    Interrupted,
}

/// When to stop, and what to spend.
#[derive(Clone, Debug)]
pub struct Params {
    /// The violation of the optimality conditions at which to stop.
    pub tolerance: f64,
    /// Whether coefficients that will stay where they are are set aside.
    pub shrinking: bool,
    /// Bytes for kernel columns.
    pub cache: u64,
    /// Steps at most.
    pub max_iterations: Option<u64>,
    /// When to stop at the latest.
    pub deadline: Option<Instant>,
}

/// Where a problem starts.
#[derive(Clone, Debug)]
pub struct Problem {
    /// One per row of the matrix.
    pub variables: Vec<Variable>,
    /// The group of each, 0 or 1. Sums within a group stay what they are.
    pub group: Vec<u8>,
    /// K β of where it starts, if that is known.
    pub f: Option<Vec<f64>>,
}

/// Where it ended.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Coefficients.
    pub beta: Vec<f64>,
    /// K β.
    pub f: Vec<f64>,
    /// The slope at which each group is in balance.
    pub balance: Vec<f64>,
    /// How it went.
    pub info: Info,
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Info {
    /// Pairs that were moved.
    pub iterations: u64,
    /// Working sets.
    pub rounds: u64,
    /// The largest violation left.
    pub violation: f64,
    /// The objective.
    pub objective: f64,
    /// How far the objective is from its minimum at most.
    pub gap: f64,
    /// Why it stopped.
    pub stop: Stop,
    /// Kernel columns asked for.
    pub asked: u64,
    /// Of those, the ones at hand.
    pub hits: u64,
}

/// A matrix for which problems are solved, one after the other: kernel values of one serve the next.
pub struct Solver<'a> {
    source: &'a dyn Columns,
    memory: Memory,
}

impl<'a> Solver<'a> {
    /// For problems with matrix `source`.
    pub fn new(source: &'a dyn Columns) -> Self {
        Self { source, memory: Memory::new() }
    }

    /// As `new`, in memory that another solver has left.
    pub fn in_memory(source: &'a dyn Columns, mut memory: Memory) -> Self {
        memory.forget();
        Self { source, memory }
    }

    /// The memory, for another matrix.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Solves a problem.
    pub fn solve(&mut self, ctx: &Context, problem: Problem, params: &Params) -> Result<Solution> {
        let groups = problem.group.iter().max().map_or(1, |&g| usize::from(g) + 1);
        let room = self.memory.make_room(ctx, self.source, groups, params.cache)?;
        let mut all = Scope::all(ctx, self.source, problem)?;
        let mut part: Option<Scope<'_>> = None;
        let mut work = Work::new(ctx, params, room, &mut self.memory, &all)?;
        let (violation, stop) = loop {
            let scope = part.as_mut().unwrap_or(&mut all);
            match work.run(scope)? {
                Outcome::Narrow(places) => part = Some(scope.narrow(&places)),
                Outcome::Stopped(violation, stop) => {
                    if let Some(part) = part.take() {
                        // Not watched: a model that was stopped needs slopes that are right.
                        all.widen(&ctx.unwatched(), &part)?;
                    }
                    break (violation, stop);
                }
                Outcome::Balanced(violation) => match part.take() {
                    None => break (violation, Stop::Converged),
                    Some(part) => match all.widen(ctx, &part) {
                        Err(Error::Interrupted) => {
                            all.widen(&ctx.unwatched(), &part)?;
                            break (violation, Stop::Interrupted);
                        }
                        other => other?,
                    },
                },
            }
            work.turn_to(part.as_ref().unwrap_or(&all))?;
        };
        Ok(solution(all, work.counts(), violation, stop))
    }
}

/// Solves one problem with matrix `source`.
pub fn solve(
    ctx: &Context,
    source: &dyn Columns,
    problem: Problem,
    params: &Params,
) -> Result<Solution> {
    Solver::new(source).solve(ctx, problem, params)
}

fn solution(scope: Scope<'_>, counts: work::Counts, violation: f64, stop: Stop) -> Solution {
    let Scope { variables, f, group, .. } = scope;
    let groups = group.iter().max().map_or(1, |&g| g + 1);
    let objective = variables.iter().zip(&f).map(|(v, f)| 0.5 * v.beta * f + v.cost()).sum();
    let balance: Vec<f64> = (0..groups).map(|g| balance(&variables, &f, &group, g)).collect();
    let gap = gap(&variables, &f, &group, &balance);
    let beta = variables.iter().map(|v| v.beta).collect();
    let work::Counts { iterations, rounds, asked, hits } = counts;
    let info = Info { iterations, rounds, violation, objective, gap, stop, asked, hits };
    Solution { beta, f, balance, info }
}

/// The mean slope of the free coefficients of a group; without any, the middle between those that hold each other.
fn balance(variables: &[Variable], f: &[f64], group: &[u8], g: u8) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    let (mut up, mut down) = (f64::INFINITY, f64::NEG_INFINITY);
    for ((v, f), _) in variables.iter().zip(f).zip(group).filter(|(_, group)| **group == g) {
        if v.is_free() {
            sum += f + v.add_up();
            count += 1;
        }
        up = up.min(f + v.add_up());
        down = down.max(f + v.add_down());
    }
    match count {
        0 if up.is_finite() && down.is_finite() => 0.5 * (up + down),
        0 if up.is_finite() => up,
        0 if down.is_finite() => down,
        0 => 0.0,
        _ => sum / count as f64,
    }
}

/// How far the objective is from its minimum at most. With a price on the sum of each group in place of its being fixed, every
/// coefficient can go where it likes best by itself: to an end of its range, or to its kink. What all of them gain by that is
/// the gap between this objective and the dual one.
fn gap(variables: &[Variable], f: &[f64], group: &[u8], balance: &[f64]) -> f64 {
    let gain = |((v, f), group): ((&Variable, &f64), &u8)| {
        let at = |beta: f64| {
            let moved = Variable { beta, ..*v };
            (balance[usize::from(*group)] - f) * (beta - v.beta) - (moved.cost() - v.cost())
        };
        at(v.lower).max(at(v.upper)).max(at(0.0_f64.clamp(v.lower, v.upper))).max(0.0)
    };
    variables.iter().zip(f).zip(group).map(gain).sum()
}
