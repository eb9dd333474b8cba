//! Partial dependence: what a model says as one column varies, the others as they are.
//!
//! The mean over rows shows the effect of the column on average; the interval, which holds the stated share of rows, how much effect and
//! level differ from row to row.

use mercer::io::encoding::Values;
use mercer::io::{Column, Table};
use mercer::{Mat, Result};
use serde::Serialize;

use super::values::{in_units, value_text};
use super::{SourceColumn, number};

/// Values of a column of numbers up to which each is taken; of more, this many between two quantiles.
const FEW: usize = 12;
const POINTS: usize = 20;
/// The quantiles between which numbers vary.
const ENDS: [f64; 2] = [0.05, 0.95];
/// The most categories that are shown.
const MOST_LEVELS: usize = 12;
/// The share of rows that intervals hold.
pub const SHARE: f64 = 0.9;

/// What a model says as one column varies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dependence {
    /// The column.
    pub name: String,
    /// The numbers it takes; empty for categories.
    pub numbers: Vec<f64>,
    /// The categories it takes; empty for numbers.
    pub categories: Vec<String>,
    /// A curve for each output of the model.
    pub curves: Vec<DependenceCurve>,
}

/// One output of a model as one column varies, with a number for each value of the column.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DependenceCurve {
    /// The mean over rows.
    pub mean: Vec<f64>,
    /// The lower end of the interval.
    pub lower: Vec<f64>,
    /// The upper end.
    pub upper: Vec<f64>,
}

/// What `outputs` (rows × outputs) are as the column `source` of `features` varies; none for texts, dates and columns of one value.
pub fn partial_dependence(
    features: &Table,
    source: &SourceColumn,
    outputs: &mut dyn FnMut(&Table) -> Result<Mat<f64>>,
) -> Result<Option<Dependence>> {
    let Some(values) = values_of(features, source) else { return Ok(None) };
    let mut curves: Vec<DependenceCurve> = Vec::new();
    for cells in &values {
        let found = outputs(&filled(features, source, cells))?;
        curves.resize_with(found.cols(), DependenceCurve::default);
        for (j, curve) in curves.iter_mut().enumerate() {
            curve.push((0..found.rows()).map(|i| found[(i, j)]).collect());
        }
    }
    let own = source.values.as_ref();
    let is_category = is_category(features, source);
    let text = |cells: &Vec<f64>| value_text(own, cells);
    let number = |cells: &Vec<f64>| in_units(own, cells[0]);
    Ok(Some(Dependence {
        name: source.name.clone(),
        numbers: if is_category { Vec::new() } else { values.iter().map(number).collect() },
        categories: if is_category { values.iter().map(text).collect() } else { Vec::new() },
        curves,
    }))
}

impl DependenceCurve {
    fn push(&mut self, mut values: Vec<f64>) {
        values.sort_by(f64::total_cmp);
        self.mean.push(values.iter().sum::<f64>() / values.len() as f64);
        self.lower.push(quantile(&values, (1.0 - SHARE) / 2.0));
        self.upper.push(quantile(&values, (1.0 + SHARE) / 2.0));
    }
}

/// The quantile of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

fn is_category(features: &Table, source: &SourceColumn) -> bool {
    match &source.values {
        Some(Values::Category { .. } | Values::Code { .. } | Values::Ordered { .. }) => true,
        _ => features.indicators.contains(&source.columns.start),
    }
}

/// The cells that the columns of `source` take one after the other.
fn values_of(features: &Table, source: &SourceColumn) -> Option<Vec<Vec<f64>>> {
    let columns = &features.columns[source.columns.clone()];
    let is_text = columns.iter().any(|column| matches!(column, Column::Text(_)));
    if is_text || matches!(source.values, Some(Values::Date { .. })) {
        return None;
    }
    let found = match (is_category(features, source), columns) {
        (true, columns) => levels(columns),
        (false, [one]) => points(one).into_iter().map(|value| vec![value]).collect(),
        (false, _) => return None,
    };
    (found.len() > 1).then_some(found)
}

