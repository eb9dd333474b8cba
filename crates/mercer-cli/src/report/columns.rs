//! Summary statistics of the columns of a table.

use std::collections::HashMap;

use mercer::io::{Column, Table};

use crate::data::Label;
use crate::run::Chosen;

/// The bins of a column's histogram.
const BINS: usize = 16;

/// Summary statistics of a column.
#[derive(Debug, PartialEq)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its role: `feature`, `target` or `label`.
    pub role: &'static str,
    /// What it holds.
    pub content: Content,
}

/// What a column holds.
#[derive(Debug, PartialEq)]
pub enum Content {
    /// Numbers.
    Numbers {
        /// The smallest.
        min: f64,
        /// The mean.
        mean: f64,
        /// The standard deviation of all rows.
        deviation: f64,
        /// The largest.
        max: f64,
        /// How many lie in each of sixteen equal parts of the range; empty if there are no such parts.
        bins: Vec<usize>,
        /// How many cells hold no finite number.
        missing: usize,
    },
    /// Strings.
    Strings {
        /// How many different ones.
        different: usize,
        /// The most frequent one, and how often it occurs.
        frequent: (String, usize),
    },
}

/// The targets and the label of `chosen`, and the first `limit` of its features.
pub fn describe(chosen: &Chosen, limit: usize) -> Vec<ColumnSummary> {
    let Table { columns, .. } = &chosen.features;
    let features = columns.iter().enumerate().take(limit);
    let features = features.map(|(i, c)| of(chosen.features.name(i), "feature", c));
    let named = |role| move |(name, cells): &Label| of(name.clone(), role, cells);
    let targets = chosen.targets.iter().map(named("target"));
    // The label of a table of strings may be one of its features.
    let is_other =
        |(name, _): &&Label| (0..columns.len()).all(|i| chosen.features.name(i) != *name);
    let label = chosen.label.iter().filter(is_other).map(named("label"));
    targets.chain(label).chain(features).collect()
}

fn of(name: String, role: &'static str, cells: &Column) -> ColumnSummary {
    let content = match cells {
        Column::Text(texts) => of_texts(texts),
        numbers => {
            let number = |row| numbers.number(row).unwrap_or(f64::NAN);
            of_numbers(&(0..numbers.len()).map(number).collect::<Vec<f64>>())
        }
    };
    ColumnSummary { name, role, content }
}

fn of_numbers(cells: &[f64]) -> Content {
    let values: Vec<f64> = cells.iter().copied().filter(|value| value.is_finite()).collect();
    let missing = cells.len() - values.len();
    let count = values.len() as f64;
    let (min, max) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    // Shares are summed, because the sum of large numbers need not be finite.
    let mean = values.iter().map(|v| v / count).sum::<f64>();
    let deviation = values.iter().map(|v| (v - mean).powi(2) / count).sum::<f64>().sqrt();
    let width = (max - min) / BINS as f64;
    let mut bins = Vec::new();
    if width > 0.0 && width.is_finite() {
        bins = vec![0; BINS];
        for value in &values {
            bins[(((value - min) / width) as usize).min(BINS - 1)] += 1;
        }
    }
    Content::Numbers { min, mean, deviation, max, bins, missing }
}

fn of_texts(texts: &[String]) -> Content {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    texts.iter().for_each(|text| *counts.entry(text).or_default() += 1);
    // Of several that are equally frequent the first in order, so that pages are the same each time.
    let frequent = counts.iter().max_by_key(|(text, count)| (**count, std::cmp::Reverse(**text)));
    let frequent = frequent.map_or((String::new(), 0), |(text, count)| (text.to_string(), *count));
    Content::Strings { different: counts.len(), frequent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_range_mean_and_deviation() {
        let Content::Numbers { min, mean, deviation, max, bins, missing } =
            of_numbers(&[1.0, 2.0, f64::NAN, 3.0, 6.0])
        else {
            panic!("these are numbers")
        };
        assert_eq!((min, mean, max, missing), (1.0, 3.0, 6.0, 1));
        assert!((deviation - 3.5f64.sqrt()).abs() < 1e-15);
        assert_eq!((bins.len(), bins.iter().sum::<usize>()), (BINS, 4));
        assert_eq!((bins[0], bins[BINS - 1]), (1, 1));
    }

    #[test]
    fn equal_numbers_have_no_histogram() {
        let content = of_numbers(&[2.0, 2.0]);
        let expected = Content::Numbers {
            min: 2.0,
            mean: 2.0,
            deviation: 0.0,
            max: 2.0,
            bins: vec![],
            missing: 0,
        };
        assert_eq!(content, expected);
        assert!(
            matches!(of_numbers(&[f64::MAX, f64::MIN]), Content::Numbers { bins, .. } if bins.is_empty())
        );
    }

    #[test]
    fn strings_have_a_most_frequent_value() {
        let texts = ["b", "a", "b", "a", "c"].map(String::from);
        assert_eq!(of_texts(&texts), Content::Strings { different: 3, frequent: ("a".into(), 2) });
    }
}
