//! `mercer predict`: predictions for new rows by a fitted model.

mod tell;

use std::time::Instant;

use mercer::io::{Column, ModelFile, Table};
use mercer::{Error, Result};

use super::evaluate::evaluate;
use super::{Session, model_file, new_rows};
use crate::args::PredictArgs;
use crate::data::{self, Form, Label};
use crate::deliver::{self, Files};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::machine::Machine;
use crate::results::{Predictions, titles_beside};
use crate::said::{Confusion, Extras, Names, Said};
use crate::scores::Scores;

/// How good predictions are for rows whose targets are known, or why that cannot be said; nothing
/// where the table does not hold the targets.
type Judged = Option<std::result::Result<(Scores, Option<Confusion>), String>>;

/// What is to be told of predictions beside themselves.
struct Told {
    /// Seconds taken to compute.
    seconds: f64,
    judged: Judged,
    /// What was said of all rows together, where there is no target.
    all: Option<(&'static str, String)>,
}

/// Runs `mercer predict`.
pub fn predict(session: &Session, args: &PredictArgs) -> std::result::Result<(), Failure> {
    let saved = mercer::io::load_within(&args.model, session.context.budget())?;
    let facts = Facts::of(&saved);
    let (targets, classes) = facts.predicts().ok_or_else(|| {
        let message = "this model has components and predicts nothing: use `mercer transform`";
        Error::format(&args.model, message)
    })?;
    let names = Names { targets, classes };
    check(args, &saved, &facts)?;
    let table = data::read(session, &args.table, &Form::of_model(&saved.model))?;
    let saved = model_file::widened(saved, &table)?;
    let truth = truth(&table, &saved, names);
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    let rows = new_rows::find(table, &saved, false, columns, label)?;
    session.progress.begin("preparing");
    let started = Instant::now();
    let said = evaluate(session, &saved.model, saved.scaling.as_ref(), &rows.features, args.std)?;
    let seconds = started.elapsed().as_secs_f64();
    let all: Vec<usize> = (0..rows.features.n_rows()).collect();
    let judged = truth.map(|truth| said.judged(names, &truth, &all));
    // The label that a format marks may be the target itself.
    let is_target = |(name, _): &Label| targets.contains(name);
    let label = rows.label.filter(|label| args.label.is_some() || !is_target(label));
    let predictions = predictions(args, &saved, names, &said, label);
    let table = args.output.as_ref().map(|file| (file, predictions.table(file.format)));
    let outputs = deliver::write_files(session, &Files { table, ..Files::default() })?;
    session.progress.clear();
    let told = Told { seconds, judged, all: said.told() };
    tell::tell(session, args, &facts, outputs, &predictions, told)
}

/// Refuses what the model cannot give.
fn check(args: &PredictArgs, saved: &ModelFile, facts: &Facts) -> Result<()> {
    let machine = Machine::of(&saved.model);
    let (targets, classes) = facts.predicts().unwrap_or_default();
    let refuse = |flag: &'static str, message: &str| Err(Error::parameter(flag, message));
    let finds = facts.finds().map(|what| format!("this model tells {what}; "));
    if let Some(finds) = finds.as_ref().filter(|_| args.std && machine.is_none()) {
        return refuse("--std", &format!("{finds}there are no standard deviations"));
    }
    if args.std && classes.is_some() {
        return refuse("--std", "this model tells classes apart, which have no standard deviation");
    }
    if args.std && machine.is_some() {
        let message = "a support vector machine knows no standard deviations; `mercer krr` does";
        return refuse("--std", message);
    }
    if classes.is_none() {
        let asked = [("--scores", args.scores), ("--probability", args.probability)];
        if let Some((flag, _)) = asked.into_iter().find(|(_, asked)| *asked) {
            let finds = finds.as_deref().unwrap_or("this model predicts numbers; ");
            return refuse(flag, &format!("{finds}there are no classes to tell apart"));
        }
    }
    if args.decisions && (machine.is_none() || classes.is_none() && !targets.is_empty()) {
        let message =
            "only support vector machines that tell classes apart have decisions of pairs";
        return refuse("--decisions", message);
    }
    if args.probability && machine.is_none_or(|machine| machine.calibration.is_none()) {
        let message =
            "this model was not calibrated: fit it with `mercer svc --probability sigmoid`";
        return refuse("--probability", message);
    }
    Ok(())
}

/// The columns of the table that hold what is predicted: by name, or by position in a table that has
/// the shape of the one the model learned from. A model that knows no names is judged by the label
/// that the format marks.
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
    said: &Said,
    label: Option<Label>,
) -> Predictions {
    let extras =
        Extras { scores: args.scores, decisions: args.decisions, probabilities: args.probability };
    // A label of the target's name holds the truth.
    let columns = said.columns(names, saved.dtype, extras, titles_beside(label.as_ref()));
    Predictions { columns, label }
}
