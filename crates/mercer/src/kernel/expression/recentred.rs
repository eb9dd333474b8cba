//! A kernel seen from a point m of its samples:
//!
//! ```text
//! k_m(x, x') = ⟨φ(x) − φ(m), φ(x') − φ(m)⟩ = k(x, x') − k(x, m) − k(m, x') + k(m, m)
//! ```
//!
//! Where coefficients sum to 0, and where only distances in feature space count, k_m may stand for k. Of samples far from the origin
//! the values of k are large and nearly equal, so that their differences, which are all that counts, are lost in rounding; k_m is computed from
//! samples less m, without cancellation. A function of differences loses nothing, and stays as it is.

use super::SpecKernel;
use super::compile::Node;
use super::evaluate::fill;
use crate::error::Result;
use crate::kernel::vector::measure::Measure;
use crate::kernel::vector::{Member, PolyAbout};
use crate::kernel::{Kernel, Tile};
use crate::points::{Dense, Samples, Span};
use crate::real::Real;

/// A kernel seen from a point, on dense samples less that point.
#[derive(Debug, Clone)]
pub struct Recentred<T> {
    terms: Vec<(f64, Term)>,
    point: Vec<T>,
}

#[derive(Debug, Clone)]
enum Term {
    /// A function of differences.
    Differences(Node),
    /// The linear kernel.
    Linear(Node),
    Poly(PolyAbout),
}

impl<T: Real> Recentred<T> {
    /// `kernel` seen from `point`, if it is a sum of linear and polynomial kernels and functions of differences.
    pub fn new(kernel: &SpecKernel<T>, point: &[T]) -> Option<Self> {
        let mut terms = Vec::new();
        collect(kernel.root(), 1.0, point, &mut terms)?;
        Some(Self { terms, point: point.to_vec() })
    }

    /// Whether the kernel is a function of differences and nothing else, so that it has the same values without this.
    pub fn is_of_differences(&self) -> bool {
        self.terms.iter().all(|(_, term)| matches!(term, Term::Differences(_)))
    }

    /// Whether a function of differences is among the terms: its values with the point are not 0.
    pub fn has_differences(&self) -> bool {
        self.terms.iter().any(|(_, term)| matches!(term, Term::Differences(_)))
    }

    /// The point.
    pub fn point(&self) -> &[T] {
        &self.point
    }

    /// k(m, x) − k(m, m) of samples given less the point; functions of differences aside.
    pub fn rises(&self, x: &Dense<T>) -> Vec<f64> {
        (0..x.n()).map(|i| self.rise(x.row(i))).collect()
    }

    /// The same of one sample.
    pub fn rise(&self, row: &[T]) -> f64 {
        let rise = |term: &Term| match term {
            Term::Differences(_) => 0.0,
            Term::Linear(_) => dot(row, &self.point),
            Term::Poly(poly) => poly.rise_of(row),
        };
        self.terms.iter().map(|(scale, term)| scale * rise(term)).sum()
    }

    /// k(m, m); functions of differences aside.
    pub fn at_point(&self) -> f64 {
        let value = |term: &Term| match term {
            Term::Differences(_) => 0.0,
            Term::Linear(_) => dot(&self.point, &self.point),
            Term::Poly(poly) => poly.at_point(),
        };
        self.terms.iter().map(|(scale, term)| scale * value(term)).sum()
    }
}

fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
}

/// Appends the terms of `scale` · `node`, or returns `None` where it has one that cannot be seen from a point.
fn collect<T: Real>(
    node: &Node,
    scale: f64,
    point: &[T],
    terms: &mut Vec<(f64, Term)>,
) -> Option<()> {
    let term = match node {
        Node::Sum(parts) => {
            return parts.iter().try_for_each(|(c, part)| collect(part, scale * c, point, terms));
        }
        node if node.is_of_differences() => Term::Differences(node.clone()),
        Node::Member(Member::Linear(_)) => Term::Linear(node.clone()),
        Node::Member(Member::Poly(poly)) => {
            Term::Poly(PolyAbout::new(poly, point.iter().map(|v| v.to_f64()).collect()))
        }
        _ => return None,
    };
    terms.push((scale, term));
    Some(())
}

impl Term {
    fn tile<T: Real>(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let poly = match self {
            Term::Differences(node) | Term::Linear(node) => return node.tile(rows, cols, out),
            Term::Poly(poly) => poly,
        };
        fill(Measure::Dot, rows, cols, out)?;
        let (left, right) = (poly.along(numbers(rows)?), poly.along(numbers(cols)?));
        (0..out.rows()).for_each(|i| poly.apply(&left, i, &right, out.row(i)));
        Ok(())
    }

    fn diag<T: Real>(&self, points: Span<'_, Samples<T>>, out: &mut [T]) -> Result<()> {
        let poly = match self {
            Term::Differences(node) | Term::Linear(node) => return node.diag(points, out),
            Term::Poly(poly) => poly,
        };
        let rows = numbers(points)?.chunks_exact(points.points.features());
        rows.zip(out).for_each(|(row, value)| *value = T::from_f64(poly.diagonal(row)));
        Ok(())
    }
}

/// The numbers of dense samples, row-major.
fn numbers<T: Real>(span: Span<'_, Samples<T>>) -> Result<&[T]> {
    let x = span.points.need_dense("a recentred kernel")?;
    Ok(&x.data()[span.start * x.d()..span.end * x.d()])
}

