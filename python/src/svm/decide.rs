//! Decisions, classes and probabilities of new samples.

use mercer::model::svm::{Svm, one_vs_rest, votes};
use mercer::{AnySamples, Mat};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::machine;
use crate::arrays::copied;
use crate::enter::{Run, enter_predict};
use crate::fit::unknown;
use crate::model::Model;
use crate::samples::{Given, numbers};

/// Numbers for new samples, of the form `"pairs"` (a decision for each pair of classes, or the one there is), `"rest"` (one
/// for each class) or `"probabilities"`.
///
/// `x` holds samples, or kernel values with all training samples if the model came from a kernel matrix.
#[guarded]
#[pyfunction]
pub fn svm_decisions<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    x: Given<'_>,
    form: &str,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let decisions = decisions(py, machine(model.get())?, &x, &run)?;
    let values = match form {
        "pairs" => decisions,
        "rest" => one_vs_rest(&decisions, classes(model)?),
        "probabilities" => probabilities(model, &decisions)?,
        name => return Err(unknown("form", name)),
    };
    Ok(copied(py, &values))
}

/// The place of the class of each new sample. Samples are as in [`svm_decisions`].
#[guarded]
#[pyfunction]
pub fn svm_classes<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    x: Given<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let decisions = decisions(py, machine(model.get())?, &x, &run)?;
    let found = votes(&decisions, classes(model)?);
    let places: Vec<i64> = found.into_iter().map(|place| place as i64).collect();
    Ok(places.to_pyarray(py))
}

fn decisions(py: Python<'_>, machine: &Svm, x: &Given<'_>, run: &Run) -> PyResult<Mat<f64>> {
    let input = x.input()?;
    let anchors = machine.anchors.as_ref().map_or(machine.support.len(), AnySamples::n);
    let numbers = numbers(&input, &machine.params.kernel, anchors);
    enter_predict(py, run, numbers, |ctx| machine.decisions(ctx, input))
}

fn classes(model: &Bound<'_, Model>) -> PyResult<usize> {
    let none = || PyValueError::new_err("this SVM is not a classifier");
    machine(model.get())?.classes.as_ref().map(Vec::len).ok_or_else(none)
}

fn probabilities(model: &Bound<'_, Model>, decisions: &Mat<f64>) -> PyResult<Mat<f64>> {
    let none = || PyValueError::new_err("this SVM is not calibrated");
    let calibration = machine(model.get())?.calibration.as_ref().ok_or_else(none)?;
    Ok(calibration.probabilities(decisions, classes(model)?))
}
