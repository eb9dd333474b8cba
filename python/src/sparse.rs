//! Sparse rows as scipy has them.

use mercer::points::{Csr, Place, Samples as Points};
use mercer::real::Real;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Whole numbers in either width that scipy has.
#[derive(FromPyObject)]
pub enum Whole<'py> {
    /// Of 32 bits.
    I32(PyReadonlyArray1<'py, i32>),
    /// Of 64 bits.
    I64(PyReadonlyArray1<'py, i64>),
}

/// Numbers in either type.
#[derive(FromPyObject)]
pub enum Values<'py> {
    /// Single precision.
    F32(PyReadonlyArray1<'py, f32>),
    /// Double precision.
    F64(PyReadonlyArray1<'py, f64>),
}

/// Samples from where each row starts, the columns of its numbers, and the numbers.
pub fn csr<T: Real>(
    py: Python<'_>,
    shape: (usize, usize),
    starts: &Whole<'_>,
    at: &Whole<'_>,
    values: &Values<'_>,
) -> PyResult<mercer::Result<Points<T>>> {
    let values = match values {
        Values::F32(values) => numbers(values.as_slice()?),
        Values::F64(values) => numbers(values.as_slice()?),
    };
    Ok(match (starts, at) {
        (Whole::I32(starts), Whole::I32(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
        (Whole::I64(starts), Whole::I64(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
        (Whole::I64(starts), Whole::I32(at)) => {
            rows(py, shape, starts.as_slice()?, at.as_slice()?, &values)
        }
        (Whole::I32(starts), Whole::I64(at)) => {
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
