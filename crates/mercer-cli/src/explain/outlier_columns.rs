//! Which columns make a row an outlier: by how much its score falls when a column takes its typical value.
//!
//! The typical value of numbers is their median, that of categories and texts the most frequent one. Falls of several columns need not
//! add up to the score: columns that are unusual only together have small ones each.

use std::collections::HashMap;

use mercer::Result;
use mercer::io::{Column, Table};

use super::{SourceColumn, number, with_cells};

/// What columns contribute to the scores of rows.
#[derive(Debug, PartialEq)]
pub struct Contributions {
    /// The score of each row.
    pub scores: Vec<f64>,
    /// For each row, by how much its score falls for each column.
    pub falls: Vec<Vec<f64>>,
}

impl Contributions {
    /// The columns of row `place` for which the score falls most, the largest fall first; at most `most` of them.
    pub fn largest(&self, place: usize, most: usize) -> Vec<usize> {
        let falls = &self.falls[place];
        let mut order: Vec<usize> = (0..falls.len()).filter(|&j| falls[j] > 0.0).collect();
        order.sort_by(|&a, &b| falls[b].total_cmp(&falls[a]));
        order.truncate(most);
        order
    }
}

/// What each of `sources` contributes to the scores of `rows` of `features`; `scores` are those of the rows of a table.
pub fn contributions(
    features: &Table,
    sources: &[SourceColumn],
    rows: &[usize],
    mut scores: impl FnMut(&Table) -> Result<Vec<f64>>,
) -> Result<Contributions> {
    let chosen = features.take_rows(rows);
    let whole = scores(&chosen)?;
    let mut falls = vec![Vec::with_capacity(sources.len()); rows.len()];
    for source in sources {
        let typical = vec![typical_row(features, source); rows.len()];
        let changed = scores(&with_cells(&chosen, source, features, &typical))?;
        falls.iter_mut().enumerate().for_each(|(i, own)| own.push(whole[i] - changed[i]));
    }
    Ok(Contributions { scores: whole, falls })
}

/// A row with the typical value of a column.
fn typical_row(features: &Table, source: &SourceColumn) -> usize {
    let columns = &features.columns[source.columns.clone()];
    match columns {
        [one]
            if !matches!(one, Column::Text(_))
                && !features.indicators.contains(&source.columns.start) =>
        {
            median_row(one)
        }
        columns => most_frequent_row(columns),
    }
}

/// The row of the median; of an even number of rows the lower one of the two in the middle.
fn median_row(column: &Column) -> usize {
    let mut order: Vec<usize> = (0..column.len()).collect();
    order.sort_by(|&a, &b| number(column, a).total_cmp(&number(column, b)));
    order[(order.len() - 1) / 2]
}

/// The first row with the most frequent cells.
fn most_frequent_row(columns: &[Column]) -> usize {
    let mut counts: HashMap<Vec<String>, (usize, usize)> = HashMap::new();
    for row in 0..columns.first().map_or(0, Column::len) {
        let cells = columns.iter().map(|column| column.text(row)).collect();
        counts.entry(cells).or_insert((0, row)).0 += 1;
    }
    let best = counts.values().max_by_key(|(count, row)| (*count, std::cmp::Reverse(*row)));
    best.map_or(0, |(_, row)| *row)
}

#[cfg(test)]
mod tests {
    use super::super::source_columns;
    use super::*;

    /// Σ x_j² of each row.
    fn squares(table: &Table) -> Vec<f64> {
        let row = |i: usize| table.columns.iter().map(|c| number(c, i).powi(2)).sum();
        (0..table.n_rows()).map(row).collect()
    }

    #[test]
    fn falls_are_those_of_the_formula() {
        // Of Σ x_j² the fall of column j is x_j² − median².
        let x = [[9.0, 1.0, 1.0, 2.0, 3.0], [1.0, 1.0, 8.0, 0.5, 2.0]];
        let columns = x.iter().map(|column| Column::F64(column.to_vec())).collect();
        let table = Table::new(vec!["a".into(), "b".into()], columns);
        let sources = source_columns(&table, None);
        let found = contributions(&table, &sources, &[0, 2], |t| Ok(squares(t))).unwrap();
        assert_eq!(found.scores, [82.0, 65.0]);
        let medians = [2.0, 1.0];
        for (place, row) in [0, 2].into_iter().enumerate() {
            for j in 0..2 {
                let fall = x[j][row].powi(2) - f64::powi(medians[j], 2);
                assert_eq!(found.falls[place][j], fall, "row {row}, column {j}");
            }
        }
        assert_eq!((found.largest(0, 3), found.largest(1, 3)), (vec![0], vec![1]));
    }

    #[test]
    fn categories_take_the_most_frequent_value() {
        let texts = ["b", "a", "b", "a", "b"].map(String::from).to_vec();
        let table = Table::new(vec!["t".into()], vec![Column::Text(texts)]);
        assert_eq!(typical_row(&table, &source_columns(&table, None)[0]), 0);
    }
}
