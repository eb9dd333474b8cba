//! What a model says of rows: values, classes, clusters, on which side they are or how unusual; as
//! columns of a table, and against what is known.

mod judged;
mod unusual;

use mercer::io::{Column, Dtype};
use mercer::linalg::view::Mat;

pub use self::judged::Confusion;
use self::judged::judge_values;
pub use self::unusual::{Ranking, Unusual};
use crate::describe::listed;
use crate::facts::counted;
use crate::machine::pairs;
use crate::results::{class_column, number_column};
use crate::scores::Scores;

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
    /// The cluster of each row.
    Clusters {
        /// Counted from 0.
        places: Vec<usize>,
        /// How far each row is from the centre of its cluster, where that is known.
        distances: Option<Vec<f64>>,
    },
    /// How unusual each row is.
    Unusual(Unusual),
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
    /// holds what is said under a name, such as that of a target.
    pub fn columns(
        &self,
        names: Names<'_>,
        dtype: Dtype,
        extras: Extras,
        title: impl Fn(&str) -> String,
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
            Said::Clusters { places, distances } => {
                let numbers = places.iter().map(|&place| (place + 1) as f64).collect();
                let distances = distances.iter().map(|all| all.iter().copied());
                let distances = distances.map(|all| (title("distance"), number_column(all, dtype)));
                [(title("cluster"), Column::F64(numbers))].into_iter().chain(distances).collect()
            }
            Said::Unusual(unusual) => {
                let rows: Vec<usize> = (0..unusual.scores.len()).collect();
                unusual.columns(&rows, dtype, title)
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
            Said::Sides(_) | Said::Clusters { .. } | Said::Unusual(_) => {
                Err("none: there is no target".into())
            }
        }
    }

    /// How many of `rows` lie outside by more than `reach`, where that is what is said.
    pub fn outside(&self, rows: &[usize], reach: f64) -> Option<usize> {
        match self {
            Said::Sides(decisions) => {
                Some(rows.iter().filter(|&&row| !is_inside(decisions[row] + reach)).count())
            }
            _ => None,
        }
    }

    /// In a name and a few words, what was said of all rows together by a model without a target.
    pub fn told(&self) -> Option<(&'static str, String)> {
        let share = |count: usize, rows: usize| {
            let percent = 100.0 * count as f64 / rows.max(1) as f64;
            format!("{} ({percent:.1} %)", counted(count, "row"))
        };
        match self {
            Said::Values { .. } | Said::Classes { .. } => None,
            Said::Sides(decisions) => {
                let outside = decisions.iter().filter(|d| !is_inside(**d)).count();
                Some(("outside", share(outside, decisions.len())))
            }
            Said::Clusters { places, .. } => Some(("clusters", sizes(places))),
            Said::Unusual(unusual) => {
                Some(("outliers", share(unusual.outliers(), unusual.scores.len())))
            }
        }
    }
}

/// `1: 20 rows, 2: 15 rows`, for the first clusters that rows are in.
fn sizes(places: &[usize]) -> String {
    let mut counts = std::collections::BTreeMap::<usize, usize>::new();
    places.iter().for_each(|place| *counts.entry(*place).or_default() += 1);
    let named =
        counts.iter().map(|(place, count)| format!("{}: {}", place + 1, counted(*count, "row")));
    listed(&named.collect::<Vec<_>>())
}

/// Whether a decision of a one-class machine says that a row is inside.
pub fn is_inside(decision: f64) -> bool {
    decision >= 0.0
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn pairs_are_named_by_the_class_that_a_positive_decision_speaks_for() {
        assert_eq!(decision_titles(&names(&["a", "b"])), ["decision_b"]);
        let three = ["decision_a_b", "decision_a_c", "decision_b_c"];
        assert_eq!(decision_titles(&names(&["a", "b", "c"])), three);
    }

    #[test]
    fn a_row_on_the_boundary_is_inside() {
        let said = Said::Sides(vec![0.5, 0.0, -1.0]);
        let none = Names { targets: &[], classes: None };
        let columns = said.columns(none, Dtype::F64, Extras::default(), str::to_string);
        assert_eq!(columns[0], ("side".into(), Column::F64(vec![1.0, 1.0, -1.0])));
        assert_eq!(said.told(), Some(("outside", "1 row (33.3 %)".into())));
    }

    #[test]
    fn clusters_are_counted_from_one() {
        let said = Said::Clusters { places: vec![2, 0, 2], distances: Some(vec![0.5, 0.0, 0.25]) };
        let none = Names { targets: &[], classes: None };
        let columns = said.columns(none, Dtype::F64, Extras::default(), str::to_string);
        assert_eq!(columns[0], ("cluster".into(), Column::F64(vec![3.0, 1.0, 3.0])));
        assert_eq!(columns[1], ("distance".into(), Column::F64(vec![0.5, 0.0, 0.25])));
        assert_eq!(said.told(), Some(("clusters", "1: 1 row, 3: 2 rows".into())));
    }
}
