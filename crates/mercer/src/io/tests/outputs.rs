//! Files on a real disk: whole or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::options;
use crate::error::Error;
use crate::io::{Column, Source, Staged, Table, read_table, write_table, write_whole};

/// A folder of its own for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mercer-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(text: &'static str) -> impl FnOnce(&mut std::io::BufWriter<fs::File>) -> crate::Result<()> {
    move |out| out.write_all(text.as_bytes()).map_err(|source| Error::file("x", source))
}

#[test]
fn a_failure_leaves_what_was_there() {
    let folder = Folder::new("failure");
    let path = folder.0.join("a");
    write_whole(&path, put("old")).unwrap();
    let failed = write_whole(&path, |out| {
        put("half of the new")(out)?;
        Err(Error::Interrupted)
    });
    assert!(matches!(failed, Err(Error::Interrupted)));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.files(), ["a"]);
    write_whole(&path, put("new")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(folder.files(), ["a"]);
}

#[test]
fn several_appear_together() {
    let folder = Folder::new("several");
    let [a, b] = ["a", "b"].map(|name| folder.0.join(name));
    let mut staged = Staged::new();
    staged.add(&a, put("a")).unwrap();
    assert!(staged.add(&a, put("a again")).is_err());
    drop(staged);
    assert!(folder.files().is_empty());
    let mut staged = Staged::new();
    staged.add(&a, put("a")).unwrap();
    staged.add(&b, put("b")).unwrap();
    assert!(!a.exists() && !b.exists());
    staged.commit().unwrap();
    assert_eq!(folder.files(), ["a", "b"]);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = Folder::new("places");
    let refuse = |path: &Path, part: &str| {
        let message = write_whole(path, put("x")).unwrap_err().to_string();
        assert!(message.contains(part), "no {part:?} in: {message}");
    };
    refuse(&folder.0, "is a directory");
    refuse(&folder.0.join("no/such/file"), "does not exist: create it first");
    refuse(&folder.0.join("slash/"), "slash");
    refuse(Path::new(""), "not the name of a file");
    let guarded = folder.0.join("guarded");
    write_whole(&guarded, put("x")).unwrap();
    let mut permissions = fs::metadata(&guarded).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&guarded, permissions).unwrap();
    refuse(&guarded, "write-protected");
    assert_eq!(folder.files(), ["guarded"]);
}

#[cfg(target_os = "linux")]
#[test]
fn links_devices_and_full_disks() {
    let folder = Folder::new("links");
    let [file, link] = ["file", "link"].map(|name| folder.0.join(name));
    write_whole(&file, put("old")).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_whole(&link, put("new")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    // A device receives the bytes and stays a device; one that is full says so.
    write_whole(Path::new("/dev/null"), put("gone")).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let message = write_whole(Path::new("/dev/full"), put("x")).unwrap_err().to_string();
    assert!(message.contains("No space left"), "{message}");
    // Nothing appears beside a device that could not take its copy, and nothing temporary stays.
    let before = folder.files();
    let mut staged = Staged::new();
    staged.add(&folder.0.join("first"), put("x")).unwrap();
    staged.add(Path::new("/dev/full"), put("x")).unwrap();
    staged.add(&folder.0.join("last"), put("x")).unwrap();
    assert!(staged.commit().is_err());
    assert_eq!(folder.files(), before);
}

#[test]
fn tables_by_extension() {
    let folder = Folder::new("tables");
    let table = Table::new(
        vec!["kpca0".to_owned(), "kpca1".to_owned()],
        vec![Column::F64(vec![0.1, -1e-300]), Column::F64(vec![1e22, 3.0])],
    );
    let mut names = vec!["t.csv", "t.tsv", "t.npy", "t.csv.gz", "t.libsvm"];
    if cfg!(feature = "parquet") {
        names.push("t.parquet");
    }
    for name in names {
        let path = folder.0.join(name);
        write_table(&path, &table).unwrap();
        let back = read_table(&Source::named(&path), &options()).unwrap();
        let features = back.split(None, None).unwrap().features;
        assert_eq!(features.matrix::<f64>().unwrap(), [0.1, 1e22, -1e-300, 3.0], "{name}");
    }
    let csv = fs::read_to_string(folder.0.join("t.csv")).unwrap();
    assert_eq!(csv, "kpca0,kpca1\n0.1,1e22\n-1e-300,3\n");
    let message = write_table(&folder.0.join("t.xlsx"), &table).unwrap_err().to_string();
    assert!(message.contains(".parquet"), "{message}");
}

#[test]
fn text_does_not_fit_everywhere() {
    let folder = Folder::new("text");
    let words = Column::Text(vec!["a b".to_owned()]);
    let table = Table::new(vec!["label".to_owned()], vec![words]);
    for (name, part) in [("t.npy", "only numbers"), ("t.libsvm", "cannot hold the label")] {
        let message = write_table(&folder.0.join(name), &table).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(folder.files().is_empty());
}
