//! Thread pools, one for each number of threads, made when first asked for.

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

/// A context with `threads` threads and `budget` bytes, or what the machine has free now.
///
/// The token proves that the interpreter's lock is held, as it is during a fork: so no fork can happen while the table
/// is locked.
pub fn context(_: Python<'_>, threads: usize, budget: Option<u64>) -> Context {
    let mut table = POOLS.lock().unwrap_or_else(|broken| broken.into_inner());
    let process = std::process::id();
    if table.as_ref().is_some_and(|pools| pools.process != process) {
        // Dropping a pool would talk to its threads, which live in the parent alone.
        std::mem::forget(table.take());
    }
    let pools = table.get_or_insert_with(|| Pools { process, by_threads: HashMap::new() });
    let context = pools.by_threads.entry(threads).or_insert_with(|| Context::new(threads));
    match budget {
        Some(bytes) => context.clone().with_budget(bytes),
        None => context.clone().with_free_memory(),
    }
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
