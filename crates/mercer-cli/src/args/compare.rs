//! The flags of `compare`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use mercer::io::Source;

use super::destination::{PageFile, Picture, TableFile};
use super::groups::{
    ColumnArgs, MachineArgs, NamedFile, Scale, TableArgs, check_distinct, plot_files, table_file,
};
use super::kernel::{Kernel, in_short, with_kernels};
use super::values::positive;

const EXAMPLES: &str = "\
Examples:
  mercer compare houses.csv new-houses.csv
  mercer compare iris.csv new.csv --columns ^species --report drift.html --plot drift.svg
  mercer compare names.csv new-names.csv --columns name --kernel 'normalize(spectrum(p=3))'
  mercer compare houses.csv new-houses.csv --permutations 9999 --level 0.01 --json

A p-value above --level is no evidence that both tables come from one distribution.";

/// Flags of `mercer compare`.
#[derive(Debug, Args)]
#[command(after_help = in_short(EXAMPLES), after_long_help = with_kernels(EXAMPLES))]
pub struct CompareArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// The table to compare it with, with the same columns
    #[arg(value_name = "NEW", help_heading = None::<&str>,
          value_parser = OsStringValueParser::new().map(|name| Source::named(PathBuf::from(name))))]
    pub new: Source,
    /// Which columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Scale every column first, by the rows of both tables [default: standard for kernels with a width, such as rbf;
    /// else none]
    #[arg(long, value_enum, value_name = "METHOD", help_heading = "Input")]
    pub scale: Option<Scale>,
    /// The kernel, e.g. `rbf(sigma=2)`, or `energy` for the energy distance
    #[arg(long, value_name = "SPEC", default_value = "rbf(sigma=median)", help_heading = "Test")]
    pub kernel: Kernel,
    /// Number of random permutations; p-values are multiples of 1 / (permutations + 1)
    #[arg(long, value_name = "COUNT", default_value_t = 999, help_heading = "Test",
          value_parser = clap::value_parser!(u32).range(9..=10_000_000))]
    pub permutations: u32,
    /// The level: the probability of detecting a difference where there is none
    #[arg(long, value_name = "LEVEL", default_value = "0.05", value_parser = level, help_heading = "Test")]
    pub level: f64,
    /// Seed of the permutations
    #[arg(
        hide_short_help = true,
        long,
        value_name = "SEED",
        default_value_t = 0,
        help_heading = "Test"
    )]
    pub seed: u64,
    /// Write the witness function at every row of both tables to this .csv, .tsv, .parquet or .npy file: high where the old
    /// table is denser, low where the new one is
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Plot the witness function to this .svg or .png file, or `-` for the terminal; may be repeated. Two columns give a map
    /// with the rows of both tables, otherwise it is plotted along the columns that moved most
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Write a self-contained HTML report to this file
    #[arg(long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(PageFile::try_from))]
    pub report: Option<PageFile>,
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

fn level(text: &str) -> Result<f64, String> {
    let level = positive(text)?;
    match level < 1.0 {
        true => Ok(level),
        false => Err("must be below 1".into()),
    }
}

impl CompareArgs {
    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        let new = table_file(&self.new).map(|(_, path)| ("NEW", path));
        let inputs: Vec<NamedFile<'_>> =
            table_file(&self.table.source).into_iter().chain(new).collect();
        let output = self.output.iter().map(|file| ("--output", file.path.as_path()));
        let page = self.report.iter().map(|file| ("--report", file.path.as_path()));
        let outputs: Vec<NamedFile<'_>> =
            output.chain(plot_files(&self.plot)).chain(page).collect();
        check_distinct(&inputs, &outputs)
    }
}
