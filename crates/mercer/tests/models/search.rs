//! Cross-validation by law: closed forms and views against fits that really leave samples out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::context::{Monitor, Step};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::select::{Fold, Search, SearchParams, SquaredError, Validation, folds, search, widths};
use mercer::solve::ridge::Solver;
use mercer::{Context, Dense, KernelSpec, Points};
use mercer::{Input, Targets};

use crate::naive::{dense, normal};

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn params(kernels: &[&str], alphas: &[f64], validation: Validation) -> SearchParams {
    SearchParams {
        model: KernelRidgeParams::new(KernelSpec::linear()),
        kernels: specs(kernels),
        alphas: Some(alphas.to_vec()),
        validation,
        per_target: false,
    }
}

struct Problem {
    x: Dense<f64>,
    y: Mat<f64>,
    weights: Option<Vec<f64>>,
}

impl Problem {
    fn new(n: usize, t: usize, weighted: bool) -> Self {
        let weights = weighted.then(|| (0..n).map(|i| (i % 4) as f64 * 0.7).collect());
        let noise = normal(n, t, 2);
        let x = dense(&normal(n, 2, 1), n, 2);
        let wave = |x: &Dense<f64>, i: usize, j: usize| (x.row(i)[0] * (1 + j) as f64).sin();
        let y = Mat::from_fn(n, t, |i, j| 3.0 + wave(&x, i, j) + 0.3 * noise[i * t + j]);
        Self { x, y, weights }
    }

    fn targets(&self) -> Targets {
        Targets::matrix(self.y.clone()).with_weights(self.weights.clone())
    }

    fn search(&self, params: &SearchParams) -> Search {
        let metric = SquaredError { targets: &self.y, weights: self.weights.as_deref() };
        search(&Context::new(2), params, &self.x, &self.targets(), &metric).unwrap()
    }

    /// The mean squared error of each target by fits on `fold.train`, tested on `fold.test`.
    fn error(&self, own: &KernelRidgeParams, fold: &Fold) -> Vec<f64> {
        let (x, t) = (self.x.select(&fold.train), self.y.cols());
        let y = Mat::from_fn(fold.train.len(), t, |i, j| self.y[(fold.train[i], j)]);
        let w: Option<Vec<f64>> =
            self.weights.as_ref().map(|w| fold.train.iter().map(|&i| w[i]).collect());
        let targets = &Targets::matrix(y.clone()).with_weights(w.clone());
        let model = KernelRidge::fit(&Context::new(1), own, &x, targets, None).unwrap();
        let out = model.predict(&Context::new(1), &self.x.select(&fold.test)).unwrap();
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[fold.test[i]]);
        let all: f64 = (0..fold.test.len()).map(weight).sum();
        let square = |i: usize, j: usize| (self.y[(fold.test[i], j)] - out[(i, j)]).powi(2);
        (0..t)
            .map(|j| (0..fold.test.len()).map(|i| weight(i) * square(i, j)).sum::<f64>() / all)
            .collect()
    }
}

const ALPHAS: [f64; 3] = [0.01, 0.5, 20.0];
const KERNELS: [&str; 2] = ["rbf(gamma=0.5)", "rbf(gamma=2)"];

#[test]
fn leave_one_out_is_n_refits() {
    for (weighted, intercept) in [(false, false), (false, true), (true, false), (true, true)] {
        let problem = Problem::new(24, 2, weighted);
        let mut params = params(&KERNELS, &ALPHAS, Validation::LeaveOneOut);
        params.model.intercept = intercept;
        let found = problem.search(&params);
        let counts = |i: &usize| problem.weights.as_ref().is_none_or(|w| w[*i] > 0.0);
        let rows: Vec<usize> = (0..24).filter(counts).collect();
        for (k, kernel) in specs(&KERNELS).into_iter().enumerate() {
            for (a, alpha) in ALPHAS.into_iter().enumerate() {
                let own = {
                    let mut changed = params.model.clone();
                    changed.alpha = vec![alpha];
                    changed.kernel = kernel.clone();
                    changed
                };
                let (mut sums, mut all) = ([0.0; 2], 0.0);
                for &i in &rows {
                    let train = rows.iter().copied().filter(|&r| r != i).collect();
                    let errors = problem.error(&own, &Fold { train, test: vec![i] });
                    let weight = problem.weights.as_ref().map_or(1.0, |w| w[i]);
                    sums.iter_mut().zip(&errors).for_each(|(sum, e)| *sum += weight * e);
                    all += weight;
                }
                for j in 0..2 {
                    let (want, got) = (sums[j] / all, -found.tables[k].scores[(a, j)]);
                    assert!((got / want - 1.0).abs() < 1e-9, "{weighted} {intercept} {got} {want}");
                }
            }
        }
    }
}

