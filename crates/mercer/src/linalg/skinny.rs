//! Products of a tile with a few vectors, the step that iterative solvers repeat. The tile is read once from memory and
//! used for both T·V and Tᵀ·W while it is in the cache.
//!
//! Vectors come as row-major blocks of `WIDTH` columns, so that a row of the block is one or two vector registers.

use super::simd::dispatch;
use super::view::fits;
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
        assert!(fits(self.rows, self.cols, self.stride, self.data.len()));
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

dispatch! {
    /// `out += tile · v` for a single vector, with a number per column of the tile. Sums of a tile are of type T, sums of
    /// tiles f64.
    pub fn multiply_one<T: Real>(tile: TileRef<'_, T>, v: &[T], out: &mut [f64]) =
        one_body: avx512 [T, T::LaneWide, 4], avx2 [T, T::LaneMid, 2], base [T, T::LaneBase, 1];
}

/// Dot products of rows with `v`, R partial sums of WIDTH numbers side by side.
#[inline(always)]
fn one_body<T: Real, V: Vector<T>, const R: usize>(tile: TileRef<'_, T>, v: &[T], out: &mut [f64]) {
    tile.check();
    assert!(v.len() == tile.cols && out.len() == tile.rows);
    let step = R * WIDTH;
    let whole = tile.cols / step * step;
    for (i, out) in out.iter_mut().enumerate() {
        let line = &tile.data[i * tile.stride..i * tile.stride + tile.cols];
        let mut lane = [T::ZERO; WIDTH];
        // SAFETY: dispatch chose V for this processor; every load ends within the first `whole` numbers of both slices.
        unsafe {
            let mut sums = [V::splat(T::ZERO); R];
            for from in (0..whole).step_by(step) {
                for (r, sum) in sums.iter_mut().enumerate() {
                    let (a, b) =
                        (line.as_ptr().add(from + r * WIDTH), v.as_ptr().add(from + r * WIDTH));
                    *sum = V::load(a).mul_add(V::load(b), *sum);
                }
            }
            let mut total = sums[0];
            for sum in &sums[1..] {
                total = total.add(*sum);
            }
            total.store(lane.as_mut_ptr());
        }
        let head = lane.into_iter().fold(T::ZERO, |sum, x| sum + x);
        let tail = line[whole..].iter().zip(&v[whole..]);
        *out += tail.fold(head, |sum, (&a, &b)| sum + a * b).to_f64();
    }
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
        out[c] += lane[c].to_f64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    #[test]
    fn one_vector_is_multiplied_like_sixteen() {
        fn check<T: Real>(rows: usize, cols: usize, stride: usize) {
            let mut stream = Stream::new(2, "test");
            let data: Vec<T> = (0..rows * stride).map(|_| T::from_f64(stream.normal())).collect();
            let v: Vec<T> = (0..cols).map(|_| T::from_f64(stream.normal())).collect();
            let tile = TileRef { data: &data, rows, cols, stride };
            let lanes: Vec<Lane<T>> = v
                .iter()
                .map(|&x| std::array::from_fn(|c| if c == 0 { x } else { T::ZERO }))
                .collect();
            let (mut one, mut many) = (vec![0.5; rows], vec![[0.5; WIDTH]; rows]);
            multiply_one(tile, &v, &mut one);
            multiply(tile, &lanes, &mut many);
            for (one, many) in one.iter().zip(&many) {
                assert!(
                    (one - many[0]).abs() < 300.0 * T::EPSILON * cols as f64,
                    "{rows} × {cols}"
                );
            }
        }
        for (rows, cols, stride) in
            [(1, 1, 1), (3, 15, 17), (5, 64, 64), (256, 384, 384), (2, 100, 101)]
        {
            check::<f64>(rows, cols, stride);
            check::<f32>(rows, cols, stride);
        }
    }
}
