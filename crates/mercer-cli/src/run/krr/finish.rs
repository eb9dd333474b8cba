//! The end of a fit: the model as it is stored, its scores, explanations, pictures and files.

use mercer::io::{Model, ModelFile, Table};
use mercer::linalg::view::Mat;
use mercer::model::{Scaling, classes};
use mercer::{Dtype, Result};

use super::fit::{Fitted, Grid, Task};
use super::left_out::LeftOut;
use super::{Data, output, picture};
use crate::args::TableFile;
use crate::data::{Label, Types};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::prediction::{Evaluated, Names, Origin, Prediction};
use crate::report::{self, ColumnSummary, Explanation, ReportContent, ReportTable};
use crate::results::{Predictions, class_column, more_labels, number_column};
use crate::run::columns::Chosen;
use crate::run::evaluated_rows::EvaluatedRows;
use crate::run::explain::{self, Explanations, Subject, TrainingSet};
use crate::run::held_out_rows::{self, HeldOutRows};
use crate::run::{Session, predicted_vs_true};
use crate::summary::Lines;

/// The model as it is stored.
pub(super) fn saved(
    task: &Task<'_>,
    chosen: &Chosen,
    types: Types,
    (model, scaling): (Model, Option<Scaling>),
    grid: &std::result::Result<Grid, String>,
) -> ModelFile {
    let mut saved = ModelFile::new(model, types.result);
    saved.scaling = scaling;
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(&mut saved, &chosen.places);
    if let Ok(grid) = grid {
        facts::note_scores(&mut saved, &task.scores(grid));
        let residuals = grid.left_out.as_ref().and_then(|left_out| left_out.residuals(task));
        match (residuals, task.classes()) {
            (Some(margins), Some(_)) => facts::note_margins(&mut saved, &margins),
            (Some(residuals), None) => facts::note_residuals(&mut saved, &residuals),
            (None, _) => {}
        }
    }
    saved
}

/// Writes the outputs and prints the summary.
pub(super) fn finish(
    session: &Session,
    task: &Task<'_>,
    data: Data,
    types: Types,
    mut fitted: Fitted,
    drawings: Vec<Drawing>,
) -> std::result::Result<(), Failure> {
    let args = task.args;
    let Data { chosen, test, numbers, nested } = data;
    let described = report::describe_columns(args.page.report.as_ref(), &chosen);
    let model = (fitted.model, fitted.scaling.take());
    let mut saved = saved(task, &chosen, types, model, &fitted.grid);
    nested.iter().for_each(|nested| facts::note_nested(&mut saved, nested));
    let is_reported = args.page.report.is_some();
    let held = held_out_rows::evaluate(session, &mut saved, test, &numbers, is_reported)?;
    let mut facts = Facts::of(&saved);
    if let Some(regression) = &mut facts.regression {
        regression.unscored = fitted.grid.as_ref().err().cloned();
    }
    let mut lines = output::lines(args, &facts);
    fitted.grid.iter().for_each(|grid| lines.warn(&grid.notes));
    let found = Found {
        task,
        names: chosen.targets.iter().map(|(name, _)| name.clone()).collect(),
        numbers: numbers.of_training(&chosen),
        held,
        training: fitted.training,
        grid: fitted.grid,
        chosen,
    };
    let mut explained = found.explain(session, &saved)?;
    explained.iter().for_each(|explained| explained.describe(&mut lines));
    let sections = explained.as_mut().map(|e| std::mem::take(&mut e.sections)).unwrap_or_default();
    let page = args
        .page
        .report
        .as_ref()
        .map(|file| (file, found.page(session, (&lines, &facts), &described, &sections)));
    let files = Files {
        table: args.output.as_ref().and_then(|file| Some((file, found.table(file, types)?))),
        model: args.model.as_ref().map(|file| (file, &saved)),
        pictures: &args.plot,
        drawing: drawings.first().cloned(),
        page,
        ..Files::default()
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    lines.verbose = session.verbose;
    output::print(session, args, &lines, (&facts, explained.as_ref()), &found.grid, outputs)
}

/// What a fit and its evaluation found.
struct Found<'a> {
    task: &'a Task<'a>,
    chosen: Chosen,
    /// The names of the targets.
    names: Vec<String>,
    /// The numbers of the training rows in the table.
    numbers: Vec<usize>,
    held: HeldOutRows,
    /// The predictions for the training rows.
    training: Option<Mat<f64>>,
    grid: std::result::Result<Grid, String>,
}

