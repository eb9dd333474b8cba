//! Circular convolution of a vector with one that is mostly zeros.

use super::simd::{BASE_FUSED, dispatch};
use crate::real::Real;

/// Numbers of the sparse vector that are worked on at a time, so that a sum is read and written once for all of them.
const GROUP: usize = 8;

dispatch! {
    fn convolve_slices<T: Real>(few: &[T], twice: &[T], out: &mut [T]) =
        convolve_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

/// `out_k ← Σ_b few_b · all_(k−b)`, places counted modulo the length n; `twice` is `all` two times over. Zeros of `few` cost nothing.
pub fn convolve<T: Real>(few: &[T], twice: &[T], out: &mut [T]) {
    assert!(few.len() == out.len() && twice.len() == 2 * out.len());
    convolve_slices(few, twice, out);
}

#[inline(always)]
fn convolve_body<T: Real, const FUSED: bool>(few: &[T], twice: &[T], out: &mut [T]) {
    out.fill(T::ZERO);
    let (mut shifts, mut weights, mut count) = ([0; GROUP], [T::ZERO; GROUP], 0);
    for (shift, &weight) in few.iter().enumerate() {
        if weight == T::ZERO {
            continue;
        }
        (shifts[count], weights[count]) = (shift, weight);
        count += 1;
        if count == GROUP {
            add_group::<T, FUSED>(shifts, weights, twice, out);
            count = 0;
        }
    }
    if count > 0 {
        weights[count..].fill(T::ZERO);
        add_group::<T, FUSED>(shifts, weights, twice, out);
    }
}

/// Adds `Σ weight · all_(k − shift)`.
#[inline(always)]
fn add_group<T: Real, const FUSED: bool>(
    shifts: [usize; GROUP],
    weights: [T; GROUP],
    twice: &[T],
    out: &mut [T],
) {
    let n = out.len();
    let parts: [&[T]; GROUP] = std::array::from_fn(|g| &twice[n - shifts[g]..][..n]);
    for (k, to) in out.iter_mut().enumerate() {
        let mut sum = *to;
        for g in 0..GROUP {
            sum = weights[g].mul_add::<FUSED>(parts[g][k], sum);
        }
        *to = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convolution_is_two_loops() {
        for length in 1..40_usize {
            let few: Vec<f64> = (0..length).map(|i| ((i * 7) % 3) as f64 - 1.0).collect();
            let all: Vec<f64> = (0..length).map(|i| (i * i % 11) as f64).collect();
            let mut out = vec![9.0; length];
            convolve(&few, &all.repeat(2), &mut out);
            for (k, found) in out.iter().enumerate() {
                let term = |b: usize| few[b] * all[(k + length - b) % length];
                assert_eq!(*found, (0..length).map(term).sum::<f64>());
            }
        }
    }
}
