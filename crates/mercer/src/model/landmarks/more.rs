//! Fits that go on: with more samples, or with the sums of a model of other samples. The model is that of all samples together, with the landmarks it has.

use super::basis::Fitted;
use super::kernel_pca::assemble;
use super::kernel_ridge::LandmarkRidge;
use super::rows::Whole;
use super::samples_of;
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::linalg::view::Mat;
use crate::model::classes;
use crate::model::detector::Detector;
use crate::model::input::Input;
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::KernelRidge;
use crate::model::targets::Targets;
use crate::points::with_dtype;

pub(super) fn other_landmarks(what: &str) -> Error {
    let message = format!(
        "the sums of the two models cannot be added: they have other {what}; fit both on the same landmarks (GivenLandmarks)"
    );
    Error::parameter(Param::Landmarks, message)
}

impl KernelPca {
    /// Goes on with more samples: the model becomes that of all samples so far. It needs a fit that keeps its sums
    /// ([`LandmarkParams::keep_sums`](crate::model::landmarks::LandmarkParams::keep_sums)).
    pub fn fit_more<'a>(&mut self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<()> {
        let x = samples_of(input.into())?;
        self.continue_with(ctx, &mut Whole::new(x, None, None))
    }

    /// Adds the sums of a model that was fitted on other samples with the same landmarks: the model becomes that of the samples of both.
    pub fn merge(&mut self, ctx: &Context, other: &Self) -> Result<()> {
        if self.params.inverse.is_some() {
            return Err(super::kernel_pca::no_inverse());
        }
        if (&self.params.kernel, self.dtype) != (&other.params.kernel, other.dtype) {
            return Err(other_landmarks("kernels or number types"));
        }
        let params = self.params.clone();
        let own = Fitted::of(&self.anchors, &self.landmarks, &self.report)?;
        let added = Fitted::of(&other.anchors, &other.landmarks, &other.report)?;
        *self = with_dtype!(self.dtype, T => {
            let (basis, sums) = own.join::<T>(ctx, &params.kernel, &added)?;
            assemble(ctx, &params, &basis, sums)?
        });
        Ok(())
    }
}

impl KernelRidge {
    /// Goes on with more samples: the model becomes that of all samples so far. It needs a fit that keeps its sums
    /// ([`LandmarkParams::keep_sums`](crate::model::landmarks::LandmarkParams::keep_sums)). The labels of a classifier are among its classes.
    pub fn fit_more<'a>(
        &mut self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
        targets: &Targets,
    ) -> Result<()> {
        let x = samples_of(input.into())?;
        let values = self.values_of(targets)?;
        let mut rows = Whole::new(x, Some(&values), targets.weights.as_deref());
        self.continue_with(ctx, &mut rows)
    }

    /// Targets as the model is regressed on them: n × t.
    #[doc(hidden)]
    pub fn values_of(&self, targets: &Targets) -> Result<Mat<f64>> {
        match (&self.classes, targets.class_labels()) {
            (Some(names), Some(labels)) => classes::encode(&classes::among(labels, names)?),
            (Some(_), None) => {
                Err(Error::Shape("the model is a classifier: the targets must be classes".into()))
            }
            (None, _) => targets.regressed(),
        }
    }

    /// Adds the sums of a model that was fitted on other samples with the same landmarks and targets: the model becomes that of the samples of both, with
    /// its own penalties.
    pub fn merge(&mut self, ctx: &Context, other: &Self) -> Result<()> {
        if (&self.params.kernel, self.dtype) != (&other.params.kernel, other.dtype) {
            return Err(other_landmarks("kernels or number types"));
        }
        if self.classes != other.classes {
            return Err(other_landmarks("classes"));
        }
        let (params, names) = (self.params.clone(), self.classes.clone());
        let own = Fitted::of(&self.anchors, &self.landmarks, &self.report)?;
        let added = Fitted::of(&other.anchors, &other.landmarks, &other.report)?;
        *self = with_dtype!(self.dtype, T => {
            let (basis, sums) = own.join::<T>(ctx, &params.kernel, &added)?;
            LandmarkRidge::new(ctx, basis, sums, params.intercept)?.into_model(ctx, &params)?.0
        });
        self.classes = names;
        self.forget_rows();
        Ok(())
    }

    /// Takes out of the report what holds for rows that cannot be read again.
    pub(crate) fn forget_rows(&mut self) {
        if let Some(landmarks) = &mut self.report.landmarks {
            (landmarks.full_system, landmarks.left_out_error) = (None, None);
        }
    }
}

impl Detector {
    /// Goes on with more samples: the components become those of all samples so far. It needs a fit that keeps its sums
    /// ([`LandmarkParams::keep_sums`](crate::model::landmarks::LandmarkParams::keep_sums)). The samples before are gone, so that their scores stay what they were when
    /// they were added; the threshold is the quantile of all scores.
    pub fn fit_more<'a>(&mut self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<()> {
        let x = samples_of(input.into())?;
        self.continue_with(ctx, &mut Whole::new(x, None, None))
    }
}
