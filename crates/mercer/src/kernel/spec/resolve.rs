//! Finds the values of rules from the data.

use std::cell::OnceCell;

use super::KernelSpec;
use crate::context::Stream;
use crate::error::{Error, Result};
use crate::kernel::{Rule, Value};
use crate::points::Dense;
use crate::real::Real;

/// More samples than this are thinned out before their distances are taken.
const MOST_SAMPLES: usize = 1000;

impl KernelSpec {
    /// The same kernel with every parameter a number: rules are worked out on the samples `x` (n ×
    /// d), defaults are written down. Numbers, and the choice among alternatives such as gamma and
    /// sigma, stay as they are.
    pub fn resolve<T: Real>(&self, x: &Dense<T>) -> Result<KernelSpec> {
        self.check()?;
        self.check_input(|| x.first_negative().map(|(i, j)| (i, j, x.row(i)[j].f64())))?;
        let statistics = Statistics::new(x);
        let resolved = self.0.map_leaves(&mut |leaf| {
            let mut resolved = leaf.clone();
            for (index, (parameter, value)) in leaf.effective().enumerate() {
                match value {
                    None => {}
                    Some(Value::Number(number)) => resolved.write(index, Value::Number(number)),
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
    mean: OnceCell<Option<f64>>,
}

impl<'a, T: Real> Statistics<'a, T> {
    fn new(x: &'a Dense<T>) -> Self {
        Self { x, variance: OnceCell::new(), median: OnceCell::new(), mean: OnceCell::new() }
    }

    fn value(&self, rule: Rule, parameter: &'static str) -> Result<f64> {
        let d = self.x.d() as f64;
        let refuse = |why: &str| Error::Parameter {
            name: parameter,
            message: format!("{} has no value here, because {why}: give a number", rule.name()),
        };
        match rule {
            Rule::Auto => Ok(1.0 / d),
            Rule::Scale => match *self.variance.get_or_init(|| self.x.variance()) {
                0.0 => Ok(1.0),
                v if (d * v).is_finite() && (1.0 / (d * v)).is_finite() => Ok(1.0 / (d * v)),
                _ => Err(refuse("the variance of the data is beyond the range of numbers")),
            },
            Rule::Median => match *self.median.get_or_init(|| median_distance(self.x)) {
                None => Err(refuse("one sample alone has no distance to another")),
                Some(0.0) => Err(refuse("at least half of all pairs of samples are equal")),
                Some(median) => Ok(median),
            },
            Rule::Mean => match *self.mean.get_or_init(|| mean_chi2_distance(self.x)) {
                None => Err(refuse("one sample alone has no distance to another")),
                Some(mean) if mean > 0.0 && (1.0 / mean).is_finite() => Ok(1.0 / mean),
                _ => Err(refuse("all samples are equal")),
            },
        }
    }
}

/// The median Euclidean distance over all pairs of samples, or over those of a fixed choice of
/// samples.
fn median_distance<T: Real>(x: &Dense<T>) -> Option<f64> {
    median(&mut over_pairs(x.n(), |i, j| x.squared_distance(i, j)), f64::sqrt)
}

/// The mean χ² distance over the same pairs.
fn mean_chi2_distance<T: Real>(x: &Dense<T>) -> Option<f64> {
    let distances = over_pairs(x.n(), |i, j| x.chi2_distance(i, j));
    if distances.is_empty() {
        return None;
    }
    Some(distances.iter().sum::<f64>() / distances.len() as f64)
}

/// `f` of all pairs of n samples, or of those of a fixed choice of samples.
fn over_pairs(n: usize, f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let rows = match n {
        n if n <= MOST_SAMPLES => (0..n).collect(),
        n => Stream::new(0, "median width").sample(n, MOST_SAMPLES),
    };
    let mut values = Vec::with_capacity(rows.len() * (rows.len() - 1) / 2);
    for (i, &a) in rows.iter().enumerate() {
        values.extend(rows[..i].iter().map(|&b| f(a, b)));
    }
    values
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
