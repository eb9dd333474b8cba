//! Outputs that appear whole or not at all: written under a temporary name in the same directory, flushed to the disk,
//! then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::temporary::Temporary;
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
    place: Place,
    temporary: Temporary,
}

/// Where an output belongs.
#[derive(Debug)]
struct Place {
    /// The output as the caller named it, for messages.
    named: PathBuf,
    /// The output with links followed.
    target: PathBuf,
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
        let failed = |source| Error::file(path, source);
        let place = Place::of(path).map_err(failed)?;
        if self.files.iter().any(|other| other.place.target == place.target) && !place.by_copy {
            let text = "two outputs of one run have this name: use different names";
            return Err(failed(io::Error::new(ErrorKind::AlreadyExists, text)));
        }
        let temporary = place.temporary().map_err(failed)?;
        fill(&temporary, path, write)?;
        self.files.push(StagedFile { place, temporary });
        Ok(())
    }

    /// Puts every prepared output in its place.
    ///
    /// Devices and pipes receive their copies first, because a copy can fail on a full disk or a closed pipe: nothing
    /// else has appeared then. The renames follow one another. Each was checked while it was prepared, so that only a
    /// change from outside (say, the folder was removed meanwhile) can stop them half-way; the error then names the
    /// file that is missing.
    pub fn commit(mut self) -> Result<()> {
        self.files.sort_by_key(|file| !file.place.by_copy);
        for mut file in self.files {
            file.put().map_err(|source| Error::file(&file.place.named, source))?;
        }
        Ok(())
    }
}

fn fill(
    temporary: &Temporary,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let failed = |source| Error::file(path, source);
    let mut out = BufWriter::with_capacity(1 << 16, temporary.file().try_clone().map_err(failed)?);
    write(&mut out)?;
    out.flush().and_then(|()| out.get_ref().sync_all()).map_err(failed)
}

impl Place {
    /// Decides where the output lies, and refuses a place that cannot be written.
    fn of(path: &Path) -> io::Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            let text = "is a directory: give the name of a file in it";
            return Err(io::Error::new(ErrorKind::IsADirectory, text));
        }
        if existing.as_ref().is_some_and(|meta| meta.is_file() && meta.permissions().readonly()) {
            let text = "exists and is write-protected: remove it or choose another name";
            return Err(io::Error::new(ErrorKind::PermissionDenied, text));
        }
        let target = match existing {
            Some(_) => fs::canonicalize(path)?,
            None => new_path(path, MOST_LINKS)?,
        };
        let by_copy = existing.is_some_and(|meta| !meta.is_file());
        Ok(Self { named: path.to_owned(), target, by_copy })
    }

    /// A file beside the target, or in the system's folder if the target only receives a copy. It has the permissions of
    /// the file that it is to replace; some file systems have none to set, which is no harm.
    fn temporary(&self) -> io::Result<Temporary> {
        if self.by_copy {
            return Temporary::create(&std::env::temp_dir());
        }
        let temporary = Temporary::create(&parent(&self.target))?;
        if let Ok(meta) = fs::metadata(&self.target) {
            let _ = temporary.file().set_permissions(meta.permissions());
        }
        Ok(temporary)
    }
}

impl StagedFile {
    fn put(&mut self) -> io::Result<()> {
        let target = &self.place.target;
        if self.place.by_copy {
            let mut output = OpenOptions::new().write(true).open(target)?;
            return io::copy(&mut File::open(self.temporary.path())?, &mut output).map(drop);
        }
        self.temporary.rename(target)?;
        // The rename itself reaches the disk with its folder. Not every system lets a folder be opened for that.
        if let Ok(folder) = File::open(parent(target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Links that are followed one after another at most; more are a circle.
const MOST_LINKS: usize = 40;

/// The absolute place of an output that does not exist yet. A link that leads nowhere yet is followed like any other, so
/// that the file appears behind the link and the link stays.
fn new_path(path: &Path, links_left: usize) -> io::Result<PathBuf> {
    let invalid = |text: &str| io::Error::new(ErrorKind::InvalidInput, text.to_owned());
    let name = path.file_name().ok_or_else(|| invalid("is not the name of a file"))?;
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(invalid("ends in a slash: give the name of a file"));
    }
    let folder = existing_folder(&parent(path))?;
    let whole = folder.join(name);
    match fs::read_link(&whole) {
        Ok(_) if links_left == 0 => Err(invalid("is a symbolic link to itself")),
        Ok(next) => new_path(&folder.join(next), links_left - 1),
        Err(_) => Ok(whole),
    }
}

fn existing_folder(folder: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let text =
                format!("the directory {} does not exist: create it first", folder.display());
            io::Error::new(ErrorKind::NotFound, text)
        }
        _ => error,
    })
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
