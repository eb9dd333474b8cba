//! Temporary files, and the removal of those whose writer was killed.
//!
//! A writer holds an exclusive lock on its temporary file until the file is renamed or removed. The system releases the
//! lock when the process ends, however it ends, also in another container: a temporary file that can be locked belongs
//! to no living process.

use std::collections::HashSet;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const START: &str = ".mercer-";
const END: &str = ".tmp";

/// A file under a name of its own that is removed with the value, unless it was renamed.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
    file: File,
    is_renamed: bool,
}

impl Temporary {
    /// A new, empty file in `folder`. The first of this process also removes what killed processes left there.
    pub fn create(folder: &Path) -> io::Result<Self> {
        loop {
            let path = folder.join(name());
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                // Left behind by an earlier process of the same number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Without the lock, somebody is about to remove the file as abandoned: it was not locked yet. On a file
            // system without locks, nobody can lock it and so nobody takes it for abandoned.
            let is_locked = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if is_locked && is_linked(&file.metadata()?) {
                sweep_once(folder, &file.metadata()?);
                return Ok(Self { path, file, is_renamed: false });
            }
        }
    }

    /// The file, for writing.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in the place of `target`.
    pub fn rename(&mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    /// Nobody can act on a failure to remove the file, and the outputs are untouched by it.
    fn drop(&mut self) {
        if !self.is_renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A name that no other output of this process uses, and no other living process.
fn name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{START}{}-{count}{END}", std::process::id())
}

fn is_ours(name: &str) -> bool {
    let numbers = name.strip_prefix(START).and_then(|rest| rest.strip_suffix(END));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Removes abandoned temporary files from `folder`, once in each process: a folder may hold a million other files.
fn sweep_once(folder: &Path, own: &Metadata) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.get_or_insert_default().insert(folder.to_owned()) {
        drop(swept);
        sweep(folder, own);
    }
}

/// Removes abandoned temporary files of the same owner as `own`. What cannot be read or removed stays: it is in nobody's
/// way.
fn sweep(folder: &Path, own: &Metadata) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_named = entry.file_name().to_str().is_some_and(is_ours);
        let is_like_own = |meta: Metadata| meta.file_type().is_file() && has_same_owner(&meta, own);
        if is_named && entry.metadata().is_ok_and(is_like_own) {
            remove_abandoned(&entry.path());
        }
    }
}

/// Removes the file if its writer is dead. The lock is held until the file is gone, so that its name cannot be taken
/// meanwhile.
fn remove_abandoned(path: &Path) {
    if let Ok(file) = File::open(path)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

#[cfg(unix)]
fn is_linked(meta: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(meta) > 0
}

#[cfg(not(unix))]
fn is_linked(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn has_same_owner(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.uid() == b.uid()
}

#[cfg(not(unix))]
fn has_same_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("mercer-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn names_are_recognised() {
        assert!(is_ours(&name()) && is_ours(".mercer-12-0.tmp"));
        for other in [".mercer-12.tmp", ".mercer-a-0.tmp", "mercer-1-2.tmp", ".mercer--.tmp", ""] {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = folder("swept");
        let living = Temporary::create(&folder).unwrap();
        for name in [".mercer-4294967295-0.tmp", ".mercer-mine.tmp", "notes.tmp"] {
            fs::write(folder.join(name), "left").unwrap();
        }
        fs::create_dir(folder.join(".mercer-7-7.tmp")).unwrap();
        sweep(&folder, &living.file().metadata().unwrap());
        let entries = fs::read_dir(&folder).unwrap();
        let mut left: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        left.sort();
        let mut expected: Vec<_> =
            [".mercer-7-7.tmp", ".mercer-mine.tmp", "notes.tmp"].map(|n| folder.join(n)).into();
        expected.push(living.path().to_owned());
        expected.sort();
        assert_eq!(left, expected);
        drop(living);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_renamed_file_stays_and_another_does_not() {
        let folder = folder("renamed");
        let target = folder.join("target");
        let mut kept = Temporary::create(&folder).unwrap();
        let dropped = Temporary::create(&folder).unwrap();
        assert_ne!(kept.path(), dropped.path());
        kept.rename(&target).unwrap();
        drop((kept, dropped));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert!(target.exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
