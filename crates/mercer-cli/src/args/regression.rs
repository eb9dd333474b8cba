//! The flags of kernel ridge regression: `krr` and `predict`.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::solve::ridge;

use super::destination::{ModelFile, Picture, TableFile};
use super::groups::{
    MachineArgs, Precision, ReportArgs, TableArgs, check_distinct, plot_files, table_file,
};
use super::kernel::{Kernel, with_kernels};
use super::learning::LearningArgs;
use super::values::{not_negative, tolerance};

const KRR_EXAMPLES: &str = "\
Examples:
  mercer krr houses.csv --target price --model houses.mercer --plot scores.svg
  mercer krr houses.csv --target price --kernel rbf --kernel 'matern(nu=2.5)' --folds 5
  mercer krr houses.csv --target price --kernel 'rbf(sigma=2)' --alpha 0.1 --output fit.csv
  mercer krr iris.csv --target species --model species.mercer --json";

const PREDICT_EXAMPLES: &str = "\
Examples:
  mercer predict houses.mercer new-houses.csv
  mercer predict houses.mercer new-houses.csv --std --output prices.parquet
  mercer predict species.mercer new.csv --scores --json
  mercer predict flowers.mercer new.csv --probability --output flowers.csv
  mercer predict clusters.mercer new.csv --output nearest.csv";

/// How the system of a regression is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RidgeSolver {
    /// Whichever costs least
    Auto,
    /// A factor of the matrix
    Cholesky,
    /// All eigenvectors of the matrix
    Eigen,
    /// Conjugate gradients, which need no room for the matrix
    Cg,
}

impl From<RidgeSolver> for ridge::Solver {
    fn from(solver: RidgeSolver) -> Self {
        match solver {
            RidgeSolver::Auto => ridge::Solver::Auto,
            RidgeSolver::Cholesky => ridge::Solver::Cholesky,
            RidgeSolver::Eigen => ridge::Solver::Eigen,
            RidgeSolver::Cg => ridge::Solver::Cg,
        }
    }
}

/// What is compared, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// A kernel, e.g. `rbf(sigma=2)`, `laplacian` or `0.5*rbf(gamma=scale) + linear`; may be given
    /// several times, to compare. One whose width is left open stands for several widths
    #[arg(long, value_name = "SPEC", default_value = "rbf")]
    pub kernel: Vec<Kernel>,
    /// The penalty, or several to compare [default: three per decade, as far as it can matter]
    #[arg(long, value_name = "ALPHA", value_delimiter = ',', value_parser = not_negative,
          allow_negative_numbers = true)]
    pub alpha: Vec<f64>,
    /// Choose a penalty for each target rather than one for all
    #[arg(long)]
    pub alpha_per_target: bool,
    /// Compare by predictions for this many parts of the rows, each by a fit on the others
    /// [default: every row by a fit on all others, in closed form]
    #[arg(long, value_name = "COUNT", conflicts_with = "gcv",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// Compare by generalised cross-validation
    #[arg(long)]
    pub gcv: bool,
    /// Do not cross-validate, for a single kernel and penalty: a plain fit, which is faster
    #[arg(long, requires = "alpha", conflicts_with_all = ["folds", "gcv", "plot"])]
    pub no_score: bool,
    /// The seed of the folds and of the iterative solver
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
}

/// How the model is fitted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct RidgeArgs {
    /// Do not fit a constant beside the kernel
    #[arg(long)]
    pub no_intercept: bool,
    /// How the system is solved; all ways are exact
    #[arg(long, value_enum, default_value_t = RidgeSolver::Auto, value_name = "SOLVER")]
    pub solver: RidgeSolver,
    /// The relative residual to reach
    /// [default: 1e-10, or 1e-6 for kernel values in single precision]
    #[arg(long, value_name = "RESIDUAL", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// The number type of the work
    #[arg(long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
}

/// Flags of `mercer krr`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(KRR_EXAMPLES))]
pub struct KrrArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// The column to learn, by name or by position from 0, or several, e.g. `height,weight`: numbers
    /// are predicted, a column of text holds classes [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// Take the target for classes, even if it holds numbers
    #[arg(long, help_heading = "Input")]
    pub classify: bool,
    /// From which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// What is compared.
    #[command(flatten)]
    pub search: SearchArgs,
    /// How the model is fitted.
    #[command(flatten)]
    pub ridge: RidgeArgs,
    /// Write target and prediction of every row, by the model that learned from all of them, to
    /// this .csv, .tsv, .parquet, .npy or .libsvm file, compressed if .gz follows
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the fitted model to this file, for `mercer predict`
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// The page that tells of the fit.
    #[command(flatten)]
    pub page: ReportArgs,
    /// Draw the scores of all kernels against the penalty into this .svg or .png file, or on the
    /// terminal for `-`; may be given several times
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print a report for machines on standard output, with the scores of the whole grid
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArgs {
    /// A model file that `krr`, `svc`, `svr`, `oneclass`, `search`, `kmeans` or `outliers` wrote, or
    /// a text file of LIBSVM
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// The columns to use, in the order of the model's [default: those of the model, by name, or by
    /// position in a table without names]
    #[arg(long, value_name = "COLUMNS", help_heading = "Input")]
    pub columns: Option<String>,
    /// A column that is carried along [default: that of the model, if the table has it]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub label: Option<String>,
    /// Add the standard deviation of every prediction, that of the Gaussian process whose covariance
    /// is the kernel and whose noise has the penalty for its variance
    #[arg(long, help_heading = "Output")]
    pub std: bool,
    /// Add the numbers by which classes are told apart: the largest wins, or the sign for two
    #[arg(long, help_heading = "Output")]
    pub scores: bool,
    /// Add the decision of each pair of classes, by support vector machines: positive for the first
    /// of the pair; with two classes in all, positive for the second
    #[arg(long, help_heading = "Output")]
    pub decisions: bool,
    /// Add the probability of each class, by a model that was calibrated (`svc --probability`)
    #[arg(long, help_heading = "Output")]
    pub probability: bool,
    /// Write the prediction for every row to this .csv, .tsv, .parquet, .npy or .libsvm file,
    /// compressed if .gz follows [default: a table on standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
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

impl KrrArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        let inputs: Vec<_> = table_file(&self.table.source).into_iter().collect();
        let output = self.output.iter().map(|file| ("--output", file.path.as_path()));
        let model = self.model.iter().map(|file| ("--model", file.path.as_path()));
        let outputs: Vec<_> =
            output.chain(model).chain(self.page.file()).chain(plot_files(&self.plot)).collect();
        check_distinct(&inputs, &outputs)
    }
}

impl PredictArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        let mut inputs = vec![("MODEL", self.model.as_path())];
        inputs.extend(table_file(&self.table.source));
        let output = self.output.iter().map(|file| ("--output", file.path.as_path()));
        check_distinct(&inputs, &output.collect::<Vec<_>>())
    }
}
