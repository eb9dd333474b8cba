//! The flags of `mercer auto`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::destination::{ModelFile, Picture};
use super::groups::{
    MachineArgs, ReportArgs, TableArgs, check_distinct, conflict, plot_files, table_file,
};
use super::learning::FeatureArgs;
use super::values::positive;

const AUTO_EXAMPLES: &str = "\
Examples:
  mercer auto iris.csv --target species --time 10 --model best.mercer
  mercer auto houses.csv --target price --time 10 --metric rmse --plot models.svg
  mercer auto passengers.csv --target survived --columns ^name --time 10 --json
  mercer auto names.csv --target family --columns name --time 10";

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AutoTask {
    /// Classes if the target is text, else numbers
    Auto,
    /// Class labels; numbers are names of classes too
    Classification,
    /// Numbers
    Regression,
}

/// The score by which models are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AutoMetric {
    /// The share of rows whose class is predicted (classification)
    Accuracy,
    /// The mean over the classes of the share of rows that are predicted (classification)
    BalancedAccuracy,
    /// The share of the variance that is explained (regression)
    R2,
    /// The root mean squared error (regression); smaller is better
    Rmse,
}

impl AutoMetric {
    /// Whether it scores classes.
    pub fn is_of_classes(self) -> bool {
        matches!(self, AutoMetric::Accuracy | AutoMetric::BalancedAccuracy)
    }
}

/// Flags of `mercer auto`.
#[derive(Debug, Args)]
#[command(after_help = AUTO_EXAMPLES)]
pub struct AutoArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Target column, by name or position from 1. A numeric target gives a regression, a text column a
    /// classifier [default: the label of LIBSVM text]
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub target: Option<String>,
    /// Which of its columns.
    #[command(flatten)]
    pub features: FeatureArgs,
    /// What is learned
    #[arg(long, value_enum, default_value_t = AutoTask::Auto, value_name = "TASK", help_heading = "Comparison",
          hide_possible_values = true)]
    pub task: AutoTask,
    /// The score: `accuracy` or `balanced-accuracy`, `r2` or `rmse` [default: accuracy, or r2 for a regression]
    #[arg(
        long,
        value_enum,
        value_name = "METRIC",
        help_heading = "Comparison",
        hide_possible_values = true
    )]
    pub metric: Option<AutoMetric>,
    /// Time budget in seconds, four fifths of it for the comparison. Models that are not done by then are listed as out of
    /// time; baselines are always compared
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = positive,
          allow_negative_numbers = true, help_heading = "Comparison")]
    pub time: f64,
    /// Compare on at most so many rows, drawn at random; the final model is fitted on all
    #[arg(long, value_name = "COUNT", default_value_t = 2000, help_heading = "Comparison",
          value_parser = clap::value_parser!(u32).range(10..))]
    pub max_rows: u32,
    /// Outer folds of the nested cross-validation
    #[arg(long, value_name = "COUNT", default_value_t = 5, help_heading = "Comparison",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: u32,
    /// Random seed of the folds and of the rows drawn
    #[arg(
        hide_short_help = true,
        long,
        value_name = "SEED",
        default_value_t = 0,
        help_heading = "Comparison"
    )]
    pub seed: u64,
    /// Write the best model, fitted on all rows, to this file, for `mercer predict`
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// The HTML report.
    #[command(flatten)]
    pub page: ReportArgs,
    /// Plot the scores of all models to this .svg or .png file, or `-` for the terminal; may be repeated
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print a JSON report on standard output, with the scores of every fold, instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl AutoArgs {
    /// Refuses outputs that would replace the table or each other, and a metric that contradicts the task.
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        let is_classes = match self.task {
            AutoTask::Auto => None,
            task => Some(task == AutoTask::Classification),
        };
        if let (Some(is_classes), Some(metric)) = (is_classes, self.metric)
            && metric.is_of_classes() != is_classes
        {
            return Err(conflict("--metric does not score what --task names"));
        }
        let inputs: Vec<_> = table_file(&self.table.source).into_iter().collect();
        let model = self.model.iter().map(|file| ("--model", file.path.as_path()));
        let outputs: Vec<_> = model.chain(self.page.file()).chain(plot_files(&self.plot)).collect();
        check_distinct(&inputs, &outputs)
    }
}
