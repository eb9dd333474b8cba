//! Searches on landmarks by law: all samples as landmarks are the exact search, leaving a row out is a fit without it, blocks and threads change nothing.

use std::borrow::Cow;
use std::sync::Mutex;

use mercer::model::landmarks::{
    GivenLandmarks, LandmarkCount, LandmarkParams, RowBlock, RowBlocks, Whole,
};
use mercer::points::{Part, Parts};
use mercer::prelude::*;
use mercer::select::{
    Criterion, Metric, Score, Search, SearchParams, SquaredError, Validation, folds, search,
    search_blocks,
};
use mercer::{AnySamples, Error, Points};

use crate::naive::{dense, normal};

const RBF: &str = "rbf(gamma=0.4)";
const ALPHAS: [f64; 4] = [0.01, 0.1, 1.0, 30.0];

struct Problem {
    x: AnySamples,
    y: Mat<f64>,
    weights: Option<Vec<f64>>,
}

impl Problem {
    fn new(n: usize, weighted: bool) -> Self {
        let x: Dense<f64> = dense(&normal(n, 3, 1), n, 3);
        let noise = normal(n, 2, 2);
        let wave = |i: usize, j: usize| (x.row(i)[0] * (j + 1) as f64).sin() + x.row(i)[1];
        let y = Mat::from_fn(n, 2, |i, j| 50.0 + wave(i, j) + 0.3 * noise[2 * i + j]);
        let weights = weighted.then(|| (0..n).map(|i| (i % 4) as f64 * 0.7).collect());
        Self { x: (&x).into(), y, weights }
    }

    fn targets(&self) -> Targets {
        Targets::matrix(self.y.clone()).with_weights(self.weights.clone())
    }

    fn run(&self, ctx: &Context, params: &SearchParams) -> Search {
        let metric = SquaredError { targets: &self.y, weights: self.weights.as_deref() };
        search(ctx, params, Input::Samples(self.x.clone()), &self.targets(), &metric).unwrap()
    }

    /// The rows without those of weight 0 and without row `i`.
    fn without(&self, i: usize) -> Self {
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |w| w[row]);
        let kept: Vec<usize> =
            (0..self.y.rows()).filter(|&row| row != i && weight(row) > 0.0).collect();
        Self {
            x: self.x.select(&kept),
            y: Mat::from_fn(kept.len(), 2, |i, j| self.y[(kept[i], j)]),
            weights: self.weights.as_ref().map(|w| kept.iter().map(|&i| w[i]).collect()),
        }
    }
}

fn params(kernels: &[&str], validation: Validation) -> SearchParams {
    let kernels: Vec<KernelSpec> = kernels.iter().map(|text| text.parse().unwrap()).collect();
    let model = KernelRidge::params(kernels[0].clone()).intercept(true);
    SearchParams { model, kernels, alphas: Some(ALPHAS.into()), validation, per_target: false }
}

fn on(landmarks: impl Into<LandmarkParams>, params: &SearchParams) -> SearchParams {
    let model = params.model.clone().landmarks(landmarks);
    SearchParams { model, ..params.clone() }
}

fn given(x: AnySamples) -> LandmarkParams {
    LandmarkParams::new(LandmarkCount::Given(GivenLandmarks::new(x)))
}

fn close(a: &Mat<f64>, b: &Mat<f64>, tolerance: f64, what: &str) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (a, b) in a.data().iter().zip(b.data()) {
        assert!((a - b).abs() <= tolerance * b.abs(), "{what}: {a} {b}");
    }
}

/// The predictions that a search scores, in order.
struct Recorder(Mutex<Vec<Mat<f64>>>);

impl Metric for Recorder {
    fn name(&self) -> String {
        "recorded".into()
    }

    fn scores(&self, _: &[usize], predicted: &Mat<f64>) -> Result<Vec<Score>> {
        self.0.lock().unwrap().push(predicted.clone());
        Ok(vec![Score { value: 0.0, std_error: f64::NAN }])
    }
}

