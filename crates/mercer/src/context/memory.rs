//! The memory budget: what concurrent work has reserved of it, in one count.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::limits;
use crate::error::{Error, Result};

/// Work up to this size is not worth the time it takes to ask the operating system how much memory is free.
const SMALL: u64 = 1 << 20;

/// A limit and how much of it is reserved. Shared by all clones of a context.
#[derive(Debug)]
pub(super) struct Budget {
    /// What the caller set; the memory that is free where nothing was set.
    given: Option<u64>,
    threads: usize,
    /// Found out when it is first needed.
    limit: OnceLock<Limit>,
    used: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    bytes: u64,
    /// What sets the limit, as the subject of a sentence.
    set_by: &'static str,
}

impl Budget {
    /// Of `given` bytes or of what is free, and at most what the limits of the process leave to `threads` threads.
    pub fn new(given: Option<u64>, threads: usize) -> Arc<Self> {
        let (limit, used) = (OnceLock::new(), AtomicU64::new(0));
        Arc::new(Self { given, threads, limit, used })
    }

    fn found(&self) -> Limit {
        *self.limit.get_or_init(|| {
            let bytes = self.given.unwrap_or_else(limits::available_memory);
            match limits::process_limit(self.threads).filter(|left| *left < bytes) {
                Some(bytes) => Limit { bytes, set_by: "the memory left by ulimit" },
                None => Limit { bytes, set_by: "the memory budget" },
            }
        })
    }

    #[doc(hidden)]
    pub fn limit(&self) -> u64 {
        self.found().bytes
    }

    pub fn left(&self) -> u64 {
        self.limit().saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// A budget of one of `parts` equal parts of what is left.
    pub fn part(&self, parts: usize) -> Arc<Self> {
        let Limit { set_by, .. } = self.found();
        let bytes = self.left() / (parts as u64).max(1);
        let limit = OnceLock::from(Limit { bytes, set_by });
        Arc::new(Self { given: None, threads: self.threads, limit, used: AtomicU64::new(0) })
    }

    #[doc(hidden)]
    pub fn reserve(
        self: &Arc<Self>,
        what: &'static str,
        bytes: u64,
        hint: &'static str,
    ) -> Result<Reservation> {
        let mut reservation = Reservation { budget: self.clone(), bytes: 0 };
        reservation.extend(what, bytes, hint)?;
        Ok(reservation)
    }

    /// Adds `bytes` to what is used, or returns how much is used already.
    fn take(&self, bytes: u64) -> std::result::Result<(), u64> {
        let small = self.given.map_or(SMALL, |given| given.min(SMALL));
        let fits = |used: u64| {
            let sum = used.checked_add(bytes)?;
            let is_known_to_fit = self.limit.get().is_none() && sum <= small;
            (is_known_to_fit || sum <= self.limit()).then_some(sum)
        };
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).map(drop)
    }
}

/// Bytes of a context's memory budget that are set aside for a piece of work. They are given back when this is dropped.
#[doc(hidden)]
#[derive(Debug)]
#[must_use = "the bytes are given back as soon as the reservation is dropped"]
pub struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Reservation {
    /// The bytes that are set aside.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// These bytes and all that are left beside them.
    pub fn within_reach(&self) -> u64 {
        self.bytes + self.budget.left()
    }

    /// Sets aside `bytes` more, for `what`. Refused, the reservation stays as it was.
    pub fn extend(&mut self, what: &'static str, bytes: u64, hint: &'static str) -> Result<()> {
        match self.budget.take(bytes) {
            Ok(()) => self.bytes += bytes,
            Err(used) => {
                let Limit { bytes: budget, set_by } = self.budget.found();
                let hint = hint.into();
                return Err(Error::Memory { what, needed: bytes, set_by, budget, used, hint });
            }
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_counted_together_and_given_back() {
        let budget = Budget::new(Some(100), 1);
        let first = budget.reserve("a", 60, "h").unwrap();
        assert_eq!((budget.left(), first.bytes()), (40, 60));
        let text = budget.reserve("a table", 41, "use less").unwrap_err().to_string();
        assert_eq!(
            text,
            "a table needs 41 bytes, but the memory budget is 100 bytes, of which 60 bytes are in use: use less"
        );
        assert_eq!(budget.left(), 40, "a refusal takes nothing");
        drop(first);
        assert_eq!(budget.left(), 100);
        assert!(budget.reserve("a", u64::MAX, "h").is_err());
    }

    #[test]
    fn a_reservation_grows_or_stays() {
        let budget = Budget::new(Some(100), 1);
        let mut reservation = budget.reserve("a", 10, "h").unwrap();
        reservation.extend("b", 90, "h").unwrap();
        assert!(reservation.extend("c", 1, "h").is_err());
        assert_eq!((reservation.bytes(), budget.left()), (100, 0));
        drop(reservation);
        assert_eq!((budget.left(), budget.part(3).limit()), (100, 33));
    }

    #[test]
    fn small_work_does_not_ask_the_operating_system() {
        let budget = Budget::new(None, 1);
        let first = budget.reserve("a", SMALL, "h").unwrap();
        assert!(budget.limit.get().is_none());
        let second = budget.reserve("a", 1, "h").unwrap();
        assert_eq!(budget.limit.get().unwrap().bytes, budget.limit());
        assert_eq!(budget.left() + first.bytes() + second.bytes(), budget.limit());
        let little = Budget::new(Some(10), 1);
        assert!(little.reserve("a", 11, "h").is_err() && little.reserve("a", 10, "h").is_ok());
    }

    #[test]
    fn threads_never_reserve_more_than_there_is() {
        let budget = Budget::new(Some(1000), 1);
        let work = || {
            for _ in 0..2000 {
                let reservation: Vec<_> =
                    (0..3).filter_map(|_| budget.reserve("a", 170, "h").ok()).collect();
                assert!(budget.used.load(Ordering::Relaxed) <= 1000);
                drop(reservation);
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(budget.left(), 1000);
    }
}
