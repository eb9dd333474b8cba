//! Predictions and projections of fitted models over HTTP.

mod answer;
mod metrics;
mod openapi;
mod queue;
mod rows;
mod service;
mod store;

pub use service::{Service, ServiceOptions};
pub use store::{Load, Store};

use mercer::Context;
use mercer::io::Table;
use serde::Serialize;

/// A fitted model that answers requests.
pub trait Predictor: Send + Sync {
    /// What it is.
    fn facts(&self) -> &ModelFacts;

    /// The results for `rows`, which hold the columns of [`ModelFacts::columns`] in this order: one row for each.
    fn evaluate(&self, context: &Context, rows: Table) -> mercer::Result<Table>;
}

/// What a model does with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// It predicts values, classes, clusters or outliers.
    Predict,
    /// It projects rows to components.
    Transform,
}

/// The description of a model.
#[derive(Debug, Clone, Serialize)]
pub struct ModelFacts {
    /// What it does.
    pub operation: Operation,
    /// The estimator's name in files.
    pub estimator: &'static str,
    /// The name of the method.
    pub method: &'static str,
    /// Its kernel, if it has one.
    pub kernel: Option<String>,
    /// Rows it was fitted on; 0 where the file does not say.
    pub training_rows: usize,
    /// The columns it needs.
    pub columns: Vec<ColumnFacts>,
    /// Whether these have names, by which columns are found.
    pub has_names: bool,
    /// The names of its classes, if it predicts classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
}

/// A column that a model needs.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnFacts {
    /// Its name, or `x0`, `x1`, … where the model has none.
    pub name: String,
    /// What its cells are.
    pub kind: CellKind,
}

/// What the cells of a column may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum CellKind {
    /// Numbers, none missing.
    #[serde(rename = "number")]
    Number,
    /// Numbers, of which missing ones are filled.
    #[serde(rename = "number or missing")]
    NumberOrMissing,
    /// Strings.
    #[serde(rename = "string")]
    String,
    /// Categories or dates as in the training table; missing ones are filled if they can be.
    #[serde(rename = "category or date")]
    Encoded,
}
