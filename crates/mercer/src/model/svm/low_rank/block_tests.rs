//! Laws of machines on landmarks of rows in blocks.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::context::{Context, Monitor, Step, Stream};
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::model::landmarks::{
    GivenLandmarks, LandmarkCount, LandmarkParams, Regrouped, RowBlock, RowBlocks,
};
use crate::model::svm::{Stop, Svm, SvmParams, Task};
use crate::model::targets::{Labels, Target, Targets};
use crate::points::{AnySamples, Dense, Dtype};
use crate::real::Real;

const N: usize = 5000;

/// Rows with their targets, in blocks of the given sizes, over and over.
#[derive(Clone)]
struct Cut {
    x: AnySamples,
    targets: Targets,
    sizes: &'static [usize],
    at: usize,
    turn: usize,
    passes: usize,
    /// How many rows there are from the second pass on.
    later: usize,
}

impl Cut {
    fn new(x: &AnySamples, targets: &Targets, sizes: &'static [usize]) -> Self {
        let (x, targets, later) = (x.clone(), targets.clone(), x.n());
        Self { x, targets, sizes, at: 0, turn: 0, passes: 0, later }
    }
}

impl RowBlocks for Cut {
    fn rewind(&mut self, _: usize) -> Result<()> {
        (self.at, self.turn, self.passes) = (0, 0, self.passes + 1);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let n = if self.passes > 1 { self.later } else { self.x.n() };
        let size = self.sizes[self.turn % self.sizes.len()];
        let rows: Vec<usize> = (self.at..(self.at + size).min(n)).collect();
        (self.at, self.turn) = (self.at + rows.len(), self.turn + 1);
        if rows.is_empty() {
            return Ok(None);
        }
        let mut block = RowBlock::new(self.x.select(&rows));
        if self.targets.target != Target::Unsupervised {
            let all = self.targets.clone().with_class_weights(None).regressed()?;
            let y = Mat::from_fn(rows.len(), all.cols(), |i, j| all[(rows[i], j)]);
            block.targets = Some(Cow::Owned(y));
        }
        let own = |weights: &Vec<f64>| rows.iter().map(|&row| weights[row]).collect::<Vec<f64>>();
        block.weights = self.targets.weights.as_ref().map(|weights| Cow::Owned(own(weights)));
        Ok(Some(block))
    }
}

/// Clouds that overlap, and numbers that vary with them.
fn samples<T: Real>(n: usize, task: Task, classes: usize) -> (AnySamples, Targets) {
    let mut stream = Stream::new(3, "clouds");
    let places: Vec<usize> = (0..n).map(|_| stream.below(classes)).collect();
    let mut data = Vec::new();
    places.iter().for_each(|&place| {
        data.extend((0..3).map(|j| stream.normal() + 2.0 * f64::from(j % classes == place)));
    });
    let values: Vec<f64> = data.chunks(3).map(|row| row[0].sin() + 0.1 * row[1]).collect();
    let data: Vec<T> = data.into_iter().map(T::from_f64).collect();
    let names = (0..classes).map(|c| format!("c{c}")).collect();
    let targets = match task {
        Task::CSvc | Task::NuSvc => Targets::labels(Labels { names, places }),
        Task::EpsilonSvr | Task::NuSvr => Targets::values(&values),
        Task::OneClass => Targets::unsupervised(),
    };
    (Dense::from_vec(data, n, 3).unwrap().into(), targets)
}

/// The same without rows.
fn like(targets: &Targets) -> Targets {
    let target = match &targets.target {
        Target::Classes { labels, weights } => {
            let labels = Labels { names: labels.names.clone(), places: Vec::new() };
            Target::Classes { labels, weights: weights.clone() }
        }
        Target::Values(_) => Target::Values(Mat::zeros(0, 1)),
        Target::Unsupervised => Target::Unsupervised,
    };
    Targets { target, weights: None }
}

fn params(task: Task) -> SvmParams {
    let kernel = "rbf(gamma=0.4)".parse().unwrap();
    let landmarks = Some(LandmarkParams::from(30));
    SvmParams { landmarks, nu: 0.3, c: 2.0, ..SvmParams::new(task, kernel) }
}

fn in_blocks(ctx: &Context, params: &SvmParams, rows: Cut, dtype: Dtype) -> Result<Svm> {
    let like = like(&rows.targets);
    Svm::fit_blocks(ctx, params, &like, &mut Regrouped::new(rows), dtype, None)
}

