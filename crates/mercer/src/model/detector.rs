//! Outlier detection by kernel PCA: samples that the leading components of the others do not explain, or that lie far out along
//! them.

use serde::{Deserialize, Serialize};

use super::components::Components;
use super::kernel_pca::{KernelPca, KernelPcaParams, Residuals};
use super::report::Report;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::Precomputed;
use crate::kernel::KernelSpec;
use crate::linalg::view::{Mat, MatRef};
use crate::points::Samples;
use crate::real::Real;

/// The outlier score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutlierScore {
    /// Σ_i |f_i(x)|: it lies far out along the components.
    Projections,
    /// k̄(x, x) − Σ_i f_i(x)²: it lies far from the span of the components.
    Reconstruction,
}

/// Parameters of the detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DetectorParams {
    /// The components; a count beyond the number of samples means that number.
    pub pca: KernelPcaParams,
    /// The score.
    pub score: OutlierScore,
    /// The fraction of outliers in the training set: above 0 and at most ½.
    pub contamination: f64,
}

/// Residuals below this multiple of their rounding errors in single precision are computed in double.
const CLEAR: f64 = 1e3;
/// The share of residuals lost in rounding from which on a note is made.
const LOST: f64 = 0.01;

/// Components by default: enough to follow the shape of most data, few enough not to explain its outliers.
pub const COMPONENTS: usize = 20;

impl DetectorParams {
    /// A detector with `kernel` and defaults for the rest: 20 components, the reconstruction error, a contamination of 0.1.
    pub fn new(kernel: KernelSpec) -> Self {
        let components = Components::Count(COMPONENTS);
        let pca = KernelPcaParams { components, ..KernelPcaParams::new(kernel) };
        Self { pca, score: OutlierScore::Reconstruction, contamination: 0.1 }
    }

    fn check(&self) -> Result<()> {
        if self.contamination > 0.0 && self.contamination <= 0.5 {
            return Ok(());
        }
        let message = format!("must be in the range (0, 0.5], got {}", self.contamination);
        Err(Error::parameter("contamination", message))
    }

    /// The parameters of kernel PCA on n samples.
    fn pca_on(&self, n: usize) -> KernelPcaParams {
        let components = match self.pca.components {
            Components::Count(count) => Components::Count(count.min(n)),
            other => other,
        };
        KernelPcaParams { components, inverse: None, ..self.pca.clone() }
    }
}

/// A fitted detector.
#[derive(Clone)]
pub struct Detector<T: Real> {
    /// The components.
    pub pca: KernelPca<T>,
    /// The score.
    pub score: OutlierScore,
    /// The fraction of outliers in the training set.
    pub contamination: f64,
    /// Samples with a score above it are outliers: the quantile of the training scores at 1 − `contamination`, interpolated.
    pub threshold: f64,
    /// The scores of the training samples; larger is more abnormal.
    pub training: Vec<f64>,
}

impl<T: Real> Detector<T> {
    /// Fits on samples.
    pub fn fit(ctx: &Context, params: &DetectorParams, x: impl Into<Samples<T>>) -> Result<Self> {
        let x = &x.into();
        params.check()?;
        let pca = KernelPca::fit(ctx, &params.pca_on(x.n()), x)?;
        let mut detector = Self::new(pca, params);
        if params.score == OutlierScore::Projections {
            detector.set_training(detector.scores(ctx, x)?);
            return Ok(detector);
        }
        let mut residuals = detector.pca.residuals(ctx, x)?;
        if T::EPSILON > f64::EPSILON && residuals.mean() < CLEAR * residuals.mean_noise() {
            detector.pca = in_double(ctx, &params.pca_on(x.n()), x)?;
            residuals = detector.pca.residuals(ctx, x)?;
        }
        detector.set_residuals(residuals);
        Ok(detector)
    }

