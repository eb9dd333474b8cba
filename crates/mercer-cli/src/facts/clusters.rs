//! Description of a clustering.

use mercer::io::{Column, ModelFile, Table};
use mercer::model::kernel_kmeans::KernelKMeans;
use serde::{Deserialize, Serialize};

use super::{Facts, bare};
use crate::data::MOST_NOTED;

/// The key of the mean distances among the notes of a model file.
const NOTES: &str = "mean_distances";

/// The key of [`ClusterChoice`] among the notes of a model file.
const CHOICE: &str = "cluster_choice";

/// How the number of clusters was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterChoice {
    /// `silhouette`, `gap` or `stability`.
    pub criterion: String,
    /// The numbers that were compared, ascending.
    pub counts: Vec<usize>,
    /// The score of each; larger is better.
    pub scores: Vec<f64>,
    /// Their standard errors; null for the silhouette, which is not repeated.
    pub std_errors: Option<Vec<f64>>,
    /// The number that was chosen.
    pub chosen: usize,
}

impl ClusterChoice {
    /// A row for each number of clusters.
    pub fn table(&self) -> Table {
        let counts = self.counts.iter().map(|&count| count as f64).collect();
        let mut named = vec![("clusters", counts), (&*self.criterion, self.scores.clone())];
        named.extend(self.std_errors.clone().map(|errors| ("std_error", errors)));
        let (names, columns) =
            named.into_iter().map(|(name, values)| (name.to_string(), Column::F64(values))).unzip();
        Table::new(names, columns)
    }

    /// Whether all lists have the same length; a file may hold anything.
    fn is_sound(&self) -> bool {
        let count = self.counts.len();
        let is_right = |errors: &Vec<f64>| errors.len() == count;
        self.scores.len() == count && self.std_errors.as_ref().is_none_or(is_right)
    }
}

/// A clustering.
#[derive(Debug, Clone, Serialize)]
pub struct ClusterFacts {
    /// How many there are.
    pub clusters: usize,
    /// The rows of each.
    pub sizes: Vec<usize>,
    /// The mean distance of the rows of each from its centre, in feature space; null for an empty
    /// cluster. None where it was not stored.
    pub mean_distances: Option<Vec<Option<f64>>>,
    /// The sum over rows of weight times squared distance from the centre, in feature space.
    pub inertia: f64,
    /// In a fit on landmarks, the same sum for the rows as the landmarks represent them. With all rows, the sum of
    /// these clusters lies between this and `inertia`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_rank_objective: Option<f64>,
    /// The initialisation: `k-means++`, `random`, `spectral` or `labels`.
    pub init: &'static str,
    /// Number of initialisations.
    pub starts: usize,
    /// Iterations of the best.
    pub rounds: usize,
    /// Maximum number of iterations.
    pub max_rounds: usize,
    /// The stopping tolerance, a fraction of the variance.
    pub tolerance: f64,
    /// The random seed.
    pub seed: u64,
    /// Empty clusters, whose centre is a row of another cluster.
    pub empty: usize,
    /// How the number of clusters was chosen; null if it was given.
    pub choice: Option<ClusterChoice>,
}

impl ClusterFacts {
    /// A row for each cluster: its rows, their share, and how far they are from the centre.
    pub fn table(&self) -> Table {
        let rows = self.sizes.iter().sum::<usize>().max(1) as f64;
        let sizes = || self.sizes.iter().map(|&size| size as f64);
        let named = [
            ("cluster", (1..=self.clusters).map(|number| number as f64).collect()),
            ("rows", sizes().collect::<Vec<f64>>()),
            ("share", sizes().map(|size| size / rows).collect()),
        ];
        let means = self.mean_distances.iter().map(|means| {
            ("mean_distance", means.iter().map(|mean| mean.unwrap_or(f64::NAN)).collect())
        });
        let (names, columns): (Vec<_>, Vec<_>) = named
            .into_iter()
            .chain(means)
            .map(|(name, values)| (name.to_string(), Column::F64(values)))
            .unzip();
        Table::new(names, columns)
    }
}

pub(super) fn of_clusters(model: &KernelKMeans, saved: &ModelFile) -> Facts {
    let (params, noted) = (&model.params, saved.extra.get(NOTES).cloned());
    let noted = noted.and_then(|value| serde_json::from_value::<Vec<Option<f64>>>(value).ok());
    let report = model.report.clusters.as_ref();
    let facts = ClusterFacts {
        clusters: model.k(),
        sizes: model.sizes(),
        mean_distances: noted.filter(|means| means.len() == model.k()),
        inertia: model.inertia,
        low_rank_objective: report.and_then(|report| report.low_rank_objective),
        init: params.init.name(),
        starts: report.map_or(params.starts, |report| report.starts),
        rounds: model.rounds,
        max_rounds: params.max_rounds,
        tolerance: params.tolerance,
        seed: params.seed,
        empty: model.stand_ins.len().max(model.sizes().iter().filter(|size| **size == 0).count()),
        choice: saved
            .extra
            .get(CHOICE)
            .and_then(|value| serde_json::from_value(value.clone()).ok())
            .filter(ClusterChoice::is_sound),
    };
    Facts { clustering: Some(facts), ..bare(model.n(), &model.report) }
}

/// Stores the mean distances in `saved`, unless there are very many, and how their number was chosen.
pub fn note_clusters(
    saved: &mut ModelFile,
    mean_distances: &[Option<f64>],
    choice: Option<&ClusterChoice>,
) {
    if let Some(choice) = choice {
        let value = serde_json::to_value(choice).expect("numbers and words have a JSON form");
        saved.extra.insert(CHOICE.into(), value);
    }
    if mean_distances.len() <= MOST_NOTED {
        saved.extra.insert(NOTES.into(), mean_distances.into());
    }
}
