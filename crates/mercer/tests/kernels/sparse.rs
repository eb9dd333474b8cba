//! Sparse sample sets and their checks.

use mercer::points::{Csr, Points};
use mercer::{Dense, Result};

use crate::support::{counts, normal};

/// Rows (0, 2, 0), (), (1, 0, -3).
fn small() -> Csr<f64> {
    Csr::new(3, 3, &[0, 1, 1, 3], &[1, 0, 2], &[2.0, 1.0, -3.0]).unwrap()
}

#[test]
fn rows_come_back_as_they_were_given() {
    let x = small();
    assert_eq!((x.n(), x.d(), x.len(), x.cost().eval_cost), (3, 3, 3, 1));
    assert_eq!(x.row(0), (&[1][..], &[2.0][..]));
    assert_eq!(x.row(1), (&[][..], &[][..]));
    assert_eq!(x.row(2), (&[0, 2][..], &[1.0, -3.0][..]));
    assert_eq!((x.norms(), x.sums()), (&[4.0, 0.0, 10.0][..], &[2.0, 0.0, 4.0][..]));
    assert_eq!((x.at(2, 2), x.at(2, 1), x.at(1, 0)), (-3.0, 0.0, 0.0));
    let dense = x.to_dense().unwrap();
    assert_eq!(dense.data(), [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -3.0]);
    let again = Csr::from_dense(&dense).unwrap();
    assert_eq!(
        (again.starts(), again.columns(), again.values()),
        (x.starts(), x.columns(), x.values())
    );
    let chosen = x.select(&[2, 0, 2]);
    assert_eq!((chosen.row(0), chosen.row(1), chosen.row(2)), (x.row(2), x.row(0), x.row(2)));
    assert_eq!((chosen.norms(), chosen.sums()), (&[10.0, 4.0, 10.0][..], &[4.0, 2.0, 4.0][..]));
    assert!(x.is_same(&x.clone()) && !x.is_same(&chosen));
}

#[test]
fn rows_in_any_state_are_put_in_order() {
    // Row 0: columns out of order and twice; row 1: numbers that cancel, and a written zero.
    let at = [4_i64, 1, 4, 0, 2, 2, 3];
    let values = [1.0_f32, 2.0, 0.5, 0.0, 5.0, -5.0, 0.0];
    let x = Csr::new(2, 5, &[0_i32, 4, 7], &at, &values).unwrap();
    assert_eq!(x.row(0), (&[1, 4][..], &[2.0, 1.5][..]));
    assert_eq!(x.row(1), (&[][..], &[][..]));
}

#[test]
fn bad_sparse_samples_are_refused() {
    let check = |result: Result<Csr<f64>>, part: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(part), "{error:?} lacks {part:?}");
    };
    let new = |n, d, starts: &[i64], at: &[i64], values: &[f64]| Csr::new(n, d, starts, at, values);
    check(new(0, 3, &[0], &[], &[]), "0 sample(s) (shape=(0, 3))");
    check(new(2, 0, &[0, 0, 0], &[], &[]), "0 feature(s)");
    check(new(1, 1 << 32, &[0, 0], &[], &[]), "at most 4294967295 features, got 4294967296");
    check(new(2, 3, &[0, 1], &[0], &[1.0]), "2 sparse rows need n + 1 row starts, got 2");
    check(new(usize::MAX, 3, &[0, 1], &[0], &[1.0]), "row starts, got 2");
    check(new(1, 3, &[1, 1], &[0], &[1.0]), "starts at 1, not at 0");
    check(new(1, 3, &[0, 1], &[0, 1], &[1.0]), "2 column indices for 1 values");
    check(new(2, 3, &[0, 2, 1], &[0, 1], &[1.0, 2.0]), "row 1 (zero-based) goes from 2 to 1");
    check(new(2, 3, &[0, 2, 9], &[0, 1], &[1.0, 2.0]), "row 1 (zero-based) goes from 2 to 9");
    check(new(2, 3, &[0, -2, 2], &[0, 1], &[1.0, 2.0]), "row 0 (zero-based) goes from 0 to -2");
    check(new(1, 3, &[0, 2], &[0, 3], &[1.0, 2.0]), "row 0 has a value in column 3");
    check(new(1, 3, &[0, 2], &[0, -1], &[1.0, 2.0]), "column -1 (zero-based), but there are 3");
    check(new(2, 3, &[0, 1, 2], &[0, 2], &[1.0, f64::NAN]), "NaN at row 1, column 2");
    check(new(2, 3, &[0, 1, 2], &[0, 2], &[f64::INFINITY, 1.0]), "infinity at row 0, column 0");
    check(new(1, 3, &[0, 2], &[1, 1], &[1e308, 1e308]), "infinity at row 0, column 1");
    check(new(1, 3, &[0, 1], &[1], &[1e200]), "row 0 (zero-based) are so large");
}

