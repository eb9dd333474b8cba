//! The Gram matrix of weighted samples whose weighted mean in feature space was taken away, and a constant added.
//!
//! With weights w of sum W and J = I − 1wᵀ/W: K̄ = J K Jᵀ + τ 11ᵀ. For S = √w, the vector s = S 1 is an eigenvector of S K̄ S, of the
//! eigenvalue τ W: without the constant it would be 0, and a system with this matrix singular although the problem is not.
//! τ W is the mean of the other eigenvalues, so that it lies among them.

use super::{Gram, Operator};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::skinny::{Lane, WIDTH};
use crate::linalg::view::Mat;
use crate::points::Dtype;

/// A centred view of a Gram matrix.
pub struct WeightedCentred<'a> {
    inner: &'a dyn Gram,
    weights: Vec<f64>,
    /// W.
    total: f64,
    /// The weighted means of the rows of `inner`.
    means: Vec<f64>,
    /// Their weighted mean.
    mean: f64,
    /// Σ_i w_i K̄_ii before the constant was added.
    trace: f64,
}

impl<'a> WeightedCentred<'a> {
    /// Computes the weighted row means of `inner`: one pass over the matrix. `weights` are not negative, and some are positive.
    pub fn new(ctx: &Context, inner: &'a dyn Gram, weights: Vec<f64>) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        let unit = Block::from_fn(inner.n(), |i, c| if c == 0 { weights[i] / total } else { 0.0 });
        let mut product = Block::zeros(inner.n());
        inner.apply(ctx, &unit, &mut product)?;
        let means = product.lanes().iter().map(|lane| lane[0]).collect();
        Self::with_means(ctx, inner, weights, means)
    }

    /// The same of another matrix that is nearly the same, such as a copy in single precision.
    pub fn like(&self, ctx: &Context, inner: &'a dyn Gram) -> Result<Self> {
        Self::with_means(ctx, inner, self.weights.clone(), self.means.clone())
    }

    fn with_means(
        ctx: &Context,
        inner: &'a dyn Gram,
        weights: Vec<f64>,
        means: Vec<f64>,
    ) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        let mean = dot(&weights, &means) / total;
        let centred: Vec<f64> =
            inner.diag(ctx)?.iter().zip(&means).map(|(v, m)| v - 2.0 * m + mean).collect();
        let trace = dot(&weights, &centred).max(0.0);
        Ok(Self { inner, weights, total, means, mean, trace })
    }

    /// The weighted means of the rows of the matrix before centring.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The weighted mean of k̄(x, x) over the samples: their mean squared distance from the mean.
    pub fn spread(&self) -> f64 {
        self.trace / self.total
    }

    /// τ W, the eigenvalue of s.
    pub fn constant_eigenvalue(&self) -> f64 {
        self.trace / self.weights.len() as f64
    }

    /// τ.
    fn constant(&self) -> f64 {
        self.constant_eigenvalue() / self.total
    }

    /// The value at (i, j) given the value before centring.
    fn shift(&self, value: f64, i: usize, j: usize) -> f64 {
        value - self.means[i] - self.means[j] + (self.mean + self.constant())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Σ_i factor_i · lane_i.
fn weighted_sum(block: &Block, factor: impl Fn(usize) -> f64) -> Lane<f64> {
    let mut sum = [0.0; WIDTH];
    for (i, lane) in block.lanes().iter().enumerate() {
        let by = factor(i);
        sum.iter_mut().zip(lane).for_each(|(sum, v)| *sum += by * v);
    }
    sum
}

impl Operator for WeightedCentred<'_> {
    fn n(&self) -> usize {
        self.inner.n()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let sum = weighted_sum(v, |_| 1.0);
        let mut centred = v.clone();
        for (lane, w) in centred.lanes_mut().iter_mut().zip(&self.weights) {
            lane.iter_mut().zip(&sum).for_each(|(v, sum)| *v -= w / self.total * sum);
        }
        self.inner.apply(ctx, &centred, out)?;
        let mean = weighted_sum(out, |i| self.weights[i] / self.total);
        for lane in out.lanes_mut() {
            let moved = lane.iter_mut().zip(mean.iter().zip(&sum));
            moved.for_each(|(v, (mean, sum))| *v += self.constant() * sum - mean);
        }
        Ok(())
    }
}

