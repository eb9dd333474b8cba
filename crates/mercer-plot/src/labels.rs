//! From a column of labels to the colour of every row.

use std::collections::HashMap;

use super::colour::{CLASSES, OTHER, Rgb, viridis};

/// The label of every row, as text, with the name of the column.
#[derive(Debug, Clone, Copy)]
pub struct LabelColumn<'a> {
    /// The column's name; stands above the legend. May be empty.
    pub name: &'a str,
    /// One label per row.
    pub values: &'a [String],
}

/// The colours of rows and the legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colouring {
    /// No label: one colour.
    Plain { rows: usize },
    /// A handful of classes; `class[row]` indexes `names`. The last class may be `other`.
    Classes { names: Vec<String>, class: Vec<usize>, has_other: bool },
    /// Many different numbers: a continuous scale from `low` to `high`; `shade[row]` indexes
    /// [`SHADES`] colours.
    Scale { low: f64, high: f64, shade: Vec<usize> },
}

/// Steps of a continuous scale. Finer steps cannot be distinguished and would make the file larger.
pub(crate) const SHADES: usize = 48;

impl Colouring {
    /// The colouring of `rows` rows.
    pub fn of(labels: Option<&LabelColumn>, rows: usize) -> Self {
        let Some(labels) = labels else {
            return Colouring::Plain { rows };
        };
        assert_eq!(labels.values.len(), rows, "one label per row");
        let numbers = numeric(labels.values);
        let counts = count(labels.values);
        match numbers {
            Some(numbers) if counts.len() > CLASSES.len() => scale(&numbers),
            numbers => classes(labels.values, counts, numbers.is_some()),
        }
    }

    /// The index of the colour of `row`.
    pub fn group(&self, row: usize) -> usize {
        match self {
            Colouring::Plain { .. } => 0,
            Colouring::Classes { class, .. } => class[row],
            Colouring::Scale { shade, .. } => shade[row],
        }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        match self {
            Colouring::Plain { .. } => 1,
            Colouring::Classes { names, .. } => names.len(),
            Colouring::Scale { .. } => SHADES,
        }
    }

    /// The colour of a group.
    pub fn colour(&self, group: usize) -> Rgb {
        match self {
            Colouring::Plain { .. } => CLASSES[0],
            Colouring::Classes { names, has_other: true, .. } if group + 1 == names.len() => OTHER,
            Colouring::Classes { .. } => CLASSES[group],
            Colouring::Scale { .. } => viridis(group as f64 / (SHADES - 1) as f64),
        }
    }
}

fn numeric(values: &[String]) -> Option<Vec<f64>> {
    let number = |text: &String| text.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    values.iter().map(number).collect()
}

/// Every different label with how often it occurs, most frequent first, equals in natural order.
fn count(values: &[String]) -> Vec<(&str, usize)> {
    let mut counts = HashMap::<&str, usize>::new();
    values.iter().for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_cached_key(|(name, count)| {
        (std::cmp::Reverse(*count), natural_order(name), *name)
    });
    counts
}

fn classes(values: &[String], counts: Vec<(&str, usize)>, numeric: bool) -> Colouring {
    let has_other = counts.len() > CLASSES.len();
    let shown = if has_other { CLASSES.len() - 1 } else { counts.len() };
    let mut names: Vec<&str> = counts[..shown].iter().map(|(name, _)| *name).collect();
    if numeric {
        let value = |text: &str| text.trim().parse::<f64>().unwrap_or(0.0);
        names.sort_by(|a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
    } else {
        names.sort_by_cached_key(|name| (natural_order(name), *name));
    }
    let index: HashMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let class = values.iter().map(|v| index.get(v.as_str()).copied().unwrap_or(shown)).collect();
    let readable = |name: &str| {
        if name.trim().is_empty() { "(empty)".into() } else { name.into() }
    };
    let mut names: Vec<String> = names.into_iter().map(readable).collect();
    if has_other {
        names.push(format!("{} others", counts.len() - shown));
    }
    Colouring::Classes { names, class, has_other }
}

/// A key that sorts `class 2` before `class 10`: runs of digits count as numbers, everything else
/// as it is written.
fn natural_order(name: &str) -> Vec<(u64, String)> {
    let mut key = vec![(0u64, String::new())];
    for character in name.chars() {
        let (number, text) = key.last_mut().expect("the key is never empty");
        match character.to_digit(10) {
            Some(digit) if text.is_empty() => {
                *number = number.saturating_mul(10).saturating_add(digit.into());
            }
            Some(digit) => key.push((digit.into(), String::new())),
            None => text.push(character),
        }
    }
    key
}

fn scale(numbers: &[f64]) -> Colouring {
    let (low, high) = super::axis::extent(numbers.iter().copied());
    let position = |v: f64| (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    let shade = |v: &f64| (position(*v) * (SHADES - 1) as f64).round() as usize;
    Colouring::Scale { low, high, shade: numbers.iter().map(shade).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colouring(values: &[&str]) -> Colouring {
        let values: Vec<String> = values.iter().map(|v| v.to_string()).collect();
        Colouring::of(Some(&LabelColumn { name: "", values: &values }), values.len())
    }

    #[test]
    fn few_numbers_are_classes_in_numeric_order() {
        let Colouring::Classes { names, class, .. } = colouring(&["10", "9", "10", "-1"]) else {
            panic!("expected classes")
        };
        assert_eq!(names, ["-1", "9", "10"]);
        assert_eq!(class, [2, 1, 2, 0]);
    }

    #[test]
    fn many_numbers_are_a_scale() {
        let values: Vec<String> = (0..20).map(|v| v.to_string()).collect();
        let labels = LabelColumn { name: "age", values: &values };
        let Colouring::Scale { low, high, shade } = Colouring::of(Some(&labels), 20) else {
            panic!("expected a scale")
        };
        assert_eq!((low, high, shade[0], shade[19]), (0.0, 19.0, 0, SHADES - 1));
    }

    #[test]
    fn many_names_leave_the_rare_ones_to_others() {
        let mut values: Vec<String> = (0..15).map(|v| format!("name {v:02}")).collect();
        values.extend((4..15).map(|v| format!("name {v:02}")));
        let labels = LabelColumn { name: "", values: &values };
        let colouring = Colouring::of(Some(&labels), values.len());
        let Colouring::Classes { names, class, has_other: true } = &colouring else {
            panic!("expected classes with others")
        };
        assert_eq!(
            (names.len(), names[0].as_str(), names[11].as_str()),
            (12, "name 04", "4 others")
        );
        assert_eq!(colouring.colour(class[0]), OTHER);
    }

    #[test]
    fn numbers_within_names_are_compared_as_numbers() {
        let Colouring::Classes { names, .. } = colouring(&["v10", "b", "v9", "v", "a"]) else {
            panic!("expected classes")
        };
        assert_eq!(names, ["a", "b", "v", "v9", "v10"]);
    }

    #[test]
    fn an_empty_label_is_named() {
        assert!(
            matches!(colouring(&["", "a"]), Colouring::Classes { names, .. } if names[0] == "(empty)")
        );
    }
}
