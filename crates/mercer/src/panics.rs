//! Panics as values: message and location, without the text that a panic prints by default.
//!
//! A panic is a bug of this library, or of one that it uses. Programs that must not end with it catch it here. The hook
//! that is installed the first time passes on all panics that nobody here is about to catch.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// The message of a panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked {
    /// Its message.
    pub message: String,
    /// The file, line and column that raised it; unknown if the thread was not one of ours.
    pub place: Option<String>,
}

/// How all threads of the library are called, a number behind some of them.
pub const THREAD: &str = "mercer";

thread_local! {
    static CATCHING: Cell<usize> = const { Cell::new(0) };
}

/// Calls of [`catch`] that run now.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
static LAST_PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work`. A panic in it, or in a thread of the library's that works for it, comes back as an error; nothing is
/// printed unless `RUST_BACKTRACE` asks for it.
pub fn catch<R>(work: impl FnOnce() -> R) -> Result<R, Panicked> {
    run(work, backtrace_is_wanted())
}

/// As [`catch`], for panics that are expected: never prints anything.
pub fn catch_quietly<R>(work: impl FnOnce() -> R) -> Result<R, Panicked> {
    run(work, false)
}

fn run<R>(work: impl FnOnce() -> R, is_loud: bool) -> Result<R, Panicked> {
    install_hook();
    let _mark = (!is_loud).then(Mark::set);
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let place = LAST_PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        Panicked { message: message.unwrap_or_else(|| "no message".into()), place }
    })
}

/// Says, while it lives, that panics of this thread and of the library's are caught.
struct Mark;

impl Mark {
    fn set() -> Self {
        CATCHING.set(CATCHING.get() + 1);
        ACTIVE.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        CATCHING.set(CATCHING.get() - 1);
        ACTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            note(info.location());
            if !is_caught() {
                before(info);
            }
        }));
    });
}

fn note(place: Option<&Location<'_>>) {
    let mut last = LAST_PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    *last = place.map(Location::to_string);
}

/// Whether a panic of this thread will reach a call of [`catch`]: on the thread itself, or on one that works for it.
fn is_caught() -> bool {
    let is_worker = || std::thread::current().name().is_some_and(|name| name.starts_with(THREAD));
    CATCHING.get() > 0 || (ACTIVE.load(Ordering::SeqCst) > 0 && is_worker())
}

fn backtrace_is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn panics_come_back_with_message_and_place() {
        assert_eq!(catch_quietly(|| 7), Ok(7));
        let caught = catch_quietly(|| panic!("on {}", "purpose")).unwrap_err();
        assert_eq!(caught.message, "on purpose");
        let place = caught.place.unwrap();
        assert!(place.contains("panics.rs:"), "{place}");
    }

    #[test]
    fn panics_of_workers_come_back_too() {
        let context = Context::new(2);
        let caught = catch_quietly(|| context.install(|| -> u8 { panic!("in a worker") }));
        assert_eq!(caught.unwrap_err().message, "in a worker");
    }

    #[test]
    fn a_thread_is_marked_only_while_it_catches() {
        assert_eq!(CATCHING.get(), 0);
        let inside = catch_quietly(|| catch_quietly(|| (CATCHING.get(), is_caught())).unwrap());
        assert_eq!(inside, Ok((2, true)));
        assert_eq!(CATCHING.get(), 0);
    }
}
