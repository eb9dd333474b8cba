//! `mercer krr`: kernel ridge regression and classification.

mod fit;
mod left_out;
mod output;
mod picture;
mod validation;

use mercer::Dtype;
use mercer::Result;
use mercer::io::{Model, ModelFile, Table};
use mercer::linalg::view::Mat;
use mercer::model::{Scaling, classes};

use self::fit::{Fitted, Grid, Task};
use self::left_out::LeftOut;
use super::Session;
use super::columns::{self, Chosen, Roles};
use super::judge::JudgedRows;
use super::nested::{self, Searched};
use super::row_numbers::{self, RowNumbers};
use super::target_kind::target_kind;
use super::{held_out, held_out_pictures, importance, predicted_vs_true};
use crate::args::{KrrArgs, Scale};
use crate::data::{self, InputKind, Label, Prepared, Scales, Types};
use crate::facts::{self, Facts, Nested};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::prediction::{Judged, Names, Origin, Prediction};
use crate::report::{self, ReportContent, ReportTable};
use crate::results::{Predictions, class_column, more_labels, number_column};

/// Runs `mercer krr`.
pub fn krr(session: &Session, args: &KrrArgs) -> std::result::Result<(), Failure> {
    let input_kind = InputKind::of_all(&args.search.kernel)?;
    let (target, groups) = (args.target.as_deref(), args.evaluation.groups.as_deref());
    importance::check(args.explain.explain, &input_kind)?;
    let table = data::read(session, &args.table, &input_kind)?;
    let kind = target_kind(session, &args.task, &table, target);
    let roles = Roles::of(target, kind, &args.learning, &input_kind).with_groups(groups);
    let split = (&args.evaluation, &args.table);
    let (rows, numbers) = row_numbers::split(session, table, split, target, &input_kind)?;
    let whole = args.search.validation.nested.map(|_| rows.training.clone());
    let (task, mut chosen, types) = prepare(session, args, rows.training, &roles)?;
    let searched = whole.as_ref().map(|table| Searched {
        table,
        classes: task.classes().map(|_| chosen.places.targets[0].column),
        groups: groups.and_then(|which| table.find(which).ok()),
        criterion: task.criterion(),
        args: &args.search.validation,
        seed: args.search.seed,
    });
    let fit_part = |part: Table| Ok(fit_table(session, args, part, &roles)?.0);
    let nested = nested::score(session, searched.as_ref(), &input_kind, fit_part)?;
    let fitted = fit(session, &task, (&mut chosen, &input_kind), types)?;
    session.progress.begin("plotting");
    let drawings = picture::draw(&task, &chosen, &fitted);
    let data = Data { chosen, test: rows.test, numbers, nested };
    finish(session, &task, data, types, fitted, drawings)
}

/// The rows of a fit.
struct Data {
    chosen: Chosen,
    /// The rows to evaluate on.
    test: Option<Table>,
    /// The numbers of rows in their table.
    numbers: RowNumbers,
    /// The nested cross-validation.
    nested: Option<Nested>,
}

/// The model that `mercer krr` with `args` fits on all rows of `table`, and its columns.
pub fn model_of(session: &Session, args: &KrrArgs, table: Table) -> Result<(ModelFile, Chosen)> {
    let input_kind = InputKind::of_all(&args.search.kernel)?;
    let target = args.target.as_deref();
    let kind = target_kind(session, &args.task, &table, target);
    let roles = Roles::of(target, kind, &args.learning, &input_kind);
    fit_table(session, args, table, &roles)
}

/// The model that is fitted on all rows of `table`, and its columns.
fn fit_table(
    session: &Session,
    args: &KrrArgs,
    table: Table,
    roles: &Roles<'_>,
) -> Result<(ModelFile, Chosen)> {
    let (task, mut chosen, types) = prepare(session, args, table, roles)?;
    let fitted = fit(session, &task, (&mut chosen, roles.input_kind), types)?;
    let saved = saved(&task, &chosen, types, (fitted.model, fitted.scaling), &fitted.grid);
    Ok((saved, chosen))
}

