//! Samples and kernel values of either number type. The type is a property of the data, found at run time: models hold and take
//! [`AnySamples`] and [`AnyMat`], and only what computes kernel values is compiled for each type.

use std::any::Any;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::linalg::view::{Mat, MatRef};
use crate::points::{Csr, Dense, Items, Parts, Points, Samples, Strings};
use crate::real::{Numbers, Real};

/// A number type of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Dtype {
    /// `"f32"` or `"f64"`.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F32 => f32::NAME,
            Dtype::F64 => f64::NAME,
        }
    }

    /// The number type `T`.
    #[doc(hidden)]
    pub fn of<T: Real>() -> Self {
        if T::NAME == f32::NAME { Dtype::F32 } else { Dtype::F64 }
    }

    /// The distance from 1 to the next number.
    #[doc(hidden)]
    pub fn epsilon(self) -> f64 {
        match self {
            Dtype::F32 => f64::from(f32::EPSILON),
            Dtype::F64 => f64::EPSILON,
        }
    }
}

/// Runs the same lines with `$T` the number type that a [`Dtype`] names.
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::points::Dtype::F32 => {
                type $T = f32;
                $body
            }
            $crate::points::Dtype::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(crate) use with_dtype;

/// Runs the same lines with `$x` bound to the samples in their number type.
macro_rules! with_samples {
    ($samples:expr, $x:ident => $body:expr) => {
        match $samples {
            $crate::points::AnySamples::F32($x) => $body,
            $crate::points::AnySamples::F64($x) => $body,
        }
    };
}
pub(crate) use with_samples;

/// Runs the same lines with `$x` bound to the matrix in its number type.
macro_rules! with_matrix {
    ($matrix:expr, $x:ident => $body:expr) => {
        match $matrix {
            $crate::points::AnyMat::F32($x) => $body,
            $crate::points::AnyMat::F64($x) => $body,
        }
    };
}
pub(crate) use with_matrix;

/// A sample set of any kind in either number type. Clones share the data.
#[derive(Clone, Debug)]
pub enum AnySamples {
    /// Single precision.
    F32(Samples<f32>),
    /// Double precision.
    F64(Samples<f64>),
}

impl AnySamples {
    /// The number type.
    pub fn dtype(&self) -> Dtype {
        match self {
            AnySamples::F32(_) => Dtype::F32,
            AnySamples::F64(_) => Dtype::F64,
        }
    }

    /// How many samples there are.
    pub fn n(&self) -> usize {
        with_samples!(self, x => x.n())
    }

    /// How many columns a table of the samples has; strings and items are one.
    #[doc(hidden)]
    pub fn features(&self) -> usize {
        with_samples!(self, x => x.features())
    }

    /// Whether they are rows of numbers, every one of them stored.
    #[doc(hidden)]
    pub fn is_dense(&self) -> bool {
        with_samples!(self, x => x.dense().is_some())
    }

    /// Whether they are sparse rows of numbers.
    #[doc(hidden)]
    pub fn is_sparse(&self) -> bool {
        with_samples!(self, x => matches!(x, Samples::Sparse(_)))
    }

    /// The kind of the samples, for messages.
    #[doc(hidden)]
    pub fn kind(&self) -> &'static str {
        with_samples!(self, x => x.kind())
    }

    /// Refuses samples that cannot stand beside these: of another kind, or with other columns.
    #[doc(hidden)]
    pub fn check_like(&self, other: &Self) -> Result<()> {
        match (self, other) {
            (AnySamples::F32(x), AnySamples::F32(other)) => x.check_like(other),
            (AnySamples::F32(x), AnySamples::F64(other)) => x.check_like(other),
            (AnySamples::F64(x), AnySamples::F32(other)) => x.check_like(other),
            (AnySamples::F64(x), AnySamples::F64(other)) => x.check_like(other),
        }
    }

    /// The samples at `idx`, in that order. Every index must lie below `n`.
    #[doc(hidden)]
    pub fn select(&self, idx: &[usize]) -> Self {
        match self {
            AnySamples::F32(x) => AnySamples::F32(x.select(idx)),
            AnySamples::F64(x) => AnySamples::F64(x.select(idx)),
        }
    }

    /// The sets of items among them, one for each group of columns that is one.
    #[doc(hidden)]
    pub fn items(&self) -> Vec<Items> {
        with_samples!(self, x => items_of(x))
    }

    /// The same with `new` in the places of [`AnySamples::items`], as far as there are any.
    #[doc(hidden)]
    pub fn with_items(&self, new: &mut dyn Iterator<Item = Items>) -> Self {
        with_samples!(self, x => replaced(x, new).into())
    }

    /// The samples as numbers of type `T`, if that is theirs.
    #[doc(hidden)]
    pub fn get<T: Real>(&self) -> Option<&Samples<T>> {
        with_samples!(self, x => (x as &dyn Any).downcast_ref())
    }

    /// The same samples in the number type `T`: shared if that is theirs, else converted.
    #[doc(hidden)]
    pub fn to_type<T: Real>(&self) -> Result<Samples<T>> {
        with_samples!(self, x => x.convert())
    }
}

fn items_of<T: Real>(samples: &Samples<T>) -> Vec<Items> {
    match samples {
        Samples::Items(items) => vec![items.clone()],
        Samples::Parts(parts) => {
            parts.all().iter().flat_map(|part| items_of(&part.samples)).collect()
        }
        _ => Vec::new(),
    }
}

