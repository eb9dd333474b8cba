//! Calibration by samples that the machine was not fitted on: their decision values need no folds.

use super::decode::pairs;
use super::{Calibration, Curve, Method, Svm};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::linalg::view::Mat;
use crate::model::input::Input;
use crate::model::targets::{Labels, Targets};

impl Svm {
    /// Sets `calibration` from the decision values of samples that the machine was not fitted on. `targets` are their classes,
    /// with the names of the fit; their weights count.
    #[doc(hidden)]
    pub fn calibrate_held_out<'a>(
        &mut self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
        targets: &Targets,
        method: Method,
    ) -> Result<()> {
        self.calibrate_decided(ctx, input.into(), targets, method)
    }

    fn calibrate_decided(
        &mut self,
        ctx: &Context,
        input: Input<'_>,
        targets: &Targets,
        method: Method,
    ) -> Result<()> {
        let labels = self.held_out_labels(targets)?;
        let decisions = self.decisions(ctx, input)?;
        if decisions.rows() != labels.places.len() {
            return Err(Error::Shape(format!(
                "there are {} samples, but {} classes",
                decisions.rows(),
                labels.places.len()
            )));
        }
        let weights = targets.weights.as_deref();
        let curve = |(problem, pair)| curve(method, &decisions, problem, pair, labels, weights);
        let curves =
            pairs(labels.names.len()).enumerate().map(curve).collect::<Result<Vec<_>>>()?;
        self.calibration = Some(Calibration { curves, folds: HELD_OUT });
        Ok(())
    }

    fn held_out_labels<'t>(&self, targets: &'t Targets) -> Result<&'t Labels> {
        let labels = targets.class_labels().filter(|_| self.is_classifier());
        let labels =
            labels.ok_or_else(|| Error::Shape("only classifiers have probabilities".into()))?;
        match self.classes.as_ref() == Some(&labels.names) {
            true => Ok(labels),
            false => {
                let message = "calibration needs the classes of the fit".to_string();
                Err(Error::parameter(Param::Classes, message))
            }
        }
    }
}

/// The folds that a calibration by held-out samples notes: all samples at once.
const HELD_OUT: usize = 1;

/// The curve of the problem of two classes, by the held-out samples of these classes that count.
fn curve(
    method: Method,
    decisions: &Mat<f64>,
    problem: usize,
    (a, b): (usize, usize),
    labels: &Labels,
    weights: Option<&[f64]>,
) -> Result<Curve> {
    let counts = |&row: &usize| weights.is_none_or(|weights| weights[row] > 0.0);
    let is_of_pair = |&row: &usize| [a, b].contains(&labels.places[row]);
    let rows: Vec<usize> = (0..labels.places.len()).filter(is_of_pair).filter(counts).collect();
    if let Some(class) =
        [a, b].into_iter().find(|class| rows.iter().all(|&r| labels.places[r] != *class))
    {
        let message = format!("the class {} has no sample to calibrate on", labels.names[class]);
        return Err(Error::parameter(Param::Classes, message));
    }
    let speaks_for = if labels.names.len() == 2 { b } else { a };
    let values: Vec<f64> = rows.iter().map(|&row| decisions[(row, problem)]).collect();
    let positive: Vec<bool> = rows.iter().map(|&row| labels.places[row] == speaks_for).collect();
    let own: Option<Vec<f64>> =
        weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
    Ok(Curve::fit(method, &values, &positive, own.as_deref()))
}
