//! Random features: inner products are the kernel in the mean, and come closer as there are more.

use super::*;
use crate::kernel::feature_map::{Frequencies, RandomFeatures, Rows};
use crate::linalg::view::MatMut;
use crate::points::Csr;

fn random(text: &str, d: usize, components: usize, seed: u64, how: Frequencies) -> FeatureMap {
    let random = Some(RandomFeatures { components, seed, frequencies: how });
    let options = FeatureMapOptions { random, ..FeatureMapOptions::default() };
    FeatureMap::new(&spec(text), d, &options).unwrap()
}

fn kernel_matrix(text: &str, x: &Mat<f64>) -> Mat<f64> {
    let kernel = SpecKernel::<f64>::new(&spec(text)).unwrap();
    let (n, points) = (x.rows(), Dense::from_rows(x.data(), x.rows(), x.cols()).unwrap());
    let mut values = Mat::zeros(n, n);
    let span = Span::all(&points);
    kernel.tile(span, span, Tile::new(values.data_mut(), n, n, n)).unwrap();
    values
}

/// The root mean square of ⟨φ(x), φ(x')⟩ − k(x, x') over pairs.
fn rms(map: &FeatureMap, x: &Mat<f64>, exact: &Mat<f64>) -> f64 {
    let phi = features(map, x);
    let n = x.rows();
    let apart = |i: usize, j: usize| dot(phi.row(i), phi.row(j)) - exact[(i, j)];
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let sum: f64 = pairs.map(|(i, j)| apart(i, j).powi(2)).sum();
    (sum / (n * (n - 1) / 2) as f64).sqrt()
}

const KERNELS: [&str; 7] = [
    "rbf(gamma=0.1)",
    "rbf(sigma=[1, 2, 3, 1, 2])",
    "laplacian(gamma=0.1)",
    "matern(nu=0.5, length=3)",
    "matern(nu=2.5, length=2)",
    "rational_quadratic(alpha=0.7, length=2)",
    "poly(degree=2, gamma=0.2, coef0=1)",
];

#[test]
fn errors_fall_as_the_root_of_the_number_of_features() {
    let x = normal(25, 5, 30);
    for text in KERNELS {
        let exact = kernel_matrix(text, &x);
        for how in [Frequencies::Auto, Frequencies::Independent] {
            let error = |components| {
                let seeds = 0..6;
                let squares =
                    seeds.map(|s| rms(&random(text, 5, components, s, how), &x, &exact).powi(2));
                (squares.sum::<f64>() / 6.0).sqrt()
            };
            let (few, many) = (error(100), error(1600));
            assert!((2.5..6.4).contains(&(few / many)), "{text} {how:?}: {few} {many}");
            let largest = exact.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!(many < 0.04 * largest, "{text} {how:?}: {many}");
        }
    }
}

#[test]
fn the_mean_over_seeds_is_the_kernel() {
    let x = normal(4, 5, 31);
    for text in KERNELS {
        let exact = kernel_matrix(text, &x);
        for (how, components) in [(Frequencies::Auto, 7), (Frequencies::Independent, 4)] {
            let (seeds, mut sum, mut squares) =
                (3000, Mat::<f64>::zeros(4, 4), Mat::<f64>::zeros(4, 4));
            for seed in 0..seeds {
                let phi = features(&random(text, 5, components, seed, how), &x);
                for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                    let value = dot(phi.row(i), phi.row(j));
                    sum[(i, j)] += value;
                    squares[(i, j)] += value * value;
                }
            }
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let mean = sum[(i, j)] / seeds as f64;
                let spread = (squares[(i, j)] / seeds as f64 - mean * mean).max(0.0).sqrt();
                let standard_error = spread / (seeds as f64).sqrt();
                let apart = (mean - exact[(i, j)]).abs();
                assert!(
                    apart < 4.5 * standard_error + 1e-12,
                    "{text} {how:?}: {apart} {standard_error}"
                );
            }
        }
    }
}

