//! Circular convolution of a vector with one that is mostly zeros.

use super::simd::dispatch;
use crate::real::Real;

dispatch! {
    /// `out_k ← Σ_b few_b · all_(k−b)`, places counted modulo the common length.
    fn convolve_slices<T: Real>(few: &[T], all: &[T], out: &mut [T]) =
        convolve_body: avx512 [T], avx2 [T], base [T];
}

/// `out_k ← Σ_b few_b · all_(k−b)`, places counted modulo the common length; zeros of `few` cost nothing.
pub fn convolve<T: Real>(few: &[T], all: &[T], out: &mut [T]) {
    assert!(few.len() == all.len() && all.len() == out.len());
    convolve_slices(few, all, out);
}

#[inline(always)]
fn convolve_body<T: Real>(few: &[T], all: &[T], out: &mut [T]) {
    out.fill(T::ZERO);
    for (shift, &weight) in few.iter().enumerate() {
        if weight == T::ZERO {
            continue;
        }
        let (wrapped, straight) = out.split_at_mut(shift);
        let (first, last) = all.split_at(straight.len());
        straight.iter_mut().zip(first).for_each(|(to, &v)| *to += weight * v);
        wrapped.iter_mut().zip(last).for_each(|(to, &v)| *to += weight * v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convolution_is_two_loops() {
        for length in 1..20_usize {
            let few: Vec<f64> = (0..length).map(|i| ((i * 7) % 3) as f64 - 1.0).collect();
            let all: Vec<f64> = (0..length).map(|i| (i * i % 11) as f64).collect();
            let mut out = vec![9.0; length];
            convolve(&few, &all, &mut out);
            for (k, found) in out.iter().enumerate() {
                let term = |b: usize| few[b] * all[(k + length - b) % length];
                assert_eq!(*found, (0..length).map(term).sum::<f64>());
            }
        }
    }
}
