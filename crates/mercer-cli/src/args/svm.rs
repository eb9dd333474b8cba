//! The flags of support vector machines: `svc`, `svr`, `oneclass` and `search`.

use clap::{Args, ValueEnum};
use mercer::model::svm::Method;

use super::groups::{MachineArgs, Precision, TableArgs};
use super::kernel::{Kernel, with_kernels};
use super::learning::{LearnedArgs, LearningArgs};
use super::values::{ClassWeights, MemorySize, cost, not_negative, positive, share};

const SVC_EXAMPLES: &str = "\
Examples:
  mercer svc iris.csv --target species --model flowers.mercer --probability sigmoid
  mercer svc iris.csv --target species --columns sepal_length,petal_length --plot flowers.svg
  mercer svc iris.csv --target species --kernel 'poly(degree=3)' -C 10 --class-weight balanced
  mercer svc heart.libsvm --scale none --libsvm-model heart.model";

const SVR_EXAMPLES: &str = "\
Examples:
  mercer svr houses.csv --target price -C 100 --epsilon 5 --model prices.mercer
  mercer svr houses.csv --target price --nu 0.3 -C 100 --output fit.csv
  mercer svr houses.csv --target price --columns area -C 100 --epsilon 10 --plot tube.svg";

const ONECLASS_EXAMPLES: &str = "\
Examples:
  mercer oneclass houses.csv --nu 0.05 --output outside.csv --model usual.mercer
  mercer oneclass houses.csv --columns area,age --plot usual.svg";

const SEARCH_EXAMPLES: &str = "\
Examples:
  mercer search iris.csv --target species --model found.mercer
  mercer search iris.csv --target species --costs 0.1,1,10 --gammas 0.1,1 --folds 3
  mercer search houses.csv --target price --kernel rbf --kernel linear --costs 10,100,1000 --json";

/// The curve that turns decisions into probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Calibration {
    /// A sigmoid with a slope on each side of the boundary, for few rows
    Sigmoid,
    /// A rising step function, for many rows
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

/// How the optimum is found.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct SmoArgs {
    /// The violation of the optimality conditions at which the solver stops
    #[arg(long, value_name = "VIOLATION", default_value = "1e-3", value_parser = positive)]
    pub tolerance: f64,
    /// Steps at most, for each pair of classes [default: no limit]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_iter: Option<u64>,
    /// Seconds at most [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub max_time: Option<f64>,
    /// The memory for kernel columns, e.g. `500MB` [default: 2 GB, or the budget if that is less]
    #[arg(long, value_name = "SIZE")]
    pub cache: Option<MemorySize>,
    /// Work on all rows all the time, also on those whose coefficients stay at their bound
    #[arg(long)]
    pub no_shrinking: bool,
    /// The number type of the work
    #[arg(long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
}

