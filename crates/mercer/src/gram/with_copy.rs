//! A matrix and a copy of it in single precision, which solvers that correct themselves multiply with in half the time.

use super::groups::{Groups, Move};
use super::{Gram, Operator};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::view::Mat;
use crate::points::Dtype;

/// `gram`, with `copy` for rough products.
pub(super) struct WithCopy<G, C> {
    pub gram: G,
    pub copy: C,
}

impl<G: Gram, C: Gram> Operator for WithCopy<G, C> {
    fn n(&self) -> usize {
        self.gram.n()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        self.gram.apply(ctx, v, out)
    }
}

impl<G: Gram, C: Gram> Gram for WithCopy<G, C> {
    fn rough(&self) -> Option<&dyn Gram> {
        Some(&self.copy)
    }

    fn dtype(&self) -> Dtype {
        self.gram.dtype()
    }

    fn diag(&self, ctx: &Context) -> Result<Vec<f64>> {
        self.gram.diag(ctx)
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        self.gram.columns(ctx, which)
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        self.gram.lower(ctx)
    }

    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        self.gram.lower_f32(ctx)
    }

    fn times(&self, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
        self.gram.times(ctx, x)
    }

    fn group(&self, ctx: &Context, labels: &[usize], weights: &[f64], k: usize) -> Result<Groups> {
        self.gram.group(ctx, labels, weights, k)
    }

    fn regroup(&self, ctx: &Context, moves: &[Move], groups: &mut Groups) -> Result<()> {
        self.gram.regroup(ctx, moves, groups)
    }

    fn regrouping_pays(&self, moved: usize, k: usize) -> bool {
        self.gram.regrouping_pays(moved, k)
    }
}
