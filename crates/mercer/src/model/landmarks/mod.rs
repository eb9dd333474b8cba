//! Low-rank fits on landmarks: few samples whose span in feature space stands for that of all samples.
//!
//! A fit reads the samples in blocks, twice: once to choose the landmarks among a sample of the rows, once to add up their kernel values with the landmarks
//! ([`LandmarkSums`]). Neither the n × n nor the n × m matrix is ever held. It is never chosen by itself, and its report says how good it is.

mod basis;
mod candidates;
mod capacity;
mod choice;
mod curve;
mod features;
mod full_system;
mod input_means;
mod iterative;
mod kernel_kmeans;
mod kernel_kmeans_rows;
mod kernel_pca;
mod kernel_ridge;
mod more;
mod observed;
mod offer;
mod packet;
mod regrouped;
mod residual;
mod ridge_rows;
mod row_sums;
mod rows;
mod sampled;
#[cfg(test)]
mod tests;
mod workers;

pub(crate) use basis::{Basis, factored, kernel_at};
pub(super) use candidates::report as report_read;
pub(crate) use capacity::{Fit, direct_bytes};
pub(super) use capacity::{either_bytes, eligible};
pub(crate) use curve::curve;
pub(super) use kernel_kmeans::landmark_bytes;
pub(crate) use kernel_ridge::LandmarkRidge;
pub(crate) use observed::{Checked, Observed};
pub(super) use offer::{offer, slow};
#[doc(hidden)]
pub use packet::Packet;
#[doc(hidden)]
pub use regrouped::Regrouped;
pub(crate) use ridge_rows::{Evaluated, RidgeRows, bytes as rows_bytes};
#[doc(hidden)]
pub use rows::{RowBlock, RowBlocks, Whole};
#[doc(hidden)]
pub use sampled::sampled;
pub(super) use workers::SCALING;
#[doc(hidden)]
pub use workers::{Beside, Work, Workers, prepared};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Param, Result};
use crate::gram::LandmarkSums;
use crate::model::input::Input;
use crate::model::note::{Note, NoteCode};
use crate::model::report::Report;
use crate::model::svm::SampledLoss;
use crate::points::{AnySamples, Dtype};

/// What a fit on landmarks is called where its progress is shown: one stage, however often the rows are read.
pub(crate) const STAGE: &str = "fit on landmarks";

/// Its phases: rows are looked at, landmarks chosen among some of them, all rows added up, the small problem solved, and all rows evaluated.
pub(crate) mod phase {
    pub const LOOK: usize = 0;
    pub const CHOOSE: usize = 1;
    pub const SUM: usize = 2;
    pub const SOLVE: usize = 3;
    pub const EVALUATE: usize = 4;
    /// Those of a fit that is solved from sums.
    pub const FIT: &[usize] = &[LOOK, CHOOSE, SUM, SOLVE];
    /// The same with a pass over the rows at its end.
    pub const FIT_AND_EVALUATE: &[usize] = &[LOOK, CHOOSE, SUM, SOLVE, EVALUATE];
    /// Those of a fit that goes on in other stages.
    pub const BEGIN: &[usize] = &[LOOK, CHOOSE, SUM];
    /// Those of a choice alone.
    pub const CHOICE: &[usize] = &[LOOK, CHOOSE];
}

/// Shares of the trace that are left after some numbers of landmarks.
type Curve = Vec<(usize, f64)>;

/// Roundings of the trace that sums of kernel values may carry.
const ROUNDINGS: f64 = 100.0;

/// How many landmarks, or which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LandmarkCount {
    /// So many, fewer where samples depend on each other.
    Count(usize),
    /// As many as it takes until at most this share of the trace of the kernel matrix is left, estimated on a sample of the rows.
    Tolerance(f64),
    /// The caller's own samples.
    Given(GivenLandmarks),
}

/// Samples that the caller chose as landmarks. Files hold their number: the samples themselves are those of the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GivenLandmarks {
    count: usize,
    #[serde(skip)]
    samples: Option<AnySamples>,
}

impl GivenLandmarks {
    /// These samples.
    pub fn new(samples: impl Into<AnySamples>) -> Self {
        let samples = samples.into();
        Self { count: samples.n(), samples: Some(samples) }
    }

    fn samples(&self) -> Result<&AnySamples> {
        let missing = "the samples are not stored with the parameters: give them again";
        self.samples.as_ref().ok_or_else(|| Error::parameter(Param::Landmarks, missing))
    }
}

