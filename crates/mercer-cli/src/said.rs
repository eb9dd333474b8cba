//! What a model says of rows: values, classes, or on which side they are; as columns of a table, and
//! against what is known.

use mercer::io::{Column, Dtype};
use mercer::linalg::view::Mat;
use mercer::select::{Judge, SquaredError};
use serde::Serialize;

use crate::machine::pairs;
use crate::results::{class_column, number_column};
use crate::scores::{Scores, variance};

/// What a model says of rows.
pub enum Said {
    /// The predicted values.
    Values {
        /// m × targets.
        values: Mat<f64>,
        /// The standard deviation of each, if it was asked for.
        deviations: Option<Mat<f64>>,
    },
    /// The predicted classes.
    Classes {
        /// By place among the classes.
        places: Vec<usize>,
        /// m × classes, of which the largest wins; or m × 1, whose sign decides between two.
        scores: Mat<f64>,
        /// Of every pair of classes, by a machine that compares pairs.
        decisions: Option<Mat<f64>>,
        /// Of every class, by a calibrated machine: m × classes.
        probabilities: Option<Mat<f64>>,
    },
    /// How far inside each row is; outside where this is not positive.
    Sides(Vec<f64>),
}

/// What to give beside predictions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// A number for each class.
    pub scores: bool,
    /// A number for each pair of classes.
    pub decisions: bool,
    /// The probability of each class.
    pub probabilities: bool,
}

/// The names of what is predicted.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// Of the targets.
    pub targets: &'a [String],
    /// Of the classes, if there are any.
    pub classes: Option<&'a [String]>,
}

impl Said {
    /// Everything that was said, as columns of a table. `title` is the name of the column that
    /// holds the predictions for a target.
    pub fn columns(
        &self,
        names: Names<'_>,
        dtype: Dtype,
        extras: Extras,
        title: impl Fn(&String) -> String,
    ) -> Vec<(String, Column)> {
        let column = |values: &Mat<f64>, j: usize| {
            number_column((0..values.rows()).map(|i| values[(i, j)]), dtype)
        };
        match self {
            Said::Values { values, deviations } => {
                let mut columns = Vec::new();
                for (j, name) in names.targets.iter().enumerate() {
                    columns.push((title(name), column(values, j)));
                    let deviations = deviations.iter();
                    columns.extend(deviations.map(|d| (format!("{name}_std"), column(d, j))));
                }
                columns
            }
            Said::Classes { places, scores, decisions, probabilities } => {
                let classes = names.classes.unwrap_or_default();
                let mut columns = vec![(title(&names.targets[0]), class_column(classes, places))];
                let mut add = |values: &Mat<f64>, titles: Vec<String>| {
                    columns.extend(
                        titles.into_iter().enumerate().map(|(j, t)| (t, column(values, j))),
                    );
                };
                if extras.scores {
                    let shown = if classes.len() == 2 { &classes[1..] } else { classes };
                    add(scores, shown.iter().map(|name| format!("score_{name}")).collect());
                }
                if let Some(decisions) = decisions.as_ref().filter(|_| extras.decisions) {
                    add(decisions, decision_titles(classes));
                }
                if let Some(shares) = probabilities.as_ref().filter(|_| extras.probabilities) {
                    add(shares, classes.iter().map(|name| format!("probability_{name}")).collect());
                }
                columns
            }
            Said::Sides(decisions) => {
                let sides = decisions.iter().map(|&d| if is_inside(d) { 1.0 } else { -1.0 });
                vec![
                    ("side".into(), Column::F64(sides.collect())),
                    ("decision".into(), number_column(decisions.iter().copied(), dtype)),
                ]
            }
        }
    }

    /// How good predictions for `rows` are, given what is true of all; or why that cannot be said.
    pub fn judged(
        &self,
        names: Names<'_>,
        truth: &[Column],
        rows: &[usize],
    ) -> Result<(Scores, Option<Confusion>), String> {
        match self {
            Said::Values { values, .. } => judge_values(names.targets, truth, values, rows),
            Said::Classes { places, .. } => {
                let classes = names.classes.unwrap_or_default();
                let confusion = Confusion::of(classes, &truth[0], places, rows);
                Ok((Scores::of_classes(confusion.hits(), rows.len()), Some(confusion)))
            }
            Said::Sides(_) => Err("none: there is no target".into()),
        }
    }

    /// How many of `rows` lie outside by more than `reach`, where that is what is said.
    pub fn outside(&self, rows: &[usize], reach: f64) -> Option<usize> {
        match self {
            Said::Sides(decisions) => {
                Some(rows.iter().filter(|&&row| !is_inside(decisions[row] + reach)).count())
            }
            Said::Values { .. } | Said::Classes { .. } => None,
        }
    }
}

/// Whether a decision of a one-class machine says that a row is inside.
pub fn is_inside(decision: f64) -> bool {
    decision > 0.0
}

