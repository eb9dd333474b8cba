//! Fitting and calibrating.

use mercer::io::ModelFile;
use mercer::model::svm::{Svm, SvmParams};
use mercer::real::Real;
use mercer::{Context, Error};
use mercer_guard::guarded;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use super::lesson::{Aims, Calibrating, Calibration, Learned, SvmChoices};
use super::{Held, machine, with_machine};
use crate::enter::{Run, enter, enter_keeping};
use crate::model::Model;
use crate::samples::{Given, Rows, with_given};

/// A model, and what was raised while it was fitted: then the fit was cut short.
type Fit = (Model, Option<Py<PyBaseException>>);

/// Fits a machine on samples or on a kernel matrix, from the coefficients of `start` if there is one, and calibrates it
/// if that was asked for.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, aims, start, choices, run))]
pub fn fit_svm(
    py: Python<'_>,
    x: Given<'_>,
    aims: Aims<'_>,
    start: Option<Bound<'_, Model>>,
    choices: SvmChoices<'_>,
    run: Run,
) -> PyResult<Fit> {
    let task = Task::new(py, &aims, &choices)?;
    with_given!(x, rows => task.fit(py, rows, start.as_ref(), &run))
}

/// What a fit is given, samples aside.
struct Task<'a> {
    params: SvmParams,
    learned: Learned,
    calibration: Option<Calibration>,
    dtype: &'a str,
}

impl<'a> Task<'a> {
    fn new(py: Python<'_>, aims: &Aims<'_>, choices: &'a SvmChoices<'_>) -> PyResult<Self> {
        let calibration = choices.calibration.as_ref().map(Calibrating::read).transpose()?;
        Ok(Self {
            params: choices.params(py)?,
            learned: aims.read()?,
            calibration,
            dtype: &choices.dtype,
        })
    }

    fn fit<T: Held>(
        &self,
        py: Python<'_>,
        rows: Rows<'_, T>,
        start: Option<&Bound<'_, Model>>,
        run: &Run,
    ) -> PyResult<Fit> {
        let (lesson, start) = (self.learned.lesson(), start.and_then(machine::<T>));
        let (model, raised) = enter_keeping(py, run, |ctx| {
            let mut model = match rows {
                Rows::Samples(x) => Svm::fit(ctx, &self.params, x, lesson, start)?,
                Rows::Matrix(x) => Svm::fit_gram(ctx, &self.params, x, lesson, start)?,
            };
            self.calibrate(ctx, &mut model, rows)?;
            Ok(model)
        })?;
        let model = super::kept(py, model, self.dtype)?;
        Ok((model, raised.map(|error| error.into_value(py))))
    }

    /// Calibrates a machine if that was asked for. One that was interrupted before or meanwhile stays as it is.
    fn calibrate<T: Held>(
        &self,
        ctx: &Context,
        model: &mut Svm<T>,
        rows: Rows<'_, T>,
    ) -> mercer::Result<()> {
        match self.calibration {
            Some(asked) if !model.was_interrupted() => {
                match calibrate(ctx, model, rows, &self.learned, asked) {
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
    aims: Aims<'_>,
    calibration: Calibrating,
    run: Run,
) -> PyResult<Model> {
    let (learned, asked) = (aims.read()?, calibration.read()?);
    let calibrated = with_machine!(model, machine => {
        let mut machine = machine.clone();
        let rows = x.rows()?;
        enter(py, &run, |ctx| {
            calibrate(ctx, &mut machine, rows, &learned, asked)?;
            Ok(machine.into())
        })
    })?;
    Ok(Model::holding(ModelFile { model: calibrated, ..model.get().saved().clone() }))
}

fn calibrate<T: Real>(
    ctx: &Context,
    model: &mut Svm<T>,
    rows: Rows<'_, T>,
    learned: &Learned,
    asked: Calibration,
) -> mercer::Result<()> {
    let (lesson, Calibration { method, folds, seed }) = (learned.lesson(), asked);
    match rows {
        Rows::Samples(x) => model.calibrate(ctx, x, lesson, method, folds, seed),
        Rows::Matrix(x) => model.calibrate_gram(ctx, x, lesson, method, folds, seed),
    }
}