#[test]
fn folds_are_fits_on_parts() {
    for weighted in [false, true] {
        let problem = Problem::new(40, 2, weighted);
        let parts = folds(40, 4, 3).unwrap();
        let mut params = params(&KERNELS, &ALPHAS, Validation::Folds(parts.clone()));
        params.model.intercept = true;
        let found = problem.search(&params);
        for (k, kernel) in specs(&KERNELS).into_iter().enumerate() {
            for (a, alpha) in ALPHAS.into_iter().enumerate() {
                let own = {
                    let mut changed = params.model.clone();
                    changed.alpha = vec![alpha];
                    changed.kernel = kernel.clone();
                    changed
                };
                let errors: Vec<Vec<f64>> =
                    parts.iter().map(|fold| problem.error(&own, fold)).collect();
                for j in 0..2 {
                    let mean = errors.iter().map(|e| e[j]).sum::<f64>() / 4.0;
                    let square: f64 = errors.iter().map(|e| (e[j] - mean).powi(2)).sum();
                    let table = &found.tables[k];
                    assert!((-table.scores[(a, j)] / mean - 1.0).abs() < 1e-9);
                    let spread = (square / 12.0).sqrt();
                    assert!((table.std_errors[(a, j)] / spread - 1.0).abs() < 1e-6);
                }
            }
        }
        // Where no decomposition fits, products find the same scores.
        let metric = SquaredError { targets: &problem.y, weights: problem.weights.as_deref() };
        let tight = Context::new(1).with_budget(119_000);
        let targets = &problem.targets();
        let slow = search(&tight, &params, &problem.x, targets, &metric).unwrap();
        for (one, other) in found.tables.iter().zip(&slow.tables) {
            for (a, b) in one.scores.data().iter().zip(other.scores.data()) {
                assert!((a / b - 1.0).abs() < 1e-4, "{a} {b}");
            }
        }
    }
}

#[test]
fn generalised_cross_validation_follows_its_formula() {
    let problem = Problem::new(30, 1, false);
    let params = params(&["rbf(gamma=0.5)"], &ALPHAS, Validation::Gcv);
    let found = problem.search(&params);
    for (a, alpha) in ALPHAS.into_iter().enumerate() {
        let own = {
            let mut changed = params.model.clone();
            changed.alpha = vec![alpha];
            changed.kernel = "rbf(gamma=0.5)".parse().unwrap();
            changed
        };
        // The hat matrix, column by column: predictions for unit targets.
        let predict = |y: &Mat<f64>| {
            let targets = &Targets::matrix(y.clone());
            let model =
                KernelRidge::fit(&Context::new(1), &own, &problem.x, targets, None).unwrap();

            model.predict(&Context::new(1), &problem.x).unwrap()
        };
        let hat = predict(&Mat::from_fn(30, 30, |i, j| if i == j { 1.0 } else { 0.0 }));
        let fitted = predict(&problem.y);
        let trace: f64 = (0..30).map(|i| 1.0 - hat[(i, i)]).sum();
        let squares: f64 = (0..30).map(|i| (problem.y[(i, 0)] - fitted[(i, 0)]).powi(2)).sum();
        let want = 30.0 * squares / trace.powi(2);
        assert!((-found.tables[0].scores[(a, 0)] / want - 1.0).abs() < 1e-8);
    }
}

#[test]
fn a_given_matrix_is_searched_like_samples() {
    let problem = Problem::new(35, 2, true);
    let own = params(&["rbf(gamma=0.5)"], &ALPHAS, Validation::LeaveOneOut);
    let direct = problem.search(&own);
    let (x, n) = (&problem.x, 35);
    let square = |i: usize, j: usize| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    let gram: Vec<f64> = (0..n * n).map(|i| (-0.5 * square(i / n, i % n)).exp()).collect();
    let metric = SquaredError { targets: &problem.y, weights: problem.weights.as_deref() };
    let matrix = MatRef::new(&gram, n, n, n);
    let given =
        search(&Context::new(2), &own, Input::precomputed(matrix), &problem.targets(), &metric)
            .unwrap();
    let pairs = direct.tables[0].scores.data().iter().zip(given.tables[0].scores.data());
    pairs.for_each(|(a, b)| assert!((a / b - 1.0).abs() < 1e-9));
    assert_eq!(given.model.params.alpha, direct.model.params.alpha);
    let selection = given.model.selection.unwrap();
    assert_eq!((selection.method.as_str(), selection.candidates), ("leave-one-out", 3));
}

