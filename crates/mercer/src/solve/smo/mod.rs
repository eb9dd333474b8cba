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
mod scope;
mod working_set;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::context::{Context, Step};
use crate::error::Result;
use crate::gram::Columns;
use cache::{Cache, Change};
use local::{EMPTY, Limits, Local};
pub use moves::Variable;
use scope::Scope;
use working_set::{choose, scan};

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
    /// Why it stopped.
    pub stop: Stop,
    /// Kernel columns asked for.
    pub asked: u64,
    /// Of those, the ones at hand.
    pub hits: u64,
}

/// Coefficients that are worked on at a time, at most.
pub static WS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(2048);

/// Solves the problem with matrix `source`.
pub fn solve(
    ctx: &Context,
    source: &dyn Columns,
    problem: Problem,
    params: &Params,
) -> Result<Solution> {
    let Problem { variables, group } = problem;
    let mut all = Scope::all(ctx, source, variables, group)?;
    let mut work = Work::new(ctx, params, &all);
    let mut part: Option<Scope<'_>> = None;
    let (violation, stop) = loop {
        let scope = part.as_mut().unwrap_or(&mut all);
        match work.run(scope)? {
            Outcome::Narrow(places) => part = Some(scope.narrow(&places)),
            Outcome::Stopped(violation, stop) => {
                if let Some(part) = part.take() {
                    // Not watched: a model that was stopped needs slopes that are right.
                    all.widen(&Context::new(ctx.threads()), &part)?;
                }
                break (violation, stop);
            }
            Outcome::Balanced(violation) => match part.take() {
                None => break (violation, Stop::Converged),
                Some(part) => all.widen(ctx, &part)?,
            },
        }
        work.restart(part.as_ref().unwrap_or(&all));
    };
    if std::env::var("SMO_TIME").is_ok() {
        eprintln!(
            "n {} rounds {} its {} asked {} hits {} times {:.2?}",
            source.size(),
            work.rounds,
            work.iterations,
            work.cache.asked,
            work.cache.hits,
            work.times
        );
    }
    let Scope { variables, f, group, .. } = all;
    let groups = work.groups;
    let objective = variables.iter().zip(&f).map(|(v, f)| 0.5 * v.beta * f + v.cost()).sum();
    let balance = (0..groups).map(|g| balance(&variables, &f, &group, g as u8)).collect();
    let beta = variables.iter().map(|v| v.beta).collect();
    let info = Info {
        iterations: work.iterations,
        rounds: work.rounds,
        violation,
        objective,
        stop,
        asked: work.cache.asked,
        hits: work.cache.hits,
    };
    Ok(Solution { beta, f, balance, info })
}

/// What comes of working on a scope.
enum Outcome {
    /// No pair violates by more than the tolerance.
    Balanced(f64),
    /// These places are not stuck, and they are much fewer.
    Narrow(Vec<usize>),
    /// The solver must stop.
    Stopped(f64, Stop),
}

/// What is kept from working set to working set.
struct Work<'a> {
    ctx: &'a Context,
    params: &'a Params,
    groups: usize,
    cache: Cache,
    local: Local,
    size: usize,
    last: Vec<usize>,
    first: Option<f64>,
    iterations: u64,
    rounds: u64,
    times: [f64; 4],
}

impl<'a> Work<'a> {
    fn new(ctx: &'a Context, params: &'a Params, scope: &Scope<'_>) -> Self {
        let groups = scope.group.iter().max().map_or(1, |&g| usize::from(g) + 1);
        let mut work = Self {
            ctx,
            params,
            groups,
            cache: Cache::new(0, 0),
            local: Local::new(&[]),
            size: 0,
            last: Vec::new(),
            first: None,
            iterations: 0,
            rounds: 0,
            times: [0.0; 4],
        };
        work.restart(scope);
        work
    }

