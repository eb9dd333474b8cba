//! The models that are served: each is read again when its file changes, whole or not at all.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use mercer::{Error, Result, panics};

use super::Predictor;

/// Reads a model file.
pub type Load = dyn Fn(&Path) -> Result<Arc<dyn Predictor>> + Send + Sync;

/// The served models.
pub struct Store {
    load: Box<Load>,
    slots: Vec<Slot>,
}

/// A model and its file.
pub(super) struct Slot {
    /// The name in requests: that of the file without its extension.
    pub name: String,
    path: PathBuf,
    current: RwLock<Current>,
    /// The file that was last looked at.
    seen: Mutex<Option<Stamp>>,
}

/// The model that is served.
#[derive(Clone)]
pub(super) struct Current {
    /// The model.
    pub model: Arc<dyn Predictor>,
    /// How often it was read, from 1.
    pub version: u64,
}

/// What changes when a file does.
type Stamp = (SystemTime, u64, u64);

/// What happened to a model whose file changed.
#[derive(Debug, PartialEq)]
pub enum Reloaded {
    /// The new one is served.
    Fresh(String),
    /// The new one cannot be read, for this reason; the old one is served on.
    Failed(String, String),
}

impl Store {
    /// Reads the models at `paths`.
    pub fn new(paths: &[PathBuf], load: Box<Load>) -> Result<Self> {
        let mut slots: Vec<Slot> = Vec::with_capacity(paths.len());
        for path in paths {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(other) = slots.iter().find(|slot| slot.name == name) {
                let message =
                    format!("{} is called {name:?} too: rename one of them", other.path.display());
                return Err(Error::format(path, message));
            }
            let seen = Mutex::new(stamp(path));
            let current = RwLock::new(Current { model: load(path)?, version: 1 });
            slots.push(Slot { name, path: path.clone(), current, seen });
        }
        Ok(Self { load, slots })
    }

    /// All models.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Reads models again whose files changed.
    pub fn reload(&self) -> Vec<Reloaded> {
        self.slots.iter().filter_map(|slot| slot.reload(&*self.load)).collect()
    }
}

impl Slot {
    /// The model that is served now.
    pub fn current(&self) -> Current {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn reload(&self, load: &Load) -> Option<Reloaded> {
        let now = stamp(&self.path);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that is taken away is no new model.
        if now.is_none() || now == *seen {
            return None;
        }
        *seen = now;
        let loaded = panics::catch(|| load(&self.path))
            .unwrap_or_else(|panicked| Err(Error::format(&self.path, panicked.message)));
        Some(match loaded {
            Ok(model) => {
                let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
                *current = Current { model, version: current.version + 1 };
                Reloaded::Fresh(self.name.clone())
            }
            Err(error) => Reloaded::Failed(self.name.clone(), error.to_string()),
        })
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let facts = std::fs::metadata(path).ok()?;
    Some((facts.modified().ok()?, facts.len(), inode(&facts)))
}

#[cfg(unix)]
fn inode(facts: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(facts)
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> u64 {
    0
}
