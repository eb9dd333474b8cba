//! What a file needs to know of a model of any kind.

use serde_json::Value;

use super::Dtype;
use super::check::{self, Checked};
use super::header::{self, CalibrationHeader};
use super::tensors::Tensor;
use crate::model::Report;
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::{KernelRidge, Selection};
use crate::model::pca::Pca;
use crate::real::Real;

/// A model that can be kept in a file.
pub trait Kept {
    /// The name of its kind in files.
    fn estimator(&self) -> &'static str;
    /// Training samples.
    fn n(&self) -> usize;
    /// Features; `None` where the kernel matrix was given.
    fn d(&self) -> Option<usize>;
    /// Outputs: components, targets, decisions, or clusters.
    fn k(&self) -> usize;
    /// How the fit went.
    fn report(&self) -> &Report;
    /// The number type of its samples.
    fn precision(&self) -> Dtype;
    /// The parameters of the fit.
    fn params(&self) -> serde_json::Result<Value>;
    /// Its arrays.
    fn tensors(&self) -> Vec<Tensor<'_>>;
    /// Whether its parts fit together.
    fn check(&self) -> Checked;
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
    /// What the header tells of a calibration, if there is one.
    fn calibration(&self) -> Option<CalibrationHeader> {
        None
    }
}

/// The number type `T` by its name.
pub fn precision<T: Real>() -> Dtype {
    if T::EPSILON < 1e-10 { Dtype::F64 } else { Dtype::F32 }
}

impl Kept for Pca {
    fn estimator(&self) -> &'static str {
        header::PCA
    }

    fn n(&self) -> usize {
        self.n
    }

    fn d(&self) -> Option<usize> {
        Some(Pca::d(self))
    }

    fn k(&self) -> usize {
        Pca::k(self)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn precision(&self) -> Dtype {
        Dtype::F64
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        vec![
            Tensor::real("mean", &[Pca::d(self)], &self.mean),
            Tensor::matrix("components", &self.components),
            Tensor::real("variance", &[Pca::k(self)], &self.variance),
            Tensor::number("total_variance", &self.total_variance),
            Tensor::number("noise_variance", &self.noise_variance),
        ]
    }

    fn check(&self) -> Checked {
        check::pca(self)
    }
}

impl<T: Real> Kept for KernelPca<T> {
    fn estimator(&self) -> &'static str {
        header::KERNEL_PCA
    }

    fn n(&self) -> usize {
        KernelPca::n(self)
    }

    fn d(&self) -> Option<usize> {
        self.anchors.as_ref().map(|anchors| anchors.d())
    }

    fn k(&self) -> usize {
        KernelPca::k(self)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn precision(&self) -> Dtype {
        precision::<T>()
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let k = KernelPca::k(self);
        let mut tensors = vec![
            Tensor::real("eigenvalues", &[k], &self.eigenvalues),
            Tensor::matrix("coef", &self.coef),
            Tensor::real("offset", &[k], &self.offset),
            Tensor::number("trace", &self.trace),
            Tensor::number("mean", &self.mean),
        ];
        tensors.extend(self.anchors.iter().map(|anchors| Tensor::points("anchors", anchors)));
        if let Some(inverse) = &self.inverse {
            tensors.push(Tensor::points("inverse.anchors", &inverse.anchors));
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

impl<T: Real> Kept for KernelRidge<T> {
    fn estimator(&self) -> &'static str {
        header::KERNEL_RIDGE
    }

    fn n(&self) -> usize {
        KernelRidge::n(self)
    }

    fn d(&self) -> Option<usize> {
        self.anchors.as_ref().map(|anchors| anchors.d())
    }

    fn k(&self) -> usize {
        self.t()
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn precision(&self) -> Dtype {
        precision::<T>()
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let n = KernelRidge::n(self);
        let mut tensors = vec![
            Tensor::matrix("coef", &self.coef),
            Tensor::real("offset", &[self.t()], &self.offset),
        ];
        tensors.extend(self.weights.iter().map(|w| Tensor::real("weights", &[n], w)));
        tensors.extend(self.anchors.iter().map(|anchors| Tensor::points("anchors", anchors)));
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
