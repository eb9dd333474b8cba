//! The number of clusters of kernel k-means, chosen among several by a criterion.
//!
//! Given the kernel matrix K (n × n) and numbers of clusters k, each criterion gives a score of every k, larger being
//! better, and its standard error; see [`criteria`]. The definitions are those of `choose_n_clusters` in Python.

mod criteria;
mod matrix;

use self::criteria::Scores;
use self::matrix::Source;
use crate::context::{Context, Stream};
use crate::error::{Error, Param, Result};
use crate::linalg::view::Mat;
use crate::model::Input;
use crate::model::kernel_kmeans::{KernelKMeans, KernelKMeansParams};

/// By what the number of clusters is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterCriterion {
    /// The mean silhouette in feature space.
    Silhouette,
    /// The gap statistic.
    Gap,
    /// The agreement of the clusters of subsamples.
    Stability,
}

/// The scores of several numbers of clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterScores {
    /// The score of each; larger is better.
    pub values: Vec<f64>,
    /// Their standard errors; none for the silhouette, which is not repeated.
    pub std_errors: Option<Vec<f64>>,
    /// The place of the number that is chosen.
    pub chosen: usize,
}

/// Reference sets of the gap statistic, and pairs of subsamples.
const DRAWS: usize = 20;
/// The share of the rows in each subsample.
const FRACTION: f64 = 0.8;

/// The scores of the ascending numbers of clusters `counts` for `input`, and which of them is chosen; `params` hold everything
/// else.
pub fn cluster_scores(
    ctx: &Context,
    criterion: ClusterCriterion,
    params: &KernelKMeansParams,
    input: &Input<'_>,
    counts: &[usize],
) -> Result<ClusterScores> {
    if params.landmarks.is_some() {
        let message = "numbers of clusters are compared by exact kernel values: choose the number on a sample of the rows, \
                       without landmarks";
        return Err(Error::parameter(Param::Landmarks, message));
    }
    if let Some(last) = counts.iter().max().filter(|&&last| last >= input.n()) {
        let (n, most) = (input.n(), input.n() - 1);
        let message = format!("{last} clusters of {n} rows cannot be compared: at most {most} can");
        return Err(Error::parameter(Param::Clusters, message));
    }
    let source = Source::of(ctx, params, input)?;
    let (values, _held) = source.matrix(ctx)?;
    let seed = params.seed;
    let scores = match criterion {
        ClusterCriterion::Silhouette => {
            let labels = counts.iter().map(|&k| Ok(fit(ctx, params, &values, k)?.labels));
            criteria::silhouettes(ctx, &values, &labels.collect::<Result<Vec<_>>>()?)?
        }
        ClusterCriterion::Gap => {
            let own = log_inertias(ctx, params, &values, counts)?;
            let mut stream = Stream::new(seed, "gap references");
            let drawn = (0..DRAWS).map(|_| {
                let (values, _held) = source.reference(ctx, &mut stream)?;
                log_inertias(ctx, params, &values, counts)
            });
            criteria::gaps(&own, &drawn.collect::<Result<Vec<_>>>()?)
        }
        ClusterCriterion::Stability => {
            let pairs = pairs(input.n(), seed);
            let agreements = counts.iter().map(|&k| agreements(ctx, params, (&values, &pairs), k));
            criteria::stabilities(&agreements.collect::<Result<Vec<_>>>()?)
        }
    };
    let chosen = chosen(criterion, &scores);
    Ok(ClusterScores { values: scores.values, std_errors: scores.errors, chosen })
}

fn chosen(criterion: ClusterCriterion, scores: &Scores) -> usize {
    match criterion {
        ClusterCriterion::Silhouette => criteria::largest(scores),
        ClusterCriterion::Gap => criteria::first_not_below_the_next(scores),
        ClusterCriterion::Stability => criteria::last_near_the_largest(scores),
    }
}

/// The clusters of the rows whose kernel values are `values`.
fn fit(
    ctx: &Context,
    params: &KernelKMeansParams,
    values: &Mat<f64>,
    k: usize,
) -> Result<KernelKMeans> {
    let mut params = params.clone();
    params.clusters = k;
    KernelKMeans::fit(ctx, &params, Input::precomputed(values), None)
}

fn log_inertias(
    ctx: &Context,
    params: &KernelKMeansParams,
    values: &Mat<f64>,
    counts: &[usize],
) -> Result<Vec<f64>> {
    // Clusters of equal rows have an inertia of 0.
    let log = |&k: &usize| Ok(fit(ctx, params, values, k)?.inertia.max(f64::MIN_POSITIVE).ln());
    counts.iter().map(log).collect()
}

/// Pairs of random subsamples, as ascending row numbers.
fn pairs(n: usize, seed: u64) -> Vec<[Vec<usize>; 2]> {
    let mut stream = Stream::new(seed, "subsamples of clusters");
    let size = ((FRACTION * n as f64).round() as usize).max(2).min(n);
    (0..DRAWS).map(|_| [stream.sample(n, size), stream.sample(n, size)]).collect()
}

/// The agreement of the clusters of both subsamples of each pair, on the rows that both have.
fn agreements(
    ctx: &Context,
    params: &KernelKMeansParams,
    (values, pairs): (&Mat<f64>, &[[Vec<usize>; 2]]),
    k: usize,
) -> Result<Vec<f64>> {
    let agreement = |pair: &[Vec<usize>; 2]| {
        let [a, b] = pair;
        if a.len() <= k {
            let message = format!("stability needs more than {k} rows in each subsample");
            return Err(Error::parameter("criterion", message));
        }
        let of = |rows: &[usize]| {
            let part = Mat::from_fn(rows.len(), rows.len(), |i, j| values[(rows[i], rows[j])]);
            Ok(fit(ctx, params, &part, k)?.labels)
        };
        let (first, second) = (of(a)?, of(b)?);
        let common = a.iter().enumerate().filter_map(|(i, row)| {
            let j = b.binary_search(row).ok()?;
            Some((first[i], second[j]))
        });
        Ok(criteria::adjusted_rand(&common.collect::<Vec<_>>(), k))
    };
    pairs.iter().map(agreement).collect()
}
