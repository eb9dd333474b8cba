//! Sparse rows in the format of scipy.

use mercer::points::{Csr, Place, Samples as Points};
use mercer::real::Real;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::read_by_number_type;

/// Indices in either width that scipy uses.
pub enum Indices<'py> {
    /// Of 32 bits.
    I32(PyReadonlyArray1<'py, i32>),
    /// Of 64 bits.
    I64(PyReadonlyArray1<'py, i64>),
}

read_by_number_type!(Indices, PyArray1, try_readonly: I32(i32), I64(i64));

/// Numbers in either type.
pub enum Values<'py> {
    /// Single precision.
    F32(PyReadonlyArray1<'py, f32>),
    /// Double precision.
    F64(PyReadonlyArray1<'py, f64>),
}

read_by_number_type!(Values, PyArray1, try_readonly: F32(f32), F64(f64));

/// Samples from where each row starts, the columns of its numbers, and the numbers.
pub fn csr<T: Real>(
    py: Python<'_>,
    shape: (usize, usize),
    starts: &Indices<'_>,
    at: &Indices<'_>,
    values: &Values<'_>,
) -> PyResult<mercer::Result<Points<T>>> {
    let values = match values {
        Values::F32(values) => numbers(values.as_slice()?),
        Values::F64(values) => numbers(values.as_slice()?),
    };
    Ok(match (starts, at) {
        (Indices::I32(starts), Indices::I32(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
        (Indices::I64(starts), Indices::I64(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
        (Indices::I64(starts), Indices::I32(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
        (Indices::I32(starts), Indices::I64(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
    })
}

fn numbers<T: Real>(values: &[impl Real]) -> Vec<T> {
    values.iter().map(|value| T::from_f64(value.to_f64())).collect()
}

fn rows<T: Real>(
    py: Python<'_>,
    (n, d): (usize, usize),
    starts: &[impl Place + Sync],
    at: &[impl Place + Sync],
    values: &[T],
) -> mercer::Result<Points<T>> {
    py.detach(|| Csr::new(n, d, starts, at, values).map(Points::from))
}
