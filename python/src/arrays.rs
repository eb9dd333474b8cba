//! numpy arrays as the library's matrices, and the other way round.

#![allow(unsafe_code)] // numbers of a model are shown to numpy where they lie

use mercer::linalg::view::{Mat, MatMut, MatRef};
use mercer::real::Real;
use mercer::{Dense, Error};
use numpy::ndarray::ArrayView2;
use numpy::{
    Element, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2,
    PyUntypedArrayMethods, ToPyArray,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A matrix in either number type, in C or Fortran order.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    /// Single precision.
    F32(PyReadonlyArray2<'py, f32>),
    /// Double precision.
    F64(PyReadonlyArray2<'py, f64>),
}

/// Room for results in either number type, in C order.
#[derive(FromPyObject)]
pub enum Room<'py> {
    /// Single precision.
    F32(PyReadwriteArray2<'py, f32>),
    /// Double precision.
    F64(PyReadwriteArray2<'py, f64>),
}

/// Runs the same lines with `$x` bound to the array of whichever type `$matrix` has.
macro_rules! with_matrix {
    ($matrix:expr, $x:ident => $body:expr) => {
        match $matrix {
            $crate::arrays::Matrix::F32($x) => $body,
            $crate::arrays::Matrix::F64($x) => $body,
        }
    };
}
pub(crate) use with_matrix;

/// The array read in place.
pub fn view<'a, T: Real + Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<MatRef<'a, T>> {
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    let data = array.as_slice().map_err(|_| in_order())?;
    let (down, across) =
        if array.is_c_contiguous() { (cols as isize, 1) } else { (1, rows as isize) };
    MatRef::strided(data, 0, rows, cols, down, across).ok_or_else(in_order)
}

/// A copy of the array as samples of type `T`: one pass, whatever the order and type of the array.
pub fn dense<T: Real>(x: MatRef<'_, impl Real>) -> mercer::Result<Dense<T>> {
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
            Error::Shape(format!(
                "the value {:e} at row {row}, column {column} (both counted from 0) is beyond the range of {}: use \
                 double precision or scale the column down",
                x.at(row, column).to_f64(),
                T::NAME
            ))
        }
        other => other,
    })
}

/// The array written in place.
pub fn room<'a, T: Real + Element>(
    array: &'a mut PyReadwriteArray2<'_, T>,
) -> PyResult<MatMut<'a, T>> {
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    if !array.is_c_contiguous() {
        return Err(in_order());
    }
    let data = array.as_slice_mut().map_err(|_| in_order())?;
    Ok(MatMut::new(data, rows, cols, cols))
}

fn in_order() -> PyErr {
    PyValueError::new_err("the array must be aligned and in C or Fortran order")
}

/// A copy of a matrix.
pub fn copied<'py>(py: Python<'py>, matrix: &Mat<f64>) -> Bound<'py, PyArray2<f64>> {
    shaped(matrix.data(), matrix.rows(), matrix.cols()).to_pyarray(py)
}

/// Counts and rows in the number type that scikit-learn gives them in.
pub fn whole<'py>(py: Python<'py>, numbers: &[usize]) -> Bound<'py, PyArray1<i32>> {
    let numbers: Vec<i32> = numbers.iter().map(|&v| i32::try_from(v).unwrap_or(i32::MAX)).collect();
    numbers.to_pyarray(py)
}

/// Rows, or places of classes or clusters. A negative one becomes one that nothing has, which the library refuses.
pub fn rows(array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
    Ok(array.as_slice()?.iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect())
}

/// An array that shows `data` (rows × cols) where it lies, and keeps `owner` alive.
///
/// # Safety
/// `data` must belong to `owner`, stay where it is and unchanged as long as `owner` lives.
pub unsafe fn shown<'py, T: Real + Element>(
    data: &[T],
    rows: usize,
    cols: usize,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let view = shaped(data, rows, cols);
    // SAFETY: the caller promises that the owner keeps the numbers in place.
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    array.getattr("flags")?.setattr("writeable", false)?;
    Ok(array.into_any())
}

fn shaped<T>(data: &[T], rows: usize, cols: usize) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((rows, cols), data).expect("the numbers of a matrix fill its shape")
}
