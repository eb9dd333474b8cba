//! Default grids of kernel widths and penalties, chosen from the data.

use crate::error::Result;
use crate::kernel::{KernelSpec, Leaf, Rule, Shape, Value};
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;

/// How large the values of a kernel are on some samples.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The mean squared distance of the samples from their mean in feature space.
    pub spread: f64,
    /// The mean of k(x, x) or, where an intercept takes the mean away, the spread: times n it is no less than the largest eigenvalue.
    pub mean: f64,
    /// Penalties up to this are lost in the rounding of the kernel's values.
    pub noise: f64,
}

/// Penalties from far below the spread of the samples in feature space to where nothing but the mean is left, as far as they are not lost
/// in rounding. Three per decade.
pub fn alphas_for(size: Size, n: usize) -> Vec<f64> {
    let is_size = |v: &f64| *v > 0.0 && v.is_finite();
    let unit = [size.spread, size.mean].into_iter().find(is_size).unwrap_or(1.0);
    let above = if is_size(&size.mean) { (size.mean / unit).log10().max(0.0) } else { 0.0 };
    let last = (above + (n.max(10) as f64).log10()).ceil() as i32;
    let all = (-21..=3 * last).map(|third| unit * 10.0_f64.powf(f64::from(third) / 3.0));
    let all: Vec<f64> = all.collect();
    let first = all.iter().position(|alpha| *alpha > size.noise).unwrap_or(all.len() - 1);
    all[first..].to_vec()
}

/// Steps of a factor 2 in length from the middle one. Fewer to the wide side: very wide kernels with tiny penalties are all
/// nearly the same polynomial, and their systems nearly singular.
const NARROWER: i32 = 3;
const WIDER: i32 = 2;

/// For a kernel of a single family that has a width for which nothing was written, kernels of six widths around what the
/// data suggests, from narrow to wide; for any other, itself. A kernel on a group of columns is
/// looked at in the same way. All are resolved.
pub fn widths(spec: &KernelSpec, x: impl Into<AnySamples>) -> Result<Vec<KernelSpec>> {
    widths_rounded(spec, &x.into(), Rounding::Digits)
}

/// To what widths are rounded.
#[derive(Clone, Copy)]
pub(super) enum Rounding {
    /// Four digits are as good as sixteen here, and easier to read and to type.
    Digits,
    /// Widths of several sets of samples are then few different ones.
    PowerOfTwo,
}

impl Rounding {
    fn apply(self, value: f64) -> f64 {
        match self {
            Rounding::Digits => format!("{value:.3e}").parse().unwrap_or(value),
            Rounding::PowerOfTwo => value.log2().round().exp2(),
        }
    }
}

/// As [`widths`], rounded otherwise.
pub(super) fn widths_rounded(
    spec: &KernelSpec,
    x: &AnySamples,
    rounding: Rounding,
) -> Result<Vec<KernelSpec>> {
    with_samples!(x, x => widths_on(spec, x, rounding))
}

fn widths_on<T: Real>(
    spec: &KernelSpec,
    x: &Samples<T>,
    rounding: Rounding,
) -> Result<Vec<KernelSpec>> {
    if let (Shape::Columns(names, inner), Samples::Parts(parts)) = (spec.shape(), x)
        && let Some(group) = parts.named(names)
    {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return Ok(widths_on(&inner, group, rounding)?
            .into_iter()
            .map(|spec| spec.on(&names))
            .collect());
    }
    let Some((leaf, width)) = spec.as_leaf().and_then(|leaf| Some((leaf, width_of(leaf)?))) else {
        return Ok(vec![spec.resolve(x)?]);
    };
    let with = |value: Value| {
        let mut parameters: Vec<(&str, Value)> =
            leaf.written().map(|(parameter, value)| (parameter.name, value)).collect();
        parameters.push((width.name, value));
        KernelSpec::member(leaf.family().name, &parameters)
    };
    let middle = match with(Value::Rule(width.rule))?.resolve(x) {
        Ok(middle) => middle,
        // No rule has an answer where most samples are equal.
        Err(_) => return Ok(vec![spec.resolve(x)?]),
    };
    let Some(value) = middle.as_leaf().and_then(|leaf| leaf.optional(width.name)) else {
        return Ok(vec![middle]);
    };
    let at = |step: i32| {
        with(Value::Number(rounding.apply(value * 2.0_f64.powf(width.power * f64::from(step)))))
    };
    (-NARROWER..=WIDER).map(|step| at(step)?.resolve(x)).collect()
}

