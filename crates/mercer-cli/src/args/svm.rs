//! The flags of support vector machines: `svc`, `svr`, `oneclass` and `search`.

use clap::{Args, ValueEnum};
use mercer::model::svm::Method;

use super::explain::ExplainArgs;
use super::folds::FoldArgs;
use super::from_model::FromModelArgs;
use super::groups::{MachineArgs, Precision, TableArgs, conflict};
use super::kernel::{Kernel, in_short, with_kernels};
use super::landmarks::LandmarkArgs;
use super::learning::{LearningArgs, SvmOutputArgs};
use super::task::TaskArgs;
use super::test_rows::TestArgs;
use super::values::{ClassWeights, MemorySize, cost, fraction, not_negative, positive};

const SVC_EXAMPLES: &str = "\
Examples:
  mercer svc iris.csv --target species --model flowers.mercer --probability sigmoid
  mercer svc iris.csv --target species --columns sepal_length,petal_length --plot flowers.svg
  mercer svc iris.csv --target species --kernel 'poly(degree=3)' -C 10 --class-weight balanced
  mercer svc heart.libsvm --scale none --libsvm-model heart.model
  mercer svc iris.csv --target species --landmarks 50 --model landmarks.mercer";

const SVR_EXAMPLES: &str = "\
Examples:
  mercer svr houses.csv --target price -C 10 --epsilon 0.05 --model prices.mercer
  mercer svr houses.csv --target price --nu 0.3 -C 100 --output fit.csv
  mercer svr houses.csv --target price --columns area -C 10 --epsilon 0.1 --plot tube.svg";

const ONECLASS_EXAMPLES: &str = "\
Examples:
  mercer oneclass houses.csv --nu 0.05 --output outside.csv --model usual.mercer
  mercer oneclass houses.csv --columns area,age --plot usual.svg";

const SEARCH_EXAMPLES: &str = "\
Examples:
  mercer search iris.csv --target species --model found.mercer
  mercer search iris.csv --target species --costs 0.1,1,10 --gammas 0.1,1 --folds 3
  mercer search iris.csv --target species --refine --nested
  mercer search houses.csv --target price --kernel rbf --kernel linear --costs 1,10,100 --json";

/// Calibration of decision values to probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Calibration {
    /// A sigmoid with a slope on each side of the boundary, for small data sets
    Sigmoid,
    /// Isotonic regression, for large data sets
    Isotonic,
}

impl From<Calibration> for Method {
    fn from(calibration: Calibration) -> Self {
        match calibration {
            Calibration::Sigmoid => Method::Sigmoid,
            Calibration::Isotonic => Method::Isotonic,
        }
    }
}

/// Solver options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct SmoArgs {
    /// Stop when the violation of the optimality conditions falls below this
    #[arg(hide_short_help = true, long, value_name = "VIOLATION", default_value = "1e-3", value_parser = positive)]
    pub tolerance: f64,
    /// Maximum number of iterations for each pair of classes [default: no limit]
    #[arg(hide_short_help = true, long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_iter: Option<u64>,
    /// Time limit in seconds [default: no limit]
    #[arg(hide_short_help = true, long, value_name = "SECONDS", value_parser = positive)]
    pub max_time: Option<f64>,
    /// Size of the kernel cache, e.g. `500MiB` [default: 1.86 GiB, or the memory budget if that is less]
    #[arg(hide_short_help = true, long, value_name = "SIZE")]
    pub cache: Option<MemorySize>,
    /// Disable shrinking
    #[arg(hide_short_help = true, long)]
    pub no_shrinking: bool,
    /// Floating-point precision
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
    /// An approximation for large tables.
    #[command(flatten)]
    pub landmarks: LandmarkArgs,
    /// Continue from the fit on landmarks to the exact solution
    #[arg(hide_short_help = true, long, requires = "landmarks", help_heading = "Kernel")]
    pub polish: bool,
    /// Divide the rows into cells of at most this many and fit an SVM on each: for large tables of few columns
    /// [default: a single SVM]
    #[arg(hide_short_help = true, long, value_name = "ROWS", conflicts_with = "landmarks", help_heading = "Fit",
          value_parser = clap::value_parser!(u32).range(10..))]
    pub cells: Option<u32>,
    /// How many rows of neighbouring cells each cell is also fitted on, as a share of --cells
    #[arg(hide_short_help = true, long, value_name = "SHARE", requires = "cells", default_value = "0.25",
          value_parser = not_negative, help_heading = "Fit")]
    pub cell_overlap: f64,
}

