//! Flags that several verbs share, in groups as `--help` shows them.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, CommandFactory, ValueEnum};
use mercer::io::{self, Source};
use mercer::model::{Components, ScalingKind};

use super::destination::{ModelFile, PageFile, Picture, TableFile, same_file};
use super::encoding::EncodingArgs;
use super::values::{MemorySize, components, tolerance};

/// Formats in which tables are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// By file extension, or else by the first bytes
    Auto,
    /// Comma-separated values
    Csv,
    /// Tab-separated values
    Tsv,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow, a file (Feather) or a stream
    Arrow,
    /// A two-dimensional NumPy array
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
            InputFormat::Arrow => Some(io::Format::Arrow),
            InputFormat::Npy => Some(io::Format::Npy),
            InputFormat::Libsvm => Some(io::Format::Libsvm),
        }
    }
}

/// Whether the first line of a text table is a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Header {
    /// Detect it from the content
    Auto,
    /// The first line holds column names
    Yes,
    /// The first line holds data
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
    /// Leave the values unchanged
    None,
    /// Subtract the mean and divide by the standard deviation
    Standard,
    /// Map the minimum to 0 and the maximum to 1
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

/// Floating-point precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// As in the table: single if every column is, else double
    Auto,
    /// Double precision throughout
    F64,
    /// Single precision for data, kernel values and results
    F32,
    /// Single precision for data and kernel values, double for vectors, sums and results
    Mixed,
}

/// The table to read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct TableArgs {
    /// Input table: CSV, TSV, Parquet, NumPy .npy or LIBSVM text, optionally gzipped (.gz); a directory
    /// or a quoted pattern stands for all of its tables; `-` reads standard input
    #[arg(value_name = "TABLE", help_heading = None::<&str>,
          value_parser = OsStringValueParser::new().map(|name| Source::named(PathBuf::from(name))))]
    pub source: Source,
    /// Format of the table
    #[arg(hide_short_help = true, long, value_enum, default_value_t = InputFormat::Auto, value_name = "FORMAT")]
    pub format: InputFormat,
    /// Whether the first line of a text table holds column names
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Header::Auto, value_name = "WHEN")]
    pub header: Header,
}

/// Which columns of a table to use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct ColumnArgs {
    /// Columns to use, by name or by position from 1, e.g. `height,weight`, `1-4,8` or `^id` for
    /// all but `id` [default: all but the label]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// A column that is kept in the output and colours the plot, but is not used in the fit; or several, e.g.
    /// `name,city`, of which the first colours the plot
    #[arg(long, value_name = "COLUMNS")]
    pub label: Option<String>,
    /// How they become numbers.
    #[command(flatten)]
    pub encoding: EncodingArgs,
}

/// What to compute, for both kinds of PCA.
#[derive(Debug, Args)]
#[command(next_help_heading = "Components")]
pub struct ComponentArgs {
    /// Number of components: a count, a fraction of the variance (0.95 or 95%), or `all`
    #[arg(short = 'k', long = "components", value_name = "K", default_value = "2",
          value_parser = components)]
    pub count: Components,
    /// Scale every column first; the scaling is stored in the model [default: standard for kernels
    /// with a width, such as rbf; else none]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub scale: Option<Scale>,
    /// Relative residual at which the iterative solver stops
    /// [default: 1e-8, or 1e-6 for kernel values in single precision]
    #[arg(hide_short_help = true, long, value_name = "RESIDUAL", value_parser = tolerance)]
    pub tolerance: Option<f64>,
    /// Random seed of the iterative solver
    #[arg(hide_short_help = true, long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Floating-point precision
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Precision::Auto, value_name = "TYPE")]
    pub precision: Precision,
}

/// Resource limits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Resources")]
pub struct MachineArgs {
    /// Memory budget, e.g. `2GiB` or `500MiB` [default: the free memory]
    #[arg(hide_short_help = true, long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    /// Number of threads; 0 uses all cores. Results do not depend on it
    #[arg(hide_short_help = true, long, value_name = "COUNT", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=256))]
    pub threads: u16,
}

/// Output options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write the results to this .csv, .tsv, .parquet, .arrow, .npy or .libsvm file, gzipped if it also ends in
    /// .gz; .npy holds numbers only, without the label [default: a table on standard output]
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Plot the first two components to this .svg or .png file, or `-` for the terminal; may be
    /// repeated
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print a JSON report on standard output instead of a table
    #[arg(long)]
    pub json: bool,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long)]
    pub quiet: bool,
}

/// The HTML report of a fit.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write a self-contained HTML report to this file: the answer, the rows to look at, plots, explanations,
    /// data, settings, certificate and timings
    #[arg(hide_short_help = true, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(PageFile::try_from))]
    pub report: Option<PageFile>,
    /// Also print solver, iterations, residuals, storage and time in the summary
    #[arg(hide_short_help = true, short, long, help_heading = "Output", conflicts_with = "quiet")]
    pub verbose: bool,
}

impl ReportArgs {
    /// The report among the files of a run.
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
    /// The HTML report.
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

/// The plots among the files of a run.
pub(super) fn plot_files(pictures: &[Picture]) -> impl Iterator<Item = NamedFile<'_>> {
    let files = pictures.iter().filter(|picture| !picture.is_printed());
    files.map(|picture| ("--plot", picture.path.as_path()))
}

/// Refuses a second plot for the terminal, and one beside JSON on standard output.
pub(super) fn check_printed(pictures: &[Picture], json: bool) -> Result<(), clap::Error> {
    let printed = pictures.iter().filter(|picture| picture.is_printed()).count();
    if printed > 1 {
        return Err(conflict("--plot - is given twice; only one plot can be printed"));
    }
    if printed > 0 && json {
        return Err(conflict(
            "--plot - and --json both print on standard output: plot to a .svg or .png file, or \
             drop one of them",
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
                let message = format!("{earlier} and {flag} are the same file: name another");
                return Err(conflict(&message));
            }
        }
    }
    Ok(())
}

/// A usage error with the message `message`, formatted like clap's own.
pub(super) fn conflict(message: &str) -> clap::Error {
    let mut command = super::Cli::<super::Verb>::command();
    command.error(clap::error::ErrorKind::ArgumentConflict, message)
}
