//! Features that are computed whenever they are needed.

use rayon::prelude::*;

use super::maker::{CHUNK, Maker, single};
use crate::context::Context;
use crate::error::Result;
use crate::gram;
use crate::linalg::cholesky;
use crate::linalg::rows::{add_scaled, dot};
use crate::linalg::view::Mat;
use crate::points::{Points, Samples, Span};
use crate::real::Real;
use crate::solve::dual_descent::{Chosen, FeatureRows};

/// Samples in memory, whose features are not.
pub struct Recomputed<T: Real> {
    pub maker: Maker<T>,
    pub x: Samples<T>,
    pub squares: Vec<f64>,
    pub most: usize,
}

impl<T: Real> Recomputed<T> {
    /// The kernel values of some samples with the landmarks, chunk by chunk.
    fn values(
        &self,
        ctx: &Context,
        rows: &[usize],
        mut take: impl FnMut(usize, &Mat<T>),
    ) -> Result<()> {
        let on = &self.maker.on;
        for (piece, rows) in rows.chunks(CHUNK).enumerate() {
            ctx.poll()?;
            let some = self.x.select(rows);
            let mut values = Mat::try_zeros(rows.len(), self.m())?;
            gram::fill_kernel_values(ctx, &*on.kernel, Span::all(&some), &on.anchors, &mut values)?;
            take(piece * CHUNK, &values);
        }
        Ok(())
    }
}

impl<T: Real> FeatureRows for Recomputed<T> {
    fn m(&self) -> usize {
        self.maker.m()
    }

    fn most(&self) -> usize {
        self.most
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn products(&self, ctx: &Context, rows: &[usize], w: &[f64], out: &mut [f64]) -> Result<()> {
        let mut coef = Mat::from_vec(w.to_vec(), w.len(), 1);
        cholesky::solve_backward(ctx, &self.maker.factor, &mut coef)?;
        self.values(ctx, rows, |from, values| {
            let own = &mut out[from..from + values.rows()];
            let each = own.par_iter_mut().zip(values.data().par_chunks(values.cols()));
            ctx.install(|| each.for_each(|(out, row)| dot(row, coef.data(), out)));
        })
    }

    fn sum(&self, ctx: &Context, beta: &[(usize, f64)]) -> Result<Vec<f64>> {
        let rows: Vec<usize> = beta.iter().map(|(row, _)| *row).collect();
        let mut sum = Mat::zeros(self.m(), 1);
        self.values(ctx, &rows, |from, values| {
            for (i, (_, by)) in beta[from..from + values.rows()].iter().enumerate() {
                add_scaled(values.row(i), *by, sum.data_mut());
            }
        })?;
        cholesky::solve_forward(ctx, &self.maker.factor, &mut sum)?;
        Ok(sum.into_vec())
    }

    fn chosen(&self, ctx: &Context, rows: &[usize]) -> Result<Chosen<'_>> {
        let m = self.m();
        let mut out = Mat::<f32>::try_zeros(rows.len(), m)?;
        for (piece, rows) in rows.chunks(CHUNK).enumerate() {
            let some = self.x.select(rows);
            let mut features = Mat::try_zeros(rows.len(), m)?;
            self.maker.features(ctx, Span::all(&some), &mut features)?;
            single(ctx, &features, &mut out.data_mut()[piece * CHUNK * m..][..rows.len() * m]);
        }
        Ok(Chosen::Copied(out))
    }
}
