//! Later passes over rows: other rows are refused, and a fit that is complete but for its certificate outlives its time.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::context::{Monitor, Step};
use mercer::model::kernel_pca::KernelPcaParams;
use mercer::model::kernel_ridge::KernelRidgeParams;
use mercer::model::landmarks::{LandmarkParams, Regrouped, RowBlock, RowBlocks};
use mercer::prelude::*;
use mercer::solve::ridge::Solver;
use mercer::{AnySamples, Dtype};

use crate::naive::normal;

const N: usize = 3000;

/// Rows that count their passes; from one of them on, half of the rows are gone.
struct Passes {
    x: Dense<f64>,
    begun: Arc<AtomicUsize>,
    halved_from: usize,
    is_read: bool,
}

impl Passes {
    fn new(halved_from: usize) -> Self {
        let x = crate::naive::dense(&normal(N, 3, 1), N, 3);
        Self { x, begun: Arc::default(), halved_from, is_read: false }
    }
}

impl RowBlocks for Passes {
    fn rewind(&mut self, _: usize) -> Result<()> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.is_read = false;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        if std::mem::replace(&mut self.is_read, true) {
            return Ok(None);
        }
        let n = if self.begun.load(Ordering::Relaxed) >= self.halved_from { N / 2 } else { N };
        let x = AnySamples::from(&self.x).select(&(0..n).collect::<Vec<_>>());
        let mut block = RowBlock::new(x);
        block.targets = Some(Cow::Owned(Mat::from_fn(n, 1, |i, _| self.x.row(i)[0].sin())));
        Ok(Some(block))
    }
}

fn rbf() -> KernelSpec {
    "rbf(gamma=0.4)".parse().unwrap()
}

fn ridge(solver: Solver) -> KernelRidgeParams {
    KernelRidge::params(rbf()).alpha(0.01).landmarks(30).solver(solver)
}

#[test]
fn other_rows_in_a_later_pass_are_refused() {
    let ctx = &Context::new(1);
    let features = KernelPcaParams::landmark_features(rbf(), LandmarkParams::from(10));
    let refused = |error: Option<Error>| {
        let error = error.expect("refused").to_string();
        assert!(error.contains("3000 rows in the first pass but 1500 in a later one"), "{error}");
    };
    let mut halved = Regrouped::new(Passes::new(2));
    refused(KernelPca::fit_blocks(ctx, &features, &mut halved, Dtype::F64).err());
    for (solver, pass) in [(Solver::Eigen, 2), (Solver::Eigen, 3), (Solver::Cg, 2), (Solver::Cg, 4)]
    {
        let mut halved = Regrouped::new(Passes::new(pass));
        refused(KernelRidge::fit_blocks(ctx, &ridge(solver), &mut halved, Dtype::F64).err());
    }
}

/// Out of time, or stopped, as soon as a pass begins.
struct Until {
    begun: Arc<AtomicUsize>,
    pass: usize,
    stops: bool,
}

impl Until {
    fn is_over(&self) -> bool {
        self.begun.load(Ordering::Relaxed) >= self.pass
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.stops && self.is_over() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Monitor for Until {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        self.flow()
    }

    fn poll(&self) -> ControlFlow<()> {
        self.flow()
    }

    fn is_out_of_time(&self) -> bool {
        self.is_over()
    }
}

/// A regression that is out of time, or stopped, from this pass on.
fn until(solver: Solver, pass: usize, stops: bool) -> Result<KernelRidge> {
    let mut params = ridge(solver);
    params.tolerance = Some(1e-14);
    let source = Passes::new(usize::MAX);
    let begun = source.begun.clone();
    let mut rows = Regrouped::new(source);
    let ctx = Context::new(1).with_monitor(Arc::new(Until { begun, pass, stops }));
    KernelRidge::fit_blocks(&ctx, &params, &mut rows, Dtype::F64)
}

#[test]
fn a_regression_whose_time_ends_after_the_fit_is_kept_without_its_certificate() {
    let model = until(Solver::Eigen, 3, false).unwrap();
    assert!(model.report.converged);
    assert_eq!(model.report.landmarks.unwrap().full_system, None);
    assert!(
        until(Solver::Eigen, 9, false).unwrap().report.landmarks.unwrap().full_system.is_some()
    );
    // Conjugate gradients end with what they reached.
    let model = until(Solver::Cg, 4, false).unwrap();
    assert!(!model.report.converged && model.report.passes < 5 && model.report.residual < 1.0);
    for (solver, stops, pass) in
        [(Solver::Eigen, true, 3), (Solver::Cg, true, 4), (Solver::Eigen, false, 2)]
    {
        assert!(matches!(until(solver, pass, stops), Err(Error::Interrupted)));
    }
}
