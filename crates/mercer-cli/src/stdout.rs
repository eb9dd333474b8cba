//! Standard output that fails if it is closed.
//!
//! The standard library replaces a standard output that was closed at program start by the null device,
//! so that everything written there would be lost silently.

use std::io::{self, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Records that standard output was closed at program start.
pub fn note_closed() {
    IS_CLOSED.store(true, Ordering::Relaxed);
}

/// Whether standard output was closed at program start.
pub fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

/// The error of writing to a standard output that is closed.
pub fn closed() -> io::Error {
    io::Error::other("closed, nothing can be printed: use -o to write a file, or open it")
}

/// Standard output.
pub fn handle() -> Output {
    Output(io::stdout())
}

/// Prints `text` at once.
pub fn print(text: &str) -> io::Result<()> {
    let mut output = handle();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// See [`handle`].
pub struct Output(Stdout);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_closed() { Err(closed()) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
