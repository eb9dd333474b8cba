//! The output of `mercer compare`: the answer, the columns that moved, and the rows.

use mercer::io::{Column, Table};
use serde::Serialize;

use super::Comparison;
use crate::args::CompareArgs;
use crate::facts::{counted, kernel_in_short};
use crate::report::{Headline, ReportTable};
use crate::run::plane;
use crate::scores::in_short;
use crate::summary::{self, Lines, Outputs, shown};
use crate::terminal_table;

/// Rows of the report.
const ROWS: usize = 10;

/// One object about a comparison.
#[derive(Serialize)]
struct CompareObject<'a> {
    command: &'static str,
    /// The old and the new table, as the user named them.
    tables: [String; 2],
    rows: [usize; 2],
    /// The kernel, with its widths as numbers.
    kernel: String,
    detected: bool,
    level: f64,
    answer: String,
    /// MMD², biased.
    statistic: f64,
    p_value: f64,
    permutations: usize,
    /// Mean and standard deviation of the statistic over permutations.
    expected: [f64; 2],
    /// None where rows are not numbers.
    columns: Option<Vec<ColumnObject<'a>>>,
    seconds: f64,
    outputs: Outputs,
}

#[derive(Serialize)]
struct ColumnObject<'a> {
    name: &'a str,
    moved: bool,
    energy_distance: f64,
    p_value: f64,
    /// By Holm's method.
    adjusted_p_value: f64,
}

fn is_detected(args: &CompareArgs, found: &Comparison) -> bool {
    found.found.outcome.p_value <= args.level
}

/// The answer, which never says that distributions are equal.
pub fn headline(args: &CompareArgs, found: &Comparison) -> Headline {
    let p = in_short(found.found.outcome.p_value);
    match is_detected(args, found) {
        true => Headline {
            answer: format!("a difference was detected: p = {p}"),
            how: format!(
                "with probability {} a difference is detected where there is none; p-value by {}",
                in_short(args.level),
                counted(args.permutations as usize, "permutation")
            ),
        },
        false => Headline {
            answer: format!("no difference was detected: p = {p}"),
            how: format!(
                "at the level {}, by {}; this is no evidence that both tables come from one distribution",
                in_short(args.level),
                counted(args.permutations as usize, "permutation")
            ),
        },
    }
}

/// Rows and columns that were compared.
pub fn extent(args: &CompareArgs, found: &Comparison) -> String {
    let [old, new] = [args.table.source.path(), args.new.path()].map(shown);
    let columns = counted(found.chosen.features.n_columns(), "column");
    format!(
        "{} of {old} and {} of {new}, as {columns}",
        counted(found.first, "row"),
        counted(found.chosen.features.n_rows() - found.first, "row")
    )
}

/// The summary.
pub fn lines(args: &CompareArgs, found: &Comparison) -> Lines {
    let mut lines = Lines::titled(format!("comparison: {}", extent(args, found)));
    let Headline { answer, how } = headline(args, found);
    lines.add("answer", answer);
    lines.add("", how);
    let outcome = &found.found.outcome;
    let (mean, deviation) = expected(found);
    let kernel = kernel_in_short(&found.kernel.to_string());
    let usual = format!("{} ± {} over permutations", in_short(mean), in_short(deviation));
    lines.add("statistic", format!("MMD² {} ({usual}), {kernel}", in_short(outcome.statistic)));
    lines.add("columns", columns_line(args, found));
    lines.detail("storage", &outcome.storage);
    lines.detail("time", format!("{:.3} s", outcome.seconds));
    lines.warn(&found.notes);
    lines
}

fn columns_line(args: &CompareArgs, found: &Comparison) -> String {
    let Some(moved) = &found.moved else { return "tested together only".into() };
    let (count, all) = (moved.count(args.level), moved.tests.len());
    let named = moved.order().into_iter().take(count.min(6));
    let named: Vec<String> = named
        .map(|i| format!("{} (p {})", moved.names[i], in_short(moved.tests[i].adjusted)))
        .collect();
    let more = if count > named.len() { ", …" } else { "" };
    match count {
        0 => format!("none of {all} alone, after adjustment for their number"),
        _ => format!("{count} of {all} moved: {}{more}", named.join(", ")),
    }
}

/// Mean and standard deviation of the statistic over permutations.
fn expected(found: &Comparison) -> (f64, f64) {
    let null = &found.found.outcome.null;
    let mean = null.iter().sum::<f64>() / null.len() as f64;
    let variance = null.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / null.len() as f64;
    (mean, variance.sqrt())
}

