//! Progress, interruption and budget.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::context::{Monitor, Step};
use mercer::kernel::KernelSpec;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::{Context, Error};

use crate::naive::{dense, normal};

/// Counts what it is told, and stops after `limit` polls.
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
        let params =
            KernelPcaParams { components, ..KernelPcaParams::new(KernelSpec::rbf_gamma(0.3)) };
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
