//! Kernel k-means: clusters around centres in the feature space of a kernel.
//!
//! Given samples with weights and k, find clusters that make Σ_i w_i ‖φ(x_i) − μ_{label i}‖² small. A centre is a weighted
//! mean of samples in feature space, so distances to it are sums of kernel values: the centres are an expansion with one
//! column each, and new samples go to the nearest.

mod assemble;
mod check;
mod fit;

pub(crate) use check::{check_labels, check_params, too_many};
pub(in crate::model) use fit::workspace;

use serde::{Deserialize, Serialize};

use super::input::{Input, check_columns, not_for_predictions};
use super::kernel_on::KernelOn;
use super::landmarks::LandmarkParams;
use super::report::Report;
use super::validate::{anchors_for, check_diagonal};
use crate::context::Context;
use crate::error::Result;
use crate::expansion::{Expansion, Weights};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{AnySamples, Dtype, Samples, Span, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::lloyd::nearest;

/// The initialisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Init {
    /// k-means++: around samples that are far from each other in feature space, drawn one after another.
    PlusPlus,
    /// Around random samples.
    Random,
    /// From the k leading eigenvectors of the weighted kernel matrix: the best clusters if samples could belong to several.
    Spectral,
    /// Given labels: the cluster of each sample.
    Labels(Vec<usize>),
}

impl Init {
    /// `k-means++`, `random`, `spectral` or `labels`.
    #[doc(hidden)]
    pub fn name(&self) -> &'static str {
        match self {
            Init::PlusPlus => "k-means++",
            Init::Random => "random",
            Init::Spectral => "spectral",
            Init::Labels(_) => "labels",
        }
    }
}

/// Parameters of kernel k-means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KernelKMeansParams {
    /// The number of clusters.
    pub clusters: usize,
    /// The kernel; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// The initialisation.
    pub init: Init,
    /// The number of starts; the one with the lowest objective is kept. Spectral and given starts are tried once.
    pub starts: usize,
    /// The maximum number of iterations.
    pub max_rounds: usize,
    /// Stops when the centres' squared shifts in a round, summed, are at most this share of the samples' mean squared
    /// distance from their mean, all in feature space. With 0 it stops when no sample changes its cluster.
    pub tolerance: f64,
    /// Seed of the starts.
    pub seed: u64,
    /// The landmarks of a low-rank fit; `None` for an exact one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<LandmarkParams>,
}

impl KernelKMeansParams {
    /// k clusters with `kernel` and defaults for the rest.
    #[doc(hidden)]
    pub fn new(clusters: usize, kernel: KernelSpec) -> Self {
        Self {
            clusters,
            kernel,
            init: Init::PlusPlus,
            starts: 1,
            max_rounds: 300,
            tolerance: 0.0,
            seed: 0,
            landmarks: None,
        }
    }
}

/// A fitted kernel k-means.
#[derive(Clone)]
pub struct KernelKMeans {
    /// The parameters, with the kernel as it was resolved; given labels are not kept.
    pub params: KernelKMeansParams,
    /// The cluster of each training sample.
    pub labels: Vec<usize>,
    /// Σ_i w_i ‖φ(x_i) − μ_{label i}‖², the distances that the model measures: those to centres in the landmarks' span in a low-rank fit.
    pub inertia: f64,
    /// Iterations of the best start.
    pub rounds: usize,
    /// The weight of each training sample over that of its cluster: centre c is Σ_{j in c} share_j φ(x_j). Empty in a low-rank fit.
    pub shares: Vec<f64>,
    /// Clusters that became empty, each with the training sample that is its centre.
    pub stand_ins: Vec<(usize, usize)>,
    /// ‖μ_c‖², seen from `point` where there is one.
    pub norms: Vec<f64>,
    /// The point of sample space from which feature space is seen, if samples lie far from the origin: distances are the same, and
    /// keep their digits.
    pub point: Option<Vec<f64>>,
    /// The coefficients of a low-rank fit: centre c is Σ_j centre_coef_jc φ(z_j) over the landmarks z (m × k).
    #[doc(hidden)]
    pub centre_coef: Option<Mat<f64>>,
    /// The training samples, or the landmarks; `None` if the kernel matrix was precomputed.
    pub anchors: Option<AnySamples>,
    /// The number type of the samples or of the kernel matrix that it was fitted on.
    pub dtype: Dtype,
    /// The report of the fit.
    pub report: Report,
}

impl KernelKMeans {
    /// Training samples.
    #[doc(hidden)]
    pub fn n(&self) -> usize {
        self.labels.len()
    }

    /// The number of clusters.
    pub fn k(&self) -> usize {
        self.norms.len()
    }

