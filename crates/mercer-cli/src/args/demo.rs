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

/// What a demonstration is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// Two concentric circles, which no straight line separates
    Circles,
    /// Two spiral arms wound around each other
    Spiral,
    /// Three round blobs
    Blobs,
    /// Names of people, compared by the letters they share, and new ones among them
    Names,
}

/// Flags of `mercer demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct DemoArgs {
    /// The data to make
    #[arg(value_enum, default_value_t = Subject::Circles)]
    pub subject: Subject,
    /// How many rows to make; of names there are as many as there are
    #[arg(long, value_name = "COUNT", default_value = "400",
          value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub rows: u32,
    /// The kernel [default: one that suits the data]
    #[arg(long, value_name = "SPEC")]
    pub kernel: Option<KernelSpec>,
    /// The seed of the data
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The picture to draw, .svg or .png, or `-` for the terminal; may be given several times
    #[arg(short, long, value_name = "FILE", num_args = 1, action = clap::ArgAction::Append,
          default_values = ["mercer-demo.svg", "mercer-demo.png"],
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl DemoArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        check_distinct(&[], &plot_files(&self.plot).collect::<Vec<_>>())
    }
}
