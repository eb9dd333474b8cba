//! The summary on standard error, and the objects that `--json` prints.

use std::io::Write;
use std::path::Path;

use mercer::Dtype;
use mercer::io::Column;
use serde::Serialize;

use crate::data::Label;
use crate::facts::Facts;
use crate::results::{Predictions, Results};
use crate::stdout;

/// One object about a fit.
#[derive(Debug, Serialize)]
pub struct FitObject<'a> {
    /// `pca` or `kpca`.
    pub command: &'static str,
    /// The table, as the user named it.
    pub table: String,
    /// The model.
    #[serde(flatten)]
    pub facts: &'a Facts,
    /// The files written.
    pub outputs: Outputs,
    /// The components of every row, unless a file holds them.
    pub embedding: Option<ResultsObject>,
}

/// One object about a transformation.
#[derive(Debug, Serialize)]
pub struct TransformObject {
    /// `transform`.
    pub command: &'static str,
    /// The model file.
    pub model: String,
    /// The table, as the user named it.
    pub table: String,
    /// Rows transformed.
    pub rows: usize,
    /// Whether components were mapped back to rows.
    pub inverse: bool,
    /// Seconds taken to compute.
    pub seconds: f64,
    /// The files written.
    pub outputs: Outputs,
    /// The result of every row, unless a file holds it.
    pub result: Option<ResultsObject>,
}

/// The files of a run.
#[derive(Debug, Default, Serialize)]
pub struct Outputs {
    /// The table of results.
    pub table: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The model as text, as LIBSVM reads it.
    pub libsvm_model: Option<String>,
    /// The pictures.
    pub plots: Vec<String>,
    /// The HTML report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_page: Option<String>,
    /// What a format could not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The plot for standard output, if requested; never together with JSON.
    #[serde(skip)]
    pub printed: Option<String>,
}

impl Outputs {
    /// Prints the requested plot, and an empty line before what follows.
    pub fn print_plot(&self, is_followed: bool) -> std::io::Result<()> {
        let Some(plot) = &self.printed else { return Ok(()) };
        let end = if is_followed { "\n" } else { "" };
        stdout::print(&format!("{plot}{end}"))
    }

    /// All files, comma-separated.
    pub fn listed(&self) -> Option<String> {
        let models = self.model.iter().chain(&self.libsvm_model);
        let files = self.table.iter().chain(models).chain(&self.plots).chain(&self.report_page);
        let files: Vec<&str> = files.map(String::as_str).collect();
        (!files.is_empty()).then(|| files.join(", "))
    }
}

/// Results as an object.
#[derive(Debug, Serialize)]
pub struct ResultsObject {
    /// The names of the numbers of a row.
    pub columns: Vec<String>,
    /// The numbers, row by row.
    pub rows: Vec<Vec<f64>>,
    /// The label column.
    pub label: Option<LabelObject>,
    /// Further label columns, and row numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<LabelObject>,
}

/// A label column as an object.
#[derive(Debug, Serialize)]
pub struct LabelObject {
    /// Its name.
    pub name: String,
    /// Its cells: numbers if all are, else texts.
    pub values: Vec<serde_json::Value>,
}

impl ResultsObject {
    /// The object of `results`.
    pub fn of(results: &Results) -> Self {
        let number = |value: &f64| match results.dtype {
            Dtype::F64 => *value,
            Dtype::F32 => shortest(*value as f32),
        };
        let rows = results.values.chunks(results.names.len().max(1));
        let rows = rows.map(|row| row.iter().map(number).collect());
        Self {
            columns: results.names.clone(),
            rows: rows.collect(),
            label: results.label.as_ref().map(LabelObject::of),
            more: results
                .more_labels
                .iter()
                .chain(&results.row_numbers)
                .map(LabelObject::of)
                .collect(),
        }
    }
}

