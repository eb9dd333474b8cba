//! `mercer predict`: predictions for new rows by a fitted model.

use std::time::Instant;

use mercer::io::{Column, Model, Saved, Table, load};
use mercer::linalg::view::Mat;
use mercer::model::classes;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::spread::Spread;
use mercer::real::Real;
use mercer::select::{Judge, SquaredError};
use mercer::{Error, Result};
use serde::Serialize;

use super::{Session, new_rows};
use crate::args::PredictArgs;
use crate::data::{self, Label, Rows, Scales};
use crate::deliver::{self, Files};
use crate::describe::{self, listed};
use crate::facts::{self, Facts, RegressionFacts, counted};
use crate::failure::Failure;
use crate::results::{Predictions, class_column, number_column};
use crate::scores::{Scores, variance};
use crate::summary::{self, Lines, Outputs, PredictionsObject, shown};
use crate::terminal_table;

/// What the model says of every row: rows × targets or classes.
struct Computed {
    values: Mat<f64>,
    deviations: Option<Mat<f64>>,
    seconds: f64,
}

/// The scores on rows whose targets are known, or why there are none; nothing where the table does
/// not hold the targets.
type Judged = Option<std::result::Result<Scores, String>>;

/// One object about predictions.
#[derive(Debug, Serialize)]
struct PredictObject {
    command: &'static str,
    model: String,
    table: String,
    rows: usize,
    /// Seconds taken to compute.
    seconds: f64,
    /// How good the predictions are, if the table holds the targets.
    scores: Option<Scores>,
    outputs: Outputs,
    /// The predictions for every row, unless a file holds them.
    result: Option<PredictionsObject>,
}

/// Runs `mercer predict`.
pub fn predict(session: &Session, args: &PredictArgs) -> std::result::Result<(), Failure> {
    let saved = load(&args.model)?;
    let facts = Facts::of(&saved);
    let regression = facts.regression.as_ref().ok_or_else(|| {
        let message = "this model has components and predicts nothing: use `mercer transform`";
        Error::format(&args.model, message)
    })?;
    check(args, regression)?;
    let table = data::read(session, &args.table)?;
    let truth = truth(&table, &saved);
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    let rows = new_rows::find(table, &saved, false, columns, label)?;
    session.progress.begin("preparing");
    let computed = compute(session, &saved, &rows.features, args.std)?;
    let judged = truth.map(|truth| judge(&truth, regression, &computed.values));
    // The label that a format marks may be the target itself.
    let is_target = |(name, _): &Label| regression.targets.contains(name);
    let label = rows.label.filter(|label| args.label.is_some() || !is_target(label));
    let predictions = predictions(args, &saved, regression, &computed, label);
    let table = args.output.as_ref().map(|file| (file, predictions.table(file.format)));
    let outputs = deliver::write_files(session, &Files { table, ..Files::default() })?;
    session.progress.clear();
    tell(session, args, &facts, outputs, &predictions, (computed.seconds, judged))
}

fn check(args: &PredictArgs, regression: &RegressionFacts) -> Result<()> {
    match regression.classes {
        Some(_) if args.std => {
            let message = "this model tells classes apart, which have no standard deviation";
            Err(Error::parameter("--std", message))
        }
        None if args.scores => {
            let message = "this model predicts numbers; there are no classes to tell apart";
            Err(Error::parameter("--scores", message))
        }
        _ => Ok(()),
    }
}

/// The columns of the table that hold what is predicted: by name, or by position in a table that has
/// the shape of the one the model learned from.
fn truth(table: &Table, saved: &Saved) -> Option<Vec<Column>> {
    let places = facts::places(saved).filter(|places| !places.targets.is_empty())?;
    let found = places.targets.iter().map(|target| match &table.names {
        Some(names) => names.iter().position(|name| *name == target.name),
        None => Some(target.column).filter(|_| table.n_columns() == places.table_columns),
    });
    found.map(|place| place.map(|i| table.columns[i].clone())).collect()
}

fn compute(session: &Session, saved: &Saved, table: &Table, std: bool) -> Result<Computed> {
    let scales = Scales::Apply(saved.scaling.as_ref());
    match &saved.model {
        Model::KernelRidge32(model) => of_rows(session, model, Rows::of(table, scales)?, std),
        Model::KernelRidge64(model) => of_rows(session, model, Rows::of(table, scales)?, std),
        Model::Pca(_) | Model::KernelPca32(_) | Model::KernelPca64(_) => {
            unreachable!("a model without facts of a regression is refused first")
        }
    }
}

fn of_rows<T: Real>(
    session: &Session,
    model: &KernelRidge<T>,
    rows: Rows<T>,
    std: bool,
) -> Result<Computed> {
    let started = Instant::now();
    let context = &session.context;
    let mut out = Mat::<T>::zeros(rows.n, model.t());
    let mut deviations = None;
    if model.anchors.is_none() && !std {
        // The columns are kernel values with the rows that the model learned from.
        model.predict_gram(context, rows.view(), out.view_mut())?;
    } else {
        let x = rows.dense()?;
        if std {
            let amplitudes = Spread::amplitudes(context, model)?;
            let own = Spread::new(context, model)?.deviations(context, &x)?;
            let scaled = |i: usize, j: usize| amplitudes[j] * own[(i, j)];
            deviations = Some(Mat::from_fn(own.rows(), own.cols(), scaled));
        }
        model.predict(context, &x, out.view_mut())?;
    }
    let values = Mat::from_fn(out.rows(), out.cols(), |i, j| out[(i, j)].f64());
    Ok(Computed { values, deviations, seconds: started.elapsed().as_secs_f64() })
}

