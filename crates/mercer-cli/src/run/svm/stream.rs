//! Machines on landmarks of a table that is read in blocks.

use std::time::Instant;

use mercer::io::stream::TableStream;
use mercer::io::{Column, Model, ModelFile, Table};
use mercer::model::landmarks::Regrouped;
use mercer::model::svm::Svm;
use mercer::{Error, Labels, Mat, Result, Targets};

use super::targets::class_weights;
use super::{Job, Task, output};
use crate::args::Scale;
use crate::data::about;
use crate::facts::{self, Facts, FitNotes};
use crate::failure::Failure;
use crate::prediction::{Extras, Names};
use crate::results::{Predictions, more_labels};
use crate::run::Session;
use crate::run::columns::{Chosen, Roles, TargetKind};
use crate::run::prediction::predict;
use crate::run::stream::{self, FitRows, Pieces};

/// Fits on the table, and writes the predictions for its rows as they come.
pub(super) fn fit(
    session: &Session,
    job: &Job<'_>,
    table: TableStream,
) -> std::result::Result<(), Failure> {
    check(job)?;
    let started = Instant::now();
    let roles = Roles::of(job.target, job.kind, job.learning, &job.input_kind);
    let scale = job.input_kind.scaling(job.learning.features.scale, Scale::Standard)?;
    let mut rows = FitRows::new(session, table, roles, scale, job.precision)?;
    let (task, types, roles) = (task(job, &mut rows)?, rows.types, rows.roles);
    let (ctx, work) = (&session.context, types.work);
    let mut blocks = Regrouped::new(&mut rows);
    let model = Svm::fit_blocks(ctx, &task.params, &task.targets, &mut blocks, work, None)?;
    // An interrupted fit returns a model too, which is not wanted here.
    ctx.poll()?;
    let seconds = started.elapsed().as_secs_f64();
    let (mut table, chosen, scaling, mut reading) = rows.into_parts();
    let fill = chosen.places.encoding.clone();
    let mut saved = ModelFile::new(Model::Svm(model), types.result);
    saved.scaling = scaling;
    note(&mut saved, &chosen, reading.rows as usize);
    let pieces = job.outputs.results.output.as_ref().map(|file| {
        let saved = &saved;
        let of = move |table: Table, _: u64| {
            let chosen = stream::split(table, &roles, fill.as_ref())?;
            if chosen.features.n_rows() == 0 {
                return Ok(None);
            }
            let found =
                predict(session, &saved.model, saved.scaling.as_ref(), &chosen.features, false)?;
            let targets: Vec<String> =
                chosen.targets.iter().map(|(name, _)| name.clone()).collect();
            let classes =
                crate::machine::machine_of(&saved.model).and_then(|m| m.classes.as_deref());
            let names = Names { targets: &targets, classes };
            let title = |_: &str| "prediction".to_string();
            let own = found.columns(names, types.result, Extras::default(), title);
            let more = more_labels(chosen.more_labels.clone(), Some(file));
            let columns: Vec<(String, Column)> =
                more.into_iter().chain(chosen.targets).chain(own).collect();
            Ok(Some(Predictions { columns, label: chosen.label }.table(file.format)))
        };
        (file, Pieces { stream: &mut table, of })
    });
    let model = job.outputs.results.model.as_ref().map(|file| (file, &saved));
    let (outputs, written) = stream::write(session, pieces, model)?;
    reading.passes += written.passes;
    session.progress.clear();
    let facts = Facts::of(&saved);
    let mut lines = output::lines(job, &task, &facts, (None, seconds));
    reading.describe(&mut lines);
    lines.written(&outputs);
    lines.verbose = session.verbose;
    output::print(session, job, &lines, (&facts, None), (None, seconds), outputs)
}

/// What the model file says of the rows.
fn note(saved: &mut ModelFile, chosen: &Chosen, rows: usize) {
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(saved, &chosen.places);
    let rows = rows - chosen.places.dropped_rows;
    let notes = FitNotes { rows, scores: None, outside: None, nearly: None, search: None };
    facts::note_fit(saved, &notes);
}

/// Refuses what needs all rows at once.
fn check(job: &Job<'_>) -> Result<()> {
    stream::refuse(&job.outputs.plot, job.outputs.results.page.report.as_ref())?;
    let evaluation = job.evaluation;
    let given = [
        (job.explain, "--explain"),
        (evaluation.is_some_and(|args| args.test.is_some()), "--test"),
        (evaluation.is_some_and(|args| args.groups.is_some()), "--groups"),
        (job.intervals, "--intervals"),
        (job.probability.is_some(), "--probability"),
        (job.params.polish, "--polish"),
        (job.outputs.libsvm_model.is_some(), "--libsvm-model"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, flag)) => Err(Error::parameter(
            flag,
            "not available for a table that is read in blocks: raise --memory",
        )),
        None => Ok(()),
    }
}

/// The task, without rows: its labels have names and weights of classes alone.
fn task<'a>(job: &Job<'a>, rows: &mut FitRows<'_>) -> Result<Task<'a>> {
    let mut params = job.params.clone();
    let (mut unit, mut targets) = (1.0, Targets::unsupervised());
    if let Some(names) = rows.classes.clone() {
        let head = &rows.first().features;
        if let [only] = &names[..] {
            let message =
                format!("the target has only one class ({only:?}); at least two are required");
            return Err(about(head, message));
        }
        let sums = rows.class_sums();
        let weights = job.class_weight.map(|how| class_weights(how, &names, &sums)).transpose()?;
        let labels = Labels { names, places: Vec::new() };
        targets = Targets::labels(labels).with_class_weights(weights);
    } else if job.kind == TargetKind::Values {
        targets = Targets::matrix(Mat::zeros(0, 1));
        if !job.is_absolute {
            let variance = rows.learn_variances()?.first().copied().flatten();
            let variance = variance.filter(|v| v.is_finite() && *v > 0.0);
            unit = variance.map_or(1.0, f64::sqrt);
        }
        (params.c, params.epsilon) = (unit * params.c, unit * params.epsilon);
    }
    Ok(Task {
        unit,
        params,
        targets,
        input_kind: job.input_kind.clone(),
        scale: job.input_kind.scaling(job.learning.features.scale, Scale::Standard)?,
        probability: None,
        search: None,
        groups: None,
        intervals: false,
    })
}
