//! Description of a fitted feature map.

use mercer::model::features::{ApproximationError, KernelFeatures};
use serde::Serialize;

use super::{Facts, bare};

/// A fitted feature map.
#[derive(Debug, Clone, Serialize)]
pub struct FeatureFacts {
    /// The kernel, with its parameters as numbers.
    pub kernel: String,
    /// Features of a row.
    pub dimension: usize,
    /// Whether inner products are the kernel up to rounding.
    pub exact: bool,
    /// How far inner products are from the kernel, on pairs of training rows.
    pub error: Option<ApproximationError>,
}

pub(super) fn of_features(model: &KernelFeatures) -> Facts {
    let features = FeatureFacts {
        kernel: model.params.kernel.to_string(),
        dimension: model.k(),
        exact: model.map.is_exact(),
        error: model.error,
    };
    Facts { features: Some(features), ..bare(model.n, &model.report) }
}