impl Gram for WeightedCentred<'_> {
    fn dtype(&self) -> Dtype {
        self.inner.dtype()
    }

    fn diag(&self, ctx: &Context) -> Result<Vec<f64>> {
        let diag = self.inner.diag(ctx)?;
        Ok(diag.into_iter().enumerate().map(|(i, value)| self.shift(value, i, i)).collect())
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        let mut columns = self.inner.columns(ctx, which)?;
        for i in 0..self.n() {
            for (value, &j) in columns.row_mut(i).iter_mut().zip(which) {
                *value = self.shift(*value, i, j);
            }
        }
        Ok(columns)
    }

    fn times(&self, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
        let (n, m) = (x.rows(), x.cols());
        let sums: Vec<f64> = (0..m).map(|j| (0..n).map(|i| x[(i, j)]).sum()).collect();
        let share = |i: usize| self.weights[i] / self.total;
        let centred = Mat::from_fn(n, m, |i, j| x[(i, j)] - share(i) * sums[j]);
        let mut out = self.inner.times(ctx, &centred)?;
        for (j, sum) in sums.iter().enumerate() {
            let mean: f64 = (0..n).map(|i| share(i) * out[(i, j)]).sum();
            (0..n).for_each(|i| out[(i, j)] += self.constant() * sum - mean);
        }
        Ok(out)
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        let mut lower = self.inner.lower(ctx)?;
        for i in 0..self.n() {
            for (j, value) in lower.row_mut(i)[..=i].iter_mut().enumerate() {
                *value = self.shift(*value, i, j);
            }
        }
        Ok(lower)
    }

    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        // Rounded before centring: a factor in single precision is corrected afterwards, and a whole matrix in double precision would cost memory that was
        // not asked for.
        let mut lower = self.inner.lower_f32(ctx)?;
        for i in 0..self.n() {
            for (j, value) in lower.row_mut(i)[..=i].iter_mut().enumerate() {
                *value = self.shift(f64::from(*value), i, j) as f32;
            }
        }
        Ok(lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Precomputed;
    use crate::linalg::view::MatRef;

    #[test]
    fn all_ways_to_the_entries_agree_with_the_definition() {
        let ctx = Context::new(1);
        let n = 4;
        let data: Vec<f64> = (0..n * n).map(|i| 1.0 / (1.0 + (i / n + i % n) as f64)).collect();
        let gram = Precomputed::new(MatRef::new(&data, n, n, n)).unwrap();
        let weights = [2.0, 0.5, 3.0, 1.0];
        let view = WeightedCentred::new(&ctx, &gram, weights.to_vec()).unwrap();
        let total: f64 = weights.iter().sum();
        let j = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 } - weights[b] / total;
        let centred = |a: usize, b: usize| {
            let pairs = (0..n * n).map(|p| (p / n, p % n));
            pairs.map(|(p, q)| j(a, p) * data[p * n + q] * j(b, q)).sum::<f64>()
        };
        let trace: f64 = (0..n).map(|i| weights[i] * centred(i, i)).sum();
        assert!((view.spread() - trace / total).abs() < 1e-15);
        let want = |a: usize, b: usize| centred(a, b) + trace / n as f64 / total;
        let (columns, lower) = (view.columns(&ctx, &[2, 0]).unwrap(), view.lower(&ctx).unwrap());
        let unit = Block::from_fn(n, |i, c| if i == c { 1.0 } else { 0.0 });
        let mut product = Block::zeros(n);
        view.apply(&ctx, &unit, &mut product).unwrap();
        let times = view.times(&ctx, &Mat::from_fn(n, 2, |i, j| (i + 3 * j) as f64)).unwrap();
        for a in 0..n {
            let image: f64 = (0..n).map(|b| want(a, b) * (b + 3) as f64).sum();
            assert!((times[(a, 1)] - image).abs() < 1e-14);
            assert!((view.diag(&ctx).unwrap()[a] - want(a, a)).abs() < 1e-15);
            assert!((columns[(a, 0)] - want(a, 2)).abs() < 1e-15);
            (0..n).for_each(|b| assert!((product.lanes()[a][b] - want(a, b)).abs() < 1e-15));
            (0..=a).for_each(|b| assert!((lower[(a, b)] - want(a, b)).abs() < 1e-15));
            let rough = view.lower_f32(&ctx).unwrap();
            (0..=a).for_each(|b| assert!((f64::from(rough[(a, b)]) - want(a, b)).abs() < 1e-6));
        }
        // S K̄ S s = τ W s.
        for a in 0..n {
            let image: f64 = (0..n).map(|b| want(a, b) * weights[b]).sum();
            assert!((image - view.constant_eigenvalue()).abs() < 1e-14);
        }
    }
}
