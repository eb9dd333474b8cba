//! Finds the values of rules from the data.

use std::cell::OnceCell;

use super::KernelSpec;
use crate::context::Stream;
use crate::error::{Error, Result};
use crate::kernel::{Rule, Value};
use crate::points::Dense;
use crate::real::Real;

/// More samples than this are thinned out before their distances are taken.
const MEDIAN_SAMPLES: usize = 1000;

impl KernelSpec {
    /// The same kernel with every parameter a number: rules are worked out on the samples `x` (n ×
    /// d), defaults are written down. Numbers, and the choice among alternatives such as gamma and
    /// sigma, stay as they are.
    pub fn resolve<T: Real>(&self, x: &Dense<T>) -> Result<KernelSpec> {
        self.check()?;
        let statistics = Statistics::new(x);
        let resolved = self.0.map_leaves(&mut |leaf| {
            let mut resolved = leaf.clone();
            for (index, (parameter, value)) in leaf.effective().enumerate() {
                match value {
                    None => {}
                    Some(value @ (Value::Number(_) | Value::Word(_))) => {
                        resolved.write(index, value);
                    }
                    Some(Value::Rule(rule)) => {
                        let number = statistics.value(rule, parameter.name)?;
                        resolved.write(index, Value::Number(number));
                    }
                }
            }
            Ok(resolved)
        })?;
        Ok(KernelSpec(resolved))
    }
}

/// What rules ask of the data, each worked out at most once.
struct Statistics<'a, T: Real> {
    x: &'a Dense<T>,
    variance: OnceCell<f64>,
    median: OnceCell<Option<f64>>,
}

impl<'a, T: Real> Statistics<'a, T> {
    fn new(x: &'a Dense<T>) -> Self {
        Self { x, variance: OnceCell::new(), median: OnceCell::new() }
    }

    fn value(&self, rule: Rule, parameter: &'static str) -> Result<f64> {
        let d = self.x.d() as f64;
        let refuse = |why: &str| Error::Parameter {
            name: parameter,
            message: format!("{} has no value here, because {why}: give a number", rule.name()),
        };
        match rule {
            Rule::Auto => Ok(1.0 / d),
            Rule::Scale => match *self.variance.get_or_init(|| variance(self.x.data())) {
                0.0 => Ok(1.0),
                v if (d * v).is_finite() && (1.0 / (d * v)).is_finite() => Ok(1.0 / (d * v)),
                _ => Err(refuse("the variance of the data is beyond the range of numbers")),
            },
            Rule::Median => match *self.median.get_or_init(|| median_distance(self.x)) {
                None => Err(refuse("one sample alone has no distance to another")),
                Some(0.0) => Err(refuse("at least half of all pairs of samples are equal")),
                Some(median) => Ok(median),
            },
        }
    }
}

/// The variance of all entries, in two passes so that a large mean costs no digits.
fn variance<T: Real>(data: &[T]) -> f64 {
    let count = data.len() as f64;
    let mean = sum(data, data, |v, _| v) / count;
    sum(data, data, |v, _| (v - mean) * (v - mean)) / count
}

/// The median Euclidean distance over all pairs of samples, or over those of a fixed choice of
/// samples.
fn median_distance<T: Real>(x: &Dense<T>) -> Option<f64> {
    let rows = match x.n() {
        n if n <= MEDIAN_SAMPLES => (0..n).collect(),
        n => Stream::new(0, "median width").sample(n, MEDIAN_SAMPLES),
    };
    let mut squares = Vec::with_capacity(rows.len() * (rows.len() - 1) / 2);
    for (i, &a) in rows.iter().enumerate() {
        squares.extend(rows[..i].iter().map(|&b| squared_distance(x.row(a), x.row(b))));
    }
    median(&mut squares, f64::sqrt)
}

/// The median of `f` of the values, `f` increasing; with an even count the mean of the two in the
/// middle.
fn median(values: &mut [f64], f: impl Fn(f64) -> f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = f(*upper);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if even => Some(0.5 * (f(lower) + upper)),
        _ => Some(upper),
    }
}

/// ‖a − b‖², by differences and not by norms, so that near samples far from the origin keep their
/// distance.
fn squared_distance<T: Real>(a: &[T], b: &[T]) -> f64 {
    sum(a, b, |a, b| (a - b) * (a - b))
}

/// Σ term(a_i, b_i), in eight partial sums that the compiler can keep in vector registers.
fn sum<T: Real>(a: &[T], b: &[T], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for i in 0..8 {
            sums[i] += term(a[i].f64(), b[i].f64());
        }
    }
    let rest = a.len() / 8 * 8;
    let tail = a[rest..].iter().zip(&b[rest..]).map(|(a, b)| term(a.f64(), b.f64()));
    sums.into_iter().chain(tail).sum()
}