#[test]
fn orthogonal_frequencies_have_a_smaller_error() {
    let x = normal(40, 16, 32);
    for text in ["rbf(gamma=0.02)", "matern(nu=1.5, length=6)", "rational_quadratic(length=6)"] {
        let exact = kernel_matrix(text, &x);
        let error = |how| {
            let squares =
                (0..10).map(|seed| rms(&random(text, 16, 64, seed, how), &x, &exact).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let (orthogonal, independent) =
            (error(Frequencies::Orthogonal), error(Frequencies::Independent));
        assert!(orthogonal < 0.8 * independent, "{text}: {orthogonal} {independent}");
    }
}

#[test]
fn pairs_of_features_have_length_one() {
    let x = normal(6, 3, 33);
    let phi = features(&random("rbf(gamma=0.5)", 3, 10, 1, Frequencies::Auto), &x);
    (0..6).for_each(|i| assert!((dot(phi.row(i), phi.row(i)) - 1.0).abs() < 1e-14));
}

#[test]
fn features_are_the_cosines_that_they_say() {
    let x = normal(9, 3, 34);
    for (how, components) in [(Frequencies::Auto, 11), (Frequencies::Independent, 6)] {
        let map = random("rbf(gamma=0.5)", 3, components, 1, how);
        let (frequencies, phases) = map.as_fourier().unwrap().by_feature();
        let phi = features(&map, &x);
        for i in 0..9 {
            for j in 0..components {
                let angle: f64 = (0..3).map(|c| x[(i, c)] * frequencies[(c, j)]).sum();
                let want = (2.0 / components as f64).sqrt() * (angle + phases[j]).cos();
                assert!((phi[(i, j)] - want).abs() < 1e-14, "({i}, {j})");
            }
        }
        assert_eq!(names(&map).len(), components);
    }
}

#[test]
fn threads_and_kinds_of_rows_do_not_change_features() {
    let mut x = normal(600, 7, 35);
    x.data_mut().iter_mut().step_by(3).for_each(|v| *v = 0.0);
    let sparse = Dense::from_rows(x.data(), 600, 7).and_then(|x| Csr::from_dense(&x)).unwrap();
    for text in ["rbf(gamma=0.5)", "poly(degree=3, gamma=0.5, coef0=1)", "linear + rbf(gamma=1)"] {
        let map = random(text, 7, 301, 5, Frequencies::Auto);
        let of = |threads| map.matrix(&Context::new(threads), x.view()).unwrap();
        let one = of(1);
        assert_eq!(one, of(2), "{text}");
        assert_eq!(one, of(3), "{text}");
        let mut other = Mat::zeros(600, map.dimension());
        map.matrix_into(&Context::new(2), Rows::Sparse(&sparse), other.view_mut()).unwrap();
        let worst =
            one.data().iter().zip(other.data()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(worst < 1e-12, "{text}: {worst}");
        let single = Mat::from_fn(600, 7, |i, j| x[(i, j)] as f32);
        let single = map.matrix(&Context::new(2), single.view()).unwrap();
        let apart = |(a, b): (&f64, &f32)| (a - f64::from(*b)).abs() / a.abs().max(1.0);
        let worst = one.data().iter().zip(single.data()).map(apart).fold(0.0, f64::max);
        assert!(worst < 3e-6, "{text}: {worst}");
    }
}

#[test]
fn columns_by_rows_or_columns_give_the_same() {
    let x = normal(50, 4, 36);
    let turned: Vec<f64> =
        (0..4).flat_map(|j| (0..50).map(move |i| (i, j))).map(|at| x[at]).collect();
    let map = random("matern", 4, 33, 5, Frequencies::Auto);
    let view = crate::linalg::view::MatRef::new(&turned, 4, 50, 50).transposed();
    let (a, b) = (features(&map, &x), map.matrix(&Context::new(1), view).unwrap());
    assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() < 1e-13));
}

/// Kernels of one description have random numbers of their own, without which this product would not have the right mean.
#[test]
fn products_of_equal_kernels_are_unbiased() {
    let x = normal(12, 3, 37);
    let text = "rbf(gamma=0.3)*rbf(gamma=0.3)";
    let exact = kernel_matrix("rbf(gamma=0.6)", &x);
    let found = rms(&random(text, 3, 120, 1, Frequencies::Auto), &x, &exact);
    assert!(found < 0.08, "{found}");
}

#[test]
fn what_random_features_refuse() {
    let make = |text: &str, components, frequencies| {
        let random = Some(RandomFeatures { components, seed: 0, frequencies });
        FeatureMap::new(
            &spec(text),
            3,
            &FeatureMapOptions { random, ..FeatureMapOptions::default() },
        )
    };
    let refused = |found: Result<FeatureMap>, part: &str| {
        let text = found.expect_err(part).to_string();
        assert!(text.contains(part), "{text}");
    };
    refused(make("laplacian(gamma=1)", 8, Frequencies::Orthogonal), "independent ones");
    refused(make("rbf(gamma=1)", 0, Frequencies::Auto), "at least 1");
    refused(make("rbf(gamma=1)", MOST_FEATURES + 1, Frequencies::Auto), "more than the limit");
    refused(make("rbf(gamma=[1, 2])", 8, Frequencies::Auto), "2 widths");
    refused(make("poly(coef0=-1, gamma=1)", 8, Frequencies::Auto), "not positive definite");
    refused(make("chi2(gamma=1)", 8, Frequencies::Auto), "infinitely many");
    let map = make("rbf(gamma=1)", 8, Frequencies::Auto).unwrap();
    let ctx = Context::new(1);
    let x = Mat::from_vec(vec![0.0, 0.0, 0.0, 1.0, f64::NAN, 0.0], 2, 3);
    let found = map.matrix(&ctx, x.view()).unwrap_err();
    assert!(matches!(found, Error::NotFinite { row: 1, column: 1, .. }), "{found}");
    let wide = Mat::from_fn(2, 3, |_, _| 1e308);
    let found = map.matrix(&ctx, wide.view()).unwrap_err().to_string();
    assert!(found.contains("overflow"), "{found}");
    let mut short = vec![0.0; 6];
    let out = MatMut::new(&mut short, 2, 3, 3);
    assert!(map.apply(x.view(), out).is_err());
}

#[test]
fn convolutions_by_transforms_are_the_sums_themselves() {
    for (components, degree, coef0) in [(360, 2, 0.0), (350, 3, 1.0), (11 * 13, 2, 1.0)] {
        let spec: KernelSpec =
            format!("poly(degree={degree}, gamma=0.01, coef0={coef0})").parse().unwrap();
        let random = RandomFeatures { components, seed: 3, frequencies: Frequencies::Auto };
        let options = FeatureMapOptions { random: Some(random), ..FeatureMapOptions::default() };
        let map = FeatureMap::new(&spec, 150, &options).unwrap();
        // Rows with few and with many numbers that are not zero, and very small ones.
        let value = |i: usize, j: usize| {
            let size = if i % 5 == 4 { 1e-9 } else { 1.0 };
            if i.is_multiple_of(3) && j > 20 {
                0.0
            } else {
                size * ((i * 31 + j * 17) % 23) as f64 - size
            }
        };
        let rows = Mat::from_fn(21, 150, value);
        let ctx = Context::new(2);
        let quick = map.matrix(&ctx, rows.view()).unwrap();
        let single = |i: usize| {
            let row = Mat::from_fn(1, 150, |_, j| rows[(i, j)]);
            map.matrix(&ctx, row.view()).unwrap()
        };
        // The parts of a map are computed row by row, without transforms.
        let sums = map.clone().scale(1.0).unwrap().matrix(&ctx, rows.view()).unwrap();
        for i in 0..21 {
            assert_eq!(quick.row(i), single(i).row(0), "row {i} depends on others");
            let size = sums.row(i).iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            for (a, b) in quick.row(i).iter().zip(sums.row(i)) {
                assert!((a - b).abs() < 1e-12 * size, "{components}, row {i}: {a} {b}");
            }
        }
    }
}
