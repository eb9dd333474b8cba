//! Predictions beside true values: the rows that are predicted worst.

use mercer::io::{Column, Table};
use mercer::linalg::view::Mat;

use super::{Confusion, Names, Prediction, is_inside};
use crate::data::Label;
use crate::facts::counted;
use crate::plot::grouped;
use crate::report::ReportTable;
use crate::scores::variance;

/// Rows that are listed.
const LISTED: usize = 10;

/// Which model predicted the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The model, which was not fitted on them.
    HeldOut,
    /// Of each row, the model fitted on all others.
    LeaveOneOut,
    /// The model, which was fitted on them.
    Training,
}

impl Origin {
    /// What the rows are called.
    pub fn name(self) -> &'static str {
        match self {
            Origin::HeldOut => "held-out rows",
            Origin::LeaveOneOut => "leave-one-out predictions",
            Origin::Training => "training set; new rows are predicted worse",
        }
    }
}

/// Predictions beside true values.
pub struct Evaluated<'a> {
    /// Which model predicted the rows.
    pub origin: Origin,
    /// The number of each row in its table, counted from 1.
    pub numbers: &'a [usize],
    /// The label of each row.
    pub label: Option<&'a Label>,
    /// What is predicted.
    pub names: Names<'a>,
    /// The true values of each target.
    pub truth: &'a [Column],
    /// The predictions.
    pub prediction: &'a Prediction,
    /// The places of the rows that count.
    pub counted: &'a [usize],
}

