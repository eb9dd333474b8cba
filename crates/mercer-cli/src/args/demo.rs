//! The flags of `demo`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::KernelSpec;

use super::destination::Picture;
use super::groups::{MachineArgs, check_distinct, plot_files};

const DEMO_EXAMPLES: &str = "\
Examples:
  mercer demo
  mercer demo spiral --plot spiral.png
  mercer demo blobs --rows 1000 --seed 3 --kernel 'rbf(sigma=0.5)'
  mercer demo names --plot names.svg";

/// The data of a demonstration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// Two concentric circles, not linearly separable
    Circles,
    /// Two interleaved spiral arms
    Spiral,
    /// Three round blobs
    Blobs,
    /// Personal names, compared by shared substrings
    Names,
}

/// Flags of `mercer demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct DemoArgs {
    /// The data to generate
    #[arg(value_enum, default_value_t = Subject::Circles)]
    pub subject: Subject,
    /// Number of rows to generate; `names` is a fixed list
    #[arg(long, value_name = "COUNT", default_value = "400",
          value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub rows: u32,
    /// The kernel [default: depends on the data]
    #[arg(long, value_name = "SPEC")]
    pub kernel: Option<KernelSpec>,
    /// Random seed of the data
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Write a plot to this .svg or .png file, or `-` for the terminal; may be repeated
    #[arg(short, long, value_name = "FILE", num_args = 1, action = clap::ArgAction::Append,
          default_values = ["mercer-demo.svg", "mercer-demo.png"],
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print no progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl DemoArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        check_distinct(&[], &plot_files(&self.plot).collect::<Vec<_>>())
    }
}