#[test]
fn all_samples_as_landmarks_are_the_exact_search() {
    let ctx = Context::new(2);
    for validation in
        [Validation::LeaveOneOut, Validation::Gcv, Validation::Folds(folds(90, 3, 1).unwrap())]
    {
        for (weighted, intercept) in [(false, true), (true, true), (true, false)] {
            let problem = Problem::new(90, weighted);
            let mut exact = params(&[RBF, "laplacian(gamma=0.3)", "linear"], validation.clone());
            exact.model.intercept = intercept;
            let low = problem.run(&ctx, &on(90, &exact));
            let exact = problem.run(&ctx, &exact);
            let what = format!("{validation:?} {weighted} {intercept}");
            for (low, exact) in low.tables.iter().zip(&exact.tables) {
                close(&low.scores, &exact.scores, 1e-7, &what);
                if validation != Validation::Gcv {
                    close(&low.std_errors, &exact.std_errors, 1e-6, &what);
                }
            }
            assert_eq!(low.chosen.alphas, exact.chosen.alphas);
            assert_eq!((low.chosen.kernel, low.tables.len()), (exact.chosen.kernel, 3));
            let (a, b) = (low.model.selection.unwrap(), exact.model.selection.unwrap());
            assert_eq!((a.method, a.measure, a.candidates), (b.method, b.measure, b.candidates));
        }
    }
}

#[test]
fn the_default_penalties_are_those_of_the_exact_search() {
    let ctx = Context::new(2);
    let problem = Problem::new(150, true);
    for (intercept, per_target) in [(true, false), (false, true)] {
        let mut exact = params(&[RBF, "rbf(gamma=3)"], Validation::LeaveOneOut);
        (exact.alphas, exact.per_target, exact.model.intercept) = (None, per_target, intercept);
        let low = problem.run(&ctx, &on(150, &exact));
        let exact = problem.run(&ctx, &exact);
        for (low, exact) in low.tables.iter().zip(&exact.tables) {
            assert_eq!(low.alphas.len(), exact.alphas.len());
            let worst = low.alphas.iter().zip(&exact.alphas).map(|(a, b)| (a / b - 1.0).abs());
            assert!(worst.fold(0.0, f64::max) < 1e-9);
        }
        assert_eq!(low.chosen.alphas, exact.chosen.alphas);
        assert_eq!(low.chosen.alphas.len(), if per_target { 2 } else { 1 });
    }
}

#[test]
fn leave_one_out_is_a_fit_without_each_row() {
    let ctx = Context::new(2);
    for (weighted, intercept) in [(false, true), (true, true), (true, false)] {
        let problem = Problem::new(40, weighted);
        let landmarks = given(problem.x.select(&[1, 2, 5, 9, 13, 21, 22, 30, 37]));
        let mut wanted = on(landmarks, &params(&[RBF], Validation::LeaveOneOut));
        wanted.model.intercept = intercept;
        let recorder = Recorder(Mutex::default());
        let input = Input::Samples(problem.x.clone());
        search(&ctx, &wanted, input, &problem.targets(), &recorder).unwrap();
        let all = recorder.0.into_inner().unwrap();
        let counts = |row: &usize| problem.weights.as_ref().is_none_or(|w| w[*row] > 0.0);
        let rows: Vec<usize> = (0..40).filter(counts).collect();
        let metric = SquaredError { targets: &problem.y, weights: problem.weights.as_deref() };
        let table = &problem.run(&ctx, &wanted).tables[0];
        for (a, alpha) in ALPHAS.into_iter().enumerate() {
            for (place, &row) in rows.iter().enumerate() {
                let part = problem.without(row);
                let model = wanted.model.clone().alpha(alpha);
                let input = Input::Samples(part.x.clone());
                let model = KernelRidge::fit(&ctx, &model, input, &part.targets(), None).unwrap();
                let own = Input::Samples(problem.x.select(&[row]));
                let out = model.predict(&ctx, own).unwrap();
                for j in 0..2 {
                    let error = (out[(0, j)] - all[a][(place, j)]).abs();
                    assert!(error < 1e-8, "{weighted} {intercept} {alpha} row {row}: {error:e}");
                }
            }
            // Errors that are added up are those of predictions in memory.
            let scores = metric.scores(&rows, &all[a]).unwrap();
            for (j, score) in scores.iter().enumerate() {
                assert!((table.scores[(a, j)] / score.value - 1.0).abs() < 1e-9);
                assert!((table.std_errors[(a, j)] / score.std_error - 1.0).abs() < 1e-9);
            }
        }
    }
}