impl Evaluated<'_> {
    /// The worst predicted rows, and of a classifier the confusion matrix.
    pub fn tables(&self) -> Vec<ReportTable> {
        match (self.prediction, self.names.classes) {
            (Prediction::Values { values, .. }, _) => vec![self.largest_errors(values)],
            (Prediction::Classes { places, .. }, Some(classes)) => {
                let confusion = Confusion::of(classes, &self.truth[0], places, self.counted);
                vec![self.misclassified(classes), confusion.listed(self.origin.name())]
            }
            (Prediction::OneClass(decisions), _) => vec![self.outside(decisions)],
            _ => Vec::new(),
        }
    }

    /// The rows furthest outside.
    fn outside(&self, decisions: &[f64]) -> ReportTable {
        let mut rows: Vec<usize> =
            self.counted.iter().copied().filter(|&i| !is_inside(decisions[i])).collect();
        rows.sort_by(|&a, &b| decisions[a].total_cmp(&decisions[b]));
        rows.truncate(LISTED);
        if rows.is_empty() {
            return ReportTable::sentence("No row is outside.");
        }
        let mut columns = self.row_columns(&rows);
        columns
            .push(("decision".into(), Column::F64(rows.iter().map(|&i| decisions[i]).collect())));
        ReportTable::all("Rows furthest outside", table(columns))
    }

    /// True and predicted values of the first target; none of a classifier.
    pub fn values(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let Prediction::Values { values, .. } = self.prediction else { return None };
        let truth = |&i: &usize| number(&self.truth[0], i);
        let predicted = self.counted.iter().map(|&i| values[(i, 0)]).collect();
        Some((self.counted.iter().map(truth).collect(), predicted))
    }

    /// The mean error over the rows that count: the root mean square of a regression, with targets in units of their standard
    /// deviations if there are several, or the error rate of a classifier.
    pub fn error(&self) -> f64 {
        let count = self.counted.len().max(1) as f64;
        match (self.prediction, self.names.classes) {
            (Prediction::Classes { places, .. }, Some(classes)) => {
                let is_wrong = |&&i: &&usize| self.truth[0].text(i) != classes[places[i]];
                self.counted.iter().filter(is_wrong).count() as f64 / count
            }
            (Prediction::Values { values, .. }, _) => {
                let units = self.units();
                let square = |i: usize, j: usize| {
                    ((number(&self.truth[j], i) - values[(i, j)]) / units[j]).powi(2)
                };
                let targets = 0..self.truth.len();
                let sum: f64 =
                    targets.map(|j| self.counted.iter().map(|&i| square(i, j)).sum::<f64>()).sum();
                (sum / count / self.truth.len().max(1) as f64).sqrt()
            }
            _ => f64::NAN,
        }
    }

    /// 1 for a single target, otherwise the standard deviation of each.
    fn units(&self) -> Vec<f64> {
        if self.truth.len() == 1 {
            return vec![1.0];
        }
        let column = |truth: &Column| {
            let values: Vec<f64> = self.counted.iter().map(|&i| number(truth, i)).collect();
            variance(&values, None).map_or(1.0, f64::sqrt)
        };
        self.truth.iter().map(column).collect()
    }

    fn largest_errors(&self, values: &Mat<f64>) -> ReportTable {
        let units = self.units();
        let error = |&(i, j): &(usize, usize)| values[(i, j)] - number(&self.truth[j], i);
        let size = |place: &(usize, usize)| (error(place) / units[place.1]).abs();
        let targets = self.truth.len();
        let mut order: Vec<(usize, usize)> =
            self.counted.iter().flat_map(|&i| (0..targets).map(move |j| (i, j))).collect();
        order.sort_by(|a, b| size(b).total_cmp(&size(a)));
        order.truncate(LISTED);
        let rows: Vec<usize> = order.iter().map(|(i, _)| *i).collect();
        let mut columns = self.row_columns(&rows);
        if targets > 1 {
            let names = order.iter().map(|(_, j)| self.names.targets[*j].clone()).collect();
            columns.push(("target".into(), Column::Text(names)));
        }
        let numbers =
            |of: &dyn Fn(&(usize, usize)) -> f64| Column::F64(order.iter().map(of).collect());
        let name =
            if targets == 1 { format!("true {}", self.names.targets[0]) } else { "true".into() };
        columns.push((name, numbers(&|&(i, j)| number(&self.truth[j], i))));
        columns.push(("predicted".into(), numbers(&|&(i, j)| values[(i, j)])));
        columns.push(("predicted − true".into(), numbers(&error)));
        let caption = format!("Rows with the largest errors ({})", self.origin.name());
        ReportTable::all(caption, table(columns))
    }

    fn misclassified(&self, classes: &[String]) -> ReportTable {
        let Prediction::Classes { places, .. } = self.prediction else {
            unreachable!("only classifiers have classes")
        };
        let is_wrong = |&i: &usize| self.truth[0].text(i) != classes[places[i]];
        let mut rows: Vec<usize> = self.counted.iter().copied().filter(is_wrong).collect();
        let all = counted(self.counted.len(), "row");
        if rows.is_empty() {
            return ReportTable::sentence(format!(
                "None of {all} is misclassified ({}).",
                self.origin.name()
            ));
        }
        let (wrong, (name, lead)) = (rows.len(), self.lead(classes));
        rows.sort_by(|&a, &b| lead(b).total_cmp(&lead(a)));
        rows.truncate(LISTED);
        let mut columns = self.row_columns(&rows);
        let texts =
            |of: &dyn Fn(usize) -> String| Column::Text(rows.iter().map(|&i| of(i)).collect());
        let target = &self.names.targets[0];
        columns.push((format!("true {target}"), texts(&|i| self.truth[0].text(i))));
        columns.push(("predicted".into(), texts(&|i| classes[places[i]].clone())));
        columns.push((name.into(), Column::F64(rows.iter().map(|&i| lead(i)).collect())));
        let caption = format!(
            "Misclassified: {} of {all} ({}); those that are most clearly wrong",
            grouped(wrong),
            self.origin.name()
        );
        ReportTable::all(caption, table(columns))
    }

    /// How clearly the predicted class of a row wins, and what that is called: its probability of a calibrated model, otherwise its
    /// score less that of the true class.
    fn lead<'b>(&'b self, classes: &'b [String]) -> (&'static str, Box<dyn Fn(usize) -> f64 + 'b>) {
        let Prediction::Classes { places, scores, probabilities, .. } = self.prediction else {
            unreachable!("only classifiers have classes")
        };
        if let Some(shares) = probabilities {
            return ("its probability", Box::new(|i| shares[(i, places[i])]));
        }
        let of_row = move |i: usize| {
            if scores.cols() == 1 {
                return scores[(i, 0)].abs();
            }
            let truth = self.truth[0].text(i);
            let own = classes.iter().position(|class| *class == truth);
            own.map_or(f64::NAN, |own| scores[(i, places[i])] - scores[(i, own)])
        };
        ("its lead", Box::new(of_row))
    }

    /// Numbers and labels of rows.
    fn row_columns(&self, rows: &[usize]) -> Vec<(String, Column)> {
        let numbers = rows.iter().map(|&i| self.numbers[i] as f64).collect();
        let mut columns = vec![("row".to_string(), Column::F64(numbers))];
        columns.extend(self.label.map(|(name, cells)| (name.clone(), cells.take(rows))));
        columns
    }
}

fn number(column: &Column, row: usize) -> f64 {
    column.number(row).unwrap_or(f64::NAN)
}

fn table(columns: Vec<(String, Column)>) -> Table {
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}

#[cfg(test)]
mod tests;
