//! Progress over a grid, whatever the stages of the work at one of its points.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::context::{Context, Monitor, Step};
use crate::model::landmarks::STAGE;

/// A context that reports all work as a share of the whole grid.
pub(super) fn share_of(ctx: &Context, index: usize, count: usize) -> Context {
    // The decomposition, or the iteration, is nearly all of the work; other stages would make the bar jump.
    share(ctx, index, count, &["eigen", "coefficients"])
}

/// The same for work that is passes over rows.
pub(super) fn pass_of(ctx: &Context, index: usize, count: usize) -> Context {
    share(ctx, index, count, &["rows", STAGE])
}

fn share(ctx: &Context, index: usize, count: usize, stages: &'static [&'static str]) -> Context {
    let share = Share { outer: ctx.clone(), index: index as f64, count: count as f64, stages };
    ctx.clone().with_monitor(Arc::new(share))
}

struct Share {
    outer: Context,
    index: f64,
    count: f64,
    stages: &'static [&'static str],
}

impl Monitor for Share {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        if !self.stages.contains(&step.stage) {
            return self.poll();
        }
        let done = self.index + step.done / step.total;
        let step = Step::new("grid", done, self.count);
        self.outer.step(step).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    fn poll(&self) -> ControlFlow<()> {
        self.outer.poll().map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    fn is_out_of_time(&self) -> bool {
        self.outer.is_out_of_time()
    }
}
