//! The interface between models of any kind and model files.

use serde_json::Value;

use super::check::{self, Checked};
use super::header::{self, CalibrationHeader};
use super::landmarks;
use super::samples::{self, SampleKind};
use super::tensors::Tensor;
use crate::kernel::KernelSpec;
use crate::model::Report;
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::{KernelRidge, Selection};
use crate::model::pca::Pca;
use crate::points::{AnySamples, Dtype};

/// The metadata of a model in the header of its file.
pub struct Metadata<'a> {
    /// The name of its kind in files.
    pub estimator: &'static str,
    /// Training samples.
    pub n: usize,
    /// Features; `None` where the kernel matrix was given.
    pub d: Option<usize>,
    /// What the training samples are, unless they are rows of numbers.
    pub samples: Option<SampleKind>,
    /// Outputs: components, targets, decisions, or clusters.
    pub k: usize,
    /// The number type of its samples.
    pub precision: Dtype,
    /// The report of the fit.
    pub report: &'a Report,
}

/// A model that can be saved in a file.
pub trait Persist {
    /// The metadata of the header.
    fn metadata(&self) -> Metadata<'_>;
    /// The parameters of the fit.
    fn params(&self) -> serde_json::Result<Value>;
    /// Its arrays.
    fn tensors(&self) -> Vec<Tensor<'_>>;
    /// Whether its parts fit together.
    fn check(&self) -> Checked;
    /// Its kernel, and the samples that it keeps; nothing for a model without a kernel.
    fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        None
    }
    /// The same, to be changed.
    fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        None
    }
    /// The parameters of the map back to samples, if there is one.
    fn inverse(&self) -> serde_json::Result<Option<Value>> {
        Ok(None)
    }
    /// How kernel and penalty were chosen, if they were.
    fn selection(&self) -> Option<Selection> {
        None
    }
    /// The names of classes, of a classifier.
    fn classes(&self) -> Option<Vec<String>> {
        None
    }
    /// What the header contains of a calibration, if there is one.
    fn calibration(&self) -> Option<CalibrationHeader> {
        None
    }
}

impl Persist for Pca {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::PCA,
            n: self.n,
            d: Some(self.d()),
            samples: None,
            k: self.k(),
            precision: Dtype::F64,
            report: &self.report,
        }
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        vec![
            Tensor::real("mean", &[self.d()], &self.mean),
            Tensor::matrix("components", &self.components),
            Tensor::real("variance", &[self.k()], &self.variance),
            Tensor::number("total_variance", &self.total_variance),
            Tensor::number("noise_variance", &self.noise_variance),
        ]
    }

    fn check(&self) -> Checked {
        check::pca(self)
    }
}

impl Persist for KernelPca {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::KERNEL_PCA,
            n: self.n(),
            d: self.anchors.as_ref().map(AnySamples::features),
            samples: self.anchors.as_ref().and_then(SampleKind::of),
            k: self.k(),
            precision: self.dtype,
            report: &self.report,
        }
    }

    fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        Some((&self.params.kernel, self.anchors.as_ref()))
    }

    fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        Some((&mut self.params.kernel, &mut self.anchors))
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let k = self.k();
        let mut tensors = vec![
            Tensor::real("eigenvalues", &[k], &self.eigenvalues),
            Tensor::matrix("coef", &self.coef),
            Tensor::real("offset", &[k], &self.offset),
            Tensor::number("trace", &self.trace),
            Tensor::number("mean", &self.mean),
        ];
        tensors
            .extend(self.anchors.iter().flat_map(|anchors| samples::tensors("anchors", anchors)));
        if let Some(origin) = &self.origin {
            tensors.push(Tensor::places("origin", &[1], std::iter::once(origin.sample as u64)));
            tensors.push(Tensor::number("origin.mean", &origin.mean));
            tensors
                .extend(origin.row.iter().map(|row| Tensor::real("origin.row", &[row.len()], row)));
        }
        tensors.extend(self.landmarks.iter().flat_map(landmarks::tensors));
        if let Some(inverse) = &self.inverse {
            tensors.extend(samples::tensors("inverse.anchors", &inverse.anchors));
            tensors.push(Tensor::matrix("inverse.coef", &inverse.coef));
            tensors.push(Tensor::real("inverse.offset", &[inverse.offset.len()], &inverse.offset));
        }
        tensors
    }

    fn check(&self) -> Checked {
        check::kernel_pca(self)
    }

    fn inverse(&self) -> serde_json::Result<Option<Value>> {
        self.inverse.as_ref().map(|inverse| serde_json::to_value(&inverse.params)).transpose()
    }
}

impl Persist for KernelRidge {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::KERNEL_RIDGE,
            n: self.n(),
            d: self.anchors.as_ref().map(AnySamples::features),
            samples: self.anchors.as_ref().and_then(SampleKind::of),
            k: self.t(),
            precision: self.dtype,
            report: &self.report,
        }
    }

    fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        Some((&self.params.kernel, self.anchors.as_ref()))
    }

    fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        Some((&mut self.params.kernel, &mut self.anchors))
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let n = self.n();
        let mut tensors = vec![
            Tensor::matrix("coef", &self.coef),
            Tensor::real("offset", &[self.t()], &self.offset),
        ];
        tensors.extend(self.weights.iter().map(|w| Tensor::real("weights", &[n], w)));
        tensors.extend(self.landmarks.iter().flat_map(landmarks::tensors));
        tensors
            .extend(self.anchors.iter().flat_map(|anchors| samples::tensors("anchors", anchors)));
        tensors
    }

    fn check(&self) -> Checked {
        check::kernel_ridge(self)
    }

    fn selection(&self) -> Option<Selection> {
        self.selection.clone()
    }

    fn classes(&self) -> Option<Vec<String>> {
        self.classes.clone()
    }
}
