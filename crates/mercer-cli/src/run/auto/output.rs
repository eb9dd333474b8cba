//! The output of `mercer auto`: a summary and the leaderboard, or JSON.

use mercer::io::{Column, Table};
use serde::Serialize;

use super::Findings;
use super::result::ModelResult;
use super::verdict::Verdict;
use crate::args::AutoArgs;
use crate::facts::{Facts, counted};
use crate::failure::Failure;
use crate::plot::grouped;
use crate::report::Headline;
use crate::run::Session;
use crate::summary::{self, Lines, Outputs, shown};
use crate::terminal_table;

/// The JSON output.
#[derive(Debug, Serialize)]
struct AutoObject<'a> {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    target: &'a str,
    task: &'static str,
    metric: &'static str,
    /// Rows of the table, and those that models were compared on.
    rows: usize,
    compared_rows: usize,
    folds: usize,
    /// The test rows of each outer fold, counted from 1 among the rows that are used.
    test_rows: Vec<Vec<usize>>,
    seed: u64,
    /// Seconds: the budget, the comparison, the search of the final parameters and the final fit.
    time: f64,
    seconds: f64,
    search_seconds: f64,
    fit_seconds: f64,
    best: Option<&'a str>,
    /// Whether the best is a kernel method.
    kernel_is_better: bool,
    /// Models whose difference from the best is within two standard errors.
    undecided: Vec<String>,
    /// All models, the best first.
    leaderboard: Vec<ModelObject<'a>>,
    /// The model that the command fits: the best of those that a command can fit.
    fitted: Option<&'a str>,
    /// The command that fits it.
    command_line: Option<String>,
    /// The model, fitted on all rows; null unless a model or a report is written.
    model: Option<&'a Facts>,
    /// The files written.
    outputs: Outputs,
}

/// A model of the comparison.
#[derive(Debug, Serialize)]
struct ModelObject<'a> {
    model: &'a str,
    /// The mean over the folds that were scored; null without any.
    score: Option<f64>,
    std_error: Option<f64>,
    seconds: f64,
    baseline: bool,
    status: String,
    /// The score of each fold.
    scores: &'a [f64],
    /// The parameters that were chosen within each fold.
    chosen: &'a [String],
}

/// The answer: the best model and its score.
pub fn headline(found: &Findings) -> Option<Headline> {
    let best = found.verdict.best()?;
    let folds = counted(found.folds.len(), "outer fold");
    Some(Headline {
        answer: format!("{}: {}", best.name, found.verdict.score_text(best)),
        how: format!(
            "nested cross-validation, mean and standard error over {folds}; the best of several, so slightly optimistic"
        ),
    })
}

/// The summary.
pub fn lines(args: &AutoArgs, found: &Findings) -> Lines {
    let (verdict, table) = (&found.verdict, shown(args.table.source.path()));
    let done = counted(verdict.done().len(), "model");
    let best = verdict.best();
    let winner =
        best.map(|best| format!("{}, {}", best.name, verdict.score_text(best))).unwrap_or_default();
    let title = format!("best of {done} for {} in {table}: {winner}", found.target);
    let mut lines = Lines::titled(title);
    let folds = counted(found.folds.len(), "fold");
    lines.add(
        "scores",
        format!(
            "mean and standard error over {folds}; parameters are chosen within each. The best of several is slightly \
             optimistic: measure the final model on new rows"
        ),
    );
    verdict.lead().into_iter().for_each(|text| lines.add("lead", text));
    verdict.against_baselines().into_iter().for_each(|text| lines.add("baselines", text));
    neighbours(verdict).into_iter().for_each(|text| lines.add("neighbours", text));
    lines.add("rows", rows(args, found));
    lines.add("time", time(args, found));
    let left = verdict.left();
    if !left.is_empty() {
        let hint = if verdict.is_out_of_time() { ": --time sets the budget" } else { "" };
        lines.add("not done", format!("{}{hint}", left.join(", ")));
    }
    if let (Some(command), Some(fitted)) = (&found.command, &found.fitted) {
        if best.is_some_and(|best| best.name != *fitted) {
            let name = best.map_or("", |best| best.name.as_str());
            let note = format!(
                "no command fits {name}: command and model are those of {fitted}, the best that one fits"
            );
            lines.add("model", note);
        }
        lines.add("command", command.text());
    }
    if let Some(facts) = &found.facts {
        lines.warn(&facts.report.notes);
    }
    lines.warn(&found.warnings);
    lines
}

