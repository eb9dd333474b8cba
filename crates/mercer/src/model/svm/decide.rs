//! Decision values for new samples.

use std::ops::Range;
use std::sync::Arc;

use super::decode::pairs;
use super::precision::{around, far_mean};
use super::{Svm, Task};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::{Expansion, Weights};
use crate::kernel::{Kernel, Recentred, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::model::validate::anchors_for;
use crate::points::{Dense, Points, Samples};
use crate::real::Real;

impl<T: Real> Svm<T> {
    /// The decisions for new samples: m × problems. Of regressions these are the predicted values; of `OneClass`, positive
    /// inside.
    pub fn decisions(&self, ctx: &Context, x: impl Into<Samples<T>>) -> Result<Mat<f64>> {
        let x = &x.into();
        let anchors = anchors_for(self.anchors.as_ref(), x)?;
        if let (Some(rows), Some(new)) = (anchors.dense(), x.dense())
            && let Some(centre) = far_mean(rows)
            && let Some(seen) = Recentred::new(&SpecKernel::new(&self.params.kernel)?, &centre)
            && !seen.is_of_differences()
        {
            return self.decide_around(ctx, rows, new, seen);
        }
        // Samples in single precision whose products cancel were learned from in double.
        let computed_in = self.report.machine.as_ref().map_or("", |machine| &machine.precision);
        match T::EPSILON > 1e-10 && computed_in == f64::NAME {
            true => self.decide::<f64>(ctx, self.kernel()?, &anchors.convert()?, &x.convert()?),
            false => self.decide::<T>(ctx, self.kernel()?, anchors, x),
        }
    }

    fn kernel<U: Real>(&self) -> Result<Arc<dyn Kernel<Samples<U>, U>>> {
        Ok(Arc::new(SpecKernel::<U>::new(&self.params.kernel)?))
    }

    /// Decisions far from the origin, where kernel values are large and their differences count: with the kernel k_c seen from a
    /// centre c and u(x) = k(c, x) − k(c, c), Σ βᵢ k(x, xᵢ) = Σ βᵢ k_c(x, xᵢ) + Σ βᵢ u(xᵢ) + (Σ βᵢ) (u(x) + k(c, c)). The last term is
    /// 0 where coefficients sum up to 0.
    fn decide_around(
        &self,
        ctx: &Context,
        anchors: &Dense<T>,
        x: &Dense<T>,
        seen: Recentred<f64>,
    ) -> Result<Mat<f64>> {
        let total: f64 = match self.params.task {
            Task::OneClass => self.coef.data().iter().sum(),
            _ => 0.0,
        };
        let centre = seen.point();
        let (anchors, x) = (around::<T, f64>(anchors, centre)?, around::<T, f64>(x, centre)?);
        let rises = seen.rises(&anchors);
        let common = self.sum::<f64, _>(1, |segment, weights, out| {
            let part = MatRef::new(&rises[segment.clone()], 1, segment.len(), segment.len());
            Weights::new(weights, &vec![0.0; weights.cols()]).scores(ctx, part, out)
        })?;
        let own = seen.rises(&x);
        let at_point = seen.at_point();
        let mut decisions = self.decide::<f64>(ctx, Arc::new(seen), &anchors.into(), &x.into())?;
        for (i, own) in own.iter().enumerate() {
            let last = total * (own + at_point);
            let row = decisions.row_mut(i).iter_mut().zip(common.row(0)).zip(&self.offset);
            row.for_each(|((decision, common), offset)| *decision += (common - offset) + last);
        }
        Ok(decisions)
    }

    fn decide<U: Real>(
        &self,
        ctx: &Context,
        kernel: Arc<dyn Kernel<Samples<U>, U>>,
        anchors: &Samples<U>,
        x: &Samples<U>,
    ) -> Result<Mat<f64>> {
        self.sum(x.n(), |segment, weights, out| {
            let own: Vec<usize> = segment.clone().collect();
            let anchors =
                if own.len() == anchors.n() { anchors.clone() } else { anchors.select(&own) };
            let offset = vec![0.0; weights.cols()];
            Expansion::new(kernel.clone(), anchors, weights, &offset).scores(ctx, x, out)
        })
    }

    /// The decisions for new samples given their kernel values with all training samples (m × `trained_on`).
    pub fn decisions_gram(&self, ctx: &Context, values: MatRef<'_, T>) -> Result<Mat<f64>> {
        if values.cols() != self.trained_on {
            return Err(Error::Features { expected: self.trained_on, found: values.cols() });
        }
        let m = values.rows();
        let some = Mat::from_fn(m, self.support.len(), |i, s| values.at(i, self.support[s]));
        self.decisions_support(ctx, some.view())
    }

    /// The decisions for new samples given their kernel values with the support vectors alone (m × support).
    pub fn decisions_support(&self, ctx: &Context, values: MatRef<'_, T>) -> Result<Mat<f64>> {
        if values.cols() != self.support.len() {
            return Err(Error::Features { expected: self.support.len(), found: values.cols() });
        }
        self.sum::<T, _>(values.rows(), |segment, weights, out| {
            let part = values.col_range(segment.start, segment.len());
            Weights::new(weights, &vec![0.0; weights.cols()]).scores(ctx, part, out)
        })
    }

    /// Adds up what `evaluate` makes of the support vectors of each class: a class has coefficients in the problems of its
    /// own pairs alone, so a product with all columns would mostly multiply zeros.
    fn sum<U: Real, F>(&self, m: usize, evaluate: F) -> Result<Mat<f64>>
    where
        F: Fn(Range<usize>, &Mat<f64>, MatMut<'_, U>) -> Result<()>,
    {
        let mut decisions = Mat::from_fn(m, self.offset.len(), |_, p| self.offset[p]);
        let k = self.classes.as_ref().map_or(0, Vec::len);
        let lines = self.coef.rows();
        let mut segments = Vec::new();
        match k {
            0..=2 => segments.push(0..self.support.len()),
            _ => {
                let mut start = 0;
                for count in &self.counts {
                    segments.push(start..start + count);
                    start += count;
                }
            }
        }
        let mut scores = vec![U::ZERO; m * lines];
        for (class, segment) in segments.into_iter().enumerate() {
            if segment.is_empty() {
                continue;
            }
            let weights =
                Mat::from_fn(segment.len(), lines, |s, l| self.coef[(l, segment.start + s)]);
            evaluate(segment, &weights, MatMut::new(&mut scores, m, lines, lines))?;
            for (row, scores) in scores.chunks_exact(lines).enumerate() {
                let decisions = decisions.row_mut(row);
                if k <= 2 {
                    decisions[0] += scores[0].to_f64();
                    continue;
                }
                for (p, (a, b)) in pairs(k).enumerate() {
                    if a == class {
                        decisions[p] += scores[b - 1].to_f64();
                    } else if b == class {
                        decisions[p] += scores[a].to_f64();
                    }
                }
            }
        }
        Ok(decisions)
    }
}
