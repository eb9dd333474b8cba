//! The end of a fit: the model as it is stored, its scores, explanations, pictures and files.

use mercer::Result;
use mercer::io::{Column, Model, ModelFile, Table};
use mercer::model::Scaling;

use super::fit::Grid;
use super::targets::counted_rows;
use super::{Job, SvmResult, Task, output};
use crate::args::TableFile;
use crate::data::Types;
use crate::facts::{self, Facts, FitNotes, Residuals};
use crate::failure::Failure;
use crate::machine::machine_of;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::prediction::{Evaluated, Extras, Names, Origin, Prediction};
use crate::report::{self, ColumnSummary, Explanation, ReportContent};
use crate::results::{Predictions, more_labels};
use crate::run::columns::Chosen;
use crate::run::evaluated_rows::EvaluatedRows;
use crate::run::explain::{self, Explanations, Subject, TrainingSet};
use crate::run::row_numbers::RowNumbers;
use crate::run::{Session, held_out_rows, predicted_vs_true};
use crate::summary::Lines;

/// The model as it is stored.
pub(super) fn saved(
    task: &Task<'_>,
    chosen: &Chosen,
    types: Types,
    (model, scaling): (Model, Option<Scaling>),
    grid: Option<&Grid>,
    prediction: &Prediction,
) -> ModelFile {
    let rows = counted_rows(&task.targets, chosen.features.n_rows());
    let mut saved = ModelFile::new(model, types.result);
    saved.scaling = scaling;
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(&mut saved, &chosen.places);
    let truth: Vec<Column> = chosen.targets.iter().map(|(_, cells)| cells.clone()).collect();
    let classes = machine_of(&saved.model).and_then(|machine| machine.classes.clone());
    let targets: Vec<String> = chosen.targets.iter().map(|(name, _)| name.clone()).collect();
    let names = Names { targets: &targets, classes: classes.as_deref() };
    let evaluation = prediction.evaluate(names, &truth, &rows).ok();
    let outside = prediction.outside(&rows, 0.0);
    let notes = FitNotes {
        rows: rows.len(),
        scores: evaluation.map(|(scores, _)| scores),
        outside,
        nearly: outside
            .zip(prediction.outside(&rows, task.params.tolerance))
            .map(|(all, clearly)| all - clearly),
        search: grid.map(Grid::notes),
    };
    facts::note_fit(&mut saved, &notes);
    saved
}

/// Writes the outputs and prints the summary.
pub(super) fn finish(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: SvmResult,
    types: Types,
    (mut drawings, not_drawn): (Vec<Drawing>, Option<String>),
) -> std::result::Result<(), Failure> {
    let SvmResult { chosen, fitted, prediction, test, nested, numbers } = result;
    let args = job.outputs;
    let described = report::describe_columns(args.results.page.report.as_ref(), &chosen);
    let model = (fitted.model, fitted.scaling);
    let mut saved = saved(task, &chosen, types, model, fitted.grid.as_ref(), &prediction);
    note_residuals(&mut saved, fitted.residuals.as_ref());
    nested.iter().for_each(|nested| facts::note_nested(&mut saved, nested));
    let is_reported = args.results.page.report.is_some();
    let held = held_out_rows::evaluate(session, &mut saved, test, &numbers, is_reported)?;
    drawings.extend(held.pictures);
    let found = Found::of(job, task, chosen, prediction, (&saved, &numbers, held.rows));
    let mut explained = found.explain(session, &saved)?;
    let facts = Facts::of(&saved);
    let search = (fitted.grid.as_ref(), fitted.seconds);
    let mut lines = output::lines(job, task, &facts, search);
    lines.warn(not_drawn.as_slice());
    explained.iter().for_each(|explained| explained.describe(&mut lines));
    let sections = explained.as_mut().map(|e| std::mem::take(&mut e.sections)).unwrap_or_default();
    let drawing = drawings.first().cloned();
    let page = args.results.page.report.as_ref().map(|file| {
        let shown = (&lines, &facts, search.0);
        (file, found.page(session, shown, (drawings, &described), &sections))
    });
    let table = args.results.output.as_ref();
    let files = Files {
        table: table.map(|file| (file, found.table(file, types))),
        model: args.results.model.as_ref().map(|file| (file, &saved)),
        libsvm_model: args.libsvm_model.as_ref().map(|file| (file, &saved)),
        pictures: &args.plot,
        drawing,
        page,
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    lines.verbose = session.verbose;
    output::print(session, job, &lines, (&facts, explained.as_ref()), search, outputs)
}

/// Stores out-of-fold residuals, or of a classifier margins, if there are any.
fn note_residuals(saved: &mut ModelFile, residuals: Option<&Residuals>) {
    let is_classifier = machine_of(&saved.model).is_some_and(|machine| machine.classes.is_some());
    match residuals {
        Some(margins) if is_classifier => facts::note_margins(saved, margins),
        Some(residuals) => facts::note_residuals(saved, residuals),
        None => {}
    }
}

/// What a fit and its evaluation found.
struct Found<'a> {
    job: &'a Job<'a>,
    chosen: Chosen,
    /// The training rows that count.
    counted: Vec<usize>,
    /// The true values of the training rows, for each target.
    truth: Vec<Column>,
    classes: Option<Vec<String>>,
    /// The names of the targets.
    names: Vec<String>,
    /// The numbers of the training rows in the table.
    numbers: Vec<usize>,
    /// The rows that were held out.
    held: Option<EvaluatedRows>,
    /// The predictions for the training rows.
    prediction: Prediction,
}

