//! Working set after working set, on all coefficients or on those that are not set aside.

use std::time::Instant;

use super::assess::objective;
use super::cache::{Cache, Change};
use super::local::{EMPTY, Limits, Local};
use super::moves::Variable;
use super::near::{Near, choose_near};
use super::scope::Scope;
use super::stall::Progress;
use super::working_set::{choose, scan};
use super::{MemoryPlan, Params, Stop};
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Result};
use crate::gram::Columns;
use crate::real::Real;

/// By how much the violation within a working set of all coefficients is to be below the tolerance, so that rounding of
/// scores in single precision does not end it too early.
const INSIDE: f64 = 0.99;
/// Steps at most, in all and for each coefficient: a problem so ill-conditioned that more are needed would go on for days.
/// LIBSVM's own limit, or more.
const MOST_STEPS: (u64, u64) = (10_000_000, 1000);
/// Working sets between two looks for coefficients that can be set aside.
const LOOK_EVERY: u64 = 4;
/// One of so many working sets is chosen from all coefficients, the others from those near each other.
const FROM_ALL: u64 = 4;
/// The share that must be left for setting the others aside to pay.
const WORTH_NARROWING: f64 = 0.8;

/// What comes of working on a scope.
pub enum Outcome {
    /// No pair violates by more than the tolerance.
    Balanced,
    /// These places are not stuck, and they are much fewer.
    Narrow(Vec<usize>),
    /// The solver must stop.
    Stopped(Stop),
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub iterations: u64,
    pub rounds: u64,
    pub asked: u64,
    pub hits: u64,
}

/// The cache of kernel values, kept from problem to problem, and its memory.
pub struct Memory<S> {
    cache: Cache<S>,
    local: Local<S>,
    /// Which coefficients are near each other, if there were too many for one working set.
    near: Option<Near>,
    /// What the local problem was made for, if it was for all coefficients.
    sizes: Option<Vec<usize>>,
    /// What of the budget it is part of.
    reservation: Option<Reservation>,
}

impl<S: Real> Memory<S> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            cache: Cache::new(),
            local: Local::new(),
            near: None,
            sizes: None,
            reservation: None,
        }
    }

    /// Sets aside what a solver for `source` takes, within what is left of the budget.
    pub(super) fn plan(
        &mut self,
        ctx: &Context,
        source: &dyn Columns<S>,
        groups: usize,
        cache: u64,
    ) -> Result<MemoryPlan> {
        let hint = "fit on fewer rows or raise the memory budget";
        let what = "the solver of a support vector machine";
        let mut reservation = match self.reservation.take() {
            Some(reservation) => reservation,
            None => ctx.reserve(what, 0, hint)?,
        };
        let (reach, n, cost) = (reservation.within_reach(), source.size(), source.cost());
        let plan = MemoryPlan::within::<S>(reach, n, groups, cost, cache);
        reservation.extend(what, plan.bytes.saturating_sub(reservation.bytes()), hint)?;
        self.reservation = Some(reservation);
        Ok(plan)
    }

    /// Forgets kernel values, because others are to come.
    pub(super) fn forget(&mut self) {
        self.sizes = None;
        self.near = None;
    }
}

impl<S: Real> Default for Memory<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// A solver at work.
pub struct Work<'a, S> {
    ctx: &'a Context,
    params: &'a Params,
    plan: MemoryPlan,
    memory: &'a mut Memory<S>,
    groups: usize,
    size: usize,
    last: Vec<usize>,
    first_violation: Option<f64>,
    /// On all coefficients, and on those that are worked on now.
    progress: [Progress; 2],
    counts: Counts,
}

impl<'a, S: Real> Work<'a, S> {
    pub fn new(
        ctx: &'a Context,
        params: &'a Params,
        plan: MemoryPlan,
        memory: &'a mut Memory<S>,
        scope: &Scope<'_, S>,
    ) -> Result<Self> {
        let groups = scope.group.iter().max().map_or(1, |&g| usize::from(g) + 1);
        memory.cache.asked = 0;
        memory.cache.hits = 0;
        let mut work = Self {
            ctx,
            params,
            plan,
            memory,
            groups,
            size: 0,
            last: Vec::new(),
            first_violation: None,
            progress: [Progress::new(); 2],
            counts: Counts::default(),
        };
        work.turn_to(scope)?;
        if work.size < scope.rows.len() && work.memory.near.is_none() {
            work.memory.near = match Near::new(ctx, scope.source()) {
                // The solver itself comes to a stop, with coefficients and slopes as they are.
                Err(Error::Interrupted) => None,
                near => Some(near?),
            };
        }
        Ok(work)
    }

    pub fn counts(&self) -> Counts {
        let cache = &self.memory.cache;
        Counts { asked: cache.asked, hits: cache.hits, ..self.counts }
    }

    /// Prepares for a scope. Kernel values for all coefficients are kept if they are there.
    pub fn turn_to(&mut self, scope: &Scope<'_, S>) -> Result<()> {
        let n = scope.rows.len();
        self.last.clear();
        self.size = self.plan.working.min(n);
        if scope.is_narrow() {
            let Counts { iterations, rounds, .. } = self.counts;
            self.progress[1] = Progress::from(iterations, rounds);
        }
        let of_group = |g: usize| {
            let own = scope.group.iter().filter(|&&group| usize::from(group) == g).count();
            own.min(self.size)
        };
        let sizes: Vec<usize> = (0..self.groups).map(of_group).collect();
        let for_all = (!scope.is_narrow()).then_some(sizes.clone());
        if for_all.is_none() || for_all != self.memory.sizes {
            // There is room for entries that cost much: others are computed anew in less time than fresh memory takes.
            self.memory.cache.restart(n, self.plan.cache);
            self.memory.local.reset(&sizes)?;
            self.memory.sizes = for_all;
        }
        Ok(())
    }

