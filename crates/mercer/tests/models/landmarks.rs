//! Low-rank fits: all samples as landmarks give the exact fit, certificates bound the exact spectrum, blocks and threads change nothing.

use std::borrow::Cow;

use mercer::model::landmarks::{
    GivenLandmarks, LandmarkCount, LandmarkMethod, LandmarkParams, RowBlock, RowBlocks, Whole,
};
use mercer::model::preimage::{Method, PreimageParams};
use mercer::prelude::*;
use mercer::{AnySamples, Points};

use crate::naive::{difference, normal};

const RBF: &str = "rbf(gamma=0.4)";

fn dense(n: usize, d: usize, seed: u64) -> Dense<f64> {
    crate::naive::dense(&normal(n, d, seed), n, d)
}

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

fn targets(x: &Dense<f64>) -> Mat<f64> {
    Mat::from_fn(x.n(), 2, |i, j| 50.0 + (x.row(i)[0] * (j + 1) as f64).sin() + x.row(i)[1])
}

/// The rows of a set in blocks of `size`, which can be read `most` times.
pub struct Blocks<'a> {
    x: AnySamples,
    y: Option<&'a Mat<f64>>,
    pub weights: Option<&'a [f64]>,
    size: usize,
    at: usize,
}

impl<'a> Blocks<'a> {
    pub fn new(x: impl Into<AnySamples>, y: Option<&'a Mat<f64>>, size: usize) -> Self {
        Self { x: x.into(), y, weights: None, size, at: 0 }
    }
}

impl RowBlocks for Blocks<'_> {
    fn rewind(&mut self, _: usize) -> Result<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let rows: Vec<usize> = (self.at..(self.at + self.size).min(self.x.n())).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        self.at += rows.len();
        let part = |y: &Mat<f64>| Mat::from_fn(rows.len(), y.cols(), |i, j| y[(rows[i], j)]);
        let samples = match &self.x {
            AnySamples::F32(x) => x.select(&rows).into(),
            AnySamples::F64(x) => x.select(&rows).into(),
        };
        let weights = self.weights.map(|w| rows.iter().map(|&i| w[i]).collect::<Vec<_>>());
        Ok(Some(RowBlock {
            samples,
            targets: self.y.map(|y| Cow::Owned(part(y))),
            weights: weights.map(Cow::Owned),
        }))
    }
}

fn close(a: &Mat<f64>, b: &Mat<f64>, tolerance: f64) {
    let size = b.data().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let worst = difference(a.data(), b.data());
    assert!(worst <= tolerance * size, "{worst:e} of {size:e}");
}

fn aligned(a: &Mat<f64>, b: &Mat<f64>, tolerance: f64) {
    let sign = |c: usize| (0..a.rows()).map(|i| a[(i, c)] * b[(i, c)]).sum::<f64>().signum();
    let turned = Mat::from_fn(a.rows(), a.cols(), |i, c| sign(c) * a[(i, c)]);
    close(&turned, b, tolerance);
}

#[test]
fn all_samples_as_landmarks_are_the_exact_fit() {
    let ctx = Context::new(2);
    let (x, new) = (dense(120, 3, 1), dense(30, 3, 2));
    for kernel in
        [RBF, "laplacian(gamma=0.3)", "poly(degree=3)", "linear", "rbf(gamma=0.1) + linear"]
    {
        let params = KernelPca::params(spec(kernel)).components(3);
        let exact = params.fit_in(&ctx, &x).unwrap();
        let low = params.clone().landmarks(120).fit_in(&ctx, &x).unwrap();
        for (a, b) in low.eigenvalues.iter().zip(&exact.eigenvalues) {
            assert!((a - b).abs() < 1e-7 * exact.eigenvalues[0], "{kernel}: {a} {b}");
        }
        let (a, b) = (low.transform(&ctx, &new).unwrap(), exact.transform(&ctx, &new).unwrap());
        aligned(&a, &b, 1e-5);
        let report = low.report.landmarks.as_ref().unwrap();
        assert!(report.residual_share() < 1e-8, "{kernel}: {}", report.residual_share());
        let errors = |model: &KernelPca| model.reconstruction_error(&ctx, &new).unwrap();
        for (a, b) in errors(&low).iter().zip(errors(&exact)) {
            assert!((a - b).abs() < 1e-5 * (1.0 + b), "{kernel}: {a} {b}");
        }
    }
}

