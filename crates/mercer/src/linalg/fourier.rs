//! Circular convolutions by the fast Fourier transform, of several vectors side by side.
//!
//! Number k of all vectors lies in one lane, so that every step of the transform is one operation on lanes and needs no shuffles: a library for single
//! vectors would do the same work several times slower. Both real factors are transformed as one complex vector z = a + i·b. With Z its transform, those of a and b
//! are (Z_k + Z̄_−k)/2 and (Z_k − Z̄_−k)/2i, so that the transform of the convolution is (Z_k² − Z̄_−k²)/4i.
//!
//! The transform is Stockham's, whose result is in order: for each factor r of the length, columns of r numbers are transformed and turned.

use std::f64::consts::TAU;

use super::simd::{BASE_FUSED, dispatch};
use crate::real::Real;

/// Vectors side by side.
pub const LANES: usize = 8;

/// A number of each vector.
pub type Lane<T> = [T; LANES];

/// Factors of lengths that have a transform.
const RADICES: [usize; 5] = [4, 2, 3, 5, 7];
/// The largest of them.
const WIDEST: usize = 7;

/// Complex numbers: real and imaginary parts.
#[derive(Clone, Copy, Debug)]
struct Complex<T> {
    re: Lane<T>,
    im: Lane<T>,
}

/// What transforms of one length share.
#[derive(Clone, Debug)]
pub struct Transform<T> {
    radices: Vec<usize>,
    /// Cosine and sine of −2πk/n.
    roots: Vec<(T, T)>,
}

/// Vectors that are being convolved.
pub struct Work<T> {
    z: Vec<Complex<T>>,
    other: Vec<Complex<T>>,
}

impl<T: Real> Transform<T> {
    /// For vectors of n numbers; `None` if n has a large prime factor.
    pub fn new(n: usize) -> Option<Self> {
        let (mut left, mut radices) = (n, Vec::new());
        for radix in RADICES {
            while left > 1 && left.is_multiple_of(radix) {
                radices.push(radix);
                left /= radix;
            }
        }
        let root = |k: usize| {
            let (sine, cosine) = (-TAU * k as f64 / n as f64).sin_cos();
            (T::from_f64(cosine), T::from_f64(sine))
        };
        (left == 1 && n > 0).then(|| Self { radices, roots: (0..n).map(root).collect() })
    }

    /// Buffers for [`Transform::convolve`].
    pub fn work(&self) -> Work<T> {
        let zero = Complex { re: [T::ZERO; LANES], im: [T::ZERO; LANES] };
        Work { z: vec![zero; self.roots.len()], other: vec![zero; self.roots.len()] }
    }

    /// `a_k ← Σ_j a_j b_(k−j)`, places counted modulo n, for each lane.
    pub fn convolve(&self, a: &mut [Lane<T>], b: &[Lane<T>], work: &mut Work<T>) {
        let n = self.roots.len();
        assert!(a.len() == n && b.len() == n && work.z.len() == n && work.other.len() == n);
        convolve_lanes(self, a, b, work);
    }
}

