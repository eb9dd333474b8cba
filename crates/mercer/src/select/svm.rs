//! Support vector machines along C, and with kernel and C chosen by folds.

use super::folds::Fold;
use crate::context::Context;
use crate::error::Result;
use crate::kernel::KernelSpec;
use crate::linalg::view::{Mat, MatRef};
use crate::model::svm::{Lesson, Svm, SvmParams};
use crate::points::Dense;
use crate::real::Real;

/// Machines for each of `cs` on samples, in that order. Kernel columns are shared; each fit goes on from one before.
pub fn svm_path<T: Real>(
    ctx: &Context,
    params: &SvmParams,
    x: &Dense<T>,
    lesson: Lesson<'_>,
    cs: &[f64],
) -> Result<Vec<Svm<T>>> {
    let _ = (ctx, params, x, lesson, cs);
    unimplemented!()
}

/// As [`svm_path`], on a kernel matrix that the caller computed.
pub fn svm_path_gram<T: Real>(
    ctx: &Context,
    params: &SvmParams,
    matrix: MatRef<'_, T>,
    lesson: Lesson<'_>,
    cs: &[f64],
) -> Result<Vec<Svm<T>>> {
    let _ = (ctx, params, matrix, lesson, cs);
    unimplemented!()
}

/// What to search.
#[derive(Clone, Debug)]
pub struct SvmSearchParams {
    /// The parameters of the model that comes out; its kernel and `c` are replaced by those chosen.
    pub model: SvmParams,
    /// The kernels to compare; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// The prices to compare.
    pub cs: Vec<f64>,
    /// The folds they are compared by.
    pub folds: Vec<Fold>,
}

/// A finished search.
pub struct SvmSearch<T: Real> {
    /// The model with the chosen kernel and `c`, fitted on all samples.
    pub model: Svm<T>,
    /// The kernels, resolved; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// For each kernel (one for a given matrix), cs × folds: the share of rows whose class is right, or R² of regressions.
    pub scores: Vec<Mat<f64>>,
    /// The place of the chosen kernel and of the chosen `c`.
    pub chosen: (usize, usize),
}

/// Searches over kernels and prices on samples, for `CSvc` and `EpsilonSvr`.
pub fn svm_search<T: Real>(
    ctx: &Context,
    params: &SvmSearchParams,
    x: &Dense<T>,
    lesson: Lesson<'_>,
) -> Result<SvmSearch<T>> {
    let _ = (ctx, params, x, lesson);
    unimplemented!()
}

/// Searches over prices on a kernel matrix that the caller computed.
pub fn svm_search_gram<T: Real>(
    ctx: &Context,
    params: &SvmSearchParams,
    matrix: MatRef<'_, T>,
    lesson: Lesson<'_>,
) -> Result<SvmSearch<T>> {
    let _ = (ctx, params, matrix, lesson);
    unimplemented!()
}
