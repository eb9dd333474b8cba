//! The fit of one candidate, or of the best by a search; then the calibration.

use std::time::Instant;

use mercer::Dtype;
use mercer::io::{Model, Table};
use mercer::linalg::view::Mat;
use mercer::model::Scaling;
use mercer::model::svm::Svm;
use mercer::select::{self, Score, SvmSearchParams};
use mercer::{Input, KernelSpec, Result, Target};

use super::Task;
use crate::args::{FoldArgs, Kernel};
use crate::data::{Prepared, Scales};
use crate::facts::{Residuals, SearchNotes, margin};
use crate::run::Session;
use crate::run::candidate_kernels::{every_width, names_of};
use crate::run::validation::{Folds, Scheme, USUAL_FOLDS};
use crate::scores::{Measure, Scored};

/// Folds of the calibration, as LIBSVM has them.
const CALIBRATION_FOLDS: usize = 5;

/// The search.
#[derive(Clone, Copy)]
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
    /// How rows are split, and the score.
    pub validation: &'a FoldArgs,
    /// Whether to search a finer grid around the best.
    pub refine: bool,
    /// Whether each cell chooses for itself.
    pub per_cell: bool,
}

/// The fitted model.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The scores of all candidates.
    pub grid: Option<Grid>,
    /// Out-of-fold residuals of a regression or margins of a classifier, if requested.
    pub residuals: Option<Residuals>,
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
    /// The folds.
    pub folds: Folds,
    /// The kernels and costs of the first grid, where this is a second one.
    pub first: Option<(usize, usize)>,
    /// A best kernel at the end of the widths.
    pub edge: Option<String>,
    /// The score of each fold with the choice of every cell, where each has its own.
    pub of_cells: Option<Vec<f64>>,
}

impl Grid {
    /// The score of a combination.
    pub fn score(&self, kernel: usize, cost: usize) -> Scored {
        self.over_folds(self.scores[kernel].row(cost))
    }

    /// The score of what was chosen.
    pub fn best(&self) -> Scored {
        match &self.of_cells {
            Some(folds) => self.over_folds(folds),
            None => self.score(self.chosen.0, self.chosen.1),
        }
    }

    /// The mean over the folds, with its standard error.
    fn over_folds(&self, folds: &[f64]) -> Scored {
        let count = folds.len() as f64;
        let value = folds.iter().sum::<f64>() / count;
        let squares = folds.iter().map(|score| (score - value).powi(2)).sum::<f64>();
        let spread = (squares / (count - 1.0).max(1.0) / count).sqrt();
        let std_error = spread * self.folds.std_error_factor();
        Scored::of(self.measure, Score { value, std_error }, None)
    }

    /// The search as stored in a model file.
    pub fn notes(&self) -> SearchNotes {
        let own = (self.kernels.len(), self.costs.len());
        let (kernels, costs) = self.first.unwrap_or(own);
        SearchNotes {
            folds: self.scores[self.chosen.0].cols(),
            kernels,
            costs,
            score: self.best(),
            method: Some(self.folds.method()),
            refined: self.first.map_or(0, |_| own.0 * own.1),
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
    let residuals = match task.intervals {
        true => Some(out_of_fold(session, task, (&model, grid.as_ref()), &x)?),
        false => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(Fitted { model: Model::Svm(model), scaling: rows.scaling, grid, residuals, seconds })
}

fn search(
    session: &Session,
    task: &Task<'_>,
    search: &Search<'_>,
    x: &Input<'_>,
) -> Result<(Svm, Grid)> {
    let criterion = task.criterion(search);
    criterion.check(&task.targets)?;
    let groups = task.groups.as_deref();
    let scheme = Scheme::of(search.validation, search.folds, search.seed, groups);
    let folds = scheme.folds(x.n(), task.targets.class_labels(), Some(criterion))?;
    let params = SvmSearchParams {
        model: task.params.clone(),
        kernels: kernels(search, x)?,
        cs: search.costs.iter().map(|cost| cost * task.unit).collect(),
        folds: folds.folds.clone(),
        per_cell: search.per_cell,
    };
    let of = |params: &SvmSearchParams| {
        select::svm_search_by(
            &session.context,
            params,
            x,
            &task.targets,
            (criterion, task.probability),
        )
    };
    let mut found = of(&params)?;
    session.context.poll()?;
    let (mut costs, mut first) = (search.costs.to_vec(), None);
    if search.refine {
        first = Some((found.kernels.len().max(1), costs.len()));
        costs = select::refined(&costs, costs[found.chosen.1]);
        let kernels = match found.kernels.is_empty() {
            true => params.kernels.clone(),
            false => select::refined_widths(&found.kernels, found.chosen.0)?,
        };
        let cs = costs.iter().map(|cost| cost * task.unit).collect();
        found = of(&SvmSearchParams { kernels, cs, ..params })?;
    }
    // Where cells choose, the best of all is not what the model has.
    let edge = match found.cells {
        None => select::edge_of_widths(&found.kernels, found.chosen.0),
        Some(_) => None,
    };
    let grid = Grid {
        kernels: names_of(&found.kernels),
        costs,
        scores: found.scores,
        chosen: found.chosen,
        measure: criterion.into(),
        folds,
        first,
        edge: edge.map(|note| note.to_string()),
        of_cells: found.cells.map(|cells| cells.scores),
    };
    Ok((found.model, grid))
}

/// The residuals or margins of every row by a model fitted without its fold.
fn out_of_fold(
    session: &Session,
    task: &Task<'_>,
    (model, grid): (&Svm, Option<&Grid>),
    x: &Input<'_>,
) -> Result<Residuals> {
    session.progress.begin("intervals");
    let labels = task.targets.class_labels();
    let scheme =
        Scheme { folds: USUAL_FOLDS, repeats: 1, seed: 0, groups: None, time_ordered: false };
    let folds = match grid {
        Some(Grid { folds, .. }) => {
            folds.folds[..folds.folds.len().div_ceil(folds.repeats)].to_vec()
        }
        None => scheme.folds(x.n(), labels, None)?.folds,
    };
    let found = select::svm_out_of_fold(&session.context, &model.params, x, &task.targets, &folds)?;
    let mut sizes = Vec::new();
    for (fold, found) in folds.iter().zip(&found) {
        for (place, &row) in fold.test.iter().enumerate() {
            sizes.push(match (labels, &task.targets.target) {
                (Some(labels), _) => margin(&found.scores, place, labels.places[row]),
                (_, Target::Values(values)) => (values[(row, 0)] - found.scores[(place, 0)]).abs(),
                _ => unreachable!("one-class models have no intervals"),
            });
        }
    }
    Ok(Residuals::new(sizes))
}

/// The distinct candidate kernels.
fn kernels(search: &Search<'_>, x: &Input<'_>) -> Result<Vec<KernelSpec>> {
    let rbf = |gamma: &f64| format!("rbf(gamma={gamma})").parse();
    let given: Vec<Kernel> = search.gammas.iter().map(rbf).collect::<Result<_>>()?;
    let all = if given.is_empty() { search.kernels } else { &given };
    if search.per_cell {
        // Each cell has widths of its own.
        return Ok(all.iter().map(Kernel::spec).collect());
    }
    every_width(all, x)
}
