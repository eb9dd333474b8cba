//! The flags of each verb.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::destination::{Picture, TableFile};
use super::groups::{ComponentArgs, InputArgs, MachineArgs, OutputArgs};
use super::values::positive;
use crate::demo_data::Shape;

const PCA_EXAMPLES: &str = "\
Examples:
  mercer pca iris.csv --label species --plot iris.svg
  mercer pca genes.parquet -k 0.95 --scale standard --output components.parquet
  cut -f 2- table.tsv | mercer pca - --format tsv --model pca.mercer --quiet";

const KPCA_EXAMPLES: &str = "\
Examples:
  mercer kpca iris.csv --label species --scale standard --plot iris.png
  mercer kpca digits.npy -k 10 --kernel 'rbf(sigma=median)' --model digits.mercer
  mercer kpca big.parquet -k 10 --memory 2GiB --precision mixed --output out.npy
  mercer kpca t.csv --kernel '0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*linear' --json";

const TRANSFORM_EXAMPLES: &str = "\
Examples:
  mercer transform iris.mercer new.csv
  mercer transform digits.mercer more.npy --output more-components.npy
  mercer transform digits.mercer more.npy --errors --json
  mercer transform digits.mercer components.csv --inverse --output restored.csv";

const INSPECT_EXAMPLES: &str = "\
Examples:
  mercer inspect iris.mercer
  mercer inspect iris.mercer --json";

const DEMO_EXAMPLES: &str = "\
Examples:
  mercer demo
  mercer demo spiral --plot spiral.png
  mercer demo blobs --rows 1000 --seed 3 --kernel 'rbf(sigma=0.5)'";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  mercer completions bash > ~/.local/share/bash-completion/completions/mercer
  mercer completions zsh > ~/.zfunc/_mercer
  mercer completions fish > ~/.config/fish/completions/mercer.fish";

/// Flags of `mercer pca`.
#[derive(Debug, Args)]
#[command(after_help = PCA_EXAMPLES)]
pub struct PcaArgs {
    /// The table.
    #[command(flatten)]
    pub input: InputArgs,
    /// What to compute.
    #[command(flatten)]
    pub components: ComponentArgs,
    /// Give every component variance 1
    #[arg(long, help_heading = "Components")]
    pub whiten: bool,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer kpca`.
#[derive(Debug, Args)]
#[command(after_help = KPCA_EXAMPLES)]
pub struct KpcaArgs {
    /// The table.
    #[command(flatten)]
    pub input: InputArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Kernel")]
    pub kernel: String,
    /// Do not centre the samples in feature space
    #[arg(long, help_heading = "Kernel")]
    pub no_center: bool,
    /// Also learn the way back from components to rows, for `transform --inverse`
    #[arg(long, help_heading = "Kernel")]
    pub inverse: bool,
    /// The kernel of the way back, between components [default: that of --kernel]
    #[arg(long, value_name = "SPEC", requires = "inverse", help_heading = "Kernel")]
    pub inverse_kernel: Option<String>,
    /// The ridge penalty of the way back
    #[arg(long, value_name = "ALPHA", requires = "inverse", default_value = "1",
          value_parser = positive, help_heading = "Kernel")]
    pub inverse_alpha: f64,
    /// What to compute.
    #[command(flatten)]
    pub components: ComponentArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer transform`.
#[derive(Debug, Args)]
#[command(after_help = TRANSFORM_EXAMPLES)]
pub struct TransformArgs {
    /// A model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The table.
    #[command(flatten)]
    pub input: InputArgs,
    /// The table holds components: map them back to rows
    #[arg(long, help_heading = "Output", conflicts_with_all = ["errors", "plot"])]
    pub inverse: bool,
    /// Add a column with the squared distance between a row and its projection
    #[arg(long, help_heading = "Output")]
    pub errors: bool,
    /// Write the result to this .csv, .tsv, .parquet or .npy file
    /// [default: a table on standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Draw the first two components into this .svg or .png file
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Option<Picture>,
    /// Print a report for machines on standard output, and no table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer inspect`.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// A model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Print a report for machines
    #[arg(long)]
    pub json: bool,
}

/// Flags of `mercer demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct DemoArgs {
    /// The data to make
    #[arg(value_enum, default_value_t = Shape::Circles)]
    pub shape: Shape,
    /// How many rows to make
    #[arg(long, value_name = "COUNT", default_value = "400",
          value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub rows: u32,
    /// The kernel [default: one that suits the data]
    #[arg(long, value_name = "SPEC")]
    pub kernel: Option<String>,
    /// The seed of the data
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The picture to draw, .svg or .png
    #[arg(short, long, value_name = "FILE", default_value = "mercer-demo.svg",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Picture,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
