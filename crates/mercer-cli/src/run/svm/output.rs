//! The output of the SVM verbs: a summary or JSON, and the scores of a search as a table.

use mercer::Target;
use mercer::io::{Column, Table};
use mercer::model::svm::Stop;
use serde::Serialize;

use super::fit::Grid;
use super::{Job, Task};
use crate::describe::{self, listed};
use crate::facts::Facts;
use crate::failure::Failure;
use crate::prediction::Evaluated;
use crate::report::ReportTable;
use crate::run::Session;
use crate::run::explain::Explanations;
use crate::scores::in_short;
use crate::summary::{self, Lines, Outputs, shown};
use crate::terminal_table;

/// The JSON output.
#[derive(Debug, Serialize)]
struct MachineObject<'a> {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    #[serde(flatten)]
    facts: &'a Facts,
    /// The scores of each kernel; null without a search.
    grid: Option<Vec<KernelObject<'a>>>,
    /// The chosen candidate, by index in the grid.
    chosen: Option<ChosenObject>,
    /// Seconds taken for search, fit and calibration.
    seconds: f64,
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
    costs: &'a [f64],
    /// Of each cost the mean over the folds, as the metric counts.
    scores: Vec<f64>,
    /// Their standard errors.
    spreads: Vec<Option<f64>>,
}

#[derive(Debug, Serialize)]
struct ChosenObject {
    kernel: usize,
    cost: usize,
}

/// The summary.
pub fn lines(
    job: &Job<'_>,
    task: &Task<'_>,
    facts: &Facts,
    (grid, seconds): (Option<&Grid>, f64),
) -> Lines {
    let mut lines = Lines::titled(title(facts, &shown(job.table.source.path())));
    describe::describe(&mut lines, facts);
    let own = match task.search.is_some() || task.probability.is_some() {
        true => format!(", of which {:.2} s for the final fit", facts.report.seconds),
        false => String::new(),
    };
    if task.unit != 1.0 {
        let text = format!("C and epsilon are given as multiples of {:.4}", task.unit);
        lines.add("units", text + ", the standard deviation of the target");
    }
    lines.detail("time", format!("{seconds:.2} s{own}"));
    lines.warn(&facts.report.notes);
    lines.warn(limits(facts).as_slice());
    lines.warn(&hints(task, grid));
    lines
}

/// The tables of a report.
pub fn tables(grid: Option<&Grid>, evaluated: &Evaluated<'_>) -> Vec<ReportTable> {
    let compared = grid.map(|grid| ReportTable::best("Cross-validation scores", scores(grid)));
    evaluated.tables().into_iter().chain(compared).collect()
}

/// Prints the outputs.
pub fn print(
    session: &Session,
    job: &Job<'_>,
    lines: &Lines,
    (facts, explanations): (&Facts, Option<&Explanations>),
    (grid, seconds): (Option<&Grid>, f64),
    outputs: Outputs,
) -> Result<(), Failure> {
    let table = shown(job.table.source.path());
    if !session.quiet {
        lines.print();
    }
    if !job.outputs.results.json {
        outputs.print_plot(grid.is_some()).map_err(Failure::Print)?;
        return match grid {
            Some(grid) => terminal_table::print(&scores(grid)).map_err(Failure::Print),
            None => Ok(()),
        };
    }
    let object = MachineObject {
        command: job.command,
        table,
        facts,
        grid: grid.map(kernels),
        chosen: grid.map(|grid| ChosenObject { kernel: grid.chosen.0, cost: grid.chosen.1 }),
        seconds,
        explanations,
        outputs,
    };
    summary::print_object(&object).map_err(Failure::Print)
}

fn title(facts: &Facts, table: &str) -> String {
    let (targets, _) = facts.predicts().unwrap_or_default();
    let (method, extent) = (facts.method(), facts.extent());
    match targets.is_empty() {
        true => format!("{method} of {table}: {extent}"),
        false => format!("{method} of {} in {table}: {extent}", listed(targets)),
    }
}

/// Which limit stopped the solver.
fn limits(facts: &Facts) -> Option<String> {
    let problems = &facts.report.machine.as_ref()?.problems;
    let is_stopped = |stop: Stop| problems.iter().any(|problem| problem.stop == stop);
    let flag = match (is_stopped(Stop::Iterations), is_stopped(Stop::Time)) {
        (true, true) => "--max-iter and --max-time",
        (true, false) => "--max-iter",
        (false, true) => "--max-time",
        (false, false) => return None,
    };
    Some(format!(
        "increase {flag} to get closer to the optimum, or decrease --cost to converge faster"
    ))
}

/// Hints about the search.
fn hints(task: &Task<'_>, grid: Option<&Grid>) -> Vec<String> {
    let Some(grid) = grid else { return Vec::new() };
    let mut hints = Vec::new();
    let cost = grid.costs[grid.chosen.1];
    let is_end = |end: f64| grid.costs.len() > 1 && cost == end;
    let (least, most) =
        grid.costs.iter().fold((f64::MAX, 0.0f64), |(a, b), c| (a.min(*c), b.max(*c)));
    for (end, word) in [(least, "smallest"), (most, "largest")] {
        if is_end(end) {
            let cost = in_short(cost);
            hints.push(format!(
                "the best cost, {cost}, is the {word} in the grid: extend the grid with --costs"
            ));
        }
    }
    hints.extend(grid.edge.clone());
    hints.extend(grid.folds.notes.iter().cloned());
    if let Target::Values(values) = &task.targets.target {
        let mut different = values.data().to_vec();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let is_whole = different.iter().all(|v| v.fract() == 0.0);
        if is_whole && different.len() <= 10 && different.len() * 5 <= values.rows() {
            hints.push(format!(
                "the target has only {} distinct values: add --classify to treat them as class labels",
                different.len()
            ));
        }
    }
    hints
}

/// All candidates, the best first.
pub fn scores(grid: &Grid) -> Table {
    let mut all: Vec<(usize, usize)> = (0..grid.kernels.len())
        .flat_map(|kernel| (0..grid.costs.len()).map(move |cost| (kernel, cost)))
        .collect();
    let value = |&(kernel, cost): &(usize, usize)| grid.score(kernel, cost).value;
    let sign = if grid.measure.is_error() { -1.0 } else { 1.0 };
    all.sort_by(|a, b| (sign * value(b)).total_cmp(&(sign * value(a))));
    // Of ties the chosen one comes first.
    all.sort_by_key(|place| *place != grid.chosen);
    let kernels = all.iter().map(|(kernel, _)| grid.kernels[*kernel].clone()).collect();
    let costs = all.iter().map(|(_, cost)| grid.costs[*cost]).collect();
    let means = all.iter().map(value).collect();
    let spread = |&(kernel, cost): &(usize, usize)| grid.score(kernel, cost).spread;
    let spreads = all.iter().map(|place| spread(place).unwrap_or(f64::NAN)).collect();
    let measure = grid.measure.column();
    let names = vec!["kernel".into(), "cost".into(), measure, "std_error".into()];
    let columns =
        vec![Column::Text(kernels), Column::F64(costs), Column::F64(means), Column::F64(spreads)];
    Table::new(names, columns)
}

fn kernels(grid: &Grid) -> Vec<KernelObject<'_>> {
    let object = |(index, kernel): (usize, &String)| {
        let scored = (0..grid.costs.len()).map(|cost| grid.score(index, cost));
        let (scores, spreads) = scored.map(|scored| (scored.value, scored.spread)).unzip();
        KernelObject { kernel: kernel.clone(), costs: &grid.costs, scores, spreads }
    };
    grid.kernels.iter().enumerate().map(object).collect()
}