impl PartialEq for GivenLandmarks {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

/// How landmarks are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LandmarkMethod {
    /// Randomly pivoted Cholesky: samples that those chosen before represent badly are more likely.
    #[default]
    PivotedCholesky,
    /// Every sample with the same probability.
    Uniform,
    /// The means of clusters of the samples, by k-means: rows of numbers only.
    #[serde(rename = "kmeans")]
    KMeans,
}

/// Parameters of a low-rank fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LandmarkParams {
    /// How many landmarks, or which.
    pub count: LandmarkCount,
    /// How they are chosen.
    #[serde(default)]
    pub method: LandmarkMethod,
    /// Seed of the choice.
    #[serde(default)]
    pub seed: u64,
    /// Whether the model keeps the sums over its samples, so that it can be continued with more of them.
    #[serde(default)]
    pub keep_sums: bool,
}

impl LandmarkParams {
    /// Landmarks chosen by randomly pivoted Cholesky.
    pub fn new(count: LandmarkCount) -> Self {
        Self { count, method: LandmarkMethod::default(), seed: 0, keep_sums: false }
    }

    /// The way landmarks are chosen.
    #[must_use]
    pub fn method(mut self, method: LandmarkMethod) -> Self {
        self.method = method;
        self
    }

    /// The seed of the choice.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether the model keeps the sums over its samples, m × m numbers, so that it can be continued with more of them, also from a file.
    #[must_use]
    pub fn keep_sums(mut self, keep: bool) -> Self {
        self.keep_sums = keep;
        self
    }

    /// Whether the caller chose the landmarks.
    fn is_given(&self) -> bool {
        matches!(self.count, LandmarkCount::Given(_))
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::parameter(Param::Landmarks, message));
        match self.count {
            LandmarkCount::Count(0) => wrong("at least one landmark is required".into()),
            LandmarkCount::Tolerance(share) if !(share > 0.0 && share < 1.0) => wrong(format!(
                "the tolerance is a share of the trace and must lie strictly between 0 and 1, got {share}"
            )),
            _ => Ok(()),
        }
    }
}

impl From<usize> for LandmarkParams {
    fn from(count: usize) -> Self {
        Self::new(LandmarkCount::Count(count))
    }
}

/// What a low-rank model has beside coefficients and landmarks.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct LandmarkState {
    /// The point that samples are taken relative to, where they lie far from the origin.
    pub point: Option<Vec<f64>>,
    /// The coefficients whose expansion is the mean kernel value with the training samples; empty without centring.
    pub mean_coef: Vec<f64>,
    /// The sums over the training samples, if they were to be kept.
    pub sums: Option<LandmarkSums>,
}

/// How good a low-rank approximation K̂ of the kernel matrix K is. K − K̂ is positive semidefinite, so that its trace bounds every error:
/// λ̂_i ≤ λ_i ≤ λ̂_i + tr(K − K̂).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LandmarkReport {
    /// Landmarks of the model.
    pub landmarks: usize,
    /// Landmarks that were asked for and left out because they depend linearly on others.
    pub dropped: usize,
    /// How they were chosen: `pivoted_cholesky`, `uniform`, `kmeans` or `given`.
    pub method: String,
    /// Rows that they were chosen among.
    pub candidates: usize,
    /// Training samples.
    pub rows: u64,
    /// tr K: Σ w k(x, x).
    pub trace: f64,
    /// tr(K − K̂).
    pub residual_trace: f64,
    /// The share of the trace that is left of all rows after some numbers of landmarks, in the order in which they were chosen.
    pub curve: Vec<(usize, f64)>,
    /// What a user should know of the choice, until it stands in the notes of the fit.
    #[serde(skip)]
    pub(crate) notes: Vec<String>,
    /// How nearly a regression solves the system of all samples, where that was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_system: Option<FullSystem>,
    /// Of support vector machines: the loss on some training samples, by the model and by the true kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<SampledLoss>,
    /// The largest relative error of leave-one-out residuals by single precision among the first 1,024 rows; `None` where they were
    /// computed in double precision, or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_error: Option<f64>,
    /// Of kernel PCA: between which numbers each eigenvalue of K lies, centred if the features are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eigenvalue_bounds: Vec<(f64, f64)>,
    /// Of kernel PCA: between which numbers the share of the variance lies that the leading components explain, as many as the model has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_bounds: Option<(f64, f64)>,
}

