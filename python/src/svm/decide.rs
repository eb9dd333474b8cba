//! Decisions, classes and probabilities of new samples.

use mercer::Context;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::svm::{Svm, one_vs_rest, votes};
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{Held, machine, no_machine, with_machine};
use crate::arrays::{Samples, copied, dense, view};
use crate::enter::{Run, enter};
use crate::fit::unknown;
use crate::model::{Model, other_type};

/// Numbers for new samples, of the form `"pairs"` (a decision for each pair of classes, or the one there is), `"rest"` (one
/// for each class) or `"probabilities"`.
///
/// `x` holds samples, or kernel values if the model came from a kernel matrix: those with all training samples, or with
/// the support vectors alone if `support`.
#[pyfunction]
pub fn svm_decisions<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    x: Samples<'_>,
    support: bool,
    form: &str,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let decisions = decisions(py, model, &x, support, &run)?;
    let shown = match form {
        "pairs" => decisions,
        "rest" => one_vs_rest(&decisions, classes(model)?),
        "probabilities" => probabilities(model, &decisions)?,
        name => return Err(unknown("form", name)),
    };
    Ok(copied(py, &shown))
}

/// The place of the class of each new sample. Samples are as in [`svm_decisions`].
#[pyfunction]
pub fn svm_classes<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    x: Samples<'_>,
    support: bool,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let found = votes(&decisions(py, model, &x, support, &run)?, classes(model)?);
    let places: Vec<i64> = found.into_iter().map(|place| place as i64).collect();
    Ok(places.to_pyarray(py))
}

fn decisions(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: &Samples<'_>,
    support: bool,
    run: &Run,
) -> PyResult<Mat<f64>> {
    match (machine::<f32>(model), machine::<f64>(model), x) {
        (Some(found), _, Samples::F32(x)) => {
            let x = view(x)?;
            enter(py, run, |ctx| evaluate(ctx, found, x, support))
        }
        (_, Some(found), Samples::F64(x)) => {
            let x = view(x)?;
            enter(py, run, |ctx| evaluate(ctx, found, x, support))
        }
        (None, None, _) => Err(no_machine()),
        _ => Err(other_type()),
    }
}

fn evaluate<T: Held>(
    ctx: &Context,
    model: &Svm<T>,
    x: MatRef<'_, T>,
    support: bool,
) -> mercer::Result<Mat<f64>> {
    match (&model.anchors, support) {
        (Some(_), _) => model.decisions(ctx, &dense(x)?),
        (None, true) => model.decisions_support(ctx, x),
        (None, false) => model.decisions_gram(ctx, x),
    }
}

fn classes(model: &Bound<'_, Model>) -> PyResult<usize> {
    with_machine!(model, machine => {
        let none = || PyValueError::new_err("this machine has no classes");
        machine.classes.as_ref().map(Vec::len).ok_or_else(none)
    })
}

fn probabilities(model: &Bound<'_, Model>, decisions: &Mat<f64>) -> PyResult<Mat<f64>> {
    let count = classes(model)?;
    with_machine!(model, machine => {
        let none = || PyValueError::new_err("this machine is not calibrated");
        let calibration = machine.calibration.as_ref().ok_or_else(none)?;
        Ok(calibration.probabilities(decisions, count))
    })
}
