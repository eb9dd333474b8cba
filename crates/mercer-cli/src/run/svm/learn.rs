//! The fit: of one kernel and cost, or of the best by a search; then the calibration.

use std::time::Instant;

use mercer::io::{Dtype, Model, Table};
use mercer::linalg::view::Mat;
use mercer::model::Scaling;
use mercer::model::svm::{Svm, SvmParams};
use mercer::real::Real;
use mercer::select::{self, SvmSearchParams};
use mercer::{KernelSpec, Result};

use super::Task;
use crate::args::Kernel;
use crate::data::{Basis, Prepared, Scales};
use crate::facts::SearchNotes;
use crate::run::Session;
use crate::run::kernels::{every_width, names_of};
use crate::scores::{Measure, Scored};

/// Folds of the calibration, as LIBSVM has them.
const CALIBRATION_FOLDS: usize = 5;

/// What to compare.
pub struct Search<'a> {
    /// The kernels; one whose width is left open stands for several.
    pub kernels: &'a [Kernel],
    /// The widths of RBF kernels, which go before `kernels` if there are any.
    pub gammas: &'a [f64],
    /// The costs.
    pub costs: &'a [f64],
    /// Half the width of the tube of regressions, if one was named.
    pub tube: Option<f64>,
    /// Parts of the rows.
    pub folds: usize,
    /// The seed of the folds.
    pub seed: u64,
}

/// What was learned.
pub struct Learned {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The scores of all that was compared.
    pub grid: Option<Grid>,
    /// Seconds taken for everything: search, fit and calibration.
    pub seconds: f64,
}

/// The scores of all that was compared.
pub struct Grid {
    /// The kernels.
    pub kernels: Vec<String>,
    /// The costs.
    pub costs: Vec<f64>,
    /// For each kernel, costs × folds.
    pub scores: Vec<Mat<f64>>,
    /// The place of the chosen kernel and of the chosen cost.
    pub chosen: (usize, usize),
    /// What the scores are.
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

    /// What a model file keeps of the search.
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

/// Learns what `task` says from `features`.
pub fn learn(session: &Session, task: &Task<'_>, features: &Table, work: Dtype) -> Result<Learned> {
    let scales = Scales::Learn(task.scale);
    match work {
        Dtype::F32 => {
            let rows = Prepared::of(session, features, &task.form, scales)?;
            of_rows(session, task, rows, Model::Svm32)
        }
        Dtype::F64 => {
            let rows = Prepared::of(session, features, &task.form, scales)?;
            of_rows(session, task, rows, Model::Svm64)
        }
    }
}

fn of_rows<T: Real>(
    session: &Session,
    task: &Task<'_>,
    rows: Prepared<T>,
    wrap: impl FnOnce(Svm<T>) -> Model,
) -> Result<Learned> {
    let started = Instant::now();
    let (x, scaling) = (rows.basis, rows.scaling);
    let (context, lesson) = (&session.context, task.lesson.view());
    let (mut model, grid) = match &task.search {
        None => (fitted(session, task, &x)?, None),
        Some(search) => {
            let (model, grid) = found(session, task, search, &x)?;
            (model, Some(grid))
        }
    };
    // A fit that was interrupted gives a model too, which nobody asked for here.
    context.poll()?;
    if let Some(method) = task.probability {
        match &x {
            Basis::Samples(x) => {
                model.calibrate(context, x, lesson, method, CALIBRATION_FOLDS, 0)?;
            }
            Basis::Matrix(values) => {
                let matrix = values.view();
                model.calibrate_gram(context, matrix, lesson, method, CALIBRATION_FOLDS, 0)?;
            }
        }
        context.poll()?;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(Learned { model: wrap(model), scaling, grid, seconds })
}

fn fitted<T: Real>(session: &Session, task: &Task<'_>, x: &Basis<T>) -> Result<Svm<T>> {
    let (context, lesson) = (&session.context, task.lesson.view());
    match x {
        Basis::Samples(x) => Svm::fit(context, &task.params, x, lesson, None),
        Basis::Matrix(values) => Svm::fit_gram(context, &task.params, values.view(), lesson, None),
    }
}

fn found<T: Real>(
    session: &Session,
    task: &Task<'_>,
    search: &Search<'_>,
    x: &Basis<T>,
) -> Result<(Svm<T>, Grid)> {
    let params = SvmSearchParams {
        model: task.params.clone(),
        kernels: kernels(search, x)?,
        cs: search.costs.to_vec(),
        folds: select::folds(x.n(), search.folds, search.seed)?,
    };
    let (context, lesson) = (&session.context, task.lesson.view());
    let found = match x {
        Basis::Samples(x) => select::svm_search(context, &params, x, lesson)?,
        Basis::Matrix(values) => select::svm_search_gram(context, &params, values.view(), lesson)?,
    };
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

/// All kernels to compare, each once.
fn kernels<T: Real>(search: &Search<'_>, x: &Basis<T>) -> Result<Vec<KernelSpec>> {
    let rbf = |gamma: &f64| format!("rbf(gamma={gamma})").parse();
    let given: Vec<Kernel> = search.gammas.iter().map(rbf).collect::<Result<_>>()?;
    every_width(if given.is_empty() { search.kernels } else { &given }, x)
}