    /// Works on a scope until it is balanced, can be narrowed, or must be left.
    pub fn run(&mut self, scope: &mut Scope<'_, S>) -> Result<Outcome> {
        loop {
            let extremes = scan(&scope.variables, &scope.f, &scope.group, self.groups);
            let violation = extremes.iter().map(|e| e.violation()).fold(0.0, f64::max);
            if violation <= self.params.tolerance {
                return Ok(Outcome::Balanced);
            }
            if let Some(stop) = self.must_stop(scope, violation) {
                return Ok(Outcome::Stopped(stop));
            }
            if self.params.shrinking && scope.rows.len() > self.size && self.is_time_to_look() {
                let unstuck = scope.unstuck(&extremes);
                if unstuck.len() as f64 <= WORTH_NARROWING * scope.rows.len() as f64 {
                    return Ok(Outcome::Narrow(unstuck));
                }
            }
            let Scope { variables, f, group, rows, .. } = &*scope;
            let chosen = match &self.memory.near {
                Some(near)
                    if !self.counts.rounds.is_multiple_of(FROM_ALL) && self.size < rows.len() =>
                {
                    let problem = (&variables[..], &f[..], &group[..]);
                    choose_near(problem, &extremes, (near, rows), &self.last, self.size)
                }
                _ => choose(variables, f, group, &extremes, &self.last, self.size),
            };
            match self.improve(scope, &chosen, violation) {
                Err(Error::Interrupted) => {
                    return Ok(Outcome::Stopped(Stop::Interrupted));
                }
                other => other?,
            }
        }
    }

    fn is_time_to_look(&self) -> bool {
        self.counts.rounds % LOOK_EVERY == LOOK_EVERY - 1
    }

    /// Solves the problem of the chosen coefficients, and brings slopes up to date.
    fn improve(
        &mut self,
        scope: &mut Scope<'_, S>,
        chosen: &[Vec<usize>],
        violation: f64,
    ) -> Result<()> {
        self.memory.local.set(scope.source(), chosen, &scope.variables, &scope.f)?;
        let left = self.params.max_iterations.map_or(u64::MAX, |m| m - self.counts.iterations);
        let is_all = self.size == scope.rows.len();
        let tolerance = self.params.tolerance;
        let limits = Limits {
            tolerance: if is_all { INSIDE * tolerance } else { 0.1 * violation.max(tolerance) },
            iterations: left.min(100 * self.size as u64),
        };
        self.counts.iterations += self.memory.local.solve(&limits);
        self.counts.rounds += 1;
        if is_all {
            self.memory.local.write_slopes(&mut scope.f);
            self.take_over(&mut scope.variables);
            return Ok(());
        }
        let mut f = scope.f.clone();
        let changes = self.changes(&scope.variables);
        match scope.apart() {
            Some(apart) => {
                self.memory.cache.asked += changes.len() as u64;
                apart.apply(self.ctx, scope.source(), &changes, &mut f)?;
            }
            None => self.memory.cache.apply(self.ctx, scope.source(), &changes, &mut f)?,
        }
        // Only now: interrupted, coefficients and slopes stay as they were.
        scope.f = f;
        self.take_over(&mut scope.variables);
        Ok(())
    }

    fn take_over(&self, variables: &mut [Variable]) {
        let local = &self.memory.local;
        let inside =
            local.places.iter().zip(&local.variables).filter(|(place, _)| **place != EMPTY);
        inside.for_each(|(&place, after)| variables[place] = *after);
    }

    /// How the coefficients of the working set differ from what they were.
    fn changes(&mut self, variables: &[Variable]) -> Vec<Change> {
        let local = &self.memory.local;
        let inside =
            local.places.iter().zip(&local.variables).filter(|(place, _)| **place != EMPTY);
        self.last.clear();
        self.last.extend(inside.clone().map(|(place, _)| *place));
        let change = |(&column, after): (&usize, &Variable)| {
            let by = after.beta - variables[column].beta;
            (by != 0.0).then_some(Change { column, by })
        };
        inside.filter_map(change).collect()
    }

    fn must_stop(&mut self, scope: &Scope<'_, S>, violation: f64) -> Option<Stop> {
        if self.params.max_iterations.is_some_and(|most| self.counts.iterations >= most) {
            return Some(Stop::Iterations);
        }
        if self.params.deadline.is_some_and(|end| Instant::now() >= end) {
            return Some(Stop::Time);
        }
        if self.has_stalled(scope, violation) {
            return Some(Stop::Stalled);
        }
        let first = *self.first_violation.get_or_insert(violation);
        let done = (first / violation).ln().max(0.0);
        let total = (first / self.params.tolerance).ln();
        let step = Step::converging("support vectors", done, total, violation);
        let step = Step { message: Some(scope.words(violation)), ..step };
        self.ctx.step(step).is_err().then_some(Stop::Interrupted)
    }

    fn has_stalled(&mut self, scope: &Scope<'_, S>, violation: f64) -> bool {
        let n = scope.rows.len();
        let Counts { iterations, rounds, .. } = self.counts;
        let objective = || objective(&scope.variables, &scope.f);
        let progress = &mut self.progress[usize::from(scope.is_narrow())];
        progress.has_ended(n, (iterations, rounds), violation, objective)
            || iterations > MOST_STEPS.0.max(MOST_STEPS.1 * n as u64)
    }
}