fn assert_same(found: &Svm, want: &Svm, what: &str) {
    assert_eq!((&found.coef, &found.offset), (&want.coef, &want.offset), "{what}");
    assert_eq!(found.support, want.support, "{what}");
    assert_eq!(found.dual_coef(), want.dual_coef(), "{what}");
    assert_eq!(found.report.landmarks, want.report.landmarks, "{what}");
    assert_eq!(found.report.machine, want.report.machine, "{what}");
    assert_eq!((found.trained_on, &found.counts), (want.trained_on, &want.counts), "{what}");
}

#[test]
fn any_layout_of_blocks_is_the_machine_in_memory() {
    let ctx = Context::new(2);
    for task in Task::ALL {
        let (x, targets) = samples::<f64>(N, task, 3);
        let whole = Svm::fit(&ctx, &params(task), &x, &targets, None).unwrap();
        assert!(whole.report.converged, "{task:?}");
        for sizes in [&[1024_usize][..], &[N], &[1], &[700, 1, 4096], &[2048, 100]] {
            let rows = Cut::new(&x, &targets, sizes);
            let found = in_blocks(&Context::new(1), &params(task), rows, Dtype::F64).unwrap();
            assert_same(&found, &whole, &format!("{task:?} {sizes:?}"));
        }
    }
}

#[test]
fn weights_of_rows_and_classes_and_two_classes_are_those_in_memory() {
    let ctx = Context::new(2);
    let weights: Vec<f64> = (0..N).map(|i| [1.0, 0.0, 2.5, 0.5][i % 4]).collect();
    for task in [Task::CSvc, Task::EpsilonSvr, Task::OneClass] {
        let (x, targets) = samples::<f32>(N, task, 2);
        let targets =
            targets.with_class_weights(Some(vec![1.0, 3.0])).with_weights(Some(weights.clone()));
        let whole = Svm::fit(&ctx, &params(task), &x, &targets, None).unwrap();
        let rows = Cut::new(&x, &targets, &[1500]);
        let found = in_blocks(&ctx, &params(task), rows, Dtype::F32).unwrap();
        assert_same(&found, &whole, &format!("{task:?}"));
        assert!(found.support.iter().all(|row| row % 4 != 1));
    }
}

#[test]
fn what_single_precision_loses_is_computed_in_double() {
    let ctx = Context::new(2);
    let (x, targets) = samples::<f32>(N, Task::CSvc, 2);
    let tight = SvmParams { tolerance: 1e-6, ..params(Task::CSvc) };
    let whole = Svm::fit(&ctx, &tight, &x, &targets, None).unwrap();
    let rows = Cut::new(&x, &targets, &[1500]);
    let found = in_blocks(&ctx, &tight, rows, Dtype::F32).unwrap();
    assert_eq!((found.dtype, found.computed_in), (Dtype::F32, Dtype::F64));
    assert_same(&found, &whole, "single");
}

#[test]
fn features_beyond_the_budget_are_in_a_file_that_nothing_is_left_of() {
    for task in [Task::CSvc, Task::NuSvr] {
        let n = 40_000;
        let (x, targets) = samples::<f64>(n, task, 3);
        let ctx = Context::new(2);
        // Landmarks that are chosen depend on the memory for the choice.
        let given = GivenLandmarks::new(x.select(&(0..100).collect::<Vec<_>>()));
        let landmarks = Some(LandmarkParams::new(LandmarkCount::Given(given)));
        let wanted = SvmParams { landmarks, ..params(task) };
        let plenty = Svm::fit(&ctx, &wanted, &x, &targets, None).unwrap();
        // Room for the solver, which has two variables for each sample of a regression, and not for the features.
        let budget = if task == Task::CSvc { 20 << 20 } else { 32 << 20 };
        let little = ctx.clone().with_budget(budget);
        let rows = Cut::new(&x, &targets, &[4096]);
        let scarce = in_blocks(&little, &wanted, rows, Dtype::F64).unwrap();
        assert!(scarce.report.reason.contains("temporary file"), "{}", scarce.report.reason);
        assert!(scarce.report.converged && plenty.report.converged, "{task:?}");
        let (a, b) = (plenty.decisions(&ctx, &x).unwrap(), scarce.decisions(&ctx, &x).unwrap());
        let mean = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).sum::<f64>();
        assert!(mean / (a.data().len() as f64) < 0.02, "{task:?}: {mean}");
        let start = format!(".mercer-features-{}-", std::process::id());
        let left = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        let is_ours = |name: &str| name.starts_with(&start);
        assert!(!left.into_iter().any(|file| is_ours(&file.file_name().to_string_lossy())));
    }
}

