//! The flags of the verbs about kernels themselves: `check`, `features` and `kernels`.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use mercer::kernel::Frequencies;
use mercer::model::validity;

use super::destination::{ModelFile, TableFile};
use super::groups::{
    ColumnArgs, MachineArgs, NamedFile, Scale, TableArgs, check_distinct, table_file,
};
use super::kernel::{Kernel, in_short, with_kernels};
use super::landmarks::LandmarkArgs;

const CHECK_EXAMPLES: &str = "\
Examples:
  mercer check iris.csv --label species --kernel 'rbf(sigma=median)'
  mercer check names.csv --columns name --kernel 'normalize(spectrum(p=3))' --json
  mercer check similarities.csv --label who --kernel precomputed --repair clip --output repaired.npy
  mercer check similarities.csv --label who --kernel precomputed --repair clip --model repair.mercer

Exit codes: 0 if the kernel matrix is positive semi-definite, 1 if not (with or without --repair)
or if the command failed.";

const FEATURES_EXAMPLES: &str = "\
Examples:
  mercer features iris.csv --label species --kernel 'poly(degree=2)' --output features.csv
  mercer features counts.csv --label topic --kernel additive_chi2 --samples 4 --output features.npy
  mercer features houses.csv --kernel rbf --landmarks 200 -o features.parquet -m features.mercer
  mercer features names.csv --columns name --kernel 'spectrum(p=2)' --output pairs-of-letters.csv";

const KERNELS_EXAMPLES: &str = "\
Examples:
  mercer kernels
  mercer kernels --json";

/// How a matrix is made positive semi-definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Repair {
    /// Set negative eigenvalues to 0
    Clip,
    /// Flip the sign of negative eigenvalues
    Flip,
    /// Shift all eigenvalues until the smallest is 0
    Shift,
    /// Nearest positive semi-definite matrix with the same diagonal
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

/// The input of a kernel.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Which of its columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Scale every column first [default: standard for kernels with a width, such as rbf; else none]
    #[arg(long, value_enum, value_name = "METHOD", help_heading = "Input")]
    pub scale: Option<Scale>,
}

/// Flags of `mercer check`.
#[derive(Debug, Args)]
#[command(after_help = in_short(CHECK_EXAMPLES), after_long_help = with_kernels(CHECK_EXAMPLES))]
#[command(group = ArgGroup::new("written").args(["output", "model"]).multiple(true))]
pub struct CheckArgs {
    /// The input.
    #[command(flatten)]
    pub input: InputArgs,
    /// The kernel, or `precomputed` for a table of kernel values
    #[arg(long, value_name = "SPEC", help_heading = "Kernel")]
    pub kernel: Kernel,
    /// Repair an indefinite kernel matrix, for --output or --model
    #[arg(long, value_enum, value_name = "METHOD", requires = "written", help_heading = "Kernel")]
    pub repair: Option<Repair>,
    /// Write the kernel matrix, after --repair if given, to this .npy, .csv, .tsv or .parquet file
    #[arg(short, long, alias = "out", value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the repair to this file; `mercer transform` applies it to kernel values of new rows
    #[arg(short, long, value_name = "FILE", requires = "repair", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// Print a JSON report
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print nothing; see the exit code
    #[arg(hide_short_help = true, short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Flags of `mercer features`.
#[derive(Debug, Args)]
#[command(after_help = FEATURES_EXAMPLES)]
#[command(group = ArgGroup::new("approximate").args(["components", "landmarks"]))]
pub struct FeaturesArgs {
    /// The input.
    #[command(flatten)]
    pub input: InputArgs,
    /// The kernel: a combination of `linear`, `poly`, `cosine`, `hellinger`, `additive_chi2`,
    /// `intersection` and `jensen_shannon`, or of the string kernels `spectrum` and `substrings`; with
    /// --components also of `rbf`, `laplacian`, `matern` and `rational_quadratic`; with --landmarks any
    #[arg(long, value_name = "SPEC", help_heading = "Kernel")]
    pub kernel: Kernel,
    /// Nyström features.
    #[command(flatten)]
    pub landmarks: LandmarkArgs,
    /// For additive_chi2, intersection and jensen_shannon, whose feature maps are approximate: 2·COUNT + 1
    /// features per column
    #[arg(long, value_name = "COUNT", default_value_t = 3, help_heading = "Kernel",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: u32,
    /// Compute this many random features of each kernel, which approximate it: for rbf, laplacian, matern and
    /// rational_quadratic, and in the place of all products of columns for poly
    #[arg(long, value_name = "COUNT", help_heading = "Random features",
          value_parser = clap::value_parser!(u32).range(1..=4_000_000))]
    pub components: Option<u32>,
    /// How the frequencies of random features are drawn
    #[arg(
        long,
        value_name = "KIND",
        default_value = "auto",
        requires = "components",
        help_heading = "Random features"
    )]
    pub frequencies: FrequencyKind,
    /// Seed of the random features, or of the choice of landmarks
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        requires = "approximate",
        help_heading = "Random features"
    )]
    pub seed: u64,
    /// Write the features to this .csv, .tsv, .parquet, .arrow, .npy or .libsvm file, gzipped if it also ends in
    /// .gz [default: a table on standard output]
    #[arg(short, long, alias = "out", value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the features of --landmarks as a model to this file, for `mercer transform`
    #[arg(short, long, value_name = "FILE", requires = "landmarks", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
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

/// How the frequencies of random features are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FrequencyKind {
    /// Orthogonal ones for kernels of the Euclidean distance, else independent ones
    Auto,
    /// Blocks of orthogonal ones
    Orthogonal,
    /// Independent ones, each with a random phase
    Independent,
}

impl From<FrequencyKind> for Frequencies {
    fn from(kind: FrequencyKind) -> Self {
        match kind {
            FrequencyKind::Auto => Frequencies::Auto,
            FrequencyKind::Orthogonal => Frequencies::Orthogonal,
            FrequencyKind::Independent => Frequencies::Independent,
        }
    }
}

/// Flags of `mercer kernels`.
#[derive(Debug, Args)]
#[command(after_help = KERNELS_EXAMPLES)]
pub struct KernelsArgs {
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

impl InputArgs {
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