/// The choice among an exact fit and approximations.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct ApproximationArgs {
    /// `auto` chooses among an exact fit, --landmarks 1000 and --cells 2000, by estimates of time and memory, which are printed first, and by small
    /// fits of each kind to a sample of the rows [default: what --landmarks and --cells say]
    #[arg(hide_short_help = true, long, value_enum, value_name = "CHOICE", conflicts_with_all = ["landmarks", "cells", "polish"])]
    pub approximation: Option<Approximation>,
}

/// How an approximation is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Approximation {
    /// By estimates
    Auto,
}

/// Flags of `mercer svc`.
#[derive(Debug, Args)]
#[command(after_help = in_short(SVC_EXAMPLES), after_long_help = with_kernels(SVC_EXAMPLES))]
pub struct SvcArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Target column with the class labels, by name or position from 1; text or numbers
    /// [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// Which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// Held-out evaluation.
    #[command(flatten)]
    pub evaluation: TestArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// The cost C of margin violations; `inf` for a hard margin
    #[arg(short = 'C', long, value_name = "C", default_value = "1", value_parser = cost,
          allow_negative_numbers = true, conflicts_with = "nu", help_heading = "Model")]
    pub cost: f64,
    /// Fit a nu-SVC: an upper bound on the fraction of margin errors, instead of C
    #[arg(long, value_name = "NU", value_parser = fraction, allow_negative_numbers = true,
          help_heading = "Model")]
    pub nu: Option<f64>,
    /// Class weights, multiples of C: `balanced`, or by name, e.g. `yes=5,no=1`
    #[arg(
        hide_short_help = true,
        long,
        value_name = "WEIGHTS",
        help_heading = "Model",
        conflicts_with = "nu"
    )]
    pub class_weight: Option<ClassWeights>,
    /// Calibrate class probabilities on out-of-fold decision values of 5-fold cross-validation
    #[arg(hide_short_help = true, long, value_enum, value_name = "METHOD", help_heading = "Model")]
    pub probability: Option<Calibration>,
    /// Also fit on 5 folds, for `predict --interval` without --test
    #[arg(hide_short_help = true, long, help_heading = "Model")]
    pub intervals: bool,
    /// What is approximated.
    #[command(flatten)]
    pub approximation: ApproximationArgs,
    /// Solver options.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Outputs.
    #[command(flatten)]
    pub outputs: SvmOutputArgs,
    /// Settings of a stored model.
    #[command(flatten)]
    pub template: FromModelArgs,
    /// Explanations.
    #[command(flatten)]
    pub explain: ExplainArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer svr`.
#[derive(Debug, Args)]
#[command(after_help = in_short(SVR_EXAMPLES), after_long_help = with_kernels(SVR_EXAMPLES))]
pub struct SvrArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Numeric target column, by name or position from 1 [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// Which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// Held-out evaluation.
    #[command(flatten)]
    pub evaluation: TestArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// The cost C of errors beyond the tube, in units of the standard deviation of the target; `inf` allows
    /// none
    #[arg(short = 'C', long, value_name = "C", default_value = "1", value_parser = cost,
          allow_negative_numbers = true, help_heading = "Model")]
    pub cost: f64,
    /// Half-width epsilon of the tube within which errors cost nothing, in units of the
    /// standard deviation of the target
    #[arg(long, value_name = "WIDTH", default_value = "0.1", value_parser = not_negative,
          allow_negative_numbers = true, conflicts_with = "nu", help_heading = "Model")]
    pub epsilon: f64,
    /// Take cost and epsilon in units of the target itself, as LIBSVM does, not of its standard deviation
    #[arg(hide_short_help = true, long, help_heading = "Model")]
    pub absolute: bool,
    /// Fit a nu-SVR: an upper bound on the fraction of rows outside the tube, instead of epsilon
    #[arg(long, value_name = "NU", value_parser = fraction, allow_negative_numbers = true,
          help_heading = "Model")]
    pub nu: Option<f64>,
    /// Also fit on 5 folds, for `predict --interval` without --test
    #[arg(hide_short_help = true, long, help_heading = "Model")]
    pub intervals: bool,
    /// What is approximated.
    #[command(flatten)]
    pub approximation: ApproximationArgs,
    /// Solver options.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Outputs.
    #[command(flatten)]
    pub outputs: SvmOutputArgs,
    /// Settings of a stored model.
    #[command(flatten)]
    pub template: FromModelArgs,
    /// Explanations.
    #[command(flatten)]
    pub explain: ExplainArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer oneclass`.
