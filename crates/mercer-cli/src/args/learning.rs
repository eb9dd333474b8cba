//! Flags shared by the verbs that fit a model: training columns and outputs.

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::destination::{ModelFile, Picture, TableFile};
use super::encoding::EncodingArgs;
use super::groups::{
    NamedFile, ReportArgs, Scale, TableArgs, check_distinct, conflict, plot_files, table_file,
};

/// Which columns of a table to train on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct FeatureArgs {
    /// Columns to train on, by name or by position from 1, e.g. `height,weight`, `1-4,8` or `^id` for
    /// all but `id` [default: all that no other option names]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// Columns kept in the output, not used in the fit, e.g. `name,city`
    #[arg(long, value_name = "COLUMNS")]
    pub label: Option<String>,
    /// Scale every training column; the scaling is stored in the model
    /// [default: standard; none for histograms, strings and kernel values]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub scale: Option<Scale>,
    /// How they become numbers.
    #[command(flatten)]
    pub encoding: EncodingArgs,
}

/// Which columns of a table to train on, and the sample weights.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct LearningArgs {
    /// The columns.
    #[command(flatten)]
    pub features: FeatureArgs,
    /// A column of sample weights: a row of weight 2 counts as two rows
    #[arg(hide_short_help = true, long, value_name = "COLUMN", help_heading = "Input")]
    pub weights: Option<String>,
}

/// Model and result files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    /// Write the predictions for the training set to this .csv, .tsv, .parquet, .arrow, .npy or .libsvm file,
    /// gzipped if it also ends in .gz
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the fitted model to this file, for `mercer predict`
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// The HTML report.
    #[command(flatten)]
    pub page: ReportArgs,
    /// Print a JSON report on standard output
    #[arg(long)]
    pub json: bool,
    /// Print no progress bar and no summary
    #[arg(hide_short_help = true, short, long)]
    pub quiet: bool,
}

/// Output options of support vector machines.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct SvmOutputArgs {
    /// The files of every model.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Write the fitted model to this file in LIBSVM's text format; requires `--scale none`, because
    /// that format cannot store a scaling
    #[arg(hide_short_help = true, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub libsvm_model: Option<ModelFile>,
    /// Plot the model and its training set to this .svg or .png file, or `-` for the terminal; may be
    /// repeated. Requires two training columns, or one for a regression; a search without plots its scores
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
}

impl ResultArgs {
    /// Refuses a result that would replace the table or another result; `others` are results that
    /// other flags name.
    pub(super) fn check_files<'a>(
        &'a self,
        table: &'a TableArgs,
        others: impl Iterator<Item = NamedFile<'a>>,
    ) -> Result<(), clap::Error> {
        let inputs: Vec<_> = table_file(&table.source).into_iter().collect();
        let output = self.output.iter().map(|file| ("--output", file.path.as_path()));
        let model = self.model.iter().map(|file| ("--model", file.path.as_path()));
        let own = output.chain(model).chain(self.page.file());
        check_distinct(&inputs, &own.chain(others).collect::<Vec<_>>())
    }
}

impl SvmOutputArgs {
    /// Refuses outputs that would overwrite the table or each other, and a format that cannot hold the
    /// scaling.
    pub(super) fn check_files(
        &self,
        table: &TableArgs,
        learning: &LearningArgs,
    ) -> Result<(), clap::Error> {
        if self.libsvm_model.is_some() && learning.features.scale != Some(Scale::None) {
            return Err(conflict(
                "--libsvm-model cannot store the scaling of columns: add --scale none, and \
                 scale the table beforehand if its columns have different units",
            ));
        }
        let text = self.libsvm_model.iter().map(|file| ("--libsvm-model", file.path.as_path()));
        self.results.check_files(table, text.chain(plot_files(&self.plot)))
    }
}
