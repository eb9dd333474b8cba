//! Samples of any type, for user-defined kernels.

use std::any::Any;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::points::{Cost, Points};

/// Items of any type. A selection of them shares the store, so that items are never copied.
#[derive(Clone)]
pub struct Items {
    store: Arc<dyn Any + Send + Sync>,
    at: Arc<[usize]>,
}

impl Items {
    /// All of `items`, for kernels made by [`crate::KernelSpec::custom`] for the type `S`.
    pub fn new<S: Send + Sync + 'static>(items: Vec<S>) -> Result<Self> {
        let n = items.len();
        Self::in_store(Arc::new(items), n)
    }

    /// The items 0 … n − 1 of a store that the user's kernel knows how to read.
    #[doc(hidden)]
    pub fn in_store(store: Arc<dyn Any + Send + Sync>, n: usize) -> Result<Self> {
        match n {
            0 => Err(Error::Shape(
                "Found array with 0 sample(s) while a minimum of 1 is required.".into(),
            )),
            _ => Ok(Self { store, at: (0..n).collect() }),
        }
    }

    /// A place for n items that are elsewhere: a user-defined kernel finds nothing in it until they are put back.
    pub(crate) fn missing(n: usize) -> Self {
        Self { store: Arc::new(()), at: (0..n).collect() }
    }

    /// Where the items lie.
    #[doc(hidden)]
    pub fn store(&self) -> &Arc<dyn Any + Send + Sync> {
        &self.store
    }

    /// The places of the items in the store.
    #[doc(hidden)]
    pub fn at(&self) -> &[usize] {
        &self.at
    }

    /// Whether both are clones of one set, so that equal indices mean the same item.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.at, &other.at) && Arc::ptr_eq(&self.store, &other.store)
    }
}

impl Points for Items {
    fn len(&self) -> usize {
        self.at.len()
    }

    fn select(&self, idx: &[usize]) -> Self {
        Self { store: self.store.clone(), at: idx.iter().map(|&i| self.at[i]).collect() }
    }

    /// What a user's function costs is not known; it is seldom cheap. Only places are copied.
    fn cost(&self) -> Cost {
        Cost { eval_cost: 1000, bytes: size_of::<usize>() as u64 }
    }
}

impl std::fmt::Debug for Items {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Items({})", self.at.len())
    }
}
