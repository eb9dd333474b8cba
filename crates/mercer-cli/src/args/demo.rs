//! The flags of `demo`.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mercer::KernelSpec;
use mercer::io::Format;

use super::destination::{Picture, TableFile};
use super::groups::{MachineArgs, check_distinct, conflict, plot_files};
use crate::sample_tables::{self, Sample};

const DEMO_EXAMPLES: &str = "\
Examples:
  mercer demo
  mercer demo spiral --plot spiral.png
  mercer demo blobs --rows 1000 --seed 3 --kernel 'rbf(sigma=0.5)'
  mercer demo names --plot names.svg
  mercer demo --data list
  mercer demo --data moons.csv";

/// The data of a demonstration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// Two concentric circles, not linearly separable
    Circles,
    /// Two interleaved spiral arms
    Spiral,
    /// Three round blobs
    Blobs,
    /// Personal names, compared by shared substrings
    Names,
}

/// A sample table to write.
#[derive(Clone)]
pub enum DemoData {
    /// Print the list of sample tables.
    List,
    /// The file, and the table that its name stands for.
    Table(TableFile, &'static Sample),
}

impl std::fmt::Debug for DemoData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DemoData::List => f.write_str("list"),
            DemoData::Table(file, _) => write!(f, "{}", file.path.display()),
        }
    }
}

impl TryFrom<OsString> for DemoData {
    type Error = String;

    fn try_from(text: OsString) -> Result<Self, String> {
        if text == "list" {
            return Ok(DemoData::List);
        }
        let file = TableFile::try_from(text)?;
        let sample = Sample::of(&file.path).ok_or_else(|| {
            let names = sample_tables::names();
            format!("the file name must be that of a sample table ({names}), as in iris.csv")
        })?;
        match file.format {
            Format::Npy | Format::Libsvm => {
                Err("the file extension must be .csv, .tsv or .parquet; sample tables hold text"
                    .into())
            }
            _ => Ok(DemoData::Table(file, sample)),
        }
    }
}

/// Flags of `mercer demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct DemoArgs {
    /// The data to generate
    #[arg(value_enum, default_value_t = Subject::Circles)]
    pub subject: Subject,
    /// Write a small sample table to this file instead, e.g. `iris.csv`; `list` prints all of them, with their
    /// sources and licences
    #[arg(long, value_name = "FILE|list", conflicts_with_all = ["subject", "kernel", "plot"],
          value_parser = OsStringValueParser::new().try_map(DemoData::try_from))]
    pub data: Option<DemoData>,
    /// Number of rows to generate; `names` and `iris` are fixed [default: 400]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub rows: Option<u32>,
    /// The kernel [default: depends on the data]
    #[arg(long, value_name = "SPEC")]
    pub kernel: Option<KernelSpec>,
    /// Random seed of the data
    #[arg(hide_short_help = true, long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Write a plot to this .svg or .png file, or `-` for the terminal; may be repeated
    #[arg(short, long, value_name = "FILE", num_args = 1, action = clap::ArgAction::Append,
          default_values = ["mercer-demo.svg", "mercer-demo.png"],
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long)]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

impl DemoArgs {
    /// The number of rows to generate.
    pub fn rows(&self) -> usize {
        self.rows.map_or(400, |rows| rows as usize)
    }

    /// The fixed data that is requested, which `--rows` cannot change.
    fn fixed(&self) -> Option<&'static str> {
        match &self.data {
            None => (self.subject == Subject::Names).then_some("names"),
            Some(DemoData::List) => Some("list"),
            Some(DemoData::Table(_, sample)) => (!sample.is_generated()).then_some(sample.name),
        }
    }

    pub(super) fn check_files(&self) -> Result<(), clap::Error> {
        if let (Some(name), Some(_)) = (self.fixed(), self.rows) {
            return Err(conflict(&format!("--rows has no effect on `{name}`: omit it")));
        }
        check_distinct(&[], &plot_files(&self.plot).collect::<Vec<_>>())
    }
}
