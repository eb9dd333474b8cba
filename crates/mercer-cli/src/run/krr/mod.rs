//! `mercer krr`: kernel ridge regression and classification.

mod fit;
mod output;
mod picture;

use mercer::Dtype;
use mercer::Result;
use mercer::io::{Column, Format, ModelFile};
use mercer::linalg::view::Mat;
use mercer::model::classes;

use self::fit::{Fitted, Task};
use super::Session;
use super::columns::{self, Chosen, Roles, TargetKind};
use crate::args::{KrrArgs, Scale};
use crate::data::{self, InputKind, Label, Prepared, Scales, Types};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::plot::Drawing;
use crate::prediction::Confusion;
use crate::report::{self, ReportContent, ReportTable};
use crate::results::{Predictions, class_column, number_column};

/// Runs `mercer krr`.
pub fn krr(session: &Session, args: &KrrArgs) -> std::result::Result<(), Failure> {
    let kind = if args.classify { TargetKind::Classes } else { TargetKind::Either };
    let input_kind = InputKind::of_all(&args.search.kernel)?;
    let roles = Roles::of(args.target.as_deref(), kind, &args.learning, &input_kind);
    let (chosen, targets) =
        columns::choose(data::read(session, &args.table, &input_kind)?, &roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(args.ridge.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task::new(args, targets)?;
    let fitted = fit(session, &task, (&chosen, &input_kind), types)?;
    session.progress.begin("plotting");
    let drawings = picture::draw(&task, &chosen, &fitted);
    finish(session, &task, chosen, types, fitted, drawings)
}

fn fit(
    session: &Session,
    task: &Task<'_>,
    (chosen, input_kind): (&Chosen, &InputKind),
    types: Types,
) -> Result<Fitted> {
    let requested = task.args.learning.features.scale;
    let scales = Scales::Learn(input_kind.scaling(requested, Scale::Standard)?);
    let rows = Prepared::of(session, &chosen.features, input_kind, scales, types.work)?;
    task.fit(session, rows)
}

/// Writes the outputs and prints the summary.
fn finish(
    session: &Session,
    task: &Task<'_>,
    chosen: Chosen,
    types: Types,
    fitted: Fitted,
    drawings: Vec<Drawing>,
) -> std::result::Result<(), Failure> {
    let args = task.args;
    let described = report::describe_columns(args.page.report.as_ref(), &chosen);
    let truth = chosen.targets.first().map(|(_, cells)| cells.clone());
    let training = fitted
        .training
        .as_ref()
        .map(|values| predictions(task, chosen.targets, values, types.result, chosen.label));
    let mut saved = ModelFile::new(fitted.model, types.result);
    saved.scaling = fitted.scaling;
    saved.feature_names = chosen.features.names;
    facts::note_places(&mut saved, &chosen.places);
    if let Ok(grid) = &fitted.grid {
        facts::note_scores(&mut saved, &task.scores(grid));
    }
    let mut facts = Facts::of(&saved);
    if let Some(regression) = &mut facts.regression {
        regression.unscored = fitted.grid.as_ref().err().cloned();
    }
    let mut lines = output::lines(args, &facts);
    let page = args.page.report.as_ref().zip(training.as_ref()).map(|(file, training)| {
        let grid = fitted.grid.as_ref().ok().filter(|_| !args.search.alpha_per_target);
        let mut tables = Vec::new();
        tables.extend(grid.map(|grid| ReportTable::best(COMPARED, task.best(grid))));
        tables.extend(truth.and_then(|truth| confusion(task, &truth, fitted.training.as_ref()?)));
        tables.push(ReportTable::beginning(FITTED, training.table(Format::Csv)));
        let content = ReportContent {
            lines: &lines,
            facts: &facts,
            columns: &described,
            pictures: &drawings,
            tables: &tables,
        };
        (file, report::page(session, &content))
    });
    let table = args.output.as_ref().zip(training.as_ref());
    let files = Files {
        table: table.map(|(file, training)| (file, training.table(file.format))),
        model: args.model.as_ref().map(|file| (file, &saved)),
        pictures: &args.plot,
        drawing: drawings.first().cloned(),
        page,
        ..Files::default()
    };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    output::print(session, args, &lines, &facts, &fitted.grid, outputs)
}

const FITTED: &str = "Targets and predictions of the first rows (training set)";
const COMPARED: &str = "Cross-validation scores, each kernel with its best penalty";

/// The confusion matrix.
fn confusion(task: &Task<'_>, truth: &Column, values: &Mat<f64>) -> Option<ReportTable> {
    let classes = task.classes()?;
    let rows: Vec<usize> = (0..values.rows()).collect();
    Some(Confusion::of(classes, truth, &classes::decode(values.view()), &rows).listed())
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
