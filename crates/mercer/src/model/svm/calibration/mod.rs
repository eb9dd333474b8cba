//! Probabilities from decisions: a curve for each pair of classes, and their coupling.

mod coupling;
mod slopes;
mod steps;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::decode::{pairs, vote};
use crate::linalg::view::Mat;

/// The shape of the curve that turns decisions into probabilities.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// A sigmoid through ½ at the boundary, with a slope on each side.
    Sigmoid,
    /// A rising step function that passes ½ at the boundary.
    Isotonic,
}

/// The probability of the class that a positive decision speaks for, as a function that rises with the decision.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Curve {
    /// 1 / (1 + e^(−below·f)) for f < 0 and 1 / (1 + e^(−above·f)) for f ≥ 0; both slopes are positive.
    Slopes {
        /// Below the boundary.
        below: f64,
        /// Above the boundary.
        above: f64,
    },
    /// Straight lines between points, constant beyond them. One of the points is (0, ½).
    Steps {
        /// Decisions, ascending.
        at: Vec<f64>,
        /// Probabilities, not falling; below ½ before 0 and above ½ after it.
        value: Vec<f64>,
    },
    /// 1 / (1 + e^(a·f + b)), as LIBSVM's model files have it, which need not pass ½ at the boundary.
    Platt {
        /// The factor of the decision.
        a: f64,
        /// The constant.
        b: f64,
    },
}

/// A curve for each problem, in the order of the model's `offset`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The curves.
    pub curves: Vec<Curve>,
    /// Folds that the decisions came from; 1 for samples that the machine was not fitted on, 0 for a calibration read from a file.
    pub folds: usize,
}

/// A sample that a curve is fitted to: its decision, whether it belongs to the class that a positive decision speaks for,
/// and how much it counts.
#[derive(Clone, Copy, Debug)]
struct LabelledDecision {
    decision: f64,
    positive: bool,
    weight: f64,
}

impl Curve {
    /// Fits a curve to decisions and whether each belongs to the class that a positive decision speaks for.
    ///
    /// A side of the boundary without samples mirrors the other; without any samples, the curve is the plain sigmoid.
    pub fn fit(
        method: Method,
        decisions: &[f64],
        positive: &[bool],
        weights: Option<&[f64]>,
    ) -> Self {
        assert_eq!(decisions.len(), positive.len());
        assert!(weights.is_none_or(|weights| weights.len() == decisions.len()));
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let labelled = |i| LabelledDecision {
            decision: decisions[i],
            positive: positive[i],
            weight: weight(i),
        };
        let counted = (0..decisions.len()).map(labelled).filter(|sample| sample.weight > 0.0);
        let samples: Vec<LabelledDecision> = counted.collect();
        assert!(samples.iter().all(|sample| sample.decision.is_finite()));
        match method {
            Method::Sigmoid => slopes::fit(&samples),
            Method::Isotonic => steps::fit(&samples),
        }
    }

    /// The probability at decision `f`.
    pub fn at(&self, f: f64) -> f64 {
        match self {
            Curve::Slopes { below, .. } if f < 0.0 => sigmoid(below * f),
            Curve::Slopes { above, .. } => sigmoid(above * f),
            Curve::Steps { at, value } => steps::between(at, value, f),
            Curve::Platt { a, b } => sigmoid(-(a * f + b)),
        }
    }

    /// What is wrong with the numbers of this curve, if anything is.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        match self {
            Curve::Slopes { below, above } if !finite(&[*below, *above]) => {
                Some("its slopes are not finite")
            }
            Curve::Slopes { below, above } if *below <= 0.0 || *above <= 0.0 => {
                Some("its slopes are not positive")
            }
            Curve::Platt { a, b } if !finite(&[*a, *b]) => Some("its numbers are not finite"),
            Curve::Steps { at, value } => steps::fault(at, value),
            _ => None,
        }
    }
}

impl Calibration {
    /// Probabilities of the classes (m × classes) from decisions (m × problems, oriented as [`super::Svm::offset`] says).
    /// Rows sum to 1, and the largest is that of the class that [`super::votes`] names, unless a curve is `Platt`.
    #[doc(hidden)]
    pub fn probabilities(&self, decisions: &Mat<f64>, classes: usize) -> Mat<f64> {
        assert_eq!(self.curves.len(), decisions.cols());
        assert_eq!(self.curves.len(), pairs(classes).count());
        let platt = self.curves.iter().any(|curve| matches!(curve, Curve::Platt { .. }));
        // Probabilities from LIBSVM's curves are to be those that LIBSVM gives, so that they are coupled as far as there.
        let accuracy =
            if platt { coupling::Accuracy::Libsvm } else { coupling::Accuracy::Rounding };
        let mut probabilities = Mat::zeros(decisions.rows(), classes);
        for i in 0..decisions.rows() {
            let row = probabilities.row_mut(i);
            self.one(decisions.row(i), accuracy, row);
            if !platt {
                coupling::prefer(row, vote(decisions.row(i), classes));
            }
        }
        probabilities
    }

    /// Probabilities from the decisions of one sample.
    fn one(&self, decisions: &[f64], accuracy: coupling::Accuracy, probabilities: &mut [f64]) {
        let mut of_pairs = self.curves.iter().zip(decisions).map(|(curve, &f)| curve.at(f));
        if let [first, second] = probabilities {
            *second = of_pairs.next().expect("two classes have one problem");
            *first = 1.0 - *second;
            return;
        }
        let classes = probabilities.len();
        let mut against = Mat::zeros(classes, classes);
        for ((first, second), probability) in pairs(classes).zip(of_pairs) {
            // No pair is beyond doubt: with a 0 or a 1 the coupled probabilities need not be determined.
            let probability = probability.clamp(1e-7, 1.0 - 1e-7);
            against[(first, second)] = probability;
            against[(second, first)] = 1.0 - probability;
        }
        coupling::couple(&against, accuracy, probabilities);
    }
}

/// 1 / (1 + e^(−z)), for which no exponential overflows.
fn sigmoid(z: f64) -> f64 {
    let small = (-z.abs()).exp();
    if z < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}