    /// How many training samples each cluster has.
    #[doc(hidden)]
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.k()];
        self.labels.iter().for_each(|&c| sizes[c] += 1);
        sizes
    }

    /// The nearest cluster of each new sample; among equally near ones, the first.
    pub fn predict<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Vec<usize>> {
        self.predict_input(ctx, input.into())
    }

    fn predict_input(&self, ctx: &Context, input: Input<'_>) -> Result<Vec<usize>> {
        match input {
            Input::Samples(x) => {
                let anchors = anchors_for(self.anchors.as_ref(), &x)?;
                with_samples!(anchors, anchors => {
                    Ok(self.nearest(&self.sums(ctx, anchors, &x.to_type()?)?.0))
                })
            }
            Input::Precomputed { values, .. } => {
                with_matrix!(values.view(), values => Ok(self.nearest(&self.sums_given(ctx, values)?)))
            }
            Input::Gram(_) => Err(not_for_predictions()),
        }
    }

    /// Squared distances of new samples to the centres, in feature space: m × k. Kernel values need those of the samples with
    /// themselves ([`Input::with_diagonal`]).
    pub fn distances<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Mat<f64>> {
        self.distances_input(ctx, input.into())
    }

    fn distances_input(&self, ctx: &Context, input: Input<'_>) -> Result<Mat<f64>> {
        match input {
            Input::Samples(x) => {
                let anchors = anchors_for(self.anchors.as_ref(), &x)?;
                with_samples!(anchors, anchors => self.distances_of(ctx, anchors, &x.to_type()?))
            }
            Input::Precomputed { values, diagonal } => {
                let diagonal = check_diagonal(diagonal, values.rows())?;
                with_matrix!(values.view(), values => {
                    Ok(self.add_diagonal(&self.sums_given(ctx, values)?, |i| diagonal[i]))
                })
            }
            Input::Gram(_) => Err(not_for_predictions()),
        }
    }

    fn distances_of<T: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        x: &Samples<T>,
    ) -> Result<Mat<f64>> {
        let (sums, on, x) = self.sums(ctx, anchors, x)?;
        let mut diagonal = vec![T::ZERO; x.n()];
        on.kernel.diag(Span::all(&x), &mut diagonal)?;
        Ok(self.add_diagonal(&sums, |i| diagonal[i].to_f64()))
    }

    /// ‖μ_c‖² − 2 ⟨φ(x), μ_c⟩ (m × k), with the kernel and the samples that it was computed with.
    fn sums<T: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        x: &Samples<T>,
    ) -> Result<(Mat<T>, KernelOn<T>, Samples<T>)> {
        let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
        let point = self.point.as_ref();
        let point: Option<Vec<T>> = point.map(|p| p.iter().map(|&v| T::from_f64(v)).collect());
        let on = KernelOn::at(&kernel, anchors, point.as_deref())?;
        let x = on.moved(x)?;
        let mut out = Mat::zeros(x.n(), self.k());
        let (kernel, anchors) = (on.kernel.clone(), on.anchors.clone());
        Expansion::new(kernel, anchors, &self.coef(), &self.norms).scores(
            ctx,
            &x,
            out.view_mut(),
        )?;
        Ok((out, on, x))
    }

    fn sums_given<T: Real>(&self, ctx: &Context, values: MatRef<'_, T>) -> Result<Mat<T>> {
        check_columns(self.n(), values.cols())?;
        let mut out = Mat::zeros(values.rows(), self.k());
        Weights::new(&self.coef(), &self.norms).scores(ctx, values, out.view_mut())?;
        Ok(out)
    }

    /// Column c makes ⟨φ(x), μ_c⟩, times −2, of kernel values: n × k, or m × k with landmarks.
    fn coef(&self) -> Mat<f64> {
        if let Some(coef) = &self.centre_coef {
            return Mat::from_fn(coef.rows(), coef.cols(), |i, c| -2.0 * coef[(i, c)]);
        }
        let mut coef = Mat::zeros(self.n(), self.k());
        for (i, (&c, share)) in self.labels.iter().zip(&self.shares).enumerate() {
            coef[(i, c)] = -2.0 * share;
        }
        self.stand_ins.iter().for_each(|&(c, i)| coef[(i, c)] = -2.0);
        coef
    }

    fn nearest<T: Real>(&self, sums: &Mat<T>) -> Vec<usize> {
        let largest = self.norms.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let noise = 64.0 * T::EPSILON * largest;
        let place = |i: usize| nearest(sums.row(i).iter().map(|v| v.to_f64()), noise).0;
        (0..sums.rows()).map(place).collect()
    }

    fn add_diagonal<T: Real>(&self, sums: &Mat<T>, diagonal: impl Fn(usize) -> f64) -> Mat<f64> {
        Mat::from_fn(sums.rows(), self.k(), |i, c| (sums[(i, c)].to_f64() + diagonal(i)).max(0.0))
    }
}
