//! What a model learns to predict: values, classes or nothing, with weights of the samples.

use std::collections::HashMap;

use super::classes;
use crate::error::{Error, Param, Result};
use crate::linalg::view::Mat;

/// Class labels: the names of the classes, and the class of each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The names, each once.
    pub names: Vec<String>,
    /// For each sample the place of its class in `names`.
    pub places: Vec<usize>,
}

impl Labels {
    /// Labels of any type that can be printed. Classes are in the order of their names, or by value if all are numbers.
    pub fn new<L: ToString>(labels: &[L]) -> Self {
        let labels: Vec<String> = labels.iter().map(ToString::to_string).collect();
        let mut names = labels.clone();
        names.sort_unstable();
        names.dedup();
        let number = |name: &String| name.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        if let Some(numbers) = names.iter().map(number).collect::<Option<Vec<f64>>>() {
            let mut order: Vec<usize> = (0..names.len()).collect();
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
            names = order.into_iter().map(|i| names[i].clone()).collect();
        }
        let place: HashMap<&str, usize> =
            names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let places = labels.iter().map(|label| place[label.as_str()]).collect();
        Self { names, places }
    }

    /// The label of each place.
    pub fn decode(&self, places: &[usize]) -> Vec<&str> {
        places.iter().map(|&place| self.names[place].as_str()).collect()
    }
}

/// The targets of the training samples.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Numbers to predict: n × t.
    Values(Mat<f64>),
    /// Classes, every one with a sample.
    Classes {
        /// The class of each sample.
        labels: Labels,
        /// The weight of each class, a factor of `c` of a support vector machine; `None` for 1.
        weights: Option<Vec<f64>>,
    },
    /// Nothing, for models that learn without targets.
    Unsupervised,
}

/// Targets and sample weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    /// The targets.
    pub target: Target,
    /// How much each sample counts, not negative, not all zero; `None` for 1. A sample of weight 2 counts as two samples, one of
    /// weight 0 does not count.
    pub weights: Option<Vec<f64>>,
}

impl Targets {
    /// Numbers to predict, with a column for each target.
    pub fn matrix(values: Mat<f64>) -> Self {
        Self { target: Target::Values(values), weights: None }
    }

    /// A number to predict for each sample.
    pub fn values(values: &[f64]) -> Self {
        Self::matrix(Mat::from_vec(values.to_vec(), values.len(), 1))
    }

    /// Classes, named by strings, integers or anything that can be printed.
    pub fn classes<L: ToString>(labels: &[L]) -> Self {
        Self::labels(Labels::new(labels))
    }

    /// Classes.
    pub fn labels(labels: Labels) -> Self {
        Self { target: Target::Classes { labels, weights: None }, weights: None }
    }

    /// No targets.
    pub fn unsupervised() -> Self {
        Self { target: Target::Unsupervised, weights: None }
    }

    /// The same with weights of the samples.
    pub fn with_weights(self, weights: Option<Vec<f64>>) -> Self {
        Self { weights, ..self }
    }

    /// The same with weights of the classes; targets that are no classes stay as they are.
    pub fn with_class_weights(mut self, new: Option<Vec<f64>>) -> Self {
        if let Target::Classes { weights, .. } = &mut self.target {
            *weights = new;
        }
        self
    }

    /// The class labels, if there are any.
    pub fn class_labels(&self) -> Option<&Labels> {
        match &self.target {
            Target::Classes { labels, .. } => Some(labels),
            _ => None,
        }
    }

    /// The values of a regression (n × t): those of classes are 1 and −1.
    #[doc(hidden)]
    pub fn regressed(&self) -> Result<Mat<f64>> {
        match &self.target {
            Target::Values(values) => Ok(values.clone()),
            Target::Classes { labels, weights: None } => classes::encode(labels),
            Target::Classes { weights: Some(_), .. } => Err(Error::parameter(
                Param::ClassWeights,
                "a regression on classes takes weights of samples, not of classes",
            )),
            Target::Unsupervised => {
                Err(Error::Shape("there are no targets: at least one is required".into()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_order_and_numbers_by_value() {
        let labels = Labels::new(&["10", "-1", "9", "10"]);
        assert_eq!(labels.names, ["-1", "9", "10"]);
        assert_eq!(labels.places, [2, 0, 1, 2]);
        assert_eq!(labels.decode(&[1, 0]), ["9", "-1"]);
        assert_eq!(Labels::new(&["10", "b", "9"]).names, ["10", "9", "b"]);
        assert_eq!(Labels::new(&[3, 1, 3]).names, ["1", "3"]);
    }
}
