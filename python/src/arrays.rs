//! numpy arrays as the library's matrices, and the other way round.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use mercer::real::Real;
use mercer::{AnyMat, Mat, MatMut, MatRef};
use numpy::ndarray::ArrayView2;
use numpy::{
    Element, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2,
    PyUntypedArrayMethods, ToPyArray,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Reads an array as the variant that has its number type.
///
/// The derived way writes an error for each variant that does not fit. numpy prints number types by Python code, where
/// an interrupt can arrive, and pyo3 drops what is raised while it prints.
macro_rules! read_by_number_type {
    ($name:ident, $array:ident, $borrow:ident: $($variant:ident($number:ty)),+) => {
        impl<'py> FromPyObject<'_, 'py> for $name<'py> {
            type Error = PyErr;

            fn extract(given: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                $(if let Ok(array) = given.cast::<numpy::$array<$number>>() {
                    return Ok(Self::$variant(numpy::PyArrayMethods::$borrow(&*array)?));
                })+
                Err($crate::arrays::other_number_type())
            }
        }
    };
}
pub(crate) use read_by_number_type;

/// The error for an array of other numbers or dimensions.
pub fn other_number_type() -> PyErr {
    PyTypeError::new_err("the array has an unexpected number type or number of dimensions")
}

/// A matrix in either number type, in C or Fortran order.
pub enum Matrix<'py> {
    /// Single precision.
    F32(PyReadonlyArray2<'py, f32>),
    /// Double precision.
    F64(PyReadonlyArray2<'py, f64>),
}

read_by_number_type!(Matrix, PyArray2, try_readonly: F32(f32), F64(f64));

/// An array for results in either number type, in C order.
pub enum OutputArray<'py> {
    /// Single precision.
    F32(PyReadwriteArray2<'py, f32>),
    /// Double precision.
    F64(PyReadwriteArray2<'py, f64>),
}

read_by_number_type!(OutputArray, PyArray2, try_readwrite: F32(f32), F64(f64));

impl Matrix<'_> {
    /// The numbers, read in place.
    pub fn view(&self) -> PyResult<AnyMat<'_>> {
        Ok(match self {
            Matrix::F32(array) => view(array)?.into(),
            Matrix::F64(array) => view(array)?.into(),
        })
    }
}

/// Runs the same lines with `$out` bound to the place for results, in whichever number type.
macro_rules! with_output {
    ($array:expr, $out:ident => $body:expr) => {
        match $array {
            $crate::arrays::OutputArray::F32(mut array) => {
                let $out = $crate::arrays::output(&mut array)?;
                $body
            }
            $crate::arrays::OutputArray::F64(mut array) => {
                let $out = $crate::arrays::output(&mut array)?;
                $body
            }
        }
    };
}
pub(crate) use with_output;

/// The array read in place.
pub fn view<'a, T: Real + Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<MatRef<'a, T>> {
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    let data = array.as_slice().map_err(|_| in_order())?;
    let (down, across) =
        if array.is_c_contiguous() { (cols as isize, 1) } else { (1, rows as isize) };
    MatRef::strided(data, 0, rows, cols, down, across).ok_or_else(in_order)
}

/// The array written in place.
pub fn output<'a, T: Real + Element>(
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

/// Counts and rows in the number type that scikit-learn returns.
pub fn to_i32<'py>(py: Python<'py>, numbers: &[usize]) -> Bound<'py, PyArray1<i32>> {
    let numbers: Vec<i32> = numbers.iter().map(|&v| i32::try_from(v).unwrap_or(i32::MAX)).collect();
    numbers.to_pyarray(py)
}

/// Indices of rows, classes or clusters. A negative one becomes an index out of range, which the library refuses.
pub fn rows(array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
    Ok(array.as_slice()?.iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect())
}

/// A read-only array that borrows `data` (rows × cols), and keeps `owner` alive.
///
/// # Safety
/// `data` must belong to `owner`, stay where it is and unchanged as long as `owner` lives.
pub unsafe fn borrowed_array<'py, T: Real + Element>(
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
