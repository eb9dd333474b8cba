//! `mercer svc`, `svr`, `oneclass` and `search`: support vector machines.

mod fit;
mod output;
mod picture;
mod targets;

use mercer::io::{Column, ModelFile, Table};
use mercer::model::ScalingKind;
use mercer::model::svm::{Method, SvmParams, Task as SvmTask};
use mercer::{Error, Result, Target, Targets};

use self::fit::{Fitted, Grid, Search};
use self::targets::{checked, counted_rows};
use super::Session;
use super::columns::{self, Chosen, Roles, TargetKind};
use super::prediction::predict;
use crate::args::{
    ClassWeights, Kernel, LearningArgs, OneclassArgs, Precision, Scale, SmoArgs, SvcArgs,
    SvmOutputArgs, SvmSearchArgs, SvrArgs, TableArgs,
};
use crate::data::{self, InputKind, Types};
use crate::facts::{self, Facts, FitNotes};
use crate::failure::Failure;
use crate::machine::machine_of;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::prediction::{Extras, Names, Prediction};
use crate::report::{self, ReportContent};
use crate::results::Predictions;

/// The shared options.
struct Job<'a> {
    command: &'static str,
    table: &'a TableArgs,
    input_kind: InputKind,
    target: Option<&'a str>,
    kind: TargetKind,
    learning: &'a LearningArgs,
    class_weight: Option<&'a ClassWeights>,
    probability: Option<Method>,
    params: SvmParams,
    precision: Precision,
    search: Option<Search<'a>>,
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
}

/// The fit and its training data.
struct SvmResult {
    chosen: Chosen,
    fitted: Fitted,
    /// Predictions for the training set.
    prediction: Prediction,
}

/// Runs `mercer svc`.
pub fn svc(session: &Session, args: &SvcArgs) -> std::result::Result<(), Failure> {
    let task = if args.nu.is_some() { SvmTask::NuSvc } else { SvmTask::CSvc };
    let mut params = params(task, &args.kernel, &args.smo);
    params.c = args.cost;
    params.nu = args.nu.unwrap_or(params.nu);
    let job = Job {
        command: "svc",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        target: args.target.as_deref(),
        kind: TargetKind::Classes,
        learning: &args.learning,
        class_weight: args.class_weight.as_ref(),
        probability: args.probability.map(Method::from),
        params,
        precision: args.smo.precision,
        search: None,
        outputs: &args.outputs,
    };
    run(session, job)
}

/// Runs `mercer svr`.
pub fn svr(session: &Session, args: &SvrArgs) -> std::result::Result<(), Failure> {
    let task = if args.nu.is_some() { SvmTask::NuSvr } else { SvmTask::EpsilonSvr };
    let mut params = params(task, &args.kernel, &args.smo);
    (params.c, params.epsilon) = (args.cost, args.epsilon);
    params.nu = args.nu.unwrap_or(params.nu);
    let job = Job {
        command: "svr",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        target: args.target.as_deref(),
        kind: TargetKind::Values,
        learning: &args.learning,
        class_weight: None,
        probability: None,
        params,
        precision: args.smo.precision,
        search: None,
        outputs: &args.outputs,
    };
    run(session, job)
}

/// Runs `mercer oneclass`.
pub fn oneclass(session: &Session, args: &OneclassArgs) -> std::result::Result<(), Failure> {
    let mut params = params(SvmTask::OneClass, &args.kernel, &args.smo);
    params.nu = args.nu;
    let job = Job {
        command: "oneclass",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        target: None,
        kind: TargetKind::Unsupervised,
        learning: &args.learning,
        class_weight: None,
        probability: None,
        params,
        precision: args.smo.precision,
        search: None,
        outputs: &args.outputs,
    };
    run(session, job)
}

/// Runs `mercer search`.
pub fn search(session: &Session, args: &SvmSearchArgs) -> std::result::Result<(), Failure> {
    // Kernel and cost are replaced by those that are chosen.
    let mut params = params(SvmTask::CSvc, &args.kernel[0], &args.smo);
    params.epsilon = args.epsilon.unwrap_or(params.epsilon);
    let job = Job {
        command: "search",
        table: &args.table,
        input_kind: if args.gammas.is_empty() {
            InputKind::of_all(&args.kernel)?
        } else {
            InputKind::Numbers
        },
        target: args.target.as_deref(),
        kind: if args.classify { TargetKind::Classes } else { TargetKind::Either },
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
        }),
        outputs: &args.outputs,
    };
    run(session, job)
}

fn params(task: SvmTask, kernel: &Kernel, smo: &SmoArgs) -> SvmParams {
    {
        let mut changed = SvmParams::new(task, kernel.spec());
        changed.tolerance = smo.tolerance;
        changed.shrinking = !smo.no_shrinking;
        changed.cache = smo.cache.map(|size| size.0);
        changed.max_iterations = smo.max_iter;
        changed.max_seconds = smo.max_time;
        changed
    }
}

