//! Standard output that fails where nobody can read it.
//!
//! The standard library puts the null device in the place of a standard output that was closed when the program began,
//! so that all that is written there would be lost without a word.

use std::io::{self, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Notes that standard output was closed when the program began.
pub fn note_closed() {
    IS_CLOSED.store(true, Ordering::Relaxed);
}

/// Whether standard output was closed when the program began.
pub fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

/// The error of writing to a standard output that is closed.
pub fn closed() -> io::Error {
    io::Error::other("it is closed, so there is nowhere to print: use -o for a file, or open it")
}

/// Standard output.
pub fn stdout() -> Output {
    Output(io::stdout())
}

/// Prints `text` at once.
pub fn print(text: &str) -> io::Result<()> {
    let mut output = stdout();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// See [`stdout`].
pub struct Output(Stdout);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_closed() { Err(closed()) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
