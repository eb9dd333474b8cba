//! Reading a file no further than it can be a model.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::frame::{self, Fault};
use crate::error::{Error, Result};
use crate::io::libsvm_model;
use crate::io::read::check_size;

/// Enough for the length of the head and for a word on what the file is.
const FIRST: usize = 64;

/// The whole content of a model file. A device without end, or a large file of another kind, is refused after its first
/// bytes; memory is taken for bytes that the file has.
pub fn whole(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let file = |source| Error::file(path, source);
    let format = |fault: Fault| Error::format(path, fault.text());
    let (mut input, size) = open(path).map_err(file)?;
    let mut bytes = Vec::new();
    read_up_to(&mut input, &mut bytes, FIRST).map_err(file)?;
    if libsvm_model::looks_like(&bytes) {
        check_fits("the model file", size, max_bytes)?;
        return rest(path, input, bytes, max_bytes);
    }
    let end = frame::head_end(&bytes).map_err(format)?;
    read_up_to(&mut input, &mut bytes, end).map_err(file)?;
    let total = frame::promised(&bytes, end).map_err(format)?;
    // The file and the model in it are held side by side.
    check_fits("the model file", 2 * (total as u64).min(size), max_bytes)?;
    reserve(&mut bytes, total, size).map_err(file)?;
    // One byte more than promised, if there is one, so that a file that was appended to is found out.
    read_up_to(&mut input, &mut bytes, total.saturating_add(1)).map_err(file)?;
    Ok(bytes)
}

/// The whole content of a text.
pub fn text(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let (input, _) = open(path).map_err(|source| Error::file(path, source))?;
    rest(path, input, Vec::new(), max_bytes)
}

fn check_fits(what: &'static str, needed: u64, max_bytes: u64) -> Result<()> {
    match needed > max_bytes {
        true => Err(Error::memory(what, needed, max_bytes, "raise the memory budget")),
        false => Ok(()),
    }
}

/// Reads on until the file ends. A text file has no length in its header: only the memory limit bounds it.
fn rest(path: &Path, mut input: File, mut bytes: Vec<u8>, most: u64) -> Result<Vec<u8>> {
    let limit = usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1);
    read_up_to(&mut input, &mut bytes, limit).map_err(|source| Error::file(path, source))?;
    check_size(Some(bytes.len() as u64), most)?;
    Ok(bytes)
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        let text = "is a directory: give the name of a model file in it";
        return Err(io::Error::new(ErrorKind::IsADirectory, text));
    }
    Ok((file, meta.len()))
}

/// Reads on until there are `total` bytes or the file ends.
fn read_up_to(input: &mut File, bytes: &mut Vec<u8>, total: usize) -> io::Result<()> {
    let missing = total.saturating_sub(bytes.len()) as u64;
    input.take(missing).read_to_end(bytes).map(drop)
}

/// Space for what the file promises, unless it has fewer bytes. A pipe has no known size: its bytes are taken as they come.
fn reserve(bytes: &mut Vec<u8>, promised: usize, size: u64) -> io::Result<()> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let more = promised.min(size).saturating_sub(bytes.len()).saturating_add(1);
    bytes.try_reserve_exact(more.max(1)).map_err(|_| {
        let text = format!("not enough memory for its {}", crate::error::bytes(promised as u64));
        io::Error::new(ErrorKind::OutOfMemory, text)
    })
}
