//! A model file that answers requests.

use std::path::Path;
use std::sync::Arc;

use mercer::io::encoding::{EncodedColumn, Encoding, Values};
use mercer::io::{Column, ModelFile, Table};
use mercer::{Context, Mat, Result};
use mercer_serve::models::{CellKind, ColumnFacts, ModelFacts, Operation, Predictor};

use crate::data::{ColumnGroup, InputKind, with_booleans};
use crate::facts::{self, Facts};
use crate::prediction::{Extras, Names, Prediction};
use crate::results::{component_names, number_column};
use crate::run::prediction::predict;
use crate::run::transform::{Wanted, forward};
use crate::run::{Session, Watch};

/// A model with what requests need of it, found out once.
pub struct Served {
    saved: ModelFile,
    facts: ModelFacts,
    encoding: Option<Encoding>,
    targets: Vec<String>,
    watch: Watch,
}

impl Served {
    /// Reads the model at `path`.
    pub fn load(path: &Path, context: &Context, watch: &Watch) -> Result<Arc<dyn Predictor>> {
        let saved = mercer::io::load_within(path, context.budget())?;
        let described = Facts::of(&saved);
        let encoding = facts::places(&saved).and_then(|places| places.encoding);
        let predicts = described.predicts();
        let (targets, classes) = predicts.unwrap_or_default();
        let facts = ModelFacts {
            operation: if predicts.is_some() { Operation::Predict } else { Operation::Transform },
            estimator: described.estimator,
            method: described.method(),
            kernel: described.kernel.clone(),
            training_rows: described.rows,
            columns: columns(&saved, encoding.as_ref()),
            has_names: saved.feature_names.is_some(),
            classes: classes.map(<[String]>::to_vec),
        };
        let (targets, watch) = (targets.to_vec(), watch.clone());
        Ok(Arc::new(Self { facts, encoding, targets, watch, saved }))
    }

    fn predicted(&self, session: &Session, features: &Table) -> Result<Vec<(String, Column)>> {
        let (model, scaling) = (&self.saved.model, self.saved.scaling.as_ref());
        let prediction = predict(session, model, scaling, features, false)?;
        let probabilities =
            matches!(&prediction, Prediction::Classes { probabilities: Some(_), .. });
        let extras = Extras { scores: true, decisions: false, probabilities };
        let names = Names { targets: &self.targets, classes: self.facts.classes.as_deref() };
        Ok(prediction.columns(names, self.saved.dtype, extras, str::to_string))
    }

    fn projected(&self, session: &Session, features: &Table) -> Result<Vec<(String, Column)>> {
        let values = forward(session, &self.saved, features, Wanted::default())?.values;
        let (n, k) = (features.n_rows(), self.saved.model.k());
        let values = Mat::from_vec(values, n, k);
        let column = |j: usize| number_column((0..n).map(|i| values[(i, j)]), self.saved.dtype);
        Ok(component_names(k).into_iter().enumerate().map(|(j, name)| (name, column(j))).collect())
    }
}

impl Predictor for Served {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn evaluate(&self, context: &Context, rows: Table) -> Result<Table> {
        let session = Session::quiet(context.clone(), &self.watch);
        let features = match &self.encoding {
            Some(encoding) => encoding.apply(with_booleans(rows, encoding))?.0,
            None => rows,
        };
        let columns = match self.facts.operation {
            Operation::Predict => self.predicted(&session, &features)?,
            Operation::Transform => self.projected(&session, &features)?,
        };
        let (names, columns) = columns.into_iter().unzip();
        Ok(Table::new(names, columns))
    }
}

/// The columns that requests must have.
fn columns(saved: &ModelFile, encoding: Option<&Encoding>) -> Vec<ColumnFacts> {
    let input_kind = InputKind::of_model(&saved.model);
    if let Some(encoding) = encoding {
        // Columns that stay as they are are those that the kernel takes.
        let unchanged = kinds(&input_kind, encoding.columns.len());
        let encoded = |(i, column): (usize, &EncodedColumn)| ColumnFacts {
            name: column.name.clone(),
            kind: match column.values {
                Values::Unchanged => unchanged.get(i).copied().unwrap_or(CellKind::Encoded),
                Values::Number { fill: None } | Values::Range { fill: None, .. } => {
                    CellKind::Number
                }
                Values::Number { .. } | Values::Range { .. } => CellKind::NumberOrMissing,
                _ => CellKind::Encoded,
            },
        };
        return encoding.columns.iter().enumerate().map(encoded).collect();
    }
    let count = saved.model.inputs();
    let kinds = kinds(&input_kind, count);
    let name =
        |i: usize| saved.feature_names.as_ref().map_or(format!("x{i}"), |names| names[i].clone());
    kinds.into_iter().enumerate().map(|(i, kind)| ColumnFacts { name: name(i), kind }).collect()
}

fn kinds(input_kind: &InputKind, count: usize) -> Vec<CellKind> {
    match input_kind {
        InputKind::Groups(groups) => {
            let of = |group: &ColumnGroup| kinds(&group.input_kind, group.names.len());
            groups.iter().flat_map(of).collect()
        }
        InputKind::Strings => vec![CellKind::String; count],
        _ => vec![CellKind::Number; count],
    }
}
