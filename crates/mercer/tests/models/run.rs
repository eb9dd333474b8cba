//! Progress, interruption and budget.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::context::{Monitor, Step};
use mercer::kernel::KernelSpec;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::svm::{Stop, Svm, SvmParams, Task};
use mercer::{Context, Error};
use mercer::{Labels, Target, Targets};

use crate::naive::{dense, normal};

/// Counts the steps it receives, and stops after `limit` polls.
struct Counter {
    steps: AtomicUsize,
    polls: AtomicUsize,
    limit: usize,
}

impl Monitor for Counter {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        assert!(
            step.done >= 0.0 && step.total > 0.0 && step.done <= step.total * (1.0 + 1e-9),
            "{step:?}"
        );
        self.steps.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn poll(&self) -> ControlFlow<()> {
        let polls = self.polls.fetch_add(1, Ordering::Relaxed);
        if polls >= self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn counter(limit: usize) -> Arc<Counter> {
    Arc::new(Counter { steps: AtomicUsize::new(0), polls: AtomicUsize::new(0), limit })
}

#[test]
fn the_monitor_sees_progress_and_can_stop_everywhere() {
    let x = dense::<f64>(&normal(1200, 3, 1), 1200, 3);
    for components in [Components::Count(5), Components::All] {
        let params = KernelPcaParams::new(KernelSpec::rbf_gamma(0.3)).components(components);
        let watch = counter(usize::MAX);
        let ctx = Context::new(2).with_monitor(watch.clone());
        KernelPca::fit(&ctx, &params, &x).unwrap();
        let all = watch.polls.load(Ordering::Relaxed);
        assert!(watch.steps.load(Ordering::Relaxed) > 3 && all > 10);
        for limit in [0, all / 3, all / 2, all - 1] {
            let ctx = Context::new(2).with_monitor(counter(limit));
            let error = KernelPca::fit(&ctx, &params, &x).err().unwrap();
            assert!(matches!(error, Error::Interrupted), "{error}");
        }
    }
}

/// ½ βᵀKβ − Σ|β| of the coefficients a machine of two classes kept, by two loops.
fn objective(model: &Svm, x: &mercer::Dense<f64>, gamma: f64) -> f64 {
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let beta = |s: usize| model.coef[(0, s)];
    let mut sum = 0.0;
    for (s, &i) in model.support.iter().enumerate() {
        for (t, &j) in model.support.iter().enumerate() {
            sum += 0.5 * beta(s) * beta(t) * (-gamma * distance(x.row(i), x.row(j))).exp();
        }
        sum -= beta(s).abs();
    }
    sum
}

#[test]
fn a_machine_stopped_anywhere_is_what_its_report_says() {
    let n = 2600;
    let x = dense::<f64>(&normal(n, 3, 4), n, 3);
    let places: Vec<usize> =
        (0..n).map(|i| usize::from(x.row(i)[0] + x.row(i)[1].sin() > 0.3)).collect();
    let classes = ["a".to_string(), "b".to_string()];
    let target = Target::Classes {
        labels: Labels { names: classes.to_vec(), places: places.to_vec() },
        weights: None,
    };
    let supervision = &Targets { target, weights: None };
    let params = SvmParams::new(Task::CSvc, KernelSpec::rbf_gamma(0.5)).c(10.0);
    let watch = counter(usize::MAX);
    let ctx = Context::new(2).with_monitor(watch.clone());
    let full = Svm::fit(&ctx, &params, &x, supervision, None).unwrap();
    let all = watch.polls.load(Ordering::Relaxed);
    let reported = |model: &Svm| model.report.machine.as_ref().unwrap().problems[0].clone();
    let mut stopped = 0;
    for part in 0..24 {
        let ctx = Context::new(2).with_monitor(counter(all * part / 24));
        match Svm::fit(&ctx, &params, &x, supervision, None) {
            Err(error) => assert!(matches!(error, Error::Interrupted), "{error}"),
            Ok(model) => {
                let report = reported(&model);
                assert_eq!(report.stop, Stop::Interrupted);
                let (said, true_one) = (report.objective, objective(&model, &x, 0.5));
                assert!(
                    (said - true_one).abs() < 1e-5 * (1.0 + true_one.abs()),
                    "{said} {true_one}"
                );
                assert!(
                    report.gap.unwrap() >= (said - reported(&full).objective) - 1e-6,
                    "{report:?}"
                );
                stopped += 1;
            }
        }
    }
    assert!(stopped > 8, "{stopped}");
}
