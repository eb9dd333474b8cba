//! Values worked out by hand.

use super::{diag, member, strings, try_member, values};

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
    refused("spectrum(p=40)", "no text has p = 40 characters: the longest has 12");
    refused("spectrum(p=3, unit=words)", "no text has p = 3 words: the longest has 2");
    assert_eq!(value("spectrum(p=40)", "few", "few"), 0.0);
    assert_eq!(value("spectrum(p=4000000000)", "few", "few"), 0.0);
    member("spectrum(p=12)").check(&short).unwrap();
    member("substrings(p=40)").check(&short).unwrap();
    let empty = strings(&["", ""]);
    let error = member("substrings(p=2)").check(&empty).unwrap_err().to_string();
    assert!(error.contains("no text has any characters"), "{error}");
    assert!(try_member("spectrum").is_ok());
}
