//! Data and shorthand for the tests.

use mercer::context::Stream;
use mercer::kernel::Tile;
use mercer::real::Real;
use mercer::{Dense, Kernel, KernelSpec, Span, SpecKernel};

/// n × d standard normal numbers.
pub fn normal<T: Real>(n: usize, d: usize, seed: u64) -> Dense<T> {
    let mut stream = Stream::new(seed, "test data");
    let data = (0..n * d).map(|_| T::from_f64(stream.normal())).collect();
    Dense::from_vec(data, n, d).unwrap()
}

/// n × d numbers that are not negative, a third of them 0, for kernels on histograms.
pub fn counts<T: Real>(n: usize, d: usize, seed: u64) -> Dense<T> {
    let kept = |v: &T| if v.to_f64() > -0.43 { v.abs() } else { T::ZERO };
    let data = normal::<T>(n, d, seed).data().iter().map(kept).collect();
    Dense::from_vec(data, n, d).unwrap()
}

/// Samples that the kernel can be used on.
pub fn samples_for<T: Real>(spec: &KernelSpec, n: usize, d: usize, seed: u64) -> Dense<T> {
    if spec.needs_histograms() { counts(n, d, seed) } else { normal(n, d, seed) }
}

pub fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

pub fn kernel<T: Real>(text: &str) -> SpecKernel<T> {
    SpecKernel::new(&spec(text)).unwrap_or_else(|error| panic!("{error}"))
}

/// All values of `x` against `y`, x.n() × y.n().
pub fn values<T: Real>(kernel: &SpecKernel<T>, x: &Dense<T>, y: &Dense<T>) -> Vec<f64> {
    let mut out = vec![T::ZERO; x.n() * y.n()];
    kernel.tile(Span::all(x), Span::all(y), Tile::new(&mut out, x.n(), y.n(), y.n())).unwrap();
    out.into_iter().map(|v| v.to_f64()).collect()
}

pub fn diag<T: Real>(kernel: &SpecKernel<T>, x: &Dense<T>) -> Vec<f64> {
    let mut out = vec![T::ZERO; x.n()];
    kernel.diag(Span::all(x), &mut out).unwrap();
    out.into_iter().map(|v| v.to_f64()).collect()
}

/// The smallest eigenvalue of a symmetric n × n matrix, by Jacobi rotations.
pub fn smallest_eigenvalue(matrix: &[f64], n: usize) -> f64 {
    let mut a = matrix.to_vec();
    for _ in 0..30 {
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, n, p, q);
            }
        }
    }
    (0..n).map(|i| a[i * n + i]).fold(f64::INFINITY, f64::min)
}

fn rotate(a: &mut [f64], n: usize, p: usize, q: usize) {
    if a[p * n + q] == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (kp, kq) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (c * kp - s * kq, s * kp + c * kq);
    }
    for k in 0..n {
        let (pk, qk) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (c * pk - s * qk, s * pk + c * qk);
    }
}
