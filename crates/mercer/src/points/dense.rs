//! Dense rows of numbers.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::pairing::{DIFFERENCES_UP_TO, Rows};
use crate::linalg::view::MatRef;
use crate::points::check::{beyond_range, check_length, check_shape, checked_norms, squared_norm};
use crate::points::derived::Derived;
use crate::points::layout::Layout;
use crate::points::{Cost, Points};
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
    centred: OnceLock<Option<Centred<T>>>,
    derived: Derived<Dense<T>>,
}

/// Rows less a common point, which makes them small where they lie far from the origin.
#[derive(Clone)]
pub struct Centred<T: Real> {
    /// The point, d numbers: the mean of the rows, rounded to their number type.
    pub point: Vec<T>,
    /// The rows less the point, n × d.
    pub rows: Dense<T>,
}

/// Rows whose mean is longer than so many times their spread around it lose digits in products.
const FAR: f64 = 2.0;

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

    /// A copy of the rows of a matrix in any number type and order. A value beyond the range of `T` is an error.
    pub fn from_view<U: Real>(x: MatRef<'_, U>) -> Result<Self> {
        let (n, d) = (x.rows(), x.cols());
        let mut data = Vec::with_capacity(n.saturating_mul(d));
        for i in 0..n {
            match x.contiguous_row(i) {
                Some(row) => data.extend(row.iter().map(|v| T::from_f64(v.to_f64()))),
                None => data.extend((0..d).map(|j| T::from_f64(x.at(i, j).to_f64()))),
            }
        }
        Dense::from_vec(data, n, d).map_err(|error| match error {
            Error::NotFinite { row, column, .. } if x.at(row, column).is_finite() => {
                beyond_range::<U, T>(row, column, x.at(row, column))
            }
            other => other,
        })
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
            centred: OnceLock::new(),
            derived: Derived::default(),
        }))
    }

    /// No samples of d ≥ 1 features: the support vectors of a machine that needs none.
    pub(crate) fn empty(d: usize) -> Self {
        assert!(d > 0, "samples have at least one feature");
        Self::from_checked(Vec::new(), Vec::new(), d)
    }

    /// A copy of the n × d numbers `data[offset + i·row_stride + j·col_stride]`. Strides count
    /// numbers, not bytes, and may be negative or zero.
    #[doc(hidden)]
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
            return Err(Error::Shape(format!("not enough memory for {n} × {d} values ({bytes})")));
        }
        layout.gather(data, n, d, &mut rows);
        Self::from_vec(rows, n, d)
    }

    /// The same samples in another number type. A value beyond that type's range is an error; the
    /// same type is a cheap clone.
    #[doc(hidden)]
    pub fn convert<U: Real>(&self) -> Result<Dense<U>> {
        if let Some(same) = (self as &dyn Any).downcast_ref::<Dense<U>>() {
            return Ok(same.clone());
        }
        let data: Vec<U> = self.0.data.iter().map(|v| U::from_f64(v.to_f64())).collect();
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
    #[doc(hidden)]
    pub fn norms(&self) -> &[T] {
        &self.0.norms
    }

    /// The rows of `range`, as the pairing functions take them.
    #[doc(hidden)]
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
    #[doc(hidden)]
    pub fn roots(&self) -> &Dense<T> {
        self.0.roots.get_or_init(|| {
            let root = |&v: &T| if v > T::ZERO { v.sqrt() } else { T::ZERO };
            let data: Vec<T> = self.0.data.iter().map(root).collect();
            let norms = data.chunks_exact(self.0.d).map(squared_norm).collect();
            Self::from_checked(data, norms, self.0.d)
        })
    }

    /// The row and column of the first number below 0. Looked for once.
    #[doc(hidden)]
    pub fn first_negative(&self) -> Option<(usize, usize)> {
        *self.0.negative.get_or_init(|| {
            let at = self.0.data.iter().position(|&value| value < T::ZERO)?;
            Some((at / self.0.d, at % self.0.d))
        })
    }

    /// The rows less their mean, if that lies so far from the origin that products of the rows lose digits: its length is more than
    /// twice their spread. Looked for once; a copy of the rows stays with them.
    #[doc(hidden)]
    pub fn centred(&self) -> Option<&Centred<T>> {
        let find = || {
            let mean = self.mean();
            let length: f64 = mean.iter().map(|v| v * v).sum();
            let far = |spread: f64| length > FAR * FAR * spread;
            // The mean squared norm is the squared length of the mean and the spread, unless that is lost in rounding.
            let squares =
                self.0.norms.iter().map(|v| v.to_f64()).sum::<f64>() / self.0.n.max(1) as f64;
            if !far(squares - length) {
                return None;
            }
            let point: Vec<T> = mean.into_iter().map(T::from_f64).collect();
            self.less(&point).ok().map(|rows| Centred { point, rows })
        };
        self.0.centred.get_or_init(find).as_ref()
    }

    /// The rows less `point` (d numbers).
    #[doc(hidden)]
    pub fn less(&self, point: &[T]) -> Result<Dense<T>> {
        assert_eq!(point.len(), self.0.d, "a point of another dimension");
        let moved = self.part_less(0..self.0.n, point);
        checked_norms(&moved.0.data, self.0.d)?;
        Ok(moved)
    }

    /// As [`Dense::centred`], for squared distances: those of few features are computed from differences, which cancel nothing.
    pub(crate) fn far_from_origin(&self) -> Option<&Centred<T>> {
        if self.0.d > DIFFERENCES_UP_TO { self.centred() } else { None }
    }

    /// The rows of `range` less `point` (d numbers).
    pub(crate) fn part_less(&self, range: Range<usize>, point: &[T]) -> Dense<T> {
        let lines =
            self.0.data[range.start * self.0.d..range.end * self.0.d].chunks_exact(self.0.d);
        let moved = lines.flat_map(|row| row.iter().zip(point).map(|(&v, &p)| v - p));
        let data: Vec<T> = moved.collect();
        let norms = data.chunks_exact(self.0.d).map(squared_norm).collect();
        Self::from_checked(data, norms, self.0.d)
    }

    /// The mean of the rows, d numbers.
    #[doc(hidden)]
    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.0.d];
        for row in self.0.data.chunks_exact(self.0.d) {
            mean.iter_mut().zip(row).for_each(|(sum, v)| *sum += v.to_f64());
        }
        mean.iter_mut().for_each(|sum| *sum /= self.0.n.max(1) as f64);
        mean
    }

    /// The rows that `make` computes from these with the numbers `key`. A few such sets stay with them.
    #[doc(hidden)]
    pub fn derived(&self, key: &[u64], make: impl FnOnce() -> Result<Self>) -> Result<Self> {
        self.0.derived.get(key, make)
    }

    /// Whether both are clones of one set, so that equal indices mean the same sample.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Real> Points for Dense<T> {
    fn len(&self) -> usize {
        self.0.n
    }

    fn cost(&self) -> Cost {
        let eval_cost = match self.nonzeros() {
            Some(nonzeros) => nonzeros.len() / self.0.n.max(1),
            None => self.0.d,
        };
        Cost { eval_cost, bytes: 8 * self.0.d as u64 }
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
            centred: OnceLock::new(),
            derived: Derived::default(),
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
