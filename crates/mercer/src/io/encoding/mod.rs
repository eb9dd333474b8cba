//! From a table as it is to a table of numbers: missing cells are filled, categories become columns of zeros and ones,
//! dates their parts. What is done is learned from the training table and stored with the model, so that new rows are
//! treated in the same way.

mod apply;
pub mod date;
pub mod infer;
mod learn;
mod medians;
mod ordered;

use serde::{Deserialize, Serialize};

pub use learn::{
    CategoryColumns, Choices, ColumnFault, Dates, Missing, Reason, rows_without_missing,
};
pub use medians::Medians;

/// How the columns of a table become numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// One entry for each column, in the order of the table.
    pub columns: Vec<EncodedColumn>,
}

/// How one column becomes numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// Its name in the table.
    pub name: String,
    /// What it holds, and what becomes of it.
    #[serde(flatten)]
    pub values: Values,
    /// Cells of the training table that were missing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: usize,
}

/// What a column holds, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Values {
    /// Numbers, which stay as they are.
    Number {
        /// What stands in for a missing one; without it, missing cells are refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// Numbers, of which the smallest becomes 0 and the largest 1.
    Range {
        /// The smallest number of the training table.
        low: f64,
        /// The largest.
        high: f64,
        /// What stands in for a missing one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// Categories: a column of zeros and ones for each, or for the second one if there are two.
    Category {
        /// Their names.
        levels: Vec<String>,
        /// The place of the category that stands in for a missing one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<usize>,
        /// Whether two categories have a column each, too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        each: bool,
    },
    /// Categories, for kernels that compare them: one column with their places among `levels`, from 0.
    Code {
        /// Their names.
        levels: Vec<String>,
        /// The place of the category that stands in for a missing one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<usize>,
    },
    /// Categories with an order: one column with their ranks, from 0.
    Ordered {
        /// Their names, in order.
        levels: Vec<String>,
        /// The rank of the category that stands in for a missing or an unknown one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<usize>,
        /// Whether ranks are divided by the largest, for kernels that compare categories.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unit: bool,
    },
    /// Whatever it holds stays as it is: texts of string kernels, histograms.
    Unchanged,
    /// Dates: columns of year, month, day and weekday (Monday is 1), and of the hour if `time` is set.
    Date {
        /// Whether times of day are given.
        time: bool,
    },
}

/// The parts of a date, as they are appended to the name of its column.
const DATE_PARTS: [&str; 5] = ["year", "month", "day", "weekday", "hour"];

impl Encoding {
    /// Whether every column is a number that stays what it is.
    pub fn is_plain(&self) -> bool {
        self.columns.iter().all(|column| matches!(column.values, Values::Number { .. }))
    }

    /// The names of the columns in the table.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// Whether every number in it can be used; a file may hold anything.
    pub fn is_sound(&self) -> bool {
        self.columns.iter().all(|column| match &column.values {
            Values::Number { fill } => fill.is_none_or(f64::is_finite),
            Values::Range { low, high, fill } => {
                low.is_finite() && high.is_finite() && fill.is_none_or(f64::is_finite)
            }
            Values::Category { levels, fill, .. }
            | Values::Code { levels, fill }
            | Values::Ordered { levels, fill, .. } => {
                !levels.is_empty() && fill.is_none_or(|place| place < levels.len())
            }
            Values::Date { .. } | Values::Unchanged => true,
        })
    }
}

impl EncodedColumn {
    /// The names of the columns it becomes.
    pub fn outputs(&self) -> Vec<String> {
        match &self.values {
            Values::Number { .. }
            | Values::Range { .. }
            | Values::Code { .. }
            | Values::Ordered { .. }
            | Values::Unchanged => {
                vec![self.name.clone()]
            }
            Values::Category { levels, each, .. } => match &levels[..] {
                [_, second] if !each => vec![format!("{}={second}", self.name)],
                levels => levels.iter().map(|level| format!("{}={level}", self.name)).collect(),
            },
            Values::Date { time } => {
                let parts = &DATE_PARTS[..if *time { 5 } else { 4 }];
                parts.iter().map(|part| format!("{}_{part}", self.name)).collect()
            }
        }
    }

    /// Whether the columns it becomes hold zeros and ones.
    fn is_indicator(&self) -> bool {
        matches!(self.values, Values::Category { .. })
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests;
