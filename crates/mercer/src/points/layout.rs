//! Numbers at regular places of a slice.

use crate::error::{Error, Result};
use crate::real::Real;

/// Where the number of row i, column j lies in a slice.
pub(super) struct Layout {
    pub offset: usize,
    pub row_stride: isize,
    pub col_stride: isize,
}

impl Layout {
    /// The corners bound every place between them, so they alone are checked, in numbers too wide
    /// to overflow.
    pub fn check(&self, len: usize, n: usize, d: usize) -> Result<()> {
        let reach = |count: usize, stride: isize| (count - 1) as i128 * stride as i128;
        let (down, across) = (reach(n, self.row_stride), reach(d, self.col_stride));
        let first = self.offset as i128 + down.min(0) + across.min(0);
        let last = self.offset as i128 + down.max(0) + across.max(0);
        if first < 0 || last >= len as i128 {
            return Err(Error::Shape(format!(
                "shape ({n}, {d}) with offset {}, row stride {} and column stride {} reaches from {first} to \
                 {last}, outside the {len} values given",
                self.offset, self.row_stride, self.col_stride
            )));
        }
        Ok(())
    }

    fn at(&self, i: usize, j: usize) -> usize {
        (self.offset as isize + i as isize * self.row_stride + j as isize * self.col_stride)
            as usize
    }

    /// Appends the numbers row by row to `rows`. Requires `check`.
    pub fn gather<T: Real>(&self, data: &[T], n: usize, d: usize, rows: &mut Vec<T>) {
        if self.col_stride == 1 {
            for i in 0..n {
                rows.extend_from_slice(&data[self.at(i, 0)..][..d]);
            }
            return;
        }
        // Square blocks keep both sides of a transposition in cache.
        const BLOCK: usize = 32;
        rows.resize(n * d, T::ZERO);
        for top in (0..n).step_by(BLOCK) {
            for left in (0..d).step_by(BLOCK) {
                for i in top..n.min(top + BLOCK) {
                    for j in left..d.min(left + BLOCK) {
                        rows[i * d + j] = data[self.at(i, j)];
                    }
                }
            }
        }
    }
}
