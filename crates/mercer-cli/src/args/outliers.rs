//! The flags of `outliers`.

use std::str::FromStr;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::model::Components;
use mercer::model::detector::OutlierScore;

use super::destination::Picture;
use super::from_model::FromModelArgs;
use super::groups::{MachineArgs, Precision, TableArgs, plot_files};
use super::kernel::{Kernel, in_short, with_kernels};
use super::landmarks::{DaskArgs, LandmarkArgs};
use super::learning::{FeatureArgs, ResultArgs};
use super::values::{at_most_half, components};

const OUTLIERS_EXAMPLES: &str = "\
Examples:
  mercer outliers houses.csv --contamination 0.05 --output scores.csv --model unusual.mercer
  mercer outliers houses.csv --columns area,age --plot unusual.svg
  mercer outliers iris.csv --label species --score projections --components 2 --top 5
  mercer outliers digits.npy --kernel 'rbf(sigma=median)' --components 90% --json";

/// Outlier scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Score {
    /// Reconstruction error: the squared distance in feature space from the projection on the components
    Reconstruction,
    /// Sum of the absolute projections on the components
    Projections,
}

impl From<Score> for OutlierScore {
    fn from(score: Score) -> Self {
        match score {
            Score::Reconstruction => OutlierScore::Reconstruction,
            Score::Projections => OutlierScore::Projections,
        }
    }
}

/// What sets the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contamination {
    /// The scores of the training rows.
    Auto,
    /// The expected fraction of outliers.
    Share(f64),
}

impl FromStr for Contamination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Contamination::Auto),
            text => match at_most_half(text) {
                Ok(share) => Ok(Contamination::Share(share)),
                Err(message) => Err(format!("{message}, or auto")),
            },
        }
    }
}

/// Flags of `mercer outliers`.
#[derive(Debug, Args)]
#[command(after_help = in_short(OUTLIERS_EXAMPLES), after_long_help = with_kernels(OUTLIERS_EXAMPLES))]
pub struct OutliersArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub features: FeatureArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// A low-rank fit.
    #[command(flatten)]
    pub landmarks: LandmarkArgs,
    /// A cluster.
    #[command(flatten)]
    pub cluster: DaskArgs,
    /// Number of kernel principal components: a count, a fraction of the variance (0.95 or 95%), or `all`
    /// [default: 20, or the number of rows if that is smaller]
    #[arg(short = 'k', long, value_name = "K", value_parser = components, help_heading = "Model")]
    pub components: Option<Components>,
    /// The outlier score
    #[arg(long, value_enum, default_value_t = Score::Reconstruction, value_name = "SCORE",
          help_heading = "Model")]
    pub score: Score,
    /// Expected fraction of outliers, at most 0.5; sets the threshold. With `auto`, the threshold lies three robust
    /// standard deviations above the median of the scores, after a cube root
    #[arg(
        long,
        value_name = "FRACTION",
        default_value = "0.1",
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    pub contamination: Contamination,
    /// Floating-point precision
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE",
          help_heading = "Model")]
    pub precision: Precision,
    /// Add a column with what the landmarks do not represent of each row: k(x, x) minus the squared length of its
    /// projection
    #[arg(hide_short_help = true, long, requires = "landmarks", help_heading = "Output")]
    pub landmark_residuals: bool,
    /// Number of top-ranked rows to print
    #[arg(hide_short_help = true, long, value_name = "COUNT", default_value_t = 10, help_heading = "Output",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub top: u32,
    /// Outputs.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Plot the scores to this .svg or .png file, or `-` for the terminal; may be repeated. Two columns
    /// give a map of the score with the rows, otherwise the sorted scores are plotted
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

impl OutliersArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.results.check_files(&self.table, plot_files(&self.plot))
    }
}
