//! Feature maps against counts by hand and against the kernel.

use crate::error::Error;
use crate::kernel::{KernelSpec, StringMap, StringMember, Tile};
use crate::linalg::nonzeros::Nonzeros;
use crate::points::{Points, Span, Strings};

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn map(text: &str, texts: &Strings) -> StringMap {
    StringMap::new(&spec(text), texts).unwrap()
}

fn dense(rows: &Nonzeros<f64>, dimension: usize) -> Vec<Vec<f64>> {
    let line = |(at, values): (&[u32], &[f64])| {
        let mut line = vec![0.0; dimension];
        at.iter().zip(values).for_each(|(&place, &value)| line[place as usize] = value);
        line
    };
    rows.all().iter().map(line).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn texts() -> Strings {
    Strings::new(["banana", "", "bandana", "an ape, an ape", "日本語日本"]).unwrap()
}

#[test]
fn features_are_counts_named_by_their_substrings() {
    let two = Strings::new(["banana", "band"]).unwrap();
    let spectrum = map("spectrum(p=2)", &two);
    assert_eq!(spectrum.names().unwrap(), ["an", "ba", "na", "nd"]);
    assert_eq!(spectrum.dimension().unwrap(), 4);
    let rows = dense(&spectrum.apply(&two).unwrap(), 4);
    assert_eq!(rows, [[2.0, 1.0, 2.0, 0.0], [1.0, 1.0, 0.0, 1.0]]);
    let words = Strings::new(["to be or not to be"]).unwrap();
    let pairs = map("spectrum(p=2, unit=words)", &words);
    assert_eq!(pairs.names().unwrap(), ["be or", "not to", "or not", "to be"]);
    assert_eq!(dense(&pairs.apply(&words).unwrap(), 4), [[1.0, 1.0, 1.0, 2.0]]);
    let bytes = map("spectrum(p=1, unit=bytes)", &Strings::new(["aé"]).unwrap());
    assert_eq!(bytes.names().unwrap(), ["a", "\\xa9", "\\xc3"]);
}

/// New texts have features for the substrings that the map knows.
#[test]
fn inner_products_are_the_kernel() {
    let known = texts();
    let new = Strings::new(["bananas and apes", "xyz", "", "日本日"]).unwrap();
    for text in ["spectrum(p=1)", "spectrum(p=3)", "substrings(p=4)", "spectrum(p=2, unit=bytes)"] {
        let spec = spec(text);
        let member = StringMember::new(spec.as_leaf().unwrap()).unwrap();
        let map = map(text, &known);
        let dimension = map.dimension().unwrap();
        assert_eq!(map.names().unwrap().len(), dimension);
        let right = dense(&map.apply(&known).unwrap(), dimension);
        for rows in [&known, &new] {
            let mut values = vec![0.0; rows.n() * known.n()];
            let mut tile = Tile::new(&mut values, rows.n(), known.n(), known.n());
            member.tile(Span::all(rows), Span::all(&known), &mut tile).unwrap();
            let left = dense(&map.apply(rows).unwrap(), dimension);
            for (i, a) in left.iter().enumerate() {
                for (j, b) in right.iter().enumerate() {
                    assert_eq!(dot(a, b), values[i * known.n() + j], "{text}: ({i}, {j})");
                }
            }
        }
    }
}

#[test]
fn sums_scales_and_lengths_are_those_of_the_kernel() {
    let known = texts();
    let parts = ["spectrum(p=2)", "spectrum(p=3)"].map(|text| {
        let map = map(text, &known);
        dense(&map.apply(&known).unwrap(), map.dimension().unwrap())
    });
    let all = map("2*spectrum(p=2) + normalize(spectrum(p=3))", &known);
    let rows = dense(&all.apply(&known).unwrap(), all.dimension().unwrap());
    let length = |i: usize| dot(&parts[1][i], &parts[1][i]).sqrt();
    for i in 0..known.n() {
        for j in 0..known.n() {
            let scale = length(i) * length(j);
            let cosine = if scale > 0.0 { dot(&parts[1][i], &parts[1][j]) / scale } else { 0.0 };
            let want = 2.0 * dot(&parts[0][i], &parts[0][j]) + cosine;
            assert!((dot(&rows[i], &rows[j]) - want).abs() < 1e-12, "({i}, {j})");
        }
    }
    // What the map does not know counts in the length of a new text.
    let half = map("normalize(spectrum(p=1))", &Strings::new(["aaaa"]).unwrap());
    let row = half.apply::<f64>(&Strings::new(["abab"]).unwrap()).unwrap();
    assert!((row.values()[0] - 0.5f64.sqrt()).abs() < 1e-15, "{:?}", row.values());
}

/// A part of a set has the features of its own texts, whatever is known of the whole.
#[test]
fn a_selection_has_features_of_its_own() {
    let whole = texts();
    map("spectrum(p=2)", &whole).apply::<f64>(&whole).unwrap();
    let part = map("spectrum(p=2)", &whole.select(&[0]));
    assert_eq!(part.names().unwrap(), ["an", "ba", "na"]);
}

#[test]
fn what_has_no_map_says_so() {
    let known = texts();
    let refused = |text: &str| StringMap::new(&spec(text), &known).unwrap_err();
    assert!(refused("linear").to_string().contains("not linear"));
    assert!(refused("spectrum*spectrum").to_string().contains("spectrum*spectrum has none"));
    let long = refused("spectrum(p=99)");
    assert!(
        matches!(long, Error::Parameter { name: crate::error::Param::Named("p"), .. }),
        "{long}"
    );
}
