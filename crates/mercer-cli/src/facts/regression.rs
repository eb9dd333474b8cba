//! What a model that predicts says of itself.

use mercer::io::ModelFile;
use mercer::model::kernel_ridge::{KernelRidge, Selection};
use mercer::real::Real;
use serde::Serialize;

use super::{Facts, bare, target_names};
use crate::scores::{Scores, in_short};

/// The key of [`Scores`] among the notes of a model file.
const NOTES: &str = "scores";

/// A regression, or a classification by regression, in numbers and words.
#[derive(Debug, Clone, Serialize)]
pub struct RegressionFacts {
    /// The names of the columns it predicts.
    pub targets: Vec<String>,
    /// The penalty: one for all targets, or one each.
    pub alpha: Vec<f64>,
    /// Whether a constant is part of it.
    pub intercept: bool,
    /// The constant of each target, or of each class.
    pub offsets: Vec<f64>,
    /// Whether samples had weights.
    pub weighted: bool,
    /// The names of the classes, if it tells classes apart.
    pub classes: Option<Vec<String>>,
    /// How kernel and penalty were chosen, if they were.
    pub selection: Option<Selection>,
    /// How good predictions for other rows were, if that was looked into.
    pub scores: Option<Scores>,
    /// Why there are no scores, where a fit knows.
    #[serde(skip)]
    pub unscored: Option<String>,
}

impl RegressionFacts {
    /// The kind of model in words.
    pub fn method(&self) -> &'static str {
        match self.classes {
            Some(_) => "kernel ridge classification",
            None => "kernel ridge regression",
        }
    }

    /// The penalties in words: one, or one for each target.
    pub fn penalties(&self) -> String {
        let named = |(target, alpha): (&String, &f64)| format!("{} for {target}", in_short(*alpha));
        match self.alpha[..] {
            [one] => in_short(one),
            _ => self.targets.iter().zip(&self.alpha).map(named).collect::<Vec<_>>().join(", "),
        }
    }

    /// The score with its spread and how it was had, or why there is none if that is known.
    pub fn score(&self) -> Option<String> {
        if let Some(why) = &self.unscored {
            return Some(why.clone());
        }
        let (scores, selection) = (self.scores.as_ref()?, self.selection.as_ref()?);
        Some(scores.text(&format!("{}{}", selection.method, scores.grid(selection.candidates))))
    }
}

pub(super) fn of_kernel_ridge<T: Real>(model: &KernelRidge<T>, saved: &ModelFile) -> Facts {
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
    Facts { regression: Some(regression), ..bare(model.n(), &model.report) }
}

/// Notes down in `saved` how good its predictions are.
pub fn note_scores(saved: &mut ModelFile, scores: &Scores) {
    let value = serde_json::to_value(scores).expect("numbers and words have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}
