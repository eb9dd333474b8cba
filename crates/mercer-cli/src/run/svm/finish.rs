//! The end of a fit: the model as it is stored, its scores, explanations, pictures and files.

use mercer::io::{Column, Model, ModelFile};
use mercer::model::Scaling;

use super::fit::Grid;
use super::targets::counted_rows;
use super::{Job, SvmResult, Task, output};
use crate::data::Types;
use crate::facts::{self, Facts, FitNotes};
use crate::failure::Failure;
use crate::machine::machine_of;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::prediction::{Extras, Judged, Names, Origin, Prediction};
use crate::report::{self, ReportContent};
use crate::results::{Predictions, more_labels};
use crate::run::columns::Chosen;
use crate::run::{Session, held_out, held_out_pictures, importance, predicted_vs_true};

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
    let described = report::describe_columns(job.outputs.results.page.report.as_ref(), &chosen);
    let args = job.outputs;
    let rows = counted_rows(&task.targets, chosen.features.n_rows());
    let model = (fitted.model, fitted.scaling);
    let mut saved = saved(task, &chosen, types, model, fitted.grid.as_ref(), &prediction);
    let truth: Vec<Column> = chosen.targets.iter().map(|(_, cells)| cells.clone()).collect();
    let classes = machine_of(&saved.model).and_then(|machine| machine.classes.clone());
    let targets: Vec<String> = chosen.targets.iter().map(|(name, _)| name.clone()).collect();
    let names = Names { targets: &targets, classes: classes.as_deref() };
    match (&fitted.residuals, &classes) {
        (Some(margins), Some(_)) => facts::note_margins(&mut saved, margins),
        (Some(residuals), None) => facts::note_residuals(&mut saved, residuals),
        (None, _) => {}
    }
    if let Some(nested) = &nested {
        facts::note_nested(&mut saved, nested);
    }
    let is_judged = args.results.page.report.is_some() || job.explain;
    let mut held = None;
    if let Some(test) = test {
        session.progress.begin("evaluating");
        let (scores, predicted) = held_out::evaluate(session, &saved, test)?;
        facts::note_held_out(&mut saved, &scores);
        predicted.note_residuals(&mut saved);
        if args.results.page.report.is_some() {
            drawings.extend(held_out_pictures::draw(&Facts::of(&saved), &predicted));
        }
        held = is_judged.then(|| predicted.judged(numbers.test.clone()));
    }
    let training = numbers.of_training(&chosen);
    let judged = match &held {
        Some(held) => held.judged(names),
        None => Judged {
            origin: Origin::Training,
            numbers: &training,
            label: chosen.label.as_ref(),
            names,
            truth: &truth,
            prediction: &prediction,
            counted: &rows,
        },
    };
    let features = held.as_ref().map_or(&chosen.features, |held| &held.features);
    let importance = match job.explain {
        true => Some(importance::importance(session, &saved, features, &judged)?),
        false => None,
    };
    let facts = Facts::of(&saved);
    let search = (fitted.grid.as_ref(), fitted.seconds);
    let mut lines = output::lines(job, task, &facts, search);
    lines.warn(not_drawn.as_slice());
    importance.iter().for_each(|importance| importance.describe(&mut lines));
    let drawing = drawings.first().cloned();
    let page = args.results.page.report.as_ref().map(|file| {
        let shown = predicted_vs_true::of_judged(&judged);
        let explained = importance.as_ref().map(|i| i.explanation(judged.counted.len()));
        let content = ReportContent {
            lines: &lines,
            facts: &facts,
            headline: None,
            columns: &described,
            pictures: &drawings.into_iter().chain(shown).collect::<Vec<_>>(),
            tables: &output::tables(search.0, &judged),
            explanations: &explained.into_iter().collect::<Vec<_>>(),
        };
        (file, report::page(session, &content))
    });
    let extras = Extras { probabilities: true, ..Extras::default() };
    let own = prediction.columns(names, types.result, extras, |_| "prediction".into());
    let more = more_labels(chosen.more_labels, args.results.output.as_ref());
    let columns = more.into_iter().chain(chosen.targets).chain(own).collect();
    let predictions = Predictions { columns, label: chosen.label };
    let table = args.results.output.as_ref();
    let files = Files {
        table: table.map(|file| (file, predictions.table(file.format))),
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
    output::print(session, job, &lines, (&facts, importance.as_ref()), search, outputs)
}
