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
    ("substrings(p=9", |x, y| naive::substrings(x, y, |length| f64::from(length <= 9))),
    ("all_substrings(", |x, y| naive::substrings(x, y, |_| 1.0)),
    ("exponential(decay=0.6", |x, y| naive::substrings(x, y, |length| 0.6_f64.powi(length as i32))),
    ("edit(width=3", |x, y| (-(naive::edits(x, y) as f64 / 3.0).powi(2)).exp()),
    ("edit(gamma=0.01", |x, y| (-0.01 * (naive::edits(x, y) as f64).powi(2)).exp()),
    ("gappy(g=6, m=2", |x, y| naive::gappy(x, y, 6, 2)),
    ("gappy(g=3, m=0", |x, y| naive::gappy(x, y, 3, 0)),
    ("gappy(g=1, m=0", |x, y| naive::gappy(x, y, 1, 0)),
    // Without mismatches it is the spectrum; with as many as there can be, every word counts for every other.
    ("mismatch(k=3, m=0, alphabet=9", |x, y| naive::gappy(x, y, 3, 0)),
    ("subsequences(p=1, decay=0.7", |x, y| naive::subsequences(x, y, 1, 0.7)),
    ("subsequences(p=2, decay=1", |x, y| naive::subsequences(x, y, 2, 1.0)),
    ("subsequences(p=3", |x, y| naive::subsequences(x, y, 3, 0.5)),
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
    let comma = if text.ends_with('(') { "" } else { ", " };
    let kernel = member(&format!("{text}{comma}unit={unit})"));
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
        assert!((f64::from(single) - double).abs() <= 1e-5 * double.abs(), "{text} in f32");
    }
}

#[test]
fn every_kernel_computes_its_definition() {
    let letters = ["a", "b", "é", " ", "世", "c "];
    let x = strings(&texts(12, 16, &letters, 1));
    // Other symbols, so that the two sets number theirs differently.
    let y = strings(&texts(18, 15, &["A", "b", "é", " ", "🦀", "c "], 2));
    for (text, formula) in CASES {
        for unit in UNITS {
            check(text, *formula, unit, &x, &y);
            check(text, *formula, unit, &x, &x);
            check(text, *formula, unit, &x.select(&[5, 1, 1]), &x);
        }
    }
}

/// More symbols than the levels that are taken at once, in every remainder.
#[test]
fn long_subsequences_compute_their_definition() {
    let x = strings(&texts(9, 11, &["a", "b", "c"], 3));
    for p in 4..11 {
        let kernel = member(&format!("subsequences({p}, decay=0.9)"));
        let found = values(&kernel, &x, &x);
        for (i, a) in x.iter().enumerate() {
            for (j, b) in x.iter().enumerate() {
                let expected = naive::subsequences(a.as_bytes(), b.as_bytes(), p, 0.9);
                let error = (found[i * x.n() + j] - expected).abs();
                assert!(error <= 1e-13 * expected, "{p} {a} {b}");
            }
        }
    }
}

/// Against the whole feature map, alphabet^k words.
#[test]
fn mismatches_compute_their_definition() {
    let x = strings(&texts(12, 16, &["a", "b", "c"], 4));
    for (k, m) in [(1, 0), (2, 1), (3, 1), (3, 2), (5, 1), (5, 4)] {
        for alphabet in ["abc", "abcde"] {
            let kernel = member(&format!("mismatch({k}, m={m}, alphabet={})", alphabet.len()));
            let found = values(&kernel, &x, &x);
            for (i, a) in x.iter().enumerate() {
                for (j, b) in x.iter().enumerate() {
                    let (a, b) = (a.as_bytes(), b.as_bytes());
                    let expected = naive::mismatch(a, b, k, m, alphabet.as_bytes());
                    assert_eq!(found[i * x.n() + j], expected, "{k} {m} {alphabet} {a:?} {b:?}");
                }
            }
        }
    }
}

/// More symbols than fit into a byte.
#[test]
fn large_alphabets_compute_their_definition() {
    let letters: Vec<String> =
        (0..400_u32).map(|i| char::from_u32(0x4e00 + i).unwrap().into()).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    let mut many = texts(300, 20, &letters, 5);
    // Texts that share something.
    (0..10).for_each(|i| many.push(many[i].replace(letters[7], letters[263]) + letters[263]));
    let x = strings(&many);
    let formula: Formula = |x, y| naive::gappy(x, y, 3, 1);
    let some = x.select(&[0, 1, 2, 4, 5, 6]);
    check("gappy(3, m=1", formula, "chars", &some, &x);
    check("all_substrings(", |x, y| naive::substrings(x, y, |_| 1.0), "chars", &some, &x);
}

/// Texts of several words of bits, whose ends fall on all sides of a word's.
#[test]
fn long_texts_have_their_distances() {
    let mut stream = Stream::new(6, "long texts");
    let mut long = |length: usize| -> String {
        (0..length).map(|_| ['a', 'b', 'c'][stream.below(3)]).collect()
    };
    let mut all: Vec<String> = [1, 62, 63, 64, 65, 127, 128, 129, 200, 300].map(&mut long).into();
    all.push(all[9].replace("ab", "ba"));
    all.push(all[8].replace("abc", ""));
    let x = strings(&all);
    let found = values(&member("edit(gamma=1e-4)"), &x, &x);
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            let distance = (found[i * x.n() + j].ln() / -1e-4).sqrt();
            let expected = naive::edits(a.as_bytes(), b.as_bytes());
            assert!((distance - expected as f64).abs() < 1e-3, "{i} {j}: {distance} {expected}");
        }
    }
}

/// So many symbols and states that an automaton has no table.
#[test]
fn automata_without_tables_compute_their_definition() {
    let mut stream = Stream::new(7, "many words");
    let mut words = |count: usize| -> String {
        (0..count).map(|_| format!("{} ", stream.below(900))).collect()
    };
    let x = strings(&[words(1500), words(300) + &"7 8 ".repeat(30)]);
    let naive = |i: usize, j: usize| {
        let of = |i: usize| naive::symbols(x.get(i), "words");
        naive::substrings(&of(i), &of(j), |_| 1.0)
    };
    let found = values(&member("all_substrings(unit=words)"), &x, &x);
    assert_eq!(found, [naive(0, 0), naive(0, 1), naive(1, 0), naive(1, 1)]);
}

#[test]
fn every_family_has_a_case() {
    for family in super::super::families() {
        let has_case = CASES.iter().any(|(text, _)| text.split('(').next() == Some(family.name));
        assert!(has_case, "no case for {}", family.name);
    }
}
