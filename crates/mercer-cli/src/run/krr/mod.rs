//! `mercer krr`: learn to predict a column from others, by kernel ridge regression.

mod learn;
mod picture;
mod tell;

use mercer::Result;
use mercer::io::{Column, Dtype, Format, Model, ModelFile};
use mercer::linalg::view::Mat;
use mercer::model::classes;

use self::learn::{Learned, Task};
use super::Session;
use super::columns::{self, Chosen, Kind, Roles};
use crate::args::{KrrArgs, Scale};
use crate::data::{self, Form, Label, Prepared, Scales, Types};
use crate::deliver::{self, Files};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::plot::Drawing;
use crate::report::{self, Findings, Listed};
use crate::results::{Predictions, class_column, number_column};
use crate::said::Confusion;

/// Runs `mercer krr`.
pub fn krr(session: &Session, args: &KrrArgs) -> std::result::Result<(), Failure> {
    let kind = if args.classify { Kind::Classes } else { Kind::Either };
    let form = Form::of_all(&args.search.kernel)?;
    let roles = Roles::of(args.target.as_deref(), kind, &args.learning, &form);
    let (chosen, wanted) = columns::choose(data::read(session, &args.table, &form)?, &roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(args.ridge.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task::new(args, wanted)?;
    let learned = learn(session, &task, (&chosen, &form), types)?;
    session.progress.begin("drawing");
    let drawings = picture::draw(&task, &chosen, &learned);
    finish(session, &task, chosen, types, learned, drawings)
}

fn learn(
    session: &Session,
    task: &Task<'_>,
    (chosen, form): (&Chosen, &Form),
    types: Types,
) -> Result<Learned> {
    let asked = task.args.learning.features.scale;
    let scales = Scales::Learn(form.scaling(asked, Scale::Standard)?);
    match types.work {
        Dtype::F32 => {
            let rows = Prepared::of(session, &chosen.features, form, scales)?;
            task.learn(session, rows, Model::KernelRidge32)
        }
        Dtype::F64 => {
            let rows = Prepared::of(session, &chosen.features, form, scales)?;
            task.learn(session, rows, Model::KernelRidge64)
        }
    }
}

/// Writes what was learned, and tells of it.
fn finish(
    session: &Session,
    task: &Task<'_>,
    chosen: Chosen,
    types: Types,
    learned: Learned,
    drawings: Vec<Drawing>,
) -> std::result::Result<(), Failure> {
    let args = task.args;
    let described = report::describe_columns(args.page.report.as_ref(), &chosen);
    let truth = chosen.targets.first().map(|(_, cells)| cells.clone());
    let fitted = learned
        .fitted
        .as_ref()
        .map(|values| predictions(task, chosen.targets, values, types.result, chosen.label));
    let mut saved = ModelFile::new(learned.model, types.result);
    saved.scaling = learned.scaling;
    saved.feature_names = chosen.features.names;
    facts::note_places(&mut saved, &chosen.places);
    if let Ok(grid) = &learned.grid {
        facts::note_scores(&mut saved, &task.scores(grid));
    }
    let mut facts = Facts::of(&saved);
    if let Some(regression) = &mut facts.regression {
        regression.unscored = learned.grid.as_ref().err().cloned();
    }
    let mut lines = tell::lines(args, &facts);
    let page = args.page.report.as_ref().zip(fitted.as_ref()).map(|(file, fitted)| {
        let grid = learned.grid.as_ref().ok().filter(|_| !args.search.alpha_per_target);
        let mut tables = Vec::new();
        tables.extend(grid.map(|grid| Listed::best(COMPARED, task.best(grid))));
        tables.extend(truth.and_then(|truth| confusion(task, &truth, learned.fitted.as_ref()?)));
        tables.push(Listed::beginning(FITTED, fitted.table(Format::Csv)));
        let found = Findings {
            lines: &lines,
            facts: &facts,
            columns: &described,
            pictures: &drawings,
            tables: &tables,
        };
        (file, report::page(session, &found))
    });
    let table = args.output.as_ref().zip(fitted.as_ref());
    let files = Files {
        table: table.map(|(file, fitted)| (file, fitted.table(file.format))),
        model: args.model.as_ref().map(|file| (file, &saved)),
        pictures: &args.plot,
        drawing: drawings.first().cloned(),
        page,
        ..Files::default()
    };
    let outputs = deliver::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    tell::tell(session, args, &lines, &facts, &learned.grid, outputs)
}

const FITTED: &str =
    "Targets and predictions of the first rows, by the model that learned from all of them";
const COMPARED: &str = "What was compared, each kernel with its best penalty";

/// Which classes were taken for which.
fn confusion(task: &Task<'_>, truth: &Column, values: &Mat<f64>) -> Option<Listed> {
    let classes = task.wanted.classes.as_ref()?;
    let rows: Vec<usize> = (0..values.rows()).collect();
    Some(Confusion::of(classes, truth, &classes::decode(values.view()), &rows).listed())
}

/// Every target, and beside it what the model says for the rows it learned from.
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
        let found = match &task.wanted.classes {
            Some(names) => class_column(names, &classes::decode(values.view())),
            None => number_column((0..values.rows()).map(|i| values[(i, j)]), dtype),
        };
        let title = if one { "prediction".into() } else { format!("prediction_{name}") };
        columns.extend([(name, cells), (title, found)]);
    }
    Predictions { columns, label }
}
