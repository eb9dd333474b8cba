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

    /// The point.
    pub fn point(&self) -> &[T] {
        &self.point
    }

    /// k(m, x) − k(m, m) of samples given less the point; functions of differences aside.
    pub fn rises(&self, x: &Dense<T>) -> Vec<f64> {
        let dot = |row: &[T]| row.iter().zip(&self.point).map(|(v, p)| v.f64() * p.f64()).sum();
        let rise = |row: &[T], term: &Term| match term {
            Term::Differences(_) => 0.0,
            Term::Linear(_) => dot(row),
            Term::Poly(poly) => poly.rise_of(row),
        };
        let sum = |i| self.terms.iter().map(|(scale, term)| scale * rise(x.row(i), term)).sum();
        (0..x.n()).map(sum).collect()
    }
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
            Term::Poly(PolyAbout::new(poly, point.iter().map(|v| v.f64()).collect()))
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
        rows.zip(out).for_each(|(row, value)| *value = T::of(poly.own(row)));
        Ok(())
    }
}

/// The numbers of dense samples, row-major.
fn numbers<T: Real>(span: Span<'_, Samples<T>>) -> Result<&[T]> {
    let x = span.points.need_dense("a kernel seen from a point")?;
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
            let scale = T::of(*scale);
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
            out.iter_mut().zip(&values).for_each(|(to, &v)| *to += T::of(*scale) * v);
        }
        Ok(())
    }
}
