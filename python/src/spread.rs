//! Standard deviations of predictions, as Python holds what is computed once for them.

use mercer::io::Model as Fitted;
use mercer::linalg::view::Mat;
use mercer::model::posterior::PosteriorStd as Prepared;
use mercer_guard::guarded;
use numpy::PyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::copied;
use crate::enter::{Run, enter};
use crate::model::Model;
use crate::samples::Samples;

/// What the standard deviations of a model's predictions need. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct Spread {
    prepared: Any,
}

enum Any {
    F32(Prepared<f32>),
    F64(Prepared<f64>),
}

#[guarded]
#[pymethods]
impl Spread {
    #[new]
    fn new(py: Python<'_>, model: &Bound<'_, Model>, run: Run) -> PyResult<Self> {
        let prepared = match &model.get().saved().model {
            Fitted::KernelRidge32(model) => {
                Any::F32(enter(py, &run, |ctx| Prepared::new(ctx, model))?)
            }
            Fitted::KernelRidge64(model) => {
                Any::F64(enter(py, &run, |ctx| Prepared::new(ctx, model))?)
            }
            _ => return Err(PyTypeError::new_err("this model is no kernel ridge regression")),
        };
        Ok(Self { prepared })
    }

    /// The standard deviation of each target's prediction: m × t.
    fn deviations<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, Samples>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found: Mat<f64> = match &self.prepared {
            Any::F32(prepared) => {
                let x = x.get().points::<f32>()?;
                enter(py, &run, |ctx| prepared.deviations(ctx, x))?
            }
            Any::F64(prepared) => {
                let x = x.get().points::<f64>()?;
                enter(py, &run, |ctx| prepared.deviations(ctx, x))?
            }
        };
        Ok(copied(py, &found))
    }
}
