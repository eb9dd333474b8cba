//! The output of `mercer check`: a summary, or JSON.

use mercer::io::{Column, Table};
use mercer::model::validity::{Validity, Verdict, Witness};
use serde::Serialize;

use super::CheckResult;
use crate::args::{CheckArgs, Kernel};
use crate::facts::{counted, kernel_in_short};
use crate::failure::Failure;
use crate::run::columns::Chosen;
use crate::stdout;
use crate::summary::{self, Lines, Outputs, shown};
use crate::terminal_table;

/// Samples of a witness that are listed.
const LISTED: usize = 12;

/// One object about a check.
#[derive(Debug, Serialize)]
struct CheckObject<'a> {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    /// The kernel, with its widths as numbers.
    kernel: String,
    /// Whether the kernel is known to be positive definite on all data; null for precomputed values.
    known: Option<bool>,
    /// Whether the matrix is positive semi-definite.
    valid: bool,
    /// The answer in words.
    answer: String,
    /// What the matrix shows; rows are counted from 0.
    #[serde(flatten)]
    validity: &'a Validity,
    /// The names of the samples of the witness: label, string, or row number.
    names: Option<Vec<String>>,
    /// The repair.
    repair: Option<RepairObject>,
    /// The files written.
    outputs: Outputs,
}

#[derive(Debug, Serialize)]
struct RepairObject {
    method: &'static str,
    /// How much the matrix changed, relative to its size.
    change: f64,
    /// Whether the search for the nearest matrix converged.
    converged: bool,
}

/// Prints the result.
pub fn print(
    args: &CheckArgs,
    chosen: &Chosen,
    result: &CheckResult,
    outputs: Outputs,
) -> Result<(), Failure> {
    let answer = answer(&result.validity);
    if args.json {
        let object = CheckObject {
            command: "check",
            table: shown(args.input.table.source.path()),
            kernel: result.kernel.to_string(),
            known: known(&result.kernel),
            valid: result.validity.is_valid(),
            answer,
            validity: &result.validity,
            names: result
                .validity
                .witness
                .as_ref()
                .map(|witness| witness.samples.iter().map(|&row| name(chosen, row)).collect()),
            repair: result.repaired.as_ref().map(|repaired| RepairObject {
                method: repaired.correction.method.name(),
                change: repaired.change,
                converged: repaired.converged,
            }),
            outputs,
        };
        return summary::print_object(&object).map_err(Failure::Print);
    }
    if args.quiet {
        return Ok(());
    }
    let mut text = lines(args, result, answer, &outputs).text().to_string();
    if let Some(witness) = &result.validity.witness {
        let table = witnesses(chosen, witness);
        text += &format!("\n{}", terminal_table::aligned(&table, LISTED, usize::MAX));
    }
    stdout::print(&text).map_err(Failure::Print)
}

fn lines(args: &CheckArgs, result: &CheckResult, answer: String, outputs: &Outputs) -> Lines {
    let validity = &result.validity;
    let kernel = kernel_in_short(&result.kernel.to_string());
    let table = shown(args.input.table.source.path());
    let rows = counted(validity.samples, "row");
    let title = match &result.kernel {
        Kernel::Spec(_) => format!("kernel check of {kernel} on {table}: {rows}"),
        Kernel::Precomputed => format!("kernel check of the matrix in {table}: {rows}"),
    };
    let mut lines = Lines::titled(title);
    lines.add("answer", answer);
    match known(&result.kernel) {
        Some(true) => lines.add("in general", "positive definite on all data, by construction"),
        Some(false) => lines.add("in general", "not positive definite on all data"),
        None => {}
    }
    lines.add("symmetry", symmetry(validity));
    let (smallest, largest) = (validity.smallest(), validity.largest());
    lines.add(
        "eigenvalues",
        format!("{smallest:.4e} to {largest:.4e}, on {}", counted(validity.examined, "row")),
    );
    let ratio = match validity.ratio {
        0.0 => "no negative eigenvalues".into(),
        ratio => format!("most negative eigenvalue {ratio:.1e} of the largest"),
    };
    let rounding =
        if validity.witness.is_none() && validity.ratio > 0.0 { " (rounding error)" } else { "" };
    lines.add(
        "negative",
        format!("{ratio}{rounding}; {:.2} % of the spectrum", 100.0 * validity.negative_share),
    );
    if let Some(repaired) = &result.repaired {
        let method = repaired.correction.method.name();
        let end = if repaired.converged { "" } else { "; not converged to the nearest matrix" };
        let change = 100.0 * repaired.change;
        lines.add("repaired", format!("{method}, changes the matrix by {change:.2} %{end}"));
    }
    if let Some(files) = outputs.listed() {
        lines.add("written", files);
    }
    if let Some(witness) = &validity.witness {
        let value = witness.value;
        let samples = counted(witness.samples.len(), "row");
        lines.add("witness", format!("weights a of {samples} with aᵀKa = {value:.4e} < 0"));
    }
    lines
}

/// The answer, with 1-based row numbers.
fn answer(validity: &Validity) -> String {
    match validity.verdict {
        Verdict::NotSymmetric { asymmetry, row, column } => format!(
            "not a kernel: not symmetric, K[{0}, {1}] and K[{1}, {0}] differ by {asymmetry:.1e} of the largest value",
            row + 1,
            column + 1
        ),
        verdict => verdict.to_string(),
    }
}

/// Whether a kernel is known to be positive definite.
fn known(kernel: &Kernel) -> Option<bool> {
    match kernel {
        Kernel::Spec(spec) => Some(spec.positive_definite()),
        Kernel::Precomputed => None,
    }
}

fn symmetry(validity: &Validity) -> String {
    match validity.asymmetric_at {
        None => "exact".into(),
        Some((row, column)) => format!(
            "asymmetric by up to {:.1e} of the largest value, at rows {} and {}",
            validity.asymmetry,
            row + 1,
            column + 1
        ),
    }
}

/// The name of a row: its label, or its number.
fn name(chosen: &Chosen, row: usize) -> String {
    chosen.label.as_ref().map_or_else(|| (row + 1).to_string(), |(_, cells)| cells.text(row))
}

/// The samples of a witness with their weights; row numbers are 1-based.
fn witnesses(chosen: &Chosen, witness: &Witness) -> Table {
    let rows = witness.samples.iter().map(|&row| (row + 1) as f64).collect();
    let mut columns = vec![("row".to_string(), Column::F64(rows))];
    columns.extend(chosen.label.as_ref().map(|(title, cells)| {
        let names = witness.samples.iter().map(|&row| cells.text(row)).collect();
        (title.clone(), Column::Text(names))
    }));
    columns.push(("weight".into(), Column::F64(witness.weights.clone())));
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}
