//! A cache of what kernels derived from a sample set, stored with the set.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Something worked out from a whole set, such as the sequences of its texts.
pub trait Derived: Any + Send + Sync {
    /// The same for the samples `idx`, where that is quicker than to derive it from them.
    fn select(&self, idx: &[usize]) -> Option<Arc<dyn Derived>>;
}

/// Further derivations push the oldest out: a search over many kernels must not keep them all. A sum of a dozen kernels asks for
/// two or three each in every tile, and those must stay.
const KEPT: usize = 40;

/// A small list of derivations. Each is worked out once, by the first that asks; others wait.
///
/// A derivation must not share its work among threads: one of them could take up, meanwhile, a tile that waits for it.
pub(super) struct Memo<S>(Mutex<Vec<Entry<S>>>);

struct Entry<S> {
    kind: TypeId,
    parameter: u64,
    /// The other set, of what concerns two. A weak reference keeps its address from being used again.
    other: Option<Weak<S>>,
    place: Place,
}

type Place = Arc<OnceLock<Arc<dyn Derived>>>;

impl<S> Memo<S> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The derivation of type `D` with `parameter` (and the set `other`), made by `make` if it is not there yet.
    pub(super) fn get<D: Derived>(
        &self,
        parameter: u64,
        other: Option<&Arc<S>>,
        make: impl FnOnce() -> D,
    ) -> Arc<D> {
        let place = self.place(TypeId::of::<D>(), parameter, other);
        let found = Arc::clone(place.get_or_init(|| Arc::new(make())));
        let found: Arc<dyn Any + Send + Sync> = found;
        found.downcast().expect("a place holds the type it is filed under")
    }

    fn place(&self, kind: TypeId, parameter: u64, other: Option<&Arc<S>>) -> Place {
        let mut list = self.list();
        let is_asked = |entry: &Entry<S>| {
            (entry.kind, entry.parameter) == (kind, parameter)
                && entry.other.as_ref().map(Weak::as_ptr) == other.map(Arc::as_ptr)
        };
        let entry = match list.iter().position(is_asked) {
            Some(at) => list.remove(at),
            None => {
                let other = other.map(Arc::downgrade);
                Entry { kind, parameter, other, place: Place::default() }
            }
        };
        let place = Arc::clone(&entry.place);
        list.push(entry);
        if list.len() > KEPT {
            list.remove(0);
        }
        place
    }

    /// The entries for the samples `idx`, as far as they follow from those of the whole set.
    pub(super) fn select(&self, idx: &[usize]) -> Self {
        let list = self.list();
        let kept = list.iter().filter_map(|entry| {
            let derived = entry.place.get()?.select(idx)?;
            let place = Arc::new(OnceLock::from(derived));
            Some(Entry { kind: entry.kind, parameter: entry.parameter, other: None, place })
        });
        Self(Mutex::new(kept.collect()))
    }

    /// The list is whole at every moment, so a panic elsewhere does not spoil it.
    fn list(&self) -> MutexGuard<'_, Vec<Entry<S>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