fn judge(
    truth: &[Column],
    regression: &RegressionFacts,
    values: &Mat<f64>,
) -> std::result::Result<Scores, String> {
    let n = values.rows();
    if let Some(names) = &regression.classes {
        let found = classes::decode(values.view());
        let hits = (0..n).filter(|&i| truth[0].text(i) == names[found[i]]).count();
        return Ok(Scores::of_classes(hits, n));
    }
    let finite = |cell: Option<f64>| cell.filter(|v| v.is_finite());
    for (column, name) in truth.iter().zip(&regression.targets) {
        if let Some(row) = (0..n).find(|&i| finite(column.number(i)).is_none()) {
            return Err(format!("none: {name} is no number in row {row} (counted from 0)"));
        }
    }
    let number = |i: usize, j: usize| truth[j].number(i).unwrap_or(f64::NAN);
    let targets = Mat::from_fn(n, truth.len(), number);
    let judge = SquaredError { targets: &targets, weights: None };
    let rows: Vec<usize> = (0..n).collect();
    let each = judge.scores(&rows, values).map_err(|error| error.to_string())?;
    let column = |j: usize| (0..n).map(|i| number(i, j)).collect::<Vec<f64>>();
    let variances: Vec<_> = (0..truth.len()).map(|j| variance(&column(j), None)).collect();
    Ok(Scores::on_rows(&each, &variances))
}

fn predictions(
    args: &PredictArgs,
    saved: &Saved,
    regression: &RegressionFacts,
    computed: &Computed,
    label: Option<Label>,
) -> Predictions {
    let column = |values: &Mat<f64>, j: usize| {
        number_column((0..values.rows()).map(|i| values[(i, j)]), saved.dtype)
    };
    // A label of the target's name holds the truth; two columns of one name would be a riddle.
    let is_label = |name: &String| label.as_ref().is_some_and(|(other, _)| other == name);
    let title = |name: &String| match is_label(name) {
        true => format!("prediction_{name}"),
        false => name.clone(),
    };
    let mut columns = Vec::new();
    if let Some(names) = &regression.classes {
        let found = classes::decode(computed.values.view());
        columns.push((title(&regression.targets[0]), class_column(names, &found)));
        let shown = if names.len() == 2 { &names[1..] } else { &names[..] };
        let scores = shown.iter().enumerate().filter(|_| args.scores);
        columns.extend(scores.map(|(j, n)| (format!("score_{n}"), column(&computed.values, j))));
        return Predictions { columns, label };
    }
    for (j, name) in regression.targets.iter().enumerate() {
        columns.push((title(name), column(&computed.values, j)));
        let deviations = computed.deviations.iter();
        columns.extend(deviations.map(|values| (format!("{name}_std"), column(values, j))));
    }
    Predictions { columns, label }
}

fn tell(
    session: &Session,
    args: &PredictArgs,
    facts: &Facts,
    outputs: Outputs,
    predictions: &Predictions,
    (seconds, judged): (f64, Judged),
) -> std::result::Result<(), Failure> {
    let (table, rows) = (shown(args.table.source.path()), predictions.n());
    let regression = facts.regression.as_ref();
    if !session.quiet {
        let targets = regression.map(|r| listed(&r.targets)).unwrap_or_default();
        let title = format!("{targets} for {} of {table}", counted(rows, "row"));
        let mut lines = Lines::titled(title);
        lines.add("model", format!("{}: {}", shown(&args.model), facts.method()));
        if let Some(judged) = &judged {
            describe(&mut lines, judged, regression);
        }
        lines.add("time", format!("{seconds:.2} s"));
        if let Some(files) = outputs.listed() {
            lines.add("written", files);
        }
        lines.print();
    }
    if !args.json {
        return match args.output {
            Some(_) => Ok(()),
            None => {
                let table = predictions.table(mercer::io::Format::Csv);
                terminal_table::print(&table).map_err(Failure::Print)
            }
        };
    }
    let result = args.output.is_none().then(|| PredictionsObject::of(predictions));
    let (command, model, scores) = ("predict", shown(&args.model), judged.and_then(|j| j.ok()));
    let object = PredictObject { command, model, table, rows, seconds, scores, outputs, result };
    summary::print_object(&object).map_err(Failure::Print)
}

fn describe(
    lines: &mut Lines,
    judged: &std::result::Result<Scores, String>,
    regression: Option<&RegressionFacts>,
) {
    let scores = match judged {
        Ok(scores) => scores,
        Err(why) => return lines.add("score", why),
    };
    lines.add("score", scores.text("on these rows"));
    let names = regression.into_iter().flat_map(|r| &r.targets);
    for (name, scored) in names.zip(&scores.targets).take(describe::LISTED_NAMES) {
        lines.add("", format!("{name}: {}", scored.text()));
    }
}