dispatch! {
    fn convolve_lanes<T: Real>(
        transform: &Transform<T>, a: &mut [Lane<T>], b: &[Lane<T>], work: &mut Work<T>
    ) = convolve_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

#[inline(always)]
fn convolve_body<T: Real, const FUSED: bool>(
    transform: &Transform<T>,
    a: &mut [Lane<T>],
    b: &[Lane<T>],
    work: &mut Work<T>,
) {
    let n = a.len();
    // Both of about the same size: rounding errors of the larger would drown the smaller.
    let (size_a, size_b) = (sizes(a), sizes(b));
    let (down_a, down_b) = (size_a.map(inverse), size_b.map(inverse));
    for ((z, re), im) in work.z.iter_mut().zip(&*a).zip(b) {
        let re = std::array::from_fn(|l| re[l] * down_a[l]);
        *z = Complex { re, im: std::array::from_fn(|l| im[l] * down_b[l]) };
    }
    forward::<T, FUSED>(transform, work);
    // The conjugate of the transform of the convolution, times 1/n: its transform is the convolution.
    let scale = T::from_f64(0.25 / n as f64);
    for k in 0..=n / 2 {
        let (p, q) = (work.z[k], work.z[(n - k) % n]);
        let (product, mirrored) = (product(p, q, scale), product(q, p, scale));
        work.z[k] = product;
        work.z[(n - k) % n] = mirrored;
    }
    forward::<T, FUSED>(transform, work);
    for (to, z) in a.iter_mut().zip(&work.z) {
        *to = std::array::from_fn(|l| (z.re[l] * size_a[l]) * size_b[l]);
    }
}

/// The largest absolute number of each lane.
#[inline(always)]
fn sizes<T: Real>(a: &[Lane<T>]) -> Lane<T> {
    let larger = |most: T, v: T| if v.abs() > most { v.abs() } else { most };
    a.iter().fold([T::ZERO; LANES], |most, lane| std::array::from_fn(|l| larger(most[l], lane[l])))
}

#[inline(always)]
fn inverse<T: Real>(size: T) -> T {
    if size > T::ZERO { T::ONE / size } else { T::ZERO }
}

/// The conjugate of (p² − q̄²)/4i, with the scale 1/4.
#[inline(always)]
fn product<T: Real>(p: Complex<T>, q: Complex<T>, scale: T) -> Complex<T> {
    let (mut re, mut im) = ([T::ZERO; LANES], [T::ZERO; LANES]);
    for l in 0..LANES {
        let square_re =
            (p.re[l] * p.re[l] - p.im[l] * p.im[l]) - (q.re[l] * q.re[l] - q.im[l] * q.im[l]);
        let two = T::ONE + T::ONE;
        let square_im = two * (p.re[l] * p.im[l] + q.re[l] * q.im[l]);
        // (u + iv)/i = v − iu, whose conjugate is v + iu.
        (re[l], im[l]) = (square_im * scale, square_re * scale);
    }
    Complex { re, im }
}

/// Replaces `work.z` by its transform.
#[inline(always)]
fn forward<T: Real, const FUSED: bool>(transform: &Transform<T>, work: &mut Work<T>) {
    let (mut n, mut stride) = (work.z.len(), 1);
    for &radix in &transform.radices {
        let (from, to, roots) = (&work.z, &mut work.other, &transform.roots);
        match radix {
            2 => pass::<T, FUSED, 2>(from, to, roots, n, stride),
            3 => pass::<T, FUSED, 3>(from, to, roots, n, stride),
            4 => pass::<T, FUSED, 4>(from, to, roots, n, stride),
            5 => pass::<T, FUSED, 5>(from, to, roots, n, stride),
            _ => pass::<T, FUSED, WIDEST>(from, to, roots, n, stride),
        }
        std::mem::swap(&mut work.z, &mut work.other);
        n /= radix;
        stride *= radix;
    }
}

/// One pass with the factor R, where n numbers are left of a transform and `stride` transforms are interleaved.
#[inline(always)]
fn pass<T: Real, const FUSED: bool, const R: usize>(
    from: &[Complex<T>],
    to: &mut [Complex<T>],
    roots: &[(T, T)],
    n: usize,
    stride: usize,
) {
    let (all, m) = (roots.len(), n / R);
    for p in 0..m {
        let turns: [(T, T); R] = std::array::from_fn(|k| roots[p * k * stride]);
        for q in 0..stride {
            let column = std::array::from_fn(|i| from[q + stride * (p + m * i)]);
            let found = small::<T, FUSED, R>(column, roots, all / R);
            for (k, value) in found.into_iter().enumerate() {
                to[q + stride * (R * p + k)] =
                    if k == 0 { value } else { turned::<T, FUSED>(value, turns[k]) };
            }
        }
    }
}

/// The transform of R numbers; `step` is the place of the first root of order R.
#[inline(always)]
fn small<T: Real, const FUSED: bool, const R: usize>(
    x: [Complex<T>; R],
    roots: &[(T, T)],
    step: usize,
) -> [Complex<T>; R] {
    let mut out = x;
    if R == 2 {
        (out[0], out[1]) = (add(x[0], x[1]), subtract(x[0], x[1]));
        return out;
    }
    if R == 4 {
        let (even, odd) = (add(x[0], x[2]), add(x[1], x[3]));
        let (low, high) = (subtract(x[0], x[2]), subtract(x[1], x[3]));
        (out[0], out[2]) = (add(even, odd), subtract(even, odd));
        let turned = Complex { re: high.im, im: high.re.map(|v| -v) };
        (out[1], out[3]) = (add(low, turned), subtract(low, turned));
        return out;
    }
    // An odd number: sums and differences of the numbers on both sides of the first have real factors.
    for k in 1..=R / 2 {
        let (mut whole, mut side) = (x[0], Complex { re: [T::ZERO; LANES], im: [T::ZERO; LANES] });
        for i in 1..=R / 2 {
            let (sum, difference) = (add(x[i], x[R - i]), subtract(x[i], x[R - i]));
            let (cosine, sine) = roots[i * k % R * step];
            for l in 0..LANES {
                whole.re[l] = sum.re[l].mul_add::<FUSED>(cosine, whole.re[l]);
                whole.im[l] = sum.im[l].mul_add::<FUSED>(cosine, whole.im[l]);
                // i·sine·difference.
                side.re[l] = difference.im[l].mul_add::<FUSED>(-sine, side.re[l]);
                side.im[l] = difference.re[l].mul_add::<FUSED>(sine, side.im[l]);
            }
        }
        (out[k], out[R - k]) = (add(whole, side), subtract(whole, side));
    }
    out[0] = x.into_iter().skip(1).fold(x[0], add);
    out
}

#[inline(always)]
fn add<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    Complex {
        re: std::array::from_fn(|l| a.re[l] + b.re[l]),
        im: std::array::from_fn(|l| a.im[l] + b.im[l]),
    }
}

