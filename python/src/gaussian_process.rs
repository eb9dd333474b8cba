//! Gaussian process regression: the fit, and the likelihood of parameters.

use mercer::Context;
use mercer::io::ModelFile;
use mercer::model::gaussian_process::{
    GaussianProcessParams, log_marginal_likelihood, mean_gradients,
};
use mercer_guard::guarded;
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::copied as as_array;
use crate::enter::{Run, enter};
use crate::fit::dtype_named;
use crate::kernels::KernelArg;
use crate::model::Model;
use crate::optimize::OptimizeSettings;
use crate::ridge::{TargetArrays, copied, ridge_of};
use crate::samples::{Given, Samples};

/// The parameters of Gaussian process regression, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ProcessSettings<'py> {
    kernel: KernelArg<'py>,
    noise: Option<f64>,
    normalize: bool,
    optimize: Option<OptimizeSettings>,
    /// The number type of results.
    dtype: String,
}

/// Fits Gaussian process regression.
#[guarded]
#[pyfunction]
pub fn fit_gaussian_process(
    py: Python<'_>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    settings: ProcessSettings<'_>,
    run: Run,
) -> PyResult<Model> {
    let mut params = GaussianProcessParams::new(settings.kernel.spec(py)?);
    params.noise = settings.noise;
    params.normalize = settings.normalize;
    params.search = settings.optimize.as_ref().map(OptimizeSettings::params).transpose()?;
    let (targets, input) = (targets.read()?, x.input()?);
    let model = enter(py, &run, |ctx: &Context| params.fit_in(ctx, input, &targets))?;
    Ok(Model::holding(ModelFile::new(model.into(), dtype_named(&settings.dtype))))
}

/// The log marginal likelihood of the training data, and its gradient by the logarithms of the kernel's parameters and of the noise; at the fitted
/// ones unless others are given.
#[guarded]
#[pyfunction]
#[pyo3(signature = (model, y, logs, run))]
pub fn process_likelihood(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    y: PyReadonlyArray2<'_, f64>,
    logs: Option<Vec<f64>>,
    run: Run,
) -> PyResult<(f64, Vec<f64>)> {
    let (ridge, y) = (ridge_of(model.get())?, copied(&y)?);
    enter(py, &run, |ctx| log_marginal_likelihood(ctx, ridge, &y, logs.as_deref()))
}

/// The names of the parameters that a search varies, and their values: those of the kernel with its size, and the noise.
#[guarded]
#[pyfunction]
pub fn process_parameters(model: &Bound<'_, Model>) -> PyResult<Vec<(String, f64)>> {
    let params = &ridge_of(model.get())?.params;
    let kernel = params.kernel.hyperparameters(true).into_iter();
    let noise = std::iter::once(("alpha".to_string(), params.alpha[0]));
    Ok(kernel.map(|parameter| (parameter.name, parameter.value)).chain(noise).collect())
}

/// The gradients of the mean by the samples: m × (t·d).
#[guarded]
#[pyfunction]
pub fn process_gradients<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: &Bound<'_, Samples>,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (ridge, x) = (ridge_of(model.get())?, x.get().samples());
    Ok(as_array(py, &enter(py, &run, |ctx| mean_gradients(ctx, ridge, x))?))
}
