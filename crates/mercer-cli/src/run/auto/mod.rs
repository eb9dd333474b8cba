//! `mercer auto`: kernel methods and baselines compared on a table, and the best of them.

mod candidates;
mod command;
mod compare;
mod deadline;
mod folds;
mod metric;
mod neighbours;
mod output;
mod picture;
mod problem;
mod result;
mod truth;
mod tuned;
mod verdict;

use std::time::Instant;

use mercer::io::{ModelFile, Source, Table};
use mercer::{Error, Result};

use self::candidates::{Candidate, candidates};
use self::command::CommandLine;
use self::compare::Comparison;
use self::problem::Problem;
use self::truth::Answers;
use self::verdict::Verdict;
use super::{Chosen, Session};
use crate::args::{AutoArgs, AutoMetric, AutoTask};
use crate::data::{self, InputKind, about};
use crate::facts::Facts;
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::report::{self, ReportContent, ReportTable};
use crate::summary::{Lines, shown};

/// What was found.
pub struct Findings {
    /// The name of the target.
    target: String,
    /// The ranking.
    verdict: Verdict,
    /// Rows of the table.
    rows: usize,
    /// Rows that models were compared on.
    compared: usize,
    /// The test rows of each outer fold.
    folds: Vec<Vec<usize>>,
    /// Seconds of the comparison.
    seconds: f64,
    /// Seconds of the search of the final parameters.
    search_seconds: f64,
    /// Seconds of the final fit.
    fit_seconds: f64,
    /// The model that the command fits.
    fitted: Option<String>,
    /// The command.
    command: Option<CommandLine>,
    /// The fitted model, described.
    facts: Option<Facts>,
    /// What is unusual about the target.
    warnings: Vec<String>,
}

/// Runs `mercer auto`.
pub fn auto(session: &Session, args: &AutoArgs) -> std::result::Result<(), Failure> {
    let (table, input_kind) = read(session, args)?;
    let is_fitted = args.model.is_some() || args.page.report.is_some();
    let whole = is_fitted.then(|| table.clone());
    let problem = Problem::of(args, table, input_kind)?;
    let metric = AutoMetric::of(args.metric, problem.truth.is_classes())?;
    check_rows(args, &problem)?;
    let all = candidates(problem.truth.is_classes(), problem.input_kind == InputKind::Strings)?;
    let mut found = compare(session, args, &problem, &all, metric)?;
    let fitted = match (whole, &found.command) {
        (Some(whole), Some(command)) => {
            let started = Instant::now();
            let fitted = command.fit(session, whole)?;
            found.fit_seconds = started.elapsed().as_secs_f64();
            found.facts = Some(Facts::of(&fitted.0));
            Some(fitted)
        }
        _ => None,
    };
    finish(session, args, &found, fitted)
}

/// The table, and what its features are. Texts are read again as they are written, where that is possible.
fn read(session: &Session, args: &AutoArgs) -> Result<(Table, InputKind)> {
    let table = data::read(session, &args.table, &InputKind::Numbers)?;
    if !Problem::holds_texts(args, &table)? {
        return Ok((table, InputKind::Numbers));
    }
    let table = match args.table.source {
        Source::File(_) => data::read(&session.silent(), &args.table, &InputKind::Strings)?,
        Source::Stdin => table,
    };
    Ok((table, InputKind::Strings))
}

fn check_rows(args: &AutoArgs, problem: &Problem<'_>) -> Result<()> {
    let least = (2 * args.folds as usize).max(10);
    if problem.n() >= least {
        return Ok(());
    }
    let message = format!(
        "the table has {} rows; a comparison with {} folds requires at least {least}",
        problem.n(),
        args.folds
    );
    Err(about(&problem.chosen.features, message))
}

