//! Shared output of the unsupervised verbs `kmeans` and `outliers`.

use mercer::io::{Column, Model, ModelFile, Table};
use mercer::model::Scaling;
use serde::Serialize;

use super::Session;
use super::columns::Chosen;
use super::stream::Reading;
use crate::args::{Picture, ResultArgs, TableArgs};
use crate::data::Types;
use crate::describe;
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::report::{self, Explanation, ReportContent, ReportTable};
use crate::results::{Predictions, more_labels};
use crate::summary::{self, Lines, Outputs, PredictionsObject, shown};
use crate::terminal_table;

/// The shared options.
pub struct Job<'a> {
    /// The verb.
    pub command: &'static str,
    /// The table.
    pub table: &'a TableArgs,
    /// Where results go.
    pub results: &'a ResultArgs,
    /// The pictures.
    pub plot: &'a [Picture],
    /// The caption of the printed table.
    pub caption: &'static str,
}

/// An unsupervised fit.
pub struct UnsupervisedFit {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The training table.
    pub chosen: Chosen,
    /// The precision.
    pub types: Types,
    /// The plots, if requested: the first for --plot, all for a report.
    pub drawings: Vec<Drawing>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// What a report says beside the table.
    pub explanations: Vec<Explanation>,
}

/// The JSON output.
#[derive(Debug, Serialize)]
pub struct UnsupervisedObject<'a> {
    /// The verb.
    pub command: &'static str,
    /// The table, as the user named it.
    pub table: String,
    /// The model.
    #[serde(flatten)]
    pub facts: &'a Facts,
    /// The files written.
    pub outputs: Outputs,
    /// The predictions, unless a file holds them.
    pub result: Option<PredictionsObject>,
}

/// Writes the fit and the prediction `columns`, and prints a summary and the table that `brief` makes.
pub fn finish(
    session: &Session,
    job: &Job<'_>,
    fit: UnsupervisedFit,
    columns: Vec<(String, Column)>,
    note: impl FnOnce(&mut ModelFile),
    brief: impl FnOnce(&Facts) -> Table,
) -> Result<(), Failure> {
    let described = report::describe_columns(job.results.page.report.as_ref(), &fit.chosen);
    let mut saved = ModelFile::new(fit.model, fit.types.result);
    saved.scaling = fit.scaling;
    saved.feature_names = fit.chosen.features.names;
    facts::note_places(&mut saved, &fit.chosen.places);
    note(&mut saved);
    let facts = Facts::of(&saved);
    let output = job.results.output.as_ref();
    let more = more_labels(fit.chosen.more_labels, output);
    let columns = more.into_iter().chain(columns).collect();
    let predictions = Predictions { columns, label: fit.chosen.label };
    let brief = brief(&facts);
    let mut lines = lines(job, &facts, &fit.warnings);
    let page = job.results.page.report.as_ref().map(|file| {
        let choice = facts.clustering.as_ref().and_then(|clustering| clustering.choice.as_ref());
        let compared = choice
            .map(|choice| ReportTable::all("Scores of the numbers of clusters", choice.table()));
        let brief = ReportTable::all(job.caption, brief.clone());
        let tables: Vec<ReportTable> = compared.into_iter().chain([brief]).collect();
        let content = ReportContent {
            lines: &lines,
            facts: &facts,
            headline: None,
            columns: &described,
            pictures: &fit.drawings,
            tables: &tables,
            explanations: &fit.explanations,
        };
        (file, report::page(session, &content))
    });
    let files = Files {
        table: output.map(|file| (file, predictions.table(file.format))),
        model: job.results.model.as_ref().map(|file| (file, &saved)),
        pictures: job.plot,
        drawing: fit.drawings.into_iter().next(),
        page,
        ..Files::default()
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    if !session.quiet {
        lines.written(&outputs);
        lines.verbose = session.verbose;
        lines.print();
    }
    if !job.results.json {
        outputs.print_plot(true).map_err(Failure::Print)?;
        return terminal_table::print_up_to(brief.n_rows(), &brief).map_err(Failure::Print);
    }
    let object = UnsupervisedObject {
        command: job.command,
        table: shown(job.table.source.path()),
        facts: &facts,
        outputs,
        result: output.is_none().then(|| PredictionsObject::of(&predictions)),
    };
    summary::print_object(&object).map_err(Failure::Print)
}

/// Prints the summary of a table that was read in blocks, and the table that `brief` makes.
pub fn finish_stream(
    session: &Session,
    job: &Job<'_>,
    (facts, warnings): (&Facts, &[String]),
    reading: Reading,
    outputs: Outputs,
    brief: impl FnOnce() -> Table,
) -> Result<(), Failure> {
    session.progress.clear();
    if !session.quiet {
        let mut lines = lines(job, facts, warnings);
        reading.describe(&mut lines);
        lines.written(&outputs);
        lines.verbose = session.verbose;
        lines.print();
    }
    if !job.results.json {
        let brief = brief();
        return terminal_table::print_up_to(brief.n_rows(), &brief).map_err(Failure::Print);
    }
    let table = shown(job.table.source.path());
    let object = UnsupervisedObject { command: job.command, table, facts, outputs, result: None };
    summary::print_object(&object).map_err(Failure::Print)
}

/// The summary.
pub fn lines(job: &Job<'_>, facts: &Facts, warnings: &[String]) -> Lines {
    let table = shown(job.table.source.path());
    let mut lines = Lines::titled(format!("{} of {table}: {}", facts.method(), facts.extent()));
    describe::describe(&mut lines, facts);
    lines.detail("time", format!("{:.2} s", facts.report.seconds));
    lines.warn(&facts.report.notes);
    lines.warn(warnings);
    lines
}
