//! Watching long work: progress and interruption.

use std::ops::ControlFlow;
use std::sync::Arc;

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
    /// What else is worth telling, in a few words.
    pub said: Option<String>,
}

impl Step {
    /// A step of a stage whose length is known.
    pub fn new(stage: &'static str, done: f64, total: f64) -> Self {
        Self { stage, done, total, residual: None, said: None }
    }

    /// A step of a stage that ends by convergence; `total` is an estimate.
    pub fn converging(stage: &'static str, done: f64, total: f64, residual: f64) -> Self {
        Self { residual: Some(residual), ..Self::new(stage, done, total) }
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
}
