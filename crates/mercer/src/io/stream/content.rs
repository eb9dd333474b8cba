//! The bytes of a file, unpacked and counted.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::io::read::GZIP_MAGIC;

/// The first bytes of a file's content, as far as guesses about it need them.
pub(in crate::io) struct Start {
    bytes: Vec<u8>,
    /// Whether the file is compressed.
    pub(super) is_gzip: bool,
}

impl std::ops::Deref for Start {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes that are looked at for the format, the separator and the header.
const START: u64 = 1 << 16;

/// The bytes of a file; none of what can be read only once, as a pipe can.
pub(super) fn size(path: &Path) -> Result<Option<u64>> {
    let meta = std::fs::metadata(path).map_err(|error| Error::file(path, error))?;
    Ok(meta.is_file().then_some(meta.len()))
}

/// A file whose bytes are counted as they are read.
struct Counted {
    file: File,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// The content of a file from its beginning, unpacked, with its first bytes. `bytes` counts what was read of it.
pub(super) fn content(path: &Path, bytes: Arc<AtomicU64>) -> Result<(Start, Box<dyn Read + Send>)> {
    let failed = |error: io::Error| Error::file(path, error);
    bytes.store(0, Ordering::Relaxed);
    let file = File::open(path).map_err(failed)?;
    let file = Counted { file, bytes };
    let (magic, rest) = peeked(BufReader::new(file), GZIP_MAGIC.len() as u64).map_err(failed)?;
    if magic.is_empty() {
        return Err(Error::format(path, "the file is empty: remove it if it is to hold no rows"));
    }
    if magic != GZIP_MAGIC {
        let (bytes, all) = peeked(rest, START).map_err(failed)?;
        return Ok((Start { bytes, is_gzip: false }, Box::new(all)));
    }
    let unpacked = BufReader::new(flate2::read::MultiGzDecoder::new(rest));
    let (bytes, all) = peeked(unpacked, START).map_err(|error| damaged_gzip(path, &error))?;
    Ok((Start { bytes, is_gzip: true }, Box::new(all)))
}

/// Why compressed content cannot be read.
fn damaged_gzip(path: &Path, error: &io::Error) -> Error {
    Error::format(path, format!("the gzip data is damaged or cut off: {error}"))
}

/// The first bytes of `input`, and all of it.
fn peeked<R: Read + Send + 'static>(
    mut input: R,
    count: u64,
) -> io::Result<(Vec<u8>, impl Read + Send + 'static)> {
    let mut bytes = Vec::new();
    input.by_ref().take(count).read_to_end(&mut bytes)?;
    Ok((bytes.clone(), io::Cursor::new(bytes).chain(input)))
}
