//! Fitting and calibrating.

use mercer::io::Saved;
use mercer::linalg::view::MatRef;
use mercer::model::svm::{Svm, SvmParams};
use mercer::real::Real;
use mercer::{Context, Error};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use super::lesson::{Aims, Calibrating, Calibration, Learned, SvmChoices};
use super::{Held, machine, no_machine};
use crate::arrays::{Samples, dense, view, with_samples};
use crate::enter::{Run, enter, enter_keeping};
use crate::fit::dtype_named;
use crate::model::{Model, other_type};

/// A model, and what was raised while it was fitted: then the fit was cut short.
type Fit = (Model, Option<Py<PyBaseException>>);

/// Fits a machine on samples or on a kernel matrix, from the coefficients of `start` if there is one, and calibrates it
/// if that was asked for.
#[pyfunction]
#[pyo3(signature = (x, aims, start, choices, run))]
pub fn fit_svm(
    py: Python<'_>,
    x: Samples<'_>,
    aims: Aims<'_>,
    start: Option<Bound<'_, Model>>,
    choices: SvmChoices,
    run: Run,
) -> PyResult<Fit> {
    let task = Task::new(py, &aims, &choices)?;
    let start = start.as_ref();
    if choices.given {
        return match &x {
            Samples::F32(x) => task.on_matrix(py, view(x)?, start, &run),
            Samples::F64(x) => task.on_matrix(py, view(x)?, start, &run),
        };
    }
    with_samples!(&x, x => match choices.single {
        true => task.on_samples::<f32>(py, view(x)?, start, &run),
        false => task.on_samples::<f64>(py, view(x)?, start, &run),
    })
}

/// What a fit is given, samples aside.
struct Task<'a> {
    params: SvmParams,
    learned: Learned,
    calibration: Option<Calibration>,
    dtype: &'a str,
}

impl<'a> Task<'a> {
    fn new(py: Python<'_>, aims: &Aims<'_>, choices: &'a SvmChoices) -> PyResult<Self> {
        let calibration = choices.calibration.as_ref().map(Calibrating::read).transpose()?;
        Ok(Self {
            params: choices.params(py)?,
            learned: aims.read()?,
            calibration,
            dtype: &choices.dtype,
        })
    }

    fn on_samples<T: Held>(
        &self,
        py: Python<'_>,
        x: MatRef<'_, impl Real>,
        start: Option<&Bound<'_, Model>>,
        run: &Run,
    ) -> PyResult<Fit> {
        let (lesson, start) = (self.learned.lesson(), start.and_then(machine::<T>));
        let done = enter_keeping(py, run, |ctx| {
            let points = dense::<T>(x)?;
            let mut model = Svm::fit(ctx, &self.params, &points, lesson, start)?;
            self.calibrate(&mut model, |model, asked| {
                model.calibrate(ctx, &points, lesson, asked.method, asked.folds, asked.seed)
            })?;
            Ok(model)
        })?;
        Ok(self.kept(py, done))
    }

    fn on_matrix<T: Held>(
        &self,
        py: Python<'_>,
        matrix: MatRef<'_, T>,
        start: Option<&Bound<'_, Model>>,
        run: &Run,
    ) -> PyResult<Fit> {
        let (lesson, start) = (self.learned.lesson(), start.and_then(machine::<T>));
        let done = enter_keeping(py, run, |ctx| {
            let mut model = Svm::fit_gram(ctx, &self.params, matrix, lesson, start)?;
            self.calibrate(&mut model, |model, asked| {
                model.calibrate_gram(ctx, matrix, lesson, asked.method, asked.folds, asked.seed)
            })?;
            Ok(model)
        })?;
        Ok(self.kept(py, done))
    }

    /// Calibrates a machine if that was asked for. One that was interrupted before or meanwhile stays as it is.
    fn calibrate<T: Real>(
        &self,
        model: &mut Svm<T>,
        work: impl FnOnce(&mut Svm<T>, Calibration) -> mercer::Result<()>,
    ) -> mercer::Result<()> {
        match self.calibration {
            Some(asked) if !model.was_interrupted() => match work(model, asked) {
                Err(Error::Interrupted) => Ok(()),
                done => done,
            },
            _ => Ok(()),
        }
    }

    fn kept<T: Held>(&self, py: Python<'_>, (model, raised): (Svm<T>, Option<PyErr>)) -> Fit {
        let model = Model::holding(Saved::new(T::hold(model), dtype_named(self.dtype)));
        (model, raised.map(|error| error.into_value(py)))
    }
}

/// The model with a calibration, made from the samples or the kernel matrix that it was fitted on.
#[pyfunction]
pub fn calibrate_svm(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: Samples<'_>,
    aims: Aims<'_>,
    calibration: Calibrating,
    run: Run,
) -> PyResult<Model> {
    let (learned, asked) = (aims.read()?, calibration.read()?);
    let saved = model.get().saved();
    let calibrated = match (machine::<f32>(model), machine::<f64>(model), &x) {
        (Some(found), _, Samples::F32(x)) => {
            let x = view(x)?;
            f32::hold(enter(py, &run, |ctx| calibrated(ctx, found, x, &learned, asked))?)
        }
        (_, Some(found), Samples::F64(x)) => {
            let x = view(x)?;
            f64::hold(enter(py, &run, |ctx| calibrated(ctx, found, x, &learned, asked))?)
        }
        (None, None, _) => return Err(no_machine()),
        _ => return Err(other_type()),
    };
    Ok(Model::holding(Saved { model: calibrated, ..saved.clone() }))
}

fn calibrated<T: Held>(
    ctx: &Context,
    model: &Svm<T>,
    x: MatRef<'_, T>,
    learned: &Learned,
    asked: Calibration,
) -> mercer::Result<Svm<T>> {
    let (mut model, lesson) = (model.clone(), learned.lesson());
    let Calibration { method, folds, seed } = asked;
    match model.anchors {
        Some(_) => model.calibrate(ctx, &dense(x)?, lesson, method, folds, seed)?,
        None => model.calibrate_gram(ctx, x, lesson, method, folds, seed)?,
    }
    Ok(model)
}
