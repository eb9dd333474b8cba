//! Targets and weights of a support vector machine, as the library takes them.

use mercer::io::Table;
use mercer::{Error, Labels, Result, Target, Targets};

use crate::args::ClassWeights;
use crate::data::about;

/// Checks `targets`, read from `table`, and sets the class weights.
pub fn checked(targets: Targets, how: Option<&ClassWeights>, table: &Table) -> Result<Targets> {
    let rows = targets.weights.as_deref();
    match &targets.target {
        Target::Values(values) if values.cols() != 1 => {
            let message = "support vector machines support only one target column";
            Err(Error::parameter("--target", message))
        }
        Target::Classes { labels, .. } => {
            check(labels, rows, table)?;
            let sums = counts(labels, rows);
            let weights = how.map(|how| class_weights(how, &labels.names, &sums)).transpose()?;
            Ok(targets.with_class_weights(weights))
        }
        _ => Ok(targets),
    }
}

/// The rows of positive weight.
pub fn counted_rows(targets: &Targets, n: usize) -> Vec<usize> {
    let counts = |row: &usize| targets.weights.as_ref().is_none_or(|w| w[*row] > 0.0);
    (0..n).filter(counts).collect()
}

/// Refuses a single class, and classes without weight.
fn check(labels: &Labels, rows: Option<&[f64]>, table: &Table) -> Result<()> {
    if let [only] = &labels.names[..] {
        let message =
            format!("the target has only one class ({only:?}); at least two are required");
        return Err(about(table, message));
    }
    let counts = counts(labels, rows);
    match counts.iter().position(|count| *count == 0.0) {
        None => Ok(()),
        Some(place) => {
            let name = &labels.names[place];
            let message = format!("all rows of class {name:?} have weight 0: remove them first");
            Err(Error::parameter("--weights", message))
        }
    }
}

/// The total weight of each class.
fn counts(labels: &Labels, rows: Option<&[f64]>) -> Vec<f64> {
    let mut counts = vec![0.0; labels.names.len()];
    for (row, &place) in labels.places.iter().enumerate() {
        counts[place] += rows.map_or(1.0, |weights| weights[row]);
    }
    counts
}

/// The weights of classes, given the total weight of the rows of each.
pub fn class_weights(how: &ClassWeights, classes: &[String], sums: &[f64]) -> Result<Vec<f64>> {
    let named = match how {
        ClassWeights::Balanced => {
            let even = sums.iter().sum::<f64>() / classes.len() as f64;
            return Ok(sums.iter().map(|sum| even / sum).collect());
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

    #[test]
    fn balanced_classes_count_the_same() {
        let labels = Labels::new(&["a", "a", "a", "b"]);
        let of = |how: &ClassWeights, rows: Option<&[f64]>| {
            class_weights(how, &labels.names, &counts(&labels, rows))
        };
        let balanced = of(&ClassWeights::Balanced, None).unwrap();
        assert_eq!((3.0 * balanced[0], balanced[1]), (2.0, 2.0));
        let weighted = Some(&[1.0, 0.0, 0.0, 1.0][..]);
        let even = of(&ClassWeights::Balanced, weighted).unwrap();
        assert_eq!(even, [1.0, 1.0]);
        let named = ClassWeights::Named(vec![("b".into(), 5.0)]);
        assert_eq!(of(&named, None).unwrap(), [1.0, 5.0]);
        let wrong = ClassWeights::Named(vec![("c".into(), 5.0)]);
        let error = of(&wrong, None).unwrap_err().to_string();
        assert!(error.contains("no class \"c\"") && error.contains("a, b"), "{error}");
    }
}
