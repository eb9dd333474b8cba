//! Explanations of fitted models by the columns of their table: which matter, what makes a row unusual, what distinguishes
//! clusters. Functions of tables and of a model's predictions; they know no model.

mod attribution;
mod clusters;
mod components;
mod dependence;
mod importance;
mod outlier_columns;
mod values;

pub use attribution::{Attribution, ColumnSet, Explained, additive, shapley};
pub use clusters::{labels, profile};
pub use components::components;
pub use dependence::{Dependence, SHARE, partial_dependence};
pub use importance::{ColumnImportance, Importance, permutation_importance};
pub use outlier_columns::{Contributions, contributions};
pub use values::cell_text;

use std::ops::Range;

use mercer::io::encoding::{Encoding, Values};
use mercer::io::{Column, Table};

/// A column of the user's table, and the columns of numbers that it became.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceColumn {
    /// Its name.
    pub name: String,
    /// The columns of numbers.
    pub columns: Range<usize>,
    /// How it became them; none where nothing was done to it.
    pub values: Option<Values>,
}

/// The columns that `features` were made of by `encoding`.
pub fn source_columns(features: &Table, encoding: Option<&Encoding>) -> Vec<SourceColumn> {
    let width = features.n_columns();
    let one = |i: usize| SourceColumn { name: features.name(i), columns: i..i + 1, values: None };
    let own = || (0..width).map(one);
    let Some(encoding) = encoding else { return own().collect() };
    let mut start = 0;
    let encoded = encoding.columns.iter().map(|column| {
        let columns = start..start + column.outputs().len();
        start = columns.end;
        let values = Some(column.values.clone());
        SourceColumn { name: column.name.clone(), columns, values }
    });
    let encoded: Vec<SourceColumn> = encoded.collect();
    if start == width { encoded } else { own().collect() }
}

/// `table` with the cells of `source` taken from `rows`, one for each row of the table, of `other`.
fn with_cells(table: &Table, source: &SourceColumn, other: &Table, rows: &[usize]) -> Table {
    let mut changed = table.clone();
    for column in source.columns.clone() {
        changed.columns[column] = other.columns[column].take(rows);
    }
    changed
}

/// The number in a cell; NaN where there is none.
fn number(column: &Column, row: usize) -> f64 {
    column.number(row).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use mercer::io::encoding::{CategoryColumns, Choices};

    use super::*;

    #[test]
    fn columns_of_categories_belong_together() {
        let colours = ["red", "blue", "green", "red"].map(String::from).to_vec();
        let table = Table::new(
            vec!["size".into(), "colour".into()],
            vec![Column::F64(vec![1.0, 2.0, 3.0, 4.0]), Column::Text(colours)],
        );
        let choices = Choices {
            categories: CategoryColumns { unordered: vec![1], ..Default::default() },
            ..Choices::default()
        };
        let encoding = Encoding::learn(&table, &choices).unwrap();
        let (features, _) = encoding.apply(table).unwrap();
        let sources = source_columns(&features, Some(&encoding));
        let places = |place: usize| (sources[place].name.as_str(), sources[place].columns.clone());
        assert_eq!((places(0), places(1)), (("size", 0..1), ("colour", 1..4)));
        assert_eq!(source_columns(&features, None).len(), 4);
    }
}
