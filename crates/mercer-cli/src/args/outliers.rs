//! The flags of `outliers`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::model::Components;
use mercer::model::detector::OutlierScore;

use super::destination::Picture;
use super::groups::{MachineArgs, Precision, TableArgs, plot_files};
use super::kernel::{Kernel, with_kernels};
use super::learning::{FeatureArgs, ResultArgs};
use super::values::{components, minority};

const OUTLIERS_EXAMPLES: &str = "\
Examples:
  mercer outliers houses.csv --contamination 0.05 --output scores.csv --model unusual.mercer
  mercer outliers houses.csv --columns area,age --plot unusual.svg
  mercer outliers iris.csv --label species --score projections --components 2 --top 5
  mercer outliers digits.npy --kernel 'rbf(sigma=median)' --components 90% --json";

/// What makes a row unusual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Score {
    /// The squared distance, in feature space, between a row and its projection on the components
    Reconstruction,
    /// How far along the components a row lies: the sum of their sizes
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

/// Flags of `mercer outliers`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(OUTLIERS_EXAMPLES))]
pub struct OutliersArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// From which of its columns.
    #[command(flatten)]
    pub features: FeatureArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// How many components of kernel PCA stand for what is usual: a count, a fraction of the
    /// variance (0.95 or 95%), or `all` [default: 20, or as many as there are rows]
    #[arg(short = 'k', long, value_name = "K", value_parser = components, help_heading = "Model")]
    pub components: Option<Components>,
    /// What makes a row unusual
    #[arg(long, value_enum, default_value_t = Score::Reconstruction, value_name = "WHAT",
          help_heading = "Model")]
    pub score: Score,
    /// The share of the rows to call outliers, at most a half: it sets the threshold
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = minority,
          allow_negative_numbers = true, help_heading = "Model")]
    pub contamination: f64,
    /// The number type of the work
    #[arg(long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE",
          help_heading = "Model")]
    pub precision: Precision,
    /// How many of the most unusual rows to print
    #[arg(long, value_name = "COUNT", default_value_t = 10, help_heading = "Output",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub top: u32,
    /// Where results go.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Draw the scores into this .svg or .png file, or on the terminal for `-`; may be given
    /// several times. Of two columns it is a map of the score with the rows, else the scores of all rows in falling order
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl OutliersArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.results.check_files(&self.table, plot_files(&self.plot))
    }
}
