//! Kernels against their definitions on random texts.

use super::naive;
use super::{diag, member, strings, tile, values};
use crate::context::Stream;
use crate::points::{Points, Span, Strings};

type Formula = fn(&[String], &[String]) -> f64;

/// Kernels, and their definitions over sequences of symbols.
const CASES: &[(&str, Formula)] = &[
    ("spectrum(p=1", |x, y| naive::substrings(x, y, |length| f64::from(length == 1))),
    ("spectrum(p=3", |x, y| naive::substrings(x, y, |length| f64::from(length == 3))),
    ("spectrum(p=14", |x, y| naive::substrings(x, y, |length| f64::from(length == 14))),
    ("substrings(p=1", |x, y| naive::substrings(x, y, |length| f64::from(length == 1))),
    ("substrings(p=4", |x, y| naive::substrings(x, y, |length| f64::from(length <= 4))),
];

const UNITS: [&str; 3] = ["chars", "bytes", "words"];

/// Texts of up to `longest` symbols over few letters, so that they share a lot; some are empty, some repeat.
pub fn texts(n: usize, longest: usize, letters: &[&str], seed: u64) -> Vec<String> {
    let mut stream = Stream::new(seed, "texts");
    let mut text = |i: usize| {
        let length = if i % 7 == 3 { 0 } else { stream.below(longest + 1) };
        (0..length).map(|_| letters[stream.below(letters.len())]).collect::<String>()
    };
    let mut texts: Vec<String> = (0..n).map(&mut text).collect();
    texts.push(letters[0].repeat(longest));
    texts.push(letters[..2].concat().repeat(longest / 2));
    texts
}

fn check(text: &str, formula: Formula, unit: &str, x: &Strings, y: &Strings) {
    let kernel = member(&format!("{text}, unit={unit})"));
    let sequences =
        |set: &Strings| -> Vec<_> { set.iter().map(|text| naive::symbols(text, unit)).collect() };
    let (rows, cols) = (sequences(x), sequences(y));
    let close = |found: f64, expected: f64, place: String| {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{place}: {found} {expected}");
    };
    let found = values(&kernel, x, y);
    for (i, row) in rows.iter().enumerate() {
        for (j, col) in cols.iter().enumerate() {
            let place = format!("{text} {unit} {:?} {:?}", x.get(i), y.get(j));
            close(found[i * y.n() + j], formula(row, col), place);
        }
    }
    for (i, found) in diag(&kernel, x).into_iter().enumerate() {
        close(found, formula(&rows[i], &rows[i]), format!("{text} {unit} diagonal {i}"));
    }
    let single: Vec<f32> = tile(&kernel, Span::all(x), Span::all(y));
    for (single, double) in single.into_iter().zip(found) {
        assert!((f64::from(single) - double).abs() <= 1e-6 * double.abs(), "{text} in f32");
    }
}

#[test]
fn every_kernel_computes_its_definition() {
    let letters = ["a", "b", "é", " ", "世", "c "];
    let x = strings(&texts(21, 24, &letters, 1));
    // Other symbols, so that the two sets number theirs differently.
    let y = strings(&texts(40, 20, &["A", "b", "é", " ", "🦀", "c "], 2));
    for (text, formula) in CASES {
        for unit in UNITS {
            check(text, *formula, unit, &x, &y);
            check(text, *formula, unit, &x, &x);
            check(text, *formula, unit, &x.select(&[5, 1, 1]), &x);
        }
    }
}

#[test]
fn every_family_has_a_case() {
    for family in super::super::families() {
        let has_case = CASES.iter().any(|(text, _)| text.split('(').next() == Some(family.name));
        assert!(has_case, "no case for {}", family.name);
    }
}
