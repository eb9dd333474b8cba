//! What components stand for: the columns that go along with them, and the rows at their ends.

use mercer::io::{Column, Table};

use super::number;
use crate::results::Results;

/// Components that are listed.
const MOST: usize = 20;
/// Columns that are named for each.
const NAMED: usize = 3;
/// Columns up to which correlations are computed.
const MOST_COLUMNS: usize = 2_000;

/// A row for each component: its share of the variance, the columns most correlated with it, and the rows at both ends.
pub fn components(features: &Table, results: &Results, ratios: &[f64]) -> Table {
    let count = ratios.len().min(MOST);
    let scores: Vec<Vec<f64>> = (0..count).map(|index| results.column(index)).collect();
    let mut sum = 0.0;
    let percent = |ratio: f64| format!("{:.1}\u{a0}%", 100.0 * ratio);
    let shares: Vec<String> = ratios[..count].iter().map(|ratio| percent(*ratio)).collect();
    let sums = ratios[..count].iter().map(|ratio| {
        sum += ratio;
        percent(sum)
    });
    let mut named = vec![
        ("component", Column::F64((1..=count).map(|index| index as f64).collect())),
        ("variance", Column::Text(shares)),
        ("total", Column::Text(sums.collect())),
    ];
    if let Some(columns) = numbers(features) {
        let texts = scores.iter().map(|own| strongest(features, &columns, own)).collect();
        named.push(("columns most correlated with it", Column::Text(texts)));
    }
    let end = |own: &Vec<f64>, sign: f64| row_name(results, extreme(own, sign));
    named.push(("lowest row", Column::Text(scores.iter().map(|own| end(own, -1.0)).collect())));
    named.push(("highest row", Column::Text(scores.iter().map(|own| end(own, 1.0)).collect())));
    let (names, columns) = named.into_iter().map(|(name, c)| (name.to_string(), c)).unzip();
    Table::new(names, columns)
}

/// The columns as numbers; none if one holds texts or there are too many.
fn numbers(features: &Table) -> Option<Vec<Vec<f64>>> {
    let is_text = |column: &Column| matches!(column, Column::Text(_));
    if !(1..=MOST_COLUMNS).contains(&features.n_columns()) || features.columns.iter().any(is_text) {
        return None;
    }
    let column = |c: &Column| (0..c.len()).map(|row| number(c, row)).collect();
    Some(features.columns.iter().map(column).collect())
}

fn strongest(features: &Table, columns: &[Vec<f64>], scores: &[f64]) -> String {
    let all: Vec<f64> = columns.iter().map(|column| correlation(column, scores)).collect();
    let mut order: Vec<usize> = (0..all.len()).filter(|&j| all[j].is_finite()).collect();
    order.sort_by(|&a, &b| all[b].abs().total_cmp(&all[a].abs()));
    let text = |&j: &usize| {
        let sign = if all[j] < 0.0 { "−" } else { "+" };
        format!("{} {sign}{:.2}", features.name(j), all[j].abs())
    };
    order.iter().take(NAMED).map(text).collect::<Vec<_>>().join(", ")
}

/// Pearson's correlation; NaN where one of both is constant.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (at, bt) = (mean(a), mean(b));
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - at, y - bt);
        (aa, bb, ab) = (aa + x * x, bb + y * y, ab + x * y);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { f64::NAN }
}

/// The row with the largest score times `sign`.
fn extreme(scores: &[f64], sign: f64) -> usize {
    let value = |row: usize| sign * scores[row];
    (0..scores.len()).reduce(|a, b| if value(b) > value(a) { b } else { a }).unwrap_or(0)
}

/// The number of a row, counted from 1, and its label.
fn row_name(results: &Results, row: usize) -> String {
    match &results.label {
        Some((_, cells)) => format!("{} ({})", row + 1, cells.text(row)),
        None => (row + 1).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use mercer::Dtype;

    use super::*;

    #[test]
    fn components_are_named_by_columns_and_rows() {
        let features = Table::new(
            ["up", "down", "flat"].map(String::from).into(),
            vec![
                Column::F64(vec![1.0, 2.0, 3.0]),
                Column::F64(vec![2.0, 1.0, 1.5]),
                Column::F64(vec![7.0; 3]),
            ],
        );
        let label = Some(("who".into(), Column::Text(["x", "y", "z"].map(String::from).to_vec())));
        let results = Results {
            names: vec!["component_1".into()],
            values: vec![-1.0, 0.0, 1.0],
            dtype: Dtype::F64,
            label,
            more_labels: Vec::new(),
            row_numbers: None,
        };
        let table = components(&features, &results, &[0.875]);
        let cells: Vec<String> = table.columns.iter().map(|column| column.text(0)).collect();
        // The correlation of (2, 1, 1.5) with (−1, 0, 1) is −0.5 / √(0.5 · 2).
        assert_eq!(
            cells,
            ["1", "87.5\u{a0}%", "87.5\u{a0}%", "up +1.00, down −0.50", "1 (x)", "3 (z)"]
        );
    }

    #[test]
    fn a_constant_has_no_correlation() {
        assert!(correlation(&[1.0, 1.0], &[0.0, 1.0]).is_nan());
        assert!((correlation(&[1.0, 2.0, 4.0], &[-2.0, -4.0, -8.0]) + 1.0).abs() < 1e-15);
    }
}
