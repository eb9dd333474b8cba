//! Laws that every decomposition keeps, and agreement with the one-stage reduction.

use super::*;
use crate::context::{Monitor, Stream};
use crate::linalg::product::{Onto, multiply};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn random(n: usize, seed: u64) -> Mat<f64> {
    let mut stream = Stream::new(seed, "matrix");
    let mut a = Mat::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            a[(i, j)] = stream.normal();
            // What stands above the diagonal must not matter.
            a[(j, i)] = if i == j { a[(i, j)] } else { f64::NAN };
        }
    }
    a
}

fn symmetric_copy(a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.rows(), a.rows(), |i, j| a[(i.max(j), i.min(j))])
}

/// Q diag(values) Qᵀ for a random orthogonal Q.
fn with_spectrum(values: &[f64], seed: u64) -> Mat<f64> {
    let n = values.len();
    let q = small(&random(n, seed)).unwrap().vectors;
    let scaled = Mat::from_fn(n, n, |i, j| values[i] * q[(i, j)]);
    let mut a = Mat::zeros(n, n);
    multiply(q.view().transposed(), scaled.view(), a.view_mut(), Onto::Nothing);
    a
}

/// Runs the two stages whatever the size.
fn staged(a: &Mat<f64>, threads: usize) -> Eigen {
    let ctx = Context::new(threads);
    ctx.install(|| large(&ctx, a.clone())).unwrap()
}

/// Checks A V = V Λ, VᵀV = I and the order of the eigenvalues, all to rounding error.
fn check(a: &Mat<f64>, eigen: &Eigen, what: &str) {
    let (a, n) = (symmetric_copy(a), a.rows());
    let size = eigen.values.iter().fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()));
    let bound = 1e-14 * (n as f64).sqrt().max(4.0);
    assert!(eigen.values.is_sorted_by(|x, y| x >= y), "{what}: not descending");
    let (mut image, mut inner) = (Mat::zeros(n, n), Mat::zeros(n, n));
    multiply(eigen.vectors.view(), a.view(), image.view_mut(), Onto::Nothing);
    multiply(
        eigen.vectors.view(),
        eigen.vectors.view().transposed(),
        inner.view_mut(),
        Onto::Nothing,
    );
    for i in 0..n {
        let square = |j| ((image[(i, j)] - eigen.values[i] * eigen.vectors[(i, j)]) / size).powi(2);
        let residual = (0..n).map(square).sum::<f64>().sqrt();
        assert!(residual <= bound, "{what}: residual {residual:e} of pair {i} of {n}");
        for j in 0..n {
            let error = (inner[(i, j)] - f64::from(u8::from(i == j))).abs();
            assert!(error <= bound, "{what}: vectors {i} and {j} of {n}: {error:e}");
        }
    }
}

fn check_against_one_stage(a: &Mat<f64>, what: &str) {
    let (ours, theirs) = (staged(a, 2), small(a).unwrap());
    check(a, &ours, what);
    let size = theirs.values.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    for (x, y) in ours.values.iter().zip(&theirs.values) {
        assert!((x - y).abs() <= 1e-13 * size, "{what}: eigenvalue {x} instead of {y}");
    }
}

#[test]
fn every_size_around_the_block_edges() {
    let edges = [127, 128, 129, 130, 191, 192, 193, 255, 256, 257, 258, 300, 321];
    for n in (1..=70).chain(edges) {
        check_against_one_stage(&random(n, n as u64), &format!("random, n = {n}"));
    }
}

/// Small enough for Miri, which sees if two threads use the same number at a time.
#[test]
fn teams_of_sweeps_in_two_threads() {
    let a = random(3 * WIDTH - 7, 8);
    check(&a, &staged(&a, 2), "two threads");
}

#[test]
fn the_public_function_takes_every_size() {
    let ctx = Context::new(2);
    for n in [0, 1, 2, SMALL, SMALL + 1] {
        let a = random(n, 7);
        let eigen = symmetric(&ctx, a.clone()).unwrap();
        assert_eq!(eigen.values.len(), n);
        check(&a, &eigen, "public function");
    }
}

#[test]
fn matrices_with_much_structure() {
    let n = 200;
    let mut stream = Stream::new(3, "structure");
    let x: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
    let cases: [(&str, Mat<f64>); 8] = [
        ("zero", Mat::zeros(n, n)),
        ("identity", Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))),
        ("diagonal", Mat::from_fn(n, n, |i, j| if i == j { x[i] } else { 0.0 })),
        ("rank one", Mat::from_fn(n, n, |i, j| x[i] * x[j])),
        ("all ones", Mat::from_fn(n, n, |_, _| 1.0)),
        (
            "blocks",
            Mat::from_fn(n, n, |i, j| if i / 40 == j / 40 { x[i] * x[j] + 1.0 } else { 0.0 }),
        ),
        ("tridiagonal", Mat::from_fn(n, n, |i, j| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)])),
        (
            "arrow",
            Mat::from_fn(n, n, |i, j| if i == j || i.min(j) == 0 { x[i.max(j)] } else { 0.0 }),
        ),
    ];
    for (what, a) in &cases {
        check_against_one_stage(a, what);
    }
}

