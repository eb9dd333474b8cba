//! `mercer svc`, `svr`, `oneclass` and `search`: support vector machines.

mod learn;
mod lesson;
mod picture;
mod tell;

use mercer::io::{Column, ModelFile, Table};
use mercer::model::ScalingKind;
use mercer::model::svm::{Method, SvmParams, Task as Learns};
use mercer::{Error, Result};

use self::learn::{Grid, Learned, Search};
use self::lesson::{Lesson, Target};
use super::Session;
use super::columns::{self, Chosen, Kind, Roles};
use super::evaluate::evaluate;
use crate::args::{
    ClassWeights, Kernel, LearnedArgs, LearningArgs, OneclassArgs, Precision, Scale, SmoArgs,
    SvcArgs, SvmSearchArgs, SvrArgs, TableArgs,
};
use crate::data::{self, Form, Types};
use crate::deliver::{self, Files};
use crate::facts::{self, Facts, FitNotes};
use crate::failure::Failure;
use crate::machine::Machine;
use crate::plot::Drawing;
use crate::report::{self, Findings};
use crate::results::Predictions;
use crate::said::{Extras, Names, Said};

/// What the verbs share of their command lines.
struct Job<'a> {
    command: &'static str,
    table: &'a TableArgs,
    form: Form,
    target: Option<&'a str>,
    kind: Kind,
    learning: &'a LearningArgs,
    class_weight: Option<&'a ClassWeights>,
    probability: Option<Method>,
    params: SvmParams,
    precision: Precision,
    search: Option<Search<'a>>,
    learned: &'a LearnedArgs,
}

/// What is to be done, once the table is known.
struct Task<'a> {
    params: SvmParams,
    lesson: Lesson,
    form: Form,
    scale: ScalingKind,
    probability: Option<Method>,
    search: Option<Search<'a>>,
}

/// What was learned, and from what.
struct Done {
    chosen: Chosen,
    learned: Learned,
    /// What the model says of the rows that it learned from.
    said: Said,
}

/// Runs `mercer svc`.
pub fn svc(session: &Session, args: &SvcArgs) -> std::result::Result<(), Failure> {
    let learns = if args.nu.is_some() { Learns::NuSvc } else { Learns::CSvc };
    let params = params(learns, &args.kernel, &args.smo);
    let job = Job {
        command: "svc",
        table: &args.table,
        form: Form::of(&args.kernel),
        target: args.target.as_deref(),
        kind: Kind::Classes,
        learning: &args.learning,
        class_weight: args.class_weight.as_ref(),
        probability: args.probability.map(Method::from),
        params: SvmParams { c: args.cost, nu: args.nu.unwrap_or(params.nu), ..params },
        precision: args.smo.precision,
        search: None,
        learned: &args.learned,
    };
    run(session, job)
}

/// Runs `mercer svr`.
pub fn svr(session: &Session, args: &SvrArgs) -> std::result::Result<(), Failure> {
    let learns = if args.nu.is_some() { Learns::NuSvr } else { Learns::EpsilonSvr };
    let params = params(learns, &args.kernel, &args.smo);
    let (c, epsilon) = (args.cost, args.epsilon);
    let job = Job {
        command: "svr",
        table: &args.table,
        form: Form::of(&args.kernel),
        target: args.target.as_deref(),
        kind: Kind::Values,
        learning: &args.learning,
        class_weight: None,
        probability: None,
        params: SvmParams { c, epsilon, nu: args.nu.unwrap_or(params.nu), ..params },
        precision: args.smo.precision,
        search: None,
        learned: &args.learned,
    };
    run(session, job)
}

/// Runs `mercer oneclass`.
pub fn oneclass(session: &Session, args: &OneclassArgs) -> std::result::Result<(), Failure> {
    let params = params(Learns::OneClass, &args.kernel, &args.smo);
    let job = Job {
        command: "oneclass",
        table: &args.table,
        form: Form::of(&args.kernel),
        target: None,
        kind: Kind::Nothing,
        learning: &args.learning,
        class_weight: None,
        probability: None,
        params: SvmParams { nu: args.nu, ..params },
        precision: args.smo.precision,
        search: None,
        learned: &args.learned,
    };
    run(session, job)
}

/// Runs `mercer search`.
pub fn search(session: &Session, args: &SvmSearchArgs) -> std::result::Result<(), Failure> {
    // Kernel and cost are replaced by those that are chosen.
    let params = params(Learns::CSvc, &args.kernel[0], &args.smo);
    let job = Job {
        command: "search",
        table: &args.table,
        form: if args.gammas.is_empty() { Form::of_all(&args.kernel)? } else { Form::Numbers },
        target: args.target.as_deref(),
        kind: if args.classify { Kind::Classes } else { Kind::Either },
        learning: &args.learning,
        class_weight: args.class_weight.as_ref(),
        probability: args.probability.map(Method::from),
        params: SvmParams { epsilon: args.epsilon.unwrap_or(params.epsilon), ..params },
        precision: args.smo.precision,
        search: Some(Search {
            kernels: &args.kernel,
            gammas: &args.gammas,
            costs: &args.costs,
            tube: args.epsilon,
            folds: args.folds as usize,
            seed: args.seed,
        }),
        learned: &args.learned,
    };
    run(session, job)
}

fn params(learns: Learns, kernel: &Kernel, smo: &SmoArgs) -> SvmParams {
    SvmParams {
        tolerance: smo.tolerance,
        shrinking: !smo.no_shrinking,
        cache: smo.cache.map(|size| size.0),
        max_iterations: smo.max_iter,
        max_seconds: smo.max_time,
        ..SvmParams::new(learns, kernel.spec())
    }
}

