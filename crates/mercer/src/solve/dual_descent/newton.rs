//! All free coefficients are moved together: conjugate gradients on their own problem, in which the sums of groups are what they must be. A step is cut at the ends of the
//! ranges of coefficients, and what is still free goes on, until a step needs no cut.

use super::descent::Descent;
use crate::context::{Context, Stream};
use crate::error::Result;
use crate::solve::smo::Variable;

/// Free coefficients that are moved together at most: a random choice of them beyond.
const MOST: usize = 8192;
/// The largest slope that conjugate gradients leave, in tolerances of the round.
const LEFT: f64 = 0.1;
/// Curvature below this share of the largest met is none.
const FLAT: f64 = 1e-11;

/// The free coefficients of a step.
struct Free {
    places: Vec<usize>,
    /// The group of each.
    group: Vec<usize>,
    /// How many each group has.
    counts: Vec<f64>,
    /// The slope of each, but for the price of sums.
    slopes: Vec<f64>,
}

/// Where conjugate gradients ended.
struct Direction {
    /// The change of each coefficient.
    by: Vec<f64>,
    /// The price of the sum of each group after that change.
    price: Vec<f64>,
    /// Whether slopes are 0 there.
    is_solved: bool,
    /// A direction without curvature in which the objective falls.
    flat: Option<Vec<f64>>,
}

impl Free {
    /// Takes the mean off the numbers of each group, and returns the means.
    fn centre(&self, values: &mut [f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.counts.len()];
        values.iter().zip(&self.group).for_each(|(v, &g)| means[g] += v / self.counts[g]);
        values.iter_mut().zip(&self.group).for_each(|(v, &g)| *v -= means[g]);
        means
    }
}

