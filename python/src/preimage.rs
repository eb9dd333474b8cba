//! Pre-images: samples whose images are near given components.

use mercer::model::preimage::{Method, PreimageParams};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::arrays::{Matrix, OutputArray, with_output};
use crate::enter::{Run, enter};
use crate::fit::unknown;
use crate::model::Model;

/// The settings of a search for pre-images, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PreimageSettings {
    method: String,
    neighbours: usize,
    restarts: usize,
    max_rounds: usize,
    tolerance: f64,
}

impl PreimageSettings {
    fn params(&self) -> PyResult<PreimageParams> {
        let method = match self.method.as_str() {
            "ridge" => Method::Ridge,
            "fixed_point" => Method::FixedPoint,
            "neighbors" => Method::Neighbours,
            "gradient" => Method::Gradient,
            name => return Err(unknown("method", name)),
        };
        let mut params = PreimageParams::new(method);
        params.neighbours = self.neighbours;
        params.restarts = self.restarts;
        params.max_rounds = self.max_rounds;
        params.tolerance = self.tolerance;
        Ok(params)
    }
}

/// Writes the samples (m × d) that components stand for; the rows whose search did not converge.
#[guarded]
#[pyfunction]
pub fn preimages(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    scores: Matrix<'_>,
    out: OutputArray<'_>,
    settings: PreimageSettings,
    run: Run,
) -> PyResult<Vec<usize>> {
    let (params, scores, pca) = (settings.params()?, scores.view()?, model.get().kernel_pca()?);
    let found = enter(py, &run, |ctx| pca.preimages(ctx, &params, scores))?;
    with_output!(out, out => {
        let places = out.data.iter_mut().zip(found.samples.data());
        places.for_each(|(place, &value)| *place = Real::from_f64(value));
    });
    Ok(found.unconverged)
}

/// The squared distances in feature space between samples and what the components stand for.
#[guarded]
#[pyfunction]
pub fn preimage_errors<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    scores: Matrix<'_>,
    samples: Matrix<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (pca, scores, samples) = (model.get().kernel_pca()?, scores.view()?, samples.view()?);
    Ok(enter(py, &run, |ctx| pca.preimage_errors(ctx, scores, samples))?.to_pyarray(py))
}