fn replaced<T: Real>(samples: &Samples<T>, new: &mut dyn Iterator<Item = Items>) -> Samples<T> {
    match samples {
        Samples::Items(items) => Samples::Items(new.next().unwrap_or_else(|| items.clone())),
        Samples::Parts(parts) => {
            let new = std::cell::RefCell::new(new);
            let filled = parts.map(|part| Ok(replaced(part, &mut **new.borrow_mut())));
            filled.map_or_else(|_| samples.clone(), Samples::Parts)
        }
        other => other.clone(),
    }
}

impl<T: Real> From<Samples<T>> for AnySamples {
    fn from(x: Samples<T>) -> Self {
        let any: Box<dyn Any> = Box::new(x);
        match any.downcast() {
            Ok(x) => AnySamples::F32(*x),
            Err(any) => AnySamples::F64(*any.downcast().expect("a number type is f32 or f64")),
        }
    }
}

impl<T: Real> From<&Samples<T>> for AnySamples {
    fn from(x: &Samples<T>) -> Self {
        x.clone().into()
    }
}

impl From<&AnySamples> for AnySamples {
    fn from(x: &AnySamples) -> Self {
        x.clone()
    }
}

macro_rules! from {
    ($([$($generic:tt)*] $set:ty, $number:ty);* $(;)?) => {
        $(impl $($generic)* From<$set> for AnySamples {
            fn from(x: $set) -> Self {
                Samples::<$number>::from(x).into()
            }
        }

        impl $($generic)* From<&$set> for AnySamples {
            fn from(x: &$set) -> Self {
                Samples::<$number>::from(x).into()
            }
        })*
    };
}

// Kernel values of strings and items are in double precision, unless they are made samples of f32.
from! {
    [<T: Real>] Dense<T>, T;
    [<T: Real>] Csr<T>, T;
    [<T: Real>] Parts<T>, T;
    [] Strings, f64;
    [] Items, f64;
}

/// A matrix of kernel values in either number type, read in place.
#[derive(Clone, Copy, Debug)]
pub enum AnyMat<'a> {
    /// Single precision.
    F32(MatRef<'a, f32>),
    /// Double precision.
    F64(MatRef<'a, f64>),
}

impl<'a> AnyMat<'a> {
    /// The number type.
    #[doc(hidden)]
    pub fn dtype(&self) -> Dtype {
        match self {
            AnyMat::F32(_) => Dtype::F32,
            AnyMat::F64(_) => Dtype::F64,
        }
    }

    /// Rows.
    #[doc(hidden)]
    pub fn rows(&self) -> usize {
        with_matrix!(self, matrix => matrix.rows())
    }

    /// Columns.
    #[doc(hidden)]
    pub fn cols(&self) -> usize {
        with_matrix!(self, matrix => matrix.cols())
    }

    /// Entry (i, j).
    #[doc(hidden)]
    pub fn at(&self, i: usize, j: usize) -> f64 {
        with_matrix!(self, matrix => matrix.at(i, j).to_f64())
    }

    /// A copy as samples of the number type `T`.
    #[doc(hidden)]
    pub fn to_dense<T: Real>(&self) -> Result<Dense<T>> {
        with_matrix!(self, matrix => Dense::from_view(*matrix))
    }
}

impl<'a, T: Real> From<MatRef<'a, T>> for AnyMat<'a> {
    fn from(matrix: MatRef<'a, T>) -> Self {
        match T::numbers(matrix.data()) {
            Numbers::F32(data) => AnyMat::F32(matrix.with_data(data)),
            Numbers::F64(data) => AnyMat::F64(matrix.with_data(data)),
        }
    }
}

impl<'a, T: Real> From<&'a Mat<T>> for AnyMat<'a> {
    fn from(matrix: &'a Mat<T>) -> Self {
        matrix.view().into()
    }
}

impl<'a, T: Real> From<&'a Dense<T>> for AnyMat<'a> {
    fn from(x: &'a Dense<T>) -> Self {
        MatRef::new(x.data(), x.n(), x.d(), x.d()).into()
    }
}

/// A matrix in either number type, borrowed or owned. Clones share the numbers.
#[derive(Clone, Debug)]
pub enum AnyMatrix<'a> {
    /// Borrowed.
    Borrowed(AnyMat<'a>),
    /// Owned, in single precision.
    F32(Arc<Mat<f32>>),
    /// Owned, in double precision.
    F64(Arc<Mat<f64>>),
}

impl AnyMatrix<'_> {
    /// A view of them.
    #[doc(hidden)]
    pub fn view(&self) -> AnyMat<'_> {
        match self {
            AnyMatrix::Borrowed(values) => *values,
            AnyMatrix::F32(values) => values.view().into(),
            AnyMatrix::F64(values) => values.view().into(),
        }
    }

    /// Rows.
    #[doc(hidden)]
    pub fn rows(&self) -> usize {
        self.view().rows()
    }

    /// Columns.
    #[doc(hidden)]
    pub fn cols(&self) -> usize {
        self.view().cols()
    }

    /// The number type.
    #[doc(hidden)]
    pub fn dtype(&self) -> Dtype {
        self.view().dtype()
    }

    /// Entry (i, j).
    #[doc(hidden)]
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.view().at(i, j)
    }
}

impl<'a, V: Into<AnyMat<'a>>> From<V> for AnyMatrix<'a> {
    fn from(values: V) -> Self {
        AnyMatrix::Borrowed(values.into())
    }
}

impl From<Mat<f32>> for AnyMatrix<'_> {
    fn from(values: Mat<f32>) -> Self {
        AnyMatrix::F32(Arc::new(values))
    }
}

impl From<Mat<f64>> for AnyMatrix<'_> {
    fn from(values: Mat<f64>) -> Self {
        AnyMatrix::F64(Arc::new(values))
    }
}
