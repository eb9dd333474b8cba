//! Verdicts and their witnesses.

use super::*;

fn check_valid(matrix: &Mat<f64>) {
    let found = assess(matrix).unwrap();
    assert!(found.is_valid() && found.witness.is_none(), "{found}");
    assert!(found.ratio <= 1e-12, "{found}");
    assert!(found.to_string().starts_with("valid on th"), "{found}");
}

/// Indefinite, with a witness that two loops confirm; returns how many samples carry it.
fn check_indefinite(matrix: &Mat<f64>) -> usize {
    let found = assess(matrix).unwrap();
    assert!(matches!(found.verdict, Verdict::Indefinite { .. }), "{found}");
    let witness = found.witness.as_ref().unwrap();
    let mut value = 0.0;
    for (&i, a) in witness.samples.iter().zip(&witness.weights) {
        for (&j, b) in witness.samples.iter().zip(&witness.weights) {
            value += a * matrix[(i, j)] * b;
        }
    }
    assert!(value < -found.noise && value >= found.smallest() * (1.0 + 1e-9), "{value}: {found}");
    assert!((value - witness.value).abs() <= 1e-12 * value.abs(), "{value}: {found}");
    assert!((dot(&witness.weights, &witness.weights) - 1.0).abs() < 1e-12);
    assert!(
        witness.weights.windows(2).all(|w| w[0].abs() >= w[1].abs()) && witness.weights[0] > 0.0
    );
    witness.samples.len()
}

#[test]
fn kernels_are_valid_with_duplicates_and_deficient_rank() {
    for n in [1, 2, 30, 300] {
        let x = normal(n, 3, 1);
        let twice = Mat::from_fn(2 * n, 3, |i, j| x[(i % n, j)]);
        check_valid(&matrix_of(&twice, |a, b| (-distance(a, b).powi(2)).exp()));
        check_valid(&matrix_of(&x, dot));
        check_valid(&matrix_of(&x, |a, b| (dot(a, b) + 1.0).powi(5)));
    }
}

#[test]
fn a_matrix_of_zeros_is_valid() {
    for n in [1, 4] {
        let found = assess(&Mat::zeros(n, n)).unwrap();
        assert!(found.is_valid(), "{found}");
        assert_eq!((found.ratio, found.negative_share, found.asymmetry), (0.0, 0.0, 0.0));
    }
}

#[test]
fn one_sample_alone_can_be_enough() {
    check_valid(&Mat::from_vec(vec![2.0], 1, 1));
    assert_eq!(check_indefinite(&Mat::from_vec(vec![-2.0], 1, 1)), 1);
    // tanh(γ‖x‖² + c) with c < 0 is negative at the origin.
    let mut x = normal(60, 2, 2);
    x.row_mut(17).fill(0.0);
    let matrix = matrix_of(&x, |a, b| (dot(a, b) - 1.0).tanh());
    assert_eq!(check_indefinite(&matrix), 1);
}

#[test]
fn two_samples_are_enough_for_distances() {
    for n in [2, 5, 300] {
        let x = normal(n, 3, 3);
        assert_eq!(check_indefinite(&matrix_of(&x, |a, b| -distance(a, b))), 2);
        assert_eq!(check_indefinite(&matrix_of(&x, distance)), 2);
    }
}

#[test]
fn sigmoids_are_refused() {
    for (n, gamma, c) in [(40, 0.5, 1.0), (200, 0.1, 0.5), (300, 1.0, -0.5)] {
        let x = normal(n, 3, 4);
        let few = check_indefinite(&matrix_of(&x, |a, b| (gamma * dot(a, b) + c).tanh()));
        assert!(few < n / 2, "{few} of {n}");
    }
}

/// 1 on the diagonal, correlations −0.6 among three: each pair is fine, all three are not.
#[test]
fn three_samples_among_many_are_found() {
    let mut matrix = Mat::from_fn(50, 50, |i, j| if i == j { 1.0 } else { 0.0 });
    for (i, j) in [(7, 21), (7, 40), (21, 40)] {
        (matrix[(i, j)], matrix[(j, i)]) = (-0.6, -0.6);
    }
    assert_eq!(check_indefinite(&matrix), 3);
    let found = assess(&matrix).unwrap();
    let mut samples = found.witness.clone().unwrap().samples;
    samples.sort();
    assert_eq!(samples, [7, 21, 40]);
    assert!((found.smallest() + 0.2).abs() < 1e-12 && (found.largest() - 1.6).abs() < 1e-12);
    assert!((found.ratio - 0.125).abs() < 1e-12, "{found}");
    // Σ|λ| = 47 + 2·1.6 + 0.2.
    assert!((found.negative_share - 0.2 / 50.4).abs() < 1e-12, "{found}");
}

