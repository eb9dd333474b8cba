//! A view of a support vector machine of either precision.

use mercer::io::Model;
use mercer::linalg::view::Mat;
use mercer::model::Report;
use mercer::model::svm::{Calibration, Curve, Svm, SvmParams, Task, one_vs_rest, votes};
use mercer::real::Real;

use crate::prediction::Prediction;

/// A support vector machine of either precision.
#[derive(Clone, Copy)]
pub struct SvmView<'a> {
    /// The parameters, with the kernel as it was resolved.
    pub params: &'a SvmParams,
    /// The rows of the training table that are support vectors.
    pub support: &'a [usize],
    /// How many support vectors each class has; without classes, one number.
    pub counts: &'a [usize],
    /// Rows that it was fitted on.
    pub rows: usize,
    /// A constant for each problem.
    pub offsets: &'a [f64],
    /// The names of the classes.
    pub classes: Option<&'a [String]>,
    /// The class weights, multiples of C.
    pub class_weights: Option<&'a [f64]>,
    /// Calibration of decision values to probabilities.
    pub calibration: Option<&'a Calibration>,
    /// How the fit went.
    pub report: &'a Report,
}

impl<'a> SvmView<'a> {
    /// The support vector machine in `model`, if it is one.
    pub fn of(model: &'a Model) -> Option<Self> {
        match model {
            Model::Svm32(svm) => Some(Self::view(svm)),
            Model::Svm64(svm) => Some(Self::view(svm)),
            _ => None,
        }
    }

    fn view<T: Real>(svm: &'a Svm<T>) -> Self {
        Self {
            params: &svm.params,
            support: &svm.support,
            counts: &svm.counts,
            rows: svm.trained_on,
            offsets: &svm.offset,
            classes: svm.classes.as_deref(),
            class_weights: svm.class_weights.as_deref(),
            calibration: svm.calibration.as_ref(),
            report: &svm.report,
        }
    }

    /// The predictions that decision values (m × problems) stand for.
    pub fn prediction(&self, decisions: Mat<f64>) -> Prediction {
        let Some(classes) = self.classes else {
            return match self.params.task {
                Task::OneClass => Prediction::OneClass(decisions.into_vec()),
                _ => Prediction::Values { values: decisions, deviations: None },
            };
        };
        let k = classes.len();
        Prediction::Classes {
            places: votes(&decisions, k),
            scores: if k == 2 { decisions.clone() } else { one_vs_rest(&decisions, k) },
            probabilities: self.calibration.map(|c| c.probabilities(&decisions, k)),
            decisions: Some(decisions),
        }
    }
}

/// The pairs of classes, in the order of decisions.
pub fn pairs(classes: usize) -> Vec<(usize, usize)> {
    (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect()
}

/// The name of a calibration method.
pub fn curve_name(calibration: &Calibration) -> &'static str {
    match calibration.curves.first() {
        Some(Curve::Steps { .. }) => "isotonic",
        Some(Curve::Platt { .. }) => "platt",
        Some(Curve::Slopes { .. }) | None => "sigmoid",
    }
}
