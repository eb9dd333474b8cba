//! The fit of one candidate, or of the best by a search; then the calibration.

use std::time::Instant;

use mercer::Dtype;
use mercer::io::{Model, Table};
use mercer::linalg::view::Mat;
use mercer::model::Scaling;
use mercer::model::svm::{Svm, SvmParams};
use mercer::select::{self, SvmSearchParams};
use mercer::{Input, KernelSpec, Result};

use super::Task;
use crate::args::Kernel;
use crate::data::{Prepared, Scales};
use crate::facts::SearchNotes;
use crate::run::Session;
use crate::run::candidate_kernels::{every_width, names_of};
use crate::scores::{Measure, Scored};

/// Folds of the calibration, as LIBSVM has them.
const CALIBRATION_FOLDS: usize = 5;

/// The search.
pub struct Search<'a> {
    /// The kernels; one without a width gives several candidates.
    pub kernels: &'a [Kernel],
    /// Gammas of RBF kernels, which replace `kernels` if given.
    pub gammas: &'a [f64],
    /// The costs.
    pub costs: &'a [f64],
    /// The tube half-width of regressions, if given.
    pub tube: Option<f64>,
    /// Number of folds.
    pub folds: usize,
    /// The seed of the folds.
    pub seed: u64,
}

/// The fitted model.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The scores of all candidates.
    pub grid: Option<Grid>,
    /// Seconds taken for everything: search, fit and calibration.
    pub seconds: f64,
}

/// The scores of all candidates.
pub struct Grid {
    /// The kernels.
    pub kernels: Vec<String>,
    /// The costs.
    pub costs: Vec<f64>,
    /// For each kernel, costs × folds.
    pub scores: Vec<Mat<f64>>,
    /// The place of the chosen kernel and of the chosen cost.
    pub chosen: (usize, usize),
    /// The metric.
    pub measure: Measure,
}

impl Grid {
    /// The mean over the folds, with its standard error.
    pub fn score(&self, kernel: usize, cost: usize) -> Scored {
        let folds = self.scores[kernel].row(cost);
        let count = folds.len() as f64;
        let value = folds.iter().sum::<f64>() / count;
        let squares = folds.iter().map(|score| (score - value).powi(2)).sum::<f64>();
        let spread = (squares / (count - 1.0).max(1.0) / count).sqrt();
        let spread = Some(spread).filter(|s| s.is_finite());
        Scored { measure: self.measure, value, spread, r2: None }
    }

    /// The search as stored in a model file.
    pub fn notes(&self) -> SearchNotes {
        let (kernel, cost) = self.chosen;
        SearchNotes {
            folds: self.scores[kernel].cols(),
            kernels: self.kernels.len(),
            costs: self.costs.len(),
            score: self.score(kernel, cost),
        }
    }
}

/// Fits `task` on `features`.
pub fn fit(session: &Session, task: &Task<'_>, features: &Table, work: Dtype) -> Result<Fitted> {
    let scales = Scales::Learn(task.scale);
    let rows = Prepared::of(session, features, &task.input_kind, scales, work)?;
    let started = Instant::now();
    let (x, context, targets) = (rows.input, &session.context, &task.targets);
    let (mut model, grid) = match &task.search {
        None => (Svm::fit(context, &task.params, &x, targets, None)?, None),
        Some(params) => {
            let (model, grid) = search(session, task, params, &x)?;
            (model, Some(grid))
        }
    };
    // An interrupted fit returns a model too, which is not wanted here.
    context.poll()?;
    if let Some(method) = task.probability {
        model.calibrate(context, &x, targets, method, CALIBRATION_FOLDS, 0)?;
        context.poll()?;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(Fitted { model: Model::Svm(model), scaling: rows.scaling, grid, seconds })
}

fn search(
    session: &Session,
    task: &Task<'_>,
    search: &Search<'_>,
    x: &Input<'_>,
) -> Result<(Svm, Grid)> {
    let params = SvmSearchParams {
        model: task.params.clone(),
        kernels: kernels(search, x)?,
        cs: search.costs.to_vec(),
        folds: select::folds(x.n(), search.folds, search.seed)?,
    };
    let found = select::svm_search(&session.context, &params, x, &task.targets)?;
    let grid = Grid {
        kernels: names_of(&found.kernels),
        costs: params.cs,
        scores: found.scores,
        chosen: found.chosen,
        measure: measure(&task.params),
    };
    Ok((found.model, grid))
}

fn measure(params: &SvmParams) -> Measure {
    if params.task.is_classification() { Measure::Accuracy } else { Measure::R2 }
}

/// The distinct candidate kernels.
fn kernels(search: &Search<'_>, x: &Input<'_>) -> Result<Vec<KernelSpec>> {
    let rbf = |gamma: &f64| format!("rbf(gamma={gamma})").parse();
    let given: Vec<Kernel> = search.gammas.iter().map(rbf).collect::<Result<_>>()?;
    every_width(if given.is_empty() { search.kernels } else { &given }, x)
}
