//! Flags of the cross-validation of a search.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use mercer::select::Criterion;

use super::groups::conflict;
use super::test_rows::TestArgs;

/// Cross-validation of a search.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Search")]
pub struct FoldArgs {
    /// The score to choose by: accuracy, balanced-accuracy, macro-f1, mcc or roc-auc for classes, and log-loss
    /// or brier where their probabilities are calibrated; r2, rmse, mae or pinball (the quantile loss of the
    /// ends of 90 % intervals) for numbers [default: accuracy, or that of squared errors]
    #[arg(hide_short_help = true, long, value_name = "NAME", value_parser = metrics(),
          hide_possible_values = true)]
    pub metric: Option<Criterion>,
    /// Rows are in the order of time: folds train on earlier rows and test on later ones
    #[arg(hide_short_help = true, long)]
    pub time_ordered: bool,
    /// Repeat the folds with other shuffles and average the scores
    #[arg(hide_short_help = true, long, value_name = "COUNT", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: u32,
    /// Score the whole search by nested cross-validation [default: 5 folds]
    #[arg(long, value_name = "COUNT", num_args = 0..=1, require_equals = true, default_missing_value = "5",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub nested: Option<u32>,
}

/// The names of metrics.
fn metrics() -> impl TypedValueParser<Value = Criterion> {
    PossibleValuesParser::new(Criterion::ALL.map(Criterion::name))
        .try_map(|name| name.parse::<Criterion>())
}

impl FoldArgs {
    /// The metric, if it scores probabilities.
    pub(super) fn metric_of_probabilities(&self) -> Option<&'static str> {
        self.metric.filter(|metric| metric.is_of_probabilities()).map(Criterion::name)
    }

    /// Refuses flags that exclude each other.
    pub(super) fn check(&self, test: &TestArgs) -> Result<(), clap::Error> {
        let both = |one: &str, other: &str| {
            Err(conflict(&format!("{one} and {other} cannot be used together")))
        };
        match () {
            () if self.time_ordered && self.repeats > 1 => both("--time-ordered", "--repeats"),
            () if self.time_ordered && test.groups.is_some() => both("--time-ordered", "--groups"),
            () => Ok(()),
        }
    }
}