/// `decision_a_b`, positive for a; with two classes in all `decision_b`, positive for b.
fn decision_titles(classes: &[String]) -> Vec<String> {
    match classes {
        [_, second] => vec![format!("decision_{second}")],
        _ => pairs(classes.len())
            .into_iter()
            .map(|(a, b)| format!("decision_{}_{}", classes[a], classes[b]))
            .collect(),
    }
}

fn judge_values(
    names: &[String],
    truth: &[Column],
    values: &Mat<f64>,
    rows: &[usize],
) -> Result<(Scores, Option<Confusion>), String> {
    let finite = |cell: Option<f64>| cell.filter(|v| v.is_finite());
    for (column, name) in truth.iter().zip(names) {
        if let Some(row) = rows.iter().find(|&&i| finite(column.number(i)).is_none()) {
            return Err(format!("none: {name} is no number in row {row} (counted from 0)"));
        }
    }
    let number = |i: usize, j: usize| truth[j].number(i).unwrap_or(f64::NAN);
    let targets = Mat::from_fn(values.rows(), truth.len(), number);
    let judge = SquaredError { targets: &targets, weights: None };
    let said = Mat::from_fn(rows.len(), values.cols(), |i, j| values[(rows[i], j)]);
    let each = judge.scores(rows, &said).map_err(|error| error.to_string())?;
    let column = |j: usize| rows.iter().map(|&i| number(i, j)).collect::<Vec<f64>>();
    let variances: Vec<_> = (0..truth.len()).map(|j| variance(&column(j), None)).collect();
    Ok((Scores::on_rows(&each, &variances), None))
}

/// Which classes are taken for which.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confusion {
    /// The classes of the model, then those that only the table has.
    pub truth: Vec<String>,
    /// The classes of the model.
    pub predicted: Vec<String>,
    /// Rows of each true class (first index) for which each class was predicted.
    pub counts: Vec<Vec<usize>>,
}

impl Confusion {
    fn of(classes: &[String], truth: &Column, places: &[usize], rows: &[usize]) -> Self {
        let mut names = classes.to_vec();
        let mut counts = vec![vec![0; classes.len()]; names.len()];
        for &row in rows {
            let name = truth.text(row);
            let place = names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name);
                counts.push(vec![0; classes.len()]);
                names.len() - 1
            });
            counts[place][places[row]] += 1;
        }
        Self { truth: names, predicted: classes.to_vec(), counts }
    }

    fn hits(&self) -> usize {
        (0..self.predicted.len()).map(|place| self.counts[place][place]).sum()
    }

    /// A line for each class that rows have: `red: 18 of 20, 2 taken for blue`.
    pub fn lines(&self) -> Vec<String> {
        let line = |(place, counts): (usize, &Vec<usize>)| {
            let all: usize = counts.iter().sum();
            let own = self.predicted.get(place).map_or(0, |_| counts[place]);
            let mut others: Vec<usize> =
                (0..counts.len()).filter(|&p| p != place && counts[p] > 0).collect();
            others.sort_by_key(|&p| std::cmp::Reverse(counts[p]));
            let taken = others
                .iter()
                .map(|&p| format!(", {} taken for {}", counts[p], self.predicted[p]))
                .collect::<String>();
            (all > 0).then(|| format!("{}: {own} of {all} found{taken}", self.truth[place]))
        };
        self.counts.iter().enumerate().filter_map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn classes_are_counted_by_truth_and_prediction() {
        let classes = names(&["a", "b"]);
        let truth = Column::Text(names(&["a", "b", "b", "new", "b"]));
        let confusion = Confusion::of(&classes, &truth, &[0, 0, 1, 1, 1], &[0, 1, 2, 3, 4]);
        assert_eq!((confusion.hits(), &confusion.truth[2][..]), (3, "new"));
        let lines = ["a: 1 of 1 found", "b: 2 of 3 found, 1 taken for a"];
        assert_eq!(confusion.lines()[..2], lines);
        assert_eq!(confusion.lines()[2], "new: 0 of 1 found, 1 taken for b");
    }

    #[test]
    fn pairs_are_named_by_the_class_that_a_positive_decision_speaks_for() {
        assert_eq!(decision_titles(&names(&["a", "b"])), ["decision_b"]);
        let three = ["decision_a_b", "decision_a_c", "decision_b_c"];
        assert_eq!(decision_titles(&names(&["a", "b", "c"])), three);
    }

    #[test]
    fn a_row_on_the_boundary_is_outside() {
        let said = Said::Sides(vec![0.5, 0.0, -1.0]);
        let none = Names { targets: &[], classes: None };
        let columns = said.columns(none, Dtype::F64, Extras::default(), String::clone);
        assert_eq!(columns[0], ("side".into(), Column::F64(vec![1.0, -1.0, -1.0])));
    }
}
