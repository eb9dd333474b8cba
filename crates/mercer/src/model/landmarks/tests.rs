//! Conjugate gradients on landmarks give what the direct solution gives.

use std::borrow::Cow;

use super::rows::{RowBlock, RowBlocks, Whole};
use super::{GivenLandmarks, LandmarkCount, LandmarkParams};
use crate::context::{Context, Stream};
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use crate::model::note::NoteCode;
use crate::points::{Dense, Dtype, Points, Samples};
use crate::real::Real;
use crate::solve::ridge::Solver;

const ROWS: usize = 1200;

fn samples<T: Real>() -> Samples<T> {
    let mut stream = Stream::new(5, "test");
    let data = (0..2 * ROWS).map(|_| T::from_f64(stream.normal())).collect();
    Samples::Dense(Dense::from_vec(data, ROWS, 2).unwrap())
}

fn targets() -> Mat<f64> {
    let x = samples::<f64>();
    let x = x.dense().unwrap();
    Mat::from_fn(ROWS, 2, |i, j| 5.0 + (x.row(i)[j] * 2.0).sin())
}

fn weights() -> Vec<f64> {
    (0..ROWS).map(|i| (i % 3) as f64).collect()
}

fn params(solver: Solver, intercept: bool) -> KernelRidgeParams {
    KernelRidgeParams {
        alpha: vec![1e-2, 1e-4],
        intercept,
        solver,
        tolerance: Some(1e-9),
        landmarks: Some(LandmarkParams::from(60)),
        ..KernelRidgeParams::new("rbf(gamma=0.5)".parse().unwrap())
    }
}

/// The rows in blocks of a size.
struct Blocks<T: Real> {
    x: Samples<T>,
    y: Mat<f64>,
    weights: Vec<f64>,
    size: usize,
    at: usize,
    once: bool,
}

impl<T: Real> Blocks<T> {
    fn new(size: usize) -> Self {
        Self { x: samples(), y: targets(), weights: weights(), size, at: 0, once: false }
    }
}

impl<T: Real> RowBlocks for Blocks<T> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        if self.once && passes > 1 {
            return Err(Error::Shape("the rows can be read only once".into()));
        }
        self.at = 0;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let rows: Vec<usize> = (self.at..(self.at + self.size).min(ROWS)).collect();
        self.at += rows.len();
        if rows.is_empty() {
            return Ok(None);
        }
        let y = Mat::from_fn(rows.len(), 2, |i, j| self.y[(rows[i], j)]);
        let weights = rows.iter().map(|&i| self.weights[i]).collect();
        let block = RowBlock::new(self.x.select(&rows));
        Ok(Some(RowBlock {
            targets: Some(Cow::Owned(y)),
            weights: Some(Cow::Owned(weights)),
            ..block
        }))
    }
}

fn fit<T: Real>(threads: usize, size: usize, params: &KernelRidgeParams) -> KernelRidge {
    let ctx = Context::new(threads);
    KernelRidge::fit_blocks(&ctx, params, &mut Blocks::<T>::new(size), Dtype::of::<T>()).unwrap()
}

fn gap(a: &KernelRidge, b: &KernelRidge) -> f64 {
    let ctx = Context::new(1);
    let predicted = |model: &KernelRidge| match model.dtype {
        Dtype::F64 => model.predict(&ctx, &samples::<f64>()).unwrap(),
        Dtype::F32 => model.predict(&ctx, &samples::<f32>()).unwrap(),
    };
    let (a, b) = (predicted(a), predicted(b));
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn iterative_solutions_are_the_direct_ones() {
    for intercept in [false, true] {
        let direct = fit::<f64>(2, ROWS, &params(Solver::Eigen, intercept));
        let found = fit::<f64>(2, ROWS, &params(Solver::Cg, intercept));
        assert_eq!(direct.report.solver, "landmarks");
        assert_eq!(found.report.solver, "landmarks-cg");
        assert!(found.report.converged && found.report.residual <= 1e-9, "{:?}", found.report);
        assert!(found.report.passes < 150, "{}", found.report.passes);
        assert!(gap(&direct, &found) < 1e-5, "{}", gap(&direct, &found));
        let share = |model: &KernelRidge| model.report.landmarks.as_ref().unwrap().residual_share();
        assert!((share(&direct) - share(&found)).abs() < 0.05);
        let single = KernelRidgeParams { tolerance: Some(1e-5), ..params(Solver::Cg, intercept) };
        let single = fit::<f32>(2, ROWS, &single);
        assert!(gap(&single, &fit::<f32>(1, ROWS, &params(Solver::Eigen, intercept))) < 0.02);
    }
}

#[test]
fn iterations_do_not_depend_on_threads_and_blocks() {
    let params = params(Solver::Cg, true);
    let whole = fit::<f64>(1, ROWS, &params);
    for (threads, size) in [(2, ROWS), (2, 1024)] {
        let other = fit::<f64>(threads, size, &params);
        assert_eq!((&whole.coef, &whole.offset), (&other.coef, &other.offset));
        assert_eq!(whole.report.landmarks, other.report.landmarks);
    }
}

#[test]
fn landmarks_that_depend_on_others_are_left_out() {
    let x = samples::<f64>();
    let twice: Vec<usize> = (0..80).map(|i| 11 * (i % 40)).collect();
    let given = LandmarkCount::Given(GivenLandmarks::new(x.select(&twice)));
    let params = |solver| KernelRidgeParams {
        landmarks: Some(LandmarkParams::new(given.clone())),
        ..params(solver, true)
    };
    let found = fit::<f64>(2, ROWS, &params(Solver::Cg));
    assert_eq!((found.n(), found.report.landmarks.as_ref().unwrap().dropped), (40, 40));
    assert!(gap(&found, &fit::<f64>(2, ROWS, &params(Solver::Eigen))) < 1e-5);
}

#[test]
fn an_iteration_that_is_cut_short_says_so() {
    let params = KernelRidgeParams { max_passes: Some(3), ..params(Solver::Cg, true) };
    let report = fit::<f64>(2, ROWS, &params).report;
    assert!(!report.converged && report.residual > 1e-9);
    assert!(report.notes.iter().any(|note| note.code == NoteCode::NotConverged));
}

#[test]
fn what_an_iteration_cannot_do_is_refused() {
    let ctx = Context::new(1);
    let refused = |params: &KernelRidgeParams| {
        let mut rows = Blocks::<f64>::new(ROWS);
        rows.once = true;
        let found = KernelRidge::fit_blocks(&ctx, params, &mut rows, Dtype::F64);
        found.map(drop).unwrap_err().to_string()
    };
    assert!(refused(&params(Solver::Cg, true)).contains("only once"));
    assert!(refused(&params(Solver::Cholesky, true)).contains("iterative"));
    let zero = KernelRidgeParams { alpha: vec![0.0], ..params(Solver::Cg, true) };
    assert!(refused(&zero).contains("positive"));
    let mut going_on = params(Solver::Cg, true);
    going_on.landmarks = going_on.landmarks.map(|landmarks| landmarks.keep_sums(true));
    assert!(refused(&going_on).contains("more rows"));
    let mut none = Whole::new(samples::<f64>(), None, None);
    assert!(
        KernelRidge::fit_blocks(&ctx, &params(Solver::Cg, true), &mut none, Dtype::F64).is_err()
    );
}
