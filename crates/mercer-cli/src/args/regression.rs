//! The flags of kernel ridge regression: `krr` and `predict`.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::model::optimize::{self, OptimizeParams};
use mercer::solve::ridge;

use super::destination::{ModelFile, Picture, TableFile};
use super::explain::ExplainArgs;
use super::folds::FoldArgs;
use super::from_model::FromModelArgs;
use super::groups::{
    MachineArgs, Precision, ReportArgs, TableArgs, check_distinct, conflict, plot_files, table_file,
};
use super::interval::IntervalArgs;
use super::kernel::{Kernel, in_short, with_kernels};
use super::landmarks::{DaskArgs, LandmarkArgs};
use super::learning::LearningArgs;
use super::task::TaskArgs;
use super::test_rows::TestArgs;
use super::values::{not_negative, tolerance};

const KRR_EXAMPLES: &str = "\
Examples:
  mercer krr houses.csv --target price --model houses.mercer --plot scores.svg
  mercer krr houses.csv --target price --kernel rbf --kernel 'matern(nu=2.5)' --folds 5
  mercer krr houses.csv --target price --kernel 'rbf(sigma=2)' --alpha 0.1 --output fit.csv
  mercer krr houses.csv --target price --kernel 'rbf(sigma=median)' --optimize evidence --ard
  mercer krr iris.csv --target species --model species.mercer --json";

const PREDICT_EXAMPLES: &str = "\
Examples:
  mercer predict houses.mercer new-houses.csv
  mercer predict houses.mercer new-houses.csv --append --output with-prices.csv
  mercer predict houses.mercer new-houses.csv --std --output prices.parquet
  mercer predict houses.mercer new-houses.csv --interval 0.9
  mercer predict species.mercer new.csv --scores --json
  mercer predict flowers.mercer new.csv --probability --output flowers.csv
  mercer predict clusters.mercer new.csv --output nearest.csv";

/// Solver of the linear system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RidgeSolver {
    /// The fastest for the problem
    Auto,
    /// Cholesky factorisation
    Cholesky,
    /// Eigendecomposition
    Eigen,
    /// Preconditioned conjugate gradients; the matrix need not fit into memory
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

/// The search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// A kernel, e.g. `rbf(sigma=2)`, `laplacian` or `0.5*rbf(gamma=scale) + linear`; repeat to compare
    /// several. If its width is not given, several widths are compared
    #[arg(long, value_name = "SPEC", default_value = "rbf")]
    pub kernel: Vec<Kernel>,
    /// The ridge penalty, or a comma-separated list to compare [default: three per decade]
    #[arg(long, value_name = "ALPHA", value_delimiter = ',', value_parser = not_negative,
          allow_negative_numbers = true)]
    pub alpha: Vec<f64>,
    /// Choose a separate penalty for each target
    #[arg(hide_short_help = true, long)]
    pub alpha_per_target: bool,
    /// Score by k-fold cross-validation with this many folds
    /// [default: leave-one-out, in closed form]
    #[arg(long, value_name = "COUNT", conflicts_with = "gcv",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// Score by generalised cross-validation
    #[arg(hide_short_help = true, long)]
    pub gcv: bool,
    /// Skip cross-validation; requires a single kernel and penalty
    #[arg(hide_short_help = true, long, requires = "alpha", conflicts_with_all = ["folds", "gcv", "plot"])]
    pub no_score: bool,
    /// The folds.
    #[command(flatten)]
    pub validation: FoldArgs,
    /// Random seed of the folds and of the iterative solver
    #[arg(hide_short_help = true, long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
}

/// The fit.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct RidgeArgs {
    /// Do not fit an intercept
    #[arg(hide_short_help = true, long)]
    pub no_intercept: bool,
    /// Solver of the linear system; all are exact. With --landmarks and --no-score, `eigen` or `cg` [auto: `cg` above
    /// 5,000 landmarks]
    #[arg(hide_short_help = true, long, value_enum, default_value_t = RidgeSolver::Auto, value_name = "SOLVER")]
    pub solver: RidgeSolver,
    /// Relative residual at which the solver stops
    /// [default: 1e-10, or 1e-6 for kernel values in single precision]
    #[arg(hide_short_help = true, long, value_name = "RESIDUAL", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// Floating-point precision
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
}

/// What a search for kernel parameters makes best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Objective {
    /// The leave-one-out error, exactly
    Loo,
    /// The log marginal likelihood of a Gaussian process whose noise has the variance alpha
    Evidence,
    /// The alignment of the centred kernel matrix with that of the targets
    Alignment,
}

impl From<Objective> for optimize::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Loo => optimize::Objective::LeaveOneOut,
            Objective::Evidence => optimize::Objective::Evidence,
            Objective::Alignment => optimize::Objective::Alignment,
        }
    }
}

/// A search for kernel parameters by gradient.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct OptimizeArgs {
    /// Search for the parameters of a single kernel and the penalty by gradient, from their values on; then score
    /// and fit with those
    #[arg(hide_short_help = true, long, value_enum, value_name = "OBJECTIVE", conflicts_with_all = ["alpha_per_target", "landmarks"])]
    pub optimize: Option<Objective>,
    /// With `--optimize`: a width for each column
    #[arg(hide_short_help = true, long, requires = "optimize")]
    pub ard: bool,
    /// With `--optimize`: further starts at random
    #[arg(
        hide_short_help = true,
        long,
        value_name = "COUNT",
        requires = "optimize",
        default_value_t = 0
    )]
    pub restarts: usize,
}

