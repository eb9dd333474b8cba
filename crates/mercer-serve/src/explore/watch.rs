//! Ends a computation that nobody waits for any longer.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mercer::context::{Monitor, Step};

use crate::http::Stop;

/// The newest question of each page and panel.
#[derive(Debug, Default)]
pub(super) struct Newest(Mutex<HashMap<(String, &'static str), Arc<AtomicU64>>>);

/// Pages and panels that are remembered.
const MOST: usize = 4096;

impl Newest {
    /// Notes question `seq` of a panel; whether it is still wanted can be asked of the result.
    pub fn note(&self, client: &str, panel: &'static str, seq: u64) -> Arc<AtomicU64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        let newest = all.entry((client.into(), panel)).or_default().clone();
        newest.fetch_max(seq, Ordering::SeqCst);
        newest
    }
}

/// Ends work that was replaced, that takes too long, or whose server stops.
pub(super) struct Wanted {
    newest: Arc<AtomicU64>,
    seq: u64,
    until: Instant,
    stop: Stop,
}

impl Wanted {
    pub fn new(newest: Arc<AtomicU64>, seq: u64, time: Duration, stop: &Stop) -> Arc<Self> {
        Arc::new(Self { newest, seq, until: Instant::now() + time, stop: stop.clone() })
    }

    /// Whether a newer question came.
    pub fn is_replaced(&self) -> bool {
        self.newest.load(Ordering::Relaxed) > self.seq
    }
}

impl Monitor for Wanted {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        self.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        let is_late = self.is_replaced() || self.stop.is_set() || Instant::now() > self.until;
        if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_question_ends_an_older_one() {
        let (newest, stop) = (Newest::default(), Stop::default());
        let first = Wanted::new(newest.note("a", "svm", 1), 1, Duration::from_secs(9), &stop);
        let other = Wanted::new(newest.note("b", "svm", 1), 1, Duration::from_secs(9), &stop);
        assert!(first.poll().is_continue());
        let second = Wanted::new(newest.note("a", "svm", 2), 2, Duration::from_secs(9), &stop);
        assert!(first.poll().is_break() && first.is_replaced());
        assert!(second.poll().is_continue() && other.poll().is_continue());
        let late = Wanted::new(newest.note("c", "svm", 1), 1, Duration::ZERO, &stop);
        std::thread::sleep(Duration::from_millis(2));
        assert!(late.poll().is_break() && !late.is_replaced());
        stop.set();
        assert!(other.poll().is_break());
    }
}
