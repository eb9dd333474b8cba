//! The output of `mercer predict`: a summary, or JSON.

use serde::Serialize;

use super::PredictSummary;
use super::intervals::Coverage;
use crate::args::PredictArgs;
use crate::describe::{LISTED_NAMES, listed};
use crate::facts::{Facts, counted};
use crate::failure::Failure;
use crate::prediction::Confusion;
use crate::results::Predictions;
use crate::run::Session;
use crate::scores::Scores;
use crate::summary::{self, Lines, Outputs, PredictionsObject, shown};
use crate::terminal_table;

/// One object about predictions.
#[derive(Debug, Serialize)]
struct PredictObject {
    command: &'static str,
    model: String,
    table: String,
    rows: usize,
    /// Seconds taken to compute.
    seconds: f64,
    /// The scores, if the table holds the targets.
    scores: Option<Scores>,
    /// The confusion matrix, if the table holds the targets.
    confusion: Option<Confusion>,
    /// The share of true values within their intervals, if both are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<f64>,
    /// The mean number of classes of prediction sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_size: Option<f64>,
    /// Cells that were filled, and unknown categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    outputs: Outputs,
    /// The predictions for every row, unless a file holds them.
    result: Option<PredictionsObject>,
}

/// Prints the predictions.
pub fn print(
    session: &Session,
    args: &PredictArgs,
    facts: &Facts,
    outputs: Outputs,
    predictions: Option<&Predictions>,
    PredictSummary { rows, reading, seconds, evaluation, coverage, notes, all }: PredictSummary,
) -> Result<(), Failure> {
    let table = shown(args.table.source.path());
    if !session.quiet {
        let mut lines = Lines::titled(title(facts, rows, &table));
        lines.add("model", format!("{}: {}", shown(&args.model), facts.method()));
        if let Some((name, text)) = all {
            lines.add(name, text);
        }
        if let Some(evaluation) = &evaluation {
            describe(&mut lines, evaluation, facts);
        }
        if let Some(Coverage { share, rows, set_size }) = &coverage {
            let level = args.interval.level.unwrap_or_default();
            let size = set_size.map(|size| format!(", {size:.2} classes per row"));
            let rows = counted(*rows, "row");
            let text = format!("{level} expected, {share:.3} of {rows} found");
            lines.add("coverage", text + &size.unwrap_or_default());
        }
        lines.add("time", format!("{seconds:.2} s"));
        reading.iter().for_each(|reading| reading.describe(&mut lines));
        if let Some(files) = outputs.listed() {
            lines.add("written", files);
        }
        lines.warn(&notes);
        lines.print();
    }
    if !args.json {
        return match predictions.filter(|_| args.output.is_none()) {
            None => Ok(()),
            Some(predictions) => {
                let table = predictions.table(mercer::io::Format::Csv);
                terminal_table::print(&table).map_err(Failure::Print)
            }
        };
    }
    let result = predictions.filter(|_| args.output.is_none()).map(PredictionsObject::of);
    let (command, model) = ("predict", shown(&args.model));
    let (scores, confusion) = match evaluation.and_then(|evaluation| evaluation.ok()) {
        Some((scores, confusion)) => (Some(scores), confusion),
        None => (None, None),
    };
    let object = PredictObject {
        command,
        model,
        table,
        rows,
        seconds,
        scores,
        confusion,
        set_size: coverage.as_ref().and_then(|coverage| coverage.set_size),
        coverage: coverage.map(|coverage| coverage.share),
        notes,
        outputs,
        result,
    };
    summary::print_object(&object).map_err(Failure::Print)
}

fn title(facts: &Facts, rows: usize, table: &str) -> String {
    let (targets, _) = facts.predicts().unwrap_or_default();
    let what = facts.finds().map_or_else(|| listed(targets), String::from);
    format!("prediction of {what} for {} of {table}", counted(rows, "row"))
}

fn describe(
    lines: &mut Lines,
    evaluation: &Result<(Scores, Option<Confusion>), String>,
    facts: &Facts,
) {
    let (scores, confusion) = match evaluation {
        Ok((scores, confusion)) => (scores, confusion),
        Err(why) => return lines.add("score", why),
    };
    lines.add("score", scores.text("on this table"));
    let (targets, _) = facts.predicts().unwrap_or_default();
    for (name, scored) in targets.iter().zip(&scores.targets).take(LISTED_NAMES) {
        lines.add("", format!("{name}: {}", scored.text()));
    }
    let classes = confusion.as_ref().map(Confusion::lines).unwrap_or_default();
    classes.iter().take(LISTED_NAMES).for_each(|line| lines.add("", line));
    if classes.len() > LISTED_NAMES {
        lines.add("", "…");
    }
}
