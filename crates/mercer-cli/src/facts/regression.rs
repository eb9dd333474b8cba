//! Description of a kernel ridge regression.

use mercer::io::ModelFile;
use mercer::model::kernel_ridge::{KernelRidge, Selection};
use serde::Serialize;

use super::components::trained_on;
use super::{Facts, bare, target_names};
use crate::scores::{Scores, in_short};

/// The key of [`Scores`] among the notes of a model file.
pub(super) const NOTES: &str = "scores";

/// A kernel ridge regression or classification.
#[derive(Debug, Clone, Serialize)]
pub struct RegressionFacts {
    /// The names of the columns it predicts.
    pub targets: Vec<String>,
    /// The penalty: one for all targets, or one each.
    pub alpha: Vec<f64>,
    /// Whether it has an intercept.
    pub intercept: bool,
    /// The intercept of each target, or of each class.
    pub offsets: Vec<f64>,
    /// Whether samples had weights.
    pub weighted: bool,
    /// The names of the classes, of a classifier.
    pub classes: Option<Vec<String>>,
    /// How kernel and penalty were chosen, if they were.
    pub selection: Option<Selection>,
    /// Cross-validation scores, if computed.
    pub scores: Option<Scores>,
    /// Why there are no scores.
    #[serde(skip)]
    pub unscored: Option<String>,
}

impl RegressionFacts {
    /// The name of the method.
    pub fn method(&self) -> &'static str {
        match self.classes {
            Some(_) => "kernel ridge classification",
            None => "kernel ridge regression",
        }
    }

    /// The penalties: one, or one for each target.
    pub fn penalties(&self) -> String {
        let named = |(target, alpha): (&String, &f64)| format!("{} for {target}", in_short(*alpha));
        match self.alpha[..] {
            [one] => in_short(one),
            _ => self.targets.iter().zip(&self.alpha).map(named).collect::<Vec<_>>().join(", "),
        }
    }

    /// The cross-validation score with its standard error, or why there is none.
    pub fn score(&self) -> Option<String> {
        if let Some(why) = &self.unscored {
            return Some(why.clone());
        }
        let (scores, selection) = (self.scores.as_ref()?, self.selection.as_ref()?);
        Some(scores.text(&format!("{}{}", selection.method, scores.grid(selection.candidates))))
    }
}

pub(super) fn of_kernel_ridge(model: &KernelRidge, saved: &ModelFile) -> Facts {
    let outputs = if model.classes.is_some() { 1 } else { model.t() };
    let noted = saved.extra.get(NOTES).cloned();
    let noted = noted.and_then(|value| serde_json::from_value(value).ok());
    let derived = || model.selection.as_ref().map(|s| Scores::of(s, model.classes.is_some()));
    let regression = RegressionFacts {
        targets: target_names(saved, outputs),
        alpha: model.params.alpha.clone(),
        intercept: model.params.intercept,
        offsets: model.offset.clone(),
        weighted: model.weights.is_some(),
        classes: model.classes.clone(),
        selection: model.selection.clone(),
        scores: noted.or_else(derived),
        unscored: None,
    };
    let rows = trained_on(&model.report, model.n());
    Facts { regression: Some(regression), ..bare(rows, &model.report) }
}

/// Stores the scores in `saved`.
pub fn note_scores(saved: &mut ModelFile, scores: &Scores) {
    let value = serde_json::to_value(scores).expect("numbers and words have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}