/// The different categories, by their cells.
fn levels(columns: &[Column]) -> Vec<Vec<f64>> {
    let rows = columns.first().map_or(0, Column::len);
    let cells = |row: usize| columns.iter().map(|column| number(column, row)).collect::<Vec<f64>>();
    let mut found: Vec<Vec<f64>> = (0..rows).map(cells).collect();
    // The place of a one counts from the left, as levels do.
    found.sort_by(|a, b| match columns.len() {
        1 => a[0].total_cmp(&b[0]),
        _ => b.iter().map(|c| *c as i64).cmp(a.iter().map(|c| *c as i64)),
    });
    found.dedup();
    found.truncate(MOST_LEVELS);
    found
}

/// The numbers that a column takes.
fn points(column: &Column) -> Vec<f64> {
    let mut sorted: Vec<f64> =
        (0..column.len()).map(|row| number(column, row)).filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let mut different = sorted.clone();
    different.dedup();
    if different.len() <= FEW {
        return different;
    }
    let [low, high] = ENDS.map(|share| quantile(&sorted, share));
    let point = |place: usize| low + (high - low) * place as f64 / (POINTS - 1) as f64;
    let mut points: Vec<f64> = (0..POINTS).map(point).collect();
    points.dedup();
    points
}

/// `features` with the same cells in the columns of `source` in every row.
fn filled(features: &Table, source: &SourceColumn, cells: &[f64]) -> Table {
    let mut changed = features.clone();
    for (column, &cell) in source.columns.clone().zip(cells) {
        changed.columns[column] = Column::F64(vec![cell; features.n_rows()]);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::source_columns;
    use super::*;

    fn table() -> Table {
        let a: Vec<f64> = (0..40).map(f64::from).collect();
        let b: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
        let names = ["a", "b"].map(String::from).into();
        Table::new(names, vec![Column::F64(a), Column::F64(b)])
    }

    /// 2a + b² as the only output.
    fn output(table: &Table) -> Result<Mat<f64>> {
        let cell = |j: usize, i: usize| number(&table.columns[j], i);
        let value = |i: usize, _: usize| 2.0 * cell(0, i) + cell(1, i).powi(2);
        Ok(Mat::from_fn(table.n_rows(), 1, value))
    }

    #[test]
    fn curves_are_those_of_two_loops() {
        let table = table();
        let sources = source_columns(&table, None);
        let found = partial_dependence(&table, &sources[1], &mut output).unwrap().unwrap();
        assert_eq!((found.numbers, found.curves.len()), (vec![0.0, 1.0, 2.0], 1));
        for (place, b) in [0.0f64, 1.0, 2.0].into_iter().enumerate() {
            let curve = &found.curves[0];
            assert!((curve.mean[place] - (39.0 + b * b)).abs() < 1e-12);
            assert!((curve.lower[place] - (2.0 * 1.95 + b * b)).abs() < 1e-12);
            assert!((curve.upper[place] - (2.0 * 37.05 + b * b)).abs() < 1e-12);
        }
        let found = partial_dependence(&table, &sources[0], &mut output).unwrap().unwrap();
        assert_eq!(found.numbers.len(), POINTS);
        assert!((found.numbers[0] - 1.95).abs() < 1e-12);
    }

    #[test]
    fn columns_of_one_value_and_texts_have_no_curve() {
        let names = ["a", "b"].map(String::from).into();
        let texts = Column::Text(vec!["x".into(), "y".into()]);
        let table = Table::new(names, vec![Column::F64(vec![1.0; 2]), texts]);
        for source in source_columns(&table, None) {
            let mut none = |_: &Table| -> Result<Mat<f64>> { unreachable!("nothing varies") };
            assert_eq!(partial_dependence(&table, &source, &mut none).unwrap(), None);
        }
    }
}
