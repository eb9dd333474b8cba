//! Samples whose columns are of several kinds: named groups, each a sample set of its own.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::points::{Cost, Points, Samples};
use crate::real::Real;

/// Groups of columns, all with the same number of samples.
#[derive(Clone, Debug)]
pub struct Parts<T: Real>(Arc<Vec<Part<T>>>);

/// One group: the columns' names, and what they hold.
#[derive(Clone, Debug)]
pub struct Part<T: Real> {
    /// The names as a kernel names them, in its order.
    pub names: Vec<String>,
    /// The samples of these columns alone.
    pub samples: Samples<T>,
}

impl<T: Real> Parts<T> {
    /// The groups, of which there is at least one.
    pub fn new(parts: Vec<Part<T>>) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Err(Error::Shape("at least one group of columns is required".into()));
        };
        if let Some(other) = parts.iter().find(|part| part.samples.len() != first.samples.len()) {
            return Err(Error::Shape(format!(
                "the columns {} have {} rows, but {} have {}",
                first.names.join(", "),
                first.samples.len(),
                other.names.join(", "),
                other.samples.len()
            )));
        }
        if let Some(part) = parts.iter().find(|part| matches!(part.samples, Samples::Parts(_))) {
            let names = part.names.join(", ");
            return Err(Error::Shape(format!(
                "the group {names} is nested, which is not supported"
            )));
        }
        Ok(Self(Arc::new(parts)))
    }

    /// All groups.
    #[doc(hidden)]
    pub fn all(&self) -> &[Part<T>] {
        &self.0
    }

    /// The samples of the group with these names.
    #[doc(hidden)]
    pub fn named(&self, names: &[String]) -> Option<&Samples<T>> {
        self.0.iter().find(|part| part.names == names).map(|part| &part.samples)
    }

    /// The groups that `wanted` lists, in its order; none if one of them is not here.
    pub(crate) fn only(&self, wanted: &[&[String]]) -> Option<Self> {
        let part = |names: &&[String]| self.0.iter().find(|part| part.names == **names).cloned();
        Some(Self(Arc::new(wanted.iter().map(part).collect::<Option<Vec<_>>>()?)))
    }

    /// The same groups with `f` of their samples.
    #[doc(hidden)]
    pub fn map<U: Real>(&self, f: impl Fn(&Samples<T>) -> Result<Samples<U>>) -> Result<Parts<U>> {
        let part =
            |part: &Part<T>| Ok(Part { names: part.names.clone(), samples: f(&part.samples)? });
        Ok(Parts(Arc::new(self.0.iter().map(part).collect::<Result<_>>()?)))
    }

    /// Whether both are clones of one set.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Real> Points for Parts<T> {
    fn len(&self) -> usize {
        self.0[0].samples.len()
    }

    fn select(&self, idx: &[usize]) -> Self {
        let part =
            |part: &Part<T>| Part { names: part.names.clone(), samples: part.samples.select(idx) };
        Self(Arc::new(self.0.iter().map(part).collect()))
    }

    fn cost(&self) -> Cost {
        let of_parts = || self.0.iter().map(|part| part.samples.cost());
        Cost {
            eval_cost: of_parts().map(|cost| cost.eval_cost).sum(),
            bytes: of_parts().map(|cost| cost.bytes).sum(),
        }
    }
}
