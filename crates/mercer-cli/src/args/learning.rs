//! Flags that verbs share which learn from a table: from which columns, and where what was learned
//! goes.

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::destination::{ModelFile, Picture, TableFile};
use super::groups::{
    NamedFile, ReportArgs, Scale, TableArgs, check_distinct, conflict, plot_files, table_file,
};

/// Which columns of a table to learn from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct FeatureArgs {
    /// The columns to learn from, by name or by position from 0, e.g. `height,weight`, `0-3,7` or
    /// `^id` for all but `id` [default: all that no other flag names]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// A column that is carried along into --output, but is not computed with
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Scaling of every column that is learned from; stored in the model. A kernel's width is one
    /// length for all columns, so they are made comparable
    /// [default: standard; histograms, texts and kernel values are left as they are]
    #[arg(long, value_enum, value_name = "HOW")]
    pub scale: Option<Scale>,
}

/// Which columns of a table to learn from, and how much each row counts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct LearningArgs {
    /// The columns.
    #[command(flatten)]
    pub features: FeatureArgs,
    /// A column that says how much each row counts: a row of weight 2 counts as two rows
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub weights: Option<String>,
}

/// Where a model and what it says go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    /// Write what the model says of every row that it learned from to this .csv, .tsv, .parquet,
    /// .npy or .libsvm file, compressed if .gz follows
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the fitted model to this file, for `mercer predict`
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// The page that tells of the fit.
    #[command(flatten)]
    pub page: ReportArgs,
    /// Print a report for machines on standard output
    #[arg(long)]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Where a support vector machine and what it says go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LearnedArgs {
    /// The files that every model may be asked for.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Write the fitted model to this file as text, as LIBSVM reads it; needs `--scale none`,
    /// because that format has no place for a scaling
    #[arg(long, value_name = "FILE", help_heading = "Output",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub libsvm_model: Option<ModelFile>,
    /// Draw the model with the rows that it learned from into this .svg or .png file, or on the
    /// terminal for `-`; may be given several times. Needs two columns to learn from, or one for a regression
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

impl LearnedArgs {
    /// Refuses a result that would replace the table or another result, and a format that cannot
    /// hold what it is asked to.
    pub(super) fn check_files(
        &self,
        table: &TableArgs,
        learning: &LearningArgs,
    ) -> Result<(), clap::Error> {
        if self.libsvm_model.is_some() && learning.features.scale != Some(Scale::None) {
            return Err(conflict(
                "--libsvm-model has no place for the scaling of columns: add --scale none, and \
                 scale the table first if its columns are not comparable",
            ));
        }
        let text = self.libsvm_model.iter().map(|file| ("--libsvm-model", file.path.as_path()));
        self.results.check_files(table, text.chain(plot_files(&self.plot)))
    }
}
