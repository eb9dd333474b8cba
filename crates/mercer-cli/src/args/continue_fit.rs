//! The flags of `continue`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::destination::ModelFile;
use super::groups::{MachineArgs, TableArgs, check_distinct, table_file};

const CONTINUE_EXAMPLES: &str = "\
Examples:
  mercer krr houses.csv --target price --landmarks 30 --keep-sums --model prices.mercer
  mercer continue prices.mercer houses.csv --model prices.mercer
  mercer continue prices.mercer houses.csv --memory 2GiB --model all-prices.mercer";

/// Flags of `mercer continue`.
#[derive(Debug, Args)]
#[command(after_help = CONTINUE_EXAMPLES)]
pub struct ContinueArgs {
    /// Model file written by `kpca`, `krr`, `outliers` or `features` with --landmarks and --keep-sums
    #[arg(value_name = "MODEL")]
    pub from: PathBuf,
    /// The table of new rows.
    #[command(flatten)]
    pub table: TableArgs,
    /// Columns to use, in the order of the model [default: the columns of the model, matched by name, or by
    /// position if the table has no header]
    #[arg(long, value_name = "COLUMNS", help_heading = "Input")]
    pub columns: Option<String>,
    /// Write the model of all rows to this file, which may be MODEL itself
    #[arg(short, long, value_name = "FILE", help_heading = "Output", required = true,
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: ModelFile,
    /// Print a JSON report on standard output
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl ContinueArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        let inputs: Vec<_> = table_file(&self.table.source).into_iter().collect();
        check_distinct(&inputs, &[("--model", self.model.path.as_path())])
    }
}
