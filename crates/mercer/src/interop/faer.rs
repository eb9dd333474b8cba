//! Matrices of `faer`. Their columns may be padded, so they are copied.

use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::points::Dense;
use crate::real::Real;

/// A copy of the rows.
impl<T: Real> TryFrom<faer::MatRef<'_, T>> for Dense<T> {
    type Error = Error;

    fn try_from(matrix: faer::MatRef<'_, T>) -> Result<Self> {
        let (n, d) = (matrix.nrows(), matrix.ncols());
        let data = (0..n * d).map(|at| matrix[(at / d, at % d)]).collect();
        Dense::from_vec(data, n, d)
    }
}

impl<T: Real> From<Mat<T>> for faer::Mat<T> {
    fn from(mat: Mat<T>) -> Self {
        faer::Mat::from_fn(mat.rows(), mat.cols(), |i, j| mat[(i, j)])
    }
}
