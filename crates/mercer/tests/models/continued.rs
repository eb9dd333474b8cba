//! Fits on landmarks that go on: parts added up are the whole, whoever added them up, also through files.

use mercer::Points;
use mercer::io::{Model, ModelFile};
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer::model::landmarks::{FullSystem, GivenLandmarks, LandmarkCount, LandmarkParams};
use mercer::prelude::*;
use mercer::select::{Criterion, SearchParams, SquaredError, Validation, search, search_blocks};
use mercer::solve::ridge::Solver;

use crate::naive::{difference, normal};

const N: usize = 1500;

fn dense() -> Dense<f64> {
    crate::naive::dense(&normal(N, 3, 21), N, 3)
}

fn targets(x: &Dense<f64>) -> Vec<f64> {
    (0..x.n()).map(|i| 50.0 + x.row(i)[0].sin() + x.row(i)[1]).collect()
}

fn names(x: &Dense<f64>) -> Vec<&'static str> {
    (0..x.n())
        .map(|i| {
            ["low", "high", "mid"][(x.row(i)[0] > 0.0) as usize + (x.row(i)[1] > 1.0) as usize]
        })
        .collect()
}

/// Landmarks of the caller's choice, whose model keeps its sums.
fn given(x: &Dense<f64>) -> LandmarkParams {
    let landmarks = GivenLandmarks::new(x.select(&(0..40).map(|i| 7 * i).collect::<Vec<_>>()));
    LandmarkParams::new(LandmarkCount::Given(landmarks)).keep_sums(true)
}

fn part<T: Copy>(all: &[T], rows: std::ops::Range<usize>) -> Vec<T> {
    all[rows].to_vec()
}

fn rows(x: &Dense<f64>, rows: std::ops::Range<usize>) -> Dense<f64> {
    x.select(&rows.collect::<Vec<_>>())
}

fn rbf() -> KernelSpec {
    "rbf(gamma=0.4)".parse().unwrap()
}

/// The model as it is after it was written to a file and read.
fn through_a_file(model: impl Into<Model>) -> Model {
    let bytes = mercer::io::to_bytes(&ModelFile::new(model.into(), mercer::Dtype::F64)).unwrap();
    mercer::io::from_bytes(std::path::Path::new("memory"), &bytes).unwrap().model
}

#[test]
fn merged_parts_are_the_whole() {
    let (ctx, x) = (Context::new(2), dense());
    let y = targets(&x);
    let params = KernelRidge::params(rbf()).alpha(0.2).intercept(true).landmarks(given(&x));
    let fit = |own: std::ops::Range<usize>| {
        params.fit_in(&ctx, rows(&x, own.clone()), &Targets::values(&part(&y, own))).unwrap()
    };
    let (whole, mut first) = (fit(0..N), fit(0..600));
    // Its first targets have another mean, so that sums are relative to other numbers.
    first.merge(&ctx, &fit(600..N)).unwrap();
    let predicted = |model: &KernelRidge| model.predict(&ctx, &x).unwrap();
    assert!(difference(predicted(&first).data(), predicted(&whole).data()) < 1e-9);
    assert_eq!(first.report.landmarks.as_ref().unwrap().rows, N as u64);

    let pca = KernelPca::params(rbf()).components(3).landmarks(given(&x));
    let fit = |own: std::ops::Range<usize>| pca.fit_in(&ctx, rows(&x, own)).unwrap();
    let (whole, mut parts) = (fit(0..N), fit(700..N));
    let Model::KernelPca(other) = through_a_file(fit(0..700)) else { panic!("kernel PCA") };
    parts.merge(&ctx, &other).unwrap();
    assert!(difference(&parts.eigenvalues, &whole.eigenvalues) < 1e-10 * whole.eigenvalues[0]);
}

