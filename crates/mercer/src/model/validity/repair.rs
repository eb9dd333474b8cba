//! Repairs of an indefinite matrix K of kernel values, for the training samples and for new ones.
//!
//! With K = Σ λ_j v_j v_jᵀ the repaired matrix K' of the training samples is
//!
//! ```text
//! clip      Σ max(λ_j, 0) v_j v_jᵀ      the nearest positive semi-definite matrix
//! flip      Σ |λ_j| v_j v_jᵀ
//! shift     K + |λ_min|·1
//! nearest   the nearest positive semi-definite matrix with the diagonal of K
//! ```
//!
//! The values k(x) (a row of n) of a new sample with the training samples become k(x)·P with P = 1 + K⁺(K' − K), which
//! sends the rows of K to those of K'. That is K⁺K', but for directions in which K⁺ is zero: those are left as they are,
//! so that a matrix that needs no repair changes nothing. Only eigenvalues that are negative beyond rounding count, and
//! for clip and flip P = 1 − s·Σ v_j v_jᵀ over these, s = 1 or 2. A sample's value with itself gets what its values with
//! the training samples say of the negative part: k(x, x) + s·Σ (k(x)·v_j)² / |λ_j|.
//!
//! A shift adds to the value of a sample with itself and changes no other: new values stay, and k(x, x) grows.
//!
//! Keeping the diagonal is a change of the diagonal as well, at training samples only: K' is the positive part of
//! K + Diag t (see `nearest`). So K⁺ must not be taken to the letter: along small eigenvalues of K it would carry those
//! changes to new samples many times enlarged. It takes eigenvalues beyond a hundredth of the largest; along the others
//! the projector onto the positive part of K + Diag t stands for P. Repairing new samples by P then agrees best with
//! repairing all samples together, while the rows of training samples are met within a few hundredths where K has small
//! eigenvalues, and exactly where it has none. k(x, x) stays.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::correction::Correction;
use super::methods::{Negative, clip, keep_diagonal, shift};
use super::part::Part;
use super::square_bytes;
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::Precomputed;
use crate::linalg::eigen;
use crate::linalg::view::{Mat, MatRef};
use crate::model::report::Report;
use crate::points::{AnyMat, Dtype, with_matrix};
use crate::real::Real;

/// How an indefinite matrix is made positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repair {
    /// Negative eigenvalues become 0.
    Clip,
    /// Negative eigenvalues change their sign.
    Flip,
    /// All eigenvalues grow until the smallest is 0.
    Shift,
    /// The nearest positive semi-definite matrix with the same diagonal.
    Nearest,
}

/// A repaired matrix and how new kernel values are repaired alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// K', n × n, symmetric.
    pub matrix: Mat<f64>,
    /// ‖K' − K‖ / ‖K‖ in the Frobenius norm; 0 for a matrix of zeros.
    pub change: f64,
    /// Whether the search for the nearest matrix reached its tolerance; the others need none. If not, K' is still
    /// positive semi-definite with the diagonal of K, but there may be a nearer one.
    pub converged: bool,
    /// What new kernel values need.
    pub correction: Correction,
}

/// All that is kept of a repair: how new kernel values are repaired, and how the fit went.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct FittedRepair {
    /// What new kernel values need.
    pub correction: Correction,
    /// ‖K' − K‖ / ‖K‖ in the Frobenius norm; 0 for a matrix of zeros.
    pub change: f64,
    /// The report of the fit.
    pub report: Report,
}

impl Repaired {
    /// What is kept when the matrix is not; `dtype` is the number type of the matrix that was repaired.
    #[doc(hidden)]
    pub fn fitted(&self, dtype: Dtype) -> FittedRepair {
        let report = Report {
            solver: self.correction.method.name().into(),
            storage: "given".into(),
            reason: "the kernel matrix was precomputed".into(),
            converged: self.converged,
            precision: dtype.name().into(),
            ..Report::default()
        };
        FittedRepair { correction: self.correction.clone(), change: self.change, report }
    }
}

impl Repair {
    /// All of them.
    pub const ALL: [Repair; 4] = [Repair::Clip, Repair::Flip, Repair::Shift, Repair::Nearest];

    /// The name in text.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Repair::Clip => "clip",
            Repair::Flip => "flip",
            Repair::Shift => "shift",
            Repair::Nearest => "nearest",
        }
    }

    /// Square matrices that are held beside the symmetric part and the workspace of its eigenpairs.
    fn squares(self) -> u64 {
        match self {
            Repair::Nearest => 7,
            _ => 3,
        }
    }

    /// Repairs the square matrix `matrix` of kernel values of samples with themselves. Of a matrix that is not symmetric
    /// the symmetric part is taken.
    pub fn fit<'a>(self, ctx: &Context, matrix: impl Into<AnyMat<'a>>) -> Result<Repaired> {
        self.fit_any(ctx, matrix.into())
    }

    fn fit_any(self, ctx: &Context, matrix: AnyMat<'_>) -> Result<Repaired> {
        with_matrix!(matrix, matrix => self.fit_matrix(ctx, matrix))
    }

    fn fit_matrix<T: Real>(self, ctx: &Context, matrix: MatRef<'_, T>) -> Result<Repaired> {
        ctx.install(|| Precomputed::new(matrix).map(drop))?;
        let n = matrix.rows();
        let (what, hint) =
            ("the repair of a kernel matrix", "use fewer rows or raise the memory budget");
        let needed = square_bytes(n).saturating_mul(self.squares());
        let needed = needed.saturating_add(eigen::workspace_bytes(n));
        ctx.need(what, needed.saturating_add(square_bytes(n)), hint)?;
        let all: Vec<usize> = (0..n).collect();
        let part = Part::of(ctx, matrix, &all)?;
        let _reservation = ctx.reserve(what, needed, hint)?;
        let pairs = eigen::symmetric(ctx, part.copy()?)?;
        let negative = Negative::of::<T>(&pairs);
        let fitted = match self {
            Repair::Clip => clip(ctx, &part, &pairs, &negative, 1.0)?,
            Repair::Flip => clip(ctx, &part, &pairs, &negative, 2.0)?,
            Repair::Shift => shift(&part, &pairs),
            Repair::Nearest => keep_diagonal(ctx, &part, &pairs, &negative)?,
        };
        Ok(fitted.finish(self, matrix, part.scale))
    }
}

impl Display for Repair {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Repair {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Repair::ALL.into_iter().find(|repair| repair.name() == text).ok_or_else(|| {
            Error::parameter(
                Param::Repair,
                format!("must be clip, flip, shift or nearest, not '{text}'"),
            )
        })
    }
}
