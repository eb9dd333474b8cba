//! Explanations of a model that predicts.

use clap::Args;

/// Explanations of a model that predicts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ExplainArgs {
    /// Compute which columns matter: how much the error grows when a column is shuffled, on the held-out rows if there are any, else on
    /// the training set. Costs up to 200,000 predictions
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub explain: bool,
}