    /// Fits on a kernel matrix that the caller computed; only its lower triangle is read.
    pub fn fit_gram(ctx: &Context, params: &DetectorParams, matrix: MatRef<'_, T>) -> Result<Self> {
        params.check()?;
        Precomputed::new(matrix)?;
        let pca = KernelPca::fit_gram(ctx, &params.pca_on(matrix.rows()), matrix)?;
        let mut detector = Self::new(pca, params);
        let diagonal: Vec<f64> = (0..matrix.rows()).map(|i| matrix.at(i, i).to_f64()).collect();
        match params.score {
            OutlierScore::Projections => {
                detector.set_training(detector.scores_gram(ctx, matrix, Some(&diagonal))?);
            }
            OutlierScore::Reconstruction => {
                detector.set_residuals(detector.pca.residuals_gram(ctx, matrix, &diagonal)?);
            }
        }
        Ok(detector)
    }

    fn new(pca: KernelPca<T>, params: &DetectorParams) -> Self {
        let DetectorParams { score, contamination, .. } = *params;
        Self { pca, score, contamination, threshold: f64::NAN, training: Vec::new() }
    }

    fn set_residuals(&mut self, residuals: Residuals) {
        self.pca.report.notes.extend(lost_in_rounding(&residuals));
        self.set_training(residuals.values);
    }

    fn set_training(&mut self, scores: Vec<f64>) {
        self.threshold = quantile(&scores, 1.0 - self.contamination);
        self.training = scores;
    }

    /// The outlier scores of new samples; larger is more abnormal.
    pub fn scores(&self, ctx: &Context, x: impl Into<Samples<T>>) -> Result<Vec<f64>> {
        let x = &x.into();
        match self.score {
            OutlierScore::Reconstruction => self.pca.reconstruction_error(ctx, x),
            OutlierScore::Projections => {
                let mut scores = Mat::zeros(x.n(), self.pca.k());
                self.pca.transform(ctx, x, scores.view_mut())?;
                Ok(sums(&scores))
            }
        }
    }

    /// The same given the samples' kernel values with the training samples (m × n) and, for the reconstruction error, with
    /// themselves (m).
    pub fn scores_gram(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        diagonal: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        match (self.score, diagonal) {
            (OutlierScore::Reconstruction, Some(diagonal)) => {
                self.pca.reconstruction_error_gram(ctx, values, diagonal)
            }
            (OutlierScore::Reconstruction, None) => Err(Error::parameter(
                "diagonal",
                "the reconstruction error needs the diagonal k(x, x) of the samples",
            )),
            (OutlierScore::Projections, _) => {
                let mut scores = Mat::zeros(values.rows(), self.pca.k());
                self.pca.transform_gram(ctx, values, scores.view_mut())?;
                Ok(sums(&scores))
            }
        }
    }

    /// The report of the fit.
    pub fn report(&self) -> &Report {
        &self.pca.report
    }
}

/// In double precision, for samples in single: the residuals left by components in single precision would be rounding
/// errors.
fn in_double<T: Real>(
    ctx: &Context,
    params: &KernelPcaParams,
    x: &Samples<T>,
) -> Result<KernelPca<T>> {
    let pca = KernelPca::<f64>::fit(ctx, params, x.convert::<f64>()?)?;
    Ok(pca.for_samples(x.clone()))
}

/// The note on training samples that the components explain up to rounding errors.
fn lost_in_rounding(residuals: &Residuals) -> Option<String> {
    let (lost, all) = (residuals.lost(), residuals.values.len());
    (lost as f64 > LOST * all as f64).then(|| {
        format!(
            "the reconstruction error of {lost} of {all} training samples is below rounding error, so their \
             scores are meaningless: use fewer components, scale the features, or score by projections"
        )
    })
}

fn sums<T: Real>(scores: &Mat<T>) -> Vec<f64> {
    let sum = |i: usize| scores.row(i).iter().map(|f| f.to_f64().abs()).sum();
    (0..scores.rows()).map(sum).collect()
}

/// A quantile of the values, with linear interpolation.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}
