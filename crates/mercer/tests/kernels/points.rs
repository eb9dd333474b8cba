//! Sample sets and their checks.

use mercer::{Dense, Points, Span};

use crate::support::normal;

#[test]
fn any_strides_give_the_same_rows() {
    let (n, d) = (70, 37);
    let expected: Vec<f64> = (0..n * d).map(|v| v as f64).collect();
    let check = |layout: &dyn Fn(usize, usize) -> usize, offset, row_stride, col_stride, len| {
        let mut data = vec![f64::NAN; len]; // what is not addressed must not be looked at
        (0..n).for_each(|i| (0..d).for_each(|j| data[layout(i, j)] = (i * d + j) as f64));
        let x = Dense::from_strided(&data, offset, n, d, row_stride, col_stride).unwrap();
        assert_eq!(x.data(), expected, "strides {row_stride}, {col_stride}");
    };
    check(&|i, j| i * d + j, 0, d as isize, 1, n * d);
    check(&|i, j| i + j * n, 0, 1, n as isize, n * d);
    check(&|i, j| 5 + i * 100 + j * 2, 5, 100, 2, n * 100 + 5);
    check(&|i, j| (n - 1 - i) * d + j, (n - 1) * d, -(d as isize), 1, n * d);
    check(&|i, j| i * d + (d - 1 - j), d - 1, d as isize, -1, n * d);
    check(&|i, j| n * d - 1 - i - j * n, n * d - 1, -1, -(n as isize), n * d);
}

#[test]
fn zero_strides_repeat() {
    let x = Dense::from_strided(&[1.0f32, 2.0], 0, 3, 2, 0, 1).unwrap();
    assert_eq!(x.data(), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    assert_eq!(x.norms(), [5.0; 3]);
}

#[test]
fn norms_rows_and_selection() {
    let x = normal::<f64>(11, 19, 1);
    for i in 0..11 {
        let expected: f64 = x.row(i).iter().map(|v| v * v).sum();
        assert!((x.norms()[i] - expected).abs() < 1e-12 * expected);
    }
    let rows = x.rows(3..5);
    assert_eq!((rows.data, rows.norms, rows.dim), (&x.data()[57..95], &x.norms()[3..5], 19));
    let chosen = x.select(&[7, 0, 7]);
    assert_eq!((chosen.len(), chosen.row(0), chosen.row(1)), (3, x.row(7), x.row(0)));
    assert_eq!(chosen.norms()[2], x.norms()[7]);
    assert!(x.is_same(&x.clone()) && !x.is_same(&chosen));
    let part = Span::new(&x, 2..9).part(1..3);
    assert_eq!((part.range(), part.len(), part.is_empty()), (3..5, 2, false));
}

#[test]
fn bad_samples_are_refused() {
    let check = |result: mercer::Result<Dense<f64>>, part: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(part), "{error:?} lacks {part:?}");
    };
    let samples = "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required.";
    let features = "Found array with 0 feature(s) (shape=(5, 0)) while a minimum of 1 is required.";
    check(Dense::from_rows(&[], 0, 3), samples);
    check(Dense::from_rows(&[], 5, 0), features);
    check(Dense::from_strided(&[], 0, 5, 0, 1, 1), features);
    check(Dense::from_rows(&[1.0; 5], 2, 3), "needs 6 values, got 5");
    check(Dense::from_rows(&[], usize::MAX, 3), "more elements than this machine can address");
    check(Dense::from_strided(&[1.0], 0, usize::MAX / 64, 3, 0, 0), "not enough memory for");
    check(Dense::from_strided(&[1.0; 6], 1, 2, 3, 3, 1), "reaches from 1 to 6");
    check(Dense::from_strided(&[1.0; 6], 2, 2, 3, -3, 1), "reaches from -1 to 4");
    check(Dense::from_strided(&[1.0; 6], 0, 2, 2, isize::MAX, isize::MAX), "outside the 6 values");
    check(Dense::from_rows(&[1.0, 2.0, 3.0, f64::NAN], 2, 2), "NaN at row 1, column 1");
    check(Dense::from_rows(&[1.0, f64::INFINITY, 3.0, 4.0], 2, 2), "infinity at row 0, column 1");
    check(Dense::from_rows(&[1.0, 1.0, 1e200, 1.0], 2, 2), "row 1 (zero-based) are so large");
}

#[test]
fn converting_keeps_values_or_names_the_place() {
    let x = normal::<f64>(3, 2, 2);
    let narrow = x.convert::<f32>().unwrap();
    assert!(x.data().iter().zip(narrow.data()).all(|(a, b)| *a as f32 == *b));
    assert!(x.convert::<f64>().unwrap().is_same(&x));
    let large = Dense::from_rows(&[1.0, 2.0, 3.0, -1e100], 2, 2).unwrap();
    let error = large.convert::<f32>().unwrap_err().to_string();
    assert!(
        error.contains("-1e100 at row 1, column 1") && error.contains("range of f32"),
        "{error}"
    );
    let squares = Dense::from_rows(&[1e20, 2.0], 1, 2).unwrap();
    let error = squares.convert::<f32>().unwrap_err().to_string();
    assert!(error.contains("overflow f32") && error.contains("use f64"), "{error}");
}
