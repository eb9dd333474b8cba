//! What each column adds to a prediction, relative to the mean prediction over background rows.
//!
//! A model that is a sum of functions of some columns each has these functions as contributions, minus their means: exact. Of other models they
//! are Shapley values: the change of the prediction when a column's cells replace those of a background row, averaged over random orders of the columns
//! and over the background. Every background row is used equally often, so that contributions and base always add up to the prediction.

use mercer::Result;
use mercer::context::Stream;
use mercer::io::Table;
use serde::Serialize;

use super::importance::{mean_and_error, permutation};

/// The predictions of a model for the rows of a table, each as one number.
pub type Respond<'a> = &'a mut dyn FnMut(&Table) -> Result<Vec<f64>>;

/// Columns that are changed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSet {
    /// What they are called.
    pub name: String,
    /// Their places.
    pub columns: Vec<usize>,
}

/// What columns add to the prediction of a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribution {
    /// The prediction.
    pub prediction: f64,
    /// The mean prediction over the background.
    pub base: f64,
    /// What each set of columns adds.
    pub values: Vec<f64>,
    /// Their standard errors over the orders; 0 if they are exact.
    pub std_errors: Vec<f64>,
}

/// Rows of a table: the one that is explained, and those that its contributions are relative to.
#[derive(Debug, Clone, Copy)]
pub struct Explained<'a> {
    /// The table.
    pub features: &'a Table,
    /// The row that is explained.
    pub row: usize,
    /// The background.
    pub background: &'a [usize],
}

/// The contributions of `sets` to a model that is a sum of functions of one of them each.
pub fn additive(
    explained: Explained<'_>,
    sets: &[ColumnSet],
    respond: Respond<'_>,
) -> Result<Attribution> {
    let Explained { features, row, background } = explained;
    let prediction = respond(&features.take_rows(&[row]))?[0];
    let base = mean(&respond(&features.take_rows(background))?);
    let mut values = Vec::with_capacity(sets.len());
    for set in sets {
        // With all other columns as in the row, differences are those of the one function.
        let changed = mixed(explained, background, |column, _| !set.columns.contains(&column));
        values.push(prediction - mean(&respond(&changed)?));
    }
    Ok(Attribution { prediction, base, std_errors: vec![0.0; values.len()], values })
}

/// The Shapley values of `sets`, from at least `orders` random orders of the sets, each followed by its reverse. Every row of the
/// background is used equally often.
pub fn shapley(
    explained: Explained<'_>,
    sets: &[ColumnSet],
    orders: usize,
    respond: Respond<'_>,
) -> Result<Attribution> {
    let Explained { features, row, background } = explained;
    let mut stream = Stream::new(0, "orders of columns");
    let prediction = respond(&features.take_rows(&[row]))?[0];
    let bases = respond(&features.take_rows(background))?;
    let rounds = orders.div_ceil(bases.len()) * bases.len();
    let mut changes = vec![Vec::with_capacity(rounds); sets.len()];
    for round in 0..rounds {
        let place = round % bases.len();
        let ends = [bases[place], prediction];
        let mut order = permutation(&mut stream, sets.len());
        let forward = walk(explained, background[place], sets, &order, ends, respond)?;
        order.reverse();
        let back = walk(explained, background[place], sets, &order, ends, respond)?;
        (0..sets.len()).for_each(|s| changes[s].push((forward[s] + back[s]) / 2.0));
    }
    let (values, std_errors) = changes.iter().map(|own| mean_and_error(own)).unzip();
    Ok(Attribution { prediction, base: mean(&bases), values, std_errors })
}

/// The changes of the prediction as sets take the cells of the row in `order`, from the row `start` on; `ends` are the predictions
/// before the first and after the last.
fn walk(
    explained: Explained<'_>,
    start: usize,
    sets: &[ColumnSet],
    order: &[usize],
    ends: [f64; 2],
    respond: Respond<'_>,
) -> Result<Vec<f64>> {
    let mut turn = vec![usize::MAX; explained.features.n_columns()];
    for (step, &set) in order.iter().enumerate() {
        sets[set].columns.iter().for_each(|&column| turn[column] = step);
    }
    // All steps but the last, whose prediction is known, as the rows of one table.
    let steps = vec![start; order.len() - 1];
    let mut found = match steps.is_empty() {
        true => Vec::new(),
        false => respond(&mixed(explained, &steps, |column, step| turn[column] <= step))?,
    };
    found.push(ends[1]);
    let (mut changes, mut before) = (vec![0.0; sets.len()], ends[0]);
    for (&set, &after) in order.iter().zip(&found) {
        changes[set] = after - before;
        before = after;
    }
    Ok(changes)
}

