//! A tile stored for products: strips of eight rows by 64 columns, in which the eight numbers of a column lie side by
//! side.
//!
//! Both T·v and Tᵀ·w are had from one reading of each number, in the order in which it lies in memory, while the vectors
//! of the 64 columns stay in the first-level cache.

use super::simd::dispatch;
use super::skinny::{Lane, WIDTH, add};
use crate::real::Real;
use crate::real::vector::{Vector, prefetch};

/// Rows of a strip.
pub const STRIP: usize = 8;

/// Columns that are worked on before the next strip, so that their vectors stay in the first-level cache.
const COLUMNS: usize = 64;

/// Numbers ahead of those in use that are asked for: the processor's own prefetching ends at each page of memory.
const AHEAD: usize = 512;

/// Numbers that a rows × cols tile takes in strips, the last of which is whole.
pub const fn size(rows: usize, cols: usize) -> usize {
    rows.next_multiple_of(STRIP) * cols
}

/// Where entry (row, col) of a rows × cols tile lies.
pub const fn place(row: usize, col: usize, rows: usize, cols: usize) -> usize {
    let left = col / COLUMNS * COLUMNS;
    let width = if cols - left < COLUMNS { cols - left } else { COLUMNS };
    let strip = rows.next_multiple_of(STRIP) * left + row / STRIP * STRIP * width;
    strip + (col - left) * STRIP + row % STRIP
}

/// Appends the strips of a row-major tile without gaps, in a type of their own.
pub fn pack<U: Real, T: Real>(tile: &[U], cols: usize, strips: &mut Vec<T>) {
    for left in (0..cols).step_by(COLUMNS) {
        let width = COLUMNS.min(cols - left);
        for rows in tile.chunks(STRIP * cols) {
            let height = rows.len() / cols;
            // Missing rows repeat the last; they are multiplied with zeros or dropped, and never looked at.
            let lines: [&[U]; STRIP] =
                std::array::from_fn(|r| &rows[r.min(height - 1) * cols + left..][..width]);
            for c in 0..width {
                let cell: [T; STRIP] = std::array::from_fn(|r| T::from_f64(lines[r][c].to_f64()));
                strips.extend_from_slice(&cell);
            }
        }
    }
}

/// Copies strips into a row-major tile without gaps.
pub fn unpack<T: Real>(strips: &[T], rows: usize, cols: usize, tile: &mut Vec<T>) {
    tile.clear();
    tile.resize(rows * cols, T::ZERO);
    for left in (0..cols).step_by(COLUMNS) {
        let width = COLUMNS.min(cols - left);
        let chunk = &strips[size(rows, left)..size(rows, left + width)];
        for (strip, lines) in chunk.chunks_exact(STRIP * width).zip(tile.chunks_mut(STRIP * cols)) {
            for (r, line) in lines.chunks_exact_mut(cols).enumerate() {
                let places = line[left..left + width].iter_mut();
                places.zip(strip[r..].iter().step_by(STRIP)).for_each(|(place, &v)| *place = v);
            }
        }
    }
}

/// Copies row `row` of a rows × cols tile.
pub fn row<T: Real>(strips: &[T], row: usize, rows: usize, cols: usize, out: &mut [T]) {
    for (left, out) in (0..cols).step_by(COLUMNS).zip(out.chunks_mut(COLUMNS)) {
        let cells = &strips[place(row, left, rows, cols)..];
        out.iter_mut().zip(cells.iter().step_by(STRIP)).for_each(|(to, &v)| *to = v);
    }
}

/// Copies column `col` of a rows × cols tile.
pub fn column<T: Real>(strips: &[T], col: usize, rows: usize, cols: usize, out: &mut [T]) {
    for (top, out) in (0..rows).step_by(STRIP).zip(out.chunks_mut(STRIP)) {
        let start = place(top, col, rows, cols);
        out.copy_from_slice(&strips[start..start + out.len()]);
    }
}

