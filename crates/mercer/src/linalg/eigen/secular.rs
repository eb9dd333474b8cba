//! The eigenvalues of D + ρ z zᵀ, with D diagonal: roots of the secular function
//!
//! ```text
//! f(x) = 1/ρ + Σ z_i² / (d_i − x),      ρ > 0,   d ascending,   z without zeros.
//! ```
//!
//! f rises from −∞ to +∞ between two neighbouring d, so root j lies in (d_j, d_{j+1}), the last one in (d_j, d_j + ρ‖z‖²).
//! A root is kept as its distance from the nearer end, without which the eigenvectors would not be orthogonal.
//!
//! Each step puts a simple fraction with its pole at d_j for the terms up to j, and one with its pole at d_{j+1} for the
//! others, both with the right value and slope, and solves the quadratic equation that is left. Steps that leave the
//! bracket are replaced by bisection.

use crate::linalg::simd::dispatch;
use crate::real::Real;

/// A root: `d[origin] + offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) origin: usize,
    pub(super) offset: f64,
}

/// The update D + ρ z zᵀ.
pub(super) struct Secular<'a> {
    pub(super) d: &'a [f64],
    pub(super) z: &'a [f64],
    pub(super) rho: f64,
}

/// Terms of f on one side of a root: value, slope.
type Side = [f64; 2];

impl Secular<'_> {
    /// Root `j`, counted from the smallest.
    pub(super) fn root(&self, j: usize) -> Root {
        let last = j + 1 == self.d.len();
        let gap = if last {
            self.rho * self.z.iter().map(|z| z * z).sum::<f64>()
        } else {
            self.d[j + 1] - self.d[j]
        };
        let middle = 0.5 * gap;
        let rising = self.value(&self.sides(j, j, middle)) >= 0.0;
        let (origin, low, high) = match (last, rising) {
            (_, true) => (j, 0.0, middle),
            (true, false) => (j, middle, gap),
            (false, false) => (j + 1, -middle, 0.0),
        };
        let start = if origin == j { middle } else { -middle };
        Root { origin, offset: self.search(j, origin, start, (low, high)) }
    }

    fn search(&self, j: usize, origin: usize, start: f64, bracket: (f64, f64)) -> f64 {
        let ((mut low, mut high), mut x) = (bracket, start);
        for _ in 0..100 {
            let sides = self.sides(j, origin, x);
            let value = self.value(&sides);
            if value.abs() <= self.noise(&sides, x) {
                break;
            }
            if value < 0.0 {
                low = x
            } else {
                high = x
            }
            let mut next = x + self.step(j, origin, x, &sides);
            if !(low < next && next < high) {
                next = between(low, high);
            }
            if next == x
                || (next - x).abs() <= f64::EPSILON * next.abs()
                || !(low < next && next < high)
            {
                x = if next == 0.0 { x } else { next };
                break;
            }
            x = next;
        }
        x
    }

    fn value(&self, [left, right]: &[Side; 2]) -> f64 {
        self.rho.recip() + left[0] + right[0]
    }

    /// How far from zero the value may be by rounding alone.
    fn noise(&self, [left, right]: &[Side; 2], x: f64) -> f64 {
        let size = self.rho.recip() + 8.0 * (left[0].abs() + right[0].abs());
        f64::EPSILON * (size + x.abs() * (left[1] + right[1]))
    }

    /// Terms up to j, and after, at d[origin] + x.
    fn sides(&self, j: usize, origin: usize, x: f64) -> [Side; 2] {
        let mut sides = [[0.0; 2]; 2];
        let ((d0, d1), (z0, z1)) = (self.d.split_at(j + 1), self.z.split_at(j + 1));
        terms::<f64>(d0, z0, self.d[origin], x, &mut sides[0]);
        terms::<f64>(d1, z1, self.d[origin], x, &mut sides[1]);
        sides
    }

    /// The step to the root of the two fractions; not a number where they have none.
    fn step(&self, j: usize, origin: usize, x: f64, sides: &[Side; 2]) -> f64 {
        let [left, right] = sides;
        let p = (self.d[j] - self.d[origin]) - x;
        let a = left[1] * p * p;
        let mut flat = self.rho.recip() + left[0] - left[1] * p;
        if j + 1 == self.d.len() {
            return if flat > 0.0 { p + a / flat } else { f64::NAN };
        }
        let q = (self.d[j + 1] - self.d[origin]) - x;
        flat += right[0] - right[1] * q;
        let c = right[1] * q * q;
        let b = flat * (p + q) + a + c;
        let constant = p * q * self.value(sides);
        let root = (b * b - 4.0 * flat * constant).max(0.0).sqrt();
        if b > 0.0 { 2.0 * constant / (b + root) } else { (b - root) / (2.0 * flat) }
    }
}

