//! A tile stored for products: strips of eight rows, in which the eight numbers of a column lie side by side.
//!
//! Both T·v and Tᵀ·w then read memory in order, a cache line at a time, and the second product finds the strip in the
//! first-level cache. Against row-major tiles no clear gain was measured yet, on a noisy machine; if a quiet one shows none,
//! row-major tiles (`skinny.rs`) are the simpler choice.

use super::simd::dispatch;
use super::skinny::{Lane, WIDTH, add};
use crate::real::Real;
use crate::real::vector::Vector;

/// Rows of a strip.
pub const STRIP: usize = 8;

/// Columns that are worked on before the next strip, so that their vectors stay in the first-level cache.
const COLUMNS: usize = 128;

/// Numbers that a rows × cols tile takes in strips, the last of which is whole.
pub const fn size(rows: usize, cols: usize) -> usize {
    rows.next_multiple_of(STRIP) * cols
}

/// Where entry (row, col) lies.
pub const fn place(row: usize, col: usize, cols: usize) -> usize {
    row / STRIP * STRIP * cols + col * STRIP + row % STRIP
}

/// Appends the strips of a row-major tile without gaps.
pub fn pack<T: Real>(tile: &[T], cols: usize, strips: &mut Vec<T>) {
    for rows in tile.chunks(STRIP * cols) {
        let height = rows.len() / cols;
        // Missing rows repeat the last; they are multiplied with zeros or dropped, and never looked at.
        let lines: [&[T]; STRIP] = std::array::from_fn(|r| {
            let r = r.min(height - 1);
            &rows[r * cols..(r + 1) * cols]
        });
        for c in 0..cols {
            let cell: [T; STRIP] = std::array::from_fn(|r| lines[r][c]);
            strips.extend_from_slice(&cell);
        }
    }
}

/// Copies strips into a row-major tile without gaps.
pub fn unpack<T: Real>(strips: &[T], rows: usize, cols: usize, tile: &mut Vec<T>) {
    tile.clear();
    for row in 0..rows {
        tile.extend((0..cols).map(|col| strips[place(row, col, cols)]));
    }
}

dispatch! {
    /// `out += tile · v` (rows × WIDTH) and, unless `w` is empty, `mirror += tileᵀ · w` (cols × WIDTH). `v` has a lane
    /// per column of the tile, `w` one per row. Sums of a tile are of type T, sums of tiles f64.
    pub fn multiply<T: Real>(
        strips: &[T], v: &[Lane<T>], w: &[Lane<T>], out: &mut [Lane<f64>], mirror: &mut [Lane<f64>],
    ) = body: avx512 [T, T::LaneWide, 8], avx2 [T, T::LaneMid, 2], base [T, T::LaneBase, 1];
}

/// G rows of a strip at a time, as many as there are registers for.
#[inline(always)]
fn body<T: Real, V: Vector<T>, const G: usize>(
    strips: &[T],
    v: &[Lane<T>],
    w: &[Lane<T>],
    out: &mut [Lane<f64>],
    mirror: &mut [Lane<f64>],
) {
    let (rows, cols) = (out.len(), v.len());
    assert_eq!(strips.len(), size(rows, cols));
    assert!(w.is_empty() || (w.len() == rows && mirror.len() == cols));
    let mut sums = [[T::ZERO; WIDTH]; COLUMNS];
    for left in (0..cols).step_by(COLUMNS) {
        let width = COLUMNS.min(cols - left);
        let lanes = &v[left..left + width];
        sums.fill([T::ZERO; WIDTH]);
        for (s, strip) in strips.chunks_exact(STRIP * cols).enumerate() {
            let cells = strip[left * STRIP..(left + width) * STRIP].as_chunks::<STRIP>().0;
            let own = s * STRIP..((s + 1) * STRIP).min(rows);
            // SAFETY: dispatch chose V for this processor.
            unsafe { forward::<T, V, G>(cells, lanes, &mut out[own.clone()]) };
            if !w.is_empty() {
                // SAFETY: as above.
                unsafe { backward::<T, V, G>(cells, &w[own], &mut sums[..width]) };
            }
        }
        if !w.is_empty() {
            for (lane, sum) in mirror[left..left + width].iter_mut().zip(&sums) {
                (0..WIDTH).for_each(|c| lane[c] += sum[c].f64());
            }
        }
    }
}

