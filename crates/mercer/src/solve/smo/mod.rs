//! The quadratic problem of support vector machines:
//!
//! ```text
//! minimise ½ βᵀKβ + Σ linear_i β_i + kink_i |β_i|     lower_i ≤ β_i ≤ upper_i,     Σ β fixed in each group
//! ```
//!
//! Two levels. Outside, the few hundred coefficients that violate the optimality conditions most are chosen; inside, their
//! own small problem is solved by moving two coefficients at a time, chosen by second-order information. Only kernel
//! columns of coefficients that moved are needed, in numbers of either type; slopes are kept in double. The outcome is that
//! of LIBSVM, whose stopping rule is used. Where that takes many steps, all free coefficients are moved together now and
//! then (`newton`).
//!
//! Slopes that are brought up to date again and again drift, and a solver that believes them certifies itself. What is
//! reported of a solution is therefore an [`Assessment`] of slopes that were computed anew ([`slopes`]).

mod apart;
mod assess;
mod cache;
mod local;
mod memory_plan;
mod moves;
mod near;
mod newton;
mod scope;
mod stall;
mod work;
mod working_set;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::Columns;
use crate::real::Real;
pub use assess::Assessment;
use cache::{Change, apply_once};
pub use memory_plan::MemoryPlan;
pub use moves::Variable;
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
    /// Neither the objective nor the violation falls any more: rounding, or a problem without an optimum.
    Stalled,
    /// The classes of a nu-SVC overlap more than nu allows for: all decisions are 0, but for rounding.
    NoMargin,
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
    pub variables: Vec<Variable>,
    /// K β, as the solver kept it.
    pub f: Vec<f64>,
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
    /// Why it stopped.
    pub stop: Stop,
    /// Kernel columns asked for.
    pub asked: u64,
    /// Of those, the cache hits.
    pub hits: u64,
}

/// A matrix for which problems are solved, one after the other: kernel values of one serve the next.
pub struct Solver<'a, S> {
    source: &'a dyn Columns<S>,
    memory: Memory<S>,
}

impl<'a, S: Real> Solver<'a, S> {
    /// For problems with matrix `source`.
    pub fn new(source: &'a dyn Columns<S>) -> Self {
        Self { source, memory: Memory::new() }
    }

    /// As `new`, in memory that another solver has left.
    pub fn in_memory(source: &'a dyn Columns<S>, mut memory: Memory<S>) -> Self {
        memory.forget();
        Self { source, memory }
    }

    /// The memory, for another matrix.
    pub fn into_memory(self) -> Memory<S> {
        self.memory
    }

    /// Gives memory back that another solver needs.
    pub fn release(&mut self) {
        self.memory = Memory::new();
    }

    /// Numbers that are read for one entry of the matrix.
    pub fn cost_per_entry(&self) -> usize {
        self.source.cost().eval_cost
    }

    /// Solves a problem.
    pub fn solve(&mut self, ctx: &Context, problem: Problem, params: &Params) -> Result<Solution> {
        let groups = problem.group.iter().max().map_or(1, |&g| usize::from(g) + 1);
        let plan = self.memory.plan(ctx, self.source, groups, params.cache)?;
        let mut all = Scope::all(ctx, self.source, problem)?;
        let mut part: Option<Scope<'_, S>> = None;
        let mut work = Work::new(ctx, params, plan, &mut self.memory, &all)?;
        let stop = loop {
            let scope = part.as_mut().unwrap_or(&mut all);
            match work.run(scope)? {
                Outcome::Narrow(places) => part = Some(scope.narrow(&places)),
                Outcome::Stopped(stop) => {
                    if let Some(part) = part.take() {
                        // Not watched: a model that was stopped needs slopes that are right.
                        all.widen(&ctx.unwatched(), &part)?;
                    }
                    break stop;
                }
                Outcome::Balanced => match part.take() {
                    None => break Stop::Converged,
                    Some(part) => match all.widen(ctx, &part) {
                        Err(Error::Interrupted) => {
                            all.widen(&ctx.unwatched(), &part)?;
                            break Stop::Interrupted;
                        }
                        other => other?,
                    },
                },
            }
            work.turn_to(part.as_ref().unwrap_or(&all))?;
        };
        Ok(solution(all, work.counts(), stop))
    }
}

/// Solves one problem with matrix `source`.
pub fn solve<S: Real>(
    ctx: &Context,
    source: &dyn Columns<S>,
    problem: Problem,
    params: &Params,
) -> Result<Solution> {
    Solver::new(source).solve(ctx, problem, params)
}

fn solution<S>(scope: Scope<'_, S>, counts: work::Counts, stop: Stop) -> Solution {
    let work::Counts { iterations, rounds, asked, hits } = counts;
    let info = Info { iterations, rounds, stop, asked, hits };
    Solution { variables: scope.variables, f: scope.f, info }
}

/// The first `rows` numbers of K β, where β has these columns and is 0 elsewhere.
pub fn slopes<S: Real>(
    ctx: &Context,
    source: &dyn Columns<S>,
    beta: &[(usize, f64)],
    rows: usize,
) -> Result<Vec<f64>> {
    let changes: Vec<Change> = beta.iter().map(|&(column, by)| Change { column, by }).collect();
    let mut f = vec![0.0; rows];
    apply_once(ctx, source, &changes, &mut f)?;
    Ok(f)
}
