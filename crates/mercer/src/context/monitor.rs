//! Watching long work: progress and interruption.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::Context;
use crate::error::Result;

/// A report of progress within one stage of a piece of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is being done, in a few words.
    pub stage: &'static str,
    /// How much of it is done, from 0 to `total`.
    pub done: f64,
    /// All of it; an estimate where the stage ends by convergence.
    pub total: f64,
    /// The relative residual reached so far, for stages that end by convergence.
    pub residual: Option<f64>,
    /// A further message, in a few words.
    pub message: Option<String>,
    /// The seconds that the stage will still take, where they are better known than from the share that is done.
    pub remaining: Option<f64>,
}

impl Step {
    /// A step of a stage whose length is known.
    #[doc(hidden)]
    pub fn new(stage: &'static str, done: f64, total: f64) -> Self {
        Self { stage, done, total, residual: None, message: None, remaining: None }
    }

    /// A step of a stage that ends by convergence; `total` is an estimate.
    #[doc(hidden)]
    pub fn converging(stage: &'static str, done: f64, total: f64, residual: f64) -> Self {
        Self { residual: Some(residual), ..Self::new(stage, done, total) }
    }
}

/// The progress of a stage that several threads work on: its steps are reported in order.
#[derive(Debug)]
pub struct SharedProgress {
    stage: &'static str,
    done: Mutex<usize>,
    total: usize,
}

impl SharedProgress {
    /// A stage of so many parts.
    pub fn new(stage: &'static str, total: usize) -> Self {
        Self { stage, done: Mutex::new(0), total }
    }

    /// Reports that so many more parts are done.
    pub fn add(&self, ctx: &Context, more: usize) -> Result<()> {
        // Held while the monitor is called, or a thread that counted later might report first.
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += more;
        ctx.step(Step::new(self.stage, *done as f64, self.total as f64))
    }
}

/// Watches long work and may end it. Called from worker threads, so both methods must return at once.
pub trait Monitor: Send + Sync {
    /// Progress was made. `Break` ends the work with [`Error::Interrupted`](crate::error::Error::Interrupted).
    fn step(&self, step: &Step) -> ControlFlow<()>;

    /// Called every few milliseconds between steps. `Break` ends the work.
    fn poll(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether a time limit has passed. Iterations that have a usable result by then end with it, and report that they did not
    /// converge; other work ends with [`Error::Interrupted`](crate::error::Error::Interrupted).
    fn is_out_of_time(&self) -> bool {
        false
    }
}

/// Watches nothing and never interrupts.
pub(super) struct Silent;

impl Monitor for Silent {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Passes interruptions on, but no progress.
pub(super) struct Quiet(pub Arc<dyn Monitor>);

impl Monitor for Quiet {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        self.0.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        self.0.poll()
    }

    fn is_out_of_time(&self) -> bool {
        self.0.is_out_of_time()
    }
}

/// Reports all steps as those of one stage, whose share from `from` to `to` they are.
pub(super) struct Part {
    pub outer: Arc<dyn Monitor>,
    pub stage: &'static str,
    pub from: f64,
    pub to: f64,
}

impl Monitor for Part {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        let share = step.done / step.total;
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        // Its end is the end of the part, to the last bit.
        let done = if share < 1.0 { self.from + share * (self.to - self.from) } else { self.to };
        let message = step.message.clone().unwrap_or_else(|| step.stage.to_string());
        self.outer.step(&Step { message: Some(message), ..Step::new(self.stage, done, 1.0) })
    }

    fn poll(&self) -> ControlFlow<()> {
        self.outer.poll()
    }

    fn is_out_of_time(&self) -> bool {
        self.outer.is_out_of_time()
    }
}

/// Passes progress and interruptions on, but no time limit.
pub(super) struct Untimed(pub Arc<dyn Monitor>);

impl Monitor for Untimed {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        self.0.step(step)
    }

    fn poll(&self) -> ControlFlow<()> {
        self.0.poll()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Forward(Mutex<f64>);

    impl Monitor for Forward {
        fn step(&self, step: &Step) -> ControlFlow<()> {
            let before = std::mem::replace(&mut *self.0.lock().unwrap(), step.done);
            assert_eq!(step.done, before + 1.0);
            ControlFlow::Continue(())
        }
    }

    /// Keeps the last step.
    struct Last(Mutex<Option<Step>>);

    impl Monitor for Last {
        fn step(&self, step: &Step) -> ControlFlow<()> {
            *self.0.lock().unwrap() = Some(step.clone());
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn steps_of_a_part_are_a_share_of_the_whole() {
        let last = Arc::new(Last(Mutex::new(None)));
        let ctx = Context::new(1).with_monitor(last.clone());
        let inner = ctx.part("whole", 0.5, 1.0).part("half", 0.0, 0.5);
        inner.step(Step::new("rows", 30.0, 60.0)).unwrap();
        let found = last.0.lock().unwrap().clone().unwrap();
        assert_eq!((found.stage, found.done, found.total), ("whole", 0.625, 1.0));
        assert_eq!(found.message.as_deref(), Some("rows"));
        inner.step(Step::new("rows", 1.0, 0.0)).unwrap();
        assert_eq!(last.0.lock().unwrap().clone().unwrap().done, 0.5);
    }

    #[test]
    fn threads_that_share_a_stage_tell_its_steps_in_order() {
        let forward = Arc::new(Forward(Mutex::new(0.0)));
        let ctx = Context::new(2).with_monitor(forward.clone());
        let progress = SharedProgress::new("parts", 4000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| progress.add(&ctx, 1).unwrap()));
            }
        });
        assert_eq!(*forward.0.lock().unwrap(), 4000.0);
    }
}
