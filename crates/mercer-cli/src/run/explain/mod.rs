//! `--explain`: why a fitted model predicts what it predicts.
//!
//! Everything here predicts rows once more, many times, which may cost more than the fit: therefore a flag, and at most so many predictions.

mod additive;
mod contributions;
mod dependence;
mod importance;
mod response;
mod substrings;
mod training_rows;

use mercer::Result;
use mercer::io::{ModelFile, Table};
use serde::Serialize;

pub use self::importance::check;
use self::response::Response;
use super::Session;
use crate::data::{InputKind, Label};
use crate::explain::{Dependence, Importance, SourceColumn, source_columns};
use crate::facts;
use crate::plot::significant;
use crate::prediction::{Evaluated, Prediction};
use crate::report::Explanation;
use crate::summary::Lines;

/// Rows whose predictions are explained.
const ROWS: usize = 3;

/// What is explained.
pub struct Subject<'a> {
    /// The session.
    pub session: &'a Session,
    /// The model.
    pub saved: &'a ModelFile,
    /// The features of the rows of `evaluated`.
    pub features: &'a Table,
    /// Rows with their predictions.
    pub evaluated: &'a Evaluated<'a>,
    /// The rows that the model was fitted on.
    pub training: TrainingSet<'a>,
}

/// The rows that a model was fitted on.
#[derive(Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Their numbers in the table, counted from 1.
    pub numbers: &'a [usize],
    /// Their labels.
    pub label: Option<&'a Label>,
    /// Their targets.
    pub targets: &'a [Label],
}

/// What explains a model: numbers for JSON, and sections of a report.
#[derive(Debug, Serialize)]
pub struct Explanations {
    /// The importance of columns.
    pub importance: Importance,
    /// What the model predicts as one column varies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependence: Vec<Dependence>,
    /// What columns add to the predictions of rows worth looking at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contributions: Vec<contributions::RowContributions>,
    /// The training rows with the largest terms in these predictions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    training_rows: Vec<training_rows::RowTerms>,
    /// The weights of substrings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    substrings: Vec<substrings::Weights>,
    /// The sections.
    #[serde(skip)]
    pub sections: Vec<Explanation>,
}

impl Explanations {
    /// The lines of the summary.
    pub fn describe(&self, lines: &mut Lines) {
        self.importance.describe(lines);
    }
}

/// The explanations of a model; without `all`, only the importance of columns.
pub fn explain(subject: &Subject<'_>, all: bool) -> Result<Explanations> {
    subject.session.progress.begin("explaining");
    let importance = importance::importance(
        subject.session,
        subject.saved,
        subject.features,
        subject.evaluated,
    )?;
    let sections = vec![importance.explanation(subject.evaluated.counted.len())];
    let mut found = Explanations {
        importance,
        dependence: Vec::new(),
        contributions: Vec::new(),
        training_rows: Vec::new(),
        substrings: Vec::new(),
        sections,
    };
    if all {
        found.add_rest(subject)?;
    }
    Ok(found)
}

impl Explanations {
    fn add_rest(&mut self, subject: &Subject<'_>) -> Result<()> {
        let response = Response::of(subject);
        if InputKind::of_model(&subject.saved.model) == InputKind::Strings {
            self.substrings = substrings::weights(subject)?;
            self.sections.extend(substrings::section(&self.substrings, &response));
        } else {
            self.dependence = dependence::curves(subject, &response, &self.importance)?;
            self.sections.extend(dependence::section(&self.dependence, subject, &response));
            self.contributions = contributions::of_rows(subject, &response)?;
            self.sections.extend(contributions::section(&self.contributions, &response));
        }
        self.training_rows = training_rows::of_rows(subject, &response)?;
        self.sections.extend(training_rows::section(&self.training_rows, &response));
        Ok(())
    }
}

impl Subject<'_> {
    /// The columns of the user's table.
    fn sources(&self) -> Vec<SourceColumn> {
        let encoding = facts::places(self.saved).and_then(|places| places.encoding);
        source_columns(self.features, encoding.as_ref())
    }

    /// The rows worth looking at: those that are predicted worst.
    fn worst_rows(&self) -> Vec<usize> {
        let evaluated = self.evaluated;
        let badness: Vec<f64> = match (evaluated.prediction, evaluated.names.classes) {
            (Prediction::Values { values, .. }, _) => {
                let truth = |i: usize| evaluated.truth[0].number(i).unwrap_or(f64::NAN);
                (0..values.rows()).map(|i| (values[(i, 0)] - truth(i)).abs()).collect()
            }
            (Prediction::Classes { scores, .. }, Some(classes)) => {
                let places = facts::class_places(classes, &evaluated.truth[0]);
                let margin = |(i, &place): (usize, &usize)| facts::margin(scores, i, place);
                places.iter().enumerate().map(margin).collect()
            }
            _ => return Vec::new(),
        };
        let mut rows = evaluated.counted.to_vec();
        rows.sort_by(|&a, &b| badness[b].total_cmp(&badness[a]));
        rows.truncate(ROWS);
        rows
    }

    /// `Row 17 (Torgersen): predicted Adelie, true Gentoo`.
    fn row_title(&self, row: usize) -> String {
        let evaluated = self.evaluated;
        let label = evaluated.label.map(|(_, cells)| format!(" ({})", cells.text(row)));
        let predicted = match (evaluated.prediction, evaluated.names.classes) {
            (Prediction::Values { values, .. }, _) => significant(values[(row, 0)], 4),
            (Prediction::Classes { places, .. }, Some(classes)) => classes[places[row]].clone(),
            _ => String::new(),
        };
        let truth = match evaluated.truth[0].number(row) {
            Some(number) if evaluated.names.classes.is_none() => significant(number, 4),
            _ => evaluated.truth[0].text(row),
        };
        let label = label.unwrap_or_default();
        format!("Row {}{label}: predicted {predicted}, true {truth}", evaluated.numbers[row])
    }
}
