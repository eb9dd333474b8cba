//! Finds the values of rules from the data.

use std::cell::OnceCell;

use super::{Expr, KernelSpec, Leaf};
use crate::context::Stream;
use crate::error::{Error, Result};
use crate::kernel::{Input, Rule, StringMember, Value, string};
use crate::points::{Dense, Samples};
use crate::real::Real;

/// More samples than this are thinned out before their distances are taken.
const MEDIAN_SAMPLES: usize = 1000;

impl KernelSpec {
    /// The same kernel with every parameter a number: rules are worked out on the samples `x`, defaults are written
    /// down. Numbers, and the choice among alternatives such as gamma and sigma, stay as they are. Samples that the
    /// kernel is not for are refused.
    pub fn resolve<T: Real>(&self, x: impl Into<Samples<T>>) -> Result<KernelSpec> {
        self.check()?;
        Ok(KernelSpec(resolved(&self.0, &x.into())?))
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
        Expr::Own(own) => match x {
            Samples::Items(_) => Expr::Own(own.clone()),
            other => return Err(not_for(own.name(), "items", other)),
        },
    })
}

/// The group of columns that a kernel on `names` reads.
pub(in crate::kernel) fn group_of<'a, T: Real>(
    x: &'a Samples<T>,
    names: &[String],
) -> Result<&'a Samples<T>> {
    let found = match x {
        Samples::Parts(parts) => parts.named(names),
        _ => None,
    };
    found.ok_or_else(|| {
        Error::Shape(format!(
            "the kernel is on the columns {}, and the samples are {} without such a group",
            names.join(", "),
            x.kind()
        ))
    })
}

/// Samples that a kernel has no meaning for.
pub(in crate::kernel) fn not_for<T: Real>(name: &str, wants: &str, samples: &Samples<T>) -> Error {
    let kind = samples.kind();
    let way_out = match samples {
        Samples::Parts(_) => ": say for which columns it is, as in columns(age, income: rbf)",
        Samples::Items(_) => ": items need a function of your own",
        Samples::Strings(_) => ": choose a kernel for texts, such as normalize(spectrum(p=3))",
        Samples::Dense(_) => "",
    };
    Error::parameter("kernel", format!("{name} is for {wants}, and the samples are {kind}{way_out}"))
}

/// The member with its rules worked out.
fn with_numbers<T: Real>(leaf: &Leaf, x: &Samples<T>) -> Result<Leaf> {
    let for_texts = leaf.family().input == Input::Strings;
    let rule: Box<dyn Fn(Rule, &'static str) -> Result<f64>> = match x {
        Samples::Strings(texts) if for_texts => {
            // The one number that a kernel on texts takes from them.
            Box::new(move |_, _| Ok(string::alphabet(leaf, texts) as f64))
        }
        Samples::Dense(x) if !for_texts => {
            let statistics = Statistics::new(x);
            Box::new(move |rule, name| statistics.value(rule, name))
        }
        other => {
            let wants = if for_texts { "texts" } else { "rows of numbers" };
            return Err(not_for(leaf.family().name, wants, other));
        }
    };
    let mut resolved = leaf.clone();
    for (index, (parameter, value)) in leaf.effective().enumerate() {
        match value {
            None => {}
            Some(Value::Rule(known)) => {
                let number = rule(known, parameter.name)?;
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
