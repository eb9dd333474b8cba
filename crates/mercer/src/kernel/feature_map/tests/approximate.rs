//! Maps whose inner products come close.

use super::*;

fn chi2(a: &[f64], b: &[f64]) -> f64 {
    let term = |(a, b): (&f64, &f64)| if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
    a.iter().zip(b).map(term).sum()
}

fn intersection(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.min(*b)).sum()
}

fn jensen_shannon(a: &[f64], b: &[f64]) -> f64 {
    let half = |a: f64, b: f64| if a > 0.0 { 0.5 * a * ((a + b) / a).log2() } else { 0.0 };
    a.iter().zip(b).map(|(&a, &b)| half(a, b) + half(b, a)).sum()
}

type Two = fn(&[f64], &[f64]) -> f64;

/// The error falls as samples are added, keeps its bound, and at n samples is at most what stands here.
#[test]
fn errors_are_bounded_and_fall() {
    let x = histograms(40, 8, 10);
    type Make = fn(usize, usize) -> Result<FeatureMap>;
    let cases: [(Make, Two, [f64; 4]); 3] = [
        (FeatureMap::additive_chi2, chi2, [0.032, 0.013, 0.006, 0.0009]),
        (FeatureMap::jensen_shannon, jensen_shannon, [0.02, 0.008, 0.003, 0.0005]),
        (FeatureMap::intersection, intersection, [0.11, 0.08, 0.065, 0.042]),
    ];
    for (make, k, most) in cases {
        let mut last = f64::INFINITY;
        for (samples, most) in [1, 2, 3, 6].into_iter().zip(most) {
            let map = make(8, samples).unwrap();
            assert_eq!((map.dimension(), map.is_exact()), (8 * (2 * samples + 1), false));
            let bound = map.worst_error().unwrap();
            assert!(bound < most && bound < last, "{samples} samples: {bound:.4}");
            last = bound;
            check_bound(&map, &x, k, bound);
        }
    }
}

/// |⟨φ(x), φ(y)⟩ − k(x, y)| ≤ ε·Σ max(x_i, y_i).
fn check_bound(map: &FeatureMap, x: &Mat<f64>, k: Two, bound: f64) {
    let phi = features(map, x);
    for i in 0..x.rows() {
        for j in 0..=i {
            let apart = (dot(phi.row(i), phi.row(j)) - k(x.row(i), x.row(j))).abs();
            let larger: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| a.max(*b)).sum();
            assert!(apart <= bound * larger * 1.001, "({i}, {j}): {apart} {bound} {larger}");
        }
    }
}

/// On histograms of sum 1, as they are used, the worst error over the largest value.
#[test]
fn histograms_of_sum_one_are_met_well() {
    let mut x = histograms(60, 20, 11);
    for i in 0..60 {
        let sum: f64 = x.row(i).iter().sum();
        x.row_mut(i).iter_mut().for_each(|v| *v /= sum);
    }
    let found = error(&FeatureMap::additive_chi2(20, 3).unwrap(), &x, chi2);
    assert!(found < 0.006, "{found}");
    let found = error(&FeatureMap::intersection(20, 3).unwrap(), &x, intersection);
    assert!(found < 0.07, "{found}");
}

/// k(cx, cy) = c·k(x, y), which the map keeps for |φ|² and for x = y.
#[test]
fn sizes_of_histograms_do_not_matter() {
    let x = histograms(10, 4, 12);
    for factor in [1e-6, 1e6] {
        let scaled = Mat::from_fn(10, 4, |i, j| factor * x[(i, j)]);
        let map = FeatureMap::additive_chi2(4, 3).unwrap();
        let (a, b) = (error(&map, &x, chi2), error(&map, &scaled, chi2));
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn bins_of_zero_have_features_of_zero() {
    let map = FeatureMap::intersection(2, 4).unwrap();
    assert!(features(&map, &Mat::zeros(1, 2)).data().iter().all(|v| *v == 0.0));
}

#[test]
fn names_tell_the_wave() {
    let listed = names(&FeatureMap::additive_chi2(2, 1).unwrap());
    assert_eq!(listed.len(), 6);
    assert!(listed[0].ends_with("·√x0") && listed[0].starts_with('√'), "{listed:?}");
    assert!(listed[1].contains("·√x0·cos(") && listed[1].ends_with("·ln x0)"), "{listed:?}");
    assert!(listed[5].contains("·√x1·sin("), "{listed:?}");
}

#[test]
fn compositions_of_approximate_maps_are_approximate() {
    let map = FeatureMap::sum(vec![
        FeatureMap::linear(3).unwrap(),
        FeatureMap::intersection(1, 2).unwrap().select(&[1], 3).unwrap().normalize().unwrap(),
    ]);
    let map = map.unwrap();
    assert!(!map.is_exact() && map.worst_error().is_none());
    // Only the column that is a histogram must not be negative.
    let x = Mat::from_vec(vec![-1.0, 2.0, -3.0], 1, 3);
    assert_eq!(features(&map, &x).cols(), 8);
}
