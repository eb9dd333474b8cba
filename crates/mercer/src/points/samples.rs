//! Samples of any kind, so that every model takes all of them.

use crate::error::{Error, Result};
use crate::points::{Cost, Csr, Dense, Items, Parts, Points, Strings};
use crate::real::Real;

/// A sample set of one of the kinds that kernels exist for. Clones share the data.
#[derive(Clone, Debug)]
pub enum Samples<T: Real> {
    /// Rows of numbers.
    Dense(Dense<T>),
    /// Rows of numbers that are mostly zero.
    Sparse(Csr<T>),
    /// Strings.
    Strings(Strings),
    /// Groups of columns of several kinds.
    Parts(Parts<T>),
    /// Items of any type, for user-defined kernels.
    Items(Items),
}

impl<T: Real> Samples<T> {
    /// How many samples there are.
    pub fn n(&self) -> usize {
        self.len()
    }

    /// The kind of the samples, for messages.
    #[doc(hidden)]
    pub fn kind(&self) -> &'static str {
        match self {
            Samples::Dense(_) => "rows of numbers",
            Samples::Sparse(_) => "sparse rows of numbers",
            Samples::Strings(_) => "strings",
            Samples::Parts(_) => "groups of columns",
            Samples::Items(_) => "items",
        }
    }

    /// How many columns a table of the samples has; strings and items are one.
    #[doc(hidden)]
    pub fn features(&self) -> usize {
        match self {
            Samples::Dense(x) => x.d(),
            Samples::Sparse(x) => x.d(),
            Samples::Parts(parts) => parts.all().iter().map(|part| part.samples.features()).sum(),
            Samples::Strings(_) | Samples::Items(_) => 1,
        }
    }

    /// Bytes that a copy of sample `i` takes, with what kernels derive from it.
    #[doc(hidden)]
    pub fn bytes_of(&self, i: usize) -> u64 {
        let numbers = |count: usize| (count * size_of::<T>()) as u64;
        match self {
            Samples::Dense(x) => numbers(x.d() + 1),
            Samples::Sparse(x) => numbers(x.row(i).0.len()) + 4 * x.row(i).0.len() as u64 + 24,
            Samples::Strings(texts) => 8 * texts.get(i).len() as u64 + 8,
            Samples::Parts(parts) => parts.all().iter().map(|part| part.samples.bytes_of(i)).sum(),
            Samples::Items(_) => size_of::<usize>() as u64,
        }
    }

    /// The rows of numbers, if that is what they are.
    pub fn dense(&self) -> Option<&Dense<T>> {
        match self {
            Samples::Dense(x) => Some(x),
            _ => None,
        }
    }

    /// The rows of numbers, for `what` that is only for them.
    #[doc(hidden)]
    pub fn need_dense(&self, what: &str) -> Result<&Dense<T>> {
        self.dense().ok_or_else(|| {
            Error::Shape(format!(
                "{what} needs rows of numbers, but the samples are {}",
                self.kind()
            ))
        })
    }

    /// Refuses samples that cannot stand beside these: of another kind, or with other columns.
    #[doc(hidden)]
    pub fn check_like<U: Real>(&self, other: &Samples<U>) -> Result<()> {
        match (self, other) {
            (Samples::Parts(own), Samples::Parts(theirs)) => {
                for part in own.all() {
                    let found = theirs.named(&part.names).ok_or_else(|| {
                        let names = part.names.join(", ");
                        Error::Shape(format!("the columns {names} are missing"))
                    })?;
                    part.samples.check_like(found)?;
                }
                Ok(())
            }
            (Samples::Items(_), Samples::Items(_)) | (Samples::Strings(_), Samples::Strings(_)) => {
                Ok(())
            }
            _ => match (self.numbers(), other.numbers()) {
                (Some(expected), Some(found)) if expected == found => Ok(()),
                (Some(expected), Some(found)) => Err(Error::Features { expected, found }),
                _ => Err(Error::Shape(format!(
                    "the model was trained on {}, but these samples are {}",
                    self.kind(),
                    other.kind()
                ))),
            },
        }
    }

    /// The columns of samples that are rows of numbers, stored in whatever way.
    fn numbers(&self) -> Option<usize> {
        match self {
            Samples::Dense(_) | Samples::Sparse(_) => Some(self.features()),
            _ => None,
        }
    }

    /// The first number below 0, with its row and column; none for samples that are no rows of numbers.
    #[doc(hidden)]
    pub fn first_negative(&self) -> Option<(usize, usize, f64)> {
        match self {
            Samples::Dense(x) => x.first_negative().map(|(i, j)| (i, j, x.row(i)[j].to_f64())),
            Samples::Sparse(x) => x.first_negative().map(|(i, j)| (i, j, x.at(i, j).to_f64())),
            _ => None,
        }
    }

    /// The same samples in another number type.
    #[doc(hidden)]
    pub fn convert<U: Real>(&self) -> Result<Samples<U>> {
        Ok(match self {
            Samples::Dense(x) => Samples::Dense(x.convert()?),
            Samples::Sparse(x) => Samples::Sparse(x.convert()?),
            Samples::Strings(texts) => Samples::Strings(texts.clone()),
            Samples::Parts(parts) => Samples::Parts(parts.map(|samples| samples.convert())?),
            Samples::Items(items) => Samples::Items(items.clone()),
        })
    }

    /// Whether both are clones of one set, so that equal indices mean the same sample.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Samples::Dense(a), Samples::Dense(b)) => a.is_same(b),
            (Samples::Sparse(a), Samples::Sparse(b)) => a.is_same(b),
            (Samples::Strings(a), Samples::Strings(b)) => a.is_same(b),
            (Samples::Parts(a), Samples::Parts(b)) => a.is_same(b),
            (Samples::Items(a), Samples::Items(b)) => a.is_same(b),
            _ => false,
        }
    }
}

impl<T: Real> Points for Samples<T> {
    fn len(&self) -> usize {
        match self {
            Samples::Dense(x) => x.len(),
            Samples::Sparse(x) => x.len(),
            Samples::Strings(texts) => texts.len(),
            Samples::Parts(parts) => parts.len(),
            Samples::Items(items) => items.len(),
        }
    }

    fn select(&self, idx: &[usize]) -> Self {
        match self {
            Samples::Dense(x) => Samples::Dense(x.select(idx)),
            Samples::Sparse(x) => Samples::Sparse(x.select(idx)),
            Samples::Strings(texts) => Samples::Strings(texts.select(idx)),
            Samples::Parts(parts) => Samples::Parts(parts.select(idx)),
            Samples::Items(items) => Samples::Items(items.select(idx)),
        }
    }

    fn cost(&self) -> Cost {
        match self {
            Samples::Dense(x) => x.cost(),
            Samples::Sparse(x) => x.cost(),
            Samples::Strings(texts) => texts.cost(),
            Samples::Parts(parts) => parts.cost(),
            Samples::Items(items) => items.cost(),
        }
    }
}

impl<T: Real> From<&Samples<T>> for Samples<T> {
    fn from(x: &Samples<T>) -> Self {
        x.clone()
    }
}

macro_rules! from {
    ($($kind:ident($set:ty)),* $(,)?) => {
        $(impl<T: Real> From<$set> for Samples<T> {
            fn from(set: $set) -> Self {
                Samples::$kind(set)
            }
        }

        impl<T: Real> From<&$set> for Samples<T> {
            fn from(set: &$set) -> Self {
                Samples::$kind(set.clone())
            }
        })*
    };
}

from! { Dense(Dense<T>), Sparse(Csr<T>), Strings(Strings), Parts(Parts<T>), Items(Items) }