    /// Prepares for another scope.
    fn restart(&mut self, scope: &Scope<'_>) {
        let n = scope.rows.len();
        self.cache.restart(n, self.params.cache);
        self.size = WS.load(std::sync::atomic::Ordering::Relaxed).min(n);
        let of_group = |g: usize| {
            let own = scope.group.iter().filter(|&&group| usize::from(group) == g).count();
            own.min(self.size)
        };
        let sizes: Vec<usize> = (0..self.groups).map(of_group).collect();
        self.local = Local::new(&sizes);
        self.last.clear();
    }

    /// Works on a scope until it is balanced, can be narrowed, or must be left.
    fn run(&mut self, scope: &mut Scope<'_>) -> Result<Outcome> {
        let params = self.params;
        loop {
            let t0 = Instant::now();
            let extremes = scan(&scope.variables, &scope.f, &scope.group, self.groups);
            let violation = extremes.iter().map(|e| e.violation()).fold(0.0, f64::max);
            if violation <= params.tolerance {
                return Ok(Outcome::Balanced(violation));
            }
            if let Some(stop) = self.must_stop(violation) {
                return Ok(Outcome::Stopped(violation, stop));
            }
            if params.shrinking && self.rounds % 4 == 3 && scope.rows.len() > 2 * self.size {
                let unstuck = scope.unstuck(&extremes);
                if std::env::var("SMO_TRACE").is_ok() {
                    eprintln!("unstuck {} of {}", unstuck.len(), scope.rows.len());
                }
                if unstuck.len() <= scope.rows.len() * 6 / 10 {
                    return Ok(Outcome::Narrow(unstuck));
                }
            }
            let chosen =
                choose(&scope.variables, &scope.f, &scope.group, &extremes, &self.last, self.size);
            let t1 = Instant::now();
            self.local.set(scope.source(), &chosen, &scope.variables, &scope.f)?;
            let t2 = Instant::now();
            let left = params.max_iterations.map_or(u64::MAX, |most| most - self.iterations);
            let limits = Limits {
                tolerance: (0.1 * violation).max(0.1 * params.tolerance),
                iterations: left.min(100 * self.size as u64),
            };
            let its = self.local.solve(&limits);
            self.iterations += its;
            self.rounds += 1;
            let t3 = Instant::now();
            let changes = self.take_over(&mut scope.variables);
            let mut f = std::mem::take(&mut scope.f);
            let applied = self.cache.apply(self.ctx, scope.source(), &changes, &mut f);
            scope.f = f;
            applied?;
            let t4 = Instant::now();
            for (t, d) in self.times.iter_mut().zip([t1 - t0, t2 - t1, t3 - t2, t4 - t3]) {
                *t += d.as_secs_f64();
            }
            if std::env::var("SMO_TRACE").is_ok() {
                eprintln!(
                    "round {} n {} viol {violation:.2e} its {its} changes {} hits {}/{}",
                    self.rounds,
                    scope.rows.len(),
                    changes.len(),
                    self.cache.hits,
                    self.cache.asked
                );
            }
        }
    }

    fn must_stop(&mut self, violation: f64) -> Option<Stop> {
        if self.params.max_iterations.is_some_and(|most| self.iterations >= most) {
            return Some(Stop::Iterations);
        }
        if self.params.deadline.is_some_and(|end| Instant::now() >= end) {
            return Some(Stop::Time);
        }
        let first = *self.first.get_or_insert(violation);
        let done = (first / violation).ln().max(0.0);
        let total = (first / self.params.tolerance).ln();
        let step = Step { stage: "support vectors", done, total, residual: Some(violation) };
        self.ctx.step(step).is_err().then_some(Stop::Interrupted)
    }

    /// What became of the variables of the working set.
    fn take_over(&mut self, variables: &mut [Variable]) -> Vec<Change> {
        let mut changes = Vec::new();
        self.last.clear();
        for (&place, after) in self.local.places.iter().zip(&self.local.variables) {
            if place == EMPTY {
                continue;
            }
            self.last.push(place);
            let by = after.beta - variables[place].beta;
            if by != 0.0 {
                changes.push(Change { column: place, by });
                variables[place] = *after;
            }
        }
        changes
    }
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
