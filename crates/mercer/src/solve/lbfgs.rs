//! The least value of a smooth function in a box.
//!
//! Given f: Rᵖ → R with its gradient, and bounds l ≤ z ≤ u, find a z where no step within the box leads downhill to first order:
//! the projected gradient P(z − g) − z vanishes.
//!
//! ```text
//! repeat  p ← −H g on coordinates that are free, 0 on those at a bound that g presses against   (H: L-BFGS)
//!         z ← P(z + a p), a halved until f falls by a share of what the gradient promises
//! until   ‖P(z − g) − z‖∞ ≤ tol · max(1, |f|)
//! ```
//!
//! A trial where f is not finite counts as uphill.

use std::collections::VecDeque;

use crate::error::Result;

/// What to reach.
#[derive(Clone, Debug)]
pub struct Params {
    /// The projected gradient to reach, relative to max(1, |f|).
    pub tolerance: f64,
    /// Evaluations of the function at most.
    pub max_evaluations: usize,
    /// How far a step may move a coordinate.
    pub longest: f64,
    /// Lower and upper bound of each coordinate.
    pub bounds: Vec<(f64, f64)>,
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Info {
    /// The least value found.
    pub value: f64,
    /// The largest entry of the projected gradient there.
    pub residual: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
    /// Evaluations of the function.
    pub evaluations: usize,
}

/// Pairs of steps that are remembered.
const PAIRS: usize = 10;

/// The share of the promised fall that a step must bring.
const ARMIJO: f64 = 1e-4;

/// Halvings of a step at most.
const HALVINGS: usize = 30;

/// Minimises `f`, which gives value and gradient, from `start`, which lies in the box and has a finite value.
pub fn minimize(
    start: Vec<f64>,
    params: &Params,
    mut f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
) -> Result<(Vec<f64>, Info)> {
    let (mut z, mut pairs) = (start, Pairs::default());
    let (mut value, mut gradient) = f(&z)?;
    let mut evaluations = 1;
    loop {
        let residual = residual(&z, &gradient, &params.bounds);
        let converged = residual <= params.tolerance * value.abs().max(1.0);
        let info = Info { value, residual, converged, evaluations };
        if converged || evaluations >= params.max_evaluations {
            return Ok((z, info));
        }
        let mut step = pairs.direction(&z, &gradient, &params.bounds);
        // Where nothing is known of the curvature, a small step.
        let most = if pairs.is_empty() { 0.3 * params.longest } else { params.longest };
        let largest = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
        step.iter_mut().for_each(|s| *s /= (largest / most).max(1.0));
        let search = Search { z: &z, value, gradient: &gradient, bounds: &params.bounds };
        let Some(next) = search.along(&step, params, &mut evaluations, &mut f)? else {
            if pairs.is_empty() {
                return Ok((z, Info { evaluations, ..info }));
            }
            // What was remembered misled: once more along the gradient.
            pairs = Pairs::default();
            continue;
        };
        pairs.remember(&z, &next.z, &gradient, &next.gradient);
        (z, value, gradient) = (next.z, next.value, next.gradient);
    }
}

/// The largest entry of P(z − g) − z.
fn residual(z: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> f64 {
    let entry =
        |((z, g), (low, high)): ((&f64, &f64), &(f64, f64))| ((z - g).clamp(*low, *high) - z).abs();
    let entries = z.iter().zip(gradient).zip(bounds).map(entry);
    // Not `max`, which would pass over what is not a number.
    entries.fold(0.0, |most, entry| if entry > most || entry.is_nan() { entry } else { most })
}

/// Whether a coordinate is at a bound that the gradient presses it against.
fn is_held(z: f64, g: f64, (low, high): (f64, f64)) -> bool {
    (z <= low && g >= 0.0) || (z >= high && g <= 0.0)
}

struct Point {
    z: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

struct Search<'a> {
    z: &'a [f64],
    value: f64,
    gradient: &'a [f64],
    bounds: &'a [(f64, f64)],
}

impl Search<'_> {
    /// The first point along `step`, bent into the box, at which the function has fallen enough.
    fn along(
        &self,
        step: &[f64],
        params: &Params,
        evaluations: &mut usize,
        f: &mut impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Option<Point>> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            if *evaluations >= params.max_evaluations {
                return Ok(None);
            }
            let place = |((z, s), (low, high)): ((&f64, &f64), &(f64, f64))| {
                (z + share * s).clamp(*low, *high)
            };
            let z: Vec<f64> = self.z.iter().zip(step).zip(self.bounds).map(place).collect();
            let moved: Vec<f64> = z.iter().zip(self.z).map(|(to, from)| to - from).collect();
            let slope = dot(self.gradient, &moved);
            if slope >= 0.0 {
                return Ok(None);
            }
            let (value, gradient) = f(&z)?;
            *evaluations += 1;
            if value <= self.value + ARMIJO * slope {
                return Ok(Some(Point { z, value, gradient }));
            }
            share *= self.shorter(value, slope);
        }
        Ok(None)
    }

