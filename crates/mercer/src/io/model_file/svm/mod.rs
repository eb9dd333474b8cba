//! The file form of support vector machines. What grows with the number of classes lies in tensors: a machine for many
//! classes has a problem, and maybe a curve, for each pair of them.

pub mod check;
pub mod pack;
pub mod unpack;

use crate::model::svm::Stop;

/// The kinds of curves, by their number in files.
pub const SLOPES: u64 = 0;
/// As [`SLOPES`].
pub const STEPS: u64 = 1;
/// As [`SLOPES`].
pub const PLATT: u64 = 2;

/// Why a solver stopped, in the order of the numbers in files.
pub const STOPS: [Stop; 6] = [
    Stop::Converged,
    Stop::Iterations,
    Stop::Time,
    Stop::Interrupted,
    Stop::Stalled,
    Stop::NoMargin,
];
