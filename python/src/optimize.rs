//! Searches for kernel parameters by gradient, as Python passes their settings.

use mercer::model::optimize::{Objective, OptimizeParams};
use pyo3::prelude::*;

use crate::fit::unknown;

/// How kernel parameters are searched for, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct OptimizeSettings {
    objective: String,
    alpha: bool,
    per_column: bool,
    restarts: usize,
    seed: u64,
    max_evaluations: usize,
    tolerance: f64,
    bounds: (f64, f64),
}

impl OptimizeSettings {
    /// The parameters.
    pub fn params(&self) -> PyResult<OptimizeParams> {
        let objective = match self.objective.as_str() {
            "loo" => Objective::LeaveOneOut,
            "evidence" => Objective::Evidence,
            "alignment" => Objective::Alignment,
            name => return Err(unknown("optimize", name)),
        };
        let mut params = OptimizeParams::new(objective);
        params.alpha = self.alpha;
        params.per_column = self.per_column;
        params.restarts = self.restarts;
        params.seed = self.seed;
        params.max_evaluations = self.max_evaluations;
        params.tolerance = self.tolerance;
        params.bounds = self.bounds;
        Ok(params)
    }
}
