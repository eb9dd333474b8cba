//! How candidates are compared: the score, and the folds if any.

use mercer::Result;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::select::{Accuracy, ByClasses, ByValues, Criterion, Metric, SquaredError};

use super::fit::{Grid, Task};
use crate::run::validation::{Folds, Scheme, USUAL_FOLDS};

impl Task<'_> {
    /// The score by which is chosen.
    pub fn criterion(&self) -> Criterion {
        let usual = match self.classes() {
            Some(_) => Criterion::Accuracy,
            None => Criterion::Rmse,
        };
        self.args.search.validation.metric.unwrap_or(usual)
    }

    /// The same, as the library takes it.
    pub fn metric(&self) -> Box<dyn Metric + '_> {
        let (targets, weights) = (&self.values, self.targets.weights.as_deref());
        match (self.criterion(), self.targets.class_labels()) {
            (Criterion::Rmse, _) => Box::new(SquaredError { targets, weights }),
            (Criterion::Accuracy, _) => Box::new(Accuracy { targets, weights }),
            (criterion, Some(labels)) => Box::new(ByClasses { criterion, labels, weights }),
            (criterion, None) => Box::new(ByValues { criterion, targets, weights }),
        }
    }

    /// Whether rows are left out in folds, and in how many. Groups and the order of time rule out leave-one-out.
    fn fold_count(&self) -> Option<usize> {
        let search = &self.args.search;
        let folds = &search.validation;
        let needs_folds = self.groups.is_some() || folds.time_ordered || folds.repeats > 1;
        let usual = (needs_folds && !search.gcv).then_some(USUAL_FOLDS);
        search.folds.map(|count| count as usize).or(usual)
    }

    /// The folds of n rows; none for leave-one-out and generalised cross-validation.
    pub fn folds(&self, n: usize) -> Result<Option<Folds>> {
        self.criterion().check(&self.targets)?;
        let Some(count) = self.fold_count() else { return Ok(None) };
        let search = &self.args.search;
        let scheme = Scheme::of(&search.validation, count, search.seed, self.groups.as_deref());
        scheme.folds(n, self.targets.class_labels(), Some(self.criterion())).map(Some)
    }

    /// How candidates were scored, in words.
    pub fn validation_name(&self) -> String {
        let repeats = match self.args.search.validation.repeats {
            1 => String::new(),
            repeats => format!("{repeats} × "),
        };
        match (self.fold_count(), self.args.search.gcv) {
            (Some(count), _) => format!("{repeats}{count}-fold cross-validation"),
            (None, true) => "generalised cross-validation".into(),
            (None, false) => "leave-one-out".into(),
        }
    }
}

impl Grid {
    /// Notes how the folds were made, in the model too, and takes repeats out of the standard errors.
    pub fn describe(&mut self, model: &mut KernelRidge, folds: Folds) {
        let factor = folds.std_error_factor();
        for table in &mut self.tables {
            table.std_errors.data_mut().iter_mut().for_each(|error| *error *= factor);
        }
        self.chosen.score.std_error *= factor;
        if let Some(selection) = &mut model.selection {
            selection.std_error = selection.std_error.map(|error| error * factor);
            if !folds.kind.is_empty() || folds.repeats > 1 {
                selection.method = folds.method();
            }
        }
        self.notes = folds.notes;
    }
}
