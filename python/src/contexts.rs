//! Thread pools, made when first needed: one for each number of threads, and one for each thread of Python that works on a single one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use mercer::linalg::simd;
use mercer::{Context, context};
use mercer_guard::guarded;
use pyo3::prelude::*;

/// The pools of one process. A forked child inherits the table but none of the threads.
struct Pools {
    process: u32,
    by_threads: HashMap<usize, Context>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

thread_local! {
    /// The single thread that works for this thread of Python. If all shared one, work on one thread could not go on beside
    /// other such work, and would wait for ever for a fit that waits for it: that of a Dask client whose workers are in the same process.
    static SINGLE: RefCell<Option<(u32, Context)>> = const { RefCell::new(None) };
}

/// A context with `threads` threads and `budget` bytes, or what the machine has free now.
///
/// The token proves that the interpreter's lock is held, as it is during a fork: so no fork can happen while the table
/// is locked.
pub fn context(_: Python<'_>, threads: usize, budget: Option<u64>) -> Context {
    let context = if threads == 1 { single() } else { shared(threads) };
    match budget {
        Some(bytes) => context.with_budget(bytes),
        None => context.with_free_memory(),
    }
}

/// The context of all work on so many threads.
fn shared(threads: usize) -> Context {
    let mut table = POOLS.lock().unwrap_or_else(|broken| broken.into_inner());
    let process = std::process::id();
    if table.as_ref().is_some_and(|pools| pools.process != process) {
        // Dropping a pool would talk to its threads, which live in the parent alone.
        std::mem::forget(table.take());
    }
    let pools = table.get_or_insert_with(|| Pools { process, by_threads: HashMap::new() });
    pools.by_threads.entry(threads).or_insert_with(|| Context::new(threads)).clone()
}

/// The context of one thread that works for the calling one.
fn single() -> Context {
    let process = std::process::id();
    SINGLE.with_borrow_mut(|kept| {
        if kept.as_ref().is_some_and(|(of, _)| *of != process) {
            std::mem::forget(kept.take()); // as above
        }
        kept.get_or_insert_with(|| (process, Context::new(1))).1.clone()
    })
}

/// The bytes that are free for this process, less a tenth.
#[guarded]
#[pyfunction]
pub fn available_memory() -> u64 {
    context::available_memory()
}

/// The number of cores that this process may use. It is asked for once, because asking takes as long as a small fit's
/// arithmetic, and results do not depend on it.
#[guarded]
#[pyfunction]
pub fn available_threads() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(context::available_threads)
}

/// The vector instructions that loops run with, and the best of this processor.
#[guarded]
#[pyfunction]
pub fn vector_instructions() -> (&'static str, &'static str) {
    (simd::level().name(), simd::highest().name())
}
