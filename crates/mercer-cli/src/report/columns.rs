//! The columns of a table in a few numbers each.

use std::collections::HashMap;

use mercer::io::{Column, Table};

use crate::data::Label;
use crate::run::Chosen;

/// The bins of a column's little histogram.
const BINS: usize = 16;

/// A column in a few numbers.
#[derive(Debug, PartialEq)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// What it is for: `learned from`, `target`, `label`.
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
        least: f64,
        /// The mean.
        mean: f64,
        /// The standard deviation of all rows.
        deviation: f64,
        /// The largest.
        most: f64,
        /// How many lie in each of sixteen equal parts of the range; empty if there are no such parts.
        bins: Vec<usize>,
        /// How many cells hold no finite number.
        missing: usize,
    },
    /// Texts.
    Texts {
        /// How many different ones.
        different: usize,
        /// The most frequent one, and how often it occurs.
        frequent: (String, usize),
    },
}

/// The first `limit` columns that `chosen` learns from, its targets and its label.
pub fn describe(chosen: &Chosen, limit: usize) -> Vec<Described> {
    let Table { columns, .. } = &chosen.features;
    let features = columns.iter().enumerate().take(limit);
    let features = features.map(|(i, c)| of(chosen.features.name(i), "learned from", c));
    let named = |role| move |(name, cells): &Label| of(name.clone(), role, cells);
    let targets = chosen.targets.iter().map(named("target"));
    // The label of a table of texts is one of its texts.
    let is_other =
        |(name, _): &&Label| (0..columns.len()).all(|i| chosen.features.name(i) != *name);
    let label = chosen.label.iter().filter(is_other).map(named("label"));
    targets.chain(label).chain(features).collect()
}

fn of(name: String, role: &'static str, cells: &Column) -> Described {
    let content = match cells {
        Column::Text(texts) => of_texts(texts),
        numbers => {
            let number = |row| numbers.number(row).unwrap_or(f64::NAN);
            of_numbers(&(0..numbers.len()).map(number).collect::<Vec<f64>>())
        }
    };
    Described { name, role, content }
}

fn of_numbers(cells: &[f64]) -> Content {
    let values: Vec<f64> = cells.iter().copied().filter(|value| value.is_finite()).collect();
    let missing = cells.len() - values.len();
    let count = values.len() as f64;
    let (least, most) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    // Shares are summed, because the sum of large numbers need not be finite.
    let mean = values.iter().map(|v| v / count).sum::<f64>();
    let deviation = values.iter().map(|v| (v - mean).powi(2) / count).sum::<f64>().sqrt();
    let width = (most - least) / BINS as f64;
    let mut bins = Vec::new();
    if width > 0.0 && width.is_finite() {
        bins = vec![0; BINS];
        for value in &values {
            bins[(((value - least) / width) as usize).min(BINS - 1)] += 1;
        }
    }
    Content::Numbers { least, mean, deviation, most, bins, missing }
}

fn of_texts(texts: &[String]) -> Content {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    texts.iter().for_each(|text| *counts.entry(text).or_default() += 1);
    // Of several that are equally frequent the first in order, so that pages are the same each time.
    let frequent = counts.iter().max_by_key(|(text, count)| (**count, std::cmp::Reverse(**text)));
    let frequent = frequent.map_or((String::new(), 0), |(text, count)| (text.to_string(), *count));
    Content::Texts { different: counts.len(), frequent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_by_range_mean_and_deviation() {
        let Content::Numbers { least, mean, deviation, most, bins, missing } =
            of_numbers(&[1.0, 2.0, f64::NAN, 3.0, 6.0])
        else {
            panic!("these are numbers")
        };
        assert_eq!((least, mean, most, missing), (1.0, 3.0, 6.0, 1));
        assert!((deviation - 3.5f64.sqrt()).abs() < 1e-15);
        assert_eq!((bins.len(), bins.iter().sum::<usize>()), (BINS, 4));
        assert_eq!((bins[0], bins[BINS - 1]), (1, 1));
    }

    #[test]
    fn equal_numbers_have_no_histogram() {
        let content = of_numbers(&[2.0, 2.0]);
        let expected = Content::Numbers {
            least: 2.0,
            mean: 2.0,
            deviation: 0.0,
            most: 2.0,
            bins: vec![],
            missing: 0,
        };
        assert_eq!(content, expected);
        assert!(
            matches!(of_numbers(&[f64::MAX, f64::MIN]), Content::Numbers { bins, .. } if bins.is_empty())
        );
    }

    #[test]
    fn texts_are_told_by_the_most_frequent() {
        let texts = ["b", "a", "b", "a", "c"].map(String::from);
        assert_eq!(of_texts(&texts), Content::Texts { different: 3, frequent: ("a".into(), 2) });
    }
}
