//! Finds the values of rules from the data.

use super::input::{check_histograms, group_of, not_for};
use super::{Expr, KernelSpec, Leaf};
use crate::context::Stream;
use crate::error::{Error, Result};
use crate::kernel::vector::Member;
use crate::kernel::{Input, Rule, StringMember, Value, string};
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;

/// More samples than this are thinned out before their distances are taken.
const MOST_SAMPLES: usize = 1000;

impl KernelSpec {
    /// The same kernel with every parameter a number: rules are worked out on the samples `x`, defaults are written
    /// down. Numbers, and the choice among alternatives such as gamma and sigma, stay as they are. Samples that the
    /// kernel is not for are refused.
    pub fn resolve(&self, x: impl Into<AnySamples>) -> Result<KernelSpec> {
        self.check()?;
        Ok(KernelSpec(with_samples!(&x.into(), x => resolved(&self.0, x))?))
    }
}

/// The expression with its rules worked out on `x`.
fn resolved<T: Real>(expr: &Expr, x: &Samples<T>) -> Result<Expr> {
    let all = |parts: &[Expr]| parts.iter().map(|part| resolved(part, x)).collect::<Result<_>>();
    Ok(match expr {
        Expr::Leaf(leaf) => Expr::Leaf(with_numbers(leaf, x)?),
        Expr::Sum(parts) => Expr::Sum(all(parts)?),
        Expr::Product(parts) => Expr::Product(all(parts)?),
        Expr::Scale(scale, inner) => Expr::Scale(*scale, Box::new(resolved(inner, x)?)),
        Expr::Normalize(inner) => Expr::Normalize(Box::new(resolved(inner, x)?)),
        Expr::Columns(names, inner) => {
            let group = group_of(x, names)?;
            Expr::Columns(names.clone(), Box::new(resolved(inner, group)?))
        }
        Expr::Custom(custom) => match x {
            Samples::Parts(_) => return Err(not_for(custom.name(), "whole samples", x)),
            _ => Expr::Custom(custom.clone()),
        },
    })
}

/// The member with its rules worked out.
fn with_numbers<T: Real>(leaf: &Leaf, x: &Samples<T>) -> Result<Leaf> {
    let input = leaf.family().input;
    let fits = match x {
        Samples::Strings(_) => input == Input::Strings,
        Samples::Dense(_) | Samples::Sparse(_) => input != Input::Strings,
        Samples::Parts(_) | Samples::Items(_) => false,
    };
    if !fits {
        let wants = if input == Input::Strings { "strings" } else { "rows of numbers" };
        return Err(not_for(leaf.family().name, wants, x));
    }
    if input == Input::Histograms {
        check_histograms(x)?;
    }
    if let Some(map) = Member::row_map(leaf) {
        map.check(x)?;
    }
    let mut resolved = leaf.clone();
    for (index, (parameter, value)) in leaf.effective().enumerate() {
        match value {
            None => {}
            Some(Value::Rule(rule)) => {
                let number = value_of(rule, parameter.name, leaf, x)?;
                resolved.write(index, Value::Number(number));
            }
            Some(known) => resolved.write(index, known),
        }
    }
    if let Samples::Strings(texts) = x {
        StringMember::new(&resolved)?.check(texts)?;
    }
    Ok(resolved)
}

/// The number that a rule finds in the samples.
fn value_of<T: Real>(
    rule: Rule,
    parameter: &'static str,
    leaf: &Leaf,
    x: &Samples<T>,
) -> Result<f64> {
    let refuse = |why: &str| Error::Parameter {
        name: parameter.into(),
        message: format!("{} has no value here, because {why}: set it to a number", rule.name()),
    };
    let d = x.features() as f64;
    match (rule, x) {
        (_, Samples::Strings(texts)) => string::rule_value(leaf, parameter, rule, texts),
        (Rule::Auto, _) => Ok(1.0 / d),
        (Rule::Scale, _) => match variance(x) {
            0.0 => Ok(1.0),
            v if (d * v).is_finite() && (1.0 / (d * v)).is_finite() => Ok(1.0 / (d * v)),
            _ => Err(refuse("the variance of the data exceeds the range of f64")),
        },
        (Rule::Median, _) => match median(&mut over_pairs(x.n(), squared_distance(x)), f64::sqrt) {
            None => Err(refuse("there is only one sample")),
            Some(0.0) => Err(refuse("at least half of all pairs of samples are equal")),
            Some(median) => Ok(median),
        },
        (Rule::Mean, _) => {
            let distances = over_pairs(x.n(), chi2_distance(x));
            match distances.iter().sum::<f64>() / distances.len() as f64 {
                mean if distances.is_empty() || mean.is_nan() => {
                    Err(refuse("there is only one sample"))
                }
                mean if mean > 0.0 && (1.0 / mean).is_finite() => Ok(1.0 / mean),
                _ => Err(refuse("all samples are equal")),
            }
        }
    }
}

/// The variance of all entries of rows of numbers.
fn variance<T: Real>(x: &Samples<T>) -> f64 {
    match x {
        Samples::Dense(x) => x.variance(),
        Samples::Sparse(x) => x.variance(),
        other => unreachable!("{} have no variance", other.kind()),
    }
}

fn squared_distance<T: Real>(x: &Samples<T>) -> Box<dyn Fn(usize, usize) -> f64 + '_> {
    match x {
        Samples::Dense(x) => Box::new(|i, j| x.squared_distance(i, j)),
        Samples::Sparse(x) => Box::new(|i, j| x.squared_distance(i, j)),
        other => unreachable!("{} have no distances", other.kind()),
    }
}

fn chi2_distance<T: Real>(x: &Samples<T>) -> Box<dyn Fn(usize, usize) -> f64 + '_> {
    match x {
        Samples::Dense(x) => Box::new(|i, j| x.chi2_distance(i, j)),
        Samples::Sparse(x) => Box::new(|i, j| x.chi2_distance(i, j)),
        other => unreachable!("{} have no distances", other.kind()),
    }
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
