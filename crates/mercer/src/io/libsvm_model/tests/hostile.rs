//! Text that is no model.

use std::path::Path;

use proptest::prelude::*;

use super::super::parse;
use super::{ALL, ONE_CLASS, PRECOMPUTED, THREE, TWO};

/// `text` with the first `from` replaced is refused with a message that has all `parts`.
fn check(text: &str, from: &str, to: &str, parts: &[&str]) {
    assert!(text.contains(from), "{from:?}");
    let changed = text.replacen(from, to, 1);
    let error = parse(Path::new("m.model"), changed.as_bytes(), u64::MAX);
    let message = error.err().unwrap_or_else(|| panic!("accepted: {changed}")).to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
    assert!(message.chars().count() < 400 && !message.contains('\n'), "{message}");
}

#[test]
fn heads_are_distrusted() {
    check(THREE, "c_svc", "d_svc", &["m.model: line 1", "\"d_svc\"", "nu_svr"]);
    check(THREE, "svm_type c_svc\n", "", &["line 10", "svm_type is missing"]);
    check(THREE, "svm_type c_svc", "svm_type", &["line 1", "0 values"]);
    check(THREE, "rbf", "fourier", &["line 2", "\"fourier\"", "precomputed"]);
    check(THREE, "gamma 0.5\n", "", &["gamma is missing"]);
    check(THREE, "gamma 0.5", "gamma 0.5 1", &["line 3", "2 values"]);
    check(THREE, "gamma 0.5", "gamma nan", &["line 3", "\"nan\" is not a finite number"]);
    check(THREE, "gamma 0.5", "gamma 1e999", &["line 3", "finite"]);
    check(THREE, "gamma 0.5", "gamma -1", &["line 3", "positive"]);
    check(THREE, "gamma 0.5", "gamma 0.5\ngamma 0.5", &["line 4", "appears twice"]);
    check(THREE, "gamma 0.5", "gama 0.5", &["line 3", "\"gama\"", "kernel_type, degree"]);
    check(TWO, "degree 3", "degree 0", &["line 3", "at least 1"]);
    check(TWO, "degree 3", "degree 99999999999", &["line 3", "degree"]);
    check(TWO, "coef0 0.25", "coef0 x", &["line 5", "finite"]);
    check(ONE_CLASS, "rho 1.5", "rho 1.5 2", &["line 5", "2 values, expected 1"]);
}

#[test]
fn counts_are_distrusted() {
    check(THREE, "nr_class 3", "nr_class 4", &["line 7", "label has 3 values, expected 4"]);
    check(THREE, "nr_class 3", "nr_class 1", &["line 4", "at least 2"]);
    check(THREE, "nr_class 3", "nr_class -3", &["line 4", "not a count"]);
    check(THREE, "nr_class 3", "nr_class 18446744073709551615", &["line 7", "label"]);
    check(THREE, "total_sv 6", "total_sv 7", &["line 10", "does not add up to total_sv, 7"]);
    check(THREE, "total_sv 6", "total_sv 18446744073709551615", &["line 10", "add up"]);
    check(THREE, "total_sv 6", "total_sv 0", &["without support vectors"]);
    check(ONE_CLASS, "total_sv 2", "total_sv 1", &["line 9", "more support vectors"]);
    check(ONE_CLASS, "total_sv 2", "total_sv 99999999999", &["line 9", "2 of 99999999999"]);
    check(THREE, "nr_sv 2 1 3", "nr_sv 2 18446744073709551615 5", &["line 10", "add up"]);
    check(THREE, "nr_sv 2 1 3", "nr_sv 3 3", &["line 10", "2 values, expected 3"]);
    check(THREE, "rho 0.125 ", "rho ", &["line 6", "2 values, expected 3"]);
    check(THREE, "probA -1.5 ", "probA ", &["line 8", "2 values, expected 3"]);
    check(THREE, "probB 0.25 -0.125 0.5\n", "", &["probB is missing"]);
    check(THREE, "label 5 -2 3", "label 5 5 3", &["line 7", "label 5 appears twice"]);
    check(THREE, "label 5 -2 3", "label 5 a 3", &["line 7", "\"a\" after label"]);
    check(THREE, "label 5 -2 3", "label 5 2.5 3", &["line 7", "not an integer"]);
}

