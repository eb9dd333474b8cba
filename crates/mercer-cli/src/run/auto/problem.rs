//! The table of a comparison, and the training and test rows of its folds as models take them.

use mercer::io::encoding::infer::{ColumnType, infer};
use mercer::io::encoding::{CategoryColumns, Encoding, Values};
use mercer::io::{Column, Table};
use mercer::model::{Scaling, ScalingKind};
use mercer::select::Fold;
use mercer::{Dtype, Input, Result};

use super::truth::Truth;
use crate::args::{AutoArgs, AutoTask, EncodingArgs, Precision, Scale};
use crate::data::{self, InputKind, Prepared, Scales, Types};
use crate::run::Session;
use crate::run::columns::{self, Chosen, Roles, TargetKind};

/// Features as they are in the table, and targets.
pub struct Problem<'a> {
    /// The features and the names of the columns.
    pub chosen: Chosen,
    /// The targets.
    pub truth: Truth,
    /// What the features are: numbers or strings.
    pub input_kind: InputKind,
    encoding: &'a EncodingArgs,
    /// Whether columns are encoded, and those that hold categories.
    categories: Option<CategoryColumns>,
    scale: ScalingKind,
    dtype: Dtype,
}

/// The rows of a fold.
pub struct Split {
    /// The training rows.
    pub train: Input<'static>,
    /// Their targets.
    pub train_truth: Truth,
    /// The test rows, encoded and scaled as the training rows.
    pub test: Input<'static>,
    /// Their targets.
    pub test_truth: Truth,
}

/// Rows as models take them, and how new rows become such.
struct Learned {
    input: Input<'static>,
    encoding: Option<Encoding>,
    scaling: Option<Scaling>,
}

impl<'a> Problem<'a> {
    /// The problem that `args` state about `table`.
    pub fn of(args: &'a AutoArgs, table: Table, input_kind: InputKind) -> Result<Self> {
        let scale = input_kind.scaling(args.features.scale, Scale::Standard)?;
        let roles = roles(args, &input_kind);
        let (chosen, targets, categories) = columns::split(table, &roles)?;
        let truth = Truth::of(&targets, &chosen.features)?;
        let encoding = &args.features.encoding;
        // Columns that cannot be used are refused here. Their types are those of the whole table: a fold may have too few
        // rows to tell. Fills, categories and scaling are learned from the training rows of each fold.
        let encoded = data::encode(chosen.features.clone(), &input_kind, encoding, categories)?;
        let dtype = Types::of(Precision::Auto, &encoded.features).work;
        let categories = encoded.encoding.as_ref().map(category_columns);
        Ok(Self { chosen, truth, input_kind, encoding, categories, scale, dtype })
    }

    /// Whether the features of `table` are a column of texts with many different values, so that string kernels compare them.
    pub fn holds_texts(args: &AutoArgs, table: &Table) -> Result<bool> {
        if !table.columns.iter().any(|column| matches!(column, Column::Text(_))) {
            return Ok(false);
        }
        let roles = roles(args, &InputKind::Numbers);
        let (chosen, _, categories) = columns::split(table.clone(), &roles)?;
        let [column] = &chosen.features.columns[..] else { return Ok(false) };
        let is_text = matches!(infer(column).column_type, ColumnType::Text(_));
        Ok(is_text && categories.is_empty())
    }

    /// Rows.
    pub fn n(&self) -> usize {
        self.chosen.features.n_rows()
    }

    /// The training and test rows of a fold of `rows`, whose places the fold counts.
    pub fn split(&self, session: &Session, rows: &[usize], fold: &Fold) -> Result<Split> {
        let of = |places: &[usize]| places.iter().map(|&p| rows[p]).collect::<Vec<usize>>();
        let (train, test) = (of(&fold.train), of(&fold.test));
        let Learned { input, encoding, scaling } = self.learn(session, &train)?;
        let mut features = self.chosen.features.take_rows(&test);
        if let Some(encoding) = &encoding {
            (features, _) = encoding.apply(features)?;
        }
        let scales = Scales::Apply(scaling.as_ref());
        let prepared = Prepared::of(session, &features, &self.input_kind, scales, self.dtype)?;
        Ok(Split {
            train: input,
            train_truth: self.truth.take(&train),
            test: prepared.input,
            test_truth: self.truth.take(&test),
        })
    }

    /// `rows` as models take them.
    pub fn rows(&self, session: &Session, rows: &[usize]) -> Result<(Input<'static>, Truth)> {
        Ok((self.learn(session, rows)?.input, self.truth.take(rows)))
    }

    fn learn(&self, session: &Session, rows: &[usize]) -> Result<Learned> {
        let mut features = self.chosen.features.take_rows(rows);
        let mut encoding = None;
        if let Some(categories) = &self.categories {
            let learned = data::learn_encoding(
                &features,
                &self.input_kind,
                self.encoding,
                categories.clone(),
            )?;
            (features, _) = learned.apply(features)?;
            encoding = Some(learned);
        }
        let scales = Scales::Learn(self.scale);
        let Prepared { input, scaling } =
            Prepared::of(session, &features, &self.input_kind, scales, self.dtype)?;
        Ok(Learned { input, encoding, scaling })
    }
}

fn roles<'a>(args: &'a AutoArgs, input_kind: &'a InputKind) -> Roles<'a> {
    let kind = match args.task {
        AutoTask::Auto => TargetKind::EitherByTask,
        AutoTask::Classification => TargetKind::Classes,
        AutoTask::Regression => TargetKind::Values,
    };
    Roles {
        target: args.target.as_deref(),
        kind,
        columns: args.features.columns.as_deref(),
        label: args.features.label.as_deref(),
        weights: None,
        groups: None,
        input_kind,
        encoding: &args.features.encoding,
        in_blocks: false,
    }
}

fn category_columns(encoding: &Encoding) -> CategoryColumns {
    let mut found = CategoryColumns::default();
    for (place, column) in encoding.columns.iter().enumerate() {
        match &column.values {
            Values::Category { .. } | Values::Code { .. } => found.unordered.push(place),
            Values::Ordered { levels, .. } => found.ordered.push((place, levels.clone())),
            _ => {}
        }
    }
    found
}