/// Reads the table, selects columns, fits, evaluates, plots, writes and prints.
fn run(session: &Session, mut job: Job<'_>) -> std::result::Result<(), Failure> {
    let scale = job.input_kind.scaling(job.learning.features.scale, Scale::Standard)?;
    let roles = Roles::of(job.target, job.kind, job.learning, &job.input_kind);
    let (chosen, targets) =
        columns::choose(data::read(session, job.table, &job.input_kind)?, &roles)?;
    let targets = checked(targets, job.class_weight, &chosen.features)?;
    check(&job, &targets, &chosen.features)?;
    let types = Types::of(job.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task {
        params: params_for(&job, &targets),
        targets,
        input_kind: job.input_kind.clone(),
        scale,
        probability: job.probability,
        search: job.search.take(),
    };
    let view = picture::view(&job, &task, &chosen.features)?;
    let fitted = fit::fit(session, &task, &chosen.features, types.work)?;
    session.progress.begin("evaluating");
    let scaling = fitted.scaling.as_ref();
    let prediction = predict(session, &fitted.model, scaling, &chosen.features, false)?;
    let result = SvmResult { chosen, fitted, prediction };
    let drawings = match (&view, job.outputs.results.page.report.is_some()) {
        (_, true) => picture::draw_all(session, &job, &task, &result, view.as_ref())?,
        (Some(view), false) => (vec![picture::draw(session, &job, &task, &result, view)?], None),
        (None, false) => (Vec::new(), None),
    };
    finish(session, &job, &task, result, types, drawings)
}

/// The parameters, with the task that a search derives from the target.
fn params_for(job: &Job<'_>, targets: &Targets) -> SvmParams {
    let task = match (&targets.target, job.params.task) {
        (Target::Values(_), SvmTask::CSvc) => SvmTask::EpsilonSvr,
        (_, task) => task,
    };
    {
        let mut changed = job.params.clone();
        changed.task = task;
        changed
    }
}

/// Refuses flags that contradict the table.
fn check(job: &Job<'_>, targets: &Targets, features: &Table) -> Result<()> {
    data::at_least_two(features)?;
    let refuse = |flag: &'static str| {
        let message = "the target is numeric: add --classify to treat it as class labels";
        Err(Error::parameter(flag, message))
    };
    let tube = job.search.as_ref().and_then(|search| search.tube);
    let is_text = |name: &String| name.parse::<i32>().is_err();
    match &targets.target {
        // Refused before the fit, which may take long.
        Target::Classes { labels, .. }
            if job.outputs.libsvm_model.is_some() && labels.names.iter().any(is_text) =>
        {
            let message = "LIBSVM requires integer class labels: encode them in the table first";
            Err(Error::parameter("--libsvm-model", message))
        }
        Target::Classes { .. } if tube.is_some() => {
            let message = "not available for a classifier";
            Err(Error::parameter("--epsilon", message))
        }
        Target::Values(_) if job.class_weight.is_some() => refuse("--class-weight"),
        Target::Values(_) if job.probability.is_some() => refuse("--probability"),
        _ => Ok(()),
    }
}

/// Writes the outputs and prints the summary.
fn finish(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: SvmResult,
    types: Types,
    (drawings, not_drawn): (Vec<Drawing>, Option<String>),
) -> std::result::Result<(), Failure> {
    let SvmResult { chosen, fitted, prediction } = result;
    let described = report::describe_columns(job.outputs.results.page.report.as_ref(), &chosen);
    let args = job.outputs;
    let rows = counted_rows(&task.targets, chosen.features.n_rows());
    let mut saved = ModelFile::new(fitted.model, types.result);
    saved.scaling = fitted.scaling;
    saved.feature_names = chosen.features.names;
    facts::note_places(&mut saved, &chosen.places);
    let truth: Vec<Column> = chosen.targets.iter().map(|(_, cells)| cells.clone()).collect();
    let classes = machine_of(&saved.model).and_then(|machine| machine.classes.clone());
    let targets: Vec<String> = chosen.targets.iter().map(|(name, _)| name.clone()).collect();
    let names = Names { targets: &targets, classes: classes.as_deref() };
    let evaluation = prediction.evaluate(names, &truth, &rows).ok();
    let notes = FitNotes {
        rows: rows.len(),
        scores: evaluation.as_ref().map(|(scores, _)| scores.clone()),
        outside: prediction.outside(&rows, 0.0),
        nearly: prediction
            .outside(&rows, 0.0)
            .zip(prediction.outside(&rows, task.params.tolerance))
            .map(|(all, clearly)| all - clearly),
        search: fitted.grid.as_ref().map(Grid::notes),
    };
    facts::note_fit(&mut saved, &notes);
    let facts = Facts::of(&saved);
    let extras = Extras { probabilities: true, ..Extras::default() };
    let own = prediction.columns(names, types.result, extras, |_| "prediction".into());
    let columns = chosen.targets.into_iter().chain(own).collect();
    let predictions = Predictions { columns, label: chosen.label };
    let search = (fitted.grid.as_ref(), fitted.seconds);
    let mut lines = output::lines(job, task, &facts, search);
    lines.warn(not_drawn.as_slice());
    let page = args.results.page.report.as_ref().map(|file| {
        let confusion = evaluation.and_then(|(_, confusion)| confusion);
        let content = ReportContent {
            lines: &lines,
            facts: &facts,
            columns: &described,
            pictures: &drawings,
            tables: &output::tables(search.0, confusion.as_ref(), &predictions),
        };
        (file, report::page(session, &content))
    });
    let table = args.results.output.as_ref();
    let files = Files {
        table: table.map(|file| (file, predictions.table(file.format))),
        model: args.results.model.as_ref().map(|file| (file, &saved)),
        libsvm_model: args.libsvm_model.as_ref().map(|file| (file, &saved)),
        pictures: &args.plot,
        drawing: drawings.first().cloned(),
        page,
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    output::print(session, job, &lines, &facts, search, outputs)
}