    /// By how much to shorten a step that led to `value`: to the least value of a parabola, within limits.
    fn shorter(&self, value: f64, slope: f64) -> f64 {
        let least = -slope / (2.0 * (value - self.value - slope));
        if least.is_finite() { least.clamp(0.1, 0.5) } else { 0.1 }
    }
}

/// Steps and what they did to the gradient, oldest first.
#[derive(Default)]
struct Pairs(VecDeque<(Vec<f64>, Vec<f64>, f64)>);

impl Pairs {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn remember(&mut self, from: &[f64], to: &[f64], before: &[f64], after: &[f64]) {
        let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (step, turn) = (less(to, from), less(after, before));
        let curvature = dot(&step, &turn);
        if curvature > 1e-10 * dot(&step, &step).sqrt() * dot(&turn, &turn).sqrt() {
            if self.0.len() == PAIRS {
                self.0.pop_front();
            }
            self.0.push_back((step, turn, curvature));
        }
    }

    /// −H g on the coordinates that may move.
    fn direction(&self, z: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
        let held: Vec<bool> = (0..z.len()).map(|i| is_held(z[i], gradient[i], bounds[i])).collect();
        let free = |of: &mut Vec<f64>| {
            of.iter_mut().zip(&held).for_each(|(v, &h)| *v = if h { 0.0 } else { *v })
        };
        let mut p: Vec<f64> = gradient.iter().map(|g| -g).collect();
        free(&mut p);
        let mut shares = Vec::with_capacity(self.0.len());
        for (step, turn, curvature) in self.0.iter().rev() {
            let share = dot(step, &p) / curvature;
            add(&mut p, -share, turn);
            shares.push(share);
        }
        if let Some((_, turn, curvature)) = self.0.back() {
            let scale = curvature / dot(turn, turn);
            p.iter_mut().for_each(|p| *p *= scale);
        }
        for ((step, turn, curvature), share) in self.0.iter().zip(shares.iter().rev()) {
            let back = dot(turn, &p) / curvature;
            add(&mut p, share - back, step);
        }
        free(&mut p);
        p
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rosenbrock(z: &[f64]) -> Result<(f64, Vec<f64>)> {
        let (a, b) = (1.0 - z[0], z[1] - z[0] * z[0]);
        Ok((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * z[0] * b, 200.0 * b]))
    }

    fn params(bounds: [(f64, f64); 2]) -> Params {
        Params { tolerance: 1e-8, max_evaluations: 500, longest: 3.0, bounds: bounds.to_vec() }
    }

    #[test]
    fn a_bent_valley_is_followed_to_its_end() {
        let (z, info) = minimize(vec![-1.2, 1.0], &params([(-5.0, 5.0); 2]), rosenbrock).unwrap();
        assert!(info.converged && info.evaluations < 80, "{info:?}");
        assert!(z.iter().all(|z| (z - 1.0).abs() < 1e-6), "{z:?}");
    }

    #[test]
    fn a_bound_holds_what_presses_against_it() {
        let bounds = [(-5.0, 0.5), (-5.0, 5.0)];
        let (z, info) = minimize(vec![-1.2, 1.0], &params(bounds), rosenbrock).unwrap();
        assert!(info.converged, "{info:?}");
        assert!(z[0] == 0.5 && (z[1] - 0.25).abs() < 1e-6, "{z:?}");
    }

    #[test]
    fn what_was_not_reached_is_not_called_reached() {
        let few = Params { max_evaluations: 5, ..params([(-5.0, 5.0); 2]) };
        let (_, info) = minimize(vec![-1.2, 1.0], &few, rosenbrock).unwrap();
        assert!(!info.converged && info.evaluations == 5);
        let wall = |z: &[f64]| {
            let value = if z[0] > 0.0 { f64::NAN } else { -z[0] };
            Ok((value, vec![-1.0, 0.0]))
        };
        let (z, info) = minimize(vec![-1.0, 0.0], &params([(-5.0, 5.0); 2]), wall).unwrap();
        assert!(!info.converged && z[0] <= 0.0 && z[0] > -0.01, "{z:?} {info:?}");
    }
}
