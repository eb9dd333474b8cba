//! The flags of each verb.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::KernelSpec;
use mercer::device::Device;
use mercer::io::Source;
use mercer::model::pca::Decomposition;
use mercer::solve::eigen;

use super::from_model::FromModelArgs;
use super::groups::{
    ColumnArgs, ComponentArgs, Header, InputFormat, MachineArgs, ModelArgs, OutputArgs, TableArgs,
    check_distinct, table_file,
};
use super::kernel::{Kernel, in_short, with_kernels};
use super::landmarks::{DaskArgs, LandmarkArgs};
use super::values::positive;

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
  mercer kpca t.csv --kernel '0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*linear' --json
  mercer kpca names.csv --columns name --kernel 'normalize(spectrum(p=3))' --plot names.svg
  mercer kpca similarities.csv --label who --kernel precomputed";

const TRANSFORM_EXAMPLES: &str = "\
Examples:
  mercer transform iris.mercer new.csv
  mercer transform digits.mercer more.npy --output more-components.npy
  mercer transform digits.mercer more.npy --errors --json
  mercer transform digits.mercer components.csv --inverse --output restored.csv";

const INSPECT_EXAMPLES: &str = "\
Examples:
  mercer inspect iris.csv
  mercer inspect iris.mercer
  mercer inspect iris.mercer --json";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  mercer completions bash > ~/.local/share/bash-completion/completions/mercer
  mercer completions zsh > ~/.zfunc/_mercer
  mercer completions fish > ~/.config/fish/completions/mercer.fish";

/// PCA solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PcaSolver {
    /// The fastest for the shape of the data
    Auto,
    /// Decompose the covariance matrix (columns × columns)
    Primal,
    /// Decompose the Gram matrix (rows × rows), for more columns than rows
    Dual,
    /// Truncated decomposition without forming either matrix; requires a count of components
    Truncated,
}

impl From<PcaSolver> for Decomposition {
    fn from(solver: PcaSolver) -> Self {
        match solver {
            PcaSolver::Auto => Decomposition::Auto,
            PcaSolver::Primal => Decomposition::Primal,
            PcaSolver::Dual => Decomposition::Dual,
            PcaSolver::Truncated => Decomposition::Truncated,
        }
    }
}

/// Eigensolvers of kernel PCA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Solver {
    /// Chosen by the number of rows and components
    Auto,
    /// Full eigendecomposition
    Full,
    /// Block Krylov iteration for the leading eigenvectors
    Krylov,
}

impl From<Solver> for eigen::Solver {
    fn from(solver: Solver) -> Self {
        match solver {
            Solver::Auto => eigen::Solver::Auto,
            Solver::Full => eigen::Solver::Full,
            Solver::Krylov => eigen::Solver::Krylov,
        }
    }
}

/// Flags of `mercer pca`.
#[derive(Debug, Args)]
#[command(after_help = PCA_EXAMPLES)]
pub struct PcaArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The components.
    #[command(flatten)]
    pub components: ComponentArgs,
    /// The solver
    #[arg(hide_short_help = true, long, value_enum, default_value_t = PcaSolver::Auto, value_name = "SOLVER",
          help_heading = "Components")]
    pub solver: PcaSolver,
    /// Scale every component to unit variance
    #[arg(hide_short_help = true, long, help_heading = "Components")]
    pub whiten: bool,
    /// Outputs.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Model and report files.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer kpca`.
