//! Values worked out by hand.

use super::super::rule_value;
use super::{diag, member, strings, try_member, values};
use crate::kernel::{KernelSpec, Value};

fn value(kernel: &str, x: &str, y: &str) -> f64 {
    values(&member(kernel), &strings(&[x]), &strings(&[y]))[0]
}

#[test]
fn substrings_of_one_length() {
    // st ta at ti is st ti ic cs against co om mp pu ut ta at ti io on: ta and at once each, ti twice in the first.
    assert_eq!(value("spectrum(p=2)", "statistics", "computation"), 4.0);
    // sta tat ati tis ist sti tic ics against com omp mpu put uta tat ati tio ion: tat and ati.
    assert_eq!(value("spectrum(p=3)", "statistics", "computation"), 2.0);
    // st and ti twice, ta at is ic cs once: 4 + 4 + 5.
    assert_eq!(diag(&member("spectrum(2)"), &strings(&["statistics"])), [13.0]);
    assert_eq!(value("spectrum(2, unit=words)", "to be or not to be", "not to be or to be"), 6.0);
}

#[test]
fn substrings_up_to_a_length() {
    // s 3, t 3, a 1, i 2, c 1 against c 1, o 2, m 1, p 1, u 1, t 2, a 1, i 1, n 1: t 6, a 1, i 2, c 1, in all 10.
    assert_eq!(value("substrings(p=1)", "statistics", "computation"), 10.0);
    assert_eq!(value("substrings(p=3)", "statistics", "computation"), 16.0);
}

#[test]
fn substrings_of_any_length() {
    // ab and b: a, b, ab against b: b alone. ab with itself: a, b, ab.
    assert_eq!(value("all_substrings", "ab", "b"), 1.0);
    assert_eq!(value("all_substrings", "ab", "ab"), 3.0);
    assert_eq!(value("exponential(decay=0.5)", "ab", "ab"), 0.5 + 0.5 + 0.25);
    // a: 3·2, aa: 2·1.
    assert_eq!(value("all_substrings", "aaa", "aa"), 8.0);
    assert_eq!(value("exponential(decay=0.5)", "aaa", "aa"), 3.5);
    // Letters 10, pairs 4, triples 2, tati alone of four.
    assert_eq!(value("all_substrings", "statistics", "computation"), 17.0);
}

#[test]
fn distances_of_words() {
    // kitten, sitten, sittin, sitting.
    let near = |x: &str, y: &str| value("edit(gamma=1)", x, y).ln();
    assert!((near("kitten", "sitting") + 9.0).abs() < 1e-12);
    assert_eq!((near("", ""), near("same", "same")), (0.0, 0.0));
    assert!((near("", "four") + 16.0).abs() < 1e-12 && (near("two", "") + 9.0).abs() < 1e-12);
    assert!((value("edit(gamma=1, unit=words)", "a b c", "a c").ln() + 1.0).abs() < 1e-12);
    assert!(!"edit".parse::<KernelSpec>().unwrap().positive_definite());
}

#[test]
fn rules_find_their_numbers() {
    let found = |kernel: &str, texts: &[&str]| {
        let spec: KernelSpec = kernel.parse().unwrap();
        let leaf = spec.as_leaf().unwrap();
        let waits = |value| matches!(value, Some(Value::Rule(_)));
        let (parameter, value) = leaf.effective().find(|(_, value)| waits(*value)).unwrap();
        let Some(Value::Rule(rule)) = value else { unreachable!() };
        rule_value(leaf, parameter.name, rule, &strings(texts)).map_err(|error| error.to_string())
    };
    assert_eq!(found("mismatch", &["GATTACA", "", "C"]), Ok(4.0));
    assert_eq!(found("mismatch(unit=words)", &["to be or", "not to be"]), Ok(4.0));
    // Distances 1, 2 and 3; then 1, 2, 3, 3, 2 and 1.
    assert_eq!(found("edit", &["a", "ab", "abcd"]), Ok(2.0));
    assert_eq!(found("edit(width=median)", &["a", "ab", "abc", "abcd"]), Ok(1.5));
    assert!(found("mismatch", &["", ""]).unwrap_err().contains("all strings are empty"));
    assert!(found("edit", &["alone"]).unwrap_err().contains("only one string"));
    assert!(found("edit", &["a", "a", "a"]).unwrap_err().contains("are equal"));
}