#[test]
fn ridge_on_all_samples_is_the_exact_fit() {
    let ctx = Context::new(2);
    let (x, new) = (dense(120, 3, 1), dense(30, 3, 2));
    let y = targets(&x);
    let weights: Vec<f64> = (0..120).map(|i| (i % 4) as f64).collect();
    for kernel in [RBF, "laplacian(gamma=0.3)", "poly(degree=2)", "linear"] {
        for intercept in [false, true] {
            for weights in [None, Some(weights.clone())] {
                let params = KernelRidge::params(spec(kernel)).alpha(0.1).intercept(intercept);
                let targets = Targets::matrix(y.clone()).with_weights(weights);
                let exact = params.fit_in(&ctx, &x, &targets).unwrap();
                let low = params.landmarks(120).fit_in(&ctx, &x, &targets).unwrap();
                assert!(low.report.converged);
                let predicted = low.predict(&ctx, &new).unwrap();
                close(&predicted, &exact.predict(&ctx, &new).unwrap(), 1e-6);
            }
        }
    }
}

#[test]
fn certificates_bound_the_exact_spectrum() {
    let ctx = Context::new(2);
    let x = dense(400, 3, 5);
    for (kernel, method) in [
        (RBF, LandmarkMethod::PivotedCholesky),
        (RBF, LandmarkMethod::Uniform),
        ("laplacian(gamma=0.5)", LandmarkMethod::PivotedCholesky),
    ] {
        let params = KernelPca::params(spec(kernel)).components(10);
        let exact = params.fit_in(&ctx, &x).unwrap();
        for m in [10, 40, 150] {
            let wanted = LandmarkParams::from(m).method(method);
            let low = params.clone().landmarks(wanted).fit_in(&ctx, &x).unwrap();
            let report = low.report.landmarks.as_ref().unwrap();
            assert_eq!((report.landmarks, report.rows), (m, 400));
            let slack = 1e-9 * exact.trace;
            for (found, eta) in low.eigenvalues.iter().zip(&exact.eigenvalues) {
                assert!(*found <= eta + slack && *eta <= found + report.residual_trace + slack);
            }
            assert!(exact.trace <= low.trace + slack);
            assert!(low.trace <= exact.trace + report.residual_trace + slack);
            assert_eq!(report.eigenvalue_bounds.len(), 10);
            for ((least, most), eta) in report.eigenvalue_bounds.iter().zip(&exact.eigenvalues) {
                assert!(least <= eta && eta <= most, "{least} {eta} {most}");
            }
            let share = exact.eigenvalues.iter().sum::<f64>() / exact.trace;
            let (least, most) = report.explained_bounds.unwrap();
            assert!(least <= share && share <= most && most <= 1.0, "{least} {share} {most}");
        }
    }
}

#[test]
fn the_report_is_the_error_of_two_loops() {
    let ctx = Context::new(2);
    let x = dense(300, 2, 3);
    let low = KernelPca::params(spec(RBF)).components(2).landmarks(20).fit_in(&ctx, &x).unwrap();
    let report = low.report.landmarks.as_ref().unwrap();
    // What the span of the landmarks leaves of each sample, without centring and with all components.
    let all = KernelPca::params(spec(RBF)).center(false).landmarks(20).fit_in(&ctx, &x).unwrap();
    let left: f64 = all.reconstruction_error(&ctx, &x).unwrap().iter().sum();
    assert!((left - report.residual_trace).abs() < 1e-8 * report.trace, "{left}");
    assert!((report.trace - 300.0).abs() < 1e-9);
    let scores = low.transform(&ctx, &x).unwrap();
    for c in 0..2 {
        let (sum, square) =
            (0..300).fold((0.0, 0.0), |(s, q), i| (s + scores[(i, c)], q + scores[(i, c)].powi(2)));
        assert!(sum.abs() < 1e-8 && (square - low.eigenvalues[c]).abs() < 1e-8 * square);
    }
}

