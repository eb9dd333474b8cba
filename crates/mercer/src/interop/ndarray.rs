//! Arrays of two axes of `ndarray`.

use ndarray::{Array2, ArrayView2};

use crate::error::{Error, Result};
use crate::linalg::view::{Mat, MatRef};
use crate::points::Dense;
use crate::real::Real;

/// A view of an array whose numbers lie in one piece, in whatever order of the axes.
impl<'a, T: Real> TryFrom<ArrayView2<'a, T>> for MatRef<'a, T> {
    type Error = Error;

    fn try_from(array: ArrayView2<'a, T>) -> Result<Self> {
        let apart = || {
            let message = "the array does not lie in one piece: copy it with as_standard_layout()";
            Error::Shape(message.into())
        };
        let (rows, cols) = array.dim();
        let strides = (array.strides()[0], array.strides()[1]);
        let data = array.to_slice_memory_order().ok_or_else(apart)?;
        // The numbers in the order of memory begin at the entry of the smallest address.
        let back = |count: usize, stride: isize| match stride < 0 {
            true => (count.saturating_sub(1) as isize * -stride) as usize,
            false => 0,
        };
        let offset = back(rows, strides.0) + back(cols, strides.1);
        MatRef::strided(data, offset, rows, cols, strides.0, strides.1).ok_or_else(apart)
    }
}

/// A copy of the rows, whatever their layout.
impl<T: Real> TryFrom<ArrayView2<'_, T>> for Dense<T> {
    type Error = Error;

    fn try_from(array: ArrayView2<'_, T>) -> Result<Self> {
        let (n, d) = array.dim();
        Dense::from_vec(array.iter().copied().collect(), n, d)
    }
}

/// The numbers of an array in standard layout are taken over; any other is copied.
impl<T: Real> TryFrom<Array2<T>> for Dense<T> {
    type Error = Error;

    fn try_from(array: Array2<T>) -> Result<Self> {
        let (n, d) = array.dim();
        if !array.is_standard_layout() {
            return array.view().try_into();
        }
        match array.into_raw_vec_and_offset() {
            (data, None | Some(0)) if data.len() == n * d => Dense::from_vec(data, n, d),
            (data, offset) => Dense::from_rows(&data[offset.unwrap_or(0)..][..n * d], n, d),
        }
    }
}

impl<T: Real> From<Mat<T>> for Array2<T> {
    fn from(mat: Mat<T>) -> Self {
        let shape = (mat.rows(), mat.cols());
        Array2::from_shape_vec(shape, mat.into_vec())
            .expect("a matrix has as many numbers as its shape says")
    }
}
