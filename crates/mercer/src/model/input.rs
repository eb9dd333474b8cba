//! What models are fitted on and evaluated for.

use super::report::asymmetric;
use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::gram::{Gram, Precomputed, matrix_bytes};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{AnyMatrix, AnySamples, Csr, Dense, Dtype, Items, Parts, Samples, Strings};
use crate::real::Real;

/// Samples, or kernel values of samples that stay with the caller. All sets of samples convert into it.
#[derive(Clone)]
pub enum Input<'a> {
    /// Samples of any kind, in either number type.
    Samples(AnySamples),
    /// Kernel values that the caller computed: n × n of the training samples for a fit, m × n of new samples with the training
    /// samples for a prediction.
    Precomputed {
        /// The values.
        values: AnyMatrix<'a>,
        /// k(x, x) of new samples (m), for predictions that need it.
        diagonal: Option<&'a [f64]>,
    },
    /// A matrix of the caller's own making, in whatever way it is stored; for fits.
    Gram(&'a dyn Gram),
}

impl<'a> Input<'a> {
    /// Kernel values that the caller computed.
    pub fn precomputed(values: impl Into<AnyMatrix<'a>>) -> Self {
        Input::Precomputed { values: values.into(), diagonal: None }
    }

    /// The same with k(x, x) of new samples, which kernel values do not hold; samples need none and stay as they are.
    #[doc(hidden)]
    pub fn with_diagonal(self, diagonal: &'a [f64]) -> Self {
        match self {
            Input::Precomputed { values, .. } => {
                Input::Precomputed { values, diagonal: Some(diagonal) }
            }
            other => other,
        }
    }

    /// The training samples at `idx`, in that order, or the rows and columns of their kernel values; a matrix that only
    /// multiplies stays as it is.
    #[doc(hidden)]
    pub fn select(&self, idx: &[usize]) -> Self {
        match self {
            Input::Samples(x) => Input::Samples(x.select(idx)),
            Input::Precomputed { values, .. } => {
                let entry = |i: usize, j: usize| values.at(idx[i], idx[j]);
                Input::precomputed(Mat::from_fn(idx.len(), idx.len(), entry))
            }
            Input::Gram(gram) => Input::Gram(*gram),
        }
    }

    /// Rows: samples of a training set, or new samples.
    pub fn n(&self) -> usize {
        match self {
            Input::Samples(x) => x.n(),
            Input::Precomputed { values, .. } => values.rows(),
            Input::Gram(gram) => gram.n(),
        }
    }

    /// The number type of the samples or kernel values.
    #[doc(hidden)]
    pub fn dtype(&self) -> Dtype {
        match self {
            Input::Samples(x) => x.dtype(),
            Input::Precomputed { values, .. } => values.dtype(),
            Input::Gram(gram) => gram.dtype(),
        }
    }
}

/// All entries of a matrix of the caller's making.
pub(crate) fn all_columns(ctx: &Context, gram: &dyn Gram) -> Result<(Mat<f64>, Reservation)> {
    let n = gram.n();
    let hint = "fit on fewer rows or raise the memory budget";
    let reservation = ctx.reserve("the kernel matrix", matrix_bytes::<f64>(n, n), hint)?;
    Ok((gram.columns(ctx, &(0..n).collect::<Vec<_>>())?, reservation))
}

/// The error for a matrix that only multiplies, where values of new samples are needed.
pub(crate) fn not_for_predictions() -> Error {
    Error::Shape("predictions need samples or their kernel values with the training samples".into())
}

/// Refuses kernel values (m × found) that are not with the `n` training samples.
pub(crate) fn check_columns(n: usize, found: usize) -> Result<()> {
    match n == found {
        true => Ok(()),
        false => Err(Error::Features { expected: n, found }),
    }
}

/// A precomputed matrix that is symmetric but for rounding.
pub(crate) fn symmetric<T: Real>(matrix: MatRef<'_, T>) -> Result<Precomputed<'_, T>> {
    let gram = Precomputed::new(matrix)?;
    match asymmetric::<T>(gram.asymmetry()) {
        None => Ok(gram.symmetric()),
        Some(message) => Err(Error::Shape(message)),
    }
}

impl<'a> From<&Input<'a>> for Input<'a> {
    fn from(input: &Input<'a>) -> Self {
        input.clone()
    }
}

impl From<AnySamples> for Input<'_> {
    fn from(x: AnySamples) -> Self {
        Input::Samples(x)
    }
}

impl From<&AnySamples> for Input<'_> {
    fn from(x: &AnySamples) -> Self {
        Input::Samples(x.clone())
    }
}

macro_rules! from {
    ($([$($generic:tt)*] $set:ty);* $(;)?) => {
        $(impl $($generic)* From<$set> for Input<'_> {
            fn from(x: $set) -> Self {
                Input::Samples(x.into())
            }
        }

        impl $($generic)* From<&$set> for Input<'_> {
            fn from(x: &$set) -> Self {
                Input::Samples(x.into())
            }
        })*
    };
}

from! {
    [<T: Real>] Samples<T>;
    [<T: Real>] Dense<T>;
    [<T: Real>] Csr<T>;
    [<T: Real>] Parts<T>;
    [] Strings;
    [] Items;
}
