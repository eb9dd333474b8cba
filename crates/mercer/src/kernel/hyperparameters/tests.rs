//! Derivatives against central differences of kernel values, over all families of kernels on vectors.

use super::*;
use crate::context::Stream;
use crate::kernel::{Input, Kernel, Tile, families};
use crate::points::{Csr, Dense, Part as Group, Parts};

const KERNELS: [&str; 31] = [
    "linear",
    "2*linear + 0.3*constant",
    "poly(degree=1, gamma=0.7)",
    "poly(degree=3, gamma=0.4, coef0=0.5)",
    "poly(degree=2, gamma=0, coef0=0.5)",
    "rbf(gamma=0.3)",
    "rbf(sigma=2)",
    "rbf(width=1.5)",
    "rbf(gamma=[0.1, 2, 0.7])",
    "3*rbf(sigma=[1, 2, 0.7])",
    "rbf(width=[1, 2, 0.7])",
    "laplacian(gamma=0.4)",
    "laplacian(gamma=[0.4, 0.1, 1])",
    "matern(nu=0.5, length=1.3)",
    "matern(nu=0.5, length=[1.3, 1, 2])",
    "matern(nu=1.5, length=[1.3, 1, 2])",
    "matern(nu=2.5, length=0.8)",
    "rational_quadratic(alpha=1, length=1.2)",
    "rational_quadratic(alpha=0.6, length=[2, 1, 1])",
    "periodic(period=1.7, length=0.8)",
    "periodic(period=[1.7, 2, 5], length=0.8)",
    "periodic(period=3, length=[0.8, 1, 2])",
    "periodic(period=[1.7, 2, 5], length=[0.8, 1, 2])",
    "cosine + 0.4*overlap + gower",
    "sigmoid(gamma=0.3, coef0=0.2)",
    "2*energy(exponent=1.5) + 3*linear",
    "chi2(gamma=0.8)*intersection + 2*hellinger + 0.5*jensen_shannon + additive_chi2",
    "rbf(gamma=0.2)*(linear + 3*poly(degree=2, gamma=0.3, coef0=2))*matern(nu=2.5, length=2)",
    "normalize(poly(degree=3, gamma=0.5))",
    "normalize(rbf(gamma=[0.2, 1, 1]) + 2*linear*poly(degree=2)) + 0.5*matern(nu=2.5)",
    "2*normalize(3*linear + rational_quadratic(alpha=2))*rbf(sigma=3)",
];

fn random(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "hyperparameters");
    (0..n * d).map(|_| 0.1 + stream.uniform() * 2.0).collect()
}

fn weighed(spec: &KernelSpec, x: &Samples<f64>, y: &Samples<f64>, weights: &[f64]) -> f64 {
    let kernel = SpecKernel::<f64>::new(spec).unwrap();
    let (rows, cols) = (Span::new(x, 1..x.n()), Span::new(y, 0..y.n() - 2));
    let mut values = vec![0.0; rows.len() * cols.len()];
    let tile = Tile::new(&mut values, rows.len(), cols.len(), cols.len());
    kernel.tile(rows, cols, tile).unwrap();
    values.iter().zip(weights).map(|(v, w)| v * w).sum()
}

fn check(text: &str, x: &Samples<f64>, y: &Samples<f64>, size: bool) {
    let spec = text.parse::<KernelSpec>().unwrap().resolve(x).unwrap();
    let (rows, cols) = (Span::new(x, 1..x.n()), Span::new(y, 0..y.n() - 2));
    let mut stream = Stream::new(3, "weights");
    let weights: Vec<f64> = (0..rows.len() * cols.len()).map(|_| stream.normal()).collect();
    let tuned = TunedKernel::new(&spec, size).unwrap();
    let all = spec.hyperparameters(size);
    assert_eq!(tuned.count(), all.len(), "{text}");
    let mut sums = vec![0.0; all.len()];
    tuned.add_sums(rows, cols, weights.clone(), &mut sums).unwrap();
    let scale = weights.iter().map(|w| w.abs()).sum::<f64>();
    for p in 0..all.len() {
        let step = 1e-5;
        let at = |to: f64| {
            let mut values: Vec<f64> = all.iter().map(|parameter| parameter.value).collect();
            values[p] *= to.exp();
            weighed(&spec.with_hyperparameters(size, &values), x, y, &weights)
        };
        let want = (at(step) - at(-step)) / (2.0 * step);
        let name = &all[p].name;
        assert!((sums[p] - want).abs() < 1e-7 * scale, "{text}, {name}: {} {want}", sums[p]);
    }
}

#[test]
fn derivatives_are_limits_of_differences() {
    let x = Samples::from(Dense::from_rows(&random(9, 3, 1), 9, 3).unwrap());
    let y = Samples::from(Dense::from_rows(&random(12, 3, 2), 12, 3).unwrap());
    for text in KERNELS {
        for size in [false, true] {
            check(text, &x, &y, size);
            // The same set on both sides, so that some samples meet themselves.
            check(text, &x, &x, size);
        }
    }
}