#[derive(Debug, Args)]
#[command(after_help = in_short(KPCA_EXAMPLES), after_long_help = with_kernels(KPCA_EXAMPLES))]
pub struct KpcaArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Kernel")]
    pub kernel: Kernel,
    /// Do not centre in feature space
    #[arg(hide_short_help = true, long, help_heading = "Kernel")]
    pub no_center: bool,
    /// Also fit the inverse map from components to rows, for `transform --inverse`
    #[arg(hide_short_help = true, long, help_heading = "Kernel")]
    pub inverse: bool,
    /// Kernel of the inverse map, between components [default: the value of --kernel]
    #[arg(
        hide_short_help = true,
        long,
        value_name = "SPEC",
        requires = "inverse",
        help_heading = "Kernel"
    )]
    pub inverse_kernel: Option<KernelSpec>,
    /// Ridge penalty of the inverse map
    #[arg(hide_short_help = true, long, value_name = "ALPHA", requires = "inverse", default_value = "1",
          value_parser = positive, help_heading = "Kernel")]
    pub inverse_alpha: f64,
    /// A low-rank fit.
    #[command(flatten)]
    pub landmarks: LandmarkArgs,
    /// A cluster.
    #[command(flatten)]
    pub cluster: DaskArgs,
    /// The components.
    #[command(flatten)]
    pub components: ComponentArgs,
    /// The eigensolver
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Solver::Auto, value_name = "SOLVER",
          help_heading = "Components")]
    pub solver: Solver,
    /// Outputs.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Model and report files.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Settings of a stored model.
    #[command(flatten)]
    pub template: FromModelArgs,
    /// Where kernel values are computed: `cpu`, `cuda` (`cuda:1` for another device than the first), or `auto` for a CUDA device if there is one
    /// that computes the kernel. Devices take kernels on rows of numbers, in double precision
    #[arg(
        hide_short_help = true,
        long,
        value_name = "DEVICE",
        default_value = "cpu",
        help_heading = "Resources"
    )]
    pub device: Device,
    /// Resource limits.
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
    pub table: TableArgs,
    /// Columns to use, in the order of the model [default: the columns of the model, matched by name, or by
    /// position if the table has no header]
    #[arg(long, value_name = "COLUMNS", help_heading = "Input")]
    pub columns: Option<String>,
    /// Columns that are kept in the output [default: the label columns of the model, if present]
    #[arg(long, value_name = "COLUMNS", help_heading = "Input")]
    pub label: Option<String>,
    /// The table holds components: map them back to the original columns
    #[arg(hide_short_help = true, long, help_heading = "Output", conflicts_with_all = ["errors", "plot"])]
    pub inverse: bool,
    /// Add a column with the reconstruction error of each row
    #[arg(long, help_heading = "Output")]
    pub errors: bool,
    /// Add a column with what the landmarks of the model do not represent of each row: k(x, x) minus the squared
    /// length of its projection
    #[arg(hide_short_help = true, long, help_heading = "Output", conflicts_with = "inverse")]
    pub landmark_residuals: bool,
    /// Add a column with the row number in the table, counted from 1
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub row_numbers: bool,
    /// Outputs.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Where kernel values are computed: `cpu`, `cuda` (`cuda:1` for another device than the first), or `auto` for a CUDA device if there is one
    /// that computes the kernel. Devices take kernels on rows of numbers, in double precision
    #[arg(hide_short_help = true, long, value_name = "DEVICE", default_value = "cpu", help_heading = "Resources",
          conflicts_with_all = ["inverse", "errors"])]
    pub device: Device,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl PcaArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        check_fit_files(&self.table, &self.output, &self.model)
    }
}

impl KpcaArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        check_fit_files(&self.table, &self.output, &self.model)
    }
}

fn check_fit_files(
    table: &TableArgs,
    output: &OutputArgs,
    model: &ModelArgs,
) -> Result<(), clap::Error> {
    let inputs: Vec<_> = table_file(&table.source).into_iter().collect();
    let mut outputs = output.files();
    outputs.extend(model.model.iter().map(|file| ("--model", file.path.as_path())));
    outputs.extend(model.page.file());
    check_distinct(&inputs, &outputs)
}

impl TransformArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        let mut inputs = vec![("MODEL", self.model.as_path())];
        inputs.extend(table_file(&self.table.source));
        check_distinct(&inputs, &self.output.files())
    }
}

/// Flags of `mercer inspect`.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// A model file, or a table: CSV, TSV, Parquet, NumPy .npy or LIBSVM text, optionally gzipped; `-` reads
    /// a table from standard input
    #[arg(value_name = "MODEL|TABLE",
          value_parser = OsStringValueParser::new().map(|name| Source::named(PathBuf::from(name))))]
    pub source: Source,
    /// Format of a table
    #[arg(hide_short_help = true, long, value_enum, default_value_t = InputFormat::Auto, value_name = "FORMAT")]
    pub format: InputFormat,
    /// Whether the first line of a text table holds column names
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Header::Auto, value_name = "WHEN")]
    pub header: Header,
    /// Print a JSON report
    #[arg(long)]
    pub json: bool,
}

/// Flags of `mercer completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