/// Predictions as an object.
#[derive(Debug, Serialize)]
pub struct PredictionsObject {
    /// The names of the cells of a row.
    pub columns: Vec<String>,
    /// The cells, row by row: numbers, or names of classes.
    pub rows: Vec<Vec<serde_json::Value>>,
    /// The label column.
    pub label: Option<LabelObject>,
}

impl PredictionsObject {
    /// The object of `predictions`.
    pub fn of(predictions: &Predictions) -> Self {
        let row = |row: usize| {
            predictions.columns.iter().map(|(_, cells)| cell(cells, row)).collect::<Vec<_>>()
        };
        Self {
            columns: predictions.columns.iter().map(|(name, _)| name.clone()).collect(),
            rows: (0..predictions.n()).map(row).collect(),
            label: predictions.label.as_ref().map(LabelObject::of),
        }
    }
}

impl LabelObject {
    fn of((name, cells): &Label) -> Self {
        let values = (0..cells.len()).map(|row| cell(cells, row)).collect();
        Self { name: name.clone(), values }
    }
}

/// The number with the fewest digits that reads back as `value` in single precision.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

fn cell(column: &Column, row: usize) -> serde_json::Value {
    match column {
        Column::Text(cells) => cells[row].clone().into(),
        Column::F32(values) => shortest(values[row]).into(),
        numbers => numbers.number(row).into(),
    }
}

/// Prints `object` on standard output, on one line.
pub fn print_object(object: &impl Serialize) -> std::io::Result<()> {
    let mut output = std::io::BufWriter::new(stdout::handle());
    serde_json::to_writer(&mut output, object)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// One line of a summary.
#[derive(Debug)]
pub struct Line {
    /// Its name; a line without one goes on with the line before.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it is about the computation and not its result.
    pub is_detail: bool,
}

/// A summary: a title, one `name  text` line each, then warnings.
#[derive(Debug, Default)]
pub struct Lines {
    /// What the summary is about.
    pub title: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Whether lines about the computation are printed.
    pub verbose: bool,
}

impl Lines {
    /// A summary that begins with `title`.
    pub fn titled(title: String) -> Self {
        Self { title, ..Self::default() }
    }

    /// One more line.
    pub fn add(&mut self, name: &str, text: impl std::fmt::Display) {
        self.lines.push(Line { name: name.into(), text: text.to_string(), is_detail: false });
    }

    /// One more line, about the computation.
    pub fn detail(&mut self, name: &str, text: impl std::fmt::Display) {
        self.lines.push(Line { name: name.into(), text: text.to_string(), is_detail: true });
    }

    /// The files written, and warnings about them.
    pub fn written(&mut self, outputs: &Outputs) {
        if let Some(files) = outputs.listed() {
            self.add("written", files);
        }
        self.warn(&outputs.notes);
    }

    /// Warnings.
    pub fn warn<N: ToString>(&mut self, notes: &[N]) {
        self.warnings.extend(notes.iter().map(ToString::to_string));
    }

    /// The text.
    pub fn text(&self) -> String {
        let line = |line: &Line| format!("  {:<11} {}\n", line.name, line.text);
        let printed = self.lines.iter().filter(|line| self.verbose || !line.is_detail);
        let lines: String = printed.map(line).collect();
        let warnings = self.warnings.iter().map(|note| format!("warning: {note}\n"));
        format!("{}\n{lines}{}", self.title, warnings.collect::<String>())
    }

    /// Prints the summary on standard error, if that is open.
    pub fn print(&self) {
        let _ = std::io::stderr().write_all(self.text().as_bytes());
    }
}

/// Prints one warning on standard error, if that is open.
pub fn warn(note: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {note}");
}

/// The path as text, for messages and objects.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The file name without its directory, for titles.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_the_computation_are_printed_on_request() {
        let mut lines = Lines::titled("fit".into());
        lines.add("score", "0.9");
        lines.detail("solver", "smo");
        lines.warn(&["not converged"]);
        assert_eq!(lines.text(), "fit\n  score       0.9\nwarning: not converged\n");
        lines.verbose = true;
        assert!(lines.text().contains("  solver      smo\n"));
    }
}