#[test]
fn all_families_of_vectors_are_among_the_kernels() {
    let of_vectors = families().iter().filter(|family| family.input != Input::Strings);
    for family in of_vectors {
        assert!(KERNELS.iter().any(|text| text.contains(family.name)), "{}", family.name);
    }
}

#[test]
fn far_from_the_origin_and_of_sparse_rows_derivatives_stay_the_same() {
    let spec: KernelSpec = "2*rbf(gamma=[0.1, 2, 0.7])".parse().unwrap();
    let near = Dense::from_rows(&random(9, 3, 1), 9, 3).unwrap();
    let far: Vec<f64> = near.data().iter().map(|v| v + 1e6).collect();
    let far = Dense::from_rows(&far, 9, 3).unwrap();
    let sparse = Csr::from_dense(&near).unwrap();
    let sums = |x: Samples<f64>| {
        let mut sums = vec![0.0; 4];
        let weights = (0..81).map(|i| (f64::from(i)).sin()).collect();
        let tuned = TunedKernel::new(&spec, true).unwrap();
        tuned.add_sums(Span::all(&x), Span::all(&x), weights, &mut sums).unwrap();
        sums
    };
    let want = sums(near.into());
    for found in [sums(far.into()), sums(sparse.into())] {
        let close = found.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-7);
        assert!(close, "{found:?} {want:?}");
    }
}

#[test]
fn groups_of_columns_have_parameters_of_their_own() {
    let group = |name: &str, seed| Group {
        names: vec![name.into()],
        samples: Samples::from(Dense::from_rows(&random(8, 1, seed), 8, 1).unwrap()),
    };
    let x = Samples::Parts(Parts::new(vec![group("a", 1), group("b", 2)]).unwrap());
    check("columns(a: rbf(gamma=0.3)) + 2*columns(b: matern(length=2))", &x, &x, true);
    check("columns(a: rbf(gamma=0.3))*columns(b: periodic(period=2))", &x, &x, false);
}

#[test]
fn the_size_of_a_whole_counts_once() {
    let names = |text: &str, size: bool| -> Vec<String> {
        let spec: KernelSpec = text.parse().unwrap();
        let all = spec.hyperparameters(size);
        let values: Vec<f64> = all.iter().map(|parameter| parameter.value).collect();
        assert_eq!(spec.with_hyperparameters(size, &values), spec, "{text}");
        all.into_iter().map(|parameter| parameter.name).collect()
    };
    assert_eq!(names("rbf(gamma=2)", false), ["rbf.gamma"]);
    assert_eq!(names("rbf(gamma=2)", true), ["rbf.weight", "rbf.gamma"]);
    assert_eq!(names("3*linear + constant", false), ["constant.weight"]);
    assert_eq!(names("3*linear + constant", true), ["linear.weight", "constant.weight"]);
    assert_eq!(
        names("2*(linear + 3*constant)*rbf(gamma=1)", true),
        ["product.weight", "constant.weight", "rbf.gamma"]
    );
    assert_eq!(
        names("rbf(gamma=1) + rbf(gamma=[2, 3])", false),
        ["rbf.gamma", "rbf.weight", "rbf.gamma[0]", "rbf.gamma[1]"]
    );
    assert_eq!(names("rbf(gamma=1)*rbf(gamma=2)", false), ["rbf.gamma", "rbf.gamma (2)"]);
}

#[test]
fn gradients_by_samples_are_limits_of_differences() {
    let (m, n, d) = (4, 6, 3);
    let (rows, y) =
        (random(m, d, 1), Samples::from(Dense::from_rows(&random(n, d, 2), n, d).unwrap()));
    let weights: Vec<f64> = (0..m * n).map(|i| (i as f64 * 1.7).sin()).collect();
    for text in KERNELS {
        let spec: KernelSpec = text.parse().unwrap();
        let kernel = SpecKernel::<f64>::new(&spec).unwrap();
        let tuned = TunedKernel::new(&spec, false).unwrap();
        let of = |rows: &[f64]| Samples::from(Dense::from_rows(rows, m, d).unwrap());
        let x = of(&rows);
        let Ok(found) = tuned.input_gradients(Span::all(&x), Span::all(&y), weights.clone()) else {
            let kinks = ["laplacian", "nu=0.5", "overlap", "chi2", "energy"];
            assert!(kinks.iter().any(|kink| text.contains(kink)), "{text}");
            continue;
        };
        let total = |rows: &[f64]| -> f64 {
            let mut values = vec![0.0; m * n];
            let tile = Tile::new(&mut values, m, n, n);
            kernel.tile(Span::all(&of(rows)), Span::all(&y), tile).unwrap();
            values.iter().zip(&weights).map(|(v, w)| v * w).sum()
        };
        for at in 0..m * d {
            let step = 1e-5;
            let moved = |by: f64| {
                let mut rows = rows.clone();
                rows[at] += by;
                total(&rows)
            };
            let want = (moved(step) - moved(-step)) / (2.0 * step);
            let got = found[(at / d, at % d)];
            assert!((got - want).abs() < 1e-6 * want.abs().max(1.0), "{text}: {got} {want}");
        }
    }
}
