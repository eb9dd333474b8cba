//! The flags of `kmeans`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::model::kernel_kmeans::Init;

use super::destination::Picture;
use super::groups::{MachineArgs, Precision, TableArgs, plot_files};
use super::kernel::{Kernel, with_kernels};
use super::learning::{LearningArgs, ResultArgs};
use super::values::not_negative;

const KMEANS_EXAMPLES: &str = "\
Examples:
  mercer kmeans iris.csv -k 3 --label species --output clusters.csv --model clusters.mercer
  mercer kmeans iris.csv -k 3 --columns sepal_length,petal_length --plot clusters.svg
  mercer kmeans digits.npy -k 10 --kernel 'rbf(sigma=median)' --n-init 10 --seed 1
  mercer kmeans houses.csv -k 4 --kernel linear --weights rooms --json";

/// Where the centres are to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// At rows drawn one by one, more likely the farther they are from those before
    #[value(name = "k-means++")]
    PlusPlus,
    /// At rows drawn at random
    Random,
    /// Where the leading eigenvectors of the kernel matrix put them
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

/// What to look for, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub struct ClusterArgs {
    /// How many clusters
    #[arg(short = 'k', long = "clusters", value_name = "K",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,
    /// The kernel, e.g. `rbf(sigma=2)`, `linear` or `0.5*rbf(gamma=scale) + linear`; with `linear`
    /// it is plain k-means
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)")]
    pub kernel: Kernel,
    /// Where the centres begin
    #[arg(long, value_enum, default_value_t = Start::PlusPlus, value_name = "HOW")]
    pub init: Start,
    /// Starts, of which the one of the lowest objective is kept; one is all that `spectral` needs
    #[arg(long, value_name = "COUNT", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub n_init: u32,
    /// Rounds of each start at most
    #[arg(long, value_name = "COUNT", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_iter: u32,
    /// Stop when the squared ways of all centres in one round sum up to this share of the variance,
    /// both in feature space; with 0, when no row changes its cluster
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = not_negative,
          allow_negative_numbers = true)]
    pub tolerance: f64,
    /// The seed of the starts
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The number type of the work
    #[arg(long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
}

/// Flags of `mercer kmeans`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(KMEANS_EXAMPLES))]
pub struct KmeansArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// From which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// What to look for.
    #[command(flatten)]
    pub clusters: ClusterArgs,
    /// Where results go.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Draw the rows by cluster into this .svg or .png file, or on the terminal for `-`; may be
    /// given several times. Two columns are drawn with the regions of the clusters, more by their
    /// first two components in feature space
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl KmeansArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.results.check_files(&self.table, plot_files(&self.plot))
    }
}
