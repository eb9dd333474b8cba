//! The bodies of the fuzz targets: functions that take any bytes and must return. A panic, an abort, a result that breaks
//! a law or too much memory is a bug.
//!
//! `fuzz/` wraps them for libFuzzer. `tests/smoke.rs` runs them on the committed corpus and on mutations of it, with the
//! stable compiler, as part of `make test`.

mod kernel_spec;
mod model_file;
mod mutate;
mod oracle;
mod problem;
mod tables;

use std::sync::OnceLock;

use mercer::Context;

pub use kernel_spec::kernel_spec;
pub use model_file::{libsvm_model, model_file};
pub use mutate::mutated;
pub use problem::problem;
pub use tables::{arrow, csv, libsvm_text, npy, parquet};

/// A function that takes any bytes and must return.
pub type Target = fn(&[u8]);

/// Every target by the name of its wrapper and of its corpus.
pub const TARGETS: [(&str, Target); 9] = [
    ("model_file", model_file),
    ("libsvm_model", libsvm_model),
    ("csv", csv),
    ("npy", npy),
    ("parquet", parquet),
    ("arrow", arrow),
    ("libsvm_text", libsvm_text),
    ("kernel_spec", kernel_spec),
    ("problem", problem),
];

/// Bytes that a table or the work of a target may take.
const BUDGET: u64 = 1 << 20;

/// One thread and a small budget, made once: a pool of threads costs more than most inputs.
fn context() -> &'static Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| Context::new(1).with_budget(BUDGET))
}