/// The task, and the columns of the training rows.
fn prepare<'a>(
    session: &Session,
    args: &'a KrrArgs,
    rows: Table,
    roles: &Roles<'_>,
) -> Result<(Task<'a>, Chosen, Types)> {
    let (chosen, targets) = columns::choose(rows, roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(args.ridge.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task::new(args, targets, chosen.groups.clone())?;
    Ok((task, chosen, types))
}

fn fit(
    session: &Session,
    task: &Task<'_>,
    (chosen, input_kind): (&mut Chosen, &InputKind),
    types: Types,
) -> Result<Fitted> {
    let requested = task.args.learning.features.scale;
    let scales = Scales::Learn(input_kind.scaling(requested, Scale::Standard)?);
    let rows = Prepared::of(session, &chosen.features, input_kind, scales, types.work)?;
    let mut fitted = task.fit(session, rows)?;
    let used = InputKind::of_model(&fitted.model);
    chosen.keep_used(input_kind, &used, &mut fitted.scaling);
    Ok(fitted)
}

/// The model as it is stored.
fn saved(
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
fn finish(
    session: &Session,
    task: &Task<'_>,
    data: Data,
    types: Types,
    fitted: Fitted,
    drawings: Vec<Drawing>,
) -> std::result::Result<(), Failure> {
    let args = task.args;
    let Data { chosen, test, numbers, nested } = data;
    let described = report::describe_columns(args.page.report.as_ref(), &chosen);
    let mut saved = saved(task, &chosen, types, (fitted.model, fitted.scaling), &fitted.grid);
    if let Some(nested) = &nested {
        facts::note_nested(&mut saved, nested);
    }
    let is_judged = args.page.report.is_some() || args.explain.explain;
    let (mut held, mut evaluated) = (None, Vec::new());
    if let Some(test) = test {
        session.progress.begin("evaluating");
        let (scores, predicted) = held_out::evaluate(session, &saved, test)?;
        facts::note_held_out(&mut saved, &scores);
        predicted.note_residuals(&mut saved);
        if args.page.report.is_some() {
            evaluated = held_out_pictures::draw(&Facts::of(&saved), &predicted);
        }
        held = is_judged.then(|| predicted.judged(numbers.test.clone()));
    }
    let mut facts = Facts::of(&saved);
    if let Some(regression) = &mut facts.regression {
        regression.unscored = fitted.grid.as_ref().err().cloned();
    }
    let mut lines = output::lines(args, &facts);
    fitted.grid.iter().for_each(|grid| lines.warn(&grid.notes));
    let left_out = fitted.grid.as_ref().ok().and_then(|grid| grid.left_out.as_ref());
    let numbers = numbers.of_training(&chosen);
    let rows = |left_out| judged_rows(task, &chosen, &numbers, fitted.training.as_ref(), left_out);
    let (shown, training) = match is_judged && held.is_none() {
        true => (rows(left_out), rows(None)),
        false => (None, None),
    };
    let target_names: Vec<String> = chosen.targets.iter().map(|(name, _)| name.clone()).collect();
    let names = Names { targets: &target_names, classes: task.classes() };
    let importance = match held.as_ref().or(training.as_ref()).filter(|_| args.explain.explain) {
        Some(rows) => {
            let judged = rows.judged(names);
            Some(importance::importance(session, &saved, &rows.features, &judged)?)
        }
        None => None,
    };
    importance.iter().for_each(|importance| importance.describe(&mut lines));
    let drawing = drawings.first().cloned();
    let judged = held.as_ref().or(shown.as_ref()).map(|rows| rows.judged(names));
    let page = args.page.report.as_ref().map(|file| {
        let grid = fitted.grid.as_ref().ok().filter(|_| !args.search.alpha_per_target);
        let mut tables = judged.as_ref().map(Judged::tables).unwrap_or_default();
        tables.extend(grid.map(|grid| ReportTable::best(COMPARED, task.best(grid))));
        let compared = picture::draw_families(task, &chosen, fitted.grid.as_ref());
        let agreement = judged.as_ref().and_then(predicted_vs_true::of_judged);
        let rows = held.as_ref().map_or(numbers.len(), |held| held.counted.len());
        let explained = importance.as_ref().map(|importance| importance.explanation(rows));
        let content = ReportContent {
            lines: &lines,
            facts: &facts,
            headline: None,
            columns: &described,
            pictures: &agreement.into_iter().chain(evaluated).chain(compared).collect::<Vec<_>>(),
            tables: &tables,
            explanations: &explained.into_iter().collect::<Vec<_>>(),
        };
        (file, report::page(session, &content))
    });
    let training = args.output.as_ref().zip(fitted.training.as_ref()).map(|(file, values)| {
        let Chosen { targets, label, more_labels: more, .. } = chosen;
        let mut all = predictions(task, targets, values, types.result, label);
        all.columns.splice(0..0, more_labels(more, Some(file)));
        (file, all.table(file.format))
    });
    let files = Files {
        table: training,
        model: args.model.as_ref().map(|file| (file, &saved)),
        pictures: &args.plot,
        drawing,
        page,
        ..Files::default()
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    lines.verbose = session.verbose;
    output::print(session, args, &lines, (&facts, importance.as_ref()), &fitted.grid, outputs)
}

const COMPARED: &str = "Cross-validation scores, each kernel with its best penalty";

/// The training rows with their leave-one-out predictions if there are any, else with those of the model.
fn judged_rows(
    task: &Task<'_>,
    chosen: &Chosen,
    numbers: &[usize],
    training: Option<&Mat<f64>>,
    left_out: Option<&LeftOut>,
) -> Option<JudgedRows> {
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
    Some(JudgedRows {
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
fn predictions(
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