/// The rows `others`, with the cells of the explained row where `is_taken(column, place)`.
fn mixed(
    explained: Explained<'_>,
    others: &[usize],
    is_taken: impl Fn(usize, usize) -> bool,
) -> Table {
    let mut changed = explained.features.take_rows(others);
    for (column, cells) in changed.columns.iter_mut().enumerate() {
        let from = |(place, &other): (usize, &usize)| match is_taken(column, place) {
            true => explained.row,
            false => other,
        };
        let rows: Vec<usize> = others.iter().enumerate().map(from).collect();
        *cells = explained.features.columns[column].take(&rows);
    }
    changed
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use mercer::io::Column;

    use super::super::number;
    use super::*;

    fn table() -> Table {
        let column = |j: usize| (0..12).map(|i| ((i * (5 + 2 * j) + j) % 12) as f64).collect();
        let names = ["a", "b", "c"].map(String::from).into();
        Table::new(names, (0..3).map(|j| Column::F64(column(j))).collect())
    }

    fn sets() -> Vec<ColumnSet> {
        let set = |j: usize| ColumnSet { name: j.to_string(), columns: vec![j] };
        (0..3).map(set).collect()
    }

    fn responses(function: fn([f64; 3]) -> f64) -> impl FnMut(&Table) -> Result<Vec<f64>> {
        move |table| {
            let cells = |i: usize| [0, 1, 2].map(|j| number(&table.columns[j], i));
            Ok((0..table.n_rows()).map(|i| function(cells(i))).collect())
        }
    }

    /// The Shapley values by all six orders and all rows of the background.
    fn by_all_orders(function: fn([f64; 3]) -> f64, row: [f64; 3], rows: &[[f64; 3]]) -> [f64; 3] {
        const ORDERS: [[usize; 3]; 6] =
            [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut values = [0.0; 3];
        for start in rows {
            for order in ORDERS {
                let mut cells = *start;
                for j in order {
                    let before = function(cells);
                    cells[j] = row[j];
                    values[j] += (function(cells) - before) / (6 * rows.len()) as f64;
                }
            }
        }
        values
    }

    #[test]
    fn sums_are_taken_apart_exactly() {
        let function = |[a, b, c]: [f64; 3]| (a - 3.0).powi(2) + 2.0 * b - c.sin();
        let (table, background) = (table(), [0, 2, 4, 6, 8]);
        let explained = Explained { features: &table, row: 1, background: &background };
        let found = additive(explained, &sets(), &mut responses(function)).unwrap();
        let cell = |j: usize, i: usize| number(&table.columns[j], i);
        let term = |j: usize, x: f64| function([0, 1, 2].map(|k| if k == j { x } else { 0.0 }));
        for j in 0..3 {
            let level: f64 = background.iter().map(|&i| term(j, cell(j, i))).sum::<f64>() / 5.0;
            assert!((found.values[j] - (term(j, cell(j, 1)) - level)).abs() < 1e-12, "{j}");
        }
        let sum = found.base + found.values.iter().sum::<f64>();
        assert!((sum - found.prediction).abs() < 1e-12);
        // Of a sum, every order gives the same Shapley values.
        let sampled = shapley(explained, &sets(), 5, &mut responses(function)).unwrap();
        for j in 0..3 {
            assert!((sampled.values[j] - found.values[j]).abs() < 1e-12);
        }
    }

    #[test]
    fn shapley_values_come_close_to_those_of_all_orders() {
        let function = |[a, b, c]: [f64; 3]| a * b + (c - a).abs();
        let (table, background) = (table(), [0, 3, 5]);
        let explained = Explained { features: &table, row: 7, background: &background };
        let found = shapley(explained, &sets(), 600, &mut responses(function)).unwrap();
        let row = |i: usize| [0, 1, 2].map(|j| number(&table.columns[j], i));
        let exact = by_all_orders(function, row(7), &background.map(row));
        for j in 0..3 {
            let error = (found.values[j] - exact[j]).abs();
            assert!(error < 4.0 * found.std_errors[j] + 1e-9, "{j}: {error}");
            assert!(found.std_errors[j] < 3.0);
        }
        let sum = found.base + found.values.iter().sum::<f64>();
        assert!((sum - found.prediction).abs() < 1e-9);
    }
}
