//! Kernels with a width or a period for each column.

use std::f64::consts::PI;

use mercer::context::Context;
use mercer::kernel::Tile;
use mercer::points::{Csr, Samples};
use mercer::real::Real;
use mercer::{Dense, Kernel, KernelPca, KernelSpec, Span};

use crate::support::{counts, diag, kernel, normal, spec, values};

type Formula = fn(&[f64]) -> f64; // of the differences of three columns

const CASES: &[(&str, Formula)] = &[
    ("rbf(gamma=[0.1, 2, 0])", |d| (-(0.1 * d[0] * d[0] + 2.0 * d[1] * d[1])).exp()),
    ("rbf(sigma=[1, 2, 0.5])", |d| {
        (-0.5 * (d[0].powi(2) + (d[1] / 2.0).powi(2) + (d[2] / 0.5).powi(2))).exp()
    }),
    ("gaussian(width=[1, 2, 0.5])", |d| {
        (-(d[0].powi(2) + (d[1] / 2.0).powi(2) + (d[2] / 0.5).powi(2))).exp()
    }),
    ("laplacian(gamma=[0.1, 2, 0])", |d| (-(0.1 * d[0].abs() + 2.0 * d[1].abs())).exp()),
    ("matern(nu=0.5, length=[1, 2, 0.5])", |d| {
        (-(d[0].powi(2) + (d[1] / 2.0).powi(2) + (d[2] / 0.5).powi(2)).sqrt()).exp()
    }),
    ("rq(alpha=0.7, length=[1, 2, 0.5])", |d| {
        let squared = d[0].powi(2) + (d[1] / 2.0).powi(2) + (d[2] / 0.5).powi(2);
        (1.0 + squared / 1.4).powf(-0.7)
    }),
    ("periodic(period=[3, 7, 1e3], length=[1, 2, 0.5])", |d| {
        let part = |d: f64, period: f64, length: f64| ((PI * d / period).sin() / length).powi(2);
        (-2.0 * (part(d[0], 3.0, 1.0) + part(d[1], 7.0, 2.0) + part(d[2], 1e3, 0.5))).exp()
    }),
    ("0.5*rbf(gamma=[0.1, 2, 0])*periodic(4) + rbf(gamma=0.3)", |d| {
        let squared: f64 = d.iter().map(|d| d * d).sum();
        let sines: f64 = d.iter().map(|d| (PI * d / 4.0).sin().powi(2)).sum();
        0.5 * (-(0.1 * d[0] * d[0] + 2.0 * d[1] * d[1] + 2.0 * sines)).exp()
            + (-0.3 * squared).exp()
    }),
];

fn check<T: Real>(text: &str, formula: Formula, tolerance: f64) {
    let (x, y) = (normal::<T>(19, 3, 1), normal::<T>(70, 3, 2));
    let k = kernel::<T>(text);
    for (a, b) in [(&x, &y), (&x, &x)] {
        let found = values(&k, a, b);
        for (place, found) in found.iter().enumerate() {
            let (p, q) = (a.row(place / b.n()), b.row(place % b.n()));
            let apart: Vec<f64> = p.iter().zip(q).map(|(p, q)| p.to_f64() - q.to_f64()).collect();
            assert!((found - formula(&apart)).abs() <= tolerance, "{text} {} {place}", T::NAME);
        }
    }
    assert!(diag(&k, &x).iter().all(|v| (v - formula(&[0.0; 3])).abs() <= tolerance), "{text}");
}

#[test]
fn each_column_has_its_width() {
    for (text, formula) in CASES {
        check::<f64>(text, *formula, 1e-12);
        check::<f32>(text, *formula, 1e-5);
    }
}

#[test]
fn lists_read_and_print_the_same() {
    for (text, _) in CASES {
        let read = spec(text);
        assert_eq!(spec(&read.to_string()), read, "{text}");
        assert!(read.positive_definite() && read.is_resolved());
    }
    assert_eq!(spec("rbf( gamma = [ .5,1e0 ] )").to_string(), "rbf(gamma=[0.5, 1])");
    assert_ne!(spec("rbf(gamma=[1, 2])"), spec("rbf(gamma=[2, 1])"));
}

