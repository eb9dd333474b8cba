//! Sample sets that were computed from another, and stay with it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// A sum of a few kernels needs a few; of those of a search, which come one after the other, the last are enough.
const MOST: usize = 4;

/// The last sets that were computed from a sample set, each with the numbers that it was computed with.
pub(super) struct Derived<P>(Mutex<Vec<(Arc<[u64]>, P)>>);

impl<P> Default for Derived<P> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<P: Clone> Derived<P> {
    /// The set of `key`, computed by `make` if it is not there. Others who ask wait meanwhile.
    pub(super) fn get(&self, key: &[u64], make: impl FnOnce() -> Result<P>) -> Result<P> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, set)) = known.iter().find(|(other, _)| **other == *key) {
            return Ok(set.clone());
        }
        let made = make()?;
        if known.len() == MOST {
            known.remove(0);
        }
        known.push((key.into(), made.clone()));
        Ok(made)
    }
}