impl Descent<'_> {
    /// Moves free coefficients to the optimum of their own problem, or towards it, by at most so many products with their matrix.
    pub(super) fn newton(
        &mut self,
        ctx: &Context,
        stream: &mut Stream,
        products: usize,
    ) -> Result<()> {
        let mut left = products;
        while left > 0 {
            let Some(free) = self.free(ctx, stream) else { break };
            let direction = self.conjugate_gradients(ctx, &free, &mut left)?;
            let is_whole = self.go(ctx, &free, &direction.by, 1.0);
            if is_whole == Some(true) && direction.is_solved {
                let each = self.price.iter_mut().zip(&direction.price).zip(&free.counts);
                // A group without free coefficients has the price that it had.
                each.filter(|(_, count)| **count > 0.0).for_each(|((old, new), _)| *old = *new);
                break;
            }
            let along = direction.flat.and_then(|flat| self.go(ctx, &free, &flat, f64::INFINITY));
            if is_whole.is_none() && along.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn free(&self, ctx: &Context, stream: &mut Stream) -> Option<Free> {
        let mut places: Vec<usize> =
            (0..self.variables.len()).filter(|&i| self.variables[i].is_free()).collect();
        if places.len() > MOST {
            places = stream.sample(places.len(), MOST).into_iter().map(|k| places[k]).collect();
        }
        let group: Vec<usize> = places.iter().map(|&i| usize::from(self.group[i])).collect();
        let mut counts = vec![0.0; self.excess.len()];
        group.iter().for_each(|&g| counts[g] += 1.0);
        let mut slopes = vec![0.0; places.len()];
        self.features.products(ctx, &places, &self.w, &mut slopes);
        let each = slopes.iter_mut().zip(&places);
        each.for_each(|(f, &i)| *f += self.variables[i].add_up());
        (places.len() >= 2).then_some(Free { places, group, counts, slopes })
    }

    /// The direction d with the least slopesᵀd + ½ ‖Φᵀd‖² among those that bring the sum of each group to what it must be.
    fn conjugate_gradients(
        &self,
        ctx: &Context,
        free: &Free,
        left: &mut usize,
    ) -> Result<Direction> {
        let mut by: Vec<f64> =
            free.group.iter().map(|&g| -self.excess[g] / free.counts[g]).collect();
        let (change, _) = self.times(ctx, free, &by);
        let mut r: Vec<f64> = free.slopes.iter().zip(&change).map(|(f, by)| -f - by).collect();
        let mut price = free.centre(&mut r);
        let mut p = r.clone();
        let mut square = dot(&r, &r);
        let mut largest: f64 = 0.0;
        while *left > 0 {
            if r.iter().all(|r| r.abs() <= LEFT * self.tolerance) {
                return Ok(Direction { by, price, is_solved: true, flat: None });
            }
            ctx.poll()?;
            *left -= 1;
            let (mut ap, curved) = self.times(ctx, free, &p);
            let means = free.centre(&mut ap);
            let length = dot(&p, &p);
            largest = largest.max(curved / length);
            if curved <= FLAT * largest * length || curved.is_nan() {
                return Ok(Direction { by, price, is_solved: false, flat: Some(p) });
            }
            let step = square / curved;
            by.iter_mut().zip(&p).for_each(|(d, p)| *d += step * p);
            r.iter_mut().zip(&ap).for_each(|(r, a)| *r -= step * a);
            price.iter_mut().zip(&means).for_each(|(price, mean)| *price -= step * mean);
            let next = dot(&r, &r);
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + next / square * *p);
            square = next;
        }
        Ok(Direction { by, price, is_solved: false, flat: None })
    }

    /// ΦΦᵀp, and pᵀΦΦᵀp.
    fn times(&self, ctx: &Context, free: &Free, p: &[f64]) -> (Vec<f64>, f64) {
        let change = self.change(ctx, free, p);
        let mut product = vec![0.0; p.len()];
        self.features.products(ctx, &free.places, &change.w, &mut product);
        (product, dot(&change.w, &change.w))
    }

    fn change(&self, ctx: &Context, free: &Free, by: &[f64]) -> Change {
        let beta: Vec<(usize, f64)> = free.places.iter().copied().zip(by.iter().copied()).collect();
        let mut sums = vec![0.0; self.excess.len()];
        free.group.iter().zip(by).for_each(|(&g, by)| sums[g] += by);
        Change { w: self.features.sum(ctx, &beta, self.w.len()), sums }
    }

    /// Goes `most` times the way of a direction if nothing is at an end before; else with all cut at their ends, or only to the first end, if the
    /// objective falls. Whether it went the whole way; none if it went nowhere.
    fn go(&mut self, ctx: &Context, free: &Free, direction: &[f64], most: f64) -> Option<bool> {
        let room = |(&i, d): (&usize, &f64)| {
            let v = &self.variables[i];
            let room = if *d > 0.0 { v.room_up() } else { v.room_down() };
            if *d == 0.0 { f64::INFINITY } else { room / d.abs() }
        };
        let first = free.places.iter().zip(direction).map(room).fold(f64::INFINITY, f64::min);
        let shares = match first >= most {
            true => [most, 0.0],
            false => [most.min(1e3 * first), first],
        };
        for share in shares.into_iter().filter(|share| *share > 0.0 && share.is_finite()) {
            let ends: Vec<Variable> = (free.places.iter().zip(direction))
                .map(|(&i, d)| towards(self.variables[i], share * d))
                .collect();
            let each = ends.iter().zip(&free.places);
            let by: Vec<f64> = each.map(|(v, &i)| v.beta - self.variables[i].beta).collect();
            let change = self.change(ctx, free, &by);
            let is_whole = first >= most;
            if is_whole || dot(&free.slopes, &by) + self.cost_of(&change) < 0.0 {
                self.apply(free, ends, &change);
                return Some(is_whole);
            }
        }
        None
    }

    fn apply(&mut self, free: &Free, ends: Vec<Variable>, change: &Change) {
        free.places.iter().zip(ends).for_each(|(&i, end)| self.variables[i] = end);
        self.w.iter_mut().zip(&change.w).for_each(|(w, by)| *w += by);
        self.excess.iter_mut().zip(&change.sums).for_each(|(sum, by)| *sum += by);
        self.steps += free.places.len() as u64;
    }

    /// What a change costs beside slopes: its curvature, and the sums of groups at their prices.
    fn cost_of(&self, change: &Change) -> f64 {
        let sums = change.sums.iter().zip(&self.excess).zip(&self.price);
        let sums =
            sums.map(|((by, excess), price)| by * (price + self.penalty * (excess + 0.5 * by)));
        0.5 * dot(&change.w, &change.w) + sums.sum::<f64>()
    }
}

/// What a change of coefficients does: Φᵀδ, and the sums of δ over groups.
struct Change {
    w: Vec<f64>,
    sums: Vec<f64>,
}

/// A coefficient moved by `by`, or as far as its slope is the same.
fn towards(mut v: Variable, by: f64) -> Variable {
    super::moved(&mut v, by);
    v
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
