//! What decision values of a support vector machine stand for.

use mercer::Mat;
use mercer::io::Model;
use mercer::model::svm::{Calibration, Curve, Svm, Task, one_vs_rest, votes};

use crate::prediction::Prediction;

/// The support vector machine in `model`, if it is one.
pub fn machine_of(model: &Model) -> Option<&Svm> {
    match model {
        Model::Svm(machine) => Some(machine),
        _ => None,
    }
}

/// The predictions that decision values (m × problems) stand for.
pub fn prediction(machine: &Svm, decisions: Mat<f64>) -> Prediction {
    let Some(classes) = &machine.classes else {
        return match machine.params.task {
            Task::OneClass => Prediction::OneClass(decisions.into_vec()),
            _ => Prediction::Values { values: decisions, deviations: None },
        };
    };
    let k = classes.len();
    Prediction::Classes {
        places: votes(&decisions, k),
        scores: if k == 2 { decisions.clone() } else { one_vs_rest(&decisions, k) },
        probabilities: machine.calibration.as_ref().map(|c| c.probabilities(&decisions, k)),
        decisions: Some(decisions),
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
