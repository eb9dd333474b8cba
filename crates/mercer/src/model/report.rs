//! The report of a fit, which comes with every model.

use serde::{Deserialize, Deserializer, Serialize};

use super::landmarks::LandmarkReport;
use super::note::{Note, NoteCode, listed};
use super::optimize::OptimizationReport;
use super::svm::SvmReport;
use crate::real::Real;

/// The report of a fit. Not converging is not an error: it is reported here, and the interfaces warn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The solver.
    pub solver: String,
    /// The storage of the matrix.
    pub storage: String,
    /// The reason for that storage.
    pub reason: String,
    /// Passes over the matrix; 0 for a direct method.
    pub passes: usize,
    /// The largest residual: ‖K v − η v‖ / ‖K‖ of eigenpairs, ‖y − (K + α) c‖ / ‖y‖ of regressions.
    #[serde(deserialize_with = "number_or_null")]
    pub residual: f64,
    /// Whether the residuals reached the tolerance.
    pub converged: bool,
    /// The type of the tiles, `f32` or `f64`.
    pub precision: String,
    /// Seconds taken.
    #[serde(deserialize_with = "number_or_null")]
    pub seconds: f64,
    /// Notes for the user.
    #[serde(flatten, with = "listed")]
    pub notes: Vec<Note>,
    /// The report on the linear system, for regressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemReport>,
    /// The report on the dual problems, for support vector machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<SvmReport>,
    /// The report on the clusters, for kernel k-means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterReport>,
    /// The report on the approximation, for fits on landmarks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<LandmarkReport>,
    /// The report on the search for kernel parameters by gradient, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimization: Option<OptimizationReport>,
}

/// The iterations of kernel k-means, for the best start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClusterReport {
    /// The sum of squared distances to the centres, weighted.
    pub objective: f64,
    /// Starts that were tried.
    pub starts: usize,
    /// Rounds.
    pub rounds: usize,
    /// The objective at the start and after each round.
    pub objectives: Vec<f64>,
    /// Samples that changed their cluster, over all rounds.
    pub moved: u64,
    /// Times that an empty cluster was given a new sample.
    pub reseeded: usize,
    /// Passes over all kernel values; the other iterations read only those of samples that moved.
    pub full_passes: usize,
    /// In a fit on landmarks, the same sum for the samples as the landmarks represent them, which the iterations make small. For these clusters with
    /// centres anywhere in feature space, the sum lies between this and `objective`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_rank_objective: Option<f64>,
}

/// How well a system (K + α) c = y determines its solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SystemReport {
    /// The condition number of K + α: a bound where it is harmless, else an estimate.
    #[serde(deserialize_with = "number_or_null")]
    pub condition: f64,
    /// How many eigenvalues of K are not lost in rounding, where that was computed.
    pub effective_rank: Option<usize>,
    /// The α from which on rounding errors of kernel values leave the coefficients three digits (two in single
    /// precision).
    #[serde(deserialize_with = "number_or_null")]
    pub stable_alpha: f64,
}

/// JSON has no NaN and writes null: a report of a fit that went wrong must be readable too.
pub(super) fn number_or_null<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(input)?.unwrap_or(f64::NAN))
}

/// What is wrong with a given matrix whose mirror entries differ by this share of the largest, if that is more than rounding.
pub(crate) fn asymmetric<T: Real>(asymmetry: f64) -> Option<String> {
    // Other programs' kernels differ from their mirror images by a thousand roundings and more.
    (asymmetry > (1e3 * T::EPSILON).max(1e-10)).then(|| {
        format!(
            "the kernel matrix is not symmetric: entries differ from their mirror images by up to {asymmetry:.1e} of the \
             largest entry"
        )
    })
}

/// The note on such a matrix where it is used nevertheless.
pub(super) fn asymmetry_note<T: Real>(asymmetry: f64) -> Option<Note> {
    let text = asymmetric::<T>(asymmetry)? + "; the lower triangle was used";
    Some(Note::new(NoteCode::NotSymmetric, text))
}