impl<T: Real> Kernel<Samples<T>, T> for Recentred<T> {
    fn tile(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        mut out: Tile<'_, T>,
    ) -> Result<()> {
        let (n, m) = (rows.len(), cols.len());
        if n == 0 || m == 0 {
            return Ok(());
        }
        let mut scratch = if self.terms.len() > 1 { vec![T::ZERO; n * m] } else { Vec::new() };
        for (place, (scale, term)) in self.terms.iter().enumerate() {
            let scale = T::from_f64(*scale);
            if place == 0 {
                term.tile(rows, cols, &mut out)?;
                (0..n).for_each(|i| out.row(i).iter_mut().for_each(|v| *v = *v * scale));
                continue;
            }
            term.tile(rows, cols, &mut Tile::new(&mut scratch, n, m, m))?;
            for (i, values) in scratch.chunks_exact(m).enumerate() {
                out.row(i).iter_mut().zip(values).for_each(|(to, &v)| *to += scale * v);
            }
        }
        Ok(())
    }
    fn diag(&self, points: Span<'_, Samples<T>>, out: &mut [T]) -> Result<()> {
        let mut values = vec![T::ZERO; out.len()];
        out.fill(T::ZERO);
        for (scale, term) in &self.terms {
            term.diag(points, &mut values)?;
            out.iter_mut().zip(&values).for_each(|(to, &v)| *to += T::from_f64(*scale) * v);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers, so that integers know every value exactly.
    const X: [[i128; 2]; 4] = [[3, -1], [0, 4], [-5, 2], [7, 7]];
    const POINT: [i128; 2] = [1 << 20, -(1 << 19)];

    fn kernel(text: &str) -> SpecKernel<f64> {
        SpecKernel::new(&text.parse().unwrap()).unwrap()
    }

    fn samples() -> Samples<f64> {
        let data = X.iter().flatten().map(|&v| v as f64).collect();
        Dense::from_vec(data, X.len(), 2).unwrap().into()
    }

    /// (2·xᵀx' + 3)^p of samples with the point put back.
    fn poly(x: [i128; 2], z: [i128; 2], p: u32) -> i128 {
        (2 * (0..2).map(|j| (x[j] + POINT[j]) * (z[j] + POINT[j])).sum::<i128>() + 3).pow(p)
    }

    #[test]
    fn polynomials_seen_from_far_away_keep_their_digits() {
        for p in 1..=3 {
            let point = POINT.map(|v| v as f64);
            let text = format!("poly(degree={p}, gamma=2, coef0=3)");
            let seen = Recentred::new(&kernel(&text), &point).unwrap();
            let (x, n) = (samples(), X.len());
            let (mut values, mut diagonal) = (vec![0.0; n * n], vec![0.0; n]);
            let tile = Tile::new(&mut values, n, n, n);
            seen.tile(Span::all(&x), Span::all(&x), tile).unwrap();
            seen.diag(Span::all(&x), &mut diagonal).unwrap();
            let rises = seen.rises(x.dense().unwrap());
            let zero = [0, 0];
            let at_point = poly(zero, zero, p) as f64;
            assert!((seen.at_point() - at_point).abs() <= 1e-14 * at_point);
            let close = |found: f64, want: i128| {
                assert!(
                    (found - want as f64).abs() <= 1e-14 * (want as f64).abs(),
                    "{found} {want}"
                );
            };
            for i in 0..n {
                close(rises[i], poly(X[i], zero, p) - poly(zero, zero, p));
                let want = |j: usize| {
                    poly(X[i], X[j], p) - poly(X[i], zero, p) - poly(zero, X[j], p)
                        + poly(zero, zero, p)
                };
                close(diagonal[i], want(i));
                (0..n).for_each(|j| close(values[i * n + j], want(j)));
            }
        }
    }

    #[test]
    fn sums_are_seen_term_by_term_and_other_kernels_are_not() {
        let (x, n) = (samples(), X.len());
        let values = |kernel: &dyn Kernel<Samples<f64>, f64>| {
            let mut values = vec![0.0; n * n];
            let tile = Tile::new(&mut values, n, n, n);
            kernel.tile(Span::all(&x), Span::all(&x), tile).unwrap();
            values
        };
        let parts = ["0.5*linear", "2*rbf(gamma=0.01)*laplacian(gamma=0.1)", "poly(degree=2)"];
        let point = [10.0, -20.0];
        let seen = |text: &str| Recentred::new(&kernel(text), &point).unwrap();
        let sum = values(&seen(&parts.join(" + ")));
        let each = parts.map(|text| values(&seen(text)));
        for (i, value) in sum.iter().enumerate() {
            let want: f64 = each.iter().map(|values| values[i]).sum();
            assert!((value - want).abs() < 1e-11 * want.abs().max(1.0));
        }
        // Products of differences stay what they are, wherever they are seen from.
        assert_eq!(each[1], values(&kernel(parts[1])));
        assert!(seen(parts[1]).is_of_differences() && !seen(parts[0]).is_of_differences());
        for text in ["cosine", "linear*rbf(gamma=1)", "sigmoid(gamma=1)", "normalize(linear)"] {
            assert!(Recentred::new(&kernel(text), &point).is_none(), "{text}");
        }
    }
}