#[test]
fn spectra_that_are_hard_to_tell_apart() {
    let n = 230;
    type Spectrum = fn(usize) -> f64;
    let spectra: [(&str, Spectrum); 5] = [
        ("falling", |i| 0.8f64.powi(i as i32)),
        ("five values", |i| (i % 5) as f64),
        ("clusters", |i| (i % 7) as f64 + 1e-14 * i as f64),
        ("one apart", |i| if i == 0 { 1.0 } else { 1e-9 }),
        ("both signs", |i| (i as f64 - 115.0).powi(3)),
    ];
    for (what, value) in spectra {
        let values: Vec<f64> = (0..n).map(value).collect();
        check_against_one_stage(&with_spectrum(&values, 5), what);
    }
}

#[test]
fn huge_and_tiny_matrices() {
    let a = random(150, 11);
    let plain = staged(&a, 2);
    for power in [-960, -600, 600, 1010] {
        let factor = |x: f64| x * 2.0f64.powi(power / 2) * 2.0f64.powi(power - power / 2);
        let scaled = Mat::from_fn(150, 150, |i, j| factor(a[(i, j)]));
        let eigen = staged(&scaled, 2);
        for (x, y) in eigen.values.iter().zip(&plain.values) {
            assert!(
                (x - factor(*y)).abs() <= 1e-12 * factor(60.0),
                "2^{power}: {x} instead of {y}"
            );
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let kernel = Mat::from_fn(330, 330, |i, j| (-((i as f64 - j as f64) / 9.0).powi(2)).exp());
    for a in [random(330, 2), kernel] {
        let one = staged(&a, 1);
        for threads in [2, 3] {
            let many = staged(&a, threads);
            assert!(one.values == many.values && one.vectors == many.vectors, "{threads} threads");
        }
    }
}

#[test]
fn not_a_number_is_refused_with_its_place() {
    let mut a = random(SMALL + 10, 4);
    a[(200, 100)] = f64::NAN;
    let error = symmetric(&Context::new(1), a).unwrap_err().to_string();
    assert!(error.contains("(200, 100)"), "{error}");
}

/// Counts what it hears and stops the work at a given call.
struct Stopper {
    calls: AtomicUsize,
    last: usize,
}

impl Stopper {
    fn count(&self) -> ControlFlow<()> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if call < self.last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Monitor for Stopper {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        assert!(step.done >= 0.0 && step.done <= step.total + 1e-9);
        self.count()
    }
    fn poll(&self) -> ControlFlow<()> {
        self.count()
    }
}

#[test]
fn an_interrupt_ends_any_phase() {
    let a = random(300, 6);
    let run = |last: usize| {
        let stopper = Arc::new(Stopper { calls: AtomicUsize::new(0), last });
        let ctx = Context::new(2).with_monitor(stopper.clone());
        (symmetric(&ctx, a.clone()), stopper.calls.load(Ordering::Relaxed))
    };
    let (result, calls) = run(usize::MAX);
    assert!(result.is_ok() && calls > 20);
    for last in (0..calls - 1).step_by(calls / 12) {
        assert!(matches!(run(last).0, Err(Error::Interrupted)), "stopped at call {last}");
    }
}

/// Panics at a given call.
struct Breaker(Stopper);

impl Breaker {
    fn count(&self) -> ControlFlow<()> {
        assert!(self.0.count().is_continue(), "the monitor broke");
        ControlFlow::Continue(())
    }
}

impl Monitor for Breaker {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        self.count()
    }
    fn poll(&self) -> ControlFlow<()> {
        self.count()
    }
}

/// Other tasks must not wait for one that will never come back.
#[test]
fn a_panic_ends_any_phase() {
    for last in (0..120).step_by(10) {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let calls = AtomicUsize::new(0);
            let ctx = Context::new(2).with_monitor(Arc::new(Breaker(Stopper { calls, last })));
            let work = || symmetric(&ctx, random(300, 6)).map(drop);
            sender.send(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)))
        });
        let ended = receiver.recv_timeout(std::time::Duration::from_secs(60));
        assert!(ended.expect("the work hangs").is_err(), "no panic at call {last}");
    }
}
