//! The end of the time budget, and the progress of a comparison.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mercer::context::{Monitor, Step};

use crate::progress::Progress;

/// Ends work at a moment, and shows the progress of the whole comparison in place of that of its parts.
pub struct Deadline {
    progress: Arc<Progress>,
    began: Instant,
    /// The time for the whole comparison.
    budget: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    until: Option<Instant>,
    /// The share of all folds of all models that are scored.
    done: f64,
    message: String,
}

impl Deadline {
    /// A comparison that begins now.
    pub fn new(progress: Arc<Progress>, budget: f64) -> Self {
        // A duration has an upper limit, which is more than a life.
        let budget = Duration::try_from_secs_f64(budget).unwrap_or(Duration::MAX);
        Self { progress, began: Instant::now(), budget, state: Mutex::default() }
    }

    /// Seconds since the beginning.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Seconds that are left.
    pub fn left(&self) -> f64 {
        self.budget.saturating_sub(self.began.elapsed()).as_secs_f64()
    }

    /// Begins a part that ends `seconds` from now at the latest; without a limit, when it is done.
    pub fn begin(&self, message: String, done: f64, seconds: Option<f64>) {
        let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        *self.state() = State { until, done, message };
        let _ = self.show();
    }

    fn show(&self) -> ControlFlow<()> {
        let (done, message) = {
            let state = self.state();
            (state.done, state.message.clone())
        };
        let used = self.seconds() / self.budget.as_secs_f64().max(f64::MIN_POSITIVE);
        // The comparison ends when all is done or the time is over: what is nearer counts. A full bar would look stuck.
        let share = done.max(used).min(0.999);
        self.progress
            .step(&Step { message: Some(message), ..Step::new("comparing models", share, 1.0) })
    }

    fn is_over(&self) -> bool {
        self.state().until.is_some_and(|until| Instant::now() >= until)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Monitor for Deadline {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { self.show() }
    }

    fn poll(&self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { self.progress.poll() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::StopFlag;

    #[test]
    fn work_ends_at_its_limit_or_by_a_request() {
        let stop = StopFlag::default();
        let progress = Arc::new(Progress::new(stop.clone(), true));
        let deadline = Deadline::new(progress, 1e9);
        deadline.begin("a model".into(), 0.0, None);
        assert!(deadline.poll().is_continue() && deadline.left() > 1e8);
        deadline.begin("a model".into(), 0.0, Some(0.0));
        assert!(deadline.poll().is_break());
        deadline.begin("a model".into(), 0.0, Some(1e3));
        assert!(deadline.step(&Step::new("folds", 1.0, 2.0)).is_continue());
        stop.set();
        assert!(deadline.poll().is_break());
    }
}