/// Rows of a problem in blocks, which counts how often they are read.
struct Blocks<'a> {
    problem: &'a Problem,
    size: usize,
    at: usize,
    most: usize,
    asked: Vec<usize>,
    reads: usize,
}

impl<'a> Blocks<'a> {
    fn new(problem: &'a Problem, size: usize, most: usize) -> Self {
        Self { problem, size, at: 0, most, asked: Vec::new(), reads: 0 }
    }
}

impl RowBlocks for Blocks<'_> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        if passes > self.most {
            return Err(Error::Shape(format!("the rows cannot be read {passes} times")));
        }
        self.asked.push(passes);
        self.at = 0;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let problem = self.problem;
        let rows: Vec<usize> = (self.at..(self.at + self.size).min(problem.y.rows())).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        self.reads += usize::from(self.at == 0);
        self.at += rows.len();
        let weights = problem.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect());
        Ok(Some(RowBlock {
            samples: problem.x.select(&rows),
            targets: Some(Cow::Owned(Mat::from_fn(rows.len(), 2, |i, j| problem.y[(rows[i], j)]))),
            weights: weights.map(Cow::Owned),
        }))
    }
}

#[test]
fn blocks_and_threads_change_no_bit_and_passes_are_counted() {
    let problem = Problem::new(3000, true);
    // Without a pass of its own for leave-one-out, the residual of the full system takes one.
    for (validation, passes, last) in [(Validation::LeaveOneOut, 3, 0), (Validation::Gcv, 2, 1)] {
        let wanted = on(40, &params(&[RBF, "rbf(gamma=2)"], validation));
        let whole = problem.run(&Context::new(1), &wanted);
        for (threads, size) in [(2, 3000), (1, 1024), (2, 2048)] {
            let mut rows = Blocks::new(&problem, size, 2 * passes);
            let ctx = Context::new(threads);
            let found =
                search_blocks(&ctx, &wanted, &mut rows, Dtype::F64, Criterion::Rmse).unwrap();
            for (a, b) in found.tables.iter().zip(&whole.tables) {
                assert_eq!((&a.scores, &a.alphas), (&b.scores, &b.alphas));
                let (a, b) = (a.std_errors.data(), b.std_errors.data());
                assert!(a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
            assert_eq!(found.model.coef, whole.model.coef);
            assert_eq!(found.model.offset, whole.model.offset);
            assert_eq!(found.model.report.landmarks, whole.model.report.landmarks);
            assert_eq!((rows.asked[0], rows.reads), (2 * passes, 2 * passes + last));
        }
        let mut once = Blocks::new(&problem, 1024, 2 * passes - 1);
        let refused =
            search_blocks(&Context::new(1), &wanted, &mut once, Dtype::F64, Criterion::Rmse).err();
        assert!(refused.unwrap().to_string().contains("cannot be read"));
        assert_eq!(once.reads, 0);
    }
}

#[test]
fn the_model_is_that_of_a_fit_with_the_chosen_penalty() {
    let ctx = Context::new(2);
    let problem = Problem::new(500, false);
    let wanted = on(50, &params(&[RBF, "rbf(gamma=2)"], Validation::LeaveOneOut));
    let found = problem.run(&ctx, &wanted);
    let alpha = found.tables[found.chosen.kernel].alphas[found.chosen.alphas[0]];
    let kernel = found.kernels[found.chosen.kernel].clone();
    let mut own = wanted.model.clone().alpha(alpha);
    own.kernel = kernel;
    let input = Input::Samples(problem.x.clone());
    let model = KernelRidge::fit(&ctx, &own, input, &problem.targets(), None).unwrap();
    assert_eq!((&model.coef, &model.offset), (&found.model.coef, &found.model.offset));
    assert_eq!(found.model.params.alpha, [alpha]);
    // It is stored with what the search found.
    let file = mercer::io::ModelFile::new(found.model.clone().into(), Dtype::F64);
    let bytes = mercer::io::to_bytes(&file).unwrap();
    let read = mercer::io::from_bytes(std::path::Path::new("memory"), &bytes).unwrap();
    let mercer::io::Model::KernelRidge(read) = read.model else { panic!() };
    assert_eq!((&read.report, &read.selection), (&found.model.report, &found.model.selection));
    assert!(read.report.landmarks.unwrap().full_system.is_some());
}

/// Enough landmarks for single precision: leave-one-out predictions of some rows against fits without them.
#[test]
fn leverages_in_single_precision_are_as_good_as_stated() {
    let ctx = Context::new(2);
    let problem = Problem::new(2500, false);
    let landmarks = given(problem.x.select(&(0..280).map(|i| 8 * i).collect::<Vec<_>>()));
    let mut wanted = on(landmarks, &params(&["laplacian(gamma=0.5)"], Validation::LeaveOneOut));
    wanted.alphas = Some(vec![1.0, 10.0]);
    let recorder = Recorder(Mutex::default());
    let input = Input::Samples(problem.x.clone());
    let found = search(&ctx, &wanted, input, &problem.targets(), &recorder).unwrap();
    let error = found.model.report.landmarks.unwrap().left_out_error.expect("single precision");
    assert!(error > 0.0 && error <= 1e-5, "{error}");
    let all = recorder.0.into_inner().unwrap();
    for row in [3, 8, 1111, 2400] {
        let part = problem.without(row);
        let model = wanted.model.clone().alpha(1.0);
        let input = Input::Samples(part.x.clone());
        let model = KernelRidge::fit(&ctx, &model, input, &part.targets(), None).unwrap();
        let out = model.predict(&ctx, Input::Samples(problem.x.select(&[row]))).unwrap();
        let residual = problem.y[(row, 0)] - out[(0, 0)];
        let found = problem.y[(row, 0)] - all[0][(row, 0)];
        assert!((found / residual - 1.0).abs() < 2.0 * error, "row {row}: {found} {residual}");
    }
}

/// Two loops, on few enough rows that all are in the sample.
#[test]
fn the_residual_of_the_full_system_is_that_of_its_matrix() {
    let ctx = Context::new(2);
    let n = 200;
    let mut problem = Problem::new(n, false);
    problem.weights = Some((0..n).map(|i| 0.5 + (i % 3) as f64).collect());
    let weights = problem.weights.clone().unwrap();
    for (m, intercept) in [(25, true), (25, false), (200, true)] {
        let mut wanted = on(m, &params(&[RBF], Validation::LeaveOneOut));
        (wanted.model.intercept, wanted.alphas) = (intercept, Some(vec![0.5]));
        let model = problem.run(&ctx, &wanted).model;
        let found = model.report.landmarks.clone().unwrap().full_system.unwrap();
        let x = problem.x.get::<f64>().unwrap();
        let kernel = mercer::SpecKernel::<f64>::new(&RBF.parse().unwrap()).unwrap();
        let mut k = Mat::zeros(n, n);
        mercer::gram::matrix(&ctx, &kernel, x, None, k.view_mut()).unwrap();
        let anchors = model.anchors.clone().unwrap();
        let z = anchors.get::<f64>().unwrap();
        let mut k_zz = Mat::zeros(z.len(), z.len());
        mercer::gram::matrix(&ctx, &kernel, z, None, k_zz.view_mut()).unwrap();
        let f = model.predict(&ctx, x).unwrap();
        let (mut residual, mut gap): (f64, f64) = (0.0, 0.0);
        for j in 0..2 {
            let (alpha, b) = (0.5, model.offset[j]);
            let e: Vec<f64> = (0..n).map(|i| problem.y[(i, j)] - f[(i, j)]).collect();
            let a: Vec<f64> = (0..n).map(|i| weights[i] * e[i] / alpha).collect();
            let (mut left, mut all, mut beyond, mut squares) = (0.0, 0.0, 0.0, 0.0);
            for i in 0..n {
                let sum: f64 = (0..n).map(|l| k[(i, l)] * a[l]).sum();
                let r = f[(i, j)] - b - sum;
                left += weights[i] * r * r;
                all += weights[i] * (problem.y[(i, j)] - b).powi(2);
                beyond -= alpha * a[i] * r;
                squares += weights[i] * e[i] * e[i];
            }
            let c = |s: usize| model.coef[(s, j)];
            let norm: f64 = (0..z.len())
                .map(|s| (0..z.len()).map(|l| c(s) * k_zz[(s, l)] * c(l)).sum::<f64>())
                .sum();
            residual = residual.max((left / all).sqrt());
            gap = gap.max(beyond.max(0.0) / (squares + alpha * norm));
        }
        assert_eq!(found.rows, n);
        assert!(
            (found.residual - residual).abs() < 1e-7 * (1.0 + residual),
            "{found:?} {residual}"
        );
        assert!((found.gap - gap).abs() < 1e-7, "{found:?} {gap}");
        if m == n {
            assert!(found.residual < 1e-6 && found.gap < 1e-6, "{found:?}");
        } else {
            assert!(found.residual > 1e-3 && found.gap > 1e-6, "{found:?}");
        }
    }
}

/// The objective of the exact fit lies between that of the low-rank one and that less the gap.
#[test]
fn the_gap_bounds_the_exact_objective() {
    let ctx = Context::new(2);
    let problem = Problem::new(200, false);
    let mut wanted = on(30, &params(&[RBF], Validation::LeaveOneOut));
    wanted.alphas = Some(vec![0.5]);
    let low = problem.run(&ctx, &wanted).model;
    let gap = low.report.landmarks.clone().unwrap().full_system.unwrap().gap;
    let mut exact = wanted.model.clone().alpha(0.5);
    exact.landmarks = None;
    let input = || Input::Samples(problem.x.clone());
    let exact = KernelRidge::fit(&ctx, &exact, input(), &problem.targets(), None).unwrap();
    // Σ (y − f)² + α ‖f‖², with α ‖f‖² = Σ c (f − b) α over the anchors of each.
    let objective = |model: &KernelRidge, j: usize| {
        let f = model.predict(&ctx, input()).unwrap();
        let squares: f64 = (0..200).map(|i| (problem.y[(i, j)] - f[(i, j)]).powi(2)).sum();
        let at = model.predict(&ctx, model.anchors.as_ref().unwrap()).unwrap();
        let terms = (0..model.n()).map(|i| model.coef[(i, j)] * (at[(i, j)] - model.offset[j]));
        squares + 0.5 * terms.sum::<f64>()
    };
    for j in 0..2 {
        let (low, exact) = (objective(&low, j), objective(&exact, j));
        assert!(exact <= low * (1.0 + 1e-9) && low * (1.0 - gap) <= exact, "{low} {exact} {gap}");
    }
}

#[test]
fn texts_and_groups_of_columns() {
    let ctx = Context::new(2);
    let texts: Vec<String> =
        (0..80).map(|i| format!("{}{}x", "ab".repeat(i % 7), "cde".repeat(i % 5))).collect();
    let texts: Samples<f64> = Strings::new(&texts).unwrap().into();
    let numbers: Dense<f64> = dense(&normal(80, 2, 4), 80, 2);
    let groups: Samples<f64> = Parts::new(vec![
        Part { names: vec!["age".into(), "size".into()], samples: (&numbers).into() },
        Part { names: vec!["name".into()], samples: texts.clone() },
    ])
    .unwrap()
    .into();
    for (x, kernel) in [
        (&texts, "normalize(spectrum(p=2))"),
        (&groups, "columns(age, size: rbf(gamma=0.5)) + column(name: normalize(spectrum(p=2)))"),
    ] {
        let problem = Problem { x: x.into(), ..Problem::new(80, false) };
        let exact = params(&[kernel], Validation::LeaveOneOut);
        let low = problem.run(&ctx, &on(80, &exact));
        let exact = problem.run(&ctx, &exact);
        close(&low.tables[0].scores, &exact.tables[0].scores, 1e-6, kernel);
    }
}

#[test]
fn single_precision_samples_are_searched() {
    let problem = Problem::new(400, false);
    let narrow = problem.x.to_type::<f32>().unwrap();
    let wanted = on(60, &params(&[RBF], Validation::LeaveOneOut));
    let double = problem.run(&Context::new(2), &wanted);
    let problem = Problem { x: (&narrow).into(), ..problem };
    let single = problem.run(&Context::new(1), &wanted);
    assert_eq!(single.model.dtype, Dtype::F32);
    close(&single.tables[0].scores, &double.tables[0].scores, 2e-2, "f32");
}

#[test]
fn classes_and_what_cannot_be_searched() {
    let ctx = Context::new(1);
    let problem = Problem::new(120, false);
    let names: Vec<&str> =
        (0..120).map(|i| if problem.y[(i, 0)] > 50.0 { "high" } else { "low" }).collect();
    let targets = Targets::classes(&names);
    let values = targets.regressed().unwrap();
    let metric = mercer::select::Accuracy { targets: &values, weights: None };
    let wanted = on(40, &params(&[RBF], Validation::LeaveOneOut));
    let input = Input::Samples(problem.x.clone());
    let found = search(&ctx, &wanted, input, &targets, &metric).unwrap();
    assert!(found.chosen.score.value > 0.8, "{}", found.chosen.score.value);
    assert_eq!(found.model.classes.unwrap(), ["high", "low"]);

    let k = Mat::from_fn(120, 120, |i, j| f64::from(u8::from(i == j)));
    let error = search(&ctx, &wanted, Input::precomputed(&k), &targets, &metric).err();
    assert!(error.unwrap().to_string().contains("precomputed"));
    let refused = |wanted: &SearchParams| {
        let mut rows = Whole::new(problem.x.clone(), Some(&problem.y), None);
        search_blocks(&ctx, wanted, &mut rows, Dtype::F64, Criterion::Rmse)
            .err()
            .unwrap()
            .to_string()
    };
    let mut bad = wanted.clone();
    bad.alphas = Some(vec![0.0]);
    assert!(refused(&bad).contains("positive penalties"));
    bad = wanted.clone();
    bad.validation = Validation::Folds(folds(120, 3, 1).unwrap());
    assert!(refused(&bad).contains("rows in blocks"));
    bad = wanted.clone();
    bad.model.landmarks = None;
    assert!(refused(&bad).contains("need landmarks"));
    bad = wanted.clone();
    bad.kernels.clear();
    assert!(refused(&bad).contains("at least one kernel"));
    let one = Problem::new(1, false);
    let mut rows = Whole::new(one.x.clone(), Some(&one.y), None);
    let error = search_blocks(&ctx, &wanted, &mut rows, Dtype::F64, Criterion::Rmse).err().unwrap();
    assert!(error.to_string().contains("at least two samples"), "{error}");
    // Too little memory for the pass, but enough for the sums: the way out is named.
    let tight = Context::new(1).with_budget(700_000);
    let metric = SquaredError { targets: &problem.y, weights: None };
    let input = Input::Samples(problem.x.clone());
    let error = search(&tight, &wanted, input, &problem.targets(), &metric).err().unwrap();
    assert!(error.is_memory(), "{error}");
}