/// A number between two of one sign (one may be zero), halving the exponent where they are far apart.
fn between(low: f64, high: f64) -> f64 {
    let (small, large) = if low.abs() < high.abs() { (low, high) } else { (high, low) };
    if small == 0.0 {
        large / 64.0
    } else if large / small > 4.0 {
        large.signum() * (large.abs().sqrt() * small.abs().sqrt())
    } else {
        0.5 * (low + high)
    }
}

dispatch! {
    /// Σ z² / δ and Σ z² / δ², with δ = (d − origin) − x.
    fn terms<T: Real>(d: &[f64], z: &[f64], origin: f64, x: f64, out: &mut Side) =
        terms_body: avx512 [], avx2 [], base [];
}

#[inline(always)]
fn terms_body(d: &[f64], z: &[f64], origin: f64, x: f64, out: &mut Side) {
    let (mut values, mut slopes) = ([0.0; 8], [0.0; 8]);
    let (ds, zs) = (d.chunks_exact(8), z.chunks_exact(8));
    let rest = ds.remainder().iter().zip(zs.remainder());
    for (d, z) in ds.zip(zs) {
        for l in 0..8 {
            let w = z[l] / ((d[l] - origin) - x);
            values[l] += z[l] * w;
            slopes[l] += w * w;
        }
    }
    *out = [values.iter().sum(), slopes.iter().sum()];
    for (d, z) in rest {
        let w = z / ((d - origin) - x);
        out[0] += z * w;
        out[1] += w * w;
    }
}

dispatch! {
    /// |z_i| for which the roots are exact: √ Π_j (x_j − d_i) / Π_{j ≠ i} (d_j − d_i). `origins` are the d from which
    /// the roots x = origin + offset are counted.
    pub(super) fn repaired<T: Real>(d: &[f64], origins: &[f64], offsets: &[f64], i: usize, out: &mut f64) =
        repaired_body: avx512 [], avx2 [], base [];
}

#[inline(always)]
fn repaired_body(d: &[f64], origins: &[f64], offsets: &[f64], i: usize, out: &mut f64) {
    let di = d[i];
    let mut products = [1.0; 8];
    let mut multiply = |from: usize, to: usize| {
        let (d, origins, offsets) = (&d[from..to], &origins[from..to], &offsets[from..to]);
        let whole = d.len() / 8 * 8;
        for at in (0..whole).step_by(8) {
            let (d, o, x) = (&d[at..at + 8], &origins[at..at + 8], &offsets[at..at + 8]);
            for l in 0..8 {
                products[l] *= ((o[l] - di) + x[l]) / (d[l] - di);
            }
        }
        for at in whole..d.len() {
            products[0] *= ((origins[at] - di) + offsets[at]) / (d[at] - di);
        }
    };
    multiply(0, i);
    multiply(i + 1, d.len());
    let own = (origins[i] - di) + offsets[i];
    *out = products.iter().fold(own, |product, factor| product * factor).abs().sqrt();
}

dispatch! {
    /// The unit eigenvector z_i / (d_i − x) of the root x = origin + offset.
    pub(super) fn eigenvector<T: Real>(d: &[f64], z: &[f64], origin: f64, offset: f64, out: &mut [f64]) =
        eigenvector_body: avx512 [], avx2 [], base [];
}

#[inline(always)]
fn eigenvector_body(d: &[f64], z: &[f64], origin: f64, offset: f64, out: &mut [f64]) {
    assert!(d.len() == out.len() && z.len() == out.len());
    for i in 0..out.len() {
        out[i] = z[i] / ((d[i] - origin) - offset);
    }
    let mut squares = [0.0; 8];
    let whole = out.chunks_exact(8);
    let rest: f64 = whole.remainder().iter().map(|x| x * x).sum();
    for chunk in whole {
        for l in 0..8 {
            squares[l] += chunk[l] * chunk[l];
        }
    }
    let scale = (squares.iter().sum::<f64>() + rest).sqrt().recip();
    out.iter_mut().for_each(|x| *x *= scale);
}
