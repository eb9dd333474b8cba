//! Matrices and views of them. Owned matrices are row-major: rows are samples, everywhere.

use super::alloc;
use crate::error::Result;
use crate::real::Real;

/// An owned row-major matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Mat<T = f64> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Real> Mat<T> {
    /// A rows × cols matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let size = rows.checked_mul(cols).expect("the size of a matrix fits in memory");
        Self { data: vec![T::ZERO; size], rows, cols }
    }

    /// The same, or an error where the operating system refuses the memory.
    #[doc(hidden)]
    pub fn try_zeros(rows: usize, cols: usize) -> Result<Self> {
        let data = alloc::zeros(rows.saturating_mul(cols))?;
        Ok(Self { data, rows, cols })
    }

    /// A matrix from its rows, one after another.
    pub fn from_vec(data: Vec<T>, rows: usize, cols: usize) -> Self {
        assert_eq!(Some(data.len()), rows.checked_mul(cols));
        Self { data, rows, cols }
    }

    /// A matrix from a formula of row and column.
    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> T) -> Self {
        let data = (0..rows * cols).map(|at| f(at / cols, at % cols)).collect();
        Self { data, rows, cols }
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All numbers, row after row.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// All numbers, row after row.
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// All numbers, row after row.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// A view of the whole.
    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::new(&self.data, self.rows, self.cols, self.cols)
    }

    /// A mutable view of the whole.
    pub fn view_mut(&mut self) -> MatMut<'_, T> {
        MatMut::new(&mut self.data, self.rows, self.cols, self.cols)
    }

    /// The first `count` columns.
    #[doc(hidden)]
    pub fn first_columns(&self, count: usize) -> Self {
        Self::from_fn(self.rows, count, |i, j| self[(i, j)])
    }
}

impl<T> std::ops::Index<(usize, usize)> for Mat<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        debug_assert!(j < self.cols);
        &self.data[i * self.cols + j]
    }
}

impl<T> std::ops::IndexMut<(usize, usize)> for Mat<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        debug_assert!(j < self.cols);
        &mut self.data[i * self.cols + j]
    }
}

/// Whether rows of `cols` numbers that start `stride` apart lie within `len` numbers, without touching each other.
pub(super) fn fits(rows: usize, cols: usize, stride: usize, len: usize) -> bool {
    let Some(last) = rows.checked_sub(1) else {
        return true;
    };
    let end = last.checked_mul(stride).and_then(|start| start.checked_add(cols));
    (cols <= stride || last == 0) && end.is_some_and(|end| end <= len)
}

