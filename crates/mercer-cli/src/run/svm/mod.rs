//! `mercer svc`, `svr`, `oneclass` and `search`: support vector machines.

mod check;
mod finish;
mod fit;
mod output;
mod picture;
mod stream;
mod targets;

use mercer::io::{ModelFile, Table};
use mercer::model::ScalingKind;
use mercer::model::svm::{CellParams, Method, SvmParams, Task as SvmTask};
use mercer::select::Criterion;
use mercer::{Result, Targets};

pub use self::check::looks_continuous;
use self::check::{check, params_for, spread};
use self::finish::{finish, saved};
use self::fit::{Fitted, Search};
use self::targets::checked;
use super::Session;
use super::columns::{self, Chosen, Roles, TargetKind};
use super::nested::{self, Searched};
use super::prediction::predict;
use super::row_numbers::{self, RowNumbers};
use super::target_kind::target_kind;
use super::{explain, held_out};
use crate::args::{
    ClassWeights, Kernel, LearningArgs, OneclassArgs, Precision, Scale, SmoArgs, SvcArgs,
    SvmOutputArgs, SvmSearchArgs, SvrArgs, TableArgs, TaskArgs, TestArgs,
};
use crate::data::{self, InputKind, Types};
use crate::facts::Nested;
use crate::failure::Failure;
use crate::prediction::Prediction;

/// The shared options.
struct Job<'a> {
    command: &'static str,
    table: &'a TableArgs,
    input_kind: InputKind,
    target: Option<&'a str>,
    kind: TargetKind,
    /// What decides about a target of either kind.
    task: Option<&'a TaskArgs>,
    learning: &'a LearningArgs,
    class_weight: Option<&'a ClassWeights>,
    probability: Option<Method>,
    params: SvmParams,
    precision: Precision,
    search: Option<Search<'a>>,
    /// Held-out evaluation; none for one class.
    evaluation: Option<&'a TestArgs>,
    /// Whether to compute out-of-fold residuals.
    intervals: bool,
    /// Whether cost and tube are in units of the target, not of its spread.
    is_absolute: bool,
    /// Whether the importance of columns is computed.
    explain: bool,
    outputs: &'a SvmOutputArgs,
}

/// The task, once the table is read.
struct Task<'a> {
    params: SvmParams,
    targets: Targets,
    input_kind: InputKind,
    scale: ScalingKind,
    probability: Option<Method>,
    search: Option<Search<'a>>,
    /// The unit of costs: the standard deviation of a numeric target.
    unit: f64,
    /// The group of each row, if a column names groups.
    groups: Option<Vec<usize>>,
    /// Whether to compute out-of-fold residuals.
    intervals: bool,
}

impl Task<'_> {
    /// The score by which a search chooses.
    fn criterion(&self, search: &Search<'_>) -> Criterion {
        let usual = match self.params.task.is_classification() {
            true => Criterion::Accuracy,
            false => Criterion::R2,
        };
        search.validation.metric.unwrap_or(usual)
    }
}

/// The fit and its training data.
struct SvmResult {
    chosen: Chosen,
    fitted: Fitted,
    /// Predictions for the training set.
    prediction: Prediction,
    /// The rows to evaluate on.
    test: Option<Table>,
    /// The score of the whole search, if requested.
    nested: Option<Nested>,
    /// The numbers of rows in their table.
    numbers: RowNumbers,
}

/// Runs `mercer svc`.
pub fn svc(session: &Session, args: &SvcArgs) -> std::result::Result<(), Failure> {
    run(session, svc_job(args))
}

/// The model that `mercer svc` with `args` fits on all rows of `table`, and its columns.
pub fn svc_model(session: &Session, args: &SvcArgs, table: Table) -> Result<(ModelFile, Chosen)> {
    fit_table(session, &svc_job(args), table)
}

fn svc_job(args: &SvcArgs) -> Job<'_> {
    let task = if args.nu.is_some() { SvmTask::NuSvc } else { SvmTask::CSvc };
    let mut params = params(task, &args.kernel, &args.smo);
    params.c = args.cost;
    params.nu = args.nu.unwrap_or(params.nu);
    params.auto = args.approximation.approximation.is_some();
    params.one_vs_rest = args.one_vs_rest;
    Job {
        command: "svc",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        target: args.target.as_deref(),
        kind: TargetKind::Classes,
        task: None,
        learning: &args.learning,
        class_weight: args.class_weight.as_ref(),
        probability: args.probability.map(Method::from),
        params,
        precision: args.smo.precision,
        search: None,
        evaluation: Some(&args.evaluation),
        intervals: args.intervals,
        is_absolute: false,
        explain: args.explain.explain,
        outputs: &args.outputs,
    }
}

