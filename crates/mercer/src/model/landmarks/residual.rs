//! What the landmarks leave of single samples: k(x, x) − ‖φ̂(x)‖², the squared distance of φ(x) to the landmarks' span. It is a difference of numbers that agree in
//! most of their digits wherever landmarks represent a sample well, so it is computed in double precision whatever the samples are.

use super::basis::{factored, kernel_at_point};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::{CHUNK, features};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::model::input::Input;
use crate::model::kernel_kmeans::KernelKMeans;
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::KernelRidge;
use crate::model::landmarks::LandmarkState;
use crate::model::validate::anchors_for;
use crate::points::{AnySamples, Points, Span};
use crate::solve::pivoted_cholesky::lost_share;

/// The landmarks of a fitted model.
struct LandmarkSpan<'a> {
    kernel: &'a KernelSpec,
    landmarks: &'a Option<AnySamples>,
    point: Option<&'a [f64]>,
}

impl LandmarkSpan<'_> {
    /// What the landmarks leave of each sample; 0 where that is lost in rounding.
    fn residuals(&self, ctx: &Context, input: Input<'_>) -> Result<Vec<f64>> {
        let x = super::samples_of(input)?;
        let landmarks = anchors_for(self.landmarks.as_ref(), &x)?.to_type::<f64>()?;
        let x = x.to_type::<f64>()?;
        let m = landmarks.n() as u64;
        let bytes = 8 * m.saturating_mul(2 * m + 2 * CHUNK as u64);
        let hint = "use fewer landmarks or raise the memory budget";
        let _reservation = ctx.reserve("the features of samples", bytes, hint)?;
        let kernel = SpecKernel::<f64>::new(self.kernel)?;
        let on = kernel_at_point(&kernel, &landmarks, self.point)?;
        let factor = factored(ctx, &on)?;
        let lost = lost_share(f64::EPSILON);
        let mut values = Vec::with_capacity(x.n());
        for from in (0..x.n()).step_by(CHUNK) {
            let rows: Vec<usize> = (from..(from + CHUNK).min(x.n())).collect();
            let some = on.moved(&x.select(&rows))?;
            let all = Span::all(&some);
            let found = features(ctx, &*on.kernel, (&on.anchors, &factor), all)?;
            let mut diagonal = vec![0.0; some.n()];
            on.kernel.diag(all, &mut diagonal)?;
            values.extend(diagonal.iter().enumerate().map(|(i, own)| {
                let left = own - found.row(i).iter().map(|v| v * v).sum::<f64>();
                if left > lost * own.abs() { left } else { 0.0 }
            }));
        }
        Ok(values)
    }
}

fn span_of<'a>(
    kernel: &'a KernelSpec,
    landmarks: &'a Option<AnySamples>,
    state: Option<&'a LandmarkState>,
) -> Result<LandmarkSpan<'a>> {
    let state = state.ok_or_else(without)?;
    Ok(LandmarkSpan { kernel, landmarks, point: state.point.as_deref() })
}

fn without() -> Error {
    Error::parameter(Param::Landmarks, "the model was fitted without landmarks")
}

impl KernelPca {
    /// k(x, x) − ‖φ̂(x)‖² of samples, training samples or new ones: the squared distance, in feature space, to the span of the landmarks. 0 where that is lost in rounding.
    pub fn landmark_residuals<'a>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
    ) -> Result<Vec<f64>> {
        let span = span_of(&self.params.kernel, &self.anchors, self.landmarks.as_ref())?;
        span.residuals(ctx, input.into())
    }
}

impl KernelRidge {
    /// k(x, x) − ‖φ̂(x)‖² of samples, training samples or new ones: the squared distance, in feature space, to the span of the landmarks. 0 where that is lost in rounding.
    #[doc(hidden)]
    pub fn landmark_residuals<'a>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
    ) -> Result<Vec<f64>> {
        let span = span_of(&self.params.kernel, &self.anchors, self.landmarks.as_ref())?;
        span.residuals(ctx, input.into())
    }
}

impl KernelKMeans {
    /// k(x, x) − ‖φ̂(x)‖² of samples, training samples or new ones: the squared distance, in feature space, to the span of the landmarks. 0 where that is lost in rounding.
    #[doc(hidden)]
    pub fn landmark_residuals<'a>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
    ) -> Result<Vec<f64>> {
        if self.centre_coef.is_none() {
            return Err(without());
        }
        let (kernel, landmarks) = (&self.params.kernel, &self.anchors);
        LandmarkSpan { kernel, landmarks, point: self.point.as_deref() }
            .residuals(ctx, input.into())
    }
}