#[test]
fn a_warm_start_goes_on_from_a_machine_that_was_stopped() {
    let ctx = Context::new(2);
    let (x, targets) = samples::<f64>(N, Task::CSvc, 3);
    let tight = SvmParams { tolerance: 1e-5, ..params(Task::CSvc) };
    let cold = in_blocks(&ctx, &tight, Cut::new(&x, &targets, &[1024]), Dtype::F64).unwrap();
    let steps = |model: &Svm| -> u64 {
        model.report.machine.as_ref().unwrap().problems.iter().map(|p| p.iterations).sum()
    };
    let stopped = SvmParams { max_iterations: Some(steps(&cold) / 6), ..tight.clone() };
    let rows = Cut::new(&x, &targets, &[1024]);
    let half = in_blocks(&ctx, &stopped, rows.clone(), Dtype::F64).unwrap();
    assert!(!half.report.converged);
    let like = like(&targets);
    let mut source = Regrouped::new(rows);
    let warm = Svm::fit_blocks(&ctx, &tight, &like, &mut source, Dtype::F64, Some(&half)).unwrap();
    assert!(warm.report.converged && steps(&warm) < steps(&cold));
    let (a, b) = (cold.decisions(&ctx, &x).unwrap(), warm.decisions(&ctx, &x).unwrap());
    let most = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(most < 1e-3, "{most}");
}

/// Stops the solver.
struct Stops;

impl Monitor for Stops {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        match step.stage {
            "support vectors" => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn poll(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn a_solver_that_is_interrupted_gives_a_machine_without_reading_rows_again() {
    let (x, targets) = samples::<f64>(N, Task::CSvc, 2);
    let ctx = Context::new(2).with_monitor(Arc::new(Stops));
    let mut rows = Regrouped::new(Cut::new(&x, &targets, &[1024]));
    let found =
        Svm::fit_blocks(&ctx, &params(Task::CSvc), &like(&targets), &mut rows, Dtype::F64, None);
    let found = found.unwrap();
    assert_eq!(found.report.machine.as_ref().unwrap().problems[0].stop, Stop::Interrupted);
    assert_eq!(found.report.landmarks.as_ref().unwrap().loss, None);
    assert_eq!(rows.into_inner().passes, 2);
}

#[test]
fn what_rows_in_blocks_cannot_do_is_refused() {
    let ctx = Context::new(2);
    let (x, targets) = samples::<f64>(N, Task::CSvc, 2);
    let refused = |params: &SvmParams, rows: Cut| -> String {
        in_blocks(&ctx, params, rows, Dtype::F64).err().unwrap().to_string()
    };
    let rows = || Cut::new(&x, &targets, &[1024]);
    let own = params(Task::CSvc);
    let polish = SvmParams { polish: true, ..own.clone() };
    assert!(refused(&polish, rows()).contains("rows in blocks"));
    let exact = SvmParams { landmarks: None, ..own.clone() };
    assert!(refused(&exact, rows()).contains("need landmarks"));
    let fewer = Cut { later: N - 1, ..rows() };
    assert!(refused(&own, fewer).contains("5000 rows in the first pass"));
    let mut alone = rows();
    alone.targets = targets.clone().with_weights(Some(vec![0.0; N]));
    assert!(refused(&own, alone).contains("positive weight"));
    let names = vec!["c0".to_string(), "c1".into(), "none".into()];
    let Target::Classes { labels, .. } = &targets.target else { unreachable!() };
    let wanting = Targets::labels(Labels { names, places: labels.places.clone() });
    assert!(refused(&own, Cut::new(&x, &wanting, &[1024])).contains("class none"));
    let values = Targets::values(&vec![f64::NAN; N]);
    let regression = params(Task::EpsilonSvr);
    assert!(refused(&regression, Cut::new(&x, &values, &[1024])).contains("NaN"));
    let little = in_blocks(&ctx.clone().with_budget(1 << 20), &own, rows(), Dtype::F64);
    assert!(matches!(little, Err(Error::Memory { .. })), "{:?}", little.err());
}
