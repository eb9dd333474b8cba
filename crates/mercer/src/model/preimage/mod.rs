//! Pre-images: from components back to samples.
//!
//! Given scores y, the point P = mean + Σ_m y_m v_m of feature space is a weighted sum of training samples,
//! P = Σ_i γ_i φ(x_i) with γ = A y + 1/n (γ = A y without centring). Hardly ever is there a sample z with φ(z) = P; wanted is
//! one with φ(z) near P. The methods differ in what they minimise and what they need:
//!
//! - `Ridge`: a map learned in fit by regression, fastest and for any kernel. It aims at samples, not at P.
//! - `Neighbours`: put together from the training samples nearest to P; any kernel, no iteration.
//! - `FixedPoint`: z ← Σ γ_i k(z, x_i) x_i / Σ γ_i k(z, x_i), which settles where ‖φ(z) − P‖² has no slope; rbf alone.
//! - `Gradient`: minimises ‖φ(z) − P‖² for every kernel that has a gradient.
//!
//! For the linear kernel, feature space is sample space and z = P: all but `Ridge` then give that.

mod check;
mod descent;
mod evaluation;
mod fixed_point;
mod linear;
mod near;
mod neighbours;
mod quasi_newton;
mod search;
mod space;

use serde::{Deserialize, Serialize};

use super::input::check_columns;
use super::kernel_pca::KernelPca;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::points::{AnyMat, AnySamples, Dense, with_dtype, with_samples};
use crate::real::Real;

/// A way from components to samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// The map learned in fit.
    Ridge,
    /// Fixed-point iteration (Mika and others, 1999), for the rbf kernel.
    FixedPoint,
    /// From the training samples nearest in feature space, by distances (Kwok and Tsang, 2004) or by weights.
    Neighbours,
    /// Descent along the gradient, for kernels that have one.
    Gradient,
}

/// How pre-images are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PreimageParams {
    /// The method.
    pub method: Method,
    /// Training samples that a first estimate is made of, at least 1.
    pub neighbours: usize,
    /// Starting points of an iteration, at least 1; the end nearest to P is kept.
    pub restarts: usize,
    /// Rounds from each starting point at most, at least 1.
    pub max_rounds: usize,
    /// An iteration has ended when its next step is at most this share of the spread of the training samples.
    pub tolerance: f64,
}

impl PreimageParams {
    /// The method with defaults for the rest.
    pub fn new(method: Method) -> Self {
        Self { method, neighbours: 10, restarts: 3, max_rounds: 300, tolerance: 1e-6 }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Preimages {
    /// The samples: m × d.
    pub samples: Mat<f64>,
    /// The most rounds that an iteration took; 0 for methods without one.
    pub rounds: usize,
    /// Rows whose iteration ended within the tolerance.
    pub converged: usize,
    /// The other rows, ascending. They hold the best sample met.
    pub unconverged: Vec<usize>,
}

impl Preimages {
    /// Found without iteration.
    fn direct(samples: Mat<f64>) -> Self {
        Self { rounds: 0, converged: samples.rows(), unconverged: Vec::new(), samples }
    }
}

impl KernelPca {
    /// Samples (m × d) whose images in feature space are near the points that `scores` (m × k) stand for.
    pub fn preimages<'a>(
        &self,
        ctx: &Context,
        params: &PreimageParams,
        scores: impl Into<AnyMat<'a>>,
    ) -> Result<Preimages> {
        self.preimages_any(ctx, params, scores.into())
    }

    fn preimages_any(
        &self,
        ctx: &Context,
        params: &PreimageParams,
        scores: AnyMat<'_>,
    ) -> Result<Preimages> {
        params.check()?;
        let anchors = self.samples_to_map_back_to()?;
        check_columns(self.k(), scores.cols())?;
        if params.method == Method::Ridge {
            return self.inverse_transform(ctx, scores).map(Preimages::direct);
        }
        with_samples!(anchors, anchors => {
            let anchors = anchors.need_dense("a pre-image")?;
            self.search(ctx, params, anchors, &scores.to_dense()?)
        })
    }

    fn search<T: Real>(
        &self,
        ctx: &Context,
        params: &PreimageParams,
        anchors: &Dense<T>,
        scores: &Dense<T>,
    ) -> Result<Preimages> {
        if self.params.kernel.family().is_some_and(|family| family.name == "linear") {
            return linear::preimages(ctx, self, anchors, scores).map(Preimages::direct);
        }
        check::method_for::<T>(params.method, &self.params.kernel)?;
        check::plain_landmarks::<T>(self)?;
        search::preimages(ctx, self, anchors, params, scores)
    }

    /// ‖φ(z) − P‖² of each row: `samples` holds z (m × d), `scores` (m × k) stand for P = mean + Σ_m y_m v_m.
    ///
    /// By Pythagoras in two parts, what no component explains and what the components have wrong. A component of zero
    /// variance is no direction, so its score changes nothing.
    pub fn preimage_errors<'a>(
        &self,
        ctx: &Context,
        scores: impl Into<AnyMat<'a>>,
        samples: impl Into<AnyMat<'a>>,
    ) -> Result<Vec<f64>> {
        self.errors_any(ctx, scores.into(), samples.into())
    }

    fn errors_any(
        &self,
        ctx: &Context,
        scores: AnyMat<'_>,
        samples: AnyMat<'_>,
    ) -> Result<Vec<f64>> {
        let (scores, samples) = (scores.to_dense::<f64>()?, samples);
        let m = scores.n();
        check_columns(self.k(), scores.d())?;
        if samples.rows() != m {
            let found = samples.rows();
            return Err(Error::Shape(format!("got {found} samples for {m} rows of components")));
        }
        let samples: AnySamples = with_dtype!(self.dtype, T => samples.to_dense::<T>()?.into());
        let mut errors = self.reconstruction_error(ctx, &samples)?;
        let found = self.transform(ctx, samples)?;
        for (i, error) in errors.iter_mut().enumerate() {
            let pairs = found.row(i).iter().zip(scores.row(i)).zip(&self.eigenvalues);
            let wrong = pairs.filter(|(_, eta)| **eta > 0.0);
            *error += wrong.map(|((f, y), _)| (f - y).powi(2)).sum::<f64>();
        }
        Ok(errors)
    }
}
