//! Fills a symmetric matrix from the tiles of its lower triangle. A tile is placed, and turned over into its mirror
//! place, while it is in the cache: to mirror the whole matrix afterwards would read it from memory again.

use std::ops::Range;

use rayon::prelude::*;

use super::shared::Shared;
use super::view::MatMut;
use crate::error::Result;
use crate::real::Real;
use crate::real::vector::prefetch;

/// Rows and columns of a tile: of eight-byte numbers, 128 KiB, so that a tile and its two places share the
/// second-level cache.
const TILE: usize = 128;
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
        // The places to write are fetched while the tile is computed.
        ask_for(&target, stride, &rows, &cols);
        ask_for(&target, stride, &cols, &rows);
        tile(rows.clone(), cols.clone(), scratch)?;
        for (line, row) in scratch.chunks_exact(cols.len()).zip(rows.clone()) {
            // SAFETY: pairs are distinct, so no other task writes tile (i, j), nor does one that is turned over: those lie above
            // the diagonal.
            unsafe { place(&target, row * stride + cols.start, line) };
        }
        if i != j {
            turn_over(scratch, cols.len(), |row, col, line| {
                // SAFETY: only the task of (i, j) writes tile (j, i), which lies above the diagonal.
                unsafe { place(&target, (cols.start + col) * stride + rows.start + row, line) };
            });
        }
        Ok(())
    })
}

/// Prefetches a tile of the matrix.
fn ask_for<T: Real>(
    target: &Shared<'_, T>,
    stride: usize,
    rows: &Range<usize>,
    cols: &Range<usize>,
) {
    for row in rows.clone() {
        for col in cols.clone().step_by(64 / size_of::<T>()) {
            // SAFETY: nothing is read or written.
            prefetch(unsafe { target.part(row * stride + col, 0) });
        }
    }
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
fn turn_over<T: Real>(tile: &[T], cols: usize, write: impl Fn(usize, usize, &[T])) {
    let rows = tile.len() / cols;
    for top in (0..rows).step_by(TURN) {
        let height = TURN.min(rows - top);
        let whole = if height == TURN { cols / TURN * TURN } else { 0 };
        for left in (0..whole).step_by(TURN) {
            let square: [&[T; TURN]; TURN] = std::array::from_fn(|r| {
                let line = &tile[(top + r) * cols + left..][..TURN];
                line.try_into().expect("TURN numbers")
            });
            for c in 0..TURN {
                let line: [T; TURN] = std::array::from_fn(|r| square[r][c]);
                write(top, left + c, &line);
            }
        }
        for col in whole..cols {
            let line: [T; TURN] =
                std::array::from_fn(|r| tile[(top + r.min(height - 1)) * cols + col]);
            write(top, col, &line[..height]);
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
