//! Description of a kernel matrix repair.

use mercer::model::validity::FittedRepair;
use serde::Serialize;

use super::{Facts, bare};

/// A kernel matrix repair.
#[derive(Debug, Clone, Serialize)]
pub struct RepairFacts {
    /// `clip`, `flip`, `shift` or `nearest`.
    pub method: &'static str,
    /// How much the matrix changed, relative to its size.
    pub change: f64,
    /// The rank of the change.
    pub rank: usize,
}

pub(super) fn of_repair(model: &FittedRepair) -> Facts {
    let correction = &model.correction;
    let repair = RepairFacts {
        method: correction.method.name(),
        change: model.change,
        rank: correction.rank(),
    };
    Facts { repair: Some(repair), ..bare(correction.samples, &model.report) }
}
