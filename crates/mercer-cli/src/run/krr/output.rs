//! The output of `mercer krr`: a summary, or JSON.

use serde::Serialize;

use super::fit::Grid;
use crate::args::KrrArgs;
use crate::describe::{self, listed};
use crate::facts::Facts;
use crate::failure::Failure;
use crate::run::Session;
use crate::run::explain::Explanations;
use crate::summary::{self, Lines, Outputs, shown};

/// One object about a regression.
#[derive(Debug, Serialize)]
struct KrrObject<'a> {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    #[serde(flatten)]
    facts: &'a Facts,
    /// The scores of each kernel; null without cross-validation.
    grid: Option<Vec<KernelObject<'a>>>,
    /// The chosen candidate.
    chosen: Option<ChosenObject<'a>>,
    /// Why there are no scores.
    unscored: Option<&'a str>,
    /// The explanations, if requested.
    #[serde(flatten)]
    explanations: Option<&'a Explanations>,
    /// The files written.
    outputs: Outputs,
}

/// The scores of one kernel.
#[derive(Debug, Serialize)]
struct KernelObject<'a> {
    kernel: String,
    /// The penalties.
    alphas: &'a [f64],
    /// For each penalty the score of each target, or one for all; larger is better.
    scores: Vec<&'a [f64]>,
    /// Their standard errors; null where they are not known.
    spreads: Vec<&'a [f64]>,
}

/// The chosen candidate, by index in the grid.
#[derive(Debug, Serialize)]
struct ChosenObject<'a> {
    kernel: usize,
    /// One for all targets, or one each.
    alphas: &'a [usize],
}

/// The summary.
pub fn lines(args: &KrrArgs, facts: &Facts) -> Lines {
    let table = shown(args.table.source.path());
    let targets = facts.regression.as_ref().map(|r| listed(&r.targets)).unwrap_or_default();
    let title = format!("{} of {targets} in {table}: {}", facts.method(), facts.extent());
    let mut lines = Lines::titled(title);
    describe::describe(&mut lines, facts);
    lines.detail("time", format!("{:.2} s", facts.report.seconds));
    lines.warn(&facts.report.notes);
    lines
}

/// Prints the outputs.
pub fn print(
    session: &Session,
    args: &KrrArgs,
    lines: &Lines,
    (facts, explanations): (&Facts, Option<&Explanations>),
    grid: &Result<Grid, String>,
    outputs: Outputs,
) -> Result<(), Failure> {
    let table = shown(args.table.source.path());
    if !session.quiet {
        lines.print();
    }
    if !args.json {
        return outputs.print_plot(false).map_err(Failure::Print);
    }
    let object = KrrObject {
        command: "krr",
        table,
        facts,
        grid: grid.as_ref().ok().map(kernels),
        chosen: grid
            .as_ref()
            .ok()
            .map(|grid| ChosenObject { kernel: grid.chosen.kernel, alphas: &grid.chosen.alphas }),
        unscored: grid.as_ref().err().map(String::as_str),
        explanations,
        outputs,
    };
    summary::print_object(&object).map_err(Failure::Print)
}

fn kernels(grid: &Grid) -> Vec<KernelObject<'_>> {
    grid.kernels
        .iter()
        .zip(&grid.tables)
        .map(|(kernel, table)| KernelObject {
            kernel: kernel.clone(),
            alphas: &table.alphas,
            scores: (0..table.alphas.len()).map(|a| table.scores.row(a)).collect(),
            spreads: (0..table.alphas.len()).map(|a| table.std_errors.row(a)).collect(),
        })
        .collect()
}
