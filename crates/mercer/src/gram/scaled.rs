//! The matrix S K S for a diagonal S: what weights of samples make of a Gram matrix.

use super::{Gram, Operator};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::view::Mat;
use crate::points::Dtype;

/// A Gram matrix whose row i and column i are multiplied by `scale[i]`.
pub struct Scaled<'a> {
    inner: &'a dyn Gram,
    scale: &'a [f64],
}

impl<'a> Scaled<'a> {
    /// `scale` has a number per row.
    pub fn new(inner: &'a dyn Gram, scale: &'a [f64]) -> Self {
        assert_eq!(inner.n(), scale.len());
        Self { inner, scale }
    }

    fn scale_block(&self, block: &mut Block) {
        for (lane, s) in block.lanes_mut().iter_mut().zip(self.scale) {
            lane.iter_mut().for_each(|v| *v *= s);
        }
    }
}

impl Operator for Scaled<'_> {
    fn n(&self) -> usize {
        self.inner.n()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let mut scaled = v.clone();
        self.scale_block(&mut scaled);
        self.inner.apply(ctx, &scaled, out)?;
        self.scale_block(out);
        Ok(())
    }
}

impl Gram for Scaled<'_> {
    fn dtype(&self) -> Dtype {
        self.inner.dtype()
    }

    fn diag(&self, ctx: &Context) -> Result<Vec<f64>> {
        let diag = self.inner.diag(ctx)?;
        Ok(diag.iter().zip(self.scale).map(|(v, s)| v * s * s).collect())
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        let mut columns = self.inner.columns(ctx, which)?;
        for (i, s) in self.scale.iter().enumerate() {
            let row = columns.row_mut(i).iter_mut();
            row.zip(which).for_each(|(v, &j)| *v *= s * self.scale[j]);
        }
        Ok(columns)
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        let mut lower = self.inner.lower(ctx)?;
        for (i, s) in self.scale.iter().enumerate() {
            let row = lower.row_mut(i)[..=i].iter_mut();
            row.zip(self.scale).for_each(|(v, other)| *v *= s * other);
        }
        Ok(lower)
    }

    fn times(&self, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
        let scaled = Mat::from_fn(x.rows(), x.cols(), |i, j| self.scale[i] * x[(i, j)]);
        let mut out = self.inner.times(ctx, &scaled)?;
        for (i, s) in self.scale.iter().enumerate() {
            out.row_mut(i).iter_mut().for_each(|v| *v *= s);
        }
        Ok(out)
    }

    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        let mut lower = self.inner.lower_f32(ctx)?;
        for (i, s) in self.scale.iter().enumerate() {
            let row = lower.row_mut(i)[..=i].iter_mut();
            row.zip(self.scale).for_each(|(v, other)| *v = (f64::from(*v) * s * other) as f32);
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
    fn all_ways_to_the_entries_agree() {
        let ctx = Context::new(1);
        let data: Vec<f64> = (0..9).map(|i| 1.0 + ((i / 3) * (i % 3)) as f64).collect();
        let gram = Precomputed::new(MatRef::new(&data, 3, 3, 3)).unwrap();
        let scale = [2.0, 0.5, 3.0];
        let scaled = Scaled::new(&gram, &scale);
        let want = |i: usize, j: usize| data[3 * i + j] * scale[i] * scale[j];
        let columns = scaled.columns(&ctx, &[2, 0]).unwrap();
        let lower = scaled.lower(&ctx).unwrap();
        let mut product = Block::zeros(3);
        let unit = Block::from_fn(3, |i, c| if i == c { 1.0 } else { 0.0 });
        scaled.apply(&ctx, &unit, &mut product).unwrap();
        let many = Mat::from_fn(3, 40, |i, j| ((i + 2 * j) % 5) as f64);
        let times = scaled.times(&ctx, &many).unwrap();
        for i in 0..3 {
            for c in 0..40 {
                let sum: f64 = (0..3).map(|j| want(i, j) * many[(j, c)]).sum();
                assert!((times[(i, c)] - sum).abs() < 1e-12);
            }
            assert_eq!(scaled.diag(&ctx).unwrap()[i], want(i, i));
            assert_eq!((columns[(i, 0)], columns[(i, 1)]), (want(i, 2), want(i, 0)));
            (0..3).for_each(|j| assert!((product.lanes()[i][j] - want(i, j)).abs() < 1e-12));
            (0..=i).for_each(|j| assert_eq!(lower[(i, j)], want(i, j)));
        }
    }
}
