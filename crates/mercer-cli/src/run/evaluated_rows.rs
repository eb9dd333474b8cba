//! Predictions beside true values, for reports and explanations.

use mercer::io::{Column, Table};

use crate::data::Label;
use crate::prediction::{Evaluated, Names, Origin, Prediction};

/// Rows with their true values and the predictions of a model.
pub struct EvaluatedRows {
    /// Which model predicted the rows.
    pub origin: Origin,
    /// The features of the model.
    pub features: Table,
    /// The number of each row in its table, counted from 1.
    pub numbers: Vec<usize>,
    /// The label of each row.
    pub label: Option<Label>,
    /// The true values of each target.
    pub truth: Vec<Column>,
    /// The predictions.
    pub prediction: Prediction,
    /// The places of the rows that count.
    pub counted: Vec<usize>,
}

impl EvaluatedRows {
    /// The same, with the names of what is predicted.
    pub fn evaluated<'a>(&'a self, names: Names<'a>) -> Evaluated<'a> {
        Evaluated {
            origin: self.origin,
            numbers: &self.numbers,
            label: self.label.as_ref(),
            names,
            truth: &self.truth,
            prediction: &self.prediction,
            counted: &self.counted,
        }
    }
}
