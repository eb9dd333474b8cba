//! The flags of `kmeans`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::model::kernel_kmeans::Init;

use super::cluster_count::{Choose, ClusterCounts};
use super::destination::Picture;
use super::from_model::FromModelArgs;
use super::groups::{MachineArgs, Precision, TableArgs, conflict, plot_files};
use super::kernel::{Kernel, in_short, with_kernels};
use super::landmarks::{DaskArgs, LandmarkArgs};
use super::learning::{LearningArgs, ResultArgs};
use super::values::not_negative;

const KMEANS_EXAMPLES: &str = "\
Examples:
  mercer kmeans iris.csv -k 3 --label species --output clusters.csv --model clusters.mercer
  mercer kmeans iris.csv -k 2..6 --columns ^species --choose silhouette
  mercer kmeans iris.csv -k 3 --columns sepal_length,petal_length --plot clusters.svg
  mercer kmeans digits.npy -k 10 --kernel 'rbf(sigma=median)' --n-init 10 --seed 1
  mercer kmeans houses.csv -k 4 --kernel linear --weights rooms --json";

/// Initialisation of the centres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// k-means++ sampling in feature space
    #[value(name = "k-means++")]
    PlusPlus,
    /// Rows drawn uniformly at random
    Random,
    /// From the leading eigenvectors of the kernel matrix
    Spectral,
}

impl From<Start> for Init {
    fn from(start: Start) -> Self {
        match start {
            Start::PlusPlus => Init::PlusPlus,
            Start::Random => Init::Random,
            Start::Spectral => Init::Spectral,
        }
    }
}

/// The clustering.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub struct ClusterArgs {
    /// Number of clusters, or a range to choose from, e.g. `2..10`, both ends included
    #[arg(
        short = 'k',
        long = "clusters",
        value_name = "K",
        required = false,
        required_unless_present = "from_model"
    )]
    pub count: ClusterCounts,
    /// How to choose from a range of numbers of clusters [default: silhouette]
    #[arg(long, value_enum, value_name = "CRITERION")]
    pub choose: Option<Choose>,
    /// The kernel, e.g. `rbf(sigma=2)`, `linear` or `0.5*rbf(gamma=scale) + linear`; `linear` gives
    /// ordinary k-means
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)")]
    pub kernel: Kernel,
    /// Initialisation of the centres
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Start::PlusPlus, value_name = "METHOD")]
    pub init: Start,
    /// Number of initialisations; the one with the lowest objective is kept
    /// [default: 10, or 1 for `spectral`]
    #[arg(hide_short_help = true, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub n_init: Option<u32>,
    /// Maximum number of iterations of each initialisation
    #[arg(hide_short_help = true, long, value_name = "COUNT", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_iter: u32,
    /// Stop when the sum of squared centre shifts falls to this fraction of the total variance in feature
    /// space; 0 stops when no row changes cluster
    #[arg(hide_short_help = true, long, value_name = "FRACTION", default_value = "0", value_parser = not_negative,
          allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Random seed of the initialisations
    #[arg(hide_short_help = true, long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Floating-point precision
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
}

impl ClusterArgs {
    /// The criterion of a choice.
    pub fn criterion(&self) -> Choose {
        self.choose.unwrap_or(Choose::Silhouette)
    }

    /// Refuses a criterion without a choice, and numbers of clusters that it cannot compare.
    fn check_choice(&self) -> Result<(), clap::Error> {
        let (criterion, counts) = (self.criterion(), self.count);
        match counts.is_single() {
            true if self.choose.is_some() => {
                Err(conflict("--choose requires a range of numbers of clusters, e.g. -k 2..10"))
            }
            false if counts.first < criterion.least() => Err(conflict(&format!(
                "-k {}..{}: {} compares numbers of clusters of at least 2; use -k 2..{} or --choose gap",
                counts.first,
                counts.last,
                criterion.name(),
                counts.last
            ))),
            _ => Ok(()),
        }
    }
}

/// Flags of `mercer kmeans`.
#[derive(Debug, Args)]
#[command(after_help = in_short(KMEANS_EXAMPLES), after_long_help = with_kernels(KMEANS_EXAMPLES))]
pub struct KmeansArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// The clustering.
    #[command(flatten)]
    pub clusters: ClusterArgs,
    /// A low-rank fit.
    #[command(flatten)]
    pub landmarks: LandmarkArgs,
    /// A cluster.
    #[command(flatten)]
    pub cluster: DaskArgs,
    /// Add a column with the row number in the table, counted from 1
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub row_numbers: bool,
    /// Outputs.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Plot the rows by cluster to this .svg or .png file, or `-` for the terminal; may be repeated. Two
    /// columns are plotted with the cluster regions, more by their first two kernel principal components
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Settings of a stored model.
    #[command(flatten)]
    pub template: FromModelArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl KmeansArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.clusters.check_choice()?;
        if !self.clusters.count.is_single() && self.learning.weights.is_some() {
            return Err(conflict(
                "--weights does not apply to a choice of the number of clusters: give one number",
            ));
        }
        if !self.clusters.count.is_single() && self.landmarks.landmarks.is_some() {
            return Err(conflict(
                "--landmarks does not apply to a choice of the number of clusters, which compares exact kernel values: \
                 choose on a sample of the rows, then give one number",
            ));
        }
        if self.landmarks.keep_sums {
            return Err(conflict(
                "--keep-sums does not apply to clusters: every iteration assigns all rows anew, so that sums over earlier rows are \
                 of no use",
            ));
        }
        self.results.check_files(&self.table, plot_files(&self.plot))
    }
}
