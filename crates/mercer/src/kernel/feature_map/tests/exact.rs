//! Maps whose inner products are the kernel.

use super::*;
use crate::linalg::view::{MatMut, MatRef};

#[test]
fn inner_products_are_the_kernel() {
    for text in [
        "linear",
        "cosine",
        "poly(degree=1)",
        "poly(degree=2)",
        "poly(degree=2, gamma=0.3, coef0=0)",
        "poly(degree=3, gamma=2, coef0=0.7)",
        "poly(degree=7, gamma=0.1, coef0=1.3)",
        "2.5*linear + poly(degree=2)",
        "linear*poly(degree=2)*linear",
        "3*(linear + 0.5*poly(degree=2, coef0=0))*linear",
        "normalize(poly(degree=3))",
        "normalize(linear + poly(degree=2))*linear + normalize(2*linear)",
    ] {
        for (n, d) in [(1, 1), (7, 2), (12, 3), (5, 6)] {
            let found = error_of(text, &normal(n, d, 1));
            assert!(found < 1e-12, "{text} on {n} × {d}: {found:e}");
            assert!(map_of(text, d).unwrap().is_exact());
        }
    }
}

/// C(d + p, p) with a constant, C(d + p − 1, p) without.
#[test]
fn dimensions_are_those_of_combinations() {
    let choose = |n: u64, k: u64| (1..=k).fold(1, |c, i| c * (n - k + i) / i) as usize;
    for d in 1..8 {
        for p in 1..6 {
            let with = FeatureMap::poly(d, p, 1.0, 1.0).unwrap();
            assert_eq!(with.dimension(), choose(d as u64 + u64::from(p), u64::from(p)));
            let without = FeatureMap::poly(d, p, 1.0, 0.0).unwrap();
            assert_eq!(without.dimension(), choose(d as u64 + u64::from(p) - 1, u64::from(p)));
            assert_eq!(names(&with).len(), with.dimension());
        }
    }
    assert_eq!(FeatureMap::poly(2, 2, 1.0, 1.0).unwrap().dimension(), 6);
    assert_eq!(FeatureMap::poly(3, 2, 1.0, 1.0).unwrap().dimension(), 10);
}

/// k = 1 + 2x₁²y₁² + 2x₂²y₂² has φ = (1, √2x₁², √2x₂²).
#[test]
fn a_kernel_on_single_columns_has_the_map_of_the_textbook() {
    let square = |column: usize| {
        let of_one = FeatureMap::poly(1, 2, 1.0, 0.0)?;
        of_one.scale(2.0)?.select(&[column], 2)
    };
    let constant = FeatureMap::constant(2).unwrap();
    let map = FeatureMap::sum(vec![constant, square(0).unwrap(), square(1).unwrap()]).unwrap();
    let columns = ["x₁".to_string(), "x₂".to_string()];
    assert_eq!(map.names(Some(&columns)).unwrap(), ["1", "√2·x₁^2", "√2·x₂^2"]);
    assert_eq!((map.dimension(), map.is_exact()), (3, true));
    let x = Mat::from_vec(vec![3.0, -0.5], 1, 2);
    let root = 2f64.sqrt();
    for (found, want) in features(&map, &x).row(0).iter().zip([1.0, 9.0 * root, 0.25 * root]) {
        assert!((found - want).abs() < 1e-14, "{found} {want}");
    }
    let k = |a: &[f64], b: &[f64]| 1.0 + 2.0 * (a[0] * b[0]).powi(2) + 2.0 * (a[1] * b[1]).powi(2);
    assert!(error(&map, &normal(20, 2, 2), k) < 1e-14);
}

/// For degree 2 and constant c: x_i², √2·x_i·x_j, √(2c)·x_i, c.
#[test]
fn features_of_degree_two_are_those_of_the_textbook() {
    let map = FeatureMap::poly(2, 2, 1.0, 3.0).unwrap();
    assert_eq!(names(&map), ["3", "√6·x0", "√6·x1", "x0^2", "√2·x0·x1", "x1^2"]);
    let x = Mat::from_vec(vec![2.0, 5.0], 1, 2);
    let (two, six) = (2f64.sqrt(), 6f64.sqrt());
    let want = [3.0, 2.0 * six, 5.0 * six, 4.0, 10.0 * two, 25.0];
    for (found, want) in features(&map, &x).row(0).iter().zip(want) {
        assert!((found - want).abs() < 1e-13, "{found} {want}");
    }
}

