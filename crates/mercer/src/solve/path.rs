//! The whole path of ridge systems from one decomposition.
//!
//! Given K = V Λ Vᵀ (n × n) and b (n × m): for any α, the solution of (K + α I) x = b is V (Λ + α)⁻¹ Vᵀ b, and the
//! diagonal of (K + α I)⁻¹, which leave-one-out residuals need, is Σ_j v_ij² / (λ_j + α). Both cost n² operations.

use std::ops::Range;

use rayon::prelude::*;

use super::eigen::{self, Solver};
use crate::context::{Context, Reservation, try_pieces};
use crate::error::Result;
use crate::gram::Gram;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::Mat;

/// A decomposed matrix with the right-hand sides seen from its eigenvectors.
pub struct Path {
    /// λ_j, descending.
    values: Vec<f64>,
    /// Row j is v_j.
    vectors: Mat<f64>,
    /// Vᵀ b: n × m.
    projected: Mat<f64>,
    _reservation: Reservation,
}

const HINT: &str = "use fewer rows, or raise the memory budget";
/// Rows of a result that one task computes.
const ROWS: usize = 64;
/// Eigenvectors that are summed over at a time.
const DEPTH: usize = 256;

/// Bytes that a path takes beside the matrix itself.
pub fn workspace_bytes(n: usize) -> u64 {
    eigen::workspace_bytes(n, n, Solver::Full)
}

impl Path {
    /// Decomposes `gram` for the right-hand sides `b` (n × m).
    pub fn new(ctx: &Context, gram: &dyn Gram, b: &Mat<f64>) -> Result<Self> {
        let pairs = eigen::all(ctx, gram)?;
        let bytes = 8 * pairs.vectors.data().len() as u64 + 8 * b.data().len() as u64;
        let reservation = ctx.reserve("the decomposed matrix", bytes, HINT)?;
        let mut projected = Mat::zeros(b.rows(), b.cols());
        let m = b.cols();
        ctx.install(|| {
            let pieces = projected.data_mut().par_chunks_mut(ROWS * m.max(1)).enumerate();
            pieces.for_each(|(piece, out)| {
                let rows = out.len() / m.max(1);
                let part = pairs.vectors.view().row_range(piece * ROWS, rows);
                let out = crate::linalg::view::MatMut::new(out, rows, m, m);
                multiply(part, b.view(), out, Onto::Nothing);
            });
        });
        Ok(Self {
            values: pairs.values,
            vectors: pairs.vectors,
            projected,
            _reservation: reservation,
        })
    }

    /// Rows of the matrix.
    pub fn n(&self) -> usize {
        self.values.len()
    }

    /// The eigenvalues, descending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The eigenvectors: row j is v_j.
    pub fn vectors(&self) -> &Mat<f64> {
        &self.vectors
    }

    /// The right-hand sides seen from the eigenvectors, Vᵀ b: n × m.
    pub fn projected(&self) -> &Mat<f64> {
        &self.projected
    }

    /// The largest eigenvalue by size.
    pub fn norm(&self) -> f64 {
        self.values.iter().fold(0.0, |most, v| most.max(v.abs()))
    }

    /// What is lost in rounding beside the largest eigenvalue.
    pub fn noise(&self, epsilon: f64) -> f64 {
        self.n() as f64 * epsilon * self.norm()
    }

    /// How many eigenvalues are not lost in rounding.
    pub fn rank(&self, epsilon: f64) -> usize {
        let noise = self.noise(epsilon);
        self.values.iter().filter(|v| v.abs() > noise).count()
    }

    /// Solutions for each of `alphas`, all positive, side by side: n × (alphas · m).
    pub fn solutions(&self, ctx: &Context, alphas: &[f64]) -> Result<Mat<f64>> {
        let m = self.projected.cols();
        let weigh = |j: usize, out: &mut [f64]| {
            for (alpha, part) in alphas.iter().zip(out.chunks_exact_mut(m)) {
                let weight = inverse(self.values[j] + alpha, 0.0);
                let sides = part.iter_mut().zip(self.projected.row(j));
                sides.for_each(|(place, p)| *place = p * weight);
            }
        };
        self.combine(ctx, alphas.len() * m, |v| v, weigh)
    }

    /// The solution for every right-hand side with a ridge α_j of its own: n × m. Of side j, directions in which λ + α_j is at
    /// most `cuts[j]` in size are left out.
    pub fn solve_each(&self, ctx: &Context, alphas: &[f64], cuts: &[f64]) -> Result<Mat<f64>> {
        assert!(alphas.len() == self.projected.cols() && cuts.len() == alphas.len());
        let weigh = |j: usize, out: &mut [f64]| {
            let sides = out.iter_mut().zip(self.projected.row(j)).zip(alphas.iter().zip(cuts));
            sides.for_each(|((place, p), (alpha, cut))| {
                *place = p * inverse(self.values[j] + alpha, *cut);
            });
        };
        self.combine(ctx, alphas.len(), |v| v, weigh)
    }