/// The columns with both means, the smallest p-value first.
fn columns(args: &CompareArgs, found: &Comparison) -> Option<Table> {
    let moved = found.moved.as_ref()?;
    let order = moved.order();
    let (features, all) = (&found.chosen.features, found.chosen.features.n_rows());
    let mean = |i: usize, rows: std::ops::Range<usize>| match moved.groups[i].len() {
        1 => {
            let (at, count) = (moved.groups[i].start, rows.len() as f64);
            rows.map(|row| plane::number(features, row, at)).sum::<f64>() / count
        }
        _ => f64::NAN,
    };
    let numbers = |of: &dyn Fn(usize) -> f64| Column::F64(order.iter().map(|&i| of(i)).collect());
    let moved_text = |i: usize| if moved.tests[i].adjusted <= args.level { "yes" } else { "no" };
    let columns = vec![
        ("column", Column::Text(order.iter().map(|&i| moved.names[i].clone()).collect())),
        ("moved", Column::Text(order.iter().map(|&i| moved_text(i).to_string()).collect())),
        ("adjusted_p", numbers(&|i| moved.tests[i].adjusted)),
        ("p", numbers(&|i| moved.tests[i].p_value)),
        ("energy_distance", numbers(&|i| moved.tests[i].statistic)),
        ("mean_old", numbers(&|i| mean(i, 0..found.first))),
        ("mean_new", numbers(&|i| mean(i, found.first..all))),
    ];
    Some(Table::new(
        columns.iter().map(|(name, _)| (*name).to_string()).collect(),
        columns.into_iter().map(|(_, column)| column).collect(),
    ))
}

/// The witness at every row of both tables.
pub fn rows(found: &Comparison) -> Table {
    let order: Vec<usize> = (0..found.found.witness.len()).collect();
    of_rows(found, &order)
}

fn of_rows(found: &Comparison, order: &[usize]) -> Table {
    let kept = found.chosen.rows.as_deref();
    let number = |&row: &usize| {
        let place = kept.map_or(row, |rows| rows[row]);
        (if row < found.first { place } else { place - found.old_rows } + 1) as f64
    };
    let name = |&row: &usize| if row < found.first { "old" } else { "new" }.to_string();
    let mut columns = vec![
        ("table".to_string(), Column::Text(order.iter().map(name).collect())),
        ("row".to_string(), Column::F64(order.iter().map(number).collect())),
    ];
    columns.extend(found.chosen.label.iter().map(|(title, cells)| {
        (title.clone(), Column::Text(order.iter().map(|&row| cells.text(row)).collect()))
    }));
    let witness = order.iter().map(|&row| found.found.witness[row]).collect();
    columns.push(("witness".into(), Column::F64(witness)));
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}

/// The tables of the report.
pub fn report_tables(args: &CompareArgs, found: &Comparison) -> Vec<ReportTable> {
    let witness = &found.found.witness;
    let mut order: Vec<usize> = (0..witness.len()).collect();
    order.sort_by(|&a, &b| witness[a].total_cmp(&witness[b]));
    let new: Vec<usize> =
        order.iter().copied().filter(|&row| row >= found.first).take(ROWS).collect();
    let old: Vec<usize> =
        order.iter().rev().copied().filter(|&row| row < found.first).take(ROWS).collect();
    let of_columns = columns(args, found).map(|table| {
        ReportTable::all("Columns, tested one by one; p adjusted by Holm's method", table)
    });
    let of_rows = [
        ("Rows of the new table where it is denser than the old one", new),
        ("Rows of the old table where it is denser than the new one", old),
    ]
    .map(|(caption, rows)| ReportTable::best(caption, of_rows(found, &rows)));
    of_columns.into_iter().chain(of_rows).collect()
}

/// Prints the summary, and the columns or one object.
pub fn print(
    args: &CompareArgs,
    found: &Comparison,
    mut lines: Lines,
    outputs: Outputs,
) -> std::io::Result<()> {
    lines.written(&outputs);
    if !args.quiet {
        lines.print();
    }
    if args.json {
        return summary::print_object(&object(args, found, outputs));
    }
    let columns = columns(args, found).filter(|_| !args.quiet);
    outputs.print_plot(columns.is_some())?;
    columns.map_or(Ok(()), |table| terminal_table::print_up_to(usize::MAX, &table))
}

fn object<'a>(args: &CompareArgs, found: &'a Comparison, outputs: Outputs) -> CompareObject<'a> {
    let outcome = &found.found.outcome;
    let (mean, deviation) = expected(found);
    let column = |moved: &'a super::MovedColumns, i: usize| ColumnObject {
        name: &moved.names[i],
        moved: moved.tests[i].adjusted <= args.level,
        energy_distance: moved.tests[i].statistic,
        p_value: moved.tests[i].p_value,
        adjusted_p_value: moved.tests[i].adjusted,
    };
    let columns = |moved: &'a super::MovedColumns| {
        moved.order().into_iter().map(|i| column(moved, i)).collect()
    };
    CompareObject {
        command: "compare",
        tables: [args.table.source.path(), args.new.path()].map(shown),
        rows: [found.first, found.chosen.features.n_rows() - found.first],
        kernel: found.kernel.to_string(),
        detected: is_detected(args, found),
        level: args.level,
        answer: headline(args, found).answer,
        statistic: outcome.statistic,
        p_value: outcome.p_value,
        permutations: outcome.null.len(),
        expected: [mean, deviation],
        columns: found.moved.as_ref().map(columns),
        seconds: outcome.seconds,
        outputs,
    }
}
