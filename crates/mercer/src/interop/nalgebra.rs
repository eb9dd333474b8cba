//! Matrices of `nalgebra`, which lie column by column.

use nalgebra::{DMatrix, Scalar};

use crate::error::{Error, Result};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{AnyMat, Dense};
use crate::real::Real;

impl<'a, T: Real + Scalar> From<&'a DMatrix<T>> for MatRef<'a, T> {
    fn from(matrix: &'a DMatrix<T>) -> Self {
        let (rows, cols) = matrix.shape();
        MatRef::strided(matrix.as_slice(), 0, rows, cols, 1, rows as isize)
            .expect("a matrix lies within its numbers")
    }
}

impl<'a, T: Real + Scalar> From<&'a DMatrix<T>> for AnyMat<'a> {
    fn from(matrix: &'a DMatrix<T>) -> Self {
        MatRef::from(matrix).into()
    }
}

/// A copy of the rows.
impl<T: Real + Scalar> TryFrom<&DMatrix<T>> for Dense<T> {
    type Error = Error;

    fn try_from(matrix: &DMatrix<T>) -> Result<Self> {
        Dense::from_view(MatRef::from(matrix))
    }
}

impl<T: Real + Scalar> From<Mat<T>> for DMatrix<T> {
    fn from(mat: Mat<T>) -> Self {
        DMatrix::from_row_slice(mat.rows(), mat.cols(), mat.data())
    }
}