    /// The diagonal of (K + α I)⁻¹ for each of `alphas`, side by side: n × alphas.
    pub fn inverse_diagonals(&self, ctx: &Context, alphas: &[f64]) -> Result<Mat<f64>> {
        let weigh = |j: usize, out: &mut [f64]| {
            let places = out.iter_mut().zip(alphas);
            places.for_each(|(place, alpha)| *place = inverse(self.values[j] + alpha, 0.0));
        };
        self.combine(ctx, alphas.len(), |v| v * v, weigh)
    }

    /// Row i of the result is Σ_j turn(v_ij) · w_j, where `weigh` gives w_j (`count` numbers).
    fn combine(
        &self,
        ctx: &Context,
        count: usize,
        turn: impl Fn(f64) -> f64 + Sync,
        weigh: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Result<Mat<f64>> {
        let n = self.n();
        let bytes = 16 * n as u64 * count as u64;
        let _reservation = ctx.reserve("the path of solutions", bytes, HINT)?;
        let mut out = Mat::try_zeros(n, count)?;
        if count == 0 {
            return Ok(out);
        }
        let mut weights = Mat::try_zeros(n, count)?;
        weights.data_mut().chunks_exact_mut(count).enumerate().for_each(|(j, w)| weigh(j, w));
        ctx.install(|| {
            try_pieces(out.data_mut(), ROWS * count, &|piece, rows| {
                ctx.poll()?;
                let own = piece * ROWS..piece * ROWS + rows.len() / count;
                for from in (0..n).step_by(DEPTH) {
                    let depth = from..(from + DEPTH).min(n);
                    let turned = self.turned(depth.clone(), own.clone(), &turn);
                    let right = weights.view().row_range(from, depth.len());
                    let place = crate::linalg::view::MatMut::new(rows, own.len(), count, count);
                    multiply(turned.view().transposed(), right, place, Onto::Sum);
                }
                Ok(())
            })
        })?;
        Ok(out)
    }

    fn turned(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        turn: &impl Fn(f64) -> f64,
    ) -> Mat<f64> {
        let (height, width) = (rows.len(), cols.len());
        let lines = rows.flat_map(|j| self.vectors.row(j)[cols.clone()].iter().map(|&v| turn(v)));
        Mat::from_vec(lines.collect(), height, width)
    }
}

fn inverse(value: f64, cut: f64) -> f64 {
    if value.abs() > cut { 1.0 / value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::gram::Precomputed;
    use crate::linalg::cholesky;

    #[test]
    fn solutions_and_diagonals_are_those_of_the_inverse() {
        let ctx = Context::new(2);
        for n in [1, 5, 70, 300] {
            let mut stream = Stream::new(5, "test");
            let a = Mat::from_vec((0..n * n).map(|_| stream.normal()).collect(), n, n);
            let mut k = Mat::zeros(n, n);
            multiply(a.view(), a.view().transposed(), k.view_mut(), Onto::Nothing);
            let b = Mat::from_vec((0..2 * n).map(|_| stream.normal()).collect(), n, 2);
            let path = Path::new(&ctx, &Precomputed::new(k.view()).unwrap(), &b).unwrap();
            let alphas = [0.5, 3.0, 100.0];
            let x = path.solutions(&ctx, &alphas).unwrap();
            let diagonals = path.inverse_diagonals(&ctx, &alphas).unwrap();
            let each = path.solve_each(&ctx, &[alphas[2], alphas[0]], &[0.0; 2]).unwrap();
            for i in 0..n {
                assert!((each[(i, 0)] - x[(i, 4)]).abs() < 1e-12);
                assert!((each[(i, 1)] - x[(i, 1)]).abs() < 1e-12);
            }
            for (a, alpha) in alphas.iter().enumerate() {
                let mut l = k.clone();
                (0..n).for_each(|i| l[(i, i)] += alpha);
                cholesky::factor(&ctx, &mut l).unwrap();
                let mut want = b.clone();
                cholesky::solve(&ctx, &l, &mut want).unwrap();
                let mut unit = Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
                cholesky::solve(&ctx, &l, &mut unit).unwrap();
                for i in 0..n {
                    assert!((diagonals[(i, a)] - unit[(i, i)]).abs() < 1e-10);
                    for t in 0..2 {
                        assert!((x[(i, 2 * a + t)] - want[(i, t)]).abs() < 1e-9, "n = {n}");
                    }
                }
            }
        }
    }
}
