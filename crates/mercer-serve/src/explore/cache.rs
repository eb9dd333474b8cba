//! The last fits: several panels draw the same model.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by a text that says what they are; the oldest goes first.
pub(super) struct Cache<T>(Mutex<VecDeque<(String, Arc<T>)>>);

const MOST: usize = 12;

impl<T> Cache<T> {
    pub fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// The value of `key`, or what `make` makes.
    pub fn get<E>(&self, key: String, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |all: &VecDeque<(String, Arc<T>)>| {
            all.iter().find(|(other, _)| *other == key).map(|(_, value)| value.clone())
        };
        if let Some(found) = find(&lock()) {
            return Ok(found);
        }
        // Not held while it is made: other panels compute meanwhile.
        let made = Arc::new(make()?);
        let mut all = lock();
        all.push_back((key, made.clone()));
        if all.len() > MOST {
            all.pop_front();
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first_and_errors_are_not_kept() {
        let cache = Cache::new();
        let never = || -> Result<usize, ()> { unreachable!() };
        assert!(cache.get("0".into(), || Err::<usize, ()>(())).is_err());
        for i in 0..=MOST {
            assert_eq!(*cache.get(i.to_string(), || Ok::<_, ()>(i)).unwrap(), i);
        }
        assert_eq!(*cache.get("5".into(), never).unwrap(), 5);
        assert_eq!(*cache.get("0".into(), || Ok::<_, ()>(99)).unwrap(), 99);
    }
}
