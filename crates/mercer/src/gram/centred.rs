//! The Gram matrix of samples whose mean in feature space was taken away: K̄ = J K J with J = I − 11ᵀ/n. Nothing is
//! stored beyond the row means of K.

use super::{Gram, Operator};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;
use crate::points::Dtype;

/// A centred view of a Gram matrix.
pub struct Centred<'a> {
    inner: &'a dyn Gram,
    means: Vec<f64>,
    mean: f64,
}

impl<'a> Centred<'a> {
    /// Computes the row means of `inner`: one pass over the matrix.
    pub fn new(ctx: &Context, inner: &'a dyn Gram) -> Result<Self> {
        Ok(Self::with_product(ctx, inner, &Block::zeros(inner.n()))?.0)
    }

    /// Computes the row means of `inner` and, in the same pass over the matrix, the product of the centred matrix with
    /// `v`, whose columns must sum to 0 and whose last column must be 0: the row sums are computed in its place.
    pub fn with_product(ctx: &Context, inner: &'a dyn Gram, v: &Block) -> Result<(Self, Block)> {
        let n = inner.n();
        let mut with_ones = v.clone();
        for lane in with_ones.lanes_mut() {
            assert_eq!(lane[WIDTH - 1], 0.0, "the last column is taken");
            lane[WIDTH - 1] = 1.0;
        }
        let mut product = Block::zeros(n);
        inner.apply(ctx, &with_ones, &mut product)?;
        let take = |lane: &mut [f64; WIDTH]| std::mem::take(&mut lane[WIDTH - 1]) / n as f64;
        let means: Vec<f64> = product.lanes_mut().iter_mut().map(take).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        product.centre();
        Ok((Self { inner, means, mean }, product))
    }

    /// The row means of the matrix before centring.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The mean of all entries before centring.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The sum of the diagonal given the diagonal before centring.
    pub fn trace(&self, diagonal: &[f64]) -> f64 {
        diagonal.iter().enumerate().map(|(i, &value)| self.shift(value, i, i)).sum()
    }

    /// The value at (i, j) given the value before centring.
    fn shift(&self, value: f64, i: usize, j: usize) -> f64 {
        value - self.means[i] - self.means[j] + self.mean
    }
}

impl Operator for Centred<'_> {
    fn n(&self) -> usize {
        self.inner.n()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let mut centred = v.clone();
        centred.centre();
        self.inner.apply(ctx, &centred, out)?;
        out.centre();
        Ok(())
    }
}

impl Gram for Centred<'_> {
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
        // Rounded after centring: what is left may be small beside what was taken away.
        let lower = self.lower(ctx)?;
        Ok(Mat::from_vec(lower.data().iter().map(|&v| v as f32).collect(), self.n(), self.n()))
    }
}
