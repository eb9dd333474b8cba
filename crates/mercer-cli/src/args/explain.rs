//! Explanations of a model that predicts.

use clap::Args;

/// Explanations of a model that predicts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ExplainArgs {
    /// Explain the model on the held-out rows if there are any, else on the training set: which columns matter, by how much the error grows when one is
    /// shuffled; with --report or --json also what the prediction is as a column varies, what columns and training rows add to the
    /// predictions that are worst, and the weights of substrings in string kernels. Costs up to some 300,000 predictions
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub explain: bool,
}
