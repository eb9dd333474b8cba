//! Posterior standard deviations of predictions, with what is computed once for them.

use mercer::model::posterior::PosteriorStd as Prepared;
use mercer_guard::guarded;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays::copied;
use crate::enter::{Run, enter};
use crate::model::Model;
use crate::ridge::ridge_of;
use crate::samples::Samples;

/// What the posterior standard deviations of a model's predictions need. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct PosteriorStd(Prepared);

#[guarded]
#[pymethods]
impl PosteriorStd {
    #[new]
    fn new(py: Python<'_>, model: &Bound<'_, Model>, run: Run) -> PyResult<Self> {
        let ridge = ridge_of(model.get())?;
        enter(py, &run, |ctx| Prepared::new(ctx, ridge)).map(Self)
    }

    /// The standard deviation of each target's prediction: m × t.
    fn deviations<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, Samples>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = x.get().samples();
        Ok(copied(py, &enter(py, &run, |ctx| self.0.deviations(ctx, x))?))
    }

    /// The covariance of one target's predictions: m × m.
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, Samples>,
        target: usize,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = x.get().samples();
        Ok(copied(py, &enter(py, &run, |ctx| self.0.covariance(ctx, x, target))?))
    }
}
