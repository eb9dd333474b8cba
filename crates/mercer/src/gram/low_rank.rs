//! The Gram matrix of a linear kernel, or any K = Y Yᵀ with few columns: never formed, every product goes through Y.

use rayon::prelude::*;

use super::groups::{Groups, Move};
use super::tiles::TILE;
use super::{Gram, Operator};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::skinny::{TileRef, WIDTH, multiply as multiply_tile, multiply_transposed};
use crate::linalg::view::{Mat, MatMut};
use crate::real::Real;

/// Y Yᵀ for Y of n × r.
pub struct LowRank {
    y: Mat<f64>,
}

/// Rows that one task takes.
const ROWS: usize = 512;

impl LowRank {
    /// The products of all pairs of rows of `y` (n × r).
    pub fn new(y: Mat<f64>) -> Self {
        Self { y }
    }

    /// Y.
    pub(crate) fn factor(&self) -> &Mat<f64> {
        &self.y
    }

    /// Y · m for m of r × c, in rows of c.
    fn times_factor(&self, ctx: &Context, m: &Mat<f64>) -> Mat<f64> {
        let c = m.cols();
        let mut out = Mat::zeros(self.y.rows(), c);
        ctx.install(|| {
            let pieces = out.data_mut().par_chunks_mut((ROWS * c).max(1)).enumerate();
            pieces.for_each(|(piece, out)| {
                let rows = out.len() / c;
                let part = self.y.view().row_range(piece * ROWS, rows);
                multiply(part, m.view(), MatMut::new(out, rows, c, c), Onto::Nothing);
            });
        });
        out
    }

    /// The weighted sum of the rows of samples by group, those that leave subtracted: k × r.
    fn sums(&self, moves: &[Move], k: usize) -> Mat<f64> {
        let mut sums = Mat::zeros(k, self.y.cols());
        for one in moves {
            let row = self.y.row(one.sample);
            for (group, sign) in [(one.to, 1.0), (one.from, -1.0)] {
                if let Some(c) = group {
                    let by = sign * one.weight;
                    sums.row_mut(c).iter_mut().zip(row).for_each(|(s, v)| *s += by * v);
                }
            }
        }
        sums
    }
}

impl Operator for LowRank {
    fn n(&self) -> usize {
        self.y.rows()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        ctx.poll()?;
        let (n, r) = (self.y.rows(), self.y.cols());
        let tile = |from: usize, rows: usize| TileRef {
            data: &self.y.data()[from * r..(from + rows) * r],
            rows,
            cols: r,
            stride: r,
        };
        let mut inner = vec![[0.0; WIDTH]; r];
        multiply_transposed(tile(0, n), v.lanes(), &mut inner);
        ctx.install(|| {
            out.lanes_mut().par_chunks_mut(ROWS).enumerate().for_each(|(piece, lanes)| {
                lanes.fill([0.0; WIDTH]);
                multiply_tile(tile(piece * ROWS, lanes.len()), &inner, lanes);
            });
        });
        Ok(())
    }
}

impl Gram for LowRank {
    fn diag(&self, _: &Context) -> Result<Vec<f64>> {
        let square = |i: usize| self.y.row(i).iter().map(|v| v * v).sum();
        Ok((0..self.n()).map(square).collect())
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        ctx.poll()?;
        let chosen = Mat::from_fn(self.y.cols(), which.len(), |j, c| self.y[(which[c], j)]);
        Ok(self.times_factor(ctx, &chosen))
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        let all: Vec<usize> = (0..self.n()).collect();
        self.columns(ctx, &all)
    }

    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        let lower = self.lower(ctx)?;
        let data = lower.data().iter().map(|v| v.to_f32()).collect();
        Ok(Mat::from_vec(data, self.n(), self.n()))
    }

    fn group(&self, ctx: &Context, labels: &[usize], weights: &[f64], k: usize) -> Result<Groups> {
        let mut groups = Groups::empty(self.n(), k)?;
        self.regroup(ctx, &super::groups::entering(labels, weights), &mut groups)?;
        Ok(groups)
    }

    fn regroup(&self, ctx: &Context, moves: &[Move], groups: &mut Groups) -> Result<()> {
        ctx.poll()?;
        let k = groups.k();
        let sums = self.sums(moves, k);
        let turned = Mat::from_fn(sums.cols(), k, |j, c| sums[(c, j)]);
        let added = self.times_factor(ctx, &turned);
        ctx.install(|| {
            groups.try_pieces(|places, data| {
                for (place, i) in places.enumerate() {
                    for (c, by) in added.row(i).iter().enumerate() {
                        data[c * TILE + place] += by;
                    }
                }
                Ok(())
            })
        })
    }

    fn regrouping_pays(&self, moved: usize, _: usize) -> bool {
        moved < self.n()
    }
}
