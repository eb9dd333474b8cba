//! SIGTERM, as sent by `kill`, batch systems and containers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether SIGTERM was received.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Records the signal instead of ending the process. A file beyond the size limit (SIGXFSZ) becomes a write error
/// instead of ending the process.
#[cfg(unix)]
pub fn catch() -> std::io::Result<()> {
    use signal_hook::consts::{SIGTERM, SIGXFSZ};
    signal_hook::flag::register(SIGTERM, REQUESTED.clone())?;
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Other systems have no such signals.
#[cfg(not(unix))]
pub fn catch() -> std::io::Result<()> {
    Ok(())
}