/// Compares all models, and chooses the parameters of the best on the rows of the comparison.
fn compare(
    session: &Session,
    args: &AutoArgs,
    problem: &Problem<'_>,
    all: &[Candidate],
    metric: AutoMetric,
) -> Result<Findings> {
    let rows = folds::draw(&problem.truth.strata(), args.max_rows as usize, args.seed);
    let outer =
        folds::stratified(&problem.truth.take(&rows).strata(), args.folds as usize, args.seed);
    let (data, budget) = ((&rows[..], &outer[..]), (args.time, args.seed));
    let mut comparison = Comparison::new(session, problem, data, all, metric, budget)?;
    let ended = comparison.run();
    let verdict = Verdict::of(&comparison.results, metric);
    if ended.is_err() && !session.quiet {
        output::print_so_far(session, &verdict);
    }
    ended?;
    let seconds = comparison.seconds();
    drop(comparison);
    let Some(fitted) = verdict.best_with_command().map(|best| best.name.clone()) else {
        let message = format!("no model could be compared: {}", verdict.failure());
        return Err(Error::Numeric(message));
    };
    let started = Instant::now();
    let command = command_of(session, args, problem, &rows, all, &fitted)?;
    Ok(Findings {
        target: problem.chosen.targets.first().map(|(name, _)| name.clone()).unwrap_or_default(),
        rows: problem.n(),
        compared: rows.len(),
        folds: outer.iter().map(|fold| fold.test.iter().map(|&p| rows[p]).collect()).collect(),
        seconds,
        search_seconds: started.elapsed().as_secs_f64(),
        fit_seconds: 0.0,
        fitted: Some(fitted),
        command,
        facts: None,
        warnings: warnings(args, problem),
        verdict,
    })
}

/// The command that fits the model called `name`, with the parameters that suit the rows of the comparison.
fn command_of(
    session: &Session,
    args: &AutoArgs,
    problem: &Problem<'_>,
    rows: &[usize],
    all: &[Candidate],
    name: &str,
) -> Result<Option<CommandLine>> {
    let Some(candidate) = all.iter().find(|one| one.name == name) else { return Ok(None) };
    session.progress.begin("choosing the final parameters");
    let (x, truth) = problem.rows(session, rows)?;
    let model = candidate.method.fit(&session.context, &x, &truth, args.seed)?;
    let is_scored = rows.len() == problem.n();
    Ok(CommandLine::of(args, &model, truth.is_classes(), is_scored))
}

/// What the user may want to know about the target.
fn warnings(args: &AutoArgs, problem: &Problem<'_>) -> Vec<String> {
    let single = problem.truth.single();
    let mut warnings = Vec::new();
    if !single.is_empty() {
        let names = crate::describe::listed(&single);
        warnings.push(format!(
            "classes with a single row cannot be predicted when that row is held out: {names}"
        ));
    }
    let Answers::Values(values) = &problem.truth.answers else { return warnings };
    let mut different = values.clone();
    different.sort_by(f64::total_cmp);
    different.dedup();
    let is_whole = different.iter().all(|value| value.fract() == 0.0);
    if args.task == AutoTask::Auto
        && is_whole
        && different.len() <= 20
        && different.len() * 5 <= values.len()
    {
        warnings.push(format!(
            "the target has only {} different whole numbers: treat them as classes with --task classification",
            different.len()
        ));
    }
    warnings
}

/// Draws, writes and prints.
fn finish(
    session: &Session,
    args: &AutoArgs,
    found: &Findings,
    fitted: Option<(ModelFile, Chosen)>,
) -> std::result::Result<(), Failure> {
    let mut lines: Lines = output::lines(args, found);
    let is_drawn = !args.plot.is_empty() || args.page.report.is_some();
    let table = shown(args.table.source.path());
    let drawing =
        is_drawn.then(|| picture::draw(&found.verdict, &found.target, &table, found.folds.len()));
    let page = match (&args.page.report, &fitted, &found.facts) {
        (Some(file), Some((_, chosen)), Some(facts)) => {
            let tables = [ReportTable::all(COMPARED, output::leaderboard(&found.verdict))];
            let content = ReportContent {
                lines: &lines,
                facts,
                headline: output::headline(found),
                columns: &report::describe_columns(Some(file), chosen),
                pictures: drawing.as_slice(),
                tables: &tables,
                explanations: &[],
            };
            Some((file, report::page(session, &content)))
        }
        _ => None,
    };
    let model = args.model.as_ref().zip(fitted.as_ref());
    let files = Files {
        model: model.map(|(file, (saved, _))| (file, saved)),
        pictures: &args.plot,
        drawing,
        page,
        ..Files::default()
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    output::print(session, args, &lines, found, outputs)
}

const COMPARED: &str = "All models: mean score over the outer folds";
