//! Targets and weights of a support vector machine, as the library takes them.

use mercer::io::Table;
use mercer::model::svm;
use mercer::{Error, Result};

use crate::args::ClassWeights;
use crate::data::about;
use crate::run::columns::{Supervision, Targets};

/// Targets and sample weights.
pub struct SvmTargets {
    /// The targets.
    pub target: Target,
    /// The sample weights.
    pub weights: Option<Vec<f64>>,
}

/// The target of every row.
pub enum Target {
    /// Its class.
    Classes {
        /// Names, in order.
        classes: Vec<String>,
        /// The place of each row's class.
        places: Vec<usize>,
        /// The class weights, multiples of C.
        weights: Option<Vec<f64>>,
    },
    /// Its value.
    Values(Vec<f64>),
    /// None.
    Unsupervised,
}

impl SvmTargets {
    /// The targets in `supervision`, read from `table`.
    pub fn of(
        supervision: Supervision,
        balance: Option<&ClassWeights>,
        table: &Table,
    ) -> Result<Self> {
        let rows = supervision.weights.as_deref();
        let target = match supervision.targets {
            Targets::Unsupervised => Target::Unsupervised,
            Targets::Values(mut columns) if columns.len() == 1 => Target::Values(columns.remove(0)),
            Targets::Values(_) => {
                let message = "support vector machines support only one target column";
                return Err(Error::parameter("--target", message));
            }
            Targets::Classes(names) => {
                let (classes, places) = placed(&names);
                check(&classes, &places, rows, table)?;
                let of = |how| class_weights(how, &classes, &places, rows);
                let weights = balance.map(of).transpose()?;
                Target::Classes { classes, places, weights }
            }
        };
        Ok(Self { target, weights: supervision.weights })
    }

    /// The library's view.
    pub fn view(&self) -> svm::Supervision<'_> {
        let target = match &self.target {
            Target::Classes { classes, places, weights } => {
                svm::Target::Classes { classes, places, weights: weights.as_deref() }
            }
            Target::Values(values) => svm::Target::Values(values),
            Target::Unsupervised => svm::Target::Unsupervised,
        };
        svm::Supervision { target, weights: self.weights.as_deref() }
    }

    /// The rows of positive weight.
    pub fn rows(&self, n: usize) -> Vec<usize> {
        let counts = |row: &usize| self.weights.as_ref().is_none_or(|w| w[*row] > 0.0);
        (0..n).filter(counts).collect()
    }
}

/// The different names in order, numbers by value, and the place of each row's.
fn placed(names: &[String]) -> (Vec<String>, Vec<usize>) {
    let mut classes = names.to_vec();
    classes.sort_unstable();
    classes.dedup();
    let number = |name: &String| name.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    if let Some(numbers) = classes.iter().map(number).collect::<Option<Vec<f64>>>() {
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        classes = order.into_iter().map(|i| classes[i].clone()).collect();
    }
    let place: std::collections::HashMap<&str, usize> =
        classes.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    let places = names.iter().map(|name| place[name.as_str()]).collect();
    (classes, places)
}

/// Refuses a single class, and classes without weight.
fn check(classes: &[String], places: &[usize], rows: Option<&[f64]>, table: &Table) -> Result<()> {
    if let [only] = classes {
        let message =
            format!("the target has only one class ({only:?}); at least two are required");
        return Err(about(table, message));
    }
    let counts = counts(classes.len(), places, rows);
    match counts.iter().position(|count| *count == 0.0) {
        None => Ok(()),
        Some(place) => {
            let name = &classes[place];
            let message = format!("all rows of class {name:?} have weight 0: remove them first");
            Err(Error::parameter("--weights", message))
        }
    }
}

/// The total weight of each class.
fn counts(classes: usize, places: &[usize], rows: Option<&[f64]>) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    for (row, &place) in places.iter().enumerate() {
        counts[place] += rows.map_or(1.0, |weights| weights[row]);
    }
    counts
}

fn class_weights(
    how: &ClassWeights,
    classes: &[String],
    places: &[usize],
    rows: Option<&[f64]>,
) -> Result<Vec<f64>> {
    let named = match how {
        ClassWeights::Balanced => {
            let counts = counts(classes.len(), places, rows);
            let even = counts.iter().sum::<f64>() / classes.len() as f64;
            return Ok(counts.iter().map(|count| even / count).collect());
        }
        ClassWeights::Named(named) => named,
    };
    let mut weights = vec![1.0; classes.len()];
    for (name, weight) in named {
        let place = classes.iter().position(|class| class == name).ok_or_else(|| {
            let known = crate::describe::listed(classes);
            let message = format!("there is no class {name:?}; the classes are {known}");
            Error::parameter("--class-weight", message)
        })?;
        weights[place] = *weight;
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn classes_are_in_order_and_numbers_by_value() {
        let (classes, places) = placed(&names(&["10", "-1", "9", "10"]));
        assert_eq!((classes, places), (names(&["-1", "9", "10"]), vec![2, 0, 1, 2]));
        let (classes, _) = placed(&names(&["10", "b", "9"]));
        assert_eq!(classes, names(&["10", "9", "b"]));
    }

    #[test]
    fn balanced_classes_count_the_same() {
        let classes = names(&["a", "b"]);
        let places = [0, 0, 0, 1];
        let balanced = class_weights(&ClassWeights::Balanced, &classes, &places, None).unwrap();
        assert_eq!((3.0 * balanced[0], balanced[1]), (2.0, 2.0));
        let weighted = Some(&[1.0, 0.0, 0.0, 1.0][..]);
        let even = class_weights(&ClassWeights::Balanced, &classes, &places, weighted).unwrap();
        assert_eq!(even, [1.0, 1.0]);
        let named = ClassWeights::Named(vec![("b".into(), 5.0)]);
        assert_eq!(class_weights(&named, &classes, &places, None).unwrap(), [1.0, 5.0]);
        let wrong = ClassWeights::Named(vec![("c".into(), 5.0)]);
        let error = class_weights(&wrong, &classes, &places, None).unwrap_err().to_string();
        assert!(error.contains("no class \"c\"") && error.contains("a, b"), "{error}");
    }
}
