//! The score of a whole search by nested cross-validation.

use mercer::io::ModelFile;
use mercer::select::{self, Criterion, Score};
use serde::{Deserialize, Serialize};

use super::HeldOut;
use crate::scores::{Measure, Scored};

/// The key among the notes of a model file.
pub(super) const NOTES: &str = "nested";

/// The score of a search by nested cross-validation: every outer fold is predicted by a model that was searched and fitted
/// on the other rows alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nested {
    /// The outer folds in words.
    pub method: String,
    /// The mean over the outer folds, with its standard error.
    pub score: Scored,
    /// The scores of each outer fold.
    pub folds: Vec<HeldOut>,
}

impl Nested {
    /// Of these outer folds; none where no fold has the score.
    pub fn new(method: String, criterion: Criterion, folds: Vec<HeldOut>) -> Option<Self> {
        let values: Vec<f64> = folds.iter().filter_map(|fold| fold.by(criterion)).collect();
        let Score { value, std_error } = select::mean(&values);
        let score = Scored::of(Measure::from(criterion), Score { value, std_error }, None);
        (!values.is_empty()).then_some(Self { method, score, folds })
    }

    /// `accuracy 0.953 ± 0.017 (nested, stratified 5-fold cross-validation)`.
    pub fn text(&self) -> String {
        format!("{} (nested, {})", self.score.text(), self.method)
    }
}

/// Stores the score in `saved`.
pub fn note_nested(saved: &mut ModelFile, nested: &Nested) {
    let value = serde_json::to_value(nested).expect("numbers and words have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}

/// The score that `saved` stores.
pub(super) fn nested(saved: &ModelFile) -> Option<Nested> {
    serde_json::from_value(saved.extra.get(NOTES)?.clone()).ok()
}
