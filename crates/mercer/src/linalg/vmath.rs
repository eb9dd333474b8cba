//! Elementwise functions over slices, in place, compiled for the instruction set in use.

use super::simd::{BASE_FUSED, dispatch};
use crate::real::Real;

dispatch! {
    /// `x ← f(x)` for a formula without branches.
    pub fn map<T: Real, F: MapFn<T>>(x: &mut [T], f: F) =
        map_body: avx512 [T, F], avx2 [T, F], base [T, F];
}

dispatch! {
    /// `x ← e^(factor·x)`.
    pub fn exp_scaled<T: Real>(x: &mut [T], factor: T) =
        exp_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

dispatch! {
    /// `x ← tanh x`.
    pub fn tanh<T: Real>(x: &mut [T]) =
        tanh_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

dispatch! {
    /// `x ← (s + w)^p − s^p` with w = factor·x and s = start + shift, without subtracting the powers: w·Σ_k (s + w)^k s^(p−1−k).
    pub fn powers_between<T: Real>(x: &mut [T], shifts: &[T], start: T, factor: T, p: usize) =
        powers_between_body: avx512 [T], avx2 [T], base [T];
}

/// A formula for [`map`]; every copyable function of one number is one.
pub trait MapFn<T>: Fn(T) -> T + Copy {}
impl<T, F: Fn(T) -> T + Copy> MapFn<T> for F {}

/// `x ← e^x`.
pub fn exp<T: Real>(x: &mut [T]) {
    exp_scaled(x, T::ONE);
}

/// `x ← ln x`.
pub fn ln<T: Real>(x: &mut [T]) {
    map(x, T::ln);
}

/// `x ← x^p` by repeated squaring.
pub fn powi<T: Real>(x: &mut [T], p: u32) {
    match p {
        0 => x.fill(T::ONE),
        1 => {}
        2 => map(x, |v| v * v),
        3 => map(x, |v| v * v * v),
        _ => map(x, move |v| {
            let (mut result, mut square, mut rest) = (T::ONE, v, p);
            while rest > 0 {
                if rest & 1 == 1 {
                    result = result * square;
                }
                square = square * square;
                rest >>= 1;
            }
            result
        }),
    }
}

#[inline(always)]
fn map_body<T: Real, F: MapFn<T>>(x: &mut [T], f: F) {
    for v in x {
        *v = f(*v);
    }
}

#[inline(always)]
fn exp_body<T: Real, const FUSED: bool>(x: &mut [T], factor: T) {
    for v in x {
        *v = (*v * factor).exp::<FUSED>();
    }
}

#[inline(always)]
fn tanh_body<T: Real, const FUSED: bool>(x: &mut [T]) {
    for v in x {
        *v = v.tanh::<FUSED>();
    }
}

#[inline(always)]
fn powers_between_body<T: Real>(x: &mut [T], shifts: &[T], start: T, factor: T, p: usize) {
    for (v, &shift) in x.iter_mut().zip(shifts) {
        let (w, from) = (factor * *v, start + shift);
        let to = from + w;
        let (mut power, mut sum) = (T::ONE, T::ONE);
        for _ in 1..p {
            power = power * from;
            sum = sum * to + power;
        }
        *v = w * sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_every_length_agree_with_single_numbers() {
        for length in 0..40 {
            let input: Vec<f64> = (0..length).map(|i| f64::from(i) * 0.37 - 5.0).collect();
            let check = |f: &dyn Fn(&mut [f64]), g: &dyn Fn(f64) -> f64| {
                let mut out = input.clone();
                f(&mut out);
                for (x, y) in input.iter().zip(&out) {
                    assert!((g(*x) - y).abs() <= 1e-14 * g(*x).abs(), "{x}: {y}");
                }
            };
            check(&|x| exp(x), &f64::exp);
            check(&|x| exp_scaled(x, -0.3), &|x| (-0.3 * x).exp());
            check(&|x| tanh(x), &f64::tanh);
            for p in 0..9 {
                check(&|x| powi(x, p), &|x| x.powi(p as i32));
            }
        }
    }
}
