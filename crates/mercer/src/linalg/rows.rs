//! Products of single rows with a vector in double precision, for solvers that visit rows one after the other.

use super::simd::dispatch;
use crate::real::Real;

/// Numbers that are worked on side by side.
const LANES: usize = 16;

dispatch! {
    /// `out = row · v`.
    pub fn dot<T: Real>(row: &[T], v: &[f64], out: &mut f64) =
        dot_body: avx512 [T, true], avx2 [T, true], base [T, false];
}

dispatch! {
    /// `v += by · row`.
    pub fn add_scaled<T: Real>(row: &[T], by: f64, v: &mut [f64]) =
        add_body: avx512 [T, true], avx2 [T, true], base [T, false];
}

#[inline(always)]
fn fused<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn dot_body<T: Real, const FUSED: bool>(row: &[T], v: &[f64], out: &mut f64) {
    let mut sums = [0.0; LANES];
    let ((row, row_rest), (v, v_rest)) = (row.as_chunks::<LANES>(), v.as_chunks::<LANES>());
    for (a, b) in row.iter().zip(v) {
        for l in 0..LANES {
            sums[l] = fused::<FUSED>(a[l].to_f64(), b[l], sums[l]);
        }
    }
    let rest: f64 = row_rest.iter().zip(v_rest).map(|(a, b)| a.to_f64() * b).sum();
    *out = sums.iter().sum::<f64>() + rest;
}

#[inline(always)]
fn add_body<T: Real, const FUSED: bool>(row: &[T], by: f64, v: &mut [f64]) {
    let (row, row_rest) = row.as_chunks::<LANES>();
    let (v, v_rest) = v.as_chunks_mut::<LANES>();
    for (a, b) in row.iter().zip(v) {
        for l in 0..LANES {
            b[l] = fused::<FUSED>(a[l].to_f64(), by, b[l]);
        }
    }
    row_rest.iter().zip(v_rest).for_each(|(a, b)| *b += by * a.to_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_sums_over_all_columns() {
        for columns in [0, 1, 15, 16, 37, 64] {
            let row: Vec<f32> = (0..columns).map(|j| (j as f32 * 0.37).sin()).collect();
            let mut v: Vec<f64> = (0..columns).map(|j| (j as f64 * 0.11).cos()).collect();
            let want: f64 = row.iter().zip(&v).map(|(a, b)| f64::from(*a) * b).sum();
            let mut found = f64::NAN;
            dot(&row, &v, &mut found);
            assert!((found - want).abs() < 1e-12, "{columns} columns: {found} {want}");
            let before = v.clone();
            add_scaled(&row, -2.5, &mut v);
            for ((v, before), a) in v.iter().zip(&before).zip(&row) {
                assert!((v - (before - 2.5 * f64::from(*a))).abs() < 1e-12);
            }
        }
    }
}
