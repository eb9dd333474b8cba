//! The file form of detectors of unusual samples: kernel PCA with a score and a threshold.

use serde_json::Value;

use super::check::{Checked, count, finite};
use super::frame::Fault;
use super::header::{self, Header};
use super::persist::{Metadata, Persist};
use super::tensors::{Tensor, Tensors};
use super::unpack::{components, params};
use crate::kernel::KernelSpec;
use crate::model::Report;
use crate::model::detector::{Detector, DetectorParams};
use crate::points::AnySamples;

impl Persist for Detector {
    fn metadata(&self) -> Metadata<'_> {
        Metadata { estimator: header::DETECTOR, ..self.pca.metadata() }
    }

    fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        self.pca.kernel()
    }

    fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        self.pca.kernel_mut()
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(DetectorParams {
            pca: self.pca.params.clone(),
            score: self.score,
            contamination: self.contamination,
        })
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let mut tensors = self.pca.tensors();
        tensors.push(Tensor::real("training", &[self.training.len()], &self.training));
        tensors.push(Tensor::number("threshold", &self.threshold));
        tensors
    }

    fn check(&self) -> Checked {
        self.pca.check()?;
        // Of a low-rank fit, the anchors are the landmarks.
        let rows = trained_on(&self.pca.report, self.pca.n());
        count("scores of training samples", self.training.len(), rows)?;
        finite("scores of training samples", &self.training)?;
        finite("threshold", &[self.threshold])?;
        match self.contamination > 0.0 && self.contamination <= 0.5 {
            true => Ok(()),
            false => Err(format!("the contamination is {}", self.contamination)),
        }
    }
}

/// Training samples of a model with so many anchors.
fn trained_on(report: &Report, anchors: usize) -> usize {
    let rows = report.landmarks.as_ref().map(|landmarks| usize::try_from(landmarks.rows));
    rows.map_or(anchors, |rows| rows.unwrap_or(usize::MAX))
}

/// A detector. Whether its parts fit together is for `check` to say.
pub fn unpack(header: &Header, tensors: &mut Tensors<'_>) -> Result<Detector, Fault> {
    let DetectorParams { pca, score, contamination } = params(&header.params)?;
    Ok(Detector {
        pca: components(header, tensors, pca)?,
        score,
        contamination,
        threshold: tensors.number("threshold")?,
        training: tensors.real("training", &[trained_on(&header.report, header.n)])?,
    })
}
