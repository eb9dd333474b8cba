//! Fitting and calibrating.

use mercer::io::Saved;
use mercer::model::svm::{Svm, SvmParams};
use mercer::real::Real;
use mercer::{Context, Error};
use mercer_guard::guarded;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use super::targets::{Calibration, CalibrationArgs, OwnedTargets, SvmSettings, TargetArrays};
use super::{MachineNumber, machine, with_machine};
use crate::enter::{Run, enter, enter_keeping};
use crate::model::Model;
use crate::samples::{Given, Rows, with_given};

/// A model, and what was raised while it was fitted: then the fit was cut short.
type Fit = (Model, Option<Py<PyBaseException>>);

/// Fits a machine on samples or on a kernel matrix, from the coefficients of `start` if there is one, and calibrates it
/// if that was asked for.
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
    let task = Task::new(py, &targets, &settings)?;
    with_given!(x, rows => task.fit(py, rows, start.as_ref(), &run))
}

/// What a fit is given, samples aside.
struct Task<'a> {
    params: SvmParams,
    owned: OwnedTargets,
    calibration: Option<Calibration>,
    dtype: &'a str,
}

impl<'a> Task<'a> {
    fn new(
        py: Python<'_>,
        targets: &TargetArrays<'_>,
        settings: &'a SvmSettings<'_>,
    ) -> PyResult<Self> {
        let calibration = settings.calibration.as_ref().map(CalibrationArgs::read).transpose()?;
        Ok(Self {
            params: settings.params(py)?,
            owned: targets.read()?,
            calibration,
            dtype: &settings.dtype,
        })
    }

    fn fit<T: MachineNumber>(
        &self,
        py: Python<'_>,
        rows: Rows<'_, T>,
        start: Option<&Bound<'_, Model>>,
        run: &Run,
    ) -> PyResult<Fit> {
        let (supervision, start) = (self.owned.supervision(), start.and_then(machine::<T>));
        let (model, raised) = enter_keeping(py, run, |ctx| {
            let mut model = match rows {
                Rows::Samples(x) => Svm::fit(ctx, &self.params, x, supervision, start)?,
                Rows::Matrix(x) => Svm::fit_gram(ctx, &self.params, x, supervision, start)?,
            };
            self.calibrate(ctx, &mut model, rows)?;
            Ok(model)
        })?;
        let model = super::python_model(py, model, self.dtype)?;
        Ok((model, raised.map(|error| error.into_value(py))))
    }

    /// Calibrates a machine if that was asked for. One that was interrupted before or meanwhile stays as it is.
    fn calibrate<T: MachineNumber>(
        &self,
        ctx: &Context,
        model: &mut Svm<T>,
        rows: Rows<'_, T>,
    ) -> mercer::Result<()> {
        match self.calibration {
            Some(asked) if !model.was_interrupted() => {
                match calibrate(ctx, model, rows, &self.owned, asked) {
                    Err(Error::Interrupted) => Ok(()),
                    done => done,
                }
            }
            _ => Ok(()),
        }
    }
}

/// The model with a calibration, made from the samples or the kernel matrix that it was fitted on.
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
    let (owned, asked) = (targets.read()?, calibration.read()?);
    let calibrated = with_machine!(model, machine => {
        let mut machine = machine.clone();
        let rows = x.rows()?;
        enter(py, &run, |ctx| {
            calibrate(ctx, &mut machine, rows, &owned, asked)?;
            Ok(machine.into())
        })
    })?;
    Ok(Model::holding(Saved { model: calibrated, ..model.get().saved().clone() }))
}

fn calibrate<T: Real>(
    ctx: &Context,
    model: &mut Svm<T>,
    rows: Rows<'_, T>,
    owned: &OwnedTargets,
    asked: Calibration,
) -> mercer::Result<()> {
    let (supervision, Calibration { method, folds, seed }) = (owned.supervision(), asked);
    match rows {
        Rows::Samples(x) => model.calibrate(ctx, x, supervision, method, folds, seed),
        Rows::Matrix(x) => model.calibrate_gram(ctx, x, supervision, method, folds, seed),
    }
}
