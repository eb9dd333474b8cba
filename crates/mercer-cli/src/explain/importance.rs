//! Permutation importance: by how much the error grows when the cells of a column are shuffled.
//!
//! For each column and each repeat, one permutation of the rows is applied to the cells of that column alone, and the error of the
//! model on the changed table is compared with that on the table as it is. Columns that a category became are shuffled together.

use mercer::Result;
use mercer::context::Stream;
use mercer::io::Table;
use serde::Serialize;

use super::{SourceColumn, with_cells};

/// How much each column matters to the error of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Importance {
    /// What grows: `RMSE` or `error rate`.
    pub measure: &'static str,
    /// Where the error was computed: `held_out` or `training`.
    pub rows_from: &'static str,
    /// Rows on which it was computed.
    pub rows: usize,
    /// Shuffles of each column.
    pub repeats: usize,
    /// The error of the table as it is.
    pub error: f64,
    /// The columns, the most important first.
    pub columns: Vec<ColumnImportance>,
}

/// How much one column matters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnImportance {
    /// Its name.
    pub name: String,
    /// The mean growth of the error.
    pub mean: f64,
    /// Its standard error over the shuffles.
    pub std_error: f64,
}

/// The error of the model on `features` as they are, and the importance of each of `sources`, the most important first; `error` is
/// the error of the model on a table. Requires two or more `repeats`.
pub fn permutation_importance(
    features: &Table,
    sources: &[SourceColumn],
    repeats: usize,
    mut error: impl FnMut(&Table) -> Result<f64>,
) -> Result<(f64, Vec<ColumnImportance>)> {
    let whole = error(features)?;
    let shuffles = shuffles(features.n_rows(), repeats);
    let mut columns = Vec::with_capacity(sources.len());
    for source in sources {
        let growth: Vec<f64> = shuffles
            .iter()
            .map(|rows| Ok(error(&with_cells(features, source, features, rows))? - whole))
            .collect::<Result<_>>()?;
        let (mean, std_error) = mean_and_error(&growth);
        columns.push(ColumnImportance { name: source.name.clone(), mean, std_error });
    }
    columns.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    Ok((whole, columns))
}

/// The permutations of rows: the same for all columns, so that columns are compared on equal terms.
fn shuffles(rows: usize, repeats: usize) -> Vec<Vec<usize>> {
    let mut stream = Stream::new(0, "permutation importance");
    (0..repeats).map(|_| permutation(&mut stream, rows)).collect()
}

/// A permutation of `0..count`, each as likely as any other (Fisher and Yates).
pub(super) fn permutation(stream: &mut Stream, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|last| order.swap(last, stream.below(last + 1)));
    order
}

/// The mean and its standard error.
pub(super) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use mercer::io::Column;

    use super::super::source_columns;
    use super::*;

    fn table() -> (Table, Vec<f64>) {
        let x = |j: usize| (0..30).map(|i| ((i * (7 + 4 * j) + j) % 30) as f64).collect::<Vec<_>>();
        let y = (0..30).map(|i| 2.0 * x(0)[i] - x(1)[i]).collect();
        let columns = (0..3).map(|j| Column::F64(x(j))).collect();
        (Table::new(["a", "b", "c"].map(String::from).into(), columns), y)
    }

    /// The RMSE of 2a − b + 1.
    fn error(table: &Table, y: &[f64]) -> f64 {
        let cell = |j: usize, i: usize| table.columns[j].number(i).unwrap();
        let squares = (0..y.len()).map(|i| (2.0 * cell(0, i) - cell(1, i) + 1.0 - y[i]).powi(2));
        (squares.sum::<f64>() / y.len() as f64).sqrt()
    }

    #[test]
    fn importances_are_those_of_two_loops() {
        let (table, y) = table();
        let sources = source_columns(&table, None);
        let (whole, found) =
            permutation_importance(&table, &sources, 4, |t| Ok(error(t, &y))).unwrap();
        assert_eq!(whole, 1.0);
        for column in &found {
            let place = sources.iter().position(|source| source.name == column.name).unwrap();
            let mut growth = Vec::new();
            for rows in shuffles(30, 4) {
                let mut cells: Vec<Vec<f64>> = (0..3)
                    .map(|j| (0..30).map(|i| table.columns[j].number(i).unwrap()).collect())
                    .collect();
                cells[place] = rows.iter().map(|&row| cells[place][row]).collect();
                let squares: f64 =
                    (0..30).map(|i| (2.0 * cells[0][i] - cells[1][i] + 1.0 - y[i]).powi(2)).sum();
                growth.push((squares / 30.0).sqrt() - 1.0);
            }
            let mean = growth.iter().sum::<f64>() / 4.0;
            let variance = growth.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / 3.0;
            assert!((column.mean - mean).abs() < 1e-12, "{}", column.name);
            assert!((column.std_error - (variance / 4.0).sqrt()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_column_that_is_not_used_has_importance_zero() {
        let (table, y) = table();
        let sources = source_columns(&table, None);
        let (_, found) = permutation_importance(&table, &sources, 3, |t| Ok(error(t, &y))).unwrap();
        let names: Vec<&str> = found.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!((found[2].mean, found[2].std_error), (0.0, 0.0));
        assert!(found[0].mean > found[1].mean && found[1].mean > 1.0);
    }

    #[test]
    fn shuffles_are_permutations_that_differ() {
        let all = shuffles(20, 3);
        for shuffle in &all {
            let mut sorted = shuffle.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<_>>());
            assert_ne!(*shuffle, sorted);
        }
        assert!(all[0] != all[1] && all[1] != all[2]);
    }
}
