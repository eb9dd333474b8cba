//! Every kernel against its formula, written as two plain loops in f64.

use mercer::Dense;
use mercer::real::Real;

use crate::support::{diag, kernel, normal, samples_for, smallest_eigenvalue, spec, values};

type Formula = fn(&[f64], &[f64]) -> f64;

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn manhattan(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).abs()).sum()
}

fn sines(x: &[f64], y: &[f64], period: f64) -> f64 {
    x.iter().zip(y).map(|(a, b)| (std::f64::consts::PI * (a - b) / period).sin().powi(2)).sum()
}

fn cosine(x: &[f64], y: &[f64]) -> f64 {
    let length = (dot(x, x) * dot(y, y)).sqrt();
    if length == 0.0 { 0.0 } else { dot(x, y) / length }
}

fn sum(x: &[f64], y: &[f64], term: fn(f64, f64) -> f64) -> f64 {
    x.iter().zip(y).map(|(&a, &b)| if a + b == 0.0 { 0.0 } else { term(a, b) }).sum()
}

fn mean(x: &[f64], y: &[f64], term: fn(f64, f64) -> f64) -> f64 {
    x.iter().zip(y).map(|(&a, &b)| term(a, b)).sum::<f64>() / x.len() as f64
}

fn chi2(x: &[f64], y: &[f64]) -> f64 {
    sum(x, y, |a, b| (a - b) * (a - b) / (a + b))
}

fn jensen_shannon(x: &[f64], y: &[f64]) -> f64 {
    let part = |v: f64, both: f64| if v == 0.0 { 0.0 } else { 0.5 * v * (both / v).log2() };
    x.iter().zip(y).map(|(&a, &b)| part(a, a + b) + part(b, a + b)).sum()
}

fn poly(x: &[f64], y: &[f64]) -> f64 {
    (0.5 * dot(x, y) + 2.0).powi(3)
}

const CASES: &[(&str, Formula)] = &[
    ("linear", dot),
    ("poly", |x, y| (dot(x, y) + 1.0).powi(3)),
    ("poly(degree=3, gamma=0.5, coef0=2)", poly),
    ("poly(1, coef0=0)", dot),
    ("poly(degree=4, coef0=-1)", |x, y| (dot(x, y) - 1.0).powi(4)),
    ("rbf(gamma=0.3)", |x, y| (-0.3 * squared(x, y)).exp()),
    ("rbf(sigma=2)", |x, y| (-squared(x, y) / 8.0).exp()),
    ("gaussian(width=2)", |x, y| (-squared(x, y) / 4.0).exp()),
    ("laplacian(gamma=0.2)", |x, y| (-0.2 * manhattan(x, y)).exp()),
    ("matern(nu=0.5, length=2)", |x, y| (-squared(x, y).sqrt() / 2.0).exp()),
    ("matern(length=2)", |x, y| {
        let s = 3f64.sqrt() * squared(x, y).sqrt() / 2.0;
        (1.0 + s) * (-s).exp()
    }),
    ("matern(2.5, length=2)", |x, y| {
        let r = squared(x, y).sqrt() / 2.0;
        (1.0 + 5f64.sqrt() * r + 5.0 / 3.0 * r * r) * (-(5f64.sqrt()) * r).exp()
    }),
    ("rational_quadratic", |x, y| 1.0 / (1.0 + squared(x, y) / 2.0)),
    ("rq(alpha=0.7, length=3)", |x, y| (1.0 + squared(x, y) / (2.0 * 0.7 * 9.0)).powf(-0.7)),
    ("periodic", |x, y| (-2.0 * sines(x, y, 1.0)).exp()),
    ("periodic(3, length=2)", |x, y| (-0.5 * sines(x, y, 3.0)).exp()),
    ("linear*periodic(period=3, length=2)", |x, y| dot(x, y) * (-0.5 * sines(x, y, 3.0)).exp()),
    ("cosine", cosine),
    ("sigmoid(gamma=0.1, coef0=0.5)", |x, y| (0.1 * dot(x, y) + 0.5).tanh()),
    ("energy", |x, y| -squared(x, y).sqrt()),
    ("energy(exponent=1.5)", |x, y| -squared(x, y).powf(0.75)),
    ("hellinger", |x, y| sum(x, y, |a, b| (a * b).sqrt())),
    ("intersection", |x, y| sum(x, y, f64::min)),
    ("additive_chi2", |x, y| sum(x, y, |a, b| 2.0 * a * b / (a + b))),
    ("chi2", |x, y| (-chi2(x, y)).exp()),
    ("chi2(gamma=0.3)", |x, y| (-0.3 * chi2(x, y)).exp()),
    ("jensen_shannon", jensen_shannon),
    ("gower", |x, y| mean(x, y, |a, b| (1.0 - (a - b).abs()).max(0.0))),
    ("overlap", |x, y| mean(x, y, |a, b| f64::from(u8::from(a == b)))),
    ("constant", |_, _| 1.0),
    ("linear + 2*constant", |x, y| dot(x, y) + 2.0),
    ("0.5*normalize(hellinger)*rbf(gamma=0.3)", |x, y| {
        let k = |x: &[f64], y: &[f64]| sum(x, y, |a, b| (a * b).sqrt());
        let length = (k(x, x) * k(y, y)).sqrt();
        if length == 0.0 { 0.0 } else { 0.5 * k(x, y) / length * (-0.3 * squared(x, y)).exp() }
    }),
    ("2.5*linear", |x, y| 2.5 * dot(x, y)),
    ("linear + 0.5*cosine + linear*linear", |x, y| {
        dot(x, y) * (1.0 + dot(x, y)) + 0.5 * cosine(x, y)
    }),
    ("3*(linear + cosine)*rbf(gamma=0.3)", |x, y| {
        3.0 * (dot(x, y) + cosine(x, y)) * (-0.3 * squared(x, y)).exp()
    }),
    ("normalize(linear)", cosine),
    ("normalize(7*poly(degree=3, gamma=0.5, coef0=2))", |x, y| {
        poly(x, y) / (poly(x, x) * poly(y, y)).sqrt()
    }),
    ("0.5*normalize(linear + normalize(linear*linear))", |x, y| {
        let k = |x: &[f64], y: &[f64]| dot(x, y) + cosine(x, y).powi(2);
        let length = (k(x, x) * k(y, y)).sqrt();
        if length == 0.0 { 0.0 } else { 0.5 * k(x, y) / length }
    }),
];

