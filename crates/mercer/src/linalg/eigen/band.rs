//! Stage one: from a dense symmetric matrix to a band.
//!
//! Given A (n × n, symmetric, lower triangle), find orthogonal Q with QᵀAQ of bandwidth `WIDTH`. Column panels of
//! `WIDTH` columns are taken from left to right; what lies below the band in a panel is triangularised by Householder
//! reflectors, gathered as Q_p = I − V T Vᵀ, and the rest of the matrix becomes
//!
//! ```text
//! Q_pᵀ A Q_p = A − V Xᵀ − X Vᵀ      with   W = A V T,   X = W − ½ V (Tᵀ Vᵀ W)
//! ```
//!
//! All but the panels themselves are matrix products on fixed strips of rows, so the result does not depend on the
//! number of threads. The alternative, reducing straight to a tridiagonal matrix, does half of its work in
//! matrix-vector products and waits for memory.
//!
//! Afterwards the band stands in place (entries with i − j ≤ `WIDTH`) and V below it: column c of panel p has its
//! reflector in column c of the matrix, from row c + `WIDTH` + 1 on; its leading 1 is not stored.

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use rayon::prelude::*;

use super::WIDTH;
use crate::context::Context;
use crate::error::Result;
use crate::linalg::product::{Onto, multiply, multiply_lower};
use crate::linalg::view::{Mat, MatMut, MatRef};

/// Rows of a strip, the unit of parallel work.
const STRIP: usize = 128;

/// The triangular factors T of all panels; panel p's is `WIDTH` × `WIDTH`, row-major, upper triangular.
pub(super) struct Factors(Vec<f64>);

impl Factors {
    /// T of panel `p`.
    pub(super) fn of(&self, p: usize) -> &[f64] {
        &self.0[p * WIDTH * WIDTH..(p + 1) * WIDTH * WIDTH]
    }
}

/// Panels that hold reflectors, for an n × n matrix: those with at least two rows below the band's first row.
pub(super) fn panels(n: usize) -> usize {
    n.saturating_sub(WIDTH + 1).div_ceil(WIDTH)
}

/// Reduces `a` to a band in place.
pub(super) fn reduce(
    ctx: &Context,
    a: &mut Mat<f64>,
    done: &dyn Fn(f64) -> Result<()>,
) -> Result<Factors> {
    let n = a.rows();
    let count = panels(n);
    let mut factors = Factors(vec![0.0; count * WIDTH * WIDTH]);
    let mut work = Work::new(n);
    for p in 0..count {
        ctx.poll()?;
        let t = &mut factors.0[p * WIDTH * WIDTH..(p + 1) * WIDTH * WIDTH];
        let top = (p + 1) * WIDTH;
        work.factor(a, top, t);
        work.partner(a, top, t);
        work.update(a, top);
        let left = 1.0 - top as f64 / n as f64;
        done(1.0 - left * left * left)?;
    }
    Ok(factors)
}

/// Storage for one panel; m counts the rows below the band, the width of every block is `WIDTH`.
struct Work {
    /// m × WIDTH, column-major: the panel under factorisation.
    panel: Vec<f64>,
    /// WIDTH × WIDTH: inner products of reflectors, and on the diagonal their scales.
    coefficients: Vec<f64>,
    /// m × 2 WIDTH: V beside X.
    left: Vec<f64>,
    /// m × 2 WIDTH: X beside V.
    right: Vec<f64>,
    /// m × WIDTH: A V T.
    product: Vec<f64>,
    scratch: MemBuffer,
}

const PAIR: usize = 2 * WIDTH;

impl Work {
    fn new(n: usize) -> Self {
        let need = qr_in_place_scratch::<f64>(n, WIDTH, WIDTH, Par::Seq, Default::default());
        Self {
            panel: vec![0.0; n * WIDTH],
            coefficients: vec![0.0; WIDTH * WIDTH],
            left: vec![0.0; n * PAIR],
            right: vec![0.0; n * PAIR],
            product: vec![0.0; n * WIDTH],
            scratch: MemBuffer::new(need),
        }
    }