#[test]
fn only_sums_of_the_same_landmarks_are_merged() {
    let (ctx, x) = (Context::new(1), dense());
    let y = Targets::values(&targets(&x));
    let with = |landmarks: LandmarkParams, gamma: &str| {
        let params = KernelRidge::params(gamma.parse().unwrap()).alpha(0.2).landmarks(landmarks);
        params.fit_in(&ctx, &x, &y).unwrap()
    };
    let mut model = with(given(&x), "rbf(gamma=0.4)");
    let shifted = GivenLandmarks::new(x.select(&(0..40).map(|i| 7 * i + 1).collect::<Vec<_>>()));
    let shifted = LandmarkParams::new(LandmarkCount::Given(shifted)).keep_sums(true);
    for (other, what) in [
        (with(shifted, "rbf(gamma=0.4)"), "other landmarks"),
        (with(given(&x), "rbf(gamma=0.5)"), "other kernels"),
        (with(given(&x).keep_sums(false), "rbf(gamma=0.4)"), "keep_sums"),
    ] {
        let error = model.merge(&ctx, &other).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn classes_go_on_among_those_of_the_first_samples() {
    let (ctx, x) = (Context::new(2), dense());
    let y = names(&x);
    let params = KernelRidge::params(rbf()).alpha(0.2).intercept(true).landmarks(given(&x));
    let whole = params.fit_in(&ctx, &x, &Targets::classes(&y)).unwrap();
    let mut model =
        params.fit_in(&ctx, rows(&x, 0..900), &Targets::classes(&part(&y, 0..900))).unwrap();
    let Model::KernelRidge(mut later) = through_a_file(model.clone()) else {
        panic!("a regression");
    };
    for model in [&mut model, &mut later] {
        // The last samples have two of the three classes.
        let few: Vec<usize> = (900..N).filter(|&i| y[i] != "mid").collect();
        let others: Vec<usize> = (900..N).filter(|&i| y[i] == "mid").collect();
        for own in [few, others] {
            let labels: Vec<&str> = own.iter().map(|&i| y[i]).collect();
            model.fit_more(&ctx, x.select(&own), &Targets::classes(&labels)).unwrap();
        }
        let (found, want) = (model.predict(&ctx, &x).unwrap(), whole.predict(&ctx, &x).unwrap());
        assert!(difference(found.data(), want.data()) < 1e-9);
        assert_eq!(model.classes, whole.classes);
        let error = model.fit_more(&ctx, rows(&x, 0..2), &Targets::classes(&["low", "new"]));
        assert!(error.unwrap_err().to_string().contains("\"new\" is not among"));
    }
}

#[test]
fn a_detector_goes_on_with_the_scores_it_has() {
    let (ctx, x) = (Context::new(2), dense());
    for score in [OutlierScore::Reconstruction, OutlierScore::Projections] {
        let mut params = DetectorParams::new(rbf()).score(score);
        params.pca = params.pca.components(4).landmarks(given(&x));
        let whole = Detector::fit(&ctx, &params, &x).unwrap();
        let mut model = Detector::fit(&ctx, &params, rows(&x, 0..1000)).unwrap();
        let before = model.training.clone();
        model.fit_more(&ctx, rows(&x, 1000..N)).unwrap();
        assert_eq!(model.training[..1000], before[..]);
        let scores = model.scores(&ctx, rows(&x, 1000..N)).unwrap();
        assert!(difference(&model.training[1000..], &scores) < 1e-12);
        // The components are those of all samples, and so are the scores of any of them.
        let (found, want) = (model.scores(&ctx, &x).unwrap(), whole.scores(&ctx, &x).unwrap());
        assert!(difference(&found, &want) < 1e-8);
        assert!((model.threshold / whole.threshold - 1.0).abs() < 0.1);
        assert!(matches!(through_a_file(model), Model::Detector(_)));
    }
}

fn certificate(model: &KernelRidge) -> FullSystem {
    model.report.landmarks.clone().unwrap().full_system.expect("a certificate")
}

/// Leave-one-out computes the certificate in its own pass: all other fits have the same one.
#[test]
fn every_regression_says_how_nearly_it_solves_the_full_system() {
    let (ctx, x) = (Context::new(2), dense());
    let y = Targets::values(&targets(&x));
    let params = KernelRidge::params(rbf()).alpha(0.3).intercept(true).landmarks(30);
    let plain = params.fit_in(&ctx, &x, &y).unwrap();
    let searched = |validation: Validation| {
        let values = y.regressed().unwrap();
        let metric = SquaredError { targets: &values, weights: None };
        let (kernels, alphas) = (vec![rbf()], Some(vec![0.3]));
        let wanted =
            SearchParams { model: params.clone(), kernels, alphas, validation, per_target: false };
        search(&ctx, &wanted, &x, &y, &metric).unwrap().model
    };
    let want = certificate(&searched(Validation::LeaveOneOut));
    let close = |found: FullSystem, tolerance: f64| {
        assert_eq!(found.rows, 256);
        assert!((found.residual / want.residual - 1.0).abs() < tolerance, "{found:?} {want:?}");
        assert!((found.gap / want.gap - 1.0).abs() < tolerance, "{found:?} {want:?}");
    };
    close(certificate(&plain), 1e-6);
    close(certificate(&searched(Validation::Gcv)), 1e-6);
    let iterative = params.clone().solver(Solver::Cg).fit_in(&ctx, &x, &y).unwrap();
    assert_eq!(iterative.report.solver, "landmarks-cg");
    close(certificate(&iterative), 1e-3);
    let classes = params.fit_in(&ctx, &x, &Targets::classes(&names(&x))).unwrap();
    assert!(certificate(&classes).residual > 0.0);
    // Without a penalty, there is no system to solve.
    let free = params.clone().alpha(0.0).fit_in(&ctx, &x, &y).unwrap();
    assert!(free.report.landmarks.unwrap().full_system.is_none());
}

#[test]
fn searches_of_blocks_know_two_scores() {
    let (ctx, x) = (Context::new(1), dense());
    let model = KernelRidge::params(rbf()).landmarks(10);
    let validation = Validation::LeaveOneOut;
    let wanted =
        SearchParams { model, kernels: vec![rbf()], alphas: None, validation, per_target: false };
    let y = Targets::classes(&names(&x)).regressed().unwrap();
    let mut source = mercer::model::landmarks::Whole::new(&x, Some(&y), None);
    let mut by =
        |criterion| search_blocks(&ctx, &wanted, &mut source, mercer::Dtype::F64, criterion);
    let found = by(Criterion::Accuracy).unwrap();
    assert_eq!(found.model.selection.unwrap().measure, "accuracy");
    assert!(found.chosen.score.value > 0.8);
    assert!(
        by(Criterion::Mae).err().unwrap().to_string().contains("squared error or the accuracy")
    );
}
