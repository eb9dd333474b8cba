//! Outputs that appear whole or not at all: written under a temporary name in the same folder, flushed to the disk,
//! then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Writes one file whole. If `write` fails, or the disk is full, nothing appears at `path` and what was there stays.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let mut staged = Staged::default();
    staged.add(path, write)?;
    staged.commit()
}

/// Several outputs that are prepared one after another and appear together.
///
/// Dropped without [`Staged::commit`], it removes what it prepared, and no output changes.
#[derive(Debug, Default)]
pub struct Staged {
    files: Vec<StagedFile>,
}

#[derive(Debug)]
struct StagedFile {
    /// The output as the caller named it, for messages.
    named: PathBuf,
    /// The output with links followed.
    target: PathBuf,
    temporary: PathBuf,
    /// A device or pipe, such as `/dev/stdout`, must not be replaced by a file: it receives a copy instead.
    by_copy: bool,
}

impl Staged {
    /// Nothing prepared yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prepares one more output: runs `write` on a temporary file and brings that file safely to the disk.
    pub fn add(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
    ) -> Result<()> {
        let file = StagedFile::plan(path).map_err(|source| Error::file(path, source))?;
        if self.files.iter().any(|other| other.target == file.target) && !file.by_copy {
            let text = "two outputs of one run have this name: give each its own";
            return Err(Error::file(path, io::Error::new(ErrorKind::AlreadyExists, text)));
        }
        let handle = file.create().map_err(|source| Error::file(path, source))?;
        // From here on the temporary file exists, so it is registered before anything can fail.
        self.files.push(file);
        let done = fill(handle, path, write);
        if done.is_err() {
            self.files.pop().into_iter().for_each(|file| file.discard());
        }
        done
    }

    /// Puts every prepared output in its place.
    ///
    /// Devices and pipes receive their copies first, because a copy can fail on a full disk or a closed pipe: nothing
    /// else has appeared then. The renames follow one another. Each was checked while it was prepared, so that only a
    /// change from outside (say, the folder was removed meanwhile) can stop them half-way; the error then names the
    /// file that is missing.
    pub fn commit(mut self) -> Result<()> {
        self.files.sort_by_key(|file| file.by_copy);
        // From the end, one by one: what is left when one fails is removed with `self`.
        while let Some(file) = self.files.pop() {
            let placed = file.place();
            if placed.is_err() {
                file.discard();
            }
            placed.map_err(|source| Error::file(&file.named, source))?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.files.iter().for_each(StagedFile::discard);
    }
}

fn fill(
    handle: File,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, handle);
    write(&mut out)?;
    let synced = out.flush().and_then(|()| out.get_ref().sync_all());
    synced.map_err(|source| Error::file(path, source))
}

impl StagedFile {
    /// Decides where the output and its temporary file lie, and refuses a place that cannot be written.
    fn plan(path: &Path) -> io::Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            let text = "is a folder: give the name of a file in it";
            return Err(io::Error::new(ErrorKind::IsADirectory, text));
        }
        if existing.as_ref().is_some_and(|meta| meta.is_file() && meta.permissions().readonly()) {
            let text = "exists and is write-protected: remove it or choose another name";
            return Err(io::Error::new(ErrorKind::PermissionDenied, text));
        }
        let target = full_path(path, existing.is_some())?;
        let by_copy = existing.is_some_and(|meta| !meta.is_file());
        let folder = if by_copy { std::env::temp_dir() } else { parent(&target) };
        let temporary = folder.join(temporary_name());
        Ok(Self { named: path.to_owned(), target, temporary, by_copy })
    }

    fn create(&self) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create_new(true).open(&self.temporary)?;
        if let (false, Ok(meta)) = (self.by_copy, fs::metadata(&self.target)) {
            // A file that is replaced keeps its permissions; some file systems have none to set, which is no harm.
            let _ = fs::set_permissions(&self.temporary, meta.permissions());
        }
        Ok(file)
    }

    fn place(&self) -> io::Result<()> {
        if self.by_copy {
            let mut target = OpenOptions::new().write(true).open(&self.target)?;
            io::copy(&mut File::open(&self.temporary)?, &mut target)?;
            self.discard();
            return Ok(());
        }
        fs::rename(&self.temporary, &self.target)?;
        // The rename itself reaches the disk with its folder. Not every system lets a folder be opened for that.
        if let Ok(folder) = File::open(parent(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Removes the temporary file. Nobody can act on a failure to do so, and the outputs are untouched by it.
    fn discard(&self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

/// The absolute place of an output. Links are followed, so that the file behind a link is replaced, not the link.
fn full_path(path: &Path, exists: bool) -> io::Result<PathBuf> {
    if exists {
        return fs::canonicalize(path);
    }
    let invalid = |text: &str| io::Error::new(ErrorKind::InvalidInput, text.to_owned());
    let name = path.file_name().ok_or_else(|| invalid("is not the name of a file"))?;
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(invalid("ends in a slash: give the name of a file"));
    }
    let folder = parent(path);
    let folder = fs::canonicalize(&folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let text = format!("the folder {} does not exist: make it first", folder.display());
            io::Error::new(ErrorKind::NotFound, text)
        }
        _ => error,
    })?;
    Ok(folder.join(name))
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A name that no other process and no other output of this process uses.
fn temporary_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!(".mercer-{}-{count}.tmp", std::process::id())
}