#[derive(Debug, Args)]
#[command(after_help = in_short(ONECLASS_EXAMPLES), after_long_help = with_kernels(ONECLASS_EXAMPLES))]
pub struct OneclassArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `laplacian` or `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// Approximate fraction of training rows left outside; LIBSVM's default is 0.5
    #[arg(long, value_name = "NU", default_value = "0.1", value_parser = fraction,
          allow_negative_numbers = true, help_heading = "Model")]
    pub nu: f64,
    /// What is approximated.
    #[command(flatten)]
    pub approximation: ApproximationArgs,
    /// Solver options.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Outputs.
    #[command(flatten)]
    pub outputs: SvmOutputArgs,
    /// Settings of a stored model.
    #[command(flatten)]
    pub template: FromModelArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer search`.
#[derive(Debug, Args)]
#[command(after_help = in_short(SEARCH_EXAMPLES), after_long_help = with_kernels(SEARCH_EXAMPLES))]
pub struct SvmSearchArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Target column, by name or position from 1. A numeric target gives a regression, a text column a
    /// classifier [default: the label of LIBSVM text]
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
    /// A kernel; repeat to compare several. If its width is not given, as in `rbf` or `laplacian`, several
    /// widths around the data's own scale are compared
    #[arg(long, value_name = "SPEC", default_value = "rbf", help_heading = "Search")]
    pub kernel: Vec<Kernel>,
    /// Values of gamma of RBF kernels to compare, instead of --kernel
    #[arg(long, value_name = "GAMMA", value_delimiter = ',', value_parser = positive,
          allow_negative_numbers = true, conflicts_with = "kernel", help_heading = "Search")]
    pub gammas: Vec<f64>,
    /// Values of the cost C to compare; for regressions in units of the standard deviation of the target
    #[arg(short = 'C', long, value_name = "C", value_delimiter = ',', value_parser = positive,
          allow_negative_numbers = true, default_value = "0.1,1,10,100", help_heading = "Search")]
    pub costs: Vec<f64>,
    /// Number of cross-validation folds
    #[arg(long, value_name = "COUNT", default_value_t = 5, help_heading = "Search",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: u32,
    /// The folds.
    #[command(flatten)]
    pub validation: FoldArgs,
    /// Search a second, finer grid around the best of the first
    #[arg(long, help_heading = "Search")]
    pub refine: bool,
    /// Choose the kernel and the cost of every cell of --cells on its own held-out rows; widths that are not given are then set from
    /// the rows of the cell
    #[arg(hide_short_help = true, long, requires = "cells", conflicts_with_all = ["refine", "intervals"], help_heading = "Search")]
    pub per_cell: bool,
    /// Random seed of the folds
    #[arg(
        hide_short_help = true,
        long,
        value_name = "SEED",
        default_value_t = 0,
        help_heading = "Search"
    )]
    pub seed: u64,
    /// For classifiers: class weights, multiples of C: `balanced`, or by name, e.g. `yes=5,no=1`
    #[arg(hide_short_help = true, long, value_name = "WEIGHTS", help_heading = "Model")]
    pub class_weight: Option<ClassWeights>,
    /// For classifiers: calibrate class probabilities of the chosen model
    #[arg(hide_short_help = true, long, value_enum, value_name = "METHOD", help_heading = "Model")]
    pub probability: Option<Calibration>,
    /// For regressions: half-width epsilon of the tube within which errors cost nothing, in units of the
    /// standard deviation of the target [default: 0.1]
    #[arg(hide_short_help = true, long, value_name = "WIDTH", value_parser = not_negative, allow_negative_numbers = true,
          help_heading = "Model")]
    pub epsilon: Option<f64>,
    /// For regressions: take costs and epsilon in units of the target itself, as LIBSVM does, not of its standard deviation
    #[arg(hide_short_help = true, long, help_heading = "Model")]
    pub absolute: bool,
    /// Also fit on 5 folds, for `predict --interval` without --test
    #[arg(hide_short_help = true, long, help_heading = "Model")]
    pub intervals: bool,
    /// Solver options.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Outputs.
    #[command(flatten)]
    pub outputs: SvmOutputArgs,
    /// Explanations.
    #[command(flatten)]
    pub explain: ExplainArgs,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl SvcArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.evaluation.check_groups()?;
        self.evaluation.check_table(&self.table)?;
        self.outputs.check_files(&self.table, &self.learning)
    }
}

impl SvrArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.evaluation.check_groups()?;
        self.evaluation.check_table(&self.table)?;
        self.outputs.check_files(&self.table, &self.learning)
    }
}

impl SvmSearchArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        self.validation.check(&self.evaluation)?;
        self.evaluation.check_table(&self.table)?;
        if let (Some(metric), None) = (self.validation.metric_of_probabilities(), self.probability)
        {
            return Err(conflict(&format!(
                "--metric {metric} scores probabilities: add --probability sigmoid or isotonic"
            )));
        }
        self.outputs.check_files(&self.table, &self.learning)
    }
}
