//! Description of an outlier detector.

use mercer::model::detector::Detector;
use serde::Serialize;

use super::Facts;
use super::components::of_kernel_pca;
use crate::scores::in_short;

/// An outlier detector.
#[derive(Debug, Clone, Serialize)]
pub struct DetectorFacts {
    /// `reconstruction` or `projections`.
    pub score: &'static str,
    /// The expected fraction of outliers.
    pub contamination: f64,
    /// The score above which a row is an outlier.
    pub threshold: f64,
    /// Training rows above the threshold.
    pub outliers: usize,
}

impl DetectorFacts {
    /// The contamination in texts; that of a threshold with no row above it is 0.
    pub fn share(&self) -> String {
        if self.contamination == f64::MIN_POSITIVE {
            "0".into()
        } else {
            in_short(self.contamination)
        }
    }
}

pub(super) fn of_detector(model: &Detector) -> Facts {
    let detector = DetectorFacts {
        score: model.score.name(),
        contamination: model.contamination,
        threshold: model.threshold,
        outliers: model.training.iter().filter(|score| **score > model.threshold).count(),
    };
    Facts { detector: Some(detector), ..of_kernel_pca(&model.pca) }
}