#[inline(always)]
fn subtract<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    Complex {
        re: std::array::from_fn(|l| a.re[l] - b.re[l]),
        im: std::array::from_fn(|l| a.im[l] - b.im[l]),
    }
}

/// The number times a root.
#[inline(always)]
fn turned<T: Real, const FUSED: bool>(a: Complex<T>, (cosine, sine): (T, T)) -> Complex<T> {
    Complex {
        re: std::array::from_fn(|l| a.re[l].mul_add::<FUSED>(cosine, -(a.im[l] * sine))),
        im: std::array::from_fn(|l| a.re[l].mul_add::<FUSED>(sine, a.im[l] * cosine)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    #[test]
    fn a_convolution_is_two_loops_for_every_length() {
        fn check<T: Real>(tolerance: f64) {
            let mut stream = Stream::new(6, "test");
            for n in (1..70).chain([128, 125, 343, 360, 1000]) {
                let Some(transform) = Transform::<T>::new(n) else { continue };
                let mut random =
                    || (0..n).map(|_| [0; LANES].map(|_| T::from_f64(stream.normal()))).collect();
                let (a, b): (Vec<Lane<T>>, Vec<Lane<T>>) = (random(), random());
                let mut found = a.clone();
                transform.convolve(&mut found, &b, &mut transform.work());
                for k in 0..n {
                    for l in 0..LANES {
                        let term = |j: usize| a[j][l].to_f64() * b[(k + n - j) % n][l].to_f64();
                        let want: f64 = (0..n).map(term).sum();
                        let error = (found[k][l].to_f64() - want).abs();
                        assert!(error < tolerance * n as f64, "{n}: {error:e}");
                    }
                }
            }
        }
        check::<f64>(1e-14);
        check::<f32>(1e-5);
    }

    #[test]
    fn lengths_with_a_large_prime_have_none() {
        let has = |n: usize| Transform::<f64>::new(n).is_some();
        assert!(has(1) && has(2) && has(1000) && has(1024) && has(2205));
        assert!(!has(0) && !has(11) && !has(997) && !has(2 * 13));
    }
}
