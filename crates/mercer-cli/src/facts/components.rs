//! Description of a PCA or kernel PCA.

use mercer::model::Report;
use mercer::model::kernel_pca::KernelPca;
use mercer::model::pca::Pca;
use serde::Serialize;

use super::{Facts, bare};

/// The inverse map from components to rows.
#[derive(Debug, Clone, Serialize)]
pub struct InverseFacts {
    /// Its kernel between components; none for PCA, whose inverse map is linear.
    pub kernel: Option<String>,
    /// Its ridge penalty.
    pub alpha: Option<f64>,
}

pub(super) fn of_pca(model: &Pca) -> Facts {
    Facts {
        whitened: Some(model.params.whiten),
        inverse: Some(InverseFacts { kernel: None, alpha: None }),
        explained_variance: model.variance.clone(),
        explained_variance_ratio: model.explained_variance_ratio(),
        total_variance: Some(model.total_variance),
        components: Some(model.k()),
        ..bare(model.n, &model.report)
    }
}

pub(super) fn of_kernel_pca(model: &KernelPca) -> Facts {
    let rows = trained_on(&model.report, model.n());
    let n = rows as f64;
    let inverse = model.inverse.as_ref().map(|map| InverseFacts {
        kernel: Some(map.params.kernel.to_string()),
        alpha: map.params.alpha,
    });
    Facts {
        centered: Some(model.params.center),
        nystroem: model.params.is_landmark_features(),
        inverse,
        explained_variance: model.eigenvalues.iter().map(|eta| eta / n).collect(),
        explained_variance_ratio: model.explained_variance_ratio(),
        total_variance: Some(model.trace / n),
        components: Some(model.k()),
        ..bare(rows, &model.report)
    }
}

/// Training rows of a model with so many anchors, which are the landmarks of a low-rank fit.
pub(super) fn trained_on(report: &Report, anchors: usize) -> usize {
    let rows = report.landmarks.as_ref().map(|landmarks| landmarks.rows);
    rows.and_then(|rows| usize::try_from(rows).ok()).unwrap_or(anchors)
}
