//! What of a prediction is explained: the value of the first target, or the score of a class.

use mercer::io::Table;
use mercer::{Mat, Result};

use super::Subject;
use crate::prediction::Prediction;
use crate::run::prediction::predict;

/// What of a prediction is explained.
pub struct Response<'a> {
    subject: &'a Subject<'a>,
}

impl<'a> Response<'a> {
    /// Of the model of `subject`.
    pub fn of(subject: &'a Subject<'a>) -> Self {
        Self { subject }
    }

    /// The classes, if there are any.
    pub fn classes(&self) -> Option<&[String]> {
        self.subject.evaluated.names.classes
    }

    /// The name of the first target.
    pub fn target(&self) -> &str {
        self.subject.evaluated.names.targets.first().map_or("", String::as_str)
    }

    /// What is explained, as the title of an axis.
    pub fn title(&self, class: Option<usize>) -> String {
        match (self.classes(), class) {
            (Some(classes), Some(class)) => format!("score of {}", classes[class]),
            (Some([_, second]), None) => format!("score of {second}"),
            (Some(_), None) => "score of each class".into(),
            (None, _) => format!("predicted {}", self.target()),
        }
    }

    /// A sentence about several targets; empty for one.
    pub fn of_first(&self) -> String {
        match self.subject.evaluated.names.targets.len() {
            0 | 1 => String::new(),
            _ => format!(" Of the targets, this is about {}.", self.target()),
        }
    }

    /// The names of the outputs.
    pub fn names(&self) -> Vec<String> {
        match self.classes() {
            Some([_, second]) => vec![second.clone()],
            Some(classes) => classes.to_vec(),
            None => vec![self.target().to_string()],
        }
    }

    /// All outputs for the rows of `table`: the value of the first target, the score of the second of two classes, or those of all classes.
    pub fn outputs(&self, table: &Table) -> Result<Mat<f64>> {
        let Subject { session, saved, .. } = self.subject;
        session.context.poll()?;
        match predict(session, &saved.model, saved.scaling.as_ref(), table, false)? {
            Prediction::Classes { scores, .. } => Ok(scores),
            Prediction::Values { values, .. } => {
                Ok(Mat::from_fn(values.rows(), 1, |i, _| values[(i, 0)]))
            }
            _ => unreachable!("models with a target predict values or classes"),
        }
    }

    /// One number for each row of `table`: of a classifier, the score of `class`.
    pub fn of_class(&self, table: &Table, class: Option<usize>) -> Result<Vec<f64>> {
        let outputs = self.outputs(table)?;
        let value = |i: usize| match (class, outputs.cols()) {
            (Some(0), 1) => -outputs[(i, 0)],
            (Some(class), 2..) => outputs[(i, class)],
            _ => outputs[(i, 0)],
        };
        Ok((0..outputs.rows()).map(value).collect())
    }

    /// The class that `row` is predicted to be.
    pub fn class_of(&self, row: usize) -> Option<usize> {
        match self.subject.evaluated.prediction {
            Prediction::Classes { places, .. } => Some(places[row]),
            _ => None,
        }
    }
}