/// Random rows of length near √5 that the kernel can be used on, with one row of zeros among them.
fn samples<T: Real>(text: &str, n: usize, d: usize, seed: u64) -> Dense<T> {
    let scale = T::from_f64((5.0 / d as f64).sqrt());
    let mut data: Vec<T> =
        samples_for::<T>(&spec(text), n, d, seed).data().iter().map(|&v| v * scale).collect();
    data[d..2 * d].fill(T::ZERO);
    Dense::from_vec(data, n, d).unwrap()
}

fn wide<T: Real>(row: &[T]) -> Vec<f64> {
    row.iter().map(|v| v.to_f64()).collect()
}

fn check<T: Real>(text: &str, formula: Formula, d: usize, tolerance: f64) {
    let (x, y) = (samples::<T>(text, 19, d, 1), samples::<T>(text, 300, d, 2));
    let k = kernel::<T>(text);
    for (a, b) in [(&x, &y), (&x, &x)] {
        let found = values(&k, a, b);
        for i in 0..a.n() {
            for j in 0..b.n() {
                let expected = formula(&wide(a.row(i)), &wide(b.row(j)));
                let error = (found[i * b.n() + j] - expected).abs();
                assert!(
                    error <= tolerance * expected.abs().max(1.0),
                    "{text} {} ({i}, {j})",
                    T::NAME
                );
            }
        }
    }
    for (i, found) in diag(&k, &x).into_iter().enumerate() {
        let expected = formula(&wide(x.row(i)), &wide(x.row(i)));
        assert!(
            (found - expected).abs() <= tolerance * expected.abs().max(1.0),
            "{text} diagonal {i}"
        );
    }
}

#[test]
fn every_kernel_computes_its_formula() {
    for (text, formula) in CASES {
        // Few features and many, whose distances are computed in different ways.
        for d in [1, 5, 100] {
            check::<f64>(text, *formula, d, 1e-12);
            check::<f32>(text, *formula, d, 1e-4);
        }
    }
}

#[test]
fn every_family_has_a_case() {
    let families = mercer::kernel::families().iter();
    for family in families.filter(|family| family.input == mercer::kernel::Input::Vectors) {
        let has_case = CASES
            .iter()
            .any(|(text, _)| spec(text).family().is_some_and(|f| f.name == family.name));
        assert!(has_case, "no case for {}", family.name);
    }
}