    /// Factors the panel whose rows start at `top`: R and V go back into `a`, V into `left`, T into `t`.
    fn factor(&mut self, a: &mut Mat<f64>, top: usize, t: &mut [f64]) {
        let n = a.rows();
        let (m, first) = (n - top, top - WIDTH);
        let count = m.min(WIDTH);
        let panel = &mut self.panel[..m * WIDTH];
        for (i, row) in a.data()[top * n..].chunks_exact(n).enumerate() {
            for j in 0..WIDTH {
                panel[j * m + i] = row[first + j];
            }
        }
        let coefficients = &mut self.coefficients[..count * count];
        coefficients.fill(0.0);
        qr_in_place(
            faer::MatMut::from_column_major_slice_mut(panel, m, WIDTH),
            faer::MatMut::from_row_major_slice_mut(coefficients, count, count),
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
        for (i, row) in a.data_mut()[top * n..].chunks_exact_mut(n).enumerate() {
            let v = &mut self.left[i * PAIR..i * PAIR + WIDTH];
            for j in 0..WIDTH {
                let value = panel[j * m + i];
                row[first + j] = value;
                v[j] = below_unit(i, j, value);
            }
            // Columns without a reflector (a last, short panel) must not act.
            v[count..].fill(0.0);
        }
        triangular_factor(coefficients, count, t);
    }

    /// Fills `left` and `right` with V and X.
    fn partner(&mut self, a: &Mat<f64>, top: usize, t: &[f64]) {
        let m = a.rows() - top;
        let v = MatRef::new(&self.left, m, WIDTH, PAIR);
        let t = MatRef::new(t, WIDTH, WIDTH, WIDTH);
        let inner: Vec<Vec<f64>> = self.product[..m * WIDTH]
            .par_chunks_mut(STRIP * WIDTH)
            .with_max_len(1)
            .enumerate()
            .map(|(strip, out)| product_strip(a, top, strip, v, t, out))
            .collect();
        let half = half_inner(&inner, t);
        let half = MatRef::new(&half, WIDTH, WIDTH, WIDTH);
        self.left[..m * PAIR]
            .par_chunks_mut(STRIP * PAIR)
            .zip(self.right[..m * PAIR].par_chunks_mut(STRIP * PAIR))
            .zip(self.product[..m * WIDTH].par_chunks_mut(STRIP * WIDTH))
            .for_each(|((left, right), w)| {
                let rows = w.len() / WIDTH;
                let v = MatRef::new(left, rows, WIDTH, PAIR);
                multiply(v, half, MatMut::new(w, rows, WIDTH, WIDTH), Onto::Difference);
                let lines = left.chunks_exact_mut(PAIR).zip(right.chunks_exact_mut(PAIR));
                for ((left, right), x) in lines.zip(w.chunks_exact(WIDTH)) {
                    right[WIDTH..].copy_from_slice(&left[..WIDTH]);
                    right[..WIDTH].copy_from_slice(x);
                    left[WIDTH..].copy_from_slice(x);
                }
            });
    }

    /// Subtracts V Xᵀ + X Vᵀ from the lower triangle from row and column `top` on.
    fn update(&self, a: &mut Mat<f64>, top: usize) {
        let n = a.rows();
        let m = n - top;
        let left = MatRef::new(&self.left, m, PAIR, PAIR);
        let right = MatRef::new(&self.right, m, PAIR, PAIR).transposed();
        let strips: Vec<_> = a.data_mut()[top * n..].chunks_mut(STRIP * n).enumerate().collect();
        // The longest strips go first, so that no thread is left with one at the end.
        strips.into_par_iter().rev().with_max_len(1).for_each(|(strip, out)| {
            let (start, rows) = (strip * STRIP, out.len() / n);
            let lines = left.row_range(start, rows);
            let (body, corner) = (right.col_range(0, start), right.col_range(start, rows));
            let out = &mut out[top..];
            if start > 0 {
                multiply(lines, body, MatMut::new(out, rows, start, n), Onto::Difference);
            }
            multiply_lower(
                lines,
                corner,
                MatMut::new(&mut out[start..], rows, rows, n),
                Onto::Difference,
            );
        });
    }
}

/// Entry (i, j) of V where the stored panel has `value`.
pub(super) fn below_unit(i: usize, j: usize, value: f64) -> f64 {
    match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => value,
    }
}