#[test]
fn names_tell_what_is_computed() {
    let listed = |text: &str, d: usize| names(&map_of(text, d).unwrap());
    assert_eq!(listed("linear", 2), ["x0", "x1"]);
    assert_eq!(listed("4*linear", 2), ["2·x0", "2·x1"]);
    assert_eq!(listed("poly(degree=2, gamma=0.3, coef0=0)", 1), ["0.3·x0^2"]);
    assert_eq!(listed("poly(degree=3, coef0=0)", 2), ["x0^3", "√3·x0^2·x1", "√3·x0·x1^2", "x1^3"]);
    assert_eq!(listed("linear*poly(degree=2)", 1), ["x0", "√2·x0·x0", "x0·x0^2"]);
    assert_eq!(listed("linear + cosine", 1), ["x0", "(x0)/‖φ‖"]);
    let root = FeatureMap::hellinger(1).unwrap();
    let product = FeatureMap::product(vec![root, FeatureMap::linear(1).unwrap()]).unwrap();
    assert_eq!(product.names(Some(&["age".into()])).unwrap(), ["√age·age"]);
    let wrong = product.names(Some(&[]));
    assert!(matches!(wrong, Err(Error::Features { expected: 1, found: 0 })));
}

#[test]
fn roots_are_the_map_of_hellinger() {
    let map = FeatureMap::hellinger(6).unwrap();
    let k = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a * b).sqrt()).sum::<f64>();
    assert!(map.is_exact() && error(&map, &histograms(20, 6, 3), k) < 1e-14);
    assert_eq!(names(&map)[5], "√x5");
}

#[test]
fn selections_may_repeat_and_reorder() {
    let map = FeatureMap::poly(3, 2, 0.5, 1.0).unwrap().select(&[4, 0, 4], 5).unwrap();
    let k = |a: &[f64], b: &[f64]| (0.5 * (2.0 * a[4] * b[4] + a[0] * b[0]) + 1.0).powi(2);
    assert!(error(&map, &normal(10, 5, 4), k) < 1e-13);
    assert_eq!(map.columns(), 5);
}

#[test]
fn a_row_of_zeros_stays_zero_when_normalized() {
    let map = map_of("cosine", 3).unwrap();
    assert_eq!(features(&map, &Mat::zeros(1, 3)).data(), [0.0; 3]);
}

#[test]
fn single_precision_is_rounded_from_double() {
    let map = map_of("poly(degree=4)", 3).unwrap();
    let x = normal(5, 3, 5);
    let single = Mat::from_fn(5, 3, |i, j| x[(i, j)] as f32);
    let exact = Mat::from_fn(5, 3, |i, j| f64::from(single[(i, j)]));
    let found = map.matrix(&Context::new(1), single.view()).unwrap();
    for (found, want) in found.data().iter().zip(features(&map, &exact).data()) {
        assert_eq!(*found, *want as f32);
    }
}

#[test]
fn a_high_degree_of_few_columns_is_exact_too() {
    for (d, degree) in [(1, 60), (2, 40)] {
        let text = format!("poly(degree={degree}, gamma=0.2)");
        let found = error_of(&text, &normal(6, d, 6));
        assert!(found < 1e-12, "{text}: {found:e}");
    }
}

#[test]
fn the_map_of_a_kernel_on_columns_is_that_of_the_textbook() {
    let spec: KernelSpec = "constant + 2*columns(x1: poly(degree=2, gamma=1, coef0=0)) \
                            + 2*columns(x2: poly(degree=2, gamma=1, coef0=0))"
        .parse()
        .unwrap();
    let columns = vec!["x1".to_string(), "x2".to_string()];
    let options = FeatureMapOptions { columns: columns.clone(), ..FeatureMapOptions::default() };
    let map = FeatureMap::new(&spec, 2, &options).unwrap();
    assert_eq!(map.names(Some(&columns)).unwrap(), ["1", "√2·x1^2", "√2·x2^2"]);
    let mut features = [0.0; 3];
    map.apply(MatRef::new(&[3.0, -2.0], 1, 2, 2), MatMut::new(&mut features, 1, 3, 3)).unwrap();
    let root = 2.0_f64.sqrt();
    let textbook = [1.0, root * 9.0, root * 4.0];
    assert!(features.iter().zip(textbook).all(|(a, b)| (a - b).abs() < 1e-14));
}
