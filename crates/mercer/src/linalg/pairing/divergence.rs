//! The Jensen–Shannon kernel of histograms.
//!
//! A feature's term is ½[f(x + y) − f(x) − f(y)] with f(v) = v·log₂ v, so that one logarithm is needed for a pair: those of x and
//! of y alone are taken once for each panel of columns. The arithmetic outweighs all traffic, so plain loops that the compiler
//! turns into vector code are as good as sums kept in registers.

use super::Rows;
use super::sums::{FEATURES, PANEL, pack};
use crate::linalg::simd::{BASE_FUSED, dispatch};
use crate::real::Real;

dispatch! {
    /// `out[i·stride + j]` = ½ Σ [f(x + y) − f(x) − f(y)] over the features of row i of `rows` and row j of `cols`.
    pub(super) fn divergences<T: Real>(
        rows: Rows<'_, T>, cols: Rows<'_, T>, out: &mut [T], stride: usize,
    ) = divergences_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

#[inline(always)]
fn divergences_body<T: Real, const FUSED: bool>(
    rows: Rows<'_, T>,
    cols: Rows<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    let dim = rows.dim;
    let mut panel = vec![T::ZERO; PANEL * FEATURES];
    let mut own = vec![T::ZERO; PANEL * FEATURES];
    for from in (0..dim).step_by(FEATURES) {
        let depth = FEATURES.min(dim - from);
        for left in (0..cols.len()).step_by(PANEL) {
            let width = PANEL.min(cols.len() - left);
            pack(&mut panel[..depth * PANEL], PANEL, cols, left, width, from);
            for (own, &y) in own.iter_mut().zip(&panel[..depth * PANEL]) {
                *own = y.times_log2::<FUSED>();
            }
            for i in 0..rows.len() {
                let line = &rows.data[i * dim + from..][..depth];
                let sums = line_sums::<T, FUSED>(line, &panel, &own);
                let target = &mut out[i * stride + left..][..width];
                for (value, sum) in target.iter_mut().zip(sums) {
                    let half = T::from_f64(0.5) * sum;
                    *value = if from > 0 { *value + half } else { half };
                }
            }
        }
    }
}

/// Twice the sums of a line with the columns of a panel.
#[inline(always)]
fn line_sums<T: Real, const FUSED: bool>(line: &[T], panel: &[T], own: &[T]) -> [T; PANEL] {
    let mut sums = [T::ZERO; PANEL];
    let features = panel.chunks_exact(PANEL).zip(own.chunks_exact(PANEL));
    for (&x, (panel, own)) in line.iter().zip(features) {
        let x_own = x.times_log2::<FUSED>();
        for ((sum, &y), &y_own) in sums.iter_mut().zip(panel).zip(own) {
            *sum += (x + y).times_log2::<FUSED>() - (x_own + y_own);
        }
    }
    sums
}
