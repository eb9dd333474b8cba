//! Decision values for new samples.

use std::ops::Range;
use std::sync::Arc;

use super::decode::{pairs, votes};
use super::fit::cells_of;
use super::precision::{around, far_mean};
use super::{LowRankState, Svm, Task};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::{self, Expansion, Weights};
use crate::kernel::{Kernel, Recentred, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::model::input::{Input, check_columns, not_for_predictions};
use crate::model::kernel_on::KernelOn;
use crate::model::landmarks::{kernel_at, samples_of};
use crate::model::prepared::prepared_bytes;
use crate::model::validate::anchors_for;
use crate::points::{Dtype, Points, Samples, with_matrix, with_samples};
use crate::real::Real;

/// The support vectors of one class, or all where a class has no problems of its own, with their coefficients.
struct Part<U: Real> {
    class: usize,
    scores: Expansion<Samples<U>, U>,
}

/// What decision values of a machine on landmarks are computed with.
struct OnLandmarks<T: Real> {
    scores: Expansion<Samples<T>, T>,
    on: KernelOn<T>,
}

/// Scores of classes that are computed at a time at most, unless there are more threads than that: 1 MiB.
const ROOM: usize = 1 << 17;

/// What decision values are computed with.
enum Predictor<T: Real> {
    /// The kernel on the samples as they are.
    Plain(Vec<Part<T>>),
    /// The same in double precision.
    Double(Vec<Part<f64>>),
    /// Far from the origin, where kernel values are large and their differences count: with the kernel k_c seen from a centre c and
    /// u(x) = k(c, x) − k(c, c), Σ βᵢ k(x, xᵢ) = Σ βᵢ k_c(x, xᵢ) + Σ βᵢ u(xᵢ) + (Σ βᵢ) (u(x) + k(c, c)). The last term is 0 where
    /// coefficients sum up to 0.
    Around {
        parts: Vec<Part<f64>>,
        seen: Recentred<f64>,
        /// Σ βᵢ u(xᵢ) and the constant, for each problem.
        common: Vec<f64>,
        /// Σ βᵢ.
        total: f64,
    },
}

impl Svm {
    /// The decisions for new samples: m × problems. Of regressions these are the predicted values; of `OneClass`, positive
    /// inside. Kernel values are those with all training samples (m × `trained_on`).
    pub fn decisions<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Mat<f64>> {
        self.decisions_input(ctx, input.into())
    }

    fn decisions_input(&self, ctx: &Context, input: Input<'_>) -> Result<Mat<f64>> {
        let input = match (&self.landmarks, &self.cells) {
            (Some(_), _) => Input::Samples(samples_of(input)?),
            (_, Some(_)) => Input::Samples(cells_of(input)?),
            _ => input,
        };
        match input {
            Input::Samples(x) => {
                let anchors = anchors_for(self.anchors.as_ref(), &x)?;
                if let Some(cells) = &self.cells {
                    return self.decisions_on_cells(ctx, anchors, cells, &x);
                }
                with_samples!(anchors, anchors => match &self.landmarks {
                    // Samples in single precision whose products cancel were learned from in double.
                    Some(state) if self.computed_in == Dtype::F64 => {
                        let (anchors, x) = (anchors.convert::<f64>()?, x.to_type::<f64>()?);
                        self.decisions_on_landmarks(ctx, &anchors, state, &x)
                    }
                    Some(state) => self.decisions_on_landmarks(ctx, anchors, state, &x.to_type()?),
                    None => self.decisions_of(ctx, anchors, &x.to_type()?),
                })
            }
            Input::Precomputed { values, .. } => {
                check_columns(self.trained_on, values.cols())?;
                with_matrix!(values.view(), values => {
                    let value = |i: usize, s: usize| values.at(i, self.support[s]);
                    let some = Mat::from_fn(values.rows(), self.support.len(), value);
                    self.decisions_support(ctx, some.view())
                })
            }
            Input::Gram(_) => Err(not_for_predictions()),
        }
    }

    /// The predicted class of each new sample, by its name; for classifiers.
    pub fn labels<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Vec<&str>> {
        let names = self.names()?;
        let places = votes(&self.decisions(ctx, input)?, names.len());
        Ok(places.into_iter().map(|place| names[place].as_str()).collect())
    }

    /// The probability of each class for new samples (m × classes); for classifiers that were calibrated.
    pub fn probabilities<'a>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
    ) -> Result<Mat<f64>> {
        let classes = self.names()?.len();
        let calibration = self.calibration.as_ref().ok_or_else(|| {
            Error::Shape("the classifier has no probabilities: calibrate it first".into())
        })?;
        Ok(calibration.probabilities(&self.decisions(ctx, input)?, classes))
    }

    fn names(&self) -> Result<&[String]> {
        let names = self.classes.as_deref();
        names.ok_or_else(|| Error::Shape("the model is not a classifier: it has no classes".into()))
    }

    fn decisions_on_landmarks<T: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        state: &LowRankState,
        x: &Samples<T>,
    ) -> Result<Mat<f64>> {
        let predictor = self.prepared.get(prepared_bytes(&self.coef, anchors), || {
            let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
            let on = kernel_at(&kernel, anchors, &state.landmarks)?;
            let coef = Mat::from_fn(self.coef.cols(), self.coef.rows(), |i, p| self.coef[(p, i)]);
            let (kernel, anchors) = (on.kernel.clone(), on.anchors.clone());
            Ok(OnLandmarks { scores: Expansion::new(kernel, anchors, &coef, &self.offset), on })
        })?;
        let mut decisions = Mat::try_zeros(x.n(), self.offset.len())?;
        predictor.scores.scores(ctx, &predictor.on.moved(x)?, decisions.view_mut())?;
        Ok(decisions)
    }

    fn decisions_of<T: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        x: &Samples<T>,
    ) -> Result<Mat<f64>> {
        let (is_dense, bytes) = (x.dense().is_some(), prepared_bytes(&self.coef, anchors));
        let predictor = match is_dense == anchors.dense().is_some() {
            true => self.prepared.get(bytes, || self.predictor(ctx, anchors, is_dense))?,
            false => Arc::new(self.predictor(ctx, anchors, is_dense)?),
        };
        match &*predictor {
            Predictor::Plain(parts) => self.decide(ctx, parts, x),
            Predictor::Double(parts) => self.decide(ctx, parts, &x.convert()?),
            Predictor::Around { parts, seen, common, total } => {
                let x = around::<T, f64>(x.need_dense("the model")?, seen.point())?;
                let (rises, at_point) = (seen.rises(&x), seen.at_point());
                let mut decisions = self.decide(ctx, parts, &x.into())?;
                for (i, rise) in rises.iter().enumerate() {
                    let last = total * (rise + at_point);
                    let row = decisions.row_mut(i).iter_mut().zip(common).zip(&self.offset);
                    row.for_each(|((decision, sum), offset)| *decision += (sum - offset) + last);
                }
                Ok(decisions)
            }
        }
    }

    fn predictor<T: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        is_dense: bool,
    ) -> Result<Predictor<T>> {
        if let Some(rows) = anchors.dense().filter(|_| is_dense)
            && let Some(centre) = far_mean(rows)
            && let Some(seen) = Recentred::new(&SpecKernel::new(&self.params.kernel)?, &centre)
            && !seen.is_of_differences()
        {
            let total: f64 = match self.params.task {
                Task::OneClass => self.coef.data().iter().sum(),
                _ => 0.0,
            };
            let anchors = around::<T, f64>(rows, seen.point())?;
            let rises = seen.rises(&anchors);
            let common = self.sum::<f64>(1, |segment, weights, out| {
                let part = MatRef::new(&rises[segment.clone()], 1, segment.len(), segment.len());
                Weights::new(weights, &vec![0.0; weights.cols()]).scores(ctx, part, out)
            })?;
            let parts = self.parts(Arc::new(seen.clone()), &anchors.into());
            return Ok(Predictor::Around { parts, seen, common: common.data().to_vec(), total });
        }
        // Samples in single precision whose products cancel were learned from in double.
        Ok(match self.dtype == Dtype::F32 && self.computed_in == Dtype::F64 {
            true => Predictor::Double(self.parts(self.kernel()?, &anchors.convert()?)),
            false => Predictor::Plain(self.parts(self.kernel()?, anchors)),
        })
    }

    fn kernel<U: Real>(&self) -> Result<Arc<dyn Kernel<Samples<U>, U>>> {
        Ok(Arc::new(SpecKernel::<U>::new(&self.params.kernel)?))
    }

    fn parts<U: Real>(
        &self,
        kernel: Arc<dyn Kernel<Samples<U>, U>>,
        anchors: &Samples<U>,
    ) -> Vec<Part<U>> {
        let part = |(class, segment): (usize, Range<usize>)| {
            let weights = self.weights_of(&segment);
            let own: Vec<usize> = segment.collect();
            let anchors = match own.len() == anchors.n() {
                true => anchors.clone(),
                false => anchors.select(&own),
            };
            let offset = vec![0.0; weights.cols()];
            Part { class, scores: Expansion::new(kernel.clone(), anchors, &weights, &offset) }
        };
        self.segments().into_iter().map(part).collect()
    }

    fn decide<U: Real>(
        &self,
        ctx: &Context,
        parts: &[Part<U>],
        x: &Samples<U>,
    ) -> Result<Mat<f64>> {
        let (m, lines) = (x.n(), self.coef.rows());
        let mut decisions = Mat::from_fn(m, self.offset.len(), |_, p| self.offset[p]);
        if m == 0 {
            return Ok(decisions);
        }
        // Few samples leave threads without work unless they share the classes.
        let is_shared = m <= expansion::ROWS && m * self.support.len() > expansion::FEW_VALUES;
        let at_once = match is_shared {
            true => parts.len().min((ROOM / (m * lines)).max(ctx.threads())),
            false => 1,
        };
        let mut scores = vec![U::ZERO; m * lines * at_once];
        for group in parts.chunks(at_once) {
            let each = group.iter().zip(scores.chunks_exact_mut(m * lines));
            ctx.share(each.collect(), |(part, scores)| {
                part.scores.scores(ctx, x, MatMut::new(scores, m, lines, lines))
            })?;
            for (part, scores) in group.iter().zip(scores.chunks_exact(m * lines)) {
                self.add(part.class, scores, &mut decisions);
            }
        }
        Ok(decisions)
    }

    /// The decisions for new samples given their kernel values with the support vectors alone (m × support).
    #[doc(hidden)]
    pub fn decisions_support<T: Real>(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
    ) -> Result<Mat<f64>> {
        check_columns(self.support.len(), values.cols())?;
        self.sum::<T>(values.rows(), |segment, weights, out| {
            let part = values.col_range(segment.start, segment.len());
            Weights::new(weights, &vec![0.0; weights.cols()]).scores(ctx, part, out)
        })
    }

    /// Adds up what `evaluate` makes of the support vectors of each class.
    fn sum<U: Real>(
        &self,
        m: usize,
        evaluate: impl Fn(Range<usize>, &Mat<f64>, MatMut<'_, U>) -> Result<()>,
    ) -> Result<Mat<f64>> {
        let lines = self.coef.rows();
        let mut decisions = Mat::from_fn(m, self.offset.len(), |_, p| self.offset[p]);
        let mut scores = vec![U::ZERO; m * lines];
        for (class, segment) in self.segments() {
            let weights = self.weights_of(&segment);
            evaluate(segment, &weights, MatMut::new(&mut scores, m, lines, lines))?;
            self.add(class, &scores, &mut decisions);
        }
        Ok(decisions)
    }

    /// The support vectors of each class that has some: a class has coefficients in the problems of its own pairs alone, so a
    /// product with all columns would mostly multiply zeros.
    fn segments(&self) -> Vec<(usize, Range<usize>)> {
        let mut segments = Vec::new();
        match self.classes.as_ref().map_or(0, Vec::len) {
            0..=2 => segments.push((0, 0..self.support.len())),
            _ => {
                let mut start = 0;
                for (class, count) in self.counts.iter().enumerate() {
                    segments.push((class, start..start + count));
                    start += count;
                }
            }
        }
        segments.retain(|(_, segment)| !segment.is_empty());
        segments
    }

    /// The coefficients of some support vectors: as many × lines.
    fn weights_of(&self, segment: &Range<usize>) -> Mat<f64> {
        let weight = |s: usize, line: usize| self.coef[(line, segment.start + s)];
        Mat::from_fn(segment.len(), self.coef.rows(), weight)
    }

    /// Adds the scores (m × lines) by the support vectors of a class to the decisions of its problems.
    fn add<U: Real>(&self, class: usize, scores: &[U], decisions: &mut Mat<f64>) {
        let k = self.classes.as_ref().map_or(0, Vec::len);
        for (row, scores) in scores.chunks_exact(self.coef.rows()).enumerate() {
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
}