/// How nearly a regression on landmarks solves the system of the exact fit, (K + α W⁻¹) a = y − b, on a sample of the rows.
///
/// The exact fit has a = W (y − f) / α, with f = K a + b. These a, of the function f on landmarks, have the residual f − b − K a, which is
/// (K̂ − K) a: what the landmarks do not represent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FullSystem {
    /// Rows of the sample.
    pub rows: usize,
    /// ‖f − b − K a‖ / ‖y − b‖ over these rows, weighted; the largest over targets.
    pub residual: f64,
    /// The duality gap α aᵀ (K − K̂) a as a share of the objective Σ w (y − f)² + α ‖f‖², estimated from these rows, the largest over targets: the
    /// exact fit's objective is smaller by no more than this.
    pub gap: f64,
}

impl FullSystem {
    /// The larger residual and gap of two.
    pub(crate) fn worse(self, other: Self) -> Self {
        let (residual, gap) = (self.residual.max(other.residual), self.gap.max(other.gap));
        Self { residual, gap, ..self }
    }
}

impl LandmarkReport {
    /// tr(K − K̂) / tr K.
    pub fn residual_share(&self) -> f64 {
        if self.trace > 0.0 { self.residual_trace / self.trace } else { 0.0 }
    }

    /// The bounds that follow from the eigenvalues of K̂, whose trace with what it leaves is `total`, for kernel values with relative errors `epsilon`.
    /// K − K̂ is positive semidefinite, centred or not, so that eigenvalues of K are larger by at most its trace, and so are sums of them. What the mean of the features loses
    /// makes `total` too large by no more than it makes that trace, which leaves both bounds of the share.
    fn bounded(self, eigenvalues: &[f64], total: f64, epsilon: f64) -> Self {
        let (noise, left) = (ROUNDINGS * epsilon * self.trace, self.residual_trace);
        let bounds = |eta: &f64| ((eta - noise).max(0.0), eta + left + noise);
        let sum: f64 = eigenvalues.iter().sum();
        let share = |sum: f64| (sum / total).clamp(0.0, 1.0);
        Self {
            eigenvalue_bounds: eigenvalues.iter().map(bounds).collect(),
            explained_bounds: (total > 0.0)
                .then(|| (share(sum - noise), share(sum + left + noise))),
            ..self
        }
    }
}

/// What every report of a low-rank fit has.
pub(crate) fn report(landmarks: LandmarkReport, dtype: Dtype) -> Report {
    let reason = format!(
        "a fit on {} landmarks: the kernel matrix of {} rows is approximated, leaving {:.1e} of its trace",
        landmarks.landmarks,
        landmarks.rows,
        landmarks.residual_share()
    );
    Report {
        storage: "landmarks".into(),
        reason,
        converged: true,
        precision: dtype.name().into(),
        landmarks: Some(landmarks),
        ..Report::default()
    }
}

/// What a user should know of the landmarks.
pub(crate) fn notes(landmarks: &LandmarkReport) -> Vec<Note> {
    let texts = landmarks.notes.iter();
    let mut notes: Vec<Note> =
        texts.map(|text| Note::new(NoteCode::Landmarks, text.clone())).collect();
    if landmarks.dropped > 0 {
        let text = format!(
            "{} of {} landmarks depend linearly on the others and were left out",
            landmarks.dropped,
            landmarks.dropped + landmarks.landmarks
        );
        notes.push(Note::new(NoteCode::Landmarks, text));
    }
    notes
}

/// The parameters of the landmarks, which rows in blocks cannot do without.
pub(crate) fn required(params: Option<&LandmarkParams>) -> Result<&LandmarkParams> {
    let missing = "rows in blocks need landmarks: give their number";
    params.ok_or_else(|| Error::parameter(Param::Landmarks, missing))
}

fn no_landmarks() -> Error {
    Error::parameter(
        Param::Landmarks,
        "only a model with landmarks can be continued with more rows",
    )
}

fn no_sums() -> Error {
    Error::parameter(
        Param::Landmarks,
        "the model does not keep the sums over its rows: fit it with keep_sums to continue it",
    )
}

/// The samples of an input: landmarks are samples, which kernel values are not.
pub(crate) fn samples_of(input: Input<'_>) -> Result<AnySamples> {
    match input {
        Input::Samples(x) => Ok(x),
        _ => Err(Error::parameter(
            Param::Landmarks,
            "not available with a precomputed kernel: landmarks are chosen among samples",
        )),
    }
}
