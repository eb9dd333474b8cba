//! The wish of another program that this one should end: SIGTERM, as `kill`, batch systems and containers send it.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether the process was asked to end.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

#[cfg(unix)]
mod signal {
    use std::ffi::c_int;
    use std::sync::atomic::Ordering;

    /// The same number on every Unix.
    const SIGTERM: c_int = 15;
    /// The same number on all processors but MIPS, where it stands for a signal that is passed over anyway.
    const SIGXFSZ: c_int = 25;

    unsafe extern "C" {
        fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
    }

    extern "C" fn note(_: c_int) {
        super::ASKED.store(true, Ordering::SeqCst);
    }

    extern "C" fn pass_over(_: c_int) {}

    /// From now on the signal is noted instead of ending the process. A file that grows beyond the limit of the system
    /// then is an error of writing, and does not end the process in the middle of it either.
    pub fn catch() {
        // SAFETY: the handlers live as long as the program; they store into an atomic or do nothing, which is allowed at
        // any time.
        unsafe {
            signal(SIGTERM, note);
            signal(SIGXFSZ, pass_over);
        }
    }
}

#[cfg(unix)]
pub use signal::catch;

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn catch() {}
