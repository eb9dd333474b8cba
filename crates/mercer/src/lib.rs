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
pub use points::{Csr, Dense, Items, Points, Samples, Span, Strings};

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