/// Runs `mercer svr`.
pub fn svr(session: &Session, args: &SvrArgs) -> std::result::Result<(), Failure> {
    run(session, svr_job(args))
}

/// The model that `mercer svr` with `args` fits on all rows of `table`, and its columns.
pub fn svr_model(session: &Session, args: &SvrArgs, table: Table) -> Result<(ModelFile, Chosen)> {
    fit_table(session, &svr_job(args), table)
}

fn svr_job(args: &SvrArgs) -> Job<'_> {
    let task = if args.nu.is_some() { SvmTask::NuSvr } else { SvmTask::EpsilonSvr };
    let mut params = params(task, &args.kernel, &args.smo);
    (params.c, params.epsilon) = (args.cost, args.epsilon);
    params.nu = args.nu.unwrap_or(params.nu);
    params.auto = args.approximation.approximation.is_some();
    Job {
        command: "svr",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        target: args.target.as_deref(),
        kind: TargetKind::Values,
        task: None,
        learning: &args.learning,
        class_weight: None,
        probability: None,
        params,
        precision: args.smo.precision,
        search: None,
        evaluation: Some(&args.evaluation),
        intervals: args.intervals,
        is_absolute: args.absolute,
        explain: args.explain.explain,
        outputs: &args.outputs,
    }
}

/// Runs `mercer oneclass`.
pub fn oneclass(session: &Session, args: &OneclassArgs) -> std::result::Result<(), Failure> {
    let mut params = params(SvmTask::OneClass, &args.kernel, &args.smo);
    params.nu = args.nu;
    params.auto = args.approximation.approximation.is_some();
    let job = Job {
        command: "oneclass",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        target: None,
        kind: TargetKind::Unsupervised,
        task: None,
        learning: &args.learning,
        class_weight: None,
        probability: None,
        params,
        precision: args.smo.precision,
        search: None,
        evaluation: None,
        intervals: false,
        is_absolute: false,
        explain: false,
        outputs: &args.outputs,
    };
    run(session, job)
}

/// Runs `mercer search`.
pub fn search(session: &Session, args: &SvmSearchArgs) -> std::result::Result<(), Failure> {
    // Kernel and cost are replaced by those that are chosen.
    let mut params = params(SvmTask::CSvc, &args.kernel[0], &args.smo);
    params.epsilon = args.epsilon.unwrap_or(params.epsilon);
    params.one_vs_rest = args.one_vs_rest;
    let job = Job {
        command: "search",
        table: &args.table,
        input_kind: if args.gammas.is_empty() {
            InputKind::of_all(&args.kernel)?
        } else {
            InputKind::Numbers
        },
        target: args.target.as_deref(),
        kind: TargetKind::Either,
        task: Some(&args.task),
        learning: &args.learning,
        class_weight: args.class_weight.as_ref(),
        probability: args.probability.map(Method::from),
        params,
        precision: args.smo.precision,
        search: Some(Search {
            kernels: &args.kernel,
            gammas: &args.gammas,
            costs: &args.costs,
            tube: args.epsilon,
            folds: args.folds as usize,
            seed: args.seed,
            validation: &args.validation,
            refine: args.refine,
            per_cell: args.per_cell,
        }),
        evaluation: Some(&args.evaluation),
        intervals: args.intervals,
        is_absolute: args.absolute,
        explain: args.explain.explain,
        outputs: &args.outputs,
    };
    run(session, job)
}

fn params(task: SvmTask, kernel: &Kernel, smo: &SmoArgs) -> SvmParams {
    let mut changed = SvmParams::new(task, kernel.spec());
    changed.tolerance = smo.tolerance;
    changed.shrinking = !smo.no_shrinking;
    changed.cache = smo.cache.map(|size| size.0);
    changed.max_iterations = smo.max_iter;
    changed.max_seconds = smo.max_time;
    changed.landmarks = smo.landmarks.params(0);
    changed.polish = smo.polish;
    changed.cells = smo.cells.map(|rows| {
        let mut cells = CellParams::new(rows as usize);
        cells.overlap = smo.cell_overlap;
        cells
    });
    changed
}

