//! `--from-model`: the settings of a stored model.

use std::path::PathBuf;

use clap::Args;

/// Settings of a stored model, for a new fit.
#[derive(Debug, Args)]
pub struct FromModelArgs {
    /// Fit again with the settings of this model: its kernel with the widths as numbers, its parameters, columns, scaling
    /// and treatment of missing values. Options of the command line take precedence
    #[arg(hide_short_help = true, long, value_name = "MODEL", help_heading = "Input")]
    pub from_model: Option<PathBuf>,
}