impl<'a> Found<'a> {
    fn of(
        job: &'a Job<'a>,
        task: &Task<'_>,
        chosen: Chosen,
        prediction: Prediction,
        (saved, numbers, held): (&ModelFile, &RowNumbers, Option<EvaluatedRows>),
    ) -> Self {
        Found {
            job,
            counted: counted_rows(&task.targets, chosen.features.n_rows()),
            truth: chosen.targets.iter().map(|(_, cells)| cells.clone()).collect(),
            classes: machine_of(&saved.model).and_then(|machine| machine.classes.clone()),
            names: chosen.targets.iter().map(|(name, _)| name.clone()).collect(),
            numbers: numbers.of_training(&chosen),
            held,
            chosen,
            prediction,
        }
    }

    fn names(&self) -> Names<'_> {
        Names { targets: &self.names, classes: self.classes.as_deref() }
    }

    /// The held-out rows, else the training rows, with their predictions.
    fn evaluated(&self) -> Evaluated<'_> {
        match &self.held {
            Some(held) => held.evaluated(self.names()),
            None => Evaluated {
                origin: Origin::Training,
                numbers: &self.numbers,
                label: self.chosen.label.as_ref(),
                names: self.names(),
                truth: &self.truth,
                prediction: &self.prediction,
                counted: &self.counted,
            },
        }
    }

    /// The explanations, if they are requested.
    fn explain(&self, session: &Session, saved: &ModelFile) -> Result<Option<Explanations>> {
        if !self.job.explain {
            return Ok(None);
        }
        let features = self.held.as_ref().map_or(&self.chosen.features, |held| &held.features);
        let training = TrainingSet {
            numbers: &self.numbers,
            label: self.chosen.label.as_ref(),
            targets: &self.chosen.targets,
        };
        let evaluated = self.evaluated();
        let subject = Subject { session, saved, features, evaluated: &evaluated, training };
        let results = &self.job.outputs.results;
        explain::explain(&subject, results.page.report.is_some() || results.json).map(Some)
    }

    /// The page of the fit.
    fn page(
        &self,
        session: &Session,
        (lines, facts, grid): (&Lines, &Facts, Option<&Grid>),
        (drawings, columns): (Vec<Drawing>, &[ColumnSummary]),
        explanations: &[Explanation],
    ) -> String {
        let evaluated = self.evaluated();
        let agreement = predicted_vs_true::of_evaluated(&evaluated);
        let content = ReportContent {
            lines,
            facts,
            headline: None,
            columns,
            pictures: &drawings.into_iter().chain(agreement).collect::<Vec<_>>(),
            tables: &output::tables(grid, &evaluated),
            explanations,
        };
        report::page(session, &content)
    }

    /// The predictions for the training rows, as a table.
    fn table(&self, file: &TableFile, types: Types) -> Table {
        let extras = Extras { probabilities: true, ..Extras::default() };
        let title = |_: &str| "prediction".to_string();
        let own = self.prediction.columns(self.names(), types.result, extras, title);
        let more = more_labels(self.chosen.more_labels.clone(), Some(file));
        let columns = more.into_iter().chain(self.chosen.targets.clone()).chain(own).collect();
        Predictions { columns, label: self.chosen.label.clone() }.table(file.format)
    }
}
