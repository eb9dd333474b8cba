//! Sums over features for a tile of pairs.
//!
//! The loop is that of a matrix product: columns are packed into panels of C, and R × C sums live in registers while the features
//! run by.

use std::mem::MaybeUninit;
use std::ptr;

use super::Rows;
use super::terms::Term;
use crate::linalg::simd::dispatch;
use crate::real::Real;
use crate::real::vector::Vector;

dispatch! {
    /// `out[i·stride + j]` = the sum of the terms of row i of `rows` and row j of `cols`.
    pub(super) fn sums<T: Real, S: Term>(
        rows: Rows<'_, T>, cols: Rows<'_, T>, out: &mut [T], stride: usize, term: S,
    ) = sums_body: avx512 [T, S, T::Wide, 6, 4], avx2 [T, S, T::Mid, 4, 3], base [T, S, T::Base, 2, 4];
}

dispatch! {
    /// As [`sums`], for terms that need registers of their own.
    pub(super) fn heavy_sums<T: Real, S: Term>(
        rows: Rows<'_, T>, cols: Rows<'_, T>, out: &mut [T], stride: usize, term: S,
    ) = sums_body: avx512 [T, S, T::Wide, 2, 4], avx2 [T, S, T::Mid, 2, 3], base [T, S, T::Base, 2, 2];
}

/// Features that run by between two visits of the output: a panel of columns then stays in the first-level cache.
pub(super) const FEATURES: usize = 128;
/// The widest panel: four 512-bit registers of f32.
pub(super) const PANEL: usize = 64;

/// R rows times N registers of columns at a time.
#[inline(always)]
fn sums_body<T: Real, S: Term, V: Vector<T>, const R: usize, const N: usize>(
    rows: Rows<'_, T>,
    cols: Rows<'_, T>,
    out: &mut [T],
    stride: usize,
    _: S,
) {
    let dim = rows.dim;
    let panel_width = N * V::LANES;
    let mut room = [const { MaybeUninit::uninit() }; PANEL * FEATURES];
    let panel = zeros(&mut room[..panel_width * FEATURES.min(dim)]);
    let mut edge = [T::ZERO; PANEL];
    for from in (0..dim).step_by(FEATURES) {
        let depth = FEATURES.min(dim - from);
        for left in (0..cols.len()).step_by(panel_width) {
            let width = panel_width.min(cols.len() - left);
            pack(&mut panel[..depth * panel_width], panel_width, cols, left, width, from);
            for top in (0..rows.len()).step_by(R) {
                let height = R.min(rows.len() - top);
                // A short last group repeats its last row; the surplus sums are dropped.
                let lines: [&[T]; R] = std::array::from_fn(|r| {
                    let start = (top + r.min(height - 1)) * dim + from;
                    &rows.data[start..start + depth]
                });
                // SAFETY: dispatch chose V for this processor; lines have `depth` entries, the panel
                // `depth · panel_width`.
                let mut sums = unsafe { block::<T, S, V, R, N>(lines, panel.as_ptr(), depth) };
                for r in 0..height {
                    let line = &mut out[(top + r) * stride + left..][..width];
                    let target = if width == panel_width { &mut *line } else { &mut edge[..] };
                    // SAFETY: the target holds panel_width numbers.
                    unsafe {
                        put(&mut sums[r], target.as_mut_ptr(), from > 0 && width == panel_width)
                    };
                    if width < panel_width {
                        merge(line, &edge, from > 0);
                    }
                }
            }
        }
    }
}

/// The start of a panel, with numbers in it; few features leave the rest of it untouched.
#[inline(always)]
fn zeros<T: Real>(room: &mut [MaybeUninit<T>]) -> &mut [T] {
    room.fill(MaybeUninit::new(T::ZERO));
    // SAFETY: every number has just been written.
    unsafe { &mut *(ptr::from_mut(room) as *mut [T]) }
}

/// The sums of R lines with the columns of a panel.
///
/// # Safety
/// That of [`Vector`]; lines have `depth` entries and the panel `depth · N · LANES`.
#[inline(always)]
unsafe fn block<T: Real, S: Term, V: Vector<T>, const R: usize, const N: usize>(
    lines: [&[T]; R],
    panel: *const T,
    depth: usize,
) -> [[V; N]; R] {
    // SAFETY: as the caller promises.
    unsafe {
        let mut sums = [[V::splat(T::ZERO); N]; R];
        let mut y = panel;
        for k in 0..depth {
            let columns: [V; N] = std::array::from_fn(|c| V::load(y.add(c * V::LANES)));
            for r in 0..R {
                let x = V::splat(*lines[r].get_unchecked(k));
                for c in 0..N {
                    sums[r][c] = S::add(x, columns[c], sums[r][c]);
                }
            }
            y = y.add(N * V::LANES);
        }
        sums
    }
}

/// Stores one line of sums at `target`, onto what is there if `onto`.
///
/// # Safety
/// That of [`Vector`], for N · LANES numbers at `target`.
#[inline(always)]
unsafe fn put<T, V: Vector<T>, const N: usize>(sums: &mut [V; N], target: *mut T, onto: bool) {
    // SAFETY: as the caller promises.
    unsafe {
        for c in 0..N {
            let at = target.add(c * V::LANES);
            if onto {
                sums[c] = sums[c].add(V::load(at));
            }
            sums[c].store(at);
        }
    }
}

fn merge<T: Real>(line: &mut [T], edge: &[T], onto: bool) {
    for (value, &sum) in line.iter_mut().zip(edge) {
        *value = if onto { *value + sum } else { sum };
    }
}

/// Columns that are turned into a line of the panel at a time.
const TURN: usize = 8;

/// Features `from..` of `width` columns from `left` on, transposed into `panel`; surplus columns are zero.
#[inline(always)]
pub(super) fn pack<T: Real>(
    panel: &mut [T],
    panel_width: usize,
    cols: Rows<'_, T>,
    left: usize,
    width: usize,
    from: usize,
) {
    if width < panel_width {
        panel.fill(T::ZERO);
    }
    let depth = panel.len() / panel_width;
    let line = |c: usize| &cols.data[(left + c) * cols.dim + from..][..depth];
    let whole = width / TURN * TURN;
    for c in (0..whole).step_by(TURN) {
        let lines: [&[T]; TURN] = std::array::from_fn(|t| line(c + t));
        for k in 0..depth {
            let cell: [T; TURN] = std::array::from_fn(|t| lines[t][k]);
            panel[k * panel_width + c..][..TURN].copy_from_slice(&cell);
        }
    }
    for c in whole..width {
        line(c).iter().enumerate().for_each(|(k, &value)| panel[k * panel_width + c] = value);
    }
}
