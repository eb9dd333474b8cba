//! `mercer kmeans`: kernel k-means.

mod explanation;
mod picture;
mod stream;

use mercer::io::{Model, Table};
use mercer::model::Scaling;
use mercer::model::kernel_kmeans::{KernelKMeans, KernelKMeansParams};
use mercer::select::cluster_scores;
use mercer::{Dtype, Input, Result};

use super::Session;
use super::columns::{self, Roles, TargetKind};
use super::unsupervised::{self, Job, UnsupervisedFit};
use crate::args::{KmeansArgs, Scale, Start};
use crate::data::{self, InputKind, Prepared, Scales, Types};
use crate::facts::{self, ClusterChoice};
use crate::failure::Failure;
use crate::prediction::{Extras, Names, Prediction};
use crate::results::{row_numbers, titles_beside};

/// The clusters of a table.
struct Clusters {
    model: Model,
    scaling: Option<Scaling>,
    /// The parameters, with the kernel as it was resolved.
    params: KernelKMeansParams,
    /// The cluster of each row.
    labels: Vec<usize>,
    /// The distance of each row from its centre.
    distances: Vec<f64>,
    /// The mean distance of the rows of each cluster, by their weights; none without rows.
    means: Vec<Option<f64>>,
    /// The sum of the squared distances.
    inertia: f64,
    /// How the number of clusters was chosen, if it was.
    choice: Option<ClusterChoice>,
}

/// Runs `mercer kmeans`.
pub fn kmeans(session: &Session, args: &KmeansArgs) -> std::result::Result<(), Failure> {
    let input_kind = InputKind::of(&args.clusters.kernel);
    let roles = Roles::of(None, TargetKind::Unsupervised, &args.learning, &input_kind);
    if args.landmarks.landmarks.is_some()
        && let Some(table) = data::stream(session, &args.table, &input_kind)?
    {
        return stream::kmeans(session, args, roles, table);
    }
    let table = data::read(session, &args.table, &input_kind)
        .map_err(|error| data::by_landmarks(error, args.landmarks.landmarks.is_some()))?;
    let (chosen, targets) = columns::choose(table, &roles)?;
    let types = Types::of(args.clusters.precision, &chosen.features);
    session.progress.begin("preparing");
    let weights = targets.weights.as_deref();
    let clusters = find(session, args, (&chosen.features, &input_kind), weights, types.work)?;
    let is_drawn = !args.plot.is_empty() || args.results.page.report.is_some();
    let drawings = match is_drawn {
        true => vec![picture::draw(session, args, &chosen.features, &input_kind, &clusters)?],
        false => Vec::new(),
    };
    let is_weighted = weights.is_some();
    let explanations = match args.results.page.report.is_some() {
        true => {
            explanation::explain(&chosen, &clusters.labels, clusters.params.clusters, is_weighted)
        }
        false => Vec::new(),
    };
    let Clusters { model, scaling, labels, distances, means, choice, .. } = clusters;
    let prediction = Prediction::Clusters { places: labels, distances: Some(distances) };
    let names = Names { targets: &[], classes: None };
    let title = titles_beside(chosen.label.iter().chain(&chosen.more_labels));
    let mut columns = prediction.columns(names, types.result, Extras::default(), title);
    if args.row_numbers {
        let others: Vec<String> =
            chosen.label.iter().chain(&chosen.more_labels).map(|(name, _)| name.clone()).collect();
        let rows = chosen.rows.as_deref();
        columns.insert(0, row_numbers(chosen.features.n_rows(), rows, &others));
    }
    unsupervised::finish(
        session,
        &job(args),
        UnsupervisedFit {
            model,
            scaling,
            chosen,
            types,
            drawings,
            warnings: Vec::new(),
            explanations,
        },
        columns,
        |saved| facts::note_clusters(saved, &means, choice.as_ref()),
        |facts| facts.clustering.as_ref().map(|c| c.table()).expect("this is a clustering"),
    )
}

fn job(args: &KmeansArgs) -> Job<'_> {
    Job {
        command: "kmeans",
        table: &args.table,
        results: &args.results,
        plot: &args.plot,
        caption: "Clusters",
    }
}

fn find(
    session: &Session,
    args: &KmeansArgs,
    (features, input_kind): (&Table, &InputKind),
    weights: Option<&[f64]>,
    work: Dtype,
) -> Result<Clusters> {
    let scales = Scales::Learn(input_kind.scaling(args.learning.features.scale, Scale::Standard)?);
    let rows = Prepared::of(session, features, input_kind, scales, work)?;
    let (context, x) = (&session.context, rows.input);
    let mut params = params(args);
    let choice = match args.clusters.count.is_single() {
        true => None,
        false => Some(choose(session, args, &params, &x)?),
    };
    params.clusters = choice.as_ref().map_or(params.clusters, |choice| choice.chosen);
    let model = KernelKMeans::fit(context, &params, &x, weights)?;
    session.progress.begin("distances");
    let squares = match &x {
        Input::Precomputed { values, .. } => {
            let own: Vec<f64> = (0..values.rows()).map(|i| values.at(i, i)).collect();
            model.distances(context, x.clone().with_diagonal(&own))?
        }
        x => model.distances(context, x)?,
    };
    let own = model.labels.iter().enumerate().map(|(row, &label)| squares[(row, label)].sqrt());
    let distances: Vec<f64> = own.collect();
    Ok(Clusters {
        scaling: rows.scaling,
        params: model.params.clone(),
        labels: model.labels.clone(),
        means: means(&model, weights, &distances),
        distances,
        inertia: model.inertia,
        choice,
        model: Model::KernelKMeans(model),
    })
}

fn params(args: &KmeansArgs) -> KernelKMeansParams {
    let clusters = &args.clusters;
    let usual = if clusters.init == Start::Spectral { 1 } else { 10 };
    let starts = clusters.n_init.map_or(usual, |count| count as usize);
    let params = KernelKMeansParams::new(clusters.count.first, clusters.kernel.spec())
        .init(clusters.init.into())
        .starts(starts)
        .max_rounds(clusters.max_iter as usize)
        .tolerance(clusters.tolerance)
        .seed(clusters.seed);
    match args.landmarks.params(clusters.seed) {
        Some(landmarks) => params.landmarks(landmarks),
        None => params,
    }
}

/// The mean distance of the rows of each cluster from its centre, by their weights.
fn means(model: &KernelKMeans, weights: Option<&[f64]>, distances: &[f64]) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); model.k()];
    for (row, (&label, distance)) in model.labels.iter().zip(distances).enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[row]);
        sums[label] = (sums[label].0 + weight * distance, sums[label].1 + weight);
    }
    let mean = |((sum, weight), size): (&(f64, f64), usize)| {
        (size > 0).then(|| if *weight > 0.0 { sum / weight } else { 0.0 })
    };
    sums.iter().zip(model.sizes()).map(mean).collect()
}

/// The scores of the numbers of clusters that `args` name, and the one that is chosen.
fn choose(
    session: &Session,
    args: &KmeansArgs,
    params: &KernelKMeansParams,
    x: &Input<'_>,
) -> Result<ClusterChoice> {
    session.progress.begin("comparing");
    let (criterion, counts) = (args.clusters.criterion(), args.clusters.count.all());
    let scores = cluster_scores(&session.context, criterion.into(), params, x, &counts)?;
    Ok(ClusterChoice {
        criterion: criterion.name().into(),
        chosen: counts[scores.chosen],
        counts,
        scores: scores.values,
        std_errors: scores.std_errors,
    })
}
