//! What several fits on the same samples share: kernel values, the features of landmarks, or cells.

use super::cells::SharedCells;
use super::fit::cells_of;
use super::low_rank::LowRank;
use super::shared_kernel::{ExactShared, fold_bytes};
use super::{Svm, SvmParams};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::model::input::Input;
use crate::model::landmarks::samples_of;
use crate::model::targets::Targets;

/// A kernel on samples, or a matrix, shared by several fits.
pub(crate) enum SharedKernel<'a> {
    /// Kernel values of exact fits.
    Exact(Box<ExactShared<'a>>),
    /// Features of fits on landmarks.
    LowRank(Box<LowRank<'a>>),
    /// The cells of machines.
    Cells(Box<SharedCells>),
}

impl<'a> SharedKernel<'a> {
    /// Samples with the kernel of `params`, which is resolved here, or a matrix that the caller computed.
    pub fn new(ctx: &Context, params: &SvmParams, input: &'a Input<'_>) -> Result<Self> {
        Ok(match (&params.landmarks, &params.cells) {
            (None, None) => Self::Exact(Box::new(ExactShared::new(ctx, params, input)?)),
            (None, Some(_)) => {
                Self::Cells(Box::new(SharedCells::new(ctx, params, &cells_of(input.clone())?)?))
            }
            (Some(landmarks), _) => {
                let x = samples_of(input.clone())?;
                Self::LowRank(Box::new(LowRank::new(ctx, params, landmarks, &x)?))
            }
        })
    }

    /// Bytes that a fold takes where there is plenty, with `test` of n samples left out.
    pub fn fold_bytes(&self, n: usize, test: usize) -> u64 {
        match self {
            Self::Exact(shared) => fold_bytes(n, test, shared.cost()),
            Self::LowRank(shared) => shared.bytes_of_problem(),
            Self::Cells(shared) => shared.fold_bytes(),
        }
    }

    /// Fits a model, as [`Svm::fit`] does, but for polishing.
    pub fn fit(
        &self,
        ctx: &Context,
        params: &SvmParams,
        targets: &Targets,
        start: Option<&Svm>,
    ) -> Result<Svm> {
        match self {
            Self::Exact(shared) => shared.fit(ctx, params, targets, start),
            Self::LowRank(shared) => shared.machine(ctx, params, targets, start),
            Self::Cells(shared) => shared.fit(ctx, params, targets),
        }
    }

    /// The decisions for the rows `test` of models with each of `steps`, fitted on the rows that count in `targets`, each
    /// from the one before.
    pub fn decisions_along(
        &self,
        ctx: &Context,
        steps: &[SvmParams],
        targets: &Targets,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        match self {
            Self::Exact(shared) => shared.decisions_along(ctx, steps, targets, test),
            Self::LowRank(shared) => shared.decisions_along(ctx, steps, targets, test),
            Self::Cells(shared) => shared.decisions_along(ctx, steps, targets, test),
        }
    }
}