#[test]
fn the_best_is_chosen_for_all_targets_or_for_each() {
    let problem = Problem::new(60, 3, false);
    let alphas: Vec<f64> = (-8..6).map(|p| 10.0_f64.powf(f64::from(p) / 2.0)).collect();
    let mut own = params(&KERNELS, &alphas, Validation::LeaveOneOut);
    let common = problem.search(&own);
    let best = common.tables.iter().flat_map(|t| (0..alphas.len()).map(|a| t.score(a).value));
    assert_eq!(common.chosen.score.value, best.fold(f64::NEG_INFINITY, f64::max));
    assert_eq!(common.model.params.alpha.len(), 1);
    own.per_target = true;
    let each = problem.search(&own);
    assert_eq!(each.model.params.alpha.len(), 3);
    assert!(each.chosen.score.value >= common.chosen.score.value);
    let table = &each.tables[each.chosen.kernel];
    for (j, &a) in each.chosen.alphas.iter().enumerate() {
        let most = (0..alphas.len()).map(|a| table.scores[(a, j)]).fold(f64::MIN, f64::max);
        assert_eq!(table.scores[(a, j)], most);
    }
}

#[test]
fn the_default_grid_learns_a_curve() {
    let n = 150;
    let x: Dense<f64> = dense(&normal(n, 1, 5), n, 1);
    let noise = normal(n, 1, 6);
    let y = Mat::from_fn(n, 1, |i, _| 100.0 + (3.0 * x.row(i)[0]).sin() + 0.1 * noise[i]);
    let own = SearchParams {
        model: KernelRidgeParams::new(KernelSpec::linear()).intercept(true),
        kernels: widths(&"rbf".parse().unwrap(), &x).unwrap(),
        alphas: None,
        validation: Validation::LeaveOneOut,
        per_target: false,
    };
    let metric = SquaredError { targets: &y, weights: None };
    let targets = &Targets::matrix(y.clone());
    let found = search(&Context::new(2), &own, &x, targets, &metric).unwrap();
    let selection = found.model.selection.clone().unwrap();
    assert!(
        selection.score > -0.016 && selection.std_error.is_some_and(|s| s < 0.005),
        "{selection:?}"
    );
    assert!(found.model.report.notes.is_empty(), "{:?}", found.model.report.notes);
}

#[test]
fn bad_grids_and_folds_are_refused() {
    let problem = Problem::new(10, 1, false);
    let metric = SquaredError { targets: &problem.y, weights: None };
    let error = |own: &SearchParams| {
        search(&Context::new(1), own, &problem.x, &problem.targets(), &metric)
            .err()
            .unwrap()
            .to_string()
    };
    let loo = Validation::LeaveOneOut;
    assert!(error(&params(&KERNELS, &[0.0], loo.clone())).contains("positive penalties"));
    assert!(error(&params(&KERNELS, &[], loo.clone())).contains("at least one penalty"));
    assert!(error(&params(&[], &[1.0], loo)).contains("at least one kernel"));
    let fold = Fold { train: vec![0, 1], test: vec![1] };
    assert!(error(&params(&KERNELS, &[1.0], Validation::Folds(vec![fold]))).contains("row 1"));
}

/// Checks that steps of the grid only go forward, and counts them.
struct Forward {
    last: std::sync::Mutex<f64>,
    count: AtomicUsize,
}

impl Monitor for Forward {
    fn step(&self, step: &Step) -> std::ops::ControlFlow<()> {
        if step.stage == "grid" {
            let mut last = self.last.lock().unwrap();
            assert!(step.done >= *last && step.done <= step.total, "{step:?} after {last}");
            *last = step.done;
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn progress_over_the_grid_goes_forward() {
    let problem = Problem::new(600, 1, false);
    let watch = Arc::new(Forward { last: std::sync::Mutex::new(0.0), count: AtomicUsize::new(0) });
    let ctx = Context::new(2).with_monitor(watch.clone());
    let mut own = params(&KERNELS, &ALPHAS, Validation::Folds(folds(600, 2, 0).unwrap()));
    own.model.solver = Solver::Cholesky;
    let metric = SquaredError { targets: &problem.y, weights: None };
    search(&ctx, &own, &problem.x, &problem.targets(), &metric).unwrap();
    assert!(watch.count.load(Ordering::Relaxed) > 4);
}
