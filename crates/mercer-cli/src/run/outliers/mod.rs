//! `mercer outliers`: rows by how unusual they are, by what kernel PCA leaves out or finds far away.

mod picture;

use mercer::Result;
use mercer::io::{Column, Dtype, Model, Table};
use mercer::model::Scaling;
use mercer::model::detector::{Detector, DetectorParams, OutlierScore as Score};
use mercer::real::Real;

use super::Session;
use super::columns::{self, Chosen, Roles};
use super::found::{self, Found, Job};
use crate::args::{FeatureArgs, OutliersArgs, Scale};
use crate::data::{self, Basis, Form, Prepared, Scales, Types};
use crate::failure::Failure;
use crate::results::titles_beside;
use crate::said::{Ranking, Unusual};

/// What is known of the rows of a table.
struct Known {
    model: Model,
    scaling: Option<Scaling>,
    unusual: Unusual,
    ranking: Ranking,
    warnings: Vec<String>,
}

/// Runs `mercer outliers`.
pub fn outliers(session: &Session, args: &OutliersArgs) -> std::result::Result<(), Failure> {
    let form = Form::of(&args.kernel);
    let FeatureArgs { columns: which, label, .. } = &args.features;
    let roles = Roles::without_target(which.as_deref(), label.as_deref(), &form);
    let (chosen, _) = columns::choose(data::read(session, &args.table, &form)?, &roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(args.precision, &chosen.features);
    session.progress.begin("preparing");
    let known = find(session, args, (&chosen.features, &form), types.work)?;
    let is_reported = args.results.page.report.is_some();
    let drawings = match is_reported || !args.plot.is_empty() {
        true => picture::draw(session, args, (&chosen.features, &form), &known, is_reported)?,
        false => Vec::new(),
    };
    let columns = columns(&chosen, &known, types.result);
    let top = top(args.top as usize, &chosen, &known);
    let Known { model, scaling, warnings, .. } = known;
    let job = Job {
        command: "outliers",
        table: &args.table,
        results: &args.results,
        plot: &args.plot,
        caption: "The most unusual rows",
    };
    let found = Found { model, scaling, chosen, types, drawings, warnings };
    found::finish(session, &job, found, columns, |_| (), |_| top)
}

fn find(
    session: &Session,
    args: &OutliersArgs,
    (features, form): (&Table, &Form),
    work: Dtype,
) -> Result<Known> {
    let scales = Scales::Learn(form.scaling(args.features.scale, Scale::Standard)?);
    let params = params(args);
    match work {
        Dtype::F32 => {
            let rows = Prepared::of(session, features, form, scales)?;
            of_rows(session, &params, rows, Model::Detector32)
        }
        Dtype::F64 => {
            let rows = Prepared::of(session, features, form, scales)?;
            of_rows(session, &params, rows, Model::Detector64)
        }
    }
}

fn params(args: &OutliersArgs) -> DetectorParams {
    let mut params = DetectorParams::new(args.kernel.spec());
    params.pca.components = args.components.unwrap_or(params.pca.components);
    DetectorParams { score: args.score.into(), contamination: args.contamination, ..params }
}

fn of_rows<T: Real>(
    session: &Session,
    params: &DetectorParams,
    rows: Prepared<T>,
    wrap: impl FnOnce(Detector<T>) -> Model,
) -> Result<Known> {
    let scaling = rows.scaling;
    let model = match rows.basis {
        Basis::Samples(x) => Detector::fit(&session.context, params, x)?,
        Basis::Matrix(values) => Detector::fit_gram(&session.context, params, values.view())?,
    };
    let unusual = Unusual { scores: model.training.clone(), threshold: model.threshold };
    let (ranking, warnings) = (unusual.ranking(), warnings(&model));
    Ok(Known { model: wrap(model), scaling, unusual, ranking, warnings })
}

/// The share of the variance that components must leave for a distance from them to mean something.
const LEAST_LEFT: f64 = 1e-6;

fn warnings<T: Real>(model: &Detector<T>) -> Vec<String> {
    let explained: f64 = model.pca.explained_variance_ratio().iter().sum();
    let is_nothing_left = explained > 1.0 - LEAST_LEFT && model.score == Score::Reconstruction;
    let message = "the components explain all of the variance, so that scores are little more than \
                   rounding errors: take fewer with --components";
    is_nothing_left.then(|| message.into()).into_iter().collect()
}

/// What is written of every row: its number, which counts from 1, what is said of it, and its rank.
fn columns(chosen: &Chosen, known: &Known, dtype: Dtype) -> Vec<(String, Column)> {
    let title = titles_beside(chosen.label.as_ref());
    let rows: Vec<usize> = (0..known.unusual.scores.len()).collect();
    let ranks = known.ranking.ranks.iter().map(|&rank| rank as f64).collect();
    let mut columns = vec![(title("row"), numbers(&rows))];
    columns.extend(known.unusual.columns(&rows, dtype, &title));
    columns.push((title("rank"), Column::F64(ranks)));
    columns
}

/// The numbers of `rows`, counted from 1.
fn numbers(rows: &[usize]) -> Column {
    Column::F64(rows.iter().map(|&row| (row + 1) as f64).collect())
}

/// The most unusual rows, with the share of rows that are less unusual.
fn top(count: usize, chosen: &Chosen, known: &Known) -> Table {
    let Ranking { order, ranks, below } = &known.ranking;
    let rows = &order[..count.min(order.len())];
    let title = titles_beside(chosen.label.as_ref());
    let share = |&row: &usize| below[row] as f64 / order.len() as f64;
    let mut columns = vec![
        (title("rank"), Column::F64(rows.iter().map(|&row| ranks[row] as f64).collect())),
        (title("row"), numbers(rows)),
    ];
    columns.extend(chosen.label.as_ref().map(|(name, cells)| {
        let cells = rows.iter().map(|&row| cells.text(row)).collect();
        (name.clone(), Column::Text(cells))
    }));
    columns.extend(known.unusual.columns(rows, Dtype::F64, &title));
    columns.push((title("less_unusual"), Column::F64(rows.iter().map(share).collect())));
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}