/// The parameter that sets a kernel's width, the rule that suggests one, and its power of a length.
struct Width {
    name: &'static str,
    rule: Rule,
    power: f64,
}

/// The width of a member for which none was written.
fn width_of(leaf: &Leaf) -> Option<Width> {
    let width = match leaf.family().name {
        "rbf" => Width { name: "gamma", rule: Rule::Scale, power: -2.0 },
        "laplacian" => Width { name: "gamma", rule: Rule::Auto, power: -1.0 },
        "chi2" => Width { name: "gamma", rule: Rule::Mean, power: -1.0 },
        "matern" | "rational_quadratic" => Width { name: "length", rule: Rule::Median, power: 1.0 },
        _ => return None,
    };
    let group = leaf.family().parameters.iter().find(|p| p.name == width.name)?.group();
    let is_written = leaf.written().any(|(parameter, _)| parameter.group() == group);
    (!is_written).then_some(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Dense;

    #[test]
    fn widths_go_from_narrow_to_wide_around_the_suggestion() {
        let x = Dense::from_vec((0..20).map(|i| (i as f64).sin()).collect(), 10, 2).unwrap();
        let of = |text: &str| widths(&text.parse().unwrap(), &x).unwrap();
        let rbf = of("rbf");
        assert_eq!(rbf.len(), 6);
        let gamma = |spec: &KernelSpec| spec.as_leaf().unwrap().optional("gamma").unwrap();
        let suggested: KernelSpec = "rbf(gamma=scale)".parse().unwrap();
        let middle = gamma(&suggested.resolve(&x).unwrap());
        assert!((gamma(&rbf[3]) / middle - 1.0).abs() < 1e-3);
        assert!((gamma(&rbf[0]) / gamma(&rbf[5]) / 1024.0 - 1.0).abs() < 1e-3);
        assert_eq!(of("matern(nu=2.5)").len(), 6);
        let counts = Dense::from_vec((0..20).map(f64::from).collect(), 10, 2).unwrap();
        assert_eq!(widths(&"chi2".parse().unwrap(), &counts).unwrap().len(), 6);
        assert_eq!(of("rbf(sigma=2)"), ["rbf(sigma=2)".parse().unwrap()]);
        assert_eq!(of("rbf + linear").len(), 1);
        assert_eq!(of("poly(degree=2)").len(), 1);
        let equal = Dense::from_vec(vec![1.0; 6], 3, 2).unwrap();
        assert_eq!(widths(&"matern".parse().unwrap(), &equal).unwrap().len(), 1);
    }

    #[test]
    fn penalties_span_the_spectrum() {
        let ends = |spread: f64, mean: f64, noise: f64| {
            let alphas = alphas_for(Size { spread, mean, noise }, 1000);
            assert!(alphas.windows(2).all(|w| w[1] > w[0]));
            (alphas[0], *alphas.last().unwrap())
        };
        let is = |found: (f64, f64), want: (f64, f64)| {
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
            assert!(close(found.0, want.0) && close(found.1, want.1), "{found:?} {want:?}");
        };
        is(ends(2.0, 2.0, 0.0), (2e-7, 2e3));
        // Without an intercept, a large mean counts.
        is(ends(2.0, 2e6, 0.0), (2e-7, 2e9));
        // Nothing below rounding; something at all events.
        is(ends(2.0, 2.0, 1e-4), (2e-4, 2e3));
        is(ends(2.0, 2.0, 1e9), (2e3, 2e3));
        // Samples that are all the same have no spread.
        is(ends(0.0, 3.0, 0.0), (3e-7, 3e3));
        is(ends(0.0, 0.0, 0.0), (1e-7, 1e3));
    }
}
