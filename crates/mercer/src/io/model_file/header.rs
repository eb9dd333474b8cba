//! The JSON header: everything about a model that is not an array.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::frame::Fault;
use super::samples::SampleKind;
use super::unique::Unique;
use super::{Dtype, FORMAT};
use crate::model::kernel_ridge::Selection;
use crate::model::{Report, ScalingKind};

/// The name of PCA in files.
pub const PCA: &str = "pca";
/// The name of kernel PCA in files.
pub const KERNEL_PCA: &str = "kernel_pca";
/// The name of kernel ridge regression in files.
pub const KERNEL_RIDGE: &str = "kernel_ridge";
/// The name of support vector machines in files.
pub const SVM: &str = "svm";
/// The name of kernel k-means in files.
pub const KERNEL_KMEANS: &str = "kernel_kmeans";
/// The name of detectors of unusual samples in files.
pub const DETECTOR: &str = "kernel_pca_detector";

/// The name of repairs of kernel matrices in files.
pub const KERNEL_REPAIR: &str = "kernel_repair";
/// The name of fitted feature maps in files.
pub const KERNEL_FEATURES: &str = "kernel_features";

/// The header of format 1. Fields that a reader does not know are passed over: a change that a reader must know of
/// raises the version.
#[derive(Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u64,
    /// The version of mercer that wrote the file, for people.
    pub mercer: String,
    /// [`PCA`], [`KERNEL_PCA`], [`KERNEL_RIDGE`], [`SVM`], [`KERNEL_KMEANS`], [`DETECTOR`], [`KERNEL_REPAIR`] or
    /// [`KERNEL_FEATURES`].
    pub estimator: String,
    /// The parameters of the fit, as the estimator describes them.
    pub params: Value,
    /// The parameters of the map back with its kernel as it was resolved, where there is such a map.
    pub inverse: Option<Value>,
    /// The number type of the anchors.
    pub precision: Dtype,
    /// The number type of the samples of the fit.
    pub dtype: Dtype,
    /// Training samples.
    pub n: usize,
    /// Features; `None` where the kernel matrix was given.
    pub d: Option<usize>,
    /// Components, targets, decisions, or clusters.
    pub k: usize,
    /// What the training samples are, unless they are rows of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<SampleKind>,
    /// The report of the fit.
    pub report: Report,
    /// How kernel and penalty were chosen, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The names of the classes, of a classifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
    /// What is to be known of a calibration beside its curves, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationHeader>,
    /// The kind of scaling, if there is one.
    pub scaling: Option<ScalingKind>,
    /// Notes of an interface.
    pub extra: Map<String, Value>,
}

/// The part of a calibration that does not grow with the number of classes.
#[derive(Serialize, Deserialize)]
pub struct CalibrationHeader {
    /// Folds that the decisions came from.
    pub folds: usize,
}

#[derive(Deserialize)]
struct Version {
    format: Option<u64>,
    mercer: Option<String>,
}

impl Header {
    /// Reads the header, after its version: a newer header may have another shape altogether.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let unreadable = |error| Fault::Invalid(format!("its header cannot be read: {error}"));
        serde_json::from_str::<Unique>(text).map_err(unreadable)?;
        let version: Version = serde_json::from_str(text).map_err(unreadable)?;
        match version.format {
            Some(FORMAT) => serde_json::from_str(text).map_err(unreadable),
            Some(newer) if newer > FORMAT => {
                Err(Fault::Newer { format: newer, writer: version.mercer })
            }
            Some(format) => Err(Fault::Invalid(format!("format {format} does not exist"))),
            None => Err(Fault::Invalid("its header has no format number".into())),
        }
    }
}
