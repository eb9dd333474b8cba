//! Fills a symmetric matrix from the tiles of its lower triangle. A tile is placed, and turned over into its mirror
//! place, while it is in the cache: to mirror the whole matrix afterwards would read it from memory again.

use std::ops::Range;

use rayon::prelude::*;

use super::shared::Shared;
use super::view::MatMut;
use crate::error::Result;
use crate::real::Real;

/// Rows and columns of a tile: of eight-byte numbers, half a mebibyte.
const TILE: usize = 256;
/// Rows and columns that are turned over at a time: a cache line of eight-byte numbers.
const TURN: usize = 8;

/// Tiles that [`fill`] asks for.
pub fn tiles(n: usize) -> usize {
    let blocks = n.div_ceil(TILE);
    blocks * (blocks + 1) / 2
}

/// Fills `out`, which is square, with `tile(rows, cols, values)` for tiles of rows and columns on and below the diagonal.
pub fn fill<T: Real>(
    out: MatMut<'_, T>,
    tile: impl Fn(Range<usize>, Range<usize>, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    assert_eq!(out.rows, out.cols, "a symmetric matrix is square");
    let (n, stride) = (out.rows, out.stride);
    let blocks = n.div_ceil(TILE);
    let span = |block: usize| block * TILE..((block + 1) * TILE).min(n);
    let pairs: Vec<_> = (0..blocks).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    let target = Shared::new(out.data);
    pairs.par_iter().try_for_each_init(Vec::new, |scratch, &(i, j)| {
        let (rows, cols) = (span(i), span(j));
        scratch.resize(rows.len() * cols.len(), T::ZERO);
        tile(rows.clone(), cols.clone(), scratch)?;
        for (line, row) in scratch.chunks_exact(cols.len()).zip(rows.clone()) {
            // SAFETY: no other task writes tile (i, j).
            unsafe { place(&target, row * stride + cols.start, line) };
        }
        if i != j {
            turn_over(scratch, cols.len(), |row, col, line| {
                // SAFETY: no other task writes tile (j, i).
                unsafe { place(&target, (cols.start + col) * stride + rows.start + row, line) };
            });
        }
        Ok(())
    })
}

/// Copies `line` to the numbers from `at` on.
///
/// # Safety
/// That of [`Shared::part`].
#[inline(always)]
unsafe fn place<T: Real>(target: &Shared<'_, T>, at: usize, line: &[T]) {
    // SAFETY: as the caller promises; the part is as long as the line.
    unsafe {
        let part = target.part(at, line.len());
        std::ptr::copy_nonoverlapping(line.as_ptr(), part, line.len());
    }
}

/// Calls `write(row, col, line)` for short pieces of the columns of a tile: `line` holds rows `row..` of column `col`.
#[inline(always)]
fn turn_over<T: Real>(tile: &[T], cols: usize, mut write: impl FnMut(usize, usize, &[T])) {
    let rows = tile.len() / cols;
    let mut lines = [[T::ZERO; TURN]; TURN];
    for left in (0..cols).step_by(TURN) {
        let width = TURN.min(cols - left);
        for top in (0..rows).step_by(TURN) {
            let height = TURN.min(rows - top);
            for r in 0..height {
                let source = &tile[(top + r) * cols + left..][..width];
                source.iter().enumerate().for_each(|(c, &value)| lines[c][r] = value);
            }
            for (c, line) in lines[..width].iter().enumerate() {
                write(top, left + c, &line[..height]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::linalg::view::Mat;

    #[test]
    fn every_entry_lands_on_both_sides() {
        for n in [1, 7, 8, 255, 256, 257, 700] {
            let entry = |i: usize, j: usize| (i.max(j) * 1000 + i.min(j)) as f64;
            let mut out = Mat::zeros(n, n + 3);
            let view = MatMut::new(out.data_mut(), n, n, n + 3);
            fill(view, |rows, cols, values| {
                let width = cols.len();
                for (r, i) in rows.enumerate() {
                    cols.clone().enumerate().for_each(|(c, j)| values[r * width + c] = entry(i, j));
                }
                Ok(())
            })
            .unwrap();
            for i in 0..n {
                for j in 0..n + 3 {
                    assert_eq!(out[(i, j)], if j < n { entry(i, j) } else { 0.0 });
                }
            }
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let mut out = Mat::<f64>::zeros(600, 600);
        let result = fill(out.view_mut(), |_, _, _| Err(Error::Interrupted));
        assert!(matches!(result, Err(Error::Interrupted)));
    }
}
