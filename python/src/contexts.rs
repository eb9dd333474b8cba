//! Thread pools, one for each number of threads, made when first asked for. Of one thread there is a pool for each thread that asks for it: callers that want one thread
//! each run side by side, and a fit that waits for others in this process does not hold the thread that they need.

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
    /// The pool of one thread for this thread, with the process that made it.
    static ALONE: RefCell<Option<(u32, Context)>> = const { RefCell::new(None) };
}

/// A context with `threads` threads and `budget` bytes, or what the machine has free now.
pub fn context(py: Python<'_>, threads: usize, budget: Option<u64>) -> Context {
    let context = if threads == 1 { alone() } else { shared(py, threads) };
    match budget {
        Some(bytes) => context.with_budget(bytes),
        None => context.with_free_memory(),
    }
}

fn alone() -> Context {
    ALONE.with_borrow_mut(|known| {
        let process = std::process::id();
        if known.as_ref().is_some_and(|(own, _)| *own != process) {
            std::mem::forget(known.take());
        }
        known.get_or_insert_with(|| (process, Context::new(1))).1.clone()
    })
}

/// The token proves that the interpreter's lock is held, as it is during a fork: so no fork can happen while the table is locked.
fn shared(_: Python<'_>, threads: usize) -> Context {
    let mut table = POOLS.lock().unwrap_or_else(|broken| broken.into_inner());
    let process = std::process::id();
    if table.as_ref().is_some_and(|pools| pools.process != process) {
        // Dropping a pool would talk to its threads, which live in the parent alone.
        std::mem::forget(table.take());
    }
    let pools = table.get_or_insert_with(|| Pools { process, by_threads: HashMap::new() });
    pools.by_threads.entry(threads).or_insert_with(|| Context::new(threads)).clone()
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