/// Flags of `mercer svc`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(SVC_EXAMPLES))]
pub struct SvcArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// The column that holds the classes, by name or by position from 0, as text or numbers
    /// [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// From which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// C, the price of a unit on the wrong side of the margin; inf allows none
    #[arg(short = 'C', long, value_name = "C", default_value = "1", value_parser = cost,
          allow_negative_numbers = true, conflicts_with = "nu", help_heading = "Model")]
    pub cost: f64,
    /// Instead of C, the share of rows that may be on the wrong side of the margin (nu-SVC)
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true,
          help_heading = "Model")]
    pub nu: Option<f64>,
    /// How much more a row of a class costs: `balanced`, or by name, such as `yes=5,no=1`
    #[arg(long, value_name = "WEIGHTS", help_heading = "Model", conflicts_with = "nu")]
    pub class_weight: Option<ClassWeights>,
    /// Calibrate probabilities, by decisions for rows that five fits on the others did not see
    #[arg(long, value_enum, value_name = "CURVE", help_heading = "Model")]
    pub probability: Option<Calibration>,
    /// How it is fitted.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Where results go.
    #[command(flatten)]
    pub learned: LearnedArgs,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer svr`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(SVR_EXAMPLES))]
pub struct SvrArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// The column of numbers to learn, by name or by position from 0
    /// [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// From which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `poly(degree=3)`, `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// C, the price of a unit beyond the tube. The target is not scaled: where its values are large,
    /// so must C be; inf allows none
    #[arg(short = 'C', long, value_name = "C", default_value = "1", value_parser = cost,
          allow_negative_numbers = true, help_heading = "Model")]
    pub cost: f64,
    /// Half the width of the tube within which errors cost nothing, in units of the target
    #[arg(long, value_name = "WIDTH", default_value = "0.1", value_parser = not_negative,
          allow_negative_numbers = true, conflicts_with = "nu", help_heading = "Model")]
    pub epsilon: f64,
    /// Instead of the width of the tube, the share of rows that may be outside of it (nu-SVR)
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true,
          help_heading = "Model")]
    pub nu: Option<f64>,
    /// How it is fitted.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Where results go.
    #[command(flatten)]
    pub learned: LearnedArgs,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer oneclass`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(ONECLASS_EXAMPLES))]
pub struct OneclassArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// From which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// The kernel, e.g. `rbf(sigma=2)`, `laplacian` or `0.5*rbf(gamma=scale) + linear`
    #[arg(long, value_name = "SPEC", default_value = "rbf(gamma=scale)", help_heading = "Model")]
    pub kernel: Kernel,
    /// About the share of rows to leave outside. LIBSVM takes 0.5, which is more than most would call
    /// unusual
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = share,
          allow_negative_numbers = true, help_heading = "Model")]
    pub nu: f64,
    /// How it is fitted.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Where results go.
    #[command(flatten)]
    pub learned: LearnedArgs,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer search`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(SEARCH_EXAMPLES))]
pub struct SvmSearchArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// The column to learn, by name or by position from 0: numbers are predicted, a column of text
    /// holds classes [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// Take the target for classes, even if it holds numbers
    #[arg(long, help_heading = "Input")]
    pub classify: bool,
    /// From which of its columns.
    #[command(flatten)]
    pub learning: LearningArgs,
    /// A kernel; may be given several times, to compare. One whose width is left open, such as `rbf`
    /// or `laplacian`, stands for several widths around what the data suggests
    #[arg(long, value_name = "SPEC", default_value = "rbf", help_heading = "Search")]
    pub kernel: Vec<Kernel>,
    /// The widths of RBF kernels to compare, instead of --kernel
    #[arg(long, value_name = "GAMMA", value_delimiter = ',', value_parser = positive,
          allow_negative_numbers = true, conflicts_with = "kernel", help_heading = "Search")]
    pub gammas: Vec<f64>,
    /// The costs C to compare
    #[arg(short = 'C', long, value_name = "C", value_delimiter = ',', value_parser = positive,
          allow_negative_numbers = true, default_value = "0.1,1,10,100", help_heading = "Search")]
    pub costs: Vec<f64>,
    /// Compare by predictions for this many parts of the rows, each by a fit on the others
    #[arg(long, value_name = "COUNT", default_value_t = 5, help_heading = "Search",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: u32,
    /// The seed of the folds
    #[arg(long, value_name = "SEED", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// For classes: how much more a row of a class costs: `balanced`, or by name, such as `yes=5,no=1`
    #[arg(long, value_name = "WEIGHTS", help_heading = "Model")]
    pub class_weight: Option<ClassWeights>,
    /// For classes: calibrate probabilities of the chosen model
    #[arg(long, value_enum, value_name = "CURVE", help_heading = "Model")]
    pub probability: Option<Calibration>,
    /// For numbers: half the width of the tube within which errors cost nothing, in units of the
    /// target [default: 0.1]
    #[arg(long, value_name = "WIDTH", value_parser = not_negative, allow_negative_numbers = true,
          help_heading = "Model")]
    pub epsilon: Option<f64>,
    /// How it is fitted.
    #[command(flatten)]
    pub smo: SmoArgs,
    /// Where results go.
    #[command(flatten)]
    pub learned: LearnedArgs,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}