impl Found<'_> {
    fn names(&self) -> Names<'_> {
        Names { targets: &self.names, classes: self.task.classes() }
    }

    /// The training rows with their leave-one-out predictions, or with those of the model.
    fn training_rows(&self, is_left_out: bool) -> Option<EvaluatedRows> {
        let left_out = self.grid.as_ref().ok().and_then(|grid| grid.left_out.as_ref());
        let left_out = left_out.filter(|_| is_left_out);
        evaluated_rows(self.task, &self.chosen, &self.numbers, self.training.as_ref(), left_out)
    }

    /// The explanations, if they are requested: of the held-out rows, else of the training rows.
    fn explain(&self, session: &Session, saved: &ModelFile) -> Result<Option<Explanations>> {
        let args = self.task.args;
        if !args.explain.explain {
            return Ok(None);
        }
        let own = if self.held.rows.is_none() { self.training_rows(false) } else { None };
        let Some(rows) = self.held.rows.as_ref().or(own.as_ref()) else { return Ok(None) };
        let evaluated = rows.evaluated(self.names());
        let training = TrainingSet {
            numbers: &self.numbers,
            label: self.chosen.label.as_ref(),
            targets: &self.chosen.targets,
        };
        let subject =
            Subject { session, saved, features: &rows.features, evaluated: &evaluated, training };
        explain::explain(&subject, args.page.report.is_some() || args.json).map(Some)
    }

    /// The page of the fit.
    fn page(
        &self,
        session: &Session,
        (lines, facts): (&Lines, &Facts),
        columns: &[ColumnSummary],
        explanations: &[Explanation],
    ) -> String {
        let own = if self.held.rows.is_none() { self.training_rows(true) } else { None };
        let rows = self.held.rows.as_ref().or(own.as_ref());
        let evaluated = rows.map(|rows| rows.evaluated(self.names()));
        let grid = self.grid.as_ref().ok();
        let grid = grid.filter(|_| !self.task.args.search.alpha_per_target);
        let mut tables = evaluated.as_ref().map(Evaluated::tables).unwrap_or_default();
        tables.extend(grid.map(|grid| ReportTable::best(COMPARED, self.task.best(grid))));
        let agreement = evaluated.as_ref().and_then(predicted_vs_true::of_evaluated);
        let compared = picture::draw_families(self.task, &self.chosen, self.grid.as_ref());
        let pictures = agreement.into_iter().chain(self.held.pictures.iter().cloned());
        let content = ReportContent {
            lines,
            facts,
            headline: None,
            columns,
            pictures: &pictures.chain(compared).collect::<Vec<_>>(),
            tables: &tables,
            explanations,
        };
        report::page(session, &content)
    }

    /// The predictions for the training rows, as a table.
    fn table(&self, file: &TableFile, types: Types) -> Option<Table> {
        let Chosen { targets, label, more_labels: more, .. } = &self.chosen;
        let values = self.training.as_ref()?;
        let mut all = predictions(self.task, targets.clone(), values, types.result, label.clone());
        all.columns.splice(0..0, more_labels(more.clone(), Some(file)));
        Some(all.table(file.format))
    }
}

const COMPARED: &str = "Cross-validation scores, each kernel with its best penalty";

/// The training rows with their leave-one-out predictions if there are any, else with those of the model.
fn evaluated_rows(
    task: &Task<'_>,
    chosen: &Chosen,
    numbers: &[usize],
    training: Option<&Mat<f64>>,
    left_out: Option<&LeftOut>,
) -> Option<EvaluatedRows> {
    let n = chosen.features.n_rows();
    let weights = task.targets.weights.as_deref();
    let counts = |&row: &usize| weights.is_none_or(|weights| weights[row] > 0.0);
    let (origin, rows, values) = match left_out {
        Some(LeftOut { rows, predicted }) => (Origin::LeaveOneOut, rows.clone(), predicted.clone()),
        None => {
            let rows: Vec<usize> = (0..n).filter(counts).collect();
            let all = training?;
            let values = Mat::from_fn(rows.len(), all.cols(), |i, j| all[(rows[i], j)]);
            (Origin::Training, rows, values)
        }
    };
    let prediction = match task.classes() {
        None => Prediction::Values { values, deviations: None },
        Some(_) => Prediction::Classes {
            places: classes::decode(values.view()),
            scores: values,
            decisions: None,
            probabilities: None,
        },
    };
    Some(EvaluatedRows {
        origin,
        features: chosen.features.take_rows(&rows),
        numbers: rows.iter().map(|&row| numbers[row]).collect(),
        label: chosen.label.as_ref().map(|(name, cells)| (name.clone(), cells.take(&rows))),
        truth: chosen.targets.iter().map(|(_, cells)| cells.take(&rows)).collect(),
        prediction,
        counted: (0..rows.len()).collect(),
    })
}

/// Every target, and its predictions for the training set.
pub(super) fn predictions(
    task: &Task<'_>,
    targets: Vec<Label>,
    values: &Mat<f64>,
    dtype: Dtype,
    label: Option<Label>,
) -> Predictions {
    let one = targets.len() == 1;
    let mut columns = Vec::new();
    for (j, (name, cells)) in targets.into_iter().enumerate() {
        let found = match task.classes() {
            Some(names) => class_column(names, &classes::decode(values.view())),
            None => number_column((0..values.rows()).map(|i| values[(i, j)]), dtype),
        };
        let title = if one { "prediction".into() } else { format!("prediction_{name}") };
        columns.extend([(name, cells), (title, found)]);
    }
    Predictions { columns, label }
}
