//! Gradients against differences of kernel values.

use super::*;
use crate::context::Stream;
use crate::kernel::{Kernel, KernelSpec};

fn random(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "gradients");
    (0..n * d).map(|_| stream.normal()).collect()
}

fn value(kernel: &SpecKernel<f64>, x: &[f64], y: &[f64]) -> f64 {
    let point = |v: &[f64]| Dense::from_rows(v, 1, v.len()).unwrap();
    let (x, y, mut out) = (point(x), point(y), [0.0]);
    kernel.tile(Span::all(&x), Span::all(&y), Tile::new(&mut out, 1, 1, 1)).unwrap();
    out[0]
}

const SMOOTH: [&str; 18] = [
    "linear",
    "poly(degree=1, gamma=0.7)",
    "poly(degree=2, gamma=0.4, coef0=0.5)",
    "poly(degree=5, gamma=0.3)",
    "rbf(gamma=0.3)",
    "rbf(sigma=2)",
    "matern(nu=1.5, length=1.3)",
    "matern(nu=2.5, length=0.8)",
    "rational_quadratic(alpha=1, length=1.2)",
    "rational_quadratic(alpha=0.6, length=2)",
    "cosine",
    "sigmoid(gamma=0.3, coef0=0.2)",
    "0.3*rbf(gamma=0.5) + 2*poly(degree=2)",
    "rbf(gamma=0.2)*linear*cosine",
    "normalize(poly(degree=3, gamma=0.5))",
    "normalize(rbf(gamma=0.2) + linear*poly(degree=2)) + 0.5*matern(nu=2.5)",
    "2*normalize(linear)*rational_quadratic(alpha=2)",
    "normalize(linear + 2*constant)*rbf(gamma=0.3) + constant",
];

#[test]
fn gradients_are_limits_of_differences() {
    let (m, n, d) = (4, 7, 3);
    let (rows, cols) = (random(m, d, 1), random(n, d, 2));
    let (z, x) = (Dense::from_rows(&rows, m, d).unwrap(), Dense::from_rows(&cols, n, d).unwrap());
    for text in SMOOTH {
        let kernel = SpecKernel::<f64>::new(&text.parse::<KernelSpec>().unwrap()).unwrap();
        assert_eq!(kernel.kink(), None, "{text}");
        let mut found = Gradients::default();
        kernel.gradients(Span::new(&z, 1..m), Span::new(&x, 2..n), &mut found).unwrap();
        let (diagonal, along) = kernel.diagonal_gradients(Span::all(&z)).unwrap();
        for i in 1..m {
            for f in 0..d {
                let step = 1e-5;
                let (mut up, mut down) = (z.row(i).to_vec(), z.row(i).to_vec());
                (up[f], down[f]) = (up[f] + step, down[f] - step);
                let differ = |at: &dyn Fn(&[f64]) -> f64| (at(&up) - at(&down)) / (2.0 * step);
                for j in 2..n {
                    let at = (i - 1) * (n - 2) + j - 2;
                    let want = value(&kernel, z.row(i), x.row(j));
                    assert!((found.values[at] - want).abs() < 1e-12 * (1.0 + want.abs()), "{text}");
                    let slope = found.across[at] * x.row(j)[f] + found.along[at] * z.row(i)[f];
                    let want = differ(&|p| value(&kernel, p, x.row(j)));
                    assert!(
                        (slope - want).abs() < 1e-7 * (1.0 + want.abs()),
                        "{text}: {slope} {want}"
                    );
                }
                let want = value(&kernel, z.row(i), z.row(i));
                assert!((diagonal[i] - want).abs() < 1e-12 * (1.0 + want.abs()), "{text}");
                let slope = along[i] * z.row(i)[f];
                let want = differ(&|p| value(&kernel, p, p));
                assert!((slope - want).abs() < 1e-7 * (1.0 + want.abs()), "{text}: {slope} {want}");
            }
        }
    }
}

#[test]
fn where_samples_meet_gradients_are_finite() {
    let data = random(3, 2, 3);
    let (z, x) = (Dense::from_rows(&data, 3, 2).unwrap(), Dense::from_rows(&data, 3, 2).unwrap());
    for text in SMOOTH {
        let kernel = SpecKernel::<f64>::new(&text.parse::<KernelSpec>().unwrap()).unwrap();
        let mut found = Gradients::default();
        kernel.gradients(Span::all(&z), Span::all(&x), &mut found).unwrap();
        let numbers = found.values.iter().chain(&found.across).chain(&found.along);
        assert!(numbers.copied().all(f64::is_finite), "{text}");
    }
    let zero = Dense::from_rows(&[0.0, 0.0], 1, 2).unwrap();
    for text in ["cosine", "normalize(linear)"] {
        let kernel = SpecKernel::<f64>::new(&text.parse::<KernelSpec>().unwrap()).unwrap();
        let mut found = Gradients::default();
        kernel.gradients(Span::all(&zero), Span::all(&x), &mut found).unwrap();
        assert!(found.across.iter().chain(&found.along).all(|v| *v == 0.0), "{text}");
    }
}

#[test]
fn kinks_are_named() {
    let kink =
        |text: &str| SpecKernel::<f64>::new(&text.parse::<KernelSpec>().unwrap()).unwrap().kink();
    assert_eq!(kink("laplacian(gamma=1)"), Some("laplacian"));
    assert_eq!(kink("matern(nu=0.5)"), Some("matern with nu=0.5"));
    assert_eq!(kink("linear + 2*normalize(rbf(gamma=1)*laplacian(gamma=1))"), Some("laplacian"));
}

#[test]
fn a_value_tells_its_distance() {
    for text in [
        "rbf(gamma=0.3)",
        "rational_quadratic(alpha=0.7)",
        "matern(nu=0.5)",
        "matern(nu=1.5)",
        "matern(nu=2.5, length=3)",
    ] {
        let kernel = SpecKernel::<f64>::new(&text.parse::<KernelSpec>().unwrap()).unwrap();
        for distance in [1e-3, 0.1, 1.0, 3.0] {
            let k = value(&kernel, &[0.0, 1.0], &[distance, 1.0]);
            let found = kernel.squared_distance_at(k).unwrap();
            assert!((found.sqrt() - distance).abs() < 1e-6, "{text}: {found} {distance}");
        }
        assert!(kernel.squared_distance_at(1.0).unwrap().abs() < 1e-12);
    }
    for text in ["linear", "laplacian(gamma=1)", "2*rbf(gamma=1)", "cosine"] {
        let kernel = SpecKernel::<f64>::new(&text.parse::<KernelSpec>().unwrap()).unwrap();
        assert_eq!(kernel.squared_distance_at(0.5), None, "{text}");
    }
}
