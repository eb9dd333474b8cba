//! What fits have when their time limit passes. Time is counted in steps of the work, so that no machine is too slow or too
//! fast for these tests.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::context::{Monitor, Step};
use mercer::model::Report;
use mercer::model::kernel_kmeans::{KernelKMeans, KernelKMeansParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::solve::ridge::Solver;
use mercer::{Context, Dense, Error, KernelSpec, Targets};

use crate::naive::{dense, normal};

/// A clock that stops after `last` steps of one stage.
struct Clock {
    stage: &'static str,
    last: usize,
    steps: AtomicUsize,
}

impl Monitor for Clock {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        self.steps.fetch_add(usize::from(step.stage == self.stage), Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn is_out_of_time(&self) -> bool {
        self.steps.load(Ordering::Relaxed) >= self.last
    }
}

fn limited(stage: &'static str, last: usize) -> Context {
    let clock = Clock { stage, last, steps: AtomicUsize::new(0) };
    Context::new(2).with_monitor(Arc::new(clock))
}

fn samples() -> Dense<f64> {
    dense(&normal(300, 3, 5), 300, 3)
}

fn notes(report: &Report) -> String {
    report.notes.iter().map(|note| note.text.as_str()).collect()
}

fn clusters(starts: usize) -> KernelKMeansParams {
    KernelKMeansParams::new(7, KernelSpec::rbf_gamma(0.3)).starts(starts).tolerance(0.0)
}

#[test]
fn k_means_of_one_start_has_the_clusters_after_its_last_round() {
    let x = samples();
    let free = KernelKMeans::fit(&Context::new(2), &clusters(1), &x, None).unwrap();
    for rounds in 1..4 {
        let model = KernelKMeans::fit(&limited("k-means", rounds), &clusters(1), &x, None).unwrap();
        let short = clusters(1).max_rounds(rounds);
        let short = KernelKMeans::fit(&Context::new(2), &short, &x, None).unwrap();
        assert_eq!(model.labels, short.labels);
        assert!(!model.report.converged && free.report.converged);
        let text = notes(&model.report);
        let expected = format!("before the time limit: the clusters are those after {rounds}");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn k_means_of_many_starts_has_the_best_of_those_it_made() {
    let x = samples();
    let model = KernelKMeans::fit(&limited("k-means", 60), &clusters(1000), &x, None).unwrap();
    let text = notes(&model.report);
    assert!(text.contains("of 1000 starts"), "{text}");
    let starts = model.report.clusters.as_ref().unwrap().starts;
    assert!((2..60).contains(&starts), "{starts}");
    let best = KernelKMeans::fit(&Context::new(2), &clusters(starts), &x, None).unwrap();
    // The last start may have been cut short.
    assert!(best.inertia <= model.inertia * (1.0 + 1e-9));
}

#[test]
fn without_labels_yet_there_is_nothing_to_return() {
    let error = KernelKMeans::fit(&limited("k-means", 0), &clusters(1), &samples(), None);
    assert!(matches!(error.err().unwrap(), Error::Interrupted));
}

#[test]
fn conjugate_gradients_have_the_coefficients_of_their_last_pass() {
    let x = samples();
    let y: Vec<f64> = (0..300).map(|i| x.row(i)[0].sin()).collect();
    let params = KernelRidgeParams::new(KernelSpec::rbf_gamma(0.02)).alpha(1e-9).tolerance(1e-15);
    let params = params.solver(Solver::Cg);
    let fit = |ctx: &Context| KernelRidge::fit(ctx, &params, &x, &Targets::values(&y), None);
    let model = fit(&limited("coefficients", 3)).unwrap();
    let text = notes(&model.report);
    assert!(text.contains("the time limit passed") && !model.report.converged, "{text}");
    let few = model.report.passes;
    assert!(few < fit(&Context::new(2)).unwrap().report.passes, "{few} passes");
}
