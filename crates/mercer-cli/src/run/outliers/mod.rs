//! `mercer outliers`: outlier detection by kernel PCA.

mod contamination;
mod explanation;
mod picture;
mod stream;

use mercer::io::{Column, Model, Table};
use mercer::model::Scaling;
use mercer::model::detector::{Detector, DetectorParams, OutlierScore as Score};
use mercer::{Dtype, Result};

use super::Session;
use super::columns::{self, Chosen, Roles};
use super::unsupervised::{self, Job, UnsupervisedFit};
use crate::args::{Contamination, FeatureArgs, OutliersArgs, Scale};
use crate::data::{self, InputKind, Prepared, Scales, Types};
use crate::failure::Failure;
use crate::prediction::{OutlierScores, Ranking};
use crate::results::titles_beside;

/// A fitted detector with the scores of its training set.
struct OutlierFit {
    model: Model,
    scaling: Option<Scaling>,
    outliers: OutlierScores,
    ranking: Ranking,
    warnings: Vec<String>,
    /// What the landmarks leave of each row, if requested.
    residuals: Option<Vec<f64>>,
}

/// Runs `mercer outliers`.
pub fn outliers(session: &Session, args: &OutliersArgs) -> std::result::Result<(), Failure> {
    let input_kind = InputKind::of(&args.kernel);
    let FeatureArgs { columns: which, label, encoding, .. } = &args.features;
    let (which, label) = (which.as_deref(), label.as_deref());
    let roles = Roles::without_target(which, label, encoding, &input_kind);
    if args.landmarks.landmarks.is_some()
        && let Some(table) = data::stream(session, &args.table, &input_kind)?
    {
        return stream::outliers(session, args, roles, table);
    }
    let table = data::read(session, &args.table, &input_kind)
        .map_err(|error| data::by_landmarks(error, args.landmarks.landmarks.is_some()))?;
    let (chosen, _) = columns::choose(table, &roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(args.precision, &chosen.features);
    session.progress.begin("preparing");
    let fit = find(session, args, (&chosen.features, &input_kind), types.work)?;
    let is_reported = args.results.page.report.is_some();
    let drawings = match is_reported || !args.plot.is_empty() {
        true => picture::draw(session, args, (&chosen.features, &input_kind), &fit, is_reported)?,
        false => Vec::new(),
    };
    let columns = columns(&chosen, &fit, types.result);
    let top = top(args.top as usize, &chosen, &fit);
    let explanations = match is_reported {
        true => explanation::explain(session, args.top as usize, &chosen, &fit)?,
        false => Vec::new(),
    };
    let OutlierFit { model, scaling, warnings, .. } = fit;
    let job = job(args);
    let found = UnsupervisedFit { model, scaling, chosen, types, drawings, warnings, explanations };
    unsupervised::finish(session, &job, found, columns, |_| (), |_| top)
}

fn job(args: &OutliersArgs) -> Job<'_> {
    Job {
        command: "outliers",
        table: &args.table,
        results: &args.results,
        plot: &args.plot,
        caption: "Rows with the largest outlier scores",
    }
}

fn find(
    session: &Session,
    args: &OutliersArgs,
    (features, input_kind): (&Table, &InputKind),
    work: Dtype,
) -> Result<OutlierFit> {
    let scales = Scales::Learn(input_kind.scaling(args.features.scale, Scale::Standard)?);
    let rows = Prepared::of(session, features, input_kind, scales, work)?;
    let mut model = Detector::fit(&session.context, &params(args), &rows.input)?;
    let residuals = || model.pca.landmark_residuals(&session.context, &rows.input);
    let residuals = args.landmark_residuals.then(residuals).transpose()?;
    if args.contamination == Contamination::Auto {
        contamination::set_robust(&mut model);
    }
    let outliers = OutlierScores { scores: model.training.clone(), threshold: model.threshold };
    let (ranking, warnings) = (outliers.ranking(), warnings(&model));
    let model = Model::Detector(model);
    Ok(OutlierFit { model, scaling: rows.scaling, outliers, ranking, warnings, residuals })
}

fn params(args: &OutliersArgs) -> DetectorParams {
    let mut params = DetectorParams::new(args.kernel.spec());
    params.pca.components = args.components.unwrap_or(params.pca.components);
    params.pca.landmarks = args.landmarks.params(params.pca.seed);
    let params = params.score(args.score.into());
    match args.contamination {
        Contamination::Auto => params,
        Contamination::Share(share) => params.contamination(share),
    }
}

/// The fraction of unexplained variance below which reconstruction errors are rounding errors.
const LEAST_LEFT: f64 = 1e-6;

fn warnings(model: &Detector) -> Vec<String> {
    let explained: f64 = model.pca.explained_variance_ratio().iter().sum();
    let is_nothing_left = explained > 1.0 - LEAST_LEFT && model.score == Score::Reconstruction;
    let message = "the components explain all of the variance, so the scores are mostly rounding \
                   error: use fewer --components";
    is_nothing_left.then(|| message.into()).into_iter().collect()
}

/// The output columns: 1-based row number, scores and rank.
fn columns(chosen: &Chosen, fit: &OutlierFit, dtype: Dtype) -> Vec<(String, Column)> {
    let title = titles_beside(chosen.label.iter().chain(&chosen.more_labels));
    let rows: Vec<usize> = (0..fit.outliers.scores.len()).collect();
    let kept = chosen.rows.as_deref();
    let ranks = fit.ranking.ranks.iter().map(|&rank| rank as f64).collect();
    let mut columns = vec![(title("row"), numbers(&rows, kept))];
    columns.extend(fit.outliers.columns(&rows, dtype, &title));
    columns.push((title("rank"), Column::F64(ranks)));
    let residuals = fit.residuals.clone().map(Column::F64);
    columns.extend(residuals.map(|values| (title("landmark_residual"), values)));
    columns
}

/// Row numbers in the table, counted from 1; `kept` are the rows that are left of it.
fn numbers(rows: &[usize], kept: Option<&[usize]>) -> Column {
    let number = |&row: &usize| (kept.map_or(row, |kept| kept[row]) + 1) as f64;
    Column::F64(rows.iter().map(number).collect())
}

/// The rows with the largest scores, with the percentage of rows that have smaller ones.
fn top(count: usize, chosen: &Chosen, fit: &OutlierFit) -> Table {
    let Ranking { order, ranks, below } = &fit.ranking;
    let rows = &order[..count.min(order.len())];
    let title = titles_beside(chosen.label.iter().chain(&chosen.more_labels));
    let percentile = |&row: &usize| 100.0 * below[row] as f64 / order.len() as f64;
    let mut columns = vec![
        (title("rank"), Column::F64(rows.iter().map(|&row| ranks[row] as f64).collect())),
        (title("row"), numbers(rows, chosen.rows.as_deref())),
    ];
    columns.extend(chosen.label.iter().chain(&chosen.more_labels).map(|(name, cells)| {
        let cells = rows.iter().map(|&row| cells.text(row)).collect();
        (name.clone(), Column::Text(cells))
    }));
    columns.extend(fit.outliers.columns(rows, Dtype::F64, &title));
    columns.push((title("percentile"), Column::F64(rows.iter().map(percentile).collect())));
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}
