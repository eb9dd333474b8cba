//! What `mercer check` says: the answer in words, or an object for machines.

use mercer::io::{Column, Table};
use mercer::model::validity::{Validity, Verdict, Witness};
use serde::Serialize;

use super::Found;
use crate::args::{CheckArgs, Kernel};
use crate::facts::{counted, kernel_in_short};
use crate::failure::Failure;
use crate::output;
use crate::run::columns::Chosen;
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
    /// Whether the kernel is known to be one on all data; null if its values were given.
    known: Option<bool>,
    /// Whether nothing speaks against a kernel.
    valid: bool,
    /// The answer in words.
    answer: String,
    /// What the matrix shows; rows are counted from 0.
    #[serde(flatten)]
    validity: &'a Validity,
    /// What the samples of the witness are called: by the label, by their text, or by their number.
    names: Option<Vec<String>>,
    /// What was done to the matrix.
    repair: Option<RepairObject>,
    /// The files written.
    outputs: Outputs,
}

#[derive(Debug, Serialize)]
struct RepairObject {
    method: &'static str,
    /// How much the matrix changed, relative to its size.
    change: f64,
    /// Whether the search for the nearest matrix came to its end.
    converged: bool,
}

/// Tells what was found.
pub fn tell(
    args: &CheckArgs,
    chosen: &Chosen,
    found: &Found,
    outputs: Outputs,
) -> Result<(), Failure> {
    let answer = answer(&found.validity);
    if args.json {
        let object = CheckObject {
            command: "check",
            table: shown(args.sight.table.source.path()),
            kernel: found.kernel.to_string(),
            known: known(&found.kernel),
            valid: found.validity.is_valid(),
            answer,
            validity: &found.validity,
            names: found
                .validity
                .witness
                .as_ref()
                .map(|witness| witness.samples.iter().map(|&row| name(chosen, row)).collect()),
            repair: found.repaired.as_ref().map(|repaired| RepairObject {
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
    let mut text = lines(args, found, answer, &outputs).text().to_string();
    if let Some(witness) = &found.validity.witness {
        let table = witnesses(chosen, witness);
        text += &format!("\n{}", terminal_table::aligned(&table, LISTED, usize::MAX));
    }
    output::print(&text).map_err(Failure::Print)
}

fn lines(args: &CheckArgs, found: &Found, answer: String, outputs: &Outputs) -> Lines {
    let validity = &found.validity;
    let kernel = kernel_in_short(&found.kernel.to_string());
    let table = shown(args.sight.table.source.path());
    let rows = counted(validity.samples, "row");
    let question = match &found.kernel {
        Kernel::Spec(_) => format!("is {kernel} a kernel? on {rows} of {table}"),
        Kernel::Precomputed => format!("are the values in {table} those of a kernel? {rows}"),
    };
    let mut lines = Lines::titled(question);
    lines.add("answer", answer);
    match known(&found.kernel) {
        Some(true) => lines.add("known", "a kernel on all data, by what it is made of"),
        Some(false) => {
            lines.add("known", "not on all data: what it is made of is no kernel in general")
        }
        None => {}
    }
    lines.add("symmetry", symmetry(validity));
    let (smallest, largest) = (validity.smallest(), validity.largest());
    lines.add(
        "eigenvalues",
        format!("{smallest:.4e} to {largest:.4e}, of {}", counted(validity.examined, "row")),
    );
    let ratio = match validity.ratio {
        0.0 => "no eigenvalue is negative".into(),
        ratio => format!("the most negative is {ratio:.1e} of the largest"),
    };
    let rounding =
        if validity.witness.is_none() && validity.ratio > 0.0 { ", which is rounding" } else { "" };
    lines.add(
        "negative",
        format!(
            "{ratio}{rounding}; share of the spectrum {:.2} %",
            100.0 * validity.negative_share
        ),
    );
    if let Some(repaired) = &found.repaired {
        let method = repaired.correction.method.name();
        let end = if repaired.converged { "" } else { "; there may be a nearer one" };
        let change = 100.0 * repaired.change;
        lines.add(
            "repaired",
            format!("by {method}, which changes the matrix by {change:.2} %{end}"),
        );
    }
    if let Some(files) = outputs.listed() {
        lines.add("written", files);
    }
    if let Some(witness) = &validity.witness {
        let value = witness.value;
        let samples = counted(witness.samples.len(), "row");
        lines.add(
            "witness",
            format!("weights a of {samples} with aᵀKa = {value:.4e}, which no kernel has"),
        );
    }
    lines
}

/// The answer in words, with rows counted from 1.
fn answer(validity: &Validity) -> String {
    match validity.verdict {
        Verdict::NotSymmetric { asymmetry, row, column } => format!(
            "not a kernel: not symmetric, the values of rows {0} and {1} and of rows {1} and {0} differ by {asymmetry:.1e} \
             of the largest value",
            row + 1,
            column + 1
        ),
        verdict => verdict.to_string(),
    }
}

/// Whether it is known of a kernel that it is one.
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
            "up to {:.1e} of the largest value, at rows {} and {}",
            validity.asymmetry,
            row + 1,
            column + 1
        ),
    }
}

/// What a row is called: by the label, which of texts is the text itself, or by its number.
fn name(chosen: &Chosen, row: usize) -> String {
    chosen.label.as_ref().map_or_else(|| (row + 1).to_string(), |(_, cells)| cells.text(row))
}

/// The samples that carry a witness, with their weights; rows are counted from 1.
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
