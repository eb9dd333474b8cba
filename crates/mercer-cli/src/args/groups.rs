//! Flags that several verbs share, in groups as `--help` shows them.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, CommandFactory, ValueEnum};
use mercer::io::{self, Source};
use mercer::model::{Components, ScalingKind};

use super::destination::{ModelFile, PageFile, Picture, TableFile, same_file};
use super::values::{MemorySize, components, tolerance};

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

impl From<InputFormat> for Option<io::Format> {
    fn from(format: InputFormat) -> Self {
        match format {
            InputFormat::Auto => None,
            InputFormat::Csv => Some(io::Format::Csv),
            InputFormat::Tsv => Some(io::Format::Tsv),
            InputFormat::Parquet => Some(io::Format::Parquet),
            InputFormat::Npy => Some(io::Format::Npy),
            InputFormat::Libsvm => Some(io::Format::Libsvm),
        }
    }
}

/// Whether the first line of a text table holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Header {
    /// Decided by the content: names stand above numbers
    Auto,
    /// Names
    Yes,
    /// Values
    No,
}

impl From<Header> for io::Header {
    fn from(header: Header) -> Self {
        match header {
            Header::Auto => io::Header::Auto,
            Header::Yes => io::Header::Present,
            Header::No => io::Header::Absent,
        }
    }
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

/// The number type of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// That of the table: single if every column is, else double
    Auto,
    /// Double precision throughout
    F64,
    /// Single-precision rows, kernel values and results
    F32,
    /// Single-precision rows and kernel values; vectors, sums and results in double
    Mixed,
}

/// The table to read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct TableArgs {
    /// The table: CSV, TSV, Parquet, NumPy .npy or LIBSVM text, also compressed (.gz); `-` is
    /// standard input
    #[arg(value_name = "TABLE", help_heading = None::<&str>,
          value_parser = OsStringValueParser::new().map(|name| Source::named(PathBuf::from(name))))]
    pub source: Source,
    /// The format of the table
    #[arg(long, value_enum, default_value_t = InputFormat::Auto, value_name = "FORMAT")]
    pub format: InputFormat,
    /// Whether the first line of a text table holds the names of the columns
    #[arg(long, value_enum, default_value_t = Header::Auto, value_name = "WHETHER")]
    pub header: Header,
}

/// Which columns of a table to learn from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct ColumnArgs {
    /// The columns to use, by name or by position from 0, e.g. `height,weight`, `0-3,7` or `^id`
    /// for all but `id` [default: all but the label]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// A column that is carried along and colours the picture, but is not computed with
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
}

/// What to compute, for both kinds of PCA.
#[derive(Debug, Args)]
#[command(next_help_heading = "Components")]
pub struct ComponentArgs {
    /// How many components: a count, a fraction of the variance (0.95 or 95%), or `all`
    #[arg(short = 'k', long = "components", value_name = "K", default_value = "2",
          value_parser = components)]
    pub count: Components,
    /// Scaling of every column before anything else; stored in the model [default: none]
    #[arg(long, value_enum, value_name = "HOW")]
    pub scale: Option<Scale>,
    /// The relative residual at which the iterative solver stops
    /// [default: 1e-8, or 1e-6 for kernel values in single precision]
    #[arg(long, value_name = "RESIDUAL", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// The seed of the iterative solver's start
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The number type of the work
    #[arg(long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
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
    #[arg(long, value_name = "COUNT", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=256))]
    pub threads: u16,
}

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write the result of every row to this .csv, .tsv, .parquet, .npy or .libsvm file, compressed
    /// if .gz follows; .npy holds numbers only and leaves the label out
    /// [default: a table on standard output]
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Draw the first two components into this .svg or .png file, or on the terminal
    /// for `-`; may be given several times
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print a report for machines on standard output, and no table
    #[arg(long)]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// The page to write about a fit.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write a report to this .html file: one page with what was asked, the data, pictures, results,
    /// the certificate, timings and the command to repeat it
    #[arg(long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(PageFile::try_from))]
    pub report: Option<PageFile>,
}

impl ReportArgs {
    /// The page among the files of a run.
    pub(super) fn file(&self) -> Option<NamedFile<'_>> {
        self.report.as_ref().map(|file| ("--report", file.path.as_path()))
    }
}

/// The model to write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ModelArgs {
    /// Write the fitted model to this file, for `mercer transform`
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// The page that tells of the fit.
    #[command(flatten)]
    pub page: ReportArgs,
}

/// A file that a run names, with the flag or argument that names it.
pub type NamedFile<'a> = (&'static str, &'a Path);

impl OutputArgs {
    /// The files that this group asks for.
    pub fn files(&self) -> Vec<NamedFile<'_>> {
        let output = self.output.iter().map(|file| ("--output", file.path.as_path()));
        output.chain(plot_files(&self.plot)).collect()
    }
}

/// The pictures among the files of a run.
pub(super) fn plot_files(pictures: &[Picture]) -> impl Iterator<Item = NamedFile<'_>> {
    let files = pictures.iter().filter(|picture| !picture.is_printed());
    files.map(|picture| ("--plot", picture.path.as_path()))
}

/// Refuses a plot for the terminal that comes twice, or where standard output holds an object.
pub(super) fn check_printed(pictures: &[Picture], json: bool) -> Result<(), clap::Error> {
    let printed = pictures.iter().filter(|picture| picture.is_printed()).count();
    if printed > 1 {
        return Err(conflict("--plot - is given twice; one plot is printed"));
    }
    if printed > 0 && json {
        return Err(conflict(
            "--plot - and --json both print on standard output: draw into a .svg or .png file, or \
             leave one of them out",
        ));
    }
    Ok(())
}

/// The table among the files of a run, unless it is standard input.
pub(super) fn table_file(source: &Source) -> Option<NamedFile<'_>> {
    match source {
        Source::File(path) => Some(("TABLE", path)),
        Source::Stdin => None,
    }
}

/// Refuses a result that would replace an input or another result. `inputs` are only read, so they
/// may be the same file as each other.
pub(super) fn check_distinct(
    inputs: &[NamedFile<'_>],
    outputs: &[NamedFile<'_>],
) -> Result<(), clap::Error> {
    for (i, (flag, path)) in outputs.iter().enumerate() {
        for (earlier, other) in inputs.iter().chain(&outputs[..i]) {
            if same_file(path, other) {
                return Err(conflict(&format!("{earlier} and {flag} name the same file")));
            }
        }
    }
    Ok(())
}

/// A usage error with the message `message`, shown and counted like clap's own.
pub(super) fn conflict(message: &str) -> clap::Error {
    let mut command = super::Cli::<super::Verb>::command();
    command.error(clap::error::ErrorKind::ArgumentConflict, message)
}
