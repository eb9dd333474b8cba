//! Finer grids around the best of a grid, and notes on a best that is at its end.

use crate::error::Result;
use crate::kernel::{KernelSpec, Leaf, Value};
use crate::model::{Note, NoteCode};

/// Parameters that set a kernel's width.
const WIDTHS: [&str; 4] = ["gamma", "sigma", "width", "length"];

/// `best` with two values on each side of it, at one and two thirds of the way to its neighbours in `values` on a logarithmic scale,
/// rising. Beyond an end of `values` the step is that to the only neighbour. Of a single value there is nothing to refine.
pub fn refined(values: &[f64], best: f64) -> Vec<f64> {
    let below = values.iter().copied().filter(|v| *v < best).fold(f64::NAN, f64::max);
    let above = values.iter().copied().filter(|v| *v > best).fold(f64::NAN, f64::min);
    let (down, up) = match (best / below, above / best) {
        (down, up) if down.is_nan() && up.is_nan() => return vec![best],
        (down, up) if down.is_nan() => (up, up),
        (down, up) if up.is_nan() => (down, down),
        both => both,
    };
    let at = |step: f64, thirds: f64| short(best * step.powf(thirds / 3.0));
    vec![at(down, -2.0), at(down, -1.0), best, at(up, 1.0), at(up, 2.0)]
}

/// Four digits are as good as sixteen here, and easier to read and to type.
fn short(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The kernel in place `chosen` with widths refined by those of all that differ from it in the width alone; that kernel by itself
/// where there is no width to refine.
pub fn refined_widths(kernels: &[KernelSpec], chosen: usize) -> Result<Vec<KernelSpec>> {
    let Some(widths) = Widths::of(kernels, chosen) else {
        return Ok(vec![kernels[chosen].clone()]);
    };
    let with = |value: f64| {
        let written = widths.best.written().filter(|(p, _)| p.name != widths.parameter);
        let mut parameters: Vec<(&str, Value)> = written.map(|(p, v)| (p.name, v)).collect();
        parameters.push((widths.parameter, Value::Number(value)));
        KernelSpec::member(widths.best.family().name, &parameters)
    };
    let value = |value: f64| match value == widths.value {
        true => Ok(kernels[chosen].clone()),
        false => with(value),
    };
    refined(&widths.all, widths.value).into_iter().map(value).collect()
}

/// A note if the kernel chosen has the smallest or largest width of three or more that differ in nothing else.
pub fn edge_of_widths(kernels: &[KernelSpec], chosen: usize) -> Option<Note> {
    let Widths { parameter, value, all, .. } = Widths::of(kernels, chosen)?;
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(0.0, f64::max);
    let (end, more) = match value {
        _ if all.len() < 3 || least == most => return None,
        v if v == least => ("smallest", "smaller"),
        v if v == most => ("largest", "larger"),
        _ => return None,
    };
    let text = format!(
        "the best {parameter} is the {end} of those compared, {value:.3e}: {more} values may be better"
    );
    Some(Note::new(NoteCode::EdgeOfGrid, text))
}

/// A kernel and the widths of those that differ from it in nothing else.
struct Widths<'a> {
    best: &'a Leaf,
    parameter: &'static str,
    value: f64,
    all: Vec<f64>,
}

impl<'a> Widths<'a> {
    fn of(kernels: &'a [KernelSpec], chosen: usize) -> Option<Self> {
        let best = kernels.get(chosen)?.as_leaf()?;
        let (parameter, value) = WIDTHS.into_iter().find_map(|p| Some((p, best.optional(p)?)))?;
        let others = |leaf: &Leaf| -> Vec<_> {
            let others = leaf.effective().filter(|(p, _)| p.name != parameter);
            others.map(|(p, v)| (p.name, v)).collect()
        };
        let like =
            |leaf: &&Leaf| leaf.family().name == best.family().name && others(leaf) == others(best);
        let leaves = kernels.iter().filter_map(KernelSpec::as_leaf).filter(like);
        let all = leaves.filter_map(|leaf| leaf.optional(parameter)).collect();
        Some(Self { best, parameter, value, all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_between_the_neighbours() {
        let fine = refined(&[1.0, 100.0, 10.0], 10.0);
        assert_eq!(fine, [2.154, 4.642, 10.0, 21.54, 46.42]);
        // Beyond an end by the step to the other side.
        assert_eq!(refined(&[1.0, 10.0], 10.0), [2.154, 4.642, 10.0, 21.54, 46.42]);
        assert_eq!(refined(&[1.0, 8.0, 64.0], 1.0), [0.25, 0.5, 1.0, 2.0, 4.0]);
        assert_eq!(refined(&[3.0], 3.0), [3.0]);
    }

    #[test]
    fn widths_of_like_kernels_are_refined() {
        let kernels: Vec<KernelSpec> =
            ["rbf(gamma=1)", "linear", "rbf(gamma=8)", "matern(nu=2.5, length=2)"]
                .map(|text| text.parse().unwrap())
                .into();
        let fine = refined_widths(&kernels, 2).unwrap();
        let texts: Vec<String> = fine.iter().map(KernelSpec::to_string).collect();
        assert_eq!(fine.len(), 5);
        assert!(texts[0].contains("gamma=2") && texts[2] == kernels[2].to_string(), "{texts:?}");
        assert_eq!(refined_widths(&kernels, 1).unwrap(), [kernels[1].clone()]);
        assert_eq!(refined_widths(&kernels, 3).unwrap().len(), 1);
    }
}
