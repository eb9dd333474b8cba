//! What a kernel on vectors needs to know of two samples: their dot product, squared distance or Manhattan distance,
//! for a whole tile of pairs at once.
//!
//! The loop is that of a matrix product: columns are packed into panels of C, and R × C sums live in registers while
//! the features run by. Squared distances come from differences, as long as that costs little beside the dot-product
//! form: differences do not cancel, so near neighbours keep all their digits and equal samples are at distance 0.

use super::nonzeros::{self, SparseRows};
use super::product::{Onto, multiply};
use super::simd::dispatch;
use super::view::{MatMut, MatRef};
use crate::real::Real;
use crate::real::vector::Vector;

/// A number computed from two vectors, on which a kernel's profile acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// x·y
    Dot,
    /// ‖x − y‖²
    SquaredDistance,
    /// ‖x − y‖₁
    Manhattan,
}

/// A run of samples with their squared norms.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    /// n × `dim`, row-major.
    pub data: &'a [T],
    /// Features of a sample.
    pub dim: usize,
    /// Squared norms, n.
    pub norms: &'a [T],
    /// The numbers that are not zero, where most are.
    pub sparse: Option<SparseRows<'a, T>>,
}

impl<T> Rows<'_, T> {
    fn len(&self) -> usize {
        self.norms.len()
    }
}

/// Up to this many features, squared distances are summed from differences: twice the arithmetic of the dot-product
/// form, which beside exp and memory traffic does not show.
const DIFFERENCES_UP_TO: usize = 64;

/// A squared distance below this share of the squared norms has lost too many digits in the dot-product form.
const CANCELLED: f64 = 1e-5;

/// Fills `out[i·stride + j]` with the pairing of row i of `rows` and row j of `cols`.
pub fn fill<T: Real>(
    pairing: Pairing,
    rows: Rows<'_, T>,
    cols: Rows<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    assert_eq!(rows.dim, cols.dim, "samples of different dimension");
    assert_eq!(rows.data.len(), rows.len() * rows.dim);
    assert_eq!(cols.data.len(), cols.len() * cols.dim);
    assert!(cols.len() <= stride);
    assert!(rows.len() == 0 || (rows.len() - 1) * stride + cols.len() <= out.len());
    match pairing {
        Pairing::Dot => products(rows, cols, out, stride),
        Pairing::Manhattan => sums(rows, cols, out, stride, AbsoluteDifference),
        Pairing::SquaredDistance if rows.dim <= DIFFERENCES_UP_TO => {
            sums(rows, cols, out, stride, SquaredDifference)
        }
        Pairing::SquaredDistance => {
            products(rows, cols, out, stride);
            distances_from_products(rows, cols, out, stride);
        }
    }
}

/// From this many features on, a general matrix product beats the loop below.
const GENERAL_PRODUCT_FROM: usize = 24;

fn products<T: Real>(rows: Rows<'_, T>, cols: Rows<'_, T>, out: &mut [T], stride: usize) {
    if rows.dim < GENERAL_PRODUCT_FROM {
        return sums(rows, cols, out, stride, Product);
    }
    if let Some(sparse) = rows.sparse {
        return nonzeros::products(sparse, cols.data, cols.dim, out, stride);
    }
    let x = MatRef::new(rows.data, rows.len(), rows.dim, rows.dim);
    let y = MatRef::new(cols.data, cols.len(), cols.dim, cols.dim);
    multiply(x, y.transposed(), MatMut::new(out, rows.len(), cols.len(), stride), Onto::Nothing);
}

/// ‖x‖² + ‖y‖² − 2x·y in place of x·y; where that cancels, the sum of squared differences.
fn distances_from_products<T: Real>(
    rows: Rows<'_, T>,
    cols: Rows<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    for (i, &norm) in rows.norms.iter().enumerate() {
        let line = &mut out[i * stride..i * stride + cols.len()];
        let mut cancelled = false;
        expand_line(line, norm, cols.norms, &mut cancelled);
        if cancelled {
            let x = &rows.data[i * rows.dim..(i + 1) * rows.dim];
            repair_line(line, x, norm, cols);
        }
    }
}

dispatch! {
    /// One line of distances from products; `cancelled` is set where a distance has lost digits.
    fn expand_line<T: Real>(line: &mut [T], norm: T, norms: &[T], cancelled: &mut bool) =
        expand_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn expand_body<T: Real>(line: &mut [T], norm: T, norms: &[T], cancelled: &mut bool) {
    let limit = T::of(CANCELLED);
    // Counted in integers: the compiler may reorder their sums, and so work on many numbers side by side.
    let mut count = 0_u32;
    for (value, &other) in line.iter_mut().zip(norms) {
        let sum = norm + other;
        let distance = sum - (*value + *value);
        count += u32::from(distance < limit * sum);
        *value = distance;
    }
    *cancelled = count > 0;
}

fn repair_line<T: Real>(line: &mut [T], x: &[T], norm: T, cols: Rows<'_, T>) {
    for (j, value) in line.iter_mut().enumerate() {
        if *value < T::of(CANCELLED) * (norm + cols.norms[j]) {
            let y = &cols.data[j * cols.dim..(j + 1) * cols.dim];
            *value = x.iter().zip(y).fold(T::ZERO, |sum, (&a, &b)| sum + (a - b) * (a - b));
        }
    }
}

/// One term of a sum over features.
pub trait Term: Copy {
    /// `sum` plus the term of `x` and `y`.
    ///
    /// # Safety
    /// That of [`Vector`].
    unsafe fn add<T, V: Vector<T>>(x: V, y: V, sum: V) -> V;
}

#[derive(Clone, Copy)]
struct Product;
#[derive(Clone, Copy)]
struct SquaredDifference;
#[derive(Clone, Copy)]
struct AbsoluteDifference;

impl Term for Product {
    #[inline(always)]
    unsafe fn add<T, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe { x.mul_add(y, sum) }
    }
}

impl Term for SquaredDifference {
    #[inline(always)]
    unsafe fn add<T, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe {
            let difference = x.sub(y);
            difference.mul_add(difference, sum)
        }
    }
}

impl Term for AbsoluteDifference {
    #[inline(always)]
    unsafe fn add<T, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe { x.sub(y).abs().add(sum) }
    }
}

dispatch! {
    /// `out[i·stride + j]` = the sum of the terms of row i of `rows` and row j of `cols`.
    fn sums<T: Real, S: Term>(
        rows: Rows<'_, T>, cols: Rows<'_, T>, out: &mut [T], stride: usize, term: S,
    ) = sums_body: avx512 [T, S, T::Wide, 6, 4], avx2 [T, S, T::Mid, 4, 3], base [T, S, T::Base, 2, 4];
}

/// Features that run by between two visits of the output: a panel of columns then stays in the first-level cache.
const FEATURES: usize = 128;
/// The widest panel: four 512-bit registers of f32.
const PANEL: usize = 64;

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
    let mut panel = [T::ZERO; PANEL * FEATURES];
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
fn pack<T: Real>(
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