#[test]
fn asymmetry_is_told_with_its_place() {
    let x = normal(150, 2, 5);
    let mut matrix = matrix_of(&x, |a, b| (-distance(a, b)).exp());
    matrix[(130, 20)] += 0.25;
    let found = assess(&matrix).unwrap();
    let largest = matrix.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let Verdict::NotSymmetric { asymmetry, row, column } = found.verdict else { panic!("{found}") };
    assert_eq!((row, column), (130, 20));
    assert!((asymmetry - 0.25 / largest).abs() < 1e-12);
    assert!(found.to_string().contains("k(130, 20) and k(20, 130) differ"), "{found}");
}

/// Numbers of other programs differ from their mirror images by some roundings.
#[test]
fn asymmetry_by_rounding_is_no_fault() {
    let exact = matrix_of(&normal(40, 2, 6), |a, b| (-distance(a, b)).exp());
    let noise = normal(40, 40, 7);
    let rough = |by: f64| Mat::from_fn(40, 40, |i, j| exact[(i, j)] * (1.0 + by * noise[(i, j)]));
    let found = assess(&rough(1e-15)).unwrap();
    assert!(found.is_valid() && found.asymmetry > 0.0 && found.asymmetric_at.is_some(), "{found}");
    let rougher = rough(1e-7);
    assert!(matches!(assess(&rougher).unwrap().verdict, Verdict::NotSymmetric { .. }));
    let single = Mat::from_fn(40, 40, |i, j| rougher[(i, j)] as f32);
    let found = Validity::of(&Context::new(1), single.view()).unwrap();
    assert!(found.is_valid(), "{found}");
}

#[test]
fn what_is_no_matrix_of_numbers_is_an_error() {
    let mut matrix = matrix_of(&normal(80, 2, 8), dot);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        matrix[(70, 3)] = value;
        let refused = assess(&matrix).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 70, column: 3, .. }), "{refused}");
        for method in Repair::ALL {
            let refused = repair(method, &matrix).unwrap_err();
            assert!(matches!(refused, Error::NotFinite { row: 70, column: 3, .. }), "{refused}");
        }
    }
    for (rows, cols) in [(3, 4), (0, 0), (5, 0)] {
        let refused = assess(&Mat::zeros(rows, cols)).unwrap_err();
        assert!(matches!(refused, Error::Shape(_)), "{refused}");
    }
}

#[test]
fn sizes_at_the_ends_of_the_range_are_judged_alike() {
    let x = normal(30, 2, 9);
    let (good, bad) = (matrix_of(&x, dot), matrix_of(&x, |a, b| -distance(a, b)));
    for factor in [1e-300, 1e-160, 1e160, 1e306] {
        let times = |m: &Mat<f64>| Mat::from_fn(30, 30, |i, j| factor * m[(i, j)]);
        let found = assess(&times(&good)).unwrap();
        assert!(found.is_valid(), "{factor:e}: {found}");
        let (found, plain) = (assess(&times(&bad)).unwrap(), assess(&bad).unwrap());
        assert_eq!(
            found.witness.as_ref().unwrap().samples,
            plain.witness.as_ref().unwrap().samples
        );
        assert!((found.ratio - plain.ratio).abs() < 1e-10, "{factor:e}: {found}");
    }
}

#[test]
fn of_a_large_matrix_a_part_is_looked_at() {
    let ctx = Context::new(2);
    let x = normal(300, 2, 10);
    let matrix = matrix_of(&x, |a, b| -distance(a, b));
    let found = Validity::with_limit(&ctx, matrix.view(), 50).unwrap();
    assert_eq!((found.samples, found.examined, found.eigenvalues.len()), (300, 50, 50));
    let witness = found.witness.clone().unwrap();
    let (i, j) = (witness.samples[0], witness.samples[1]);
    let (a, b) = (witness.weights[0], witness.weights[1]);
    assert!((2.0 * a * b * matrix[(i, j)] - witness.value).abs() < 1e-12, "{found}");
    assert!(found.to_string().contains("50 samples drawn at random from 300"), "{found}");
    assert_eq!(found, Validity::with_limit(&Context::new(1), matrix.view(), 50).unwrap());
    // The whole is compared with its mirror image all the same.
    let mut crooked = matrix_of(&x, dot);
    crooked[(3, 299)] += 1.0;
    let found = Validity::with_limit(&ctx, crooked.view(), 50).unwrap();
    assert_eq!(found.asymmetric_at, Some((299, 3)));
}

#[test]
fn memory_is_checked_first() {
    let matrix = matrix_of(&normal(100, 2, 11), dot);
    let ctx = Context::new(1).with_budget(1000);
    assert!(matches!(Validity::of(&ctx, matrix.view()), Err(Error::Memory { .. })));
    for method in Repair::ALL {
        assert!(matches!(method.fit(&ctx, matrix.view()), Err(Error::Memory { .. })));
    }
}
