//! Fitting and calibrating.

use mercer::io::ModelFile;
use mercer::model::svm::Svm;
use mercer::{Context, Error, Input, Targets};
use mercer_guard::guarded;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use super::machine;
use super::targets::{Calibration, CalibrationArgs, SvmSettings, TargetArrays};
use crate::enter::{Run, enter, enter_keeping};
use crate::model::Model;
use crate::samples::Given;

/// A model, and what was raised while it was fitted: then the fit was cut short.
type Fit = (Model, Option<Py<PyBaseException>>);

/// Fits a machine on samples or on a kernel matrix, from the coefficients of `start` if there is one, and calibrates it
/// if that was asked for. Targets of rows in blocks come with them: `targets` has the names and weights of classes alone.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, targets, start, settings, run))]
pub fn fit_svm(
    py: Python<'_>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    start: Option<Bound<'_, Model>>,
    settings: SvmSettings<'_>,
    run: Run,
) -> PyResult<Fit> {
    let calibration = settings.calibration.as_ref().map(CalibrationArgs::read).transpose()?;
    let (params, targets) = (settings.params(py)?, targets.read()?);
    let start = start.as_ref().and_then(|model| machine(model.get()).ok());
    if let Given::Blocks(blocks) = &x {
        let (mut rows, dtype) = (blocks.get().rows(py), blocks.get().dtype);
        let (model, raised) = enter_keeping(py, &run, |ctx| {
            Svm::fit_blocks(ctx, &params, &targets, &mut rows, dtype, start)
        })?;
        let model = super::python_model(py, model, &settings.dtype)?;
        return Ok((model, raised.map(|error| error.into_value(py))));
    }
    let input = x.input()?;
    let (model, raised) = enter_keeping(py, &run, |ctx| {
        let mut model = Svm::fit(ctx, &params, &input, &targets, start)?;
        // One that was interrupted before or meanwhile stays as it is.
        if let Some(asked) = calibration.filter(|_| !model.was_interrupted()) {
            match calibrate(ctx, &mut model, &input, &targets, asked) {
                Err(Error::Interrupted) => {}
                done => done?,
            }
        }
        Ok(model)
    })?;
    let model = super::python_model(py, model, &settings.dtype)?;
    Ok((model, raised.map(|error| error.into_value(py))))
}

/// The model with a calibration, made from the samples or the kernel matrix that it was fitted on, or from others.
#[guarded]
#[pyfunction]
pub fn calibrate_svm(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    calibration: CalibrationArgs,
    run: Run,
) -> PyResult<Model> {
    let (targets, asked, input) = (targets.read()?, calibration.read()?, x.input()?);
    let mut machine = machine(model.get())?.clone();
    enter(py, &run, |ctx| calibrate(ctx, &mut machine, &input, &targets, asked))?;
    Ok(Model::holding(ModelFile { model: machine.into(), ..model.get().saved().clone() }))
}

fn calibrate(
    ctx: &Context,
    model: &mut Svm,
    input: &Input<'_>,
    targets: &Targets,
    asked: Calibration,
) -> mercer::Result<()> {
    let Calibration { method, folds, seed } = asked;
    match folds {
        Some(folds) => model.calibrate(ctx, input, targets, method, folds, seed),
        None => model.calibrate_held_out(ctx, input, targets, method),
    }
}