#[test]
fn converting_sparse_samples_keeps_values_or_names_the_place() {
    let x = small();
    assert!(x.convert::<f64>().unwrap().is_same(&x));
    assert_eq!(x.convert::<f32>().unwrap().row(2), (&[0, 2][..], &[1.0f32, -3.0][..]));
    let large = Csr::new(2, 9, &[0, 1, 2], &[1, 8], &[1.0, 1e100]).unwrap();
    let error = large.convert::<f32>().unwrap_err().to_string();
    assert!(error.contains("1e100 at row 1, column 8"), "{error}");
    let squares = Csr::new(1, 9, &[0, 1], &[1], &[1e20]).unwrap();
    assert!(squares.convert::<f32>().unwrap_err().to_string().contains("overflow f32"));
    let tiny = Csr::new(1, 9, &[0, 1], &[1], &[1e-200]).unwrap();
    assert!(tiny.convert::<f32>().unwrap().values().is_empty());
    let wide = Csr::<f32>::new(100_000, u32::MAX as usize, &[0; 100_001], &[0; 0], &[]).unwrap();
    assert!(
        wide.to_dense()
            .unwrap_err()
            .to_string()
            .contains("not enough memory for 100000 × 4294967295")
    );
}

#[test]
fn roots_and_negative_numbers() {
    let x = small();
    assert_eq!(x.first_negative(), Some((2, 2)));
    assert_eq!(x.to_dense().unwrap().first_negative(), Some((2, 2)));
    assert_eq!(x.select(&[2, 0]).first_negative(), Some((0, 2)));
    assert_eq!(x.roots().row(0), (&[1][..], &[2f64.sqrt()][..]));
    assert_eq!(x.roots().row(2), (&[0][..], &[1.0][..]));
    let y = counts::<f64>(9, 4, 1);
    assert_eq!(y.first_negative(), None);
    let known = y.roots().clone();
    let chosen = y.select(&[5, 2]);
    assert_eq!(chosen.first_negative(), None);
    assert_eq!((chosen.roots().row(0), chosen.roots().row(1)), (known.row(5), known.row(2)));
    let sums: Vec<f64> = (0..9).map(|i| y.row(i).iter().sum()).collect();
    assert!(known.norms().iter().zip(sums).all(|(norm, sum)| (norm - sum).abs() < 1e-14 * sum));
}

#[test]
fn statistics_do_not_depend_on_the_form() {
    let shifted: Vec<f64> = normal::<f64>(12, 7, 1).data().iter().map(|v| v.max(0.0)).collect();
    let dense = Dense::from_rows(&shifted, 12, 7).unwrap();
    let sparse = Csr::from_dense(&dense).unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14 * a.abs().max(1.0), "{a} {b}");
    near(dense.variance(), sparse.variance());
    for i in 0..12 {
        for j in 0..12 {
            near(dense.squared_distance(i, j), sparse.squared_distance(i, j));
            near(dense.chi2_distance(i, j), sparse.chi2_distance(i, j));
        }
    }
    near(
        dense.squared_distance(3, 4),
        dense.row(3).iter().zip(dense.row(4)).map(|(a, b)| (a - b).powi(2)).sum(),
    );
}
