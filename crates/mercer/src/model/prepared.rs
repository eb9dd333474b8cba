//! What predictions are computed with, made at the first one and kept for the next.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::linalg::view::Mat;
use crate::points::{Points, Samples};
use crate::real::Real;

/// Bytes up to which it is kept beside the model.
const KEPT: usize = 64 << 20;

/// The kernel, the training samples and the coefficients of a model in the form in which they are evaluated. A model that is
/// put together by hand starts with `Prepared::default()`; so does a clone. What is changed in a model after its first prediction
/// has no effect on the next one: change a clone.
#[derive(Default)]
pub struct Prepared(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Prepared {
    /// The value that `make` makes, which takes about `bytes`, or made before.
    pub(super) fn get<V: Any + Send + Sync>(
        &self,
        bytes: usize,
        make: impl FnOnce() -> Result<V>,
    ) -> Result<Arc<V>> {
        if let Some(Ok(value)) = self.0.get().cloned().map(|value| value.downcast()) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        if bytes <= KEPT {
            // Another thread may have been quicker, with an equal value.
            let _ = self.0.set(value.clone());
        }
        Ok(value)
    }
}

impl Clone for Prepared {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// About the bytes of coefficients and samples in the form in which they are evaluated.
pub(super) fn prepared_bytes<T: Real>(coef: &Mat<f64>, anchors: &Samples<T>) -> usize {
    let samples = (anchors.n() as u64).saturating_mul(anchors.cost().bytes);
    usize::try_from(samples).unwrap_or(usize::MAX).saturating_add(size_of_val(coef.data()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn it_is_made_once_unless_it_is_large_or_fails() {
        let prepared = Prepared::default();
        assert!(prepared.get::<u8>(1, || Err(Error::Interrupted)).is_err());
        assert_eq!(*prepared.get(KEPT + 1, || Ok(1_u8)).unwrap(), 1);
        assert_eq!(*prepared.get(1, || Ok(2_u8)).unwrap(), 2);
        assert_eq!(*prepared.get(1, || Ok(3_u8)).unwrap(), 2);
        assert_eq!(*prepared.clone().get(1, || Ok(4_u8)).unwrap(), 4);
    }
}
