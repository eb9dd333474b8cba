//! Definitions as plain loops over symbols.

use std::collections::HashMap;
use std::hash::Hash;

/// The symbols of a text, each as its own text.
pub fn symbols(text: &str, unit: &str) -> Vec<String> {
    match unit {
        "chars" => text.chars().map(String::from).collect(),
        "bytes" => text.bytes().map(|byte| byte.to_string()).collect(),
        "words" => text.split_whitespace().map(String::from).collect(),
        other => panic!("{other}"),
    }
}

/// Σ weight(length) over all pairs of equal substrings.
pub fn substrings<S: PartialEq>(x: &[S], y: &[S], weight: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for j in 0..y.len() {
            for length in 1..=(x.len() - i).min(y.len() - j) {
                if x[i..i + length] == y[j..j + length] {
                    sum += weight(length);
                }
            }
        }
    }
    sum
}

/// Every choice of `p` of the places `0..n`.
fn choices(n: usize, p: usize) -> Vec<Vec<usize>> {
    if p == 0 {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for last in p - 1..n {
        for mut choice in choices(last, p - 1) {
            choice.push(last);
            all.push(choice);
        }
    }
    all
}

/// The feature map of subsequences: decay^span, summed over the places where each occurs.
fn spans<S: Clone + Eq + Hash>(x: &[S], p: usize, decay: f64) -> HashMap<Vec<S>, f64> {
    let mut features = HashMap::new();
    for choice in choices(x.len(), p) {
        let span = choice[p - 1] - choice[0] + 1;
        let chosen = choice.iter().map(|&at| x[at].clone()).collect();
        *features.entry(chosen).or_insert(0.0) += decay.powi(span as i32);
    }
    features
}

pub fn subsequences<S: Clone + Eq + Hash>(x: &[S], y: &[S], p: usize, decay: f64) -> f64 {
    dot(&spans(x, p, decay), &spans(y, p, decay))
}

fn dot<K: Eq + Hash>(x: &HashMap<K, f64>, y: &HashMap<K, f64>) -> f64 {
    x.iter().filter_map(|(key, a)| y.get(key).map(|b| a * b)).sum()
}

/// The feature map of gappy windows: which places are kept, and what stands there.
pub fn gappy<S: Clone + Eq + Hash>(x: &[S], y: &[S], g: usize, m: usize) -> f64 {
    let map = |x: &[S]| {
        let mut features: HashMap<(Vec<usize>, Vec<S>), f64> = HashMap::new();
        for window in x.windows(g) {
            for kept in choices(g, g - m) {
                let symbols = kept.iter().map(|&at| window[at].clone()).collect();
                *features.entry((kept, symbols)).or_insert(0.0) += 1.0;
            }
        }
        features
    };
    dot(&map(x), &map(y))
}

/// The feature map of mismatches over the whole of alphabet^k.
pub fn mismatch(x: &[u8], y: &[u8], k: usize, m: usize, alphabet: &[u8]) -> f64 {
    let mut all: Vec<Vec<u8>> = vec![vec![]];
    for _ in 0..k {
        let longer = |word: &Vec<u8>| {
            let word = word.clone();
            alphabet.iter().map(move |&letter| [&word[..], &[letter]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    let near =
        |word: &[u8], window: &[u8]| word.iter().zip(window).filter(|(a, b)| a != b).count() <= m;
    let count =
        |word: &[u8], text: &[u8]| text.windows(k).filter(|window| near(word, window)).count();
    all.iter().map(|word| (count(word, x) * count(word, y)) as f64).sum()
}

/// The edit distance by its recursion, row by row.
pub fn edits<S: PartialEq>(x: &[S], y: &[S]) -> usize {
    let mut last: Vec<usize> = (0..=y.len()).collect();
    for i in 0..x.len() {
        let mut row = vec![i + 1];
        for j in 0..y.len() {
            let changed = last[j] + usize::from(x[i] != y[j]);
            row.push(changed.min(last[j + 1] + 1).min(row[j] + 1));
        }
        last = row;
    }
    last[y.len()]
}
