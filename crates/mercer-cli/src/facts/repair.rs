//! What a repair of kernel values says of itself.

use mercer::model::validity::FittedRepair;
use serde::Serialize;

use super::{Facts, bare};

/// A repair in numbers and words.
#[derive(Debug, Clone, Serialize)]
pub struct RepairFacts {
    /// `clip`, `flip`, `shift` or `nearest`.
    pub method: &'static str,
    /// How much the matrix changed, relative to its size.
    pub change: f64,
    /// Directions in which values change.
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
