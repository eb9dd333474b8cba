//! Flags that several verbs share, in groups as `--help` shows them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, CommandFactory, ValueEnum};
use mercer::model::ScalingKind;

use super::columns::ColumnChoice;
use super::destination::{ModelFile, Picture, TableFile, same_file};
use super::values::{Components, MemorySize, tolerance};

/// Where a table comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableSource {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<OsString> for TableSource {
    fn from(text: OsString) -> Self {
        if text == "-" { TableSource::Stdin } else { TableSource::File(text.into()) }
    }
}

/// Formats in which tables are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// By the ending of the name, or else by the first bytes
    Auto,
    /// Comma-separated values
    Csv,
    /// Tab-separated values
    Tsv,
    /// Apache Parquet
    Parquet,
    /// A NumPy array of two dimensions
    Npy,
    /// LIBSVM text: label index:value …
    Libsvm,
}

/// Whether the first line of a text table holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Header {
    /// Names if no field of it is a number
    Auto,
    /// Names
    Yes,
    /// Values
    No,
}

/// How eigenvectors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Solver {
    /// By the number of rows and components
    Auto,
    /// All eigenvectors at once
    Full,
    /// The leading ones, block by block, until their residuals are small
    Krylov,
}

/// The number type of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// Double precision throughout
    F64,
    /// Single-precision samples
    F32,
    /// Kernel values in single, vectors and sums in double precision
    Mixed,
}

/// The table to read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The table: CSV, TSV, Parquet, NumPy .npy or LIBSVM text; `-` is standard input
    #[arg(value_name = "TABLE", help_heading = None::<&str>,
          value_parser = OsStringValueParser::new().map(TableSource::from))]
    pub table: TableSource,
    /// The format of the table
    #[arg(long, value_enum, default_value_t = InputFormat::Auto, value_name = "FORMAT")]
    pub format: InputFormat,
    /// Whether the first line of a text table holds the names of the columns
    #[arg(long, value_enum, default_value_t = Header::Auto, value_name = "WHETHER")]
    pub header: Header,
    /// The columns to use, by name or by position from 1, e.g. `height,weight` or `1-4,7`
    /// [default: all but the label]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<ColumnChoice>,
    /// A column that is carried along and colours the picture, but is not computed with
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<ColumnChoice>,
}

/// How columns are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Leave values as they are
    None,
    /// Subtract the mean, divide by the standard deviation
    Standard,
    /// Map the smallest value to 0 and the largest to 1
    Minmax,
}

impl From<Scale> for ScalingKind {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::None => ScalingKind::None,
            Scale::Standard => ScalingKind::Standard,
            Scale::Minmax => ScalingKind::Minmax,
        }
    }
}

/// What to compute, for both kinds of PCA.
#[derive(Debug, Args)]
#[command(next_help_heading = "Components")]
pub struct ComponentArgs {
    /// How many components: a count, a fraction of the variance (0.95 or 95%), or `all`
    #[arg(short = 'k', long = "components", value_name = "K", default_value = "2")]
    pub count: Components,
    /// Scaling of every column before anything else; stored in the model
    #[arg(long, value_enum, default_value_t = Scale::None, value_name = "HOW")]
    pub scale: Scale,
    /// How eigenvectors are found
    #[arg(long, value_enum, default_value_t = Solver::Auto, value_name = "SOLVER")]
    pub solver: Solver,
    /// The relative residual at which the iterative solver stops [default: that of the library]
    #[arg(long, value_name = "RESIDUAL", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// The seed of everything random
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The number type of the work
    #[arg(long, value_enum, default_value_t = Precision::F64, value_name = "TYPE")]
    pub precision: Precision,
}

/// What the work may use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// The memory that the work may take, e.g. `2GiB` or `500M` [default: what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    /// The threads that share the work; 0 takes all cores. Results do not depend on it
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub threads: usize,
}

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write the components of every row to this .csv, .tsv, .parquet or .npy file
    /// [default: a table on standard output]
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the fitted model to this file
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// Draw the first two components into this .svg or .png file
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Option<Picture>,
    /// Print a report for machines on standard output, and no table
    #[arg(long)]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

impl OutputArgs {
    /// Refuses two results for one file: the second would replace the first.
    pub fn check_distinct(&self) -> Result<(), clap::Error> {
        let files = [
            ("--output", self.output.as_ref().map(|file| &file.path)),
            ("--model", self.model.as_ref().map(|file| &file.path)),
            ("--plot", self.plot.as_ref().map(|file| &file.path)),
        ];
        for (i, (flag, path)) in files.iter().enumerate() {
            for (earlier, other) in &files[..i] {
                if let (Some(path), Some(other)) = (path, other)
                    && same_file(path, other)
                {
                    return Err(conflict(&format!("{earlier} and {flag} name the same file")));
                }
            }
        }
        Ok(())
    }
}

/// A usage error with the message `message`, shown and counted like clap's own.
fn conflict(message: &str) -> clap::Error {
    let mut command = super::Cli::<super::Verb>::command();
    command.error(clap::error::ErrorKind::ArgumentConflict, message)
}