impl OptimizeArgs {
    /// The parameters of the search, if there is one.
    pub fn params(&self, seed: u64) -> Option<OptimizeParams> {
        let mut params = OptimizeParams::new(self.optimize?.into());
        params.per_column = self.ard;
        params.restarts = self.restarts;
        params.seed = seed;
        Some(params)
    }
}

/// Flags of `mercer krr`.
#[derive(Debug, Args)]
#[command(after_help = in_short(KRR_EXAMPLES), after_long_help = with_kernels(KRR_EXAMPLES))]
pub struct KrrArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Target column, by name or position from 1, or several, e.g. `height,weight`. A numeric target gives
    /// a regression, a text column a classifier [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// Whether the target is a class or a value.
    #[command(flatten)]
    pub task: TaskArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// Held-out evaluation.
    #[command(flatten)]
    pub evaluation: TestArgs,
    /// The search.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Kernel parameters by gradient.
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// A low-rank fit.
    #[command(flatten)]
    pub landmarks: LandmarkArgs,
    /// A cluster.
    #[command(flatten)]
    pub cluster: DaskArgs,
    /// The fit.
    #[command(flatten)]
    pub ridge: RidgeArgs,
    /// Write targets and predictions for the training set to this .csv, .tsv, .parquet, .arrow, .npy or .libsvm
    /// file, gzipped if it also ends in .gz
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the fitted model to this file, for `mercer predict`
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// The HTML report.
    #[command(flatten)]
    pub page: ReportArgs,
    /// Explanations.
    #[command(flatten)]
    pub explain: ExplainArgs,
    /// Plot the scores of all kernels against the penalty to this .svg or .png file, or `-` for the
    /// terminal; may be repeated
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print a JSON report on standard output, with the scores of the whole grid
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Settings of a stored model.
    #[command(flatten)]
    pub template: FromModelArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArgs {
    /// Model file written by `krr`, `svc`, `svr`, `oneclass`, `search`, `auto`, `kmeans` or `outliers`, or
    /// a LIBSVM model
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
    /// Write all columns of the table beside the predictions
    #[arg(long, help_heading = "Output", conflicts_with = "label")]
    pub append: bool,
    /// Add the posterior standard deviation of every prediction: that of the Gaussian process whose
    /// covariance is the kernel and whose noise variance is the penalty
    #[arg(long, help_heading = "Output")]
    pub std: bool,
    /// With `--std`: the standard deviation of a single new value, estimated noise included, and not of the
    /// function alone
    #[arg(hide_short_help = true, long, requires = "std", help_heading = "Output")]
    pub noise: bool,
    /// Intervals.
    #[command(flatten)]
    pub interval: IntervalArgs,
    /// Add a score for each class: the largest wins; a single score for two classes, by its sign
    #[arg(long, help_heading = "Output")]
    pub scores: bool,
    /// Add the decision value of each pair of classes (SVMs only): positive for the first class of the pair;
    /// with only two classes, positive for the second
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub decisions: bool,
    /// Add class probabilities; requires a calibrated model (`svc --probability`)
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub probability: bool,
    /// Add a column with the row number in the table, counted from 1
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub row_numbers: bool,
    /// Write the predictions to this .csv, .tsv, .parquet, .arrow, .npy or .libsvm file, gzipped if it also ends in
    /// .gz [default: a table on standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Print a JSON report on standard output instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl KrrArgs {
    /// Flags of folds that another way of scoring excludes.
    fn check_folds(&self) -> Result<(), clap::Error> {
        let (search, folds) = (&self.search, &self.search.validation);
        folds.check(&self.evaluation)?;
        let flags = [
            (folds.metric.is_some(), "--metric"),
            (folds.time_ordered, "--time-ordered"),
            (folds.repeats > 1, "--repeats"),
            (folds.nested.is_some(), "--nested"),
        ];
        if let Some(metric) = folds.metric_of_probabilities() {
            return Err(conflict(&format!(
                "--metric {metric} scores probabilities, which a ridge classifier does not have: use `mercer search \
                 --probability sigmoid`"
            )));
        }
        let given = flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag));
        let nested = folds.nested.is_some() && given == Some("--nested");
        match given {
            Some(flag) if search.no_score => {
                Err(conflict(&format!("{flag} cannot be used with --no-score")))
            }
            Some(flag) if search.gcv && !nested => {
                Err(conflict(&format!("{flag} cannot be used with --gcv")))
            }
            _ if search.gcv
                && self.evaluation.groups.is_some()
                && self.evaluation.test.is_none() =>
            {
                Err(conflict("--groups cannot be used with --gcv, which knows no groups"))
            }
            _ => Ok(()),
        }
    }

    /// Flags of the solvers, which a search on landmarks does not use: it decomposes one matrix for all penalties.
    fn check_landmarks(&self) -> Result<(), clap::Error> {
        let flags = [
            (self.ridge.solver != RidgeSolver::Auto, "--solver"),
            (self.ridge.tolerance.is_some(), "--tolerance"),
        ];
        let given = flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag));
        let searches = self.landmarks.landmarks.is_some() && !self.search.no_score;
        match given.filter(|_| searches) {
            Some(flag) => Err(conflict(&format!(
                "{flag} applies to --landmarks only with --no-score: scores take a decomposition, which serves all penalties"
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.check_folds()?;
        self.check_landmarks()?;
        self.evaluation.check_table(&self.table)?;
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
