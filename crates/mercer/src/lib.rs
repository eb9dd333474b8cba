//! Kernel methods: PCA, kernel PCA, kernel ridge regression, support vector machines, kernel k-means and outlier detection.
//!
//! ```
//! use mercer::prelude::*;
//!
//! # fn main() -> mercer::Result<()> {
//! let x = Dense::from_rows(&[0.0, 0.1, 1.0, 1.1, 2.0, 2.1], 6, 1)?;
//! let model = KernelPca::params("rbf(gamma=0.5)".parse()?).components(2).fit(&x)?;
//! assert!(model.explained_variance_ratio()[0] > 0.5);
//! let machine = Svm::classifier("rbf(gamma=0.5)".parse()?).fit(&x, &Targets::classes(&[0, 0, 1, 1, 2, 2]))?;
//! assert_eq!(machine.labels(&Context::default(), &Dense::from_rows(&[1.05], 1, 1)?)?, ["1"]);
//! # Ok(())
//! # }
//! ```
//!
//! A fit takes samples of any kind ([`Dense`], [`Csr`], [`Strings`], [`Items`]), a precomputed kernel matrix or any [`gram::Gram`] as
//! [`Input`], and [`Targets`] where there is something to predict. A [`Context`] says how many threads and how much memory may be used, and can stop work;
//! it never changes a result. Kernels are written as text ([`KernelSpec`]). Matrices of ndarray, nalgebra, faer and Arrow go in and out by features of these
//! names.
//!
//! Every method passes through the same modules: points → kernel → Gram matrix → solver → expansion → model.
//! `ARCHITECTURE.md` of the repository describes each.

pub mod context;
pub mod device;
pub mod error;
pub mod gram;
pub mod hypothesis;
#[cfg(any(feature = "ndarray", feature = "nalgebra", feature = "faer", feature = "arrow"))]
pub mod interop;
pub mod io;
pub mod kernel;
pub mod model;
pub mod points;
pub mod select;

// Internals that the interfaces and tests of this repository use. They may change in any version.
#[doc(hidden)]
pub mod expansion;
#[doc(hidden)]
pub mod linalg;
#[doc(hidden)]
pub mod panics;
#[doc(hidden)]
pub mod real;
#[doc(hidden)]
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
#[doc(hidden)]
pub use real::Real;

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

#[doc = include_str!("../../../docs/landmarks.md")]
#[cfg(doctest)]
pub struct GuideToLandmarks;

#[doc = include_str!("../../../docs/own-kernels.md")]
#[cfg(doctest)]
pub struct GuideToCustomKernels;