#[test]
fn blocks_and_threads_change_no_bit() {
    let x = dense(5000, 4, 9);
    let y = targets(&x);
    let params = KernelRidge::params(spec(RBF)).alpha(0.5).intercept(true).landmarks(60);
    let whole = params.fit_in(&Context::new(1), &x, &Targets::matrix(y.clone())).unwrap();
    for (threads, size) in [(1, 1024), (2, 2048), (2, 5120)] {
        let ctx = Context::new(threads);
        let mut rows = Blocks::new(&x, Some(&y), size);
        let model = KernelRidge::fit_blocks(&ctx, &params, &mut rows, Dtype::F64).unwrap();
        assert_eq!(model.coef, whole.coef, "{threads} threads, blocks of {size}");
        assert_eq!(model.offset, whole.offset);
    }
    let pca = KernelPca::params(spec(RBF)).components(4).landmarks(60);
    let whole = pca.fit_in(&Context::new(2), &x).unwrap();
    let mut rows = Blocks::new(&x, None, 1024);
    let model = KernelPca::fit_blocks(&Context::new(1), &pca, &mut rows, Dtype::F64).unwrap();
    assert_eq!((model.coef, model.eigenvalues), (whole.coef, whole.eigenvalues));
}

#[test]
fn a_continued_fit_is_one_fit() {
    let ctx = Context::new(2);
    let x = dense(3000, 3, 11);
    let y = targets(&x);
    let half = |from: usize, to: usize| {
        let rows: Vec<usize> = (from..to).collect();
        (x.select(&rows), Mat::from_fn(to - from, 2, |i, j| y[(from + i, j)]))
    };
    let ((first, first_y), (rest, rest_y)) = (half(0, 1024), half(1024, 3000));
    let landmarks = GivenLandmarks::new(first.select(&(0..50).collect::<Vec<_>>()));
    let wanted = LandmarkParams::new(LandmarkCount::Given(landmarks)).keep_sums(true);
    let params =
        KernelRidge::params(spec(RBF)).alpha(0.5).intercept(true).landmarks(wanted.clone());
    let mut model = params.fit_in(&ctx, &first, &Targets::matrix(first_y)).unwrap();
    model.continue_with(&ctx, &mut Whole::new(&rest, Some(&rest_y), None)).unwrap();
    let whole = params.fit_in(&ctx, &x, &Targets::matrix(y.clone())).unwrap();
    close(&model.coef, &whole.coef, 1e-7);
    close(&model.predict(&ctx, &x).unwrap(), &whole.predict(&ctx, &x).unwrap(), 1e-11);
    assert_eq!(model.report.landmarks.as_ref().unwrap().rows, 3000);

    let pca = KernelPca::params(spec(RBF)).components(3).landmarks(wanted);
    let mut model = pca.fit_in(&ctx, &first).unwrap();
    model.continue_with(&ctx, &mut Whole::new(&rest, None, None)).unwrap();
    let whole = pca.fit_in(&ctx, &x).unwrap();
    aligned(&model.transform(&ctx, &x).unwrap(), &whole.transform(&ctx, &x).unwrap(), 1e-9);
    let mut other =
        KernelPca::params(spec(RBF)).components(3).landmarks(20).fit_in(&ctx, &x).unwrap();
    let refused = other.continue_with(&ctx, &mut Whole::new(&rest, None, None));
    assert!(refused.unwrap_err().to_string().contains("keep_sums"));
}

#[test]
fn weights_are_repeated_rows() {
    let ctx = Context::new(1);
    let x = dense(200, 2, 4);
    let y = targets(&x);
    let weights: Vec<f64> = (0..200).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..200).flat_map(|i| vec![i; i % 3]).collect();
    let landmarks =
        LandmarkCount::Given(GivenLandmarks::new(x.select(&[1, 2, 4, 5, 7, 8, 50, 100])));
    let wanted = LandmarkParams::new(landmarks);
    let params = KernelRidge::params(spec(RBF)).alpha(0.5).intercept(true).landmarks(wanted);
    let by_weight = Targets::matrix(y.clone()).with_weights(Some(weights));
    let weighted = params.fit_in(&ctx, &x, &by_weight).unwrap();
    let more = Mat::from_fn(repeated.len(), 2, |i, j| y[(repeated[i], j)]);
    let direct = params.fit_in(&ctx, &x.select(&repeated), &Targets::matrix(more)).unwrap();
    close(&weighted.predict(&ctx, &x).unwrap(), &direct.predict(&ctx, &x).unwrap(), 1e-9);
}

