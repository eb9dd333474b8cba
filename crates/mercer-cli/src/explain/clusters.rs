//! What distinguishes clusters: means and standard deviations of columns, and the labels in them.

use mercer::io::{Column, Table};

use super::number;
use crate::plot::significant;

/// Columns that are listed.
const MOST_COLUMNS: usize = 40;
/// Labels that have a column.
const MOST_LABELS: usize = 20;
/// Clusters that have a column.
const MOST_CLUSTERS: usize = 12;

/// The mean and the standard deviation of one column in one cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moments {
    mean: f64,
    deviation: f64,
}

fn moments(values: &[f64]) -> Moments {
    let count = values.len() as f64;
    let mean = values.iter().map(|value| value / count).sum::<f64>();
    let square = values.iter().map(|value| (value - mean).powi(2) / count).sum::<f64>();
    Moments { mean, deviation: square.sqrt() }
}

/// A row for each numeric column of `features`: its mean ± standard deviation in each of `clusters`, with the distance of the mean from
/// that of all rows in standard deviations of all rows. Those that distinguish clusters most come first. None without numbers.
pub fn profile(features: &Table, labels: &[usize], clusters: usize) -> Option<Table> {
    let is_number = |column: &Column| !matches!(column, Column::Text(_));
    let numeric = (0..features.n_columns()).filter(|&j| is_number(&features.columns[j]));
    let mut rows: Vec<(f64, String, Vec<String>)> = numeric
        .map(|j| {
            let (largest, cells) = of_column(&features.columns[j], labels, clusters);
            (largest, features.name(j), cells)
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.truncate(MOST_COLUMNS);
    let shown = clusters.min(MOST_CLUSTERS);
    let mut names = vec!["column".to_string()];
    names.extend((1..=shown).map(|cluster| format!("cluster {cluster}")));
    let mut columns = vec![Column::Text(rows.iter().map(|row| row.1.clone()).collect())];
    columns.extend(
        (0..shown).map(|k| Column::Text(rows.iter().map(|row| row.2[k].clone()).collect())),
    );
    (!rows.is_empty()).then(|| Table::new(names, columns))
}

/// The largest distance of a cluster's mean from that of all, and the text of each cluster.
fn of_column(column: &Column, labels: &[usize], clusters: usize) -> (f64, Vec<String>) {
    let mut parts = vec![Vec::new(); clusters];
    let all: Vec<f64> = (0..labels.len()).map(|row| number(column, row)).collect();
    labels.iter().zip(&all).for_each(|(&label, &value)| parts[label].push(value));
    let whole = moments(&all);
    let mut largest = 0.0f64;
    let mut text = |part: &Vec<f64>| {
        if part.is_empty() {
            return "–".to_string();
        }
        let Moments { mean, deviation } = moments(part);
        let shift = (mean - whole.mean) / if whole.deviation > 0.0 { whole.deviation } else { 1.0 };
        largest = largest.max(shift.abs());
        let sign = if shift < 0.0 { "−" } else { "+" };
        let (mean, deviation) = (significant(mean, 3), significant(deviation, 2));
        format!("{mean} ± {deviation} ({sign}{:.1})", shift.abs())
    };
    let texts = parts.iter().map(&mut text).collect();
    (largest, texts)
}

/// How many rows of each cluster have each label; none if there are too many labels.
pub fn labels(label: &Column, places: &[usize], clusters: usize) -> Option<Table> {
    let mut values: Vec<String> = (0..label.len()).map(|row| label.text(row)).collect();
    let cells = values.clone();
    values.sort();
    values.dedup();
    if values.len() > MOST_LABELS {
        return None;
    }
    let count = |cluster: usize, value: &String| {
        let rows =
            cells.iter().zip(places).filter(|(cell, place)| *cell == value && **place == cluster);
        rows.count() as f64
    };
    let numbers = (1..=clusters).map(|cluster| cluster as f64).collect();
    let mut columns = vec![Column::F64(numbers)];
    for value in &values {
        columns.push(Column::F64((0..clusters).map(|cluster| count(cluster, value)).collect()));
    }
    let names = std::iter::once("cluster".into()).chain(values).collect();
    Some(Table::new(names, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(column: &Column) -> Vec<String> {
        (0..column.len()).map(|row| column.text(row)).collect()
    }

    #[test]
    fn means_and_deviations_are_those_of_each_cluster() {
        let table = Table::new(
            ["flat", "split"].map(String::from).into(),
            vec![Column::F64(vec![1.0; 4]), Column::F64(vec![0.0, 2.0, 10.0, 12.0])],
        );
        let profile = profile(&table, &[0, 0, 1, 1], 2).unwrap();
        // Means 1 and 11, deviations 1 each; all rows: mean 6, deviation √26.
        assert_eq!(texts(&profile.columns[0]), ["split", "flat"]);
        assert_eq!(texts(&profile.columns[1]), ["1 ± 1 (−1.0)", "1 ± 0 (+0.0)"]);
        assert_eq!(texts(&profile.columns[2]), ["11 ± 1 (+1.0)", "1 ± 0 (+0.0)"]);
    }

    #[test]
    fn labels_are_counted_in_each_cluster() {
        let label = Column::Text(["b", "a", "b", "b"].map(String::from).to_vec());
        let table = labels(&label, &[0, 1, 1, 0], 3).unwrap();
        assert_eq!(table.names.as_deref().unwrap(), ["cluster", "a", "b"]);
        assert_eq!(table.columns[1], Column::F64(vec![0.0, 1.0, 0.0]));
        assert_eq!(table.columns[2], Column::F64(vec![2.0, 1.0, 0.0]));
    }

    #[test]
    fn very_many_labels_have_no_table() {
        let label = Column::F64((0..50).map(f64::from).collect());
        assert_eq!(labels(&label, &[0; 50], 1), None);
    }
}