/// A view of a matrix with any strides, also negative: entry (i, j) is `data[offset + i·row_stride + j·col_stride]`.
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a, T> {
    data: &'a [T],
    offset: usize,
    rows: usize,
    cols: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<'a, T: Real> MatRef<'a, T> {
    /// A row-major view whose rows start `stride` apart.
    pub fn new(data: &'a [T], rows: usize, cols: usize, stride: usize) -> Self {
        assert!(fits(rows, cols, stride, data.len()));
        Self { data, offset: 0, rows, cols, row_stride: stride as isize, col_stride: 1 }
    }

    /// A view with any strides, or `None` where an entry would lie outside of `data`.
    #[doc(hidden)]
    pub fn strided(
        data: &'a [T],
        offset: usize,
        rows: usize,
        cols: usize,
        row_stride: isize,
        col_stride: isize,
    ) -> Option<Self> {
        let reach = |count: usize, stride: isize| -> Option<(isize, isize)> {
            let last = isize::try_from(count.saturating_sub(1)).ok()?.checked_mul(stride)?;
            Some((last.min(0), last.max(0)))
        };
        let (low_rows, high_rows) = reach(rows, row_stride)?;
        let (low_cols, high_cols) = reach(cols, col_stride)?;
        let start = isize::try_from(offset).ok()?;
        let low = start.checked_add(low_rows)?.checked_add(low_cols)?;
        let high = start.checked_add(high_rows)?.checked_add(high_cols)?;
        let inside = low >= 0 && (high as usize) < data.len();
        let empty = rows == 0 || cols == 0;
        // An empty view begins at the start of the data: its first entry, which is never read, still has an address.
        let offset = if empty { 0 } else { offset };
        (inside || empty).then_some(Self { data, offset, rows, cols, row_stride, col_stride })
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Entry (i, j).
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> T {
        debug_assert!(i < self.rows && j < self.cols);
        let step = i as isize * self.row_stride + j as isize * self.col_stride;
        self.data[self.offset.wrapping_add_signed(step)]
    }

    /// Row `i` as a slice, where its numbers lie side by side.
    #[doc(hidden)]
    #[inline(always)]
    pub fn contiguous_row(&self, i: usize) -> Option<&'a [T]> {
        if self.col_stride != 1 && self.cols > 1 {
            return None;
        }
        let start = self.offset.wrapping_add_signed(i as isize * self.row_stride);
        Some(&self.data[start..start + self.cols])
    }

    /// The transposed view.
    pub fn transposed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// `count` rows from `start` on.
    #[doc(hidden)]
    pub fn row_range(self, start: usize, count: usize) -> Self {
        assert!(count <= self.rows && start <= self.rows - count);
        let offset = self.offset.wrapping_add_signed(start as isize * self.row_stride);
        let empty = count == 0 || self.cols == 0;
        Self { offset: if empty { 0 } else { offset }, rows: count, ..self }
    }

    /// `count` columns from `start` on.
    #[doc(hidden)]
    pub fn col_range(self, start: usize, count: usize) -> Self {
        self.transposed().row_range(start, count).transposed()
    }

    /// All numbers that the view lies in.
    pub(crate) fn data(&self) -> &'a [T] {
        self.data
    }

    /// The same view of as many other numbers.
    pub(crate) fn with_data<U>(self, data: &'a [U]) -> MatRef<'a, U> {
        assert_eq!(data.len(), self.data.len());
        let Self { offset, rows, cols, row_stride, col_stride, .. } = self;
        MatRef { data, offset, rows, cols, row_stride, col_stride }
    }

    /// The numbers from the first entry on, with strides, for a library that takes raw parts.
    pub(super) fn raw(&self) -> (&'a [T], usize, isize, isize) {
        (self.data, self.offset, self.row_stride, self.col_stride)
    }
}

/// A mutable row-major view.
#[derive(Debug)]
pub struct MatMut<'a, T> {
    /// The numbers; row i starts at `i · stride`.
    pub data: &'a mut [T],
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Distance between the starts of two rows.
    pub stride: usize,
}

impl<'a, T: Real> MatMut<'a, T> {
    /// A row-major view whose rows start `stride` apart.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize, stride: usize) -> Self {
        let view = Self { data, rows, cols, stride };
        view.check();
        view
    }

    /// Asserts that every entry lies within the data. The fields are public, so whoever hands the view to unsafe code
    /// asks again.
    pub(super) fn check(&self) {
        assert!(fits(self.rows, self.cols, self.stride, self.data.len()));
    }

    /// The same view for a shorter time.
    #[doc(hidden)]
    pub fn reborrow(&mut self) -> MatMut<'_, T> {
        MatMut { data: &mut *self.data, rows: self.rows, cols: self.cols, stride: self.stride }
    }

    /// Row `i`.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.stride..i * self.stride + self.cols]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_or_do_not() {
        assert!(fits(0, 5, 9, 0) && fits(1, 5, 0, 5) && fits(3, 2, 4, 10) && fits(3, 0, 0, 0));
        assert!(!fits(1, 5, 5, 4) && !fits(3, 2, 4, 9) && !fits(2, 3, 2, 100));
        // Products that overflow are no small numbers.
        assert!(!fits(3, 1, usize::MAX / 2 + 1, 10) && !fits(2, usize::MAX, usize::MAX, 10));
    }

    #[test]
    fn an_empty_view_begins_at_the_start() {
        let view = MatRef::<f64>::strided(&[], 7, 0, 5, 5, 1).unwrap();
        assert_eq!(view.raw().1, 0);
        assert_eq!(view.col_range(2, 3).raw().1, 0);
        let data = [1.0; 6];
        assert_eq!(MatRef::new(&data, 2, 3, 3).col_range(3, 0).raw().1, 0);
    }

    #[test]
    #[should_panic]
    fn a_range_beyond_the_end_is_refused_even_if_its_end_overflows() {
        MatRef::new(&[1.0; 6], 2, 3, 3).row_range(usize::MAX, 1);
    }
}
