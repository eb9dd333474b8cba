//! Predictions of a model: values, classes, clusters, one-class decisions or outlier scores; as columns of a
//! table, and evaluated against true values.

mod evaluate;
mod evaluated;
mod outliers;

use mercer::Dtype;
use mercer::io::Column;
use mercer::linalg::view::Mat;

pub use self::evaluate::Confusion;
use self::evaluate::evaluate_values;
pub use self::evaluated::{Evaluated, Origin};
pub use self::outliers::{OutlierScores, Ranking};
use crate::describe::listed;
use crate::facts::counted;
use crate::machine::pairs;
use crate::results::{class_column, number_column};
use crate::scores::Scores;

/// Predictions for rows.
pub enum Prediction {
    /// The predicted values.
    Values {
        /// m × targets.
        values: Mat<f64>,
        /// The standard deviation of each, if requested.
        deviations: Option<Mat<f64>>,
    },
    /// The predicted classes.
    Classes {
        /// Indices of classes.
        places: Vec<usize>,
        /// m × classes, the largest wins; or m × 1 for two classes, by sign.
        scores: Mat<f64>,
        /// The decision value of every pair of classes, for support vector machines.
        decisions: Option<Mat<f64>>,
        /// Class probabilities of a calibrated model: m × classes.
        probabilities: Option<Mat<f64>>,
    },
    /// One-class decision values; outside where negative.
    OneClass(Vec<f64>),
    /// The cluster of each row.
    Clusters {
        /// Counted from 0.
        places: Vec<usize>,
        /// The distance of each row from its centre, where known.
        distances: Option<Vec<f64>>,
    },
    /// Outlier scores.
    Outliers(OutlierScores),
}

/// Optional output columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// Class scores.
    pub scores: bool,
    /// Pairwise decision values.
    pub decisions: bool,
    /// Class probabilities.
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

impl Prediction {
    /// The predictions as columns of a table. `title` maps a name, such as that of a target, to a column name.
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
            Prediction::Values { values, deviations } => {
                let mut columns = Vec::new();
                for (j, name) in names.targets.iter().enumerate() {
                    columns.push((title(name), column(values, j)));
                    let deviations = deviations.iter();
                    columns.extend(deviations.map(|d| (format!("{name}_std"), column(d, j))));
                }
                columns
            }
            Prediction::Classes { places, scores, decisions, probabilities } => {
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
            Prediction::OneClass(decisions) => {
                let sides = decisions.iter().map(|&d| if is_inside(d) { 1.0 } else { -1.0 });
                vec![
                    ("side".into(), Column::F64(sides.collect())),
                    ("decision".into(), number_column(decisions.iter().copied(), dtype)),
                ]
            }
            Prediction::Clusters { places, distances } => {
                let numbers = places.iter().map(|&place| (place + 1) as f64).collect();
                let distances = distances.iter().map(|all| all.iter().copied());
                let distances = distances.map(|all| (title("distance"), number_column(all, dtype)));
                [(title("cluster"), Column::F64(numbers))].into_iter().chain(distances).collect()
            }
            Prediction::Outliers(outliers) => {
                let rows: Vec<usize> = (0..outliers.scores.len()).collect();
                outliers.columns(&rows, dtype, title)
            }
        }
    }

    /// The scores of the predictions for `rows`, given the true values of all; or why there are none.
    pub fn evaluate(
        &self,
        names: Names<'_>,
        truth: &[Column],
        rows: &[usize],
    ) -> Result<(Scores, Option<Confusion>), String> {
        match self {
            Prediction::Values { values, .. } => {
                evaluate_values(names.targets, truth, values, rows)
            }
            Prediction::Classes { places, .. } => {
                let classes = names.classes.unwrap_or_default();
                let confusion = Confusion::of(classes, &truth[0], places, rows);
                Ok((Scores::of_classes(confusion.hits(), rows.len()), Some(confusion)))
            }
            Prediction::OneClass(_) | Prediction::Clusters { .. } | Prediction::Outliers(_) => {
                Err("not available: the model has no target".into())
            }
        }
    }

    /// How many of `rows` lie outside by more than `reach`, for one-class models.
    pub fn outside(&self, rows: &[usize], reach: f64) -> Option<usize> {
        match self {
            Prediction::OneClass(decisions) => {
                Some(rows.iter().filter(|&&row| !is_inside(decisions[row] + reach)).count())
            }
            _ => None,
        }
    }

    /// A summary line of unsupervised predictions: its name and text.
    pub fn summary(&self) -> Option<(&'static str, String)> {
        let share = |count: usize, rows: usize| {
            let percent = 100.0 * count as f64 / rows.max(1) as f64;
            format!("{} ({percent:.1} %)", counted(count, "row"))
        };
        match self {
            Prediction::Values { .. } | Prediction::Classes { .. } => None,
            Prediction::OneClass(decisions) => {
                let outside = decisions.iter().filter(|d| !is_inside(**d)).count();
                Some(("outside", share(outside, decisions.len())))
            }
            Prediction::Clusters { places, .. } => Some(("clusters", sizes(places))),
            Prediction::Outliers(outliers) => {
                Some(("outliers", share(outliers.count(), outliers.scores.len())))
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

/// Whether a one-class decision value means inside.
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
    fn pairs_are_named_by_the_class_of_a_positive_decision() {
        assert_eq!(decision_titles(&names(&["a", "b"])), ["decision_b"]);
        let three = ["decision_a_b", "decision_a_c", "decision_b_c"];
        assert_eq!(decision_titles(&names(&["a", "b", "c"])), three);
    }

    #[test]
    fn a_row_on_the_boundary_is_inside() {
        let prediction = Prediction::OneClass(vec![0.5, 0.0, -1.0]);
        let none = Names { targets: &[], classes: None };
        let columns = prediction.columns(none, Dtype::F64, Extras::default(), str::to_string);
        assert_eq!(columns[0], ("side".into(), Column::F64(vec![1.0, 1.0, -1.0])));
        assert_eq!(prediction.summary(), Some(("outside", "1 row (33.3 %)".into())));
    }

    #[test]
    fn clusters_are_counted_from_one() {
        let prediction =
            Prediction::Clusters { places: vec![2, 0, 2], distances: Some(vec![0.5, 0.0, 0.25]) };
        let none = Names { targets: &[], classes: None };
        let columns = prediction.columns(none, Dtype::F64, Extras::default(), str::to_string);
        assert_eq!(columns[0], ("cluster".into(), Column::F64(vec![3.0, 1.0, 3.0])));
        assert_eq!(columns[1], ("distance".into(), Column::F64(vec![0.5, 0.0, 0.25])));
        assert_eq!(prediction.summary(), Some(("clusters", "1: 1 row, 3: 2 rows".into())));
    }
}
