//! Kernel methods: PCA, kernel PCA, kernel ridge regression, support vector machines, kernel k-means and outlier detection.
//!
//! Every method passes through the same modules: points → kernel → Gram matrix → solver → expansion → model.
//! `ARCHITECTURE.md` describes each module.

pub mod context;
pub mod error;
pub mod expansion;
pub mod gram;
pub mod io;
pub mod kernel;
pub mod linalg;
pub mod model;
pub mod panics;
pub mod points;
pub mod real;
pub mod select;
pub mod solve;

pub use context::Context;
pub use error::{Error, Result};
pub use kernel::{Kernel, KernelSpec, SpecKernel};
pub use linalg::view::{Mat, MatMut, MatRef};
pub use model::detector::Detector;
pub use model::kernel_kmeans::KernelKMeans;
pub use model::kernel_pca::KernelPca;
pub use model::kernel_ridge::KernelRidge;
pub use model::pca::Pca;
pub use model::svm::Svm;
pub use model::{Components, Input, Labels, Target, Targets};
pub use points::{AnyMat, AnySamples, Csr, Dense, Dtype, Items, Points, Samples, Span, Strings};

/// What most programs need: `use mercer::prelude::*`.
pub mod prelude {
    pub use crate::context::Context;
    pub use crate::error::{Error, Result};
    pub use crate::kernel::KernelSpec;
    pub use crate::linalg::view::{Mat, MatRef};
    pub use crate::model::detector::Detector;
    pub use crate::model::kernel_kmeans::KernelKMeans;
    pub use crate::model::kernel_pca::KernelPca;
    pub use crate::model::kernel_ridge::KernelRidge;
    pub use crate::model::pca::Pca;
    pub use crate::model::svm::{Svm, Task};
    pub use crate::model::{Components, Input, Targets};
    pub use crate::points::{Csr, Dense, Dtype, Items, Samples, Strings};
}

#[doc = include_str!("../../../README.md")]
#[cfg(doctest)]
pub struct Readme;

#[doc = include_str!("../../../docs/rust.md")]
#[cfg(doctest)]
pub struct GuideToRust;

#[doc = include_str!("../../../docs/from-linfa.md")]
#[cfg(doctest)]
pub struct GuideFromLinfa;

#[doc = include_str!("../../../docs/own-kernels.md")]
#[cfg(doctest)]
pub struct GuideToCustomKernels;
