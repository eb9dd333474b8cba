//! Files on a real disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::{load, save, stage_model, to_bytes};
use super::{full, pca};
use crate::error::Error;
use crate::io::Staged;

/// A folder of its own for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mercer-model-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn saved_is_loaded_and_staged_waits() {
    let folder = Folder::new("saved");
    let [one, two] = ["one.mercer", "two.mercer"].map(|name| folder.0.join(name));
    save(&one, &full()).unwrap();
    assert_eq!(to_bytes(&load(&one).unwrap()).unwrap(), fs::read(&one).unwrap());
    let mut staged = Staged::new();
    stage_model(&mut staged, &two, &pca()).unwrap();
    assert!(!two.exists());
    staged.commit().unwrap();
    assert_eq!(load(&two).unwrap().model.estimator(), "pca");
    let mut wrong = full();
    wrong.feature_names = Some(vec![]);
    assert!(save(&two, &wrong).is_err());
    assert_eq!(load(&two).unwrap().model.estimator(), "pca");
}

#[test]
fn places_that_cannot_be_read_or_written() {
    let folder = Folder::new("places");
    let is_file = |error: Error, part: &str| {
        assert!(matches!(error, Error::File { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    is_file(load(&folder.0).unwrap_err(), "is a directory");
    is_file(load(&folder.0.join("missing")).unwrap_err(), "No such file");
    is_file(save(&folder.0, &pca()).unwrap_err(), "is a directory");
    is_file(save(&folder.0.join("no/such"), &pca()).unwrap_err(), "create it first");
}

#[test]
fn foreign_and_changed_files() {
    let folder = Folder::new("foreign");
    let path = folder.0.join("file");
    let check = |bytes: &[u8], part: &str| {
        fs::write(&path, bytes).unwrap();
        let error = load(&path).unwrap_err();
        assert!(matches!(error, Error::Format { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    let bytes = to_bytes(&full()).unwrap();
    check(b"", "it is empty");
    check(b"mercer", "too few");
    check(&bytes[..30], "ends within its header");
    check(&bytes[..bytes.len() - 9], "cut off");
    check(&[&bytes[..], b"more and more"].concat(), "follow its end");
    check(&[b'x'; 100_000], "is not a mercer model");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_without_end_and_without_room() {
    for device in ["/dev/zero", "/dev/urandom"] {
        let message = load(Path::new(device)).unwrap_err().to_string();
        assert!(message.contains("is not a mercer model"), "{message}");
    }
    let error = save(Path::new("/dev/full"), &pca()).unwrap_err();
    assert!(matches!(error, Error::File { .. }) && error.to_string().contains("No space left"));
}