#[test]
fn samples_of_every_kind() {
    let ctx = Context::new(2);
    let texts: Vec<String> =
        (0..200).map(|i| format!("{}{}", "ab".repeat(i % 7), "cde".repeat(i % 5))).collect();
    let texts = Strings::new(&texts).unwrap();
    let params = KernelPca::params(spec("normalize(spectrum(p=2))")).components(2);
    let exact = params.fit_in(&ctx, &texts).unwrap();
    let low = params.landmarks(60).fit_in(&ctx, &texts).unwrap();
    let report = low.report.landmarks.as_ref().unwrap();
    assert!(report.landmarks < 40, "equal texts are one landmark: {}", report.landmarks);
    aligned(&low.transform(&ctx, &texts).unwrap(), &exact.transform(&ctx, &texts).unwrap(), 1e-6);
    let sparse =
        Csr::new(4, 3, &[0, 1, 2, 4, 5], &[2, 0, 0, 1, 1], &[1.0, 2.0, 3.0, 1.0, 4.0]).unwrap();
    let low =
        KernelPca::params(spec(RBF)).components(1).landmarks(4).fit_in(&ctx, &sparse).unwrap();
    let exact = KernelPca::params(spec(RBF)).components(1).fit_in(&ctx, &sparse).unwrap();
    assert!((low.eigenvalues[0] - exact.eigenvalues[0]).abs() < 1e-10);
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let ctx = Context::new(1);
    let x = dense(300, 3, 6);
    let far = Dense::from_vec(x.data().iter().map(|v| v + 1e6).collect(), 300, 3).unwrap();
    let y = targets(&x);
    for kernel in [RBF, "linear"] {
        let params = KernelPca::params(spec(kernel)).components(2).landmarks(40);
        let (near, away) = (params.fit_in(&ctx, &x).unwrap(), params.fit_in(&ctx, &far).unwrap());
        for (a, b) in away.eigenvalues.iter().zip(&near.eigenvalues) {
            assert!((a - b).abs() < 1e-3 * b, "{kernel}: {a} {b}");
        }
        let ridge = KernelRidge::params(spec(kernel)).alpha(0.1).intercept(true).landmarks(40);
        let shifted = Mat::from_fn(300, 2, |i, j| y[(i, j)] + 1e7);
        let model = ridge.fit_in(&ctx, &far, &Targets::matrix(shifted.clone())).unwrap();
        let plain = ridge.fit_in(&ctx, &x, &Targets::matrix(y.clone())).unwrap();
        let (a, b) = (model.predict(&ctx, &far).unwrap(), plain.predict(&ctx, &x).unwrap());
        let worst = (0..300).map(|i| (a[(i, 0)] - 1e7 - b[(i, 0)]).abs()).fold(0.0, f64::max);
        assert!(worst < 0.05, "{kernel}: {worst}");
    }
}

#[test]
fn a_tolerance_is_reached_with_few_landmarks() {
    let ctx = Context::new(2);
    let x = dense(2000, 2, 8);
    let wanted = LandmarkParams::new(LandmarkCount::Tolerance(0.01));
    let low =
        KernelPca::params(spec(RBF)).components(2).landmarks(wanted).fit_in(&ctx, &x).unwrap();
    let report = low.report.landmarks.unwrap();
    assert!(report.residual_share() <= 0.01 && report.landmarks < 200, "{}", report.landmarks);
}