#[test]
fn kernels_that_claim_it_are_positive_definite() {
    for (text, _) in CASES.iter().filter(|(text, _)| spec(text).positive_definite()) {
        let x = samples::<f64>(text, 24, 5, 3);
        let k = values(&kernel::<f64>(text), &x, &x);
        let largest = k.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        let smallest = smallest_eigenvalue(&k, x.n());
        assert!(smallest >= -1e-12 * largest * x.n() as f64, "{text}: eigenvalue {smallest}");
    }
    let x = samples::<f64>("sigmoid", 24, 5, 3);
    let indefinite = values(&kernel::<f64>("sigmoid(gamma=2, coef0=-1)"), &x, &x);
    assert!(smallest_eigenvalue(&indefinite, x.n()) < -0.1);
}

#[test]
fn worked_example() {
    let x = Dense::from_rows(&[1.0, 1.0, 2.0, 4.0, -1.0, 1.0, -2.0, 4.0], 4, 2).unwrap();
    let expected = [9, 49, 1, 9, 49, 441, 9, 169, 1, 9, 9, 49, 9, 169, 49, 441].map(f64::from);
    assert_eq!(values(&kernel("poly(degree=2)"), &x, &x), expected);
}

#[test]
fn a_sample_is_at_no_distance_from_itself() {
    let far: Vec<f64> = normal::<f64>(20, 3, 4).data().iter().map(|v| v + 1e6).collect();
    let x = Dense::from_rows(&far, 20, 3).unwrap();
    for text in
        ["rbf(gamma=1)", "matern(0.5)", "laplacian(1)", "rq(2)", "normalize(poly(2))", "cosine"]
    {
        let k = values(&kernel(text), &x, &x);
        assert!((0..20).all(|i| k[i * 20 + i] == 1.0), "{text}");
    }
}

#[test]
fn normalising_a_negative_length_is_refused() {
    let x = normal::<f64>(5, 2, 5);
    let k = kernel::<f64>("normalize(sigmoid(gamma=0.001, coef0=-1))");
    let mut out = [0.0; 5];
    let error = mercer::Kernel::diag(&k, mercer::Span::all(&x), &mut out).unwrap_err().to_string();
    assert!(error.contains("cannot normalise") && error.contains("row 0"), "{error}");
}

#[test]
fn samples_of_different_width_are_refused() {
    let (x, y) = (normal::<f64>(2, 3, 6), normal::<f64>(2, 4, 6));
    let mut out = [0.0; 4];
    let tile = mercer::kernel::Tile::new(&mut out, 2, 2, 2);
    let k = kernel::<f64>("linear");
    let error =
        mercer::Kernel::tile(&k, mercer::Span::all(&x), mercer::Span::all(&y), tile).unwrap_err();
    assert!(
        error.to_string().contains("3 features cannot be compared with samples with 4"),
        "{error}"
    );
}

#[test]
fn histograms_by_hand() {
    let x = Dense::from_rows(&[1.0, 0.0, 3.0, 4.0, 2.0, 0.0], 2, 3).unwrap();
    let check = |text: &str, expected: f64| {
        let found = values(&kernel(text), &x, &x);
        assert!((found[1] - expected).abs() < 1e-15 * expected, "{text}: {}", found[1]);
        assert_eq!(found[1], found[2], "{text}");
    };
    check("hellinger", 2.0);
    check("intersection", 1.0);
    check("additive_chi2", 1.6);
    check("chi2(0.1)", (-0.1 * (9.0 / 5.0 + 2.0 + 3.0f64)).exp());
    check("jensen_shannon", 0.5 * (5f64.log2() + 4.0 * 1.25f64.log2()));
    let found = values(&kernel("jensen_shannon"), &x, &x);
    assert!((found[0] - 4.0).abs() < 1e-14 && (found[3] - 6.0).abs() < 1e-14);
}

#[test]
fn a_histogram_kernel_refuses_negative_numbers() {
    let mut data = vec![0.5; 40];
    data[37] = -0.5;
    let x = Dense::from_rows(&data, 4, 10).unwrap();
    for text in ["chi2", "rbf + hellinger", "normalize(2*intersection)*linear", "js"] {
        let error = spec(text).resolve(&x).unwrap_err().to_string();
        let part = "histogram kernels need non-negative values: -0.5 at row 3, column 7";
        assert!(error.contains(part), "{error}");
    }
    assert!(spec("rbf + constant").resolve(&x).is_ok());
}
