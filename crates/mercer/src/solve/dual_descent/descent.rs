//! Coordinate descent on some of the coefficients, all others held where they are.

use super::features::Chosen;
use super::{Search, active::violation};
use crate::context::{Context, Stream};
use crate::error::{Error, Result};
use crate::linalg::rows::{add_scaled, dot};
use crate::solve::smo::{Stop, Variable};
use std::time::Instant;

/// Visits between two looks at whether to stop.
const POLL: usize = 2048;
/// Sweeps of a round at most.
const SWEEPS: usize = 2000;
/// Free coefficients are moved together once as many products with their matrix would cost no more than the sweeps since the last time.
const PRODUCTS: usize = 20;

/// How a round ended.
pub enum End {
    /// Its coefficients are in balance.
    Balanced,
    /// The whole search is to end.
    Stopped(Stop),
}

/// The problem of a round.
pub struct Descent<'a> {
    pub(super) features: Chosen<'a>,
    pub(super) variables: Vec<Variable>,
    pub(super) group: Vec<u8>,
    squares: Vec<f64>,
    pub(super) w: Vec<f64>,
    /// What a unit of each group's sum costs, less the penalty.
    pub(super) price: Vec<f64>,
    /// What the coefficients of each group sum up to beyond what they should.
    pub(super) excess: Vec<f64>,
    pub(super) penalty: f64,
    pub(super) tolerance: f64,
    /// Steps: coefficients that were moved.
    pub(super) steps: u64,
    most_steps: Option<u64>,
    deadline: Option<Instant>,
    visited: usize,
}

impl<'a> Descent<'a> {
    /// From where the search stands, whose sums of groups are right.
    pub(super) fn new(
        search: &Search<'_>,
        places: &[usize],
        features: Chosen<'a>,
        tolerance: f64,
    ) -> Self {
        let all = search.features.squares();
        let squares: Vec<f64> = places.iter().map(|&v| all[search.rows[v]]).collect();
        let penalty = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
        let most = search.params.max_iterations;
        Self {
            features,
            variables: places.iter().map(|&v| search.problem.variables[v]).collect(),
            group: places.iter().map(|&v| search.problem.group[v]).collect(),
            squares,
            w: search.w.clone(),
            price: search.assessment.balance.iter().map(|balance| -balance).collect(),
            excess: vec![0.0; search.sums.len()],
            penalty: if penalty > 0.0 { penalty } else { 1.0 },
            tolerance,
            steps: 0,
            most_steps: most.map(|most| most.saturating_sub(search.steps)),
            deadline: search.params.deadline,
            visited: 0,
        }
    }

    /// Sweeps until nothing violates the optimality conditions by more than the tolerance.
    pub fn run(&mut self, ctx: &Context, stream: &mut Stream) -> Result<End> {
        let mut alive: Vec<usize> = (0..self.variables.len()).collect();
        let mut limit = f64::INFINITY;
        // Rows that were read since free coefficients were moved together.
        let mut read = 0;
        for _ in 0..SWEEPS {
            read += alive.len();
            let are_all = alive.len() == self.variables.len();
            let worst = match self.sweep(ctx, stream, &mut alive, limit)? {
                Ok(worst) => worst,
                Err(stop) => return Ok(End::Stopped(stop)),
            };
            if worst <= self.tolerance {
                if are_all {
                    return Ok(End::Balanced);
                }
                alive = (0..self.variables.len()).collect();
                limit = f64::INFINITY;
                continue;
            }
            limit = worst;
            let free = self.variables.iter().filter(|v| v.is_free()).count().max(1);
            if read >= 2 * PRODUCTS * free {
                self.newton(ctx, stream, read / (2 * free))?;
                read = 0;
            }
        }
        Ok(End::Balanced)
    }

    /// Visits every coefficient of `alive` once, and takes those out that will not move. Returns the largest violation that it met.
    fn sweep(
        &mut self,
        ctx: &Context,
        stream: &mut Stream,
        alive: &mut Vec<usize>,
        limit: f64,
    ) -> Result<std::result::Result<f64, Stop>> {
        let mut worst: f64 = 0.0;
        let mut at = 0;
        while at < alive.len() {
            let other = at + stream.below(alive.len() - at);
            alive.swap(at, other);
            let excess = self.visit(alive[at]);
            worst = worst.max(excess);
            match excess < -limit {
                true => drop(alive.swap_remove(at)),
                false => at += 1,
            }
            self.visited += 1;
            if self.visited.is_multiple_of(POLL)
                && let Some(stop) = self.spent(ctx)?
            {
                return Ok(Err(stop));
            }
        }
        for (price, excess) in self.price.iter_mut().zip(&self.excess) {
            *price += self.penalty * excess;
            worst = worst.max(self.penalty * excess.abs());
        }
        Ok(Ok(worst))
    }

    fn spent(&self, ctx: &Context) -> Result<Option<Stop>> {
        match ctx.poll() {
            Err(Error::Interrupted) => return Ok(Some(Stop::Interrupted)),
            other => other?,
        }
        let steps = self.most_steps.is_some_and(|most| self.steps >= most);
        let time = self.deadline.is_some_and(|end| Instant::now() >= end);
        Ok(match (steps, time) {
            (true, _) => Some(Stop::Iterations),
            (_, true) => Some(Stop::Time),
            _ => None,
        })
    }

    /// Moves a coefficient to its own optimum, and returns by how much it violated the optimality conditions.
    fn visit(&mut self, i: usize) -> f64 {
        let row = self.features.row(i);
        let mut slope = 0.0;
        dot(row, &self.w, &mut slope);
        slope += self.cost_of_sum(i);
        let v = &mut self.variables[i];
        let excess = violation(v, slope);
        if excess <= 0.0 {
            return excess;
        }
        let curvature = self.squares[i] + self.penalty;
        let before = v.beta;
        let up = slope + v.add_up();
        match up < 0.0 {
            true => v.rise((-up / curvature).min(v.room_up())),
            false => v.fall(((slope + v.add_down()) / curvature).min(v.room_down())),
        }
        let by = v.beta - before;
        if by != 0.0 {
            add_scaled(row, by, &mut self.w);
            self.excess[usize::from(self.group[i])] += by;
            self.steps += 1;
        }
        excess
    }

    /// What a unit of a coefficient costs by the sum of its group.
    pub(super) fn cost_of_sum(&self, i: usize) -> f64 {
        let g = usize::from(self.group[i]);
        self.price[g] + self.penalty * self.excess[g]
    }
}
