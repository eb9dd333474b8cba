//! Dense rows of numbers.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::pairing::Rows;
use crate::points::Points;
use crate::points::layout::Layout;
use crate::real::Real;

/// n × d numbers, row-major, all finite, n ≥ 1 and d ≥ 1, with the squared norm of every row.
/// Clones share the numbers.
#[derive(Clone)]
pub struct Dense<T: Real>(Arc<Store<T>>);

struct Store<T> {
    n: usize,
    d: usize,
    data: Vec<T>,  // n × d
    norms: Vec<T>, // n
    nonzeros: OnceLock<Option<Nonzeros<T>>>,
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
        Ok(Self(Arc::new(Store { n, d, data, norms, nonzeros: OnceLock::new() })))
    }

    /// No samples of d ≥ 1 features: the support vectors of a machine that needs none.
    pub(crate) fn empty(d: usize) -> Self {
        assert!(d > 0, "samples have at least one feature");
        Self(Arc::new(Store {
            n: 0,
            d,
            data: Vec::new(),
            norms: Vec::new(),
            nonzeros: OnceLock::new(),
        }))
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
            return Err(Error::Shape(format!(
                "the value {value:?} at row {row}, column {column} (both counted from 0) is \
                 beyond the range of {}: use {} or scale the column down",
                U::NAME,
                T::NAME
            )));
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
        let known = self.0.nonzeros.get().map(|found| found.as_ref().map(|f| f.select(idx)));
        let nonzeros = known.map_or_else(OnceLock::new, OnceLock::from);
        Self(Arc::new(Store { n: idx.len(), d: self.0.d, data, norms, nonzeros }))
    }
}

impl<T: Real> std::fmt::Debug for Dense<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dense<{}>({} × {})", T::NAME, self.0.n, self.0.d)
    }
}

/// n·d, if it is a shape samples can have.
fn check_shape(n: usize, d: usize) -> Result<usize> {
    let refuse = |count: &str| {
        let text = format!(
            "Found array with {count} (shape=({n}, {d})) while a minimum of 1 is required."
        );
        Err(Error::Shape(text))
    };
    match (n, d) {
        (0, _) => refuse("0 sample(s)"),
        (_, 0) => refuse("0 feature(s)"),
        _ => n.checked_mul(d).filter(|&count| count <= isize::MAX as usize / 8).ok_or_else(|| {
            Error::Shape(format!("shape ({n}, {d}) has more numbers than this machine can address"))
        }),
    }
}

fn check_length(len: usize, n: usize, d: usize) -> Result<()> {
    let count = check_shape(n, d)?;
    if len != count {
        return Err(Error::Shape(format!(
            "shape ({n}, {d}) needs {count} numbers, but {len} are given"
        )));
    }
    Ok(())
}

/// The squared norms of all rows, which double as the check: a norm is finite only if every number
/// of the row is.
fn checked_norms<T: Real>(data: &[T], d: usize) -> Result<Vec<T>> {
    let norms: Vec<T> = data.chunks_exact(d).map(squared_norm).collect();
    // A squared distance can reach four times the larger squared norm; it must be finite too.
    let four = T::of(4.0);
    match norms.iter().position(|&norm| !(norm * four).is_finite()) {
        None => Ok(norms),
        Some(row) => Err(bad_row(row, &data[row * d..(row + 1) * d])),
    }
}

fn bad_row<T: Real>(row: usize, values: &[T]) -> Error {
    if let Some(column) = values.iter().position(|v| !v.is_finite()) {
        return Error::NotFinite { row, column, value: values[column].f64() };
    }
    Error::Shape(format!(
        "the values of row {row} (counted from 0) are so large that their squares overflow {}: \
         scale the data down{}",
        T::NAME,
        if T::NAME == "f32" { " or use f64" } else { "" }
    ))
}

/// Σ v², in eight partial sums that the compiler can keep in vector registers.
fn squared_norm<T: Real>(row: &[T]) -> T {
    let mut sums = [T::ZERO; 8];
    let chunks = row.chunks_exact(8);
    let tail = chunks.remainder();
    for chunk in chunks {
        for (sum, &v) in sums.iter_mut().zip(chunk) {
            *sum += v * v;
        }
    }
    let head = sums.into_iter().fold(T::ZERO, |total, sum| total + sum);
    tail.iter().fold(head, |total, &v| total + v * v)
}
