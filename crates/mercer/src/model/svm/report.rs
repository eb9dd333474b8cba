//! The report of a fit of a support vector machine.

use serde::{Deserialize, Serialize};

use super::auto::ModeChoice;
pub use crate::solve::smo::Stop;

/// The certificate of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SvmReport {
    /// Each problem: one for every pair of classes.
    pub problems: Vec<ProblemReport>,
    /// The numbers in which kernel values were computed, `f32` or `f64`; each problem says in which they were kept.
    #[serde(default)]
    pub precision: String,
    /// Half the width of the tube that was found; for `NuSvr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tube: Option<f64>,
    /// Kernel columns that were asked for.
    pub columns_used: u64,
    /// Of those, the ones found in the cache.
    #[serde(rename = "columns_at_hand")]
    pub cache_hits: u64,
    /// How the kind of machine was chosen, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<ModeChoice>,
}

impl SvmReport {
    /// What the certificates of all problems rest on, in words; none where that is not known.
    #[doc(hidden)]
    pub fn certificate(&self) -> Option<String> {
        // Pairs of classes that do not meet in a cell have nothing to certify.
        let is_empty = |p: &ProblemReport| p.rows == 0 && p.iterations == 0;
        let meets = self.problems.iter().any(|problem| !is_empty(problem));
        let solved = self.problems.iter().filter(|problem| !(meets && is_empty(problem)));
        let each: Option<Vec<String>> = solved.map(ProblemReport::certificate).collect();
        let mut each = each?;
        each.dedup();
        match &each[..] {
            [] => None,
            [all] => Some(all.clone()),
            _ => Some("samples of the rows".into()),
        }
    }
}

/// The certificate of one quadratic problem. Objective, gap and violation are those of the true kernel, from slopes computed anew
/// in double precision once the solver has ended; on landmarks, those of the approximated kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemReport {
    /// Steps: pairs of coefficients that were changed.
    pub iterations: u64,
    /// The dual objective, to be minimised, as LIBSVM prints it.
    pub objective: f64,
    /// The primal objective minus the dual one, not negative but for rounding: how far from the optimum at most. None where `c` is
    /// infinite.
    pub gap: Option<f64>,
    /// The largest violation of the optimality conditions.
    pub violation: f64,
    /// By how much rounding of kernel values makes the violation uncertain, about; none where that is not known.
    pub rounding: Option<f64>,
    /// Samples of the problem; 0 where that is not known.
    pub rows: usize,
    /// Of those, the ones at which slopes were computed anew: all, or as many as are spread evenly among them. With fewer than
    /// all, the violation has the largest difference seen added, and objective and gap are estimates.
    pub certified_rows: usize,
    /// The numbers in which the slopes were computed that the solver ended with, `f32` or `f64`.
    pub precision: String,
    /// Support vectors.
    pub support: usize,
    /// Of those, the ones at their bound.
    pub bounded: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}

impl ProblemReport {
    /// What the certificate rests on, in words; none where that is not known.
    #[doc(hidden)]
    pub fn certificate(&self) -> Option<String> {
        match (self.certified_rows, self.rows) {
            (0, _) => None,
            (some, all) if some < all => Some(format!("sample of {some} rows")),
            _ => Some("all rows".into()),
        }
    }
}
