//! The flags of the verbs that look at kernels themselves: `check`, `features` and `kernels`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use mercer::model::validity;

use super::destination::{ModelFile, TableFile};
use super::groups::{
    ColumnArgs, MachineArgs, NamedFile, Scale, TableArgs, check_distinct, table_file,
};
use super::kernel::{Kernel, with_kernels};

const CHECK_EXAMPLES: &str = "\
Examples:
  mercer check iris.csv --label species --kernel 'rbf(sigma=median)'
  mercer check names.csv --columns name --kernel 'normalize(spectrum(p=3))' --json
  mercer check similarities.csv --label who --kernel precomputed --repair clip --output repaired.npy
  mercer check similarities.csv --label who --kernel precomputed --repair clip --model repair.mercer

Exit codes: 0 if nothing speaks against a kernel, 1 if it is none (or the work failed), whether or not
it is repaired.";

const FEATURES_EXAMPLES: &str = "\
Examples:
  mercer features iris.csv --label species --kernel 'poly(degree=2)' --output features.csv
  mercer features counts.csv --label topic --kernel additive_chi2 --samples 4 --output features.npy
  mercer features names.csv --columns name --kernel 'spectrum(p=2)' --output pairs-of-letters.csv";

const KERNELS_EXAMPLES: &str = "\
Examples:
  mercer kernels
  mercer kernels --json";

/// How a matrix is made positive semi-definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Repair {
    /// Negative eigenvalues become 0
    Clip,
    /// Negative eigenvalues change their sign
    Flip,
    /// All eigenvalues grow until the smallest is 0
    Shift,
    /// The nearest matrix of a kernel with the same diagonal
    Nearest,
}

impl From<Repair> for validity::Repair {
    fn from(repair: Repair) -> Self {
        match repair {
            Repair::Clip => validity::Repair::Clip,
            Repair::Flip => validity::Repair::Flip,
            Repair::Shift => validity::Repair::Shift,
            Repair::Nearest => validity::Repair::Nearest,
        }
    }
}

/// A table as a kernel sees it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct SightArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Scaling of every column before anything else [default: none]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Input")]
    pub scale: Option<Scale>,
}

/// Flags of `mercer check`.
#[derive(Debug, Args)]
#[command(after_help = with_kernels(CHECK_EXAMPLES))]
#[command(group = ArgGroup::new("written").args(["output", "model"]).multiple(true))]
pub struct CheckArgs {
    /// What the kernel sees.
    #[command(flatten)]
    pub sight: SightArgs,
    /// The kernel, or `precomputed` for a table of kernel values
    #[arg(long, value_name = "SPEC", help_heading = "Kernel")]
    pub kernel: Kernel,
    /// Repair the matrix of kernel values, for --output or --model
    #[arg(long, value_enum, value_name = "HOW", requires = "written", help_heading = "Kernel")]
    pub repair: Option<Repair>,
    /// Write the matrix of kernel values, repaired if that is asked for, to this .npy, .csv, .tsv or
    /// .parquet file
    #[arg(short, long, alias = "out", value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the repair to this file, for `mercer transform` of the kernel values of new rows with
    /// these
    #[arg(short, long, value_name = "FILE", requires = "repair", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// Print a report for machines
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print nothing; the exit code tells
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer features`.
#[derive(Debug, Args)]
#[command(after_help = FEATURES_EXAMPLES)]
pub struct FeaturesArgs {
    /// What the kernel sees.
    #[command(flatten)]
    pub sight: SightArgs,
    /// The kernel: made of `linear`, `poly`, `cosine`, `hellinger`, `additive_chi2`, `intersection` and
    /// `jensen_shannon`, or for texts of `spectrum` and `substrings`
    #[arg(long, value_name = "SPEC", help_heading = "Kernel")]
    pub kernel: Kernel,
    /// For additive_chi2, intersection and jensen_shannon, whose features only come close: a column
    /// becomes 2·COUNT + 1 of them
    #[arg(long, value_name = "COUNT", default_value_t = 3, help_heading = "Kernel",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: u32,
    /// Write the features of every row to this .csv, .tsv, .parquet, .npy or .libsvm file, compressed
    /// if .gz follows [default: a table on standard output]
    #[arg(short, long, alias = "out", value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Print a report for machines on standard output, and no table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// What the work may use.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer kernels`.
#[derive(Debug, Args)]
#[command(after_help = KERNELS_EXAMPLES)]
pub struct KernelsArgs {
    /// Print a list for machines
    #[arg(long)]
    pub json: bool,
}

impl SightArgs {
    /// Refuses an output that would replace the table.
    pub(super) fn check_files(
        &self,
        output: Option<&TableFile>,
        model: Option<&ModelFile>,
    ) -> Result<(), clap::Error> {
        let inputs: Vec<NamedFile<'_>> = table_file(&self.table.source).into_iter().collect();
        let mut outputs: Vec<NamedFile<'_>> =
            output.iter().map(|file| ("--output", file.path.as_path())).collect();
        outputs.extend(model.map(|file| ("--model", file.path.as_path())));
        check_distinct(&inputs, &outputs)
    }
}