/// `k = 3, 7, 3, chosen by inner folds`.
fn neighbours(verdict: &Verdict) -> Option<String> {
    let model = verdict.ranked.iter().find(|result| result.name == "nearest neighbours")?;
    let counts: Vec<&str> = model.chosen.iter().map(|text| text.trim_start_matches("k=")).collect();
    (!counts.is_empty()).then(|| format!("k = {}, chosen by inner folds", counts.join(", ")))
}

fn rows(args: &AutoArgs, found: &Findings) -> String {
    match found.compared < found.rows {
        false => format!("compared on all {}", grouped(found.rows)),
        true => format!(
            "compared on {} of {}, drawn at random (--seed {}); the final model is fitted on all",
            grouped(found.compared),
            grouped(found.rows),
            args.seed
        ),
    }
}

fn time(args: &AutoArgs, found: &Findings) -> String {
    let fit = match found.facts {
        Some(_) => format!(", final fit {:.1} s", found.fit_seconds),
        None => String::new(),
    };
    format!(
        "comparison {:.1} s and final parameters {:.1} s, of a budget of {} s{fit}",
        found.seconds, found.search_seconds, args.time
    )
}

/// The models, the best first.
pub fn leaderboard(verdict: &Verdict) -> Table {
    // A model that is not done has no score that others can be compared with.
    let column = |number: fn(&ModelResult) -> Option<f64>| {
        let known = |result: &ModelResult| number(result).filter(|_| result.is_done());
        let cells = verdict.ranked.iter().map(|result| known(result).unwrap_or(f64::NAN));
        Column::F64(cells.collect())
    };
    let texts =
        |text: fn(&ModelResult) -> String| Column::Text(verdict.ranked.iter().map(text).collect());
    let kind = |result: &ModelResult| {
        if result.is_baseline { "baseline".into() } else { "kernel method".to_string() }
    };
    let names = ["model", verdict.metric.key(), "std_error", "seconds", "kind", "status"];
    let columns = vec![
        texts(|result| result.name.clone()),
        column(ModelResult::score),
        column(ModelResult::std_error),
        Column::F64(verdict.ranked.iter().map(|result| result.seconds).collect()),
        texts(kind),
        texts(|result| result.status.text()),
    ];
    Table::new(names.map(String::from).into(), columns)
}

/// Prints what is known when the comparison is interrupted.
pub fn print_so_far(session: &Session, verdict: &Verdict) {
    session.progress.clear();
    let table = leaderboard(verdict);
    let text = terminal_table::aligned(&table, table.n_rows(), 100);
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("scores until the interruption:\n{text}").as_bytes(),
    );
}

/// Prints the outputs.
pub fn print(
    session: &Session,
    args: &AutoArgs,
    lines: &Lines,
    found: &Findings,
    outputs: Outputs,
) -> Result<(), Failure> {
    if !session.quiet {
        lines.print();
    }
    if args.json {
        return summary::print_object(&object(args, found, outputs)).map_err(Failure::Print);
    }
    outputs.print_plot(true).map_err(Failure::Print)?;
    let table = leaderboard(&found.verdict);
    terminal_table::print_up_to(table.n_rows(), &table).map_err(Failure::Print)
}

fn object<'a>(args: &AutoArgs, found: &'a Findings, outputs: Outputs) -> AutoObject<'a> {
    let verdict = &found.verdict;
    AutoObject {
        command: "auto",
        table: shown(args.table.source.path()),
        target: &found.target,
        task: if verdict.metric.is_of_classes() { "classification" } else { "regression" },
        metric: verdict.metric.key(),
        rows: found.rows,
        compared_rows: found.compared,
        folds: found.folds.len(),
        test_rows: found
            .folds
            .iter()
            .map(|rows| rows.iter().map(|row| row + 1).collect())
            .collect(),
        seed: args.seed,
        time: args.time,
        seconds: found.seconds,
        search_seconds: found.search_seconds,
        fit_seconds: found.fit_seconds,
        best: verdict.best().map(|best| best.name.as_str()),
        kernel_is_better: verdict.is_kernel_better(),
        undecided: verdict.undecided(),
        leaderboard: verdict.ranked.iter().map(model).collect(),
        fitted: found.fitted.as_deref(),
        command_line: found.command.as_ref().map(|command| command.text()),
        model: found.facts.as_ref(),
        outputs,
    }
}

fn model(result: &ModelResult) -> ModelObject<'_> {
    ModelObject {
        model: &result.name,
        score: result.score(),
        std_error: result.std_error(),
        seconds: result.seconds,
        baseline: result.is_baseline,
        status: result.status.text(),
        scores: &result.scores,
        chosen: &result.chosen,
    }
}