#[test]
fn support_vectors_are_distrusted() {
    check(THREE, "0.5 1 1:0.5", "0.5 1:0.5", &["line 12", "1 coefficients, expected 2"]);
    check(THREE, "0.5 1 1:0.5", "0.5 1 7 1:0.5", &["line 12", "\"7\" is not index:value"]);
    check(THREE, "0.5 1 1:0.5", "inf 1 1:0.5", &["line 12", "\"inf\""]);
    check(THREE, "2:1.5", "2:", &["line 13", "finite"]);
    check(THREE, "2:1.5", "-2:1.5", &["line 13", "index:value"]);
    check(THREE, "2:1.5", "2:NaN", &["line 13", "\"NaN\""]);
    check(THREE, "1:0.5 3:-1", "3:0.5 1:-1", &["line 12", "ascending"]);
    check(THREE, "1:0.5 3:-1", "1:0.5 1:-1", &["line 12", "ascending"]);
    check(THREE, "2:1.5", "2:1e200", &["squares overflow"]);
    check(THREE, "2:1.5", "18446744073709551615:1", &["memory budget"]);
    check(THREE, "2:1.5", "99999999999999:1", &["memory budget"]);
    check(THREE, "2:1.5", "99999999999999999999999:1", &["line 13", "index:value"]);
    check(PRECOMPUTED, "0:4", "0:0", &["line 9", "0:serial"]);
    check(PRECOMPUTED, "0:4", "0:4 1:2", &["line 9", "0:serial"]);
    check(PRECOMPUTED, "0:4", "0:1e300", &["line 9", "0:serial"]);
    check(PRECOMPUTED, "0:4", "0:1.5", &["line 9", "0:serial"]);
    check(PRECOMPUTED, "0:4", "", &["line 9", "0:serial"]);
}

#[test]
fn every_line_that_is_cut_off_is_missed() {
    for text in ALL {
        let lines: Vec<&str> = text.lines().collect();
        for count in 0..lines.len() {
            let cut = lines[..count].join("\n");
            let message =
                parse(Path::new("m"), cut.as_bytes(), u64::MAX).err().unwrap().to_string();
            assert!(message.contains("cut off"), "{count} lines: {message}");
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    for text in ALL {
        for length in 0..text.len() {
            let message = parse(Path::new("m"), &text.as_bytes()[..length], u64::MAX).err();
            let message = message.unwrap_or_else(|| panic!("accepted: {}", &text[..length]));
            assert!(message.to_string().contains("cut off"), "{length} bytes: {message}");
        }
        let more = format!("{text}0.5");
        let message = parse(Path::new("m"), more.as_bytes(), u64::MAX).err().unwrap().to_string();
        assert!(message.contains("cut off"), "{message}");
    }
}

#[test]
fn blank_lines_and_other_line_ends_are_passed_over() {
    for text in ALL {
        for changed in [text.replace('\n', "\r\n"), text.replace('\n', " \n\n")] {
            parse(Path::new("m"), changed.as_bytes(), u64::MAX).unwrap();
        }
    }
    let bytes = [&THREE.as_bytes()[..40], b"\xff"].concat();
    let message = parse(Path::new("m"), &bytes, u64::MAX).err().unwrap().to_string();
    assert!(message.contains("line 3") && message.contains("UTF-8"), "{message}");
}

proptest! {
    #[test]
    fn altered_text_does_no_harm(
        which in 0..ALL.len(),
        at in any::<prop::sample::Index>(),
        length in 0..20usize,
        by in "[0-9a-zA-Z:. \n+-]{0,20}",
    ) {
        let text = ALL[which];
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        let changed = [&text[..start], &by, &text[end..]].concat();
        let _ = parse(Path::new("m"), changed.as_bytes(), u64::MAX);
    }
}