dispatch! {
    /// `out += tile · v` (rows × WIDTH) and, unless `w` is empty, `mirror += tileᵀ · w` (cols × WIDTH). `v` has a lane
    /// per column of the tile, `w` one per row. Sums of a tile are of type T, sums of tiles f64.
    pub fn multiply<T: Real>(
        strips: &[T], v: &[Lane<T>], w: &[Lane<T>], out: &mut [Lane<f64>], mirror: &mut [Lane<f64>],
    ) = body: avx512 [T, T::LaneWide, 4], avx2 [T, T::LaneMid, 1], base [T, T::LaneBase, 1];
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
    let mut lanes = Aligned([[T::ZERO; WIDTH]; COLUMNS]);
    let mut sums = Aligned([[T::ZERO; WIDTH]; COLUMNS]);
    for left in (0..cols).step_by(COLUMNS) {
        let width = COLUMNS.min(cols - left);
        let (lanes, sums) = (&mut lanes.0[..width], &mut sums.0[..width]);
        lanes.copy_from_slice(&v[left..left + width]);
        sums.fill([T::ZERO; WIDTH]);
        let chunk = &strips[size(rows, left)..size(rows, left + width)];
        for (s, strip) in chunk.chunks_exact(STRIP * width).enumerate() {
            let cells = strip.as_chunks::<STRIP>().0;
            let own = s * STRIP..((s + 1) * STRIP).min(rows);
            let (out, w) = (&mut out[own.clone()], w.get(own).unwrap_or(&[]));
            for from in (0..STRIP).step_by(G) {
                // SAFETY: dispatch chose V for this processor, and V holds WIDTH numbers, as lanes do.
                unsafe {
                    match w.is_empty() {
                        true => group::<T, V, G, false>(cells, from, lanes, w, out, sums),
                        false => group::<T, V, G, true>(cells, from, lanes, w, out, sums),
                    }
                }
            }
        }
        if !w.is_empty() {
            for (lane, sum) in mirror[left..left + width].iter_mut().zip(&*sums) {
                // SAFETY: dispatch chose V for this processor, and a lane has the WIDTH numbers that V holds.
                add(lane, unsafe { V::load(sum.as_ptr()) });
            }
        }
    }
}

/// Lanes that start on a cache line, so that no register spans two.
#[repr(align(64))]
struct Aligned<T>([Lane<T>; COLUMNS]);

/// `out += strip · lanes` and, if `BOTH`, `sums += stripᵀ · w`, for G rows of the strip from `from` on.
///
/// # Safety
/// That of [`Vector`].
#[inline(always)]
unsafe fn group<T: Real, V: Vector<T>, const G: usize, const BOTH: bool>(
    cells: &[[T; STRIP]],
    from: usize,
    lanes: &[Lane<T>],
    w: &[Lane<T>],
    out: &mut [Lane<f64>],
    sums: &mut [Lane<T>],
) {
    // SAFETY: as the caller promises.
    unsafe {
        let zero = V::splat(T::ZERO);
        let mut own = [zero; G];
        for (own, lane) in own.iter_mut().zip(w.iter().skip(from)) {
            *own = V::load(lane.as_ptr());
        }
        let mut rows = [zero; G];
        for ((cell, lane), sum) in cells.iter().zip(lanes).zip(sums) {
            if from == 0 {
                prefetch(cell.as_ptr().wrapping_add(AHEAD));
            }
            let lane = V::load(lane.as_ptr());
            let mut mirror = if BOTH { V::load(sum.as_ptr()) } else { zero };
            for g in 0..G {
                let x = V::splat(cell[from + g]);
                rows[g] = x.mul_add(lane, rows[g]);
                if BOTH {
                    mirror = x.mul_add(own[g], mirror);
                }
            }
            if BOTH {
                mirror.store(sum.as_mut_ptr());
            }
        }
        for (lane, row) in out.iter_mut().skip(from).zip(rows) {
            add(lane, row);
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
        let tile: Vec<T> = (0..rows * cols).map(|_| T::from_f64(stream.normal())).collect();
        let mut lanes = |n: usize| -> Vec<Lane<T>> {
            (0..n).map(|_| std::array::from_fn(|_| T::from_f64(stream.normal()))).collect()
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