#[test]
fn equal_widths_are_one_width() {
    let x = normal::<f64>(60, 3, 5);
    for (list, one) in [
        ("rbf(gamma=[0.3, 0.3, 0.3])", "rbf(gamma=0.3)"),
        ("matern(length=[2, 2, 2])", "matern(length=2)"),
        ("periodic(period=[4, 4, 4])", "periodic(4)"),
        ("periodic(4, length=[2, 2, 2])", "periodic(4, length=2)"),
    ] {
        let (list, one) = (values(&kernel(list), &x, &x), values(&kernel(one), &x, &x));
        assert!(list.iter().zip(&one).all(|(a, b)| (a - b).abs() < 1e-14), "{list:?}");
    }
}

#[test]
fn sparse_rows_are_scaled_too() {
    let dense = counts::<f64>(40, 5, 3);
    let starts: Vec<usize> = (0..=40).map(|i| 5 * i).collect();
    let at: Vec<usize> = (0..200).map(|i| i % 5).collect();
    let sparse = Samples::from(Csr::new(40, 5, &starts, &at, dense.data()).unwrap());
    for text in ["rbf(gamma=[0.1, 2, 0, 1, 0.3])", "laplacian(gamma=[0.1, 2, 0, 1, 0.3])"] {
        let (k, mut found) = (kernel::<f64>(text), vec![0.0; 1600]);
        k.tile(Span::all(&sparse), Span::all(&sparse), Tile::new(&mut found, 40, 40, 40)).unwrap();
        let expected = values(&k, &dense, &dense);
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13), "{text}");
    }
    let error = spec("periodic").resolve(&sparse).unwrap_err().to_string();
    assert!(error.contains("periodic is for dense rows"), "{error}");
}

#[test]
fn values_repeat_after_a_period_however_far_away() {
    let at = |times: &[f64]| Dense::from_rows(times, times.len(), 1).unwrap();
    let k = kernel::<f64>("periodic(86400, length=0.7)");
    let (near, far) =
        (at(&[0.0, 3600.0, 50_000.0]), at(&[864e6, 864e6 + 3600.0, 864e6 + 50_000.0]));
    let (a, b) = (values(&k, &near, &near), values(&k, &far, &near));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
}

#[test]
fn many_maps_of_one_set_give_each_its_values() {
    let x = normal::<f64>(30, 2, 8);
    let part = |i: usize| format!("rbf(gamma=[{}, 1])", i + 1);
    let text = (0..7).map(part).collect::<Vec<_>>().join(" + ");
    let mut expected = vec![0.0; 900];
    for i in 0..7 {
        let one = values(&kernel::<f64>(&part(i)), &normal(30, 2, 8), &normal(30, 2, 8));
        expected.iter_mut().zip(one).for_each(|(sum, v)| *sum += v);
    }
    for _ in 0..2 {
        let found = values(&kernel::<f64>(&text), &x, &x);
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn models_do_not_depend_on_threads() {
    let x = normal::<f64>(300, 3, 9);
    let fit = |threads: usize| {
        let context = Context::new(threads);
        let kernel = spec("rbf(gamma=[0.1, 2, 0]) + periodic(period=[3, 7, 5])");
        let model = KernelPca::params(kernel).components(2).fit_in(&context, &x).unwrap();
        model.transform(&context, &x).unwrap()
    };
    assert_eq!(fit(1).data(), fit(2).data());
}

#[test]
fn what_is_wrong_is_refused() {
    let refused = |text: &str| text.parse::<KernelSpec>().unwrap_err().to_string();
    assert!(refused("poly(gamma=[1, 2])").contains("gamma is one value for all columns"));
    assert!(refused("rbf(gamma=[])").contains("expected a number"));
    assert!(refused("rbf(gamma=[1, -2])").contains("gamma must be a number of at least 0, not -2"));
    assert!(refused("rbf(sigma=[1, 0])").contains("sigma must be a positive number"));
    assert!(refused("rbf(gamma=[scale])").contains("expected a number"));
    assert!(refused("rbf(gamma=[1, 2").contains("expected ',' or ']'"));
    assert!(refused("rbf(gamma=[1, 2], sigma=[1, 2])").contains("give only one of"));
    let x = normal::<f64>(4, 3, 1);
    for text in
        ["rbf(gamma=[1, 2])", "linear + matern(length=[1, 2, 3, 4])", "periodic(period=[1])"]
    {
        let error = spec(text).resolve(&x).unwrap_err().to_string();
        assert!(error.contains("the samples have 3 columns"), "{error}");
    }
}
