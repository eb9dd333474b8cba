//! The sigmoid with a slope on each side of the boundary.
//!
//! On each side: minimise over s the cross entropy Σ w (ln(1 + e^(s f)) − t s f), where t is Platt's target, which is not
//! quite 1 for samples of the positive class and not quite 0 for the others, as if one more of each had been seen. The sum
//! is convex in s, and its derivative Σ w f (p − t) is positive for large s, because t is inside of (0, 1): there is one
//! minimum. It is sought in a range of positive numbers, so that the curve rises.

use super::{Curve, LabelledDecision, sigmoid};

/// The least slope, in units of 1 / (the largest decision of the side). It makes the farthest sample's probability
/// ½ + 2.5·10⁻⁷: nothing is known, but the order of the decisions is kept.
const FLATTEST: f64 = 1e-6;
/// The largest slope in these units. A side that asks for more has almost all its samples at the boundary.
const STEEPEST: f64 = 1e12;

/// The curve that suits `samples` best. Samples on the boundary have probability ½ whatever the slopes, and carry no information.
pub(super) fn fit(samples: &[LabelledDecision]) -> Curve {
    let targets = Targets::of(samples);
    let side = |sign: f64| {
        let there = samples.iter().filter(|sample| sample.decision * sign > 0.0);
        slope(&there.map(|sample| targets.observation(sample, sign)).collect::<Vec<_>>())
    };
    let (below, above) = (side(-1.0), side(1.0));
    Curve::Slopes { below: below.or(above).unwrap_or(1.0), above: above.or(below).unwrap_or(1.0) }
}

/// Platt's targets.
struct Targets {
    positive: f64,
    negative: f64,
}

impl Targets {
    fn of(samples: &[LabelledDecision]) -> Self {
        let count = |positive| -> f64 {
            samples.iter().filter(|s| s.positive == positive).map(|s| s.weight).sum()
        };
        let (for_it, against_it) = (count(true), count(false));
        Self { positive: 1.0 - 1.0 / (for_it + 2.0), negative: 1.0 / (against_it + 2.0) }
    }

    /// The sample as seen from its side, where decisions are positive.
    fn observation(&self, sample: &LabelledDecision, sign: f64) -> Observation {
        let target = if sample.positive { self.positive } else { self.negative };
        Observation {
            distance: sample.decision.abs(),
            target: if sign > 0.0 { target } else { 1.0 - target },
            weight: sample.weight,
        }
    }
}

/// A sample of one side: its distance from the boundary, the probability to give to the side's class, and its weight.
struct Observation {
    distance: f64,
    target: f64,
    weight: f64,
}

/// The best slope for the samples of one side; `None` if there are none.
fn slope(side: &[Observation]) -> Option<f64> {
    let unit = side.iter().map(|observation| observation.distance).fold(0.0, f64::max);
    if unit == 0.0 {
        return None;
    }
    let heaviest = side.iter().map(|observation| observation.weight).fold(0.0, f64::max);
    let scaled: Vec<Observation> = side
        .iter()
        .map(|observation| Observation {
            distance: observation.distance / unit,
            weight: observation.weight / heaviest,
            ..*observation
        })
        .collect();
    // The quotient is kept a normal number: for extreme decisions it would be infinite, or 0.
    Some((minimum(&scaled) / unit).clamp(f64::MIN_POSITIVE, 1e300))
}

/// The minimum over [`FLATTEST`, `STEEPEST`] for distances of at most 1.
fn minimum(side: &[Observation]) -> f64 {
    let mut low = FLATTEST;
    if derivatives(side, low).0 >= 0.0 {
        return low;
    }
    let mut high = 16.0 * low;
    while derivatives(side, high).0 < 0.0 {
        if high >= STEEPEST {
            return STEEPEST;
        }
        low = high;
        high *= 16.0;
    }
    root(side, low, high)
}

/// Where the derivative, negative at `low` and not at `high`, is 0: Newton's steps, and the middle of the interval wherever
/// such a step leaves it or the interval shrinks too slowly, so that every second step at least halves it.
fn root(side: &[Observation], mut low: f64, mut high: f64) -> f64 {
    let mut at = 0.5 * (low + high);
    let mut halve = false;
    // The interval is at most 16 times as wide as its lower end: 100 halves are beyond the last digit.
    for _ in 0..200 {
        let (first, second) = derivatives(side, at);
        let width = high - low;
        if first < 0.0 {
            low = at;
        } else {
            high = at;
        }
        let newton = at - first / second;
        if (newton - at).abs() <= 1e-13 * at || high - low <= 1e-13 * at {
            break;
        }
        let inside = newton > low && newton < high;
        at = if inside && !halve { newton } else { 0.5 * (low + high) };
        halve = high - low > 0.5 * width;
    }
    at
}

/// The first and the second derivative of the cross entropy at slope `s`.
fn derivatives(side: &[Observation], s: f64) -> (f64, f64) {
    side.iter().fold((0.0, 0.0), |(first, second), observation| {
        let p = sigmoid(s * observation.distance);
        let moment = observation.weight * observation.distance;
        (
            first + moment * (p - observation.target),
            second + moment * observation.distance * p * (1.0 - p),
        )
    })
}
