//! Products of a tile with a few vectors, the step that iterative solvers repeat. The tile is read once from memory and
//! used for both T·V and Tᵀ·W while it is in the cache.
//!
//! Vectors come as row-major blocks of `WIDTH` columns, so that a row of the block is one or two vector registers.

use super::simd::dispatch;
use crate::real::Real;
use crate::real::vector::Vector;

/// Columns of a block of vectors. 16 is two 512-bit registers of f64: enough to hide latencies, few enough to keep
/// eight rows of sums in registers.
pub const WIDTH: usize = 16;

/// One row of a block of vectors.
pub type Lane<T> = [T; WIDTH];

/// A tile of numbers, row-major with a stride.
#[derive(Clone, Copy, Debug)]
pub struct TileRef<'a, T> {
    /// The numbers; row i starts at `i·stride`.
    pub data: &'a [T],
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Distance between the starts of two rows.
    pub stride: usize,
}

impl<T> TileRef<'_, T> {
    fn check(&self) {
        assert!(self.cols <= self.stride || self.rows <= 1);
        assert!(self.rows == 0 || (self.rows - 1) * self.stride + self.cols <= self.data.len());
    }
}

dispatch! {
    /// `out += tile · v` (rows × WIDTH); `v` has a lane per column of the tile. Sums of a tile are of type T, sums of
    /// tiles f64.
    pub fn multiply<T: Real>(tile: TileRef<'_, T>, v: &[Lane<T>], out: &mut [Lane<f64>]) =
        multiply_body: avx512 [T, T::LaneWide, 8], avx2 [T, T::LaneMid, 3], base [T, T::LaneBase, 1];
}

dispatch! {
    /// `out += tileᵀ · v` (cols × WIDTH); `v` has a lane per row of the tile.
    pub fn multiply_transposed<T: Real>(tile: TileRef<'_, T>, v: &[Lane<T>], out: &mut [Lane<f64>]) =
        transposed_body: avx512 [T, T::LaneWide, 8], avx2 [T, T::LaneMid, 3], base [T, T::LaneBase, 1];
}

#[inline(always)]
fn multiply_body<T: Real, V: Vector<T>, const R: usize>(
    tile: TileRef<'_, T>,
    v: &[Lane<T>],
    out: &mut [Lane<f64>],
) {
    tile.check();
    assert!(v.len() == tile.cols && out.len() == tile.rows);
    for top in (0..tile.rows).step_by(R) {
        let height = R.min(tile.rows - top);
        // A short last group repeats its last row; the surplus sums are dropped.
        let lines: [&[T]; R] = std::array::from_fn(|r| {
            let start = (top + r.min(height - 1)) * tile.stride;
            &tile.data[start..start + tile.cols]
        });
        // SAFETY: dispatch chose V for this processor; every line has tile.cols = v.len() entries.
        let sums = unsafe {
            let mut sums = [V::splat(T::ZERO); R];
            for (j, lane) in v.iter().enumerate() {
                let lane = V::load(lane.as_ptr());
                for r in 0..R {
                    sums[r] = V::splat(*lines[r].get_unchecked(j)).mul_add(lane, sums[r]);
                }
            }
            sums
        };
        for r in 0..height {
            add(&mut out[top + r], sums[r]);
        }
    }
}

#[inline(always)]
fn transposed_body<T: Real, V: Vector<T>, const R: usize>(
    tile: TileRef<'_, T>,
    v: &[Lane<T>],
    out: &mut [Lane<f64>],
) {
    tile.check();
    assert!(v.len() == tile.rows && out.len() == tile.cols);
    let whole = tile.cols / R * R;
    for left in (0..whole).step_by(R) {
        columns::<T, V, R>(tile, left, v, out);
    }
    for left in whole..tile.cols {
        columns::<T, V, 1>(tile, left, v, out);
    }
}

/// R columns of the tile, from `left` on, times `v`.
#[inline(always)]
fn columns<T: Real, V: Vector<T>, const R: usize>(
    tile: TileRef<'_, T>,
    left: usize,
    v: &[Lane<T>],
    out: &mut [Lane<f64>],
) {
    // SAFETY: dispatch chose V for this processor; left + R ≤ tile.cols, and the last row lies within the data.
    let sums = unsafe {
        let mut sums = [V::splat(T::ZERO); R];
        for (i, lane) in v.iter().enumerate() {
            let lane = V::load(lane.as_ptr());
            let line = tile.data.as_ptr().add(i * tile.stride + left);
            for r in 0..R {
                sums[r] = V::splat(*line.add(r)).mul_add(lane, sums[r]);
            }
        }
        sums
    };
    for r in 0..R {
        add(&mut out[left + r], sums[r]);
    }
}

/// Adds a lane of sums to a lane of f64.
#[inline(always)]
pub(super) fn add<T: Real, V: Vector<T>>(out: &mut Lane<f64>, sums: V) {
    let mut lane = [T::ZERO; WIDTH];
    // SAFETY: dispatch chose V for this processor, and a lane vector holds WIDTH numbers.
    unsafe { sums.store(lane.as_mut_ptr()) };
    for c in 0..WIDTH {
        out[c] += lane[c].f64();
    }
}