/// `out += strip · lanes`.
///
/// # Safety
/// That of [`Vector`].
#[inline(always)]
unsafe fn forward<T: Real, V: Vector<T>, const G: usize>(
    cells: &[[T; STRIP]],
    lanes: &[Lane<T>],
    out: &mut [Lane<f64>],
) {
    for from in (0..STRIP).step_by(G) {
        // SAFETY: as the caller promises.
        let sums = unsafe {
            let mut sums = [V::splat(T::ZERO); G];
            for (cell, lane) in cells.iter().zip(lanes) {
                let lane = V::load(lane.as_ptr());
                for g in 0..G {
                    sums[g] = V::splat(cell[from + g]).mul_add(lane, sums[g]);
                }
            }
            sums
        };
        for (lane, sum) in out.iter_mut().skip(from).zip(sums) {
            add(lane, sum);
        }
    }
}

/// `sums += stripᵀ · w`.
///
/// # Safety
/// That of [`Vector`].
#[inline(always)]
unsafe fn backward<T: Real, V: Vector<T>, const G: usize>(
    cells: &[[T; STRIP]],
    w: &[Lane<T>],
    sums: &mut [Lane<T>],
) {
    for from in (0..STRIP).step_by(G) {
        // SAFETY: as the caller promises.
        unsafe {
            let zero = V::splat(T::ZERO);
            let own: [V; G] = std::array::from_fn(|g| {
                w.get(from + g).map_or(zero, |lane| V::load(lane.as_ptr()))
            });
            for (cell, sum) in cells.iter().zip(&mut *sums) {
                // Two chains of additions instead of one: half the waiting.
                let mut even = V::load(sum.as_ptr());
                let mut odd = zero;
                for g in 0..G {
                    let x = V::splat(cell[from + g]);
                    if g % 2 == 0 {
                        even = x.mul_add(own[g], even);
                    } else {
                        odd = x.mul_add(own[g], odd);
                    }
                }
                even.add(odd).store(sum.as_mut_ptr());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::linalg::skinny;

    fn check<T: Real>(rows: usize, cols: usize) {
        let mut stream = Stream::new(7, "test");
        let tile: Vec<T> = (0..rows * cols).map(|_| T::of(stream.normal())).collect();
        let mut lanes = |n: usize| -> Vec<Lane<T>> {
            (0..n).map(|_| std::array::from_fn(|_| T::of(stream.normal()))).collect()
        };
        let (v, w) = (lanes(cols), lanes(rows));
        let mut strips = Vec::new();
        pack(&tile, cols, &mut strips);
        let mut back = Vec::new();
        unpack(&strips, rows, cols, &mut back);
        assert_eq!(back, tile);
        let (mut out, mut mirror) = (vec![[0.0; WIDTH]; rows], vec![[0.0; WIDTH]; cols]);
        multiply(&strips, &v, &w, &mut out, &mut mirror);
        let view = skinny::TileRef { data: &tile, rows, cols, stride: cols };
        let (mut want, mut want_mirror) = (vec![[0.0; WIDTH]; rows], vec![[0.0; WIDTH]; cols]);
        skinny::multiply(view, &v, &mut want);
        skinny::multiply_transposed(view, &w, &mut want_mirror);
        let close = |a: &[Lane<f64>], b: &[Lane<f64>]| {
            let pairs = a.as_flattened().iter().zip(b.as_flattened());
            pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) < 5000.0 * T::EPSILON
        };
        assert!(close(&out, &want) && close(&mirror, &want_mirror), "{rows} × {cols}");
    }

    #[test]
    fn strips_multiply_like_rows() {
        for (rows, cols) in [(1, 1), (7, 3), (8, 128), (9, 129), (200, 256), (256, 256)] {
            check::<f64>(rows, cols);
            check::<f32>(rows, cols);
        }
    }
}
