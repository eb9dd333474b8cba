//! Some rows and columns of any Gram matrix, as a matrix: what weights of 0 leave of one that only multiplies.

use super::{Gram, Operator};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::view::Mat;
use crate::points::Dtype;
use crate::real::Real;

/// The rows and columns `which` of `inner`.
pub struct Restricted<'a> {
    inner: &'a dyn Gram,
    which: Vec<usize>,
}

impl<'a> Restricted<'a> {
    /// Every place must lie below `inner.n()`.
    pub fn new(inner: &'a dyn Gram, which: &[usize]) -> Self {
        assert!(which.iter().all(|&i| i < inner.n()));
        Self { inner, which: which.to_vec() }
    }

    fn part<T: Real>(&self, lower: &Mat<T>) -> Mat<T> {
        let m = self.which.len();
        let at = |i: usize, j: usize| {
            (self.which[i].max(self.which[j]), self.which[i].min(self.which[j]))
        };
        Mat::from_fn(m, m, |i, j| lower[at(i, j)])
    }
}

impl Operator for Restricted<'_> {
    fn n(&self) -> usize {
        self.which.len()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let mut whole = Block::try_zeros(self.inner.n())?;
        for (lane, &i) in v.lanes().iter().zip(&self.which) {
            whole.lanes_mut()[i] = *lane;
        }
        let mut image = Block::try_zeros(self.inner.n())?;
        self.inner.apply(ctx, &whole, &mut image)?;
        for (lane, &i) in out.lanes_mut().iter_mut().zip(&self.which) {
            *lane = image.lanes()[i];
        }
        Ok(())
    }
}

impl Gram for Restricted<'_> {
    fn dtype(&self) -> Dtype {
        self.inner.dtype()
    }

    fn diag(&self, ctx: &Context) -> Result<Vec<f64>> {
        let diag = self.inner.diag(ctx)?;
        Ok(self.which.iter().map(|&i| diag[i]).collect())
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        let places: Vec<usize> = which.iter().map(|&j| self.which[j]).collect();
        let columns = self.inner.columns(ctx, &places)?;
        Ok(Mat::from_fn(self.n(), which.len(), |i, j| columns[(self.which[i], j)]))
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        Ok(self.part(&self.inner.lower(ctx)?))
    }

    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        Ok(self.part(&self.inner.lower_f32(ctx)?))
    }
}
