//! What a fit of a support vector machine tells of itself.

use serde::{Deserialize, Serialize};

pub use crate::solve::smo::Stop;

/// The certificate of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SvmReport {
    /// Each problem: one for every pair of classes.
    pub problems: Vec<ProblemReport>,
    /// The numbers in which kernel columns were computed, `f32` or `f64`; they are kept in single precision.
    #[serde(default)]
    pub precision: String,
    /// Kernel columns that were asked for.
    pub columns_used: u64,
    /// Of those, the ones that were at hand and not computed.
    pub columns_at_hand: u64,
}

/// The certificate of one quadratic problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemReport {
    /// Steps: pairs of coefficients that were changed.
    pub iterations: u64,
    /// The dual objective, to be minimised, as LIBSVM prints it.
    pub objective: f64,
    /// The primal objective minus the dual one, not negative but for rounding: how far from the optimum at most.
    pub gap: f64,
    /// The largest violation of the optimality conditions.
    pub violation: f64,
    /// Support vectors.
    pub support: usize,
    /// Of those, the ones at their bound.
    pub bounded: usize,
    /// Why the solver stopped.
    pub stop: Stop,
}