#[test]
fn pivots_beat_a_uniform_choice_and_saved_models_are_the_same() {
    let ctx = Context::new(2);
    // A dense cluster and a few samples far out.
    let x = dense(2000, 3, 12);
    let data = (0..2000)
        .flat_map(|i| x.row(i).iter().map(move |v| if i % 25 == 0 { 4.0 * v } else { 0.3 * v }));
    let x = Dense::from_vec(data.collect(), 2000, 3).unwrap();
    let share = |method| {
        let wanted = LandmarkParams::from(60).method(method);
        let model = KernelPca::params(spec(RBF)).components(2).landmarks(wanted).fit_in(&ctx, &x);
        model.unwrap().report.landmarks.unwrap().residual_share()
    };
    let (pivoted, uniform) =
        (share(LandmarkMethod::PivotedCholesky), share(LandmarkMethod::Uniform));
    assert!(pivoted < 0.7 * uniform, "{pivoted} {uniform}");
    let wanted = LandmarkParams::from(60).keep_sums(true);
    let model =
        KernelPca::params(spec(RBF)).components(2).landmarks(wanted).fit_in(&ctx, &x).unwrap();
    let file = mercer::io::ModelFile::new(model.clone().into(), Dtype::F64);
    let bytes = mercer::io::to_bytes(&file).unwrap();
    let read = mercer::io::from_bytes(std::path::Path::new("memory"), &bytes).unwrap();
    let mercer::io::Model::KernelPca(read) = read.model else { panic!() };
    assert_eq!(read.landmarks, model.landmarks);
    assert_eq!(read.report, model.report);
    let (a, b) = (read.transform(&ctx, &x).unwrap(), model.transform(&ctx, &x).unwrap());
    assert_eq!(a, b);
}

#[test]
fn pre_images_are_those_of_the_exact_fit() {
    let ctx = Context::new(2);
    let x = dense(80, 2, 1);
    for (kernel, method) in
        [(RBF, Method::FixedPoint), (RBF, Method::Gradient), ("linear", Method::Gradient)]
    {
        let params = KernelPca::params(spec(kernel)).components(2);
        let exact = params.fit_in(&ctx, &x).unwrap();
        let low = params.landmarks(80).fit_in(&ctx, &x).unwrap();
        let back = |model: &KernelPca| {
            let scores = model.transform(&ctx, &x).unwrap();
            model.preimages(&ctx, &PreimageParams::new(method), &scores).unwrap().samples
        };
        close(&back(&low), &back(&exact), 1e-3);
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let ctx = Context::new(1);
    let x = dense(50, 2, 1);
    let refused = |params: mercer::model::kernel_pca::KernelPcaParams| {
        params.fit_in(&ctx, &x).err().expect("refused").to_string()
    };
    let params = KernelPca::params(spec(RBF)).components(2);
    assert!(refused(params.clone().landmarks(0)).contains("at least one landmark"));
    let wanted = LandmarkParams::new(LandmarkCount::Tolerance(2.0));
    assert!(refused(params.clone().landmarks(wanted)).contains("strictly between 0 and 1"));
    let small = Context::new(1).with_budget(100_000);
    let error = params.clone().landmarks(50).fit_in(&small, &dense(50_000, 2, 1));
    let error = error.err().expect("refused").to_string();
    assert!(error.contains("use at most") || error.contains("memory"), "{error}");
    let k = Mat::from_fn(50, 50, |i, j| f64::from(u8::from(i == j)));
    let error = params.clone().landmarks(5).fit_in(&ctx, Input::precomputed(&k)).err();
    assert!(error.expect("refused").to_string().contains("precomputed"));
    // More landmarks than distinct samples: as many as there are, and a note.
    let twice = Dense::from_vec((0..100).map(|i| f64::from(i / 2 % 5)).collect(), 50, 2).unwrap();
    let model = params.clone().landmarks(30).fit_in(&ctx, &twice).unwrap();
    assert!(model.report.landmarks.as_ref().unwrap().landmarks <= 9);
    let mut bad = Blocks::new(&x, None, 20);
    bad.weights = Some(&[0.0; 50]);
    let error = KernelPca::fit_blocks(&ctx, &params.clone().landmarks(5), &mut bad, Dtype::F64);
    assert!(error.err().expect("refused").to_string().contains("no rows of positive weight"));
    let y = Mat::from_fn(50, 1, |i, _| if i == 7 { f64::NAN } else { 1.0 });
    let ridge = KernelRidge::params(spec(RBF)).landmarks(5);
    let mut rows = Blocks::new(&x, Some(&y), 20);
    let error = KernelRidge::fit_blocks(&ctx, &ridge, &mut rows, Dtype::F64);
    assert!(error.err().expect("refused").to_string().contains("row 7 is NaN"));
}
