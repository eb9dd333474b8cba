//! Flags that verbs share which learn from a table: from which columns, and where what was learned
//! goes.

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::destination::{ModelFile, Picture, TableFile};
use super::groups::{Scale, TableArgs, check_distinct, conflict, plot_files, table_file};

/// Which columns of a table to learn from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct LearningArgs {
    /// The columns to learn from, by name or by position from 0, e.g. `height,weight`, `0-3,7` or
    /// `^id` for all but `id` [default: all but target, label and weights]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// A column that is carried along into --output, but is not computed with
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// A column that says how much each row counts: a row of weight 2 counts as two rows
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Scaling of every column that is learned from; stored in the model. A kernel's width is one
    /// length for all columns, so they are made comparable
    #[arg(long, value_enum, default_value_t = Scale::Standard, value_name = "HOW")]
    pub scale: Scale,
}

/// Where a support vector machine and what it says go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LearnedArgs {
    /// Write what the model says of every row that it learned from to this .csv, .tsv, .parquet,
    /// .npy or .libsvm file, compressed if .gz follows
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(TableFile::try_from))]
    pub output: Option<TableFile>,
    /// Write the fitted model to this file, for `mercer predict`
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub model: Option<ModelFile>,
    /// Write the fitted model to this file as text, as LIBSVM reads it; needs `--scale none`,
    /// because that format has no place for a scaling
    #[arg(long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(ModelFile::try_from))]
    pub libsvm_model: Option<ModelFile>,
    /// Draw the model with the rows that it learned from into this .svg or .png file; may be given
    /// for both. Needs two columns to learn from, or one for a regression
    #[arg(short, long, value_name = "FILE",
          value_parser = OsStringValueParser::new().try_map(Picture::try_from))]
    pub plot: Vec<Picture>,
    /// Print a report for machines on standard output
    #[arg(long)]
    pub json: bool,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

impl LearnedArgs {
    /// Refuses a result that would replace the table or another result, and a format that cannot
    /// hold what it is asked to.
    pub(super) fn check_files(&self, table: &TableArgs, scale: Scale) -> Result<(), clap::Error> {
        if self.libsvm_model.is_some() && scale != Scale::None {
            return Err(conflict(
                "--libsvm-model has no place for the scaling of columns: add --scale none, and \
                 scale the table first if its columns are not comparable",
            ));
        }
        let inputs: Vec<_> = table_file(&table.source).into_iter().collect();
        let output = self.output.iter().map(|file| ("--output", file.path.as_path()));
        let model = self.model.iter().map(|file| ("--model", file.path.as_path()));
        let text = self.libsvm_model.iter().map(|file| ("--libsvm-model", file.path.as_path()));
        let outputs: Vec<_> =
            output.chain(model).chain(text).chain(plot_files(&self.plot)).collect();
        check_distinct(&inputs, &outputs)
    }
}
