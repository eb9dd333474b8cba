//! Dense rows of numbers.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::pairing::Rows;
use crate::points::Points;
use crate::points::check::{beyond_range, check_length, check_shape, checked_norms, squared_norm};
use crate::points::layout::Layout;
use crate::real::Real;

/// n × d numbers, row-major, all finite, n ≥ 1 and d ≥ 1, with the squared norm of every row.
/// Clones share the numbers.
#[derive(Clone)]
pub struct Dense<T: Real>(Arc<Store<T>>);

struct Store<T: Real> {
    n: usize,
    d: usize,
    data: Vec<T>,  // n × d
    norms: Vec<T>, // n
    nonzeros: OnceLock<Option<Nonzeros<T>>>,
    roots: OnceLock<Dense<T>>,
    negative: OnceLock<Option<(usize, usize)>>,
}

impl<T: Real> Dense<T> {
    /// A copy of `data`: n rows of d numbers, one row after the other.
    pub fn from_rows(data: &[T], n: usize, d: usize) -> Result<Self> {
        check_length(data.len(), n, d)?;
        Self::from_vec(data.to_vec(), n, d)
    }

    /// Takes over `data`: n rows of d numbers, one row after the other.
    pub fn from_vec(data: Vec<T>, n: usize, d: usize) -> Result<Self> {
        check_length(data.len(), n, d)?;
        let norms = checked_norms(&data, d)?;
        Ok(Self::from_checked(data, norms, d))
    }

    /// Rows known to be finite, with their squared norms.
    fn from_checked(data: Vec<T>, norms: Vec<T>, d: usize) -> Self {
        Self(Arc::new(Store {
            n: norms.len(),
            d,
            data,
            norms,
            nonzeros: OnceLock::new(),
            roots: OnceLock::new(),
            negative: OnceLock::new(),
        }))
    }

    /// No samples of d ≥ 1 features: the support vectors of a machine that needs none.
    pub(crate) fn empty(d: usize) -> Self {
        assert!(d > 0, "samples have at least one feature");
        Self::from_checked(Vec::new(), Vec::new(), d)
    }

    /// A copy of the n × d numbers `data[offset + i·row_stride + j·col_stride]`. Strides count
    /// numbers, not bytes, and may be negative or zero.
    pub fn from_strided(
        data: &[T],
        offset: usize,
        n: usize,
        d: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Result<Self> {
        let count = check_shape(n, d)?;
        let layout = Layout { offset, row_stride, col_stride };
        layout.check(data.len(), n, d)?;
        let mut rows = Vec::new();
        if rows.try_reserve_exact(count).is_err() {
            let bytes = crate::error::bytes((count * size_of::<T>()) as u64);
            return Err(Error::Shape(format!("no memory for {n} × {d} numbers ({bytes})")));
        }
        layout.gather(data, n, d, &mut rows);
        Self::from_vec(rows, n, d)
    }

    /// The same samples in another number type. A value beyond that type's range is an error; the
    /// same type is a cheap clone.
    pub fn convert<U: Real>(&self) -> Result<Dense<U>> {
        if let Some(same) = (self as &dyn Any).downcast_ref::<Dense<U>>() {
            return Ok(same.clone());
        }
        let data: Vec<U> = self.0.data.iter().map(|v| U::of(v.f64())).collect();
        if let Some(at) = data.iter().position(|v| !v.is_finite()) {
            let (row, column, value) = (at / self.d(), at % self.d(), self.0.data[at]);
            return Err(beyond_range::<T, U>(row, column, value));
        }
        Dense::from_vec(data, self.n(), self.d())
    }

    /// Rows.
    pub fn n(&self) -> usize {
        self.0.n
    }

    /// Columns.
    pub fn d(&self) -> usize {
        self.0.d
    }

    /// Row i, d numbers.
    pub fn row(&self, i: usize) -> &[T] {
        &self.0.data[i * self.0.d..(i + 1) * self.0.d]
    }

    /// All numbers, row-major, n × d.
    pub fn data(&self) -> &[T] {
        &self.0.data
    }

    /// The squared Euclidean norm of every row, n.
    pub fn norms(&self) -> &[T] {
        &self.0.norms
    }

    /// The rows of `range`, as the pairing functions take them.
    pub fn rows(&self, range: Range<usize>) -> Rows<'_, T> {
        let d = self.0.d;
        let data = &self.0.data[range.start * d..range.end * d];
        let sparse = self.nonzeros().map(|nonzeros| nonzeros.rows(range.clone()));
        Rows { data, dim: d, norms: &self.0.norms[range], sparse }
    }

    /// The numbers that are not zero, where so many are that skipping them pays. Looked for once.
    fn nonzeros(&self) -> Option<&Nonzeros<T>> {
        self.0.nonzeros.get_or_init(|| Nonzeros::find(&self.0.data, self.0.d)).as_ref()
    }

    /// The square roots of all numbers; 0 for numbers below 0. Taken once.
    pub fn roots(&self) -> &Dense<T> {
        self.0.roots.get_or_init(|| {
            let root = |&v: &T| if v > T::ZERO { v.sqrt() } else { T::ZERO };
            let data: Vec<T> = self.0.data.iter().map(root).collect();
            let norms = data.chunks_exact(self.0.d).map(squared_norm).collect();
            Self::from_checked(data, norms, self.0.d)
        })
    }

    /// The row and column of the first number below 0. Looked for once.
    pub fn first_negative(&self) -> Option<(usize, usize)> {
        *self.0.negative.get_or_init(|| {
            let at = self.0.data.iter().position(|&value| value < T::ZERO)?;
            Some((at / self.0.d, at % self.0.d))
        })
    }

    /// Whether both are clones of one set, so that equal indices mean the same sample.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Real> Points for Dense<T> {
    fn len(&self) -> usize {
        self.0.n
    }

    fn width(&self) -> usize {
        match self.nonzeros() {
            Some(nonzeros) => nonzeros.len() / self.0.n.max(1),
            None => self.0.d,
        }
    }

    fn select(&self, idx: &[usize]) -> Self {
        let mut data = Vec::with_capacity(idx.len() * self.0.d);
        for &i in idx {
            data.extend_from_slice(self.row(i));
        }
        let norms = idx.iter().map(|&i| self.0.norms[i]).collect();
        // What is known of the whole need not be looked for in a part.
        let store = Store {
            n: idx.len(),
            d: self.0.d,
            data,
            norms,
            nonzeros: known(&self.0.nonzeros, |found| found.as_ref().map(|f| f.select(idx))),
            roots: known(&self.0.roots, |roots| roots.select(idx)),
            negative: match self.0.negative.get() {
                Some(None) => OnceLock::from(None),
                _ => OnceLock::new(),
            },
        };
        Self(Arc::new(store))
    }
}

/// A cell that holds `f` of what the other holds, if it holds anything.
pub(super) fn known<A>(cell: &OnceLock<A>, f: impl FnOnce(&A) -> A) -> OnceLock<A> {
    cell.get().map_or_else(OnceLock::new, |value| OnceLock::from(f(value)))
}

impl<T: Real> std::fmt::Debug for Dense<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dense<{}>({} × {})", T::NAME, self.0.n, self.0.d)
    }
}