/// Reads the table, selects columns, fits, evaluates, plots, writes and prints.
fn run(session: &Session, mut job: Job<'_>) -> std::result::Result<(), Failure> {
    // Refused before the table is read.
    job.input_kind.scaling(job.learning.features.scale, Scale::Standard)?;
    explain::check(job.explain, &job.input_kind)?;
    let on_landmarks = job.params.landmarks.is_some();
    if on_landmarks
        && job.search.is_none()
        && let Some(table) = data::stream(session, job.table, &job.input_kind)?
    {
        return stream::fit(session, &job, table);
    }
    let table = data::read(session, job.table, &job.input_kind)
        .map_err(|error| data::by_landmarks(error, on_landmarks || job.search.is_some()))?;
    if let Some(task) = job.task {
        job.kind = target_kind(session, task, &table, job.target);
    }
    let (rows, numbers) = match job.evaluation {
        None => {
            let numbers = RowNumbers::of(&table);
            (held_out::Rows { training: table, test: None }, numbers)
        }
        Some(args) => {
            row_numbers::split(session, table, (args, job.table), job.target, &job.input_kind)?
        }
    };
    let is_nested = job.search.is_some_and(|search| search.validation.nested.is_some());
    let whole = is_nested.then(|| rows.training.clone());
    let (task, chosen, types) = prepare(session, &job, rows.training)?;
    let view = picture::view(&job, &task, &chosen.features)?;
    let groups = job.evaluation.and_then(|args| args.groups.as_deref());
    let searched = whole.as_ref().zip(job.search).map(|(table, search)| Searched {
        table,
        classes: task.targets.class_labels().map(|_| chosen.places.targets[0].column),
        groups: groups.and_then(|which| table.find(which).ok()),
        criterion: task.criterion(&search),
        args: search.validation,
        seed: search.seed,
    });
    let fit_part = |part: Table| Ok(fit_table(session, &job, part)?.0);
    let nested = nested::score(session, searched.as_ref(), &job.input_kind, fit_part)?;
    let (chosen, fitted, prediction) = fit_rows(session, &task, chosen, types)?;
    let result = SvmResult { chosen, fitted, prediction, test: rows.test, nested, numbers };
    let is_plotted = !job.outputs.plot.is_empty();
    let mut drawings = match (&view, job.outputs.results.page.report.is_some()) {
        (_, true) => picture::draw_all(session, &job, &task, &result, view.as_ref())?,
        (Some(view), false) => (vec![picture::draw(session, &job, &task, &result, view)?], None),
        (None, false) => (Vec::new(), None),
    };
    if let Some(search) =
        picture::draw_search(&job, &result).filter(|_| is_plotted && view.is_none())
    {
        // The first drawing is the one that is plotted.
        drawings.0.retain(|drawing| drawing.svg != search.svg);
        drawings.0.insert(0, search);
    }
    finish(session, &job, &task, result, types, drawings)
}

/// The model of `job` on all rows of `table`, and its columns; without intervals.
fn fit_table(session: &Session, job: &Job<'_>, table: Table) -> Result<(ModelFile, Chosen)> {
    let (task, chosen, types) = prepare(session, job, table)?;
    let task = Task { intervals: false, ..task };
    let (chosen, fitted, prediction) = fit_rows(session, &task, chosen, types)?;
    let model = (fitted.model, fitted.scaling);
    let saved = saved(&task, &chosen, types, model, fitted.grid.as_ref(), &prediction);
    Ok((saved, chosen))
}

/// The task, and the columns of the training rows.
fn prepare<'a>(session: &Session, job: &Job<'a>, rows: Table) -> Result<(Task<'a>, Chosen, Types)> {
    let scale = job.input_kind.scaling(job.learning.features.scale, Scale::Standard)?;
    let groups = job.evaluation.and_then(|args| args.groups.as_deref());
    let roles = Roles::of(job.target, job.kind, job.learning, &job.input_kind).with_groups(groups);
    let (chosen, targets) = columns::choose(rows, &roles)?;
    let targets = checked(targets, job.class_weight, &chosen.features)?;
    check(job, &targets, &chosen.features)?;
    let types = Types::of(job.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task {
        unit: spread(job, &targets),
        params: params_for(job, &targets),
        targets,
        input_kind: job.input_kind.clone(),
        scale,
        probability: job.probability,
        search: job.search,
        groups: chosen.groups.clone(),
        intervals: job.intervals,
    };
    Ok((task, chosen, types))
}

fn fit_rows(
    session: &Session,
    task: &Task<'_>,
    mut chosen: Chosen,
    types: Types,
) -> Result<(Chosen, Fitted, Prediction)> {
    let mut fitted = fit::fit(session, task, &chosen.features, types.work)?;
    let used = InputKind::of_model(&fitted.model);
    chosen.keep_used(&task.input_kind, &used, &mut fitted.scaling);
    session.progress.begin("evaluating");
    let scaling = fitted.scaling.as_ref();
    let prediction = predict(session, &fitted.model, scaling, &chosen.features, false)?;
    Ok((chosen, fitted, prediction))
}
