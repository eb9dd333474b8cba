//! `mercer predict`: predictions for new rows by a fitted model.

mod intervals;
mod output;

use std::collections::BTreeSet;
use std::time::Instant;

use mercer::io::stream::TableStream;
use mercer::io::{Column, ModelFile, Table};
use mercer::{Error, Result};

use self::intervals::{Coverage, Region};
use super::held_out::Predicted;
use super::prediction::{predict as predict_rows, with_noise};
use super::stream::{self, Pieces, Reading};
use super::{Session, libsvm_model, model_columns};
use crate::args::{PredictArgs, TableFile};
use crate::data::{self, InputKind, Label};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::machine::machine_of;
use crate::output_files::{self, Files};
use crate::prediction::{Confusion, Extras, Names, Prediction};
use crate::results::{Predictions, more_labels, titles_beside};
use crate::scores::Scores;

/// The scores of predictions, or why there are none; nothing if the table does not hold the targets.
pub type Evaluation = Option<std::result::Result<(Scores, Option<Confusion>), String>>;

/// The summary of predictions.
struct PredictSummary {
    /// Rows of the table.
    rows: usize,
    /// How it was read, if it was in blocks.
    reading: Option<Reading>,
    /// Seconds taken to compute.
    seconds: f64,
    evaluation: Evaluation,
    /// What intervals or sets of classes did, if the table holds the targets.
    coverage: Option<Coverage>,
    /// Cells that were filled, and unknown categories.
    notes: Vec<String>,
    /// The summary line of unsupervised predictions.
    all: Option<(&'static str, String)>,
}

/// Runs `mercer predict`.
pub fn predict(session: &Session, args: &PredictArgs) -> std::result::Result<(), Failure> {
    let saved = mercer::io::load_within(&args.model, session.context.budget())?;
    let facts = Facts::of(&saved);
    let (targets, classes) = facts.predicts().ok_or_else(|| {
        let message = "this model computes components, not predictions: use `mercer transform`";
        Error::format(&args.model, message)
    })?;
    let names = Names { targets, classes };
    check(args, &saved, &facts)?;
    let input_kind = InputKind::of_model(&saved.model);
    if let Some(file) = &args.output
        && let Some(table) = data::stream(session, &args.table, &input_kind)?
    {
        return predict_stream(session, args, saved, table, file);
    }
    let table = data::read(session, &args.table, &input_kind)
        .map_err(|error| data::by_output(error, args.output.is_some()))?;
    let saved = libsvm_model::widened(saved, &table)?;
    let truth = truth(&table, &saved, names);
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    let all_columns = args.append.then(|| all_columns(&table));
    let rows = model_columns::find(table, &saved, false, columns, label)?;
    session.progress.begin("preparing");
    let started = Instant::now();
    let (prediction, region) = predict_with_region(session, args, &saved, &rows.features)?;
    let seconds = started.elapsed().as_secs_f64();
    let all: Vec<usize> = (0..rows.features.n_rows()).collect();
    let evaluation = truth.as_ref().map(|truth| prediction.evaluate(names, truth, &all));
    let labels = (rows.label, rows.more_labels);
    let found = (&prediction, region.as_ref());
    let predictions = assembled(args, &saved, names, found, (labels, all_columns, 0));
    let known = classes.unwrap_or_default();
    let coverage = region.zip(truth).and_then(|(region, truth)| region.coverage(&truth, known));
    let table = args.output.as_ref().map(|file| (file, predictions.table(file.format)));
    let outputs = output_files::write_files(session, &Files { table, ..Files::default() })?;
    session.progress.clear();
    let (notes, all) = (rows.notes, prediction.summary());
    let (rows, reading) = (predictions.n(), None);
    let summary = PredictSummary { rows, reading, seconds, evaluation, coverage, notes, all };
    output::print(session, args, &facts, outputs, Some(&predictions), summary)
}

/// Predicts for a table that is read in blocks, and writes the predictions as they come.
fn predict_stream(
    session: &Session,
    args: &PredictArgs,
    saved: ModelFile,
    mut table: TableStream,
    file: &TableFile,
) -> std::result::Result<(), Failure> {
    let saved = libsvm_model::widened(saved, table.head())?;
    let facts = Facts::of(&saved);
    let (targets, classes) = facts.predicts().unwrap_or_default();
    let names = Names { targets, classes };
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    let has_truth = truth(table.head(), &saved, names).is_some();
    let (started, mut notes) = (Instant::now(), BTreeSet::new());
    let of = |table: Table, before: u64| {
        let all_columns = args.append.then(|| all_columns(&table));
        let rows = model_columns::find(table, &saved, false, columns, label)?;
        let (prediction, region) = predict_with_region(session, args, &saved, &rows.features)?;
        notes.extend(rows.notes);
        let (found, labels) = ((&prediction, region.as_ref()), (rows.label, rows.more_labels));
        let beside = (labels, all_columns, before as usize);
        Ok(Some(assembled(args, &saved, names, found, beside).table(file.format)))
    };
    let pieces = Pieces { stream: &mut table, of };
    let (outputs, reading) = stream::write(session, Some((file, pieces)), None)?;
    session.progress.clear();
    let why = "not computed for a table that is read in blocks";
    let summary = PredictSummary {
        rows: reading.rows as usize,
        reading: Some(reading),
        seconds: started.elapsed().as_secs_f64(),
        evaluation: has_truth.then(|| Err(why.into())),
        coverage: None,
        notes: notes.into_iter().collect(),
        all: None,
    };
    output::print(session, args, &facts, outputs, None, summary)
}

/// What stands beside predictions: labels, all columns of the table if they are kept, and the rows before.
type Beside = ((Option<Label>, Vec<Label>), Option<Vec<Label>>, usize);

/// The columns of the output.
fn assembled(
    args: &PredictArgs,
    saved: &ModelFile,
    names: Names<'_>,
    (prediction, region): (&Prediction, Option<&Region>),
    ((label, more), all_columns, before): Beside,
) -> Predictions {
    // The label that a format marks may be the target itself.
    let is_target = |(name, _): &Label| names.targets.contains(name);
    let label = label.filter(|label| args.label.is_some() || !is_target(label));
    let more = if args.append { Vec::new() } else { more };
    let more = more_labels(more, args.output.as_ref());
    let mut predictions = predictions(args, saved, names, prediction, (label, &more));
    let known = names.classes.unwrap_or_default();
    region.iter().for_each(|region| region.add_to(&mut predictions, known));
    if let Some(columns) = all_columns {
        predictions.append_to(columns);
    }
    predictions.columns.splice(0..0, more);
    if args.row_numbers {
        predictions.number_rows(before);
    }
    predictions
}

/// The predictions for `features`, and their intervals or sets of classes if they are requested.
fn predict_with_region(
    session: &Session,
    args: &PredictArgs,
    saved: &ModelFile,
    features: &Table,
) -> Result<(Prediction, Option<Region>)> {
    let std = args.std || args.interval.posterior_level().is_some();
    let mut prediction =
        predict_rows(session, &saved.model, saved.scaling.as_ref(), features, std)?;
    let region = Region::requested(session, &args.interval, saved, &prediction)?;
    if let Prediction::Values { deviations, .. } = &mut prediction {
        match deviations.take() {
            Some(own) if args.noise => *deviations = Some(with_noise(session, &saved.model, &own)?),
            own => *deviations = own.filter(|_| args.std),
        }
    }
    Ok((prediction, region))
}

/// The columns of a table with their names.
fn all_columns(table: &Table) -> Vec<(String, Column)> {
    table.columns.iter().enumerate().map(|(i, column)| (table.name(i), column.clone())).collect()
}

/// The rows of `table` with the predictions of `saved`; nothing if it does not hold the targets.
pub fn predict_table(
    session: &Session,
    saved: &ModelFile,
    facts: &Facts,
    table: Table,
) -> Result<Option<Predicted>> {
    let (targets, classes) = facts.predicts().unwrap_or_default();
    let names = Names { targets, classes };
    let Some(truth) = truth(&table, saved, names) else { return Ok(None) };
    let rows = model_columns::find(table, saved, false, None, None)?;
    let scaling = saved.scaling.as_ref();
    let prediction = predict_rows(session, &saved.model, scaling, &rows.features, false)?;
    // A format may mark the target as the label.
    let label = rows.label.filter(|(name, _)| !targets.contains(name));
    Ok(Some(Predicted { features: rows.features, label, prediction, truth }))
}

/// Refuses options that the model does not support.
fn check(args: &PredictArgs, saved: &ModelFile, facts: &Facts) -> Result<()> {
    let machine = machine_of(&saved.model);
    let (targets, classes) = facts.predicts().unwrap_or_default();
    let refuse = |flag: &'static str, message: &str| Err(Error::parameter(flag, message));
    let finds = facts.finds().map(|what| format!("this model predicts {what}; "));
    if let Some(finds) = finds.as_ref().filter(|_| args.std && machine.is_none()) {
        return refuse("--std", &format!("{finds}standard deviations are not available"));
    }
    let is_regression = classes.is_none() && machine.is_none() && finds.is_none();
    if args.interval.posterior_level().is_some() && !is_regression {
        let message = "`posterior` requires a kernel ridge regression of numbers (`mercer krr`); use `conformal`";
        return refuse("--interval-method", message);
    }
    if args.std && classes.is_some() {
        return refuse("--std", "not available for a classifier");
    }
    if args.std && machine.is_some() {
        let message = "not available for support vector machines; use `mercer krr`";
        return refuse("--std", message);
    }
    if classes.is_none() {
        let requested = [("--scores", args.scores), ("--probability", args.probability)];
        if let Some((flag, _)) = requested.into_iter().find(|(_, is_requested)| *is_requested) {
            let finds = finds.as_deref().unwrap_or("this model predicts numbers; ");
            return refuse(flag, &format!("{finds}it is not a classifier"));
        }
    }
    if args.decisions && (machine.is_none() || classes.is_none() && !targets.is_empty()) {
        let message = "requires a support vector classifier";
        return refuse("--decisions", message);
    }
    if args.probability && machine.is_none_or(|machine| machine.calibration.is_none()) {
        let message =
            "the model is not calibrated: refit it with `mercer svc --probability sigmoid`";
        return refuse("--probability", message);
    }
    Ok(())
}

/// The target columns of the table: by name, or by position in a table of the same shape as the training
/// table. A model without target names is evaluated on the label column of the format.
fn truth(table: &Table, saved: &ModelFile, names: Names<'_>) -> Option<Vec<Column>> {
    let Some(places) = facts::places(saved) else {
        let marked = table.label.filter(|_| names.targets.len() == 1);
        return marked.map(|i| vec![table.columns[i].clone()]);
    };
    if places.targets.is_empty() {
        return None;
    }
    let found = places.targets.iter().map(|target| match &table.names {
        Some(names) => names.iter().position(|name| *name == target.name),
        None => Some(target.column).filter(|_| table.n_columns() == places.table_columns),
    });
    found.map(|place| place.map(|i| table.columns[i].clone())).collect()
}

fn predictions(
    args: &PredictArgs,
    saved: &ModelFile,
    names: Names<'_>,
    prediction: &Prediction,
    (label, more): (Option<Label>, &[Label]),
) -> Predictions {
    let extras =
        Extras { scores: args.scores, decisions: args.decisions, probabilities: args.probability };
    // A label of the target's name holds the truth.
    let columns =
        prediction.columns(names, saved.dtype, extras, titles_beside(label.iter().chain(more)));
    Predictions { columns, label }
}
