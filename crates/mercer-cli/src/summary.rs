//! What a run says on standard error, and the objects that `--json` prints.

use std::io::Write;
use std::path::Path;

use mercer::io::{Column, Dtype};
use serde::Serialize;

use crate::facts::{Facts, kernel_in_short};
use crate::results::Results;

/// Shares of variance listed on one line.
const LISTED: usize = 6;

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
    /// The pictures.
    pub plots: Vec<String>,
}

impl Outputs {
    /// All files, in words.
    pub fn listed(&self) -> Option<String> {
        let files = self.table.iter().chain(&self.model).chain(&self.plots);
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
    /// The column carried along.
    pub label: Option<LabelObject>,
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
            label: results.label.as_ref().map(|(name, cells)| LabelObject {
                name: name.clone(),
                values: (0..cells.len()).map(|row| cell(cells, row)).collect(),
            }),
        }
    }
}

/// The number with the fewest digits that reads back as `value` in single precision.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

fn cell(column: &Column, row: usize) -> serde_json::Value {
    match column {
        Column::Text(cells) => cells[row].clone().into(),
        numbers => numbers.number(row).into(),
    }
}

/// Prints `object` on standard output, on one line.
pub fn print_object(object: &impl Serialize) -> std::io::Result<()> {
    let mut output = std::io::BufWriter::new(std::io::stdout());
    serde_json::to_writer(&mut output, object)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// A summary: one `name  text` line each, then warnings.
#[derive(Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// A summary that begins with `title`.
    pub fn titled(title: String) -> Self {
        Self(title + "\n")
    }

    /// One more line.
    pub fn add(&mut self, name: &str, text: impl std::fmt::Display) {
        self.0 += &format!("  {name:<11} {text}\n");
    }

    /// Things a user should know.
    pub fn warn(&mut self, notes: &[String]) {
        notes.iter().for_each(|note| self.0 += &format!("warning: {note}\n"));
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Prints the summary on standard error; where that is closed there is nobody to tell.
    pub fn print(&self) {
        let _ = std::io::stderr().write_all(self.0.as_bytes());
    }
}

/// The lines about a model that a fit and `inspect` share.
pub fn describe(lines: &mut Lines, facts: &Facts) {
    if let Some(label) = &facts.label {
        lines.add("label", format!("{label}, carried along"));
    }
    if let Some(kernel) = &facts.kernel {
        let centred = if facts.centered == Some(true) { "centred" } else { "not centred" };
        lines.add("kernel", format!("{}, {centred}", kernel_in_short(kernel)));
    }
    lines.add("components", shares(facts));
    if let Some(inverse) = facts.inverse.as_ref().filter(|_| facts.kernel.is_some()) {
        let kernel = kernel_in_short(inverse.kernel.as_deref().unwrap_or_default());
        let alpha = inverse.alpha.unwrap_or_default();
        lines.add("way back", format!("ridge with {kernel}, alpha {alpha}"));
    }
    let report = &facts.report;
    let passes = match report.passes {
        0 => String::new(),
        1 => ", 1 pass".into(),
        passes => format!(", {passes} passes"),
    };
    let (solver, precision) = (&report.solver, &report.precision);
    lines.add("solver", format!("{solver}{passes}, residual {:.1e}, {precision}", report.residual));
    lines.add("storage", format!("{}: {}", report.storage, report.reason));
}

/// How many components there are and how much of the variance they explain.
fn shares(facts: &Facts) -> String {
    let ratios = &facts.explained_variance_ratio;
    let percent = |ratio: &f64| format!("{:.1} %", 100.0 * ratio);
    let mut listed: Vec<String> = ratios.iter().take(LISTED).map(percent).collect();
    if ratios.len() > LISTED {
        listed.push("…".into());
    }
    let whitened = if facts.whitened == Some(true) { "; scores scaled to variance 1" } else { "" };
    match ratios.len() {
        1 => format!("1, explaining {} of the variance{whitened}", listed[0]),
        count => {
            let total = percent(&ratios.iter().sum());
            let listed = listed.join(" + ");
            format!("{count}, explaining {listed} = {total} of the variance{whitened}")
        }
    }
}

/// The path as text, for messages and objects.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}