/// T (WIDTH × WIDTH, upper triangular) with H_1 ⋯ H_count = I − V T Vᵀ, where H_j = I − v_j v_jᵀ / c_jj and c_ij =
/// v_iᵀ v_j above the diagonal.
fn triangular_factor(c: &[f64], count: usize, t: &mut [f64]) {
    t.fill(0.0);
    for j in 0..count {
        // A reflector that does nothing has an infinite scale.
        let tau = c[j * count + j].recip();
        t[j * WIDTH + j] = tau;
        for i in 0..j {
            let sum: f64 = (i..j).map(|l| t[i * WIDTH + l] * c[l * count + j]).sum();
            t[i * WIDTH + j] = -tau * sum;
        }
    }
}

/// One strip of rows of W = A V T, written to `out`, and its share of VᵀW. `a` counts from row and column `top` on,
/// where only the lower triangle is read.
fn product_strip(
    a: &Mat<f64>,
    top: usize,
    strip: usize,
    v: MatRef<'_, f64>, // m × WIDTH
    t: MatRef<'_, f64>, // WIDTH × WIDTH
    out: &mut [f64],    // rows × WIDTH
) -> Vec<f64> {
    let (m, start, rows) = (v.rows(), strip * STRIP, out.len() / WIDTH);
    let rest = start + rows;
    let corner = a.view().row_range(top, m).col_range(top, m);
    let lines = corner.row_range(start, rows);
    let square = Mat::from_fn(rows, rows, |i, j| lines.at(i.max(j), start + i.min(j)));
    let own = v.row_range(start, rows);
    let mut sum = vec![0.0; rows * WIDTH];
    let mut add = |a, v, onto| multiply(a, v, MatMut::new(&mut sum, rows, WIDTH, WIDTH), onto);
    add(square.view(), own, Onto::Nothing);
    if start > 0 {
        add(lines.col_range(0, start), v.row_range(0, start), Onto::Sum);
    }
    if rest < m {
        let below = corner.row_range(rest, m - rest).col_range(start, rows);
        add(below.transposed(), v.row_range(rest, m - rest), Onto::Sum);
    }
    let sum = MatRef::new(&sum, rows, WIDTH, WIDTH);
    multiply(sum, t, MatMut::new(out, rows, WIDTH, WIDTH), Onto::Nothing);
    let mut inner = vec![0.0; WIDTH * WIDTH];
    let w = MatRef::new(out, rows, WIDTH, WIDTH);
    multiply(own.transposed(), w, MatMut::new(&mut inner, WIDTH, WIDTH, WIDTH), Onto::Nothing);
    inner
}

/// ½ Tᵀ (VᵀW), the strips' shares added in order.
fn half_inner(shares: &[Vec<f64>], t: MatRef<'_, f64>) -> Vec<f64> {
    let mut sum = vec![0.0; WIDTH * WIDTH];
    for share in shares {
        sum.iter_mut().zip(share).for_each(|(s, x)| *s += 0.5 * x);
    }
    let mut half = vec![0.0; WIDTH * WIDTH];
    let sum = MatRef::new(&sum, WIDTH, WIDTH, WIDTH);
    multiply(t.transposed(), sum, MatMut::new(&mut half, WIDTH, WIDTH, WIDTH), Onto::Nothing);
    half
}