/// The walk of all: read, choose columns, fit, judge, draw, write, tell.
fn run(session: &Session, mut job: Job<'_>) -> std::result::Result<(), Failure> {
    let scale = job.form.scaling(job.learning.features.scale, Scale::Standard)?;
    let roles = Roles::of(job.target, job.kind, job.learning, &job.form);
    let (chosen, wanted) = columns::choose(data::read(session, job.table, &job.form)?, &roles)?;
    let lesson = Lesson::of(wanted, job.class_weight, &chosen.features)?;
    check(&job, &lesson, &chosen.features)?;
    let types = Types::of(job.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task {
        params: params_for(&job, &lesson),
        lesson,
        form: job.form.clone(),
        scale,
        probability: job.probability,
        search: job.search.take(),
    };
    let view = picture::view(&job, &task, &chosen.features)?;
    let learned = learn::learn(session, &task, &chosen.features, types.work)?;
    session.progress.begin("judging");
    let scaling = learned.scaling.as_ref();
    let said = evaluate(session, &learned.model, scaling, &chosen.features, false)?;
    let done = Done { chosen, learned, said };
    let drawings = match (&view, job.learned.results.page.report.is_some()) {
        (_, true) => picture::draw_all(session, &job, &task, &done, view.as_ref())?,
        (Some(view), false) => (vec![picture::draw(session, &job, &task, &done, view)?], None),
        (None, false) => (Vec::new(), None),
    };
    finish(session, &job, &task, done, types, drawings)
}

/// The parameters, with the task that a search finds out from the target.
fn params_for(job: &Job<'_>, lesson: &Lesson) -> SvmParams {
    let task = match (&lesson.target, job.params.task) {
        (Target::Values(_), Learns::CSvc) => Learns::EpsilonSvr,
        (_, task) => task,
    };
    SvmParams { task, ..job.params.clone() }
}

/// Refuses flags that contradict what the table holds.
fn check(job: &Job<'_>, lesson: &Lesson, features: &Table) -> Result<()> {
    data::at_least_two(features)?;
    let refuse = |flag: &'static str| {
        let message = "the target holds numbers: --classify takes them for classes";
        Err(Error::parameter(flag, message))
    };
    let tube = job.search.as_ref().and_then(|search| search.tube);
    let is_text = |name: &String| name.parse::<i32>().is_err();
    match &lesson.target {
        // Known before the fit, which may be long.
        Target::Classes { classes, .. }
            if job.learned.libsvm_model.is_some() && classes.iter().any(is_text) =>
        {
            let message = "LIBSVM has whole numbers for classes: number them in the table first";
            Err(Error::parameter("--libsvm-model", message))
        }
        Target::Classes { .. } if tube.is_some() => {
            let message = "the target holds classes, which have no tube";
            Err(Error::parameter("--epsilon", message))
        }
        Target::Values(_) if job.class_weight.is_some() => refuse("--class-weight"),
        Target::Values(_) if job.probability.is_some() => refuse("--probability"),
        _ => Ok(()),
    }
}

/// Writes what was learned, and tells of it.
fn finish(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    done: Done,
    types: Types,
    (drawings, not_drawn): (Vec<Drawing>, Option<String>),
) -> std::result::Result<(), Failure> {
    let Done { chosen, learned, said } = done;
    let described = report::describe_columns(job.learned.results.page.report.as_ref(), &chosen);
    let args = job.learned;
    let rows = task.lesson.rows(chosen.features.n_rows());
    let mut saved = ModelFile::new(learned.model, types.result);
    saved.scaling = learned.scaling;
    saved.feature_names = chosen.features.names;
    facts::note_places(&mut saved, &chosen.places);
    let truth: Vec<Column> = chosen.targets.iter().map(|(_, cells)| cells.clone()).collect();
    let classes = Machine::of(&saved.model).and_then(|m| m.classes.map(<[String]>::to_vec));
    let targets: Vec<String> = chosen.targets.iter().map(|(name, _)| name.clone()).collect();
    let names = Names { targets: &targets, classes: classes.as_deref() };
    let judged = said.judged(names, &truth, &rows).ok();
    let notes = FitNotes {
        rows: rows.len(),
        scores: judged.as_ref().map(|(scores, _)| scores.clone()),
        outside: said.outside(&rows, 0.0),
        nearly: said
            .outside(&rows, 0.0)
            .zip(said.outside(&rows, task.params.tolerance))
            .map(|(all, clearly)| all - clearly),
        search: learned.grid.as_ref().map(Grid::notes),
    };
    facts::note_fit(&mut saved, &notes);
    let facts = Facts::of(&saved);
    let extras = Extras { probabilities: true, ..Extras::default() };
    let own = said.columns(names, types.result, extras, |_| "prediction".into());
    let columns = chosen.targets.into_iter().chain(own).collect();
    let predictions = Predictions { columns, label: chosen.label };
    let found = (learned.grid.as_ref(), learned.seconds);
    let mut lines = tell::lines(job, task, &facts, found);
    lines.warn(not_drawn.as_slice());
    let page = args.results.page.report.as_ref().map(|file| {
        let confusion = judged.and_then(|(_, confusion)| confusion);
        let found = Findings {
            lines: &lines,
            facts: &facts,
            columns: &described,
            pictures: &drawings,
            tables: &tell::tables(found.0, confusion.as_ref(), &predictions),
        };
        (file, report::page(session, &found))
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
    let outputs = deliver::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    tell::tell(session, job, &lines, &facts, found, outputs)
}
