//! What the verbs share that find something in a table without a target: writing it, and telling of
//! it.

use mercer::io::{Column, Model, ModelFile, Table};
use mercer::model::Scaling;
use serde::Serialize;

use super::Session;
use super::columns::Chosen;
use crate::args::{Picture, ResultArgs, TableArgs};
use crate::data::Types;
use crate::deliver::{self, Files};
use crate::describe;
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::plot::Drawing;
use crate::report::{self, Findings, Listed};
use crate::results::Predictions;
use crate::summary::{self, Lines, Outputs, PredictionsObject, shown};
use crate::terminal_table;

/// What the verbs share of their command lines.
pub struct Job<'a> {
    /// The verb.
    pub command: &'static str,
    /// The table.
    pub table: &'a TableArgs,
    /// Where results go.
    pub results: &'a ResultArgs,
    /// The pictures.
    pub plot: &'a [Picture],
    /// What the table in brief shows.
    pub caption: &'static str,
}

/// What was found.
pub struct Found {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The table it was found in.
    pub chosen: Chosen,
    /// The number types.
    pub types: Types,
    /// The drawings, if any are asked for: the first for pictures, all for a report.
    pub drawings: Vec<Drawing>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// One object about what was found.
#[derive(Debug, Serialize)]
struct FoundObject<'a> {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    #[serde(flatten)]
    facts: &'a Facts,
    /// The files written.
    outputs: Outputs,
    /// What is said of every row, unless a file holds it.
    result: Option<PredictionsObject>,
}

/// Writes what was `found`, says `columns` of every row, and tells of all in brief: in lines, and by
/// a table that `brief` makes.
pub fn finish(
    session: &Session,
    job: &Job<'_>,
    found: Found,
    columns: Vec<(String, Column)>,
    note: impl FnOnce(&mut ModelFile),
    brief: impl FnOnce(&Facts) -> Table,
) -> Result<(), Failure> {
    let described = report::describe_columns(job.results.page.report.as_ref(), &found.chosen);
    let mut saved = ModelFile::new(found.model, found.types.result);
    saved.scaling = found.scaling;
    saved.feature_names = found.chosen.features.names;
    facts::note_places(&mut saved, &found.chosen.places);
    note(&mut saved);
    let facts = Facts::of(&saved);
    let predictions = Predictions { columns, label: found.chosen.label };
    let output = job.results.output.as_ref();
    let brief = brief(&facts);
    let mut lines = lines(job, &facts, &found.warnings);
    let page = job.results.page.report.as_ref().map(|file| {
        let found = Findings {
            lines: &lines,
            facts: &facts,
            columns: &described,
            pictures: &found.drawings,
            tables: &[Listed::all(job.caption, brief.clone())],
        };
        (file, report::page(session, &found))
    });
    let files = Files {
        table: output.map(|file| (file, predictions.table(file.format))),
        model: job.results.model.as_ref().map(|file| (file, &saved)),
        pictures: job.plot,
        drawing: found.drawings.into_iter().next(),
        page,
        ..Files::default()
    };
    let outputs = deliver::write_files(session, &files)?;
    session.progress.clear();
    if !session.quiet {
        lines.written(&outputs);
        lines.print();
    }
    if !job.results.json {
        outputs.print_plot(true).map_err(Failure::Print)?;
        return terminal_table::print_up_to(brief.n_rows(), &brief).map_err(Failure::Print);
    }
    let object = FoundObject {
        command: job.command,
        table: shown(job.table.source.path()),
        facts: &facts,
        outputs,
        result: output.is_none().then(|| PredictionsObject::of(&predictions)),
    };
    summary::print_object(&object).map_err(Failure::Print)
}

/// The summary for people.
fn lines(job: &Job<'_>, facts: &Facts, warnings: &[String]) -> Lines {
    let table = shown(job.table.source.path());
    let mut lines = Lines::titled(format!("{} of {table}: {}", facts.method(), facts.extent()));
    describe::describe(&mut lines, facts);
    lines.add("time", format!("{:.2} s", facts.report.seconds));
    lines.warn(&facts.report.notes);
    lines.warn(warnings);
    lines
}
