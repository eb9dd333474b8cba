//! Validation of pre-image parameters.

use super::{Method, PreimageParams};
use crate::error::{Error, Param, Result};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::model::kernel_pca::KernelPca;
use crate::points::AnySamples;
use crate::real::Real;

impl PreimageParams {
    /// Refuses numbers that no method can work with.
    pub(super) fn check(&self) -> Result<()> {
        let counts = [
            (Param::Neighbours, self.neighbours),
            (Param::Restarts, self.restarts),
            (Param::MaxRounds, self.max_rounds),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(Error::parameter(name, "must be at least 1, got 0"));
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::parameter(
                Param::Tolerance,
                format!("must be positive, got {}", self.tolerance),
            ));
        }
        Ok(())
    }
}

impl KernelPca {
    /// The training samples, which pre-images are made of.
    pub(super) fn samples_to_map_back_to(&self) -> Result<&AnySamples> {
        self.anchors.as_ref().ok_or_else(|| {
            Error::parameter(
                Param::Kernel,
                "the model was fitted on a precomputed kernel: there are no samples to map to",
            )
        })
    }
}

/// Refuses a method that cannot work with the kernel, naming those that can.
pub(super) fn method_for<T: Real>(method: Method, spec: &KernelSpec) -> Result<()> {
    let kink = SpecKernel::<T>::new(spec)?.kink();
    let is_rbf = spec.family().is_some_and(|family| family.name == "rbf");
    match (method, kink) {
        (Method::FixedPoint, None) if !is_rbf => Err(Error::parameter(
            Param::Method,
            format!(
                "fixed_point works only with the rbf kernel, not {spec}: use gradient, neighbors, or ridge with \
                 an inverse map learned in fit"
            ),
        )),
        (Method::FixedPoint, Some(_)) => Err(Error::parameter(
            Param::Method,
            format!(
                "fixed_point works only with the rbf kernel, not {spec}: use neighbors, or ridge with an inverse \
                 map learned in fit"
            ),
        )),
        (Method::Gradient, Some(part)) => Err(Error::parameter(
            Param::Method,
            format!(
                "gradient needs a differentiable kernel, but {part} has a kink at equal samples or no gradient: use neighbors, \
                 or ridge with an inverse map learned in fit"
            ),
        )),
        _ => Ok(()),
    }
}

/// Refuses landmarks that are seen from a point by a kernel whose values that changes: pre-images are of the kernel itself.
pub(super) fn plain_landmarks<T: Real>(model: &KernelPca) -> Result<()> {
    let moved = model.landmarks.as_ref().is_some_and(|state| state.point.is_some());
    if moved && !SpecKernel::<T>::new(&model.params.kernel)?.is_free_of_origin() {
        return Err(Error::parameter(
            Param::Kernel,
            "the samples lie so far from the origin that the landmarks are taken relative to their mean, which pre-images with this \
             kernel do not support: subtract the mean of each feature first",
        ));
    }
    Ok(())
}
