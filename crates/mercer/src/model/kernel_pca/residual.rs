//! What of samples the components do not explain. It is a difference of numbers that may agree in most of their digits, so
//! it is computed in double precision whatever the samples are.

use super::KernelPca;
use crate::context::Context;
use crate::error::Result;
use crate::expansion::{Expansion, Weights};
use crate::kernel::SpecKernel;
use crate::linalg::view::{Mat, MatRef};
use crate::model::input::{Input, check_columns, not_for_predictions};
use crate::model::landmarks::kernel_at;
use crate::model::origin::Seen;
use crate::model::validate::{anchors_for, check_diagonal};
use crate::points::{AnySamples, Span, with_matrix};
use crate::real::Real;

/// Squared distances to the span of the components, and how large rounding errors may make them.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Residuals {
    /// k̄(x, x) − Σ_i f_i(x)², and 0 where rounding makes that negative.
    pub values: Vec<f64>,
    /// Values up to this size may be rounding errors.
    pub noise: Vec<f64>,
}

/// Roundings of a kernel value with itself that the difference may carry: some of the kernel, and those of the sums.
const ROUNDINGS: f64 = 16.0;

impl Residuals {
    /// The mean of the values.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// The mean size of rounding errors.
    pub fn mean_noise(&self) -> f64 {
        self.noise.iter().sum::<f64>() / self.noise.len() as f64
    }

    /// How many are lost in rounding.
    pub fn lost(&self) -> usize {
        self.values.iter().zip(&self.noise).filter(|(value, noise)| value <= noise).count()
    }
}

impl KernelPca {
    /// The squared distance, in feature space, of each sample to the span of the components: k̄(x,x) − Σ_i f_i(x)².
    /// Kernel values need those of the samples with themselves ([`Input::with_diagonal`]).
    pub fn reconstruction_error<'a>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
    ) -> Result<Vec<f64>> {
        Ok(self.residuals(ctx, input)?.values)
    }

    /// The same with the size of rounding errors.
    #[doc(hidden)]
    pub fn residuals<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Residuals> {
        self.residuals_input(ctx, input.into())
    }

    fn residuals_input(&self, ctx: &Context, input: Input<'_>) -> Result<Residuals> {
        match input {
            Input::Samples(x) => self.residuals_of(ctx, &x),
            Input::Precomputed { values, diagonal } => {
                with_matrix!(values.view(), values => self.residuals_given(ctx, values, diagonal))
            }
            Input::Gram(_) => Err(not_for_predictions()),
        }
    }

    fn residuals_of(&self, ctx: &Context, x: &AnySamples) -> Result<Residuals> {
        let anchors = anchors_for(self.anchors.as_ref(), x)?.to_type::<f64>()?;
        let x = x.to_type::<f64>()?;
        let kernel = SpecKernel::<f64>::new(&self.params.kernel)?;
        let (kernel, raw_kernel, x, anchors) = match &self.landmarks {
            Some(state) => {
                let on = kernel_at(&kernel, &anchors, state)?;
                (on.kernel.clone(), on.kernel.clone(), on.moved(&x)?, on.anchors.clone())
            }
            None => {
                let origin = self.origin.as_ref().map(|origin| origin.sample);
                let seen = Seen::new(kernel, &anchors, &x, origin)?;
                let (x, anchors) = (seen.place(&x)?, seen.place(&anchors)?);
                (seen.kernel, seen.raw, x, anchors)
            }
        };
        let bytes = 8 * (self.n() + x.n()) as u64 * (self.k() + 1) as u64;
        let _reservation =
            ctx.reserve("the reconstruction error", bytes, "use fewer rows at a time")?;
        let mut diagonal = vec![0.0; x.n()];
        kernel.diag(Span::all(&x), &mut diagonal)?;
        let mut raw = vec![0.0; x.n()];
        raw_kernel.diag(Span::all(&x), &mut raw)?;
        let mut scores = Mat::zeros(x.n(), self.k() + 1);
        let (coef, offset) = self.with_means();
        Expansion::new(kernel, anchors, &coef, &offset).scores(ctx, &x, scores.view_mut())?;
        Ok(self.left_over(&diagonal, &raw, &scores))
    }

    fn residuals_given<T: Real>(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        diagonal: Option<&[f64]>,
    ) -> Result<Residuals> {
        let diagonal = check_diagonal(diagonal, values.rows())?;
        check_columns(self.n(), values.cols())?;
        let (coef, offset) = self.with_means();
        let mut scores = Mat::zeros(values.rows(), self.k() + 1);
        let from = self.seen_from();
        Weights::new(&coef, &offset).scores_of(ctx, values, from, scores.view_mut())?;
        let seen = |i: usize| match from {
            None => diagonal[i],
            Some(from) => {
                let with = values.at(i, from.sample).to_f64();
                (diagonal[i] - with) - (with - from.row[from.sample])
            }
        };
        let relative: Vec<f64> = (0..diagonal.len()).map(seen).collect();
        Ok(self.left_over(&relative, diagonal, &scores))
    }

    /// The weights of the anchors in the mean of the training samples in feature space; zeros without centring.
    pub(crate) fn mean_weights(&self) -> Vec<f64> {
        let n = self.n();
        let share = if self.params.center { 1.0 / n as f64 } else { 0.0 };
        self.landmarks.as_ref().map_or_else(|| vec![share; n], |state| state.means(n))
    }

    /// The coefficients and one more output, the mean kernel value with the training samples, which k̄(x, x) needs.
    fn with_means(&self) -> (Mat<f64>, Vec<f64>) {
        let (n, k) = (self.n(), self.k());
        let means = self.mean_weights();
        let coef = Mat::from_fn(n, k + 1, |i, c| if c < k { self.coef[(i, c)] } else { means[i] });
        let mut offset = self.seen_offset();
        offset.push(0.0);
        (coef, offset)
    }

    /// What of ‖φ(x) − mean‖² the components do not explain, from the samples' kernel values with themselves, relative and
    /// as they were computed, and their scores and mean kernel values.
    fn left_over(&self, diagonal: &[f64], raw: &[f64], scores: &Mat<f64>) -> Residuals {
        let k = self.k();
        let mean = self.origin.as_ref().map_or(self.mean, |origin| origin.mean);
        let value = |i: usize| {
            let explained: f64 = scores.row(i)[..k].iter().map(|f| f * f).sum();
            (diagonal[i] - 2.0 * scores[(i, k)] + mean - explained).max(0.0)
        };
        let epsilon = self.computed_in.epsilon();
        let size = |i: usize| raw[i].abs().max(diagonal[i].abs()).max(mean.abs());
        Residuals {
            values: (0..diagonal.len()).map(value).collect(),
            noise: (0..diagonal.len()).map(|i| ROUNDINGS * epsilon * size(i)).collect(),
        }
    }
}
