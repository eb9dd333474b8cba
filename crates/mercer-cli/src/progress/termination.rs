//! The wish of another program that this one should end: SIGTERM, as `kill`, batch systems and containers send it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether the process was asked to end.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// From now on the signal is noted instead of ending the process. A file that grows beyond the limit of the system then
/// is an error of writing, and does not end the process in the middle of it either.
#[cfg(unix)]
pub fn catch() -> std::io::Result<()> {
    use signal_hook::consts::{SIGTERM, SIGXFSZ};
    signal_hook::flag::register(SIGTERM, ASKED.clone())?;
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Other systems have no such signals.
#[cfg(not(unix))]
pub fn catch() -> std::io::Result<()> {
    Ok(())
}