#[test]
fn windows_that_differ() {
    // abc and abd differ in one of three places: of the three choices of two, one avoids it.
    assert_eq!(value("gappy(g=3, m=1)", "abc", "abd"), 1.0);
    assert_eq!(value("gappy(g=3, m=1)", "abc", "abc"), 3.0);
    assert_eq!(value("gappy(g=3, m=2)", "abc", "abd"), 2.0);
    // Of words over {A, C, G, T}, AC and AG are both near themselves, AA and AT alone: within one place of each.
    assert_eq!(value("mismatch(k=2, m=1, alphabet=4)", "AC", "AG"), 4.0);
    // CC and AA differ everywhere: CA and AC are near both. AC is near itself and 3 + 3 others.
    assert_eq!(value("mismatch(k=2, m=1, alphabet=4)", "CC", "AA"), 2.0);
    assert_eq!(value("mismatch(k=2, m=1, alphabet=4)", "AC", "AC"), 7.0);
    let refused = |kernel: &str, part: &str| {
        let error = try_member(kernel).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("gappy(g=3, m=3)", "m: must be below g = 3, not 3");
    refused("gappy(g=64, m=3)", "g: windows have at most 63 symbols, not 64");
    refused("subsequences(p=256)", "p: subsequences have at most 255 symbols, not 256");
    refused("mismatch(k=2, m=5, alphabet=4)", "m: must be below k = 2, not 5");
}

#[test]
fn subsequences_by_their_spans() {
    // The textbook's cat and car share c-a alone: decay² in each. cat with itself: ca, at: decay⁴ each, c-t: decay⁶.
    assert_eq!(value("subsequences(p=2, decay=0.5)", "cat", "car"), 0.0625);
    assert_eq!(value("subsequences(p=2, decay=0.5)", "cat", "cat"), 2.0 * 0.0625 + 0.015625);
    // g-s spans 3 of gas and 4 of gaps, a-s 2 and 3, g-a 2 and 2: 2⁻⁷ + 2⁻⁵ + 2⁻⁴.
    assert_eq!(value("subsequences(p=2)", "gas", "gaps"), 0.1015625);
    // Every choice of 3 of 5 equal symbols, with no decay.
    assert_eq!(value("subsequences(p=3, decay=1)", "aaaaa", "aaaaa"), 100.0);
    assert_eq!(
        value("subsequences(2, unit=words)", "to be or not", "to not be"),
        0.03125 + 0.015625
    );
}

#[test]
fn characters_bytes_and_words_differ() {
    // é and è share the first of their two bytes.
    assert_eq!(value("spectrum(1)", "é", "è"), 0.0);
    assert_eq!(value("spectrum(1, unit=bytes)", "é", "è"), 1.0);
    assert_eq!(value("spectrum(2, unit=bytes)", "é", "é"), 1.0);
    assert_eq!(value("spectrum(2)", "é", "é"), 0.0);
    assert_eq!(value("spectrum(1, unit=words)", "é è", "è\u{3000}é ê"), 2.0);
}

#[test]
fn texts_too_short_are_refused_with_both_numbers() {
    let short = strings(&["twelve chars", "", "few"]);
    let refused = |kernel: &str, part: &str| {
        let error = member(kernel).check(&short).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("spectrum(p=40)", "no string has p = 40 characters: the longest has 12");
    refused("gappy(g=13)", "no string has g = 13 characters: the longest has 12");
    refused("mismatch(k=13, alphabet=2)", "no string has k = 13 characters: the longest has 12");
    refused("spectrum(p=3, unit=words)", "no string has p = 3 words: the longest has 2");
    assert_eq!(value("spectrum(p=40)", "few", "few"), 0.0);
    assert_eq!(value("spectrum(p=4000000000)", "few", "few"), 0.0);
    member("spectrum(p=12)").check(&short).unwrap();
    member("substrings(p=40)").check(&short).unwrap();
    let empty = strings(&["", ""]);
    let error = member("substrings(p=2)").check(&empty).unwrap_err().to_string();
    assert!(error.contains("no string has any characters"), "{error}");
    assert!(try_member("spectrum").is_ok());
}
