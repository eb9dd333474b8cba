//! The polynomial kernel seen from a point m, on samples x, x' from which m was taken away.
//!
//! With w = γ·xᵀx', u = γ·mᵀx, v = γ·mᵀx', b = γ·‖m‖² + c and degree p:
//!
//! ```text
//! k_m = (b+u+v+w)^p − (b+u)^p − (b+v)^p + b^p
//!     = w·Σ_k (b+u+v+w)^k (b+u+v)^(p−1−k)  +  Σ_{0<i<p} C(p, i)·u^i·[(b+v)^(p−i) − b^(p−i)]
//! ```
//!
//! In the second form nothing large is subtracted from anything large: (b+v)^q − b^q is v·Σ_k (b+v)^k b^(q−1−k).

use super::poly::Poly;
use crate::linalg::vmath::powers_between;
use crate::real::Real;

/// A polynomial kernel seen from a point.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct PolyAbout {
    degree: usize,
    gamma: f64,
    /// m, d numbers.
    point: Vec<f64>,
    /// γ·‖m‖² + c.
    base: f64,
}

/// What the formula needs of some samples.
pub(in crate::kernel) struct Along<T> {
    /// γ·mᵀx.
    values: Vec<T>,
    /// For q = 1 … p − 1: (b + γ·mᵀx)^q − b^q.
    rises: Vec<Vec<T>>,
}

impl PolyAbout {
    /// The kernel `poly` seen from `point`.
    pub fn new(poly: &Poly, point: Vec<f64>) -> Self {
        let square: f64 = point.iter().map(|v| v * v).sum();
        let (degree, gamma, coef0) = poly.parameters();
        Self { degree: degree as usize, gamma, base: gamma * square + coef0, point }
    }

    fn along_row<T: Real>(&self, row: &[T]) -> f64 {
        self.gamma * row.iter().zip(&self.point).map(|(v, p)| v.to_f64() * p).sum::<f64>()
    }

    /// What the formula needs of samples, given less the point: n × d, row-major.
    pub fn along<T: Real>(&self, rows: &[T]) -> Along<T> {
        let values: Vec<f64> =
            rows.chunks_exact(self.point.len()).map(|r| self.along_row(r)).collect();
        let rise = |q: usize| values.iter().map(|&v| T::from_f64(self.rise(v, q))).collect();
        let rises = (1..self.degree).map(rise).collect();
        Along { values: values.into_iter().map(T::from_f64).collect(), rises }
    }

    /// k(m, x) − k(m, m) of a sample given less the point.
    pub fn rise_of<T: Real>(&self, row: &[T]) -> f64 {
        self.rise(self.along_row(row), self.degree)
    }

    /// k(m, m).
    pub fn at_point(&self) -> f64 {
        (0..self.degree).fold(1.0, |power, _| power * self.base)
    }

    /// (b + v)^q − b^q, for q ≥ 1.
    fn rise(&self, v: f64, q: usize) -> f64 {
        let (from, to) = (self.base, self.base + v);
        let mut power = 1.0;
        let mut sum = 1.0;
        for _ in 1..q {
            power *= from;
            sum = sum * to + power;
        }
        v * sum
    }

    /// The kernel value of a sample with itself, given less the point.
    pub fn diagonal<T: Real>(&self, row: &[T]) -> f64 {
        let u = self.along_row(row);
        let mut value = [row.iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>()];
        powers_between(&mut value, &[u], self.base + u, self.gamma, self.degree);
        let (mut factor, mut sum) = (1.0, value[0]);
        for k in 1..self.degree {
            factor *= u * (self.degree + 1 - k) as f64 / k as f64;
            sum += factor * self.rise(u, self.degree - k);
        }
        sum
    }

    /// Turns the dot products of sample `i` of `rows` with all of `cols` into kernel values.
    pub fn apply<T: Real>(&self, rows: &Along<T>, i: usize, cols: &Along<T>, values: &mut [T]) {
        let u = rows.values[i];
        let start = T::from_f64(self.base) + u;
        powers_between(values, &cols.values, start, T::from_f64(self.gamma), self.degree);
        let (mut power, mut binomial) = (T::ONE, 1.0);
        for k in 1..self.degree {
            power = power * u;
            binomial *= (self.degree + 1 - k) as f64 / k as f64;
            let factor = T::from_f64(binomial) * power;
            let rises = &cols.rises[self.degree - k - 1];
            values.iter_mut().zip(rises).for_each(|(value, &rise)| *value += factor * rise);
        }
    }
}
