//! The rising function through given points that suits samples best in the sense of least squares.
//!
//! Minimise Σ w (v(f) − t)² over functions v that do not fall, with t 1 for samples of the positive class and 0 for the
//! others, given that v stays below ½ before the boundary, above ½ behind it, and within Laplace's bounds 1/(n + 2) and
//! 1 − 1/(n + 2). The bound at ½ parts the problem in two that do not touch. On each side the solution is that of pool-adjacent-
//! violators, clipped to the bounds of the side; pooling across the boundary and clipping then would not be.

use super::{Curve, LabelledDecision};

/// How far from ½ the values next to the boundary stay.
const MARGIN: f64 = 1e-6;

/// The curve that suits `samples` best. Samples on the boundary carry no information, as the value there is ½.
pub(super) fn fit(samples: &[LabelledDecision]) -> Curve {
    let total: f64 = samples.iter().map(|sample| sample.weight).sum();
    let least = (1.0 / (total + 2.0)).clamp(1e-12, 0.5 - MARGIN);
    let mut below = side(samples, -1.0, (least, 0.5 - MARGIN));
    let mut above = side(samples, 1.0, (0.5 + MARGIN, 1.0 - least));
    match (below.is_empty(), above.is_empty()) {
        (true, true) => return Curve::Slopes { below: 1.0, above: 1.0 },
        (true, false) => below = mirrored(&above),
        (false, true) => above = mirrored(&below),
        (false, false) => {}
    }
    let (at, value) = below.into_iter().chain([(0.0, 0.5)]).chain(above).unzip();
    Curve::Steps { at, value }
}

/// The points of one side, reflected at (0, ½).
fn mirrored(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().rev().map(|(f, value)| (-f, 1.0 - value)).collect()
}

/// The points of the side where decisions have this sign: the ends of every stretch with one value. The points between them
/// would say nothing.
fn side(samples: &[LabelledDecision], sign: f64, (least, most): (f64, f64)) -> Vec<(f64, f64)> {
    let mut there: Vec<&LabelledDecision> =
        samples.iter().filter(|sample| sample.decision * sign > 0.0).collect();
    there.sort_by(|a, b| a.decision.total_cmp(&b.decision));
    let mut points = Vec::new();
    let clipped = |pool: &Pool| pool.mean().clamp(least, most);
    for stretch in pooled(&there).chunk_by(|a, b| clipped(a) == clipped(b)) {
        let (first, last) = (&stretch[0], &stretch[stretch.len() - 1]);
        points.push((first.first, clipped(first)));
        if last.last > first.first {
            points.push((last.last, clipped(first)));
        }
    }
    points
}

/// Neighbouring samples that share a value.
struct Pool {
    first: f64,
    last: f64,
    positive: f64,
    weight: f64,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.positive / self.weight
    }

    fn join(&mut self, next: &Pool) {
        self.last = next.last;
        self.positive += next.positive;
        self.weight += next.weight;
    }
}

/// Pool-adjacent-violators: samples in ascending order of their decisions, those of equal decision together, in pools whose
/// means rise.
fn pooled(samples: &[&LabelledDecision]) -> Vec<Pool> {
    let mut pools: Vec<Pool> = Vec::new();
    for group in samples.chunk_by(|a, b| a.decision == b.decision) {
        let weight: f64 = group.iter().map(|sample| sample.weight).sum();
        let positive = group.iter().filter(|s| s.positive).map(|s| s.weight).sum();
        let mut pool = Pool { first: group[0].decision, last: group[0].decision, positive, weight };
        while pools.last().is_some_and(|before| before.mean() >= pool.mean()) {
            let mut before = pools.pop().expect("there is a last pool");
            before.join(&pool);
            pool = before;
        }
        pools.push(pool);
    }
    pools
}

/// The value at `f` of the straight lines between the points.
pub(super) fn between(at: &[f64], value: &[f64], f: f64) -> f64 {
    let right = at.partition_point(|&point| point <= f);
    if right == 0 {
        return value[0];
    }
    let left = right - 1;
    if right == at.len() {
        return value[left];
    }
    let share = (f - at[left]) / (at[right] - at[left]);
    // Rounding must not lift a value above its right neighbour: the curve would fall there.
    (value[left] + share * (value[right] - value[left])).min(value[right])
}

/// What is wrong with the points of a curve, if anything is.
pub(super) fn fault(at: &[f64], value: &[f64]) -> Option<&'static str> {
    let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
    let right = |(&f, &value): (&f64, &f64)| match (f < 0.0, f > 0.0) {
        (true, _) => (0.0..0.5).contains(&value),
        (_, true) => value > 0.5 && value <= 1.0,
        _ => value == 0.5,
    };
    if at.len() != value.len() {
        Some("it has different numbers of decisions and probabilities")
    } else if !finite(at) || !finite(value) {
        Some("its points are not finite")
    } else if !at.is_sorted_by(|a, b| a < b) {
        Some("its decisions are not ascending")
    } else if !value.is_sorted() {
        Some("its probabilities decrease")
    } else if !at.contains(&0.0) || !at.iter().zip(value).all(right) {
        Some("its probabilities are not below 1/2 left of 0, 1/2 at 0 and above 1/2 right of 0")
    } else {
        None
    }
}
