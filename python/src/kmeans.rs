//! Kernel k-means: fitting, assigning, distances, and the attributes of a fitted model.

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{copied, rows, to_i32};
use crate::enter::{Run, enter};
use crate::fit::{dtype_named, unknown};
use crate::kernels::KernelArg;
use crate::landmarks::LandmarkSettings;
use crate::model::Model;
use crate::samples::Given;

/// The parameters of kernel k-means, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct KMeansSettings<'py> {
    clusters: usize,
    kernel: KernelArg<'py>,
    init: InitArg<'py>,
    starts: usize,
    max_rounds: usize,
    tolerance: f64,
    seed: u64,
    landmarks: Option<LandmarkSettings<'py>>,
    dtype: String,
}

/// The name of an initialisation, or a cluster for each sample.
#[derive(FromPyObject)]
enum InitArg<'py> {
    Named(String),
    Labels(PyReadonlyArray1<'py, i64>),
}

impl InitArg<'_> {
    fn read(&self) -> PyResult<Init> {
        match self {
            InitArg::Labels(labels) => rows(labels).map(Init::Labels),
            InitArg::Named(name) => match name.as_str() {
                "k-means++" => Ok(Init::PlusPlus),
                "random" => Ok(Init::Random),
                "spectral" => Ok(Init::Spectral),
                name => Err(unknown("init", name)),
            },
        }
    }
}

impl KMeansSettings<'_> {
    fn params(&self, py: Python<'_>) -> PyResult<KernelKMeansParams> {
        let mut params = KernelKMeansParams::new(self.clusters, self.kernel.spec(py)?)
            .init(self.init.read()?)
            .starts(self.starts)
            .max_rounds(self.max_rounds)
            .tolerance(self.tolerance)
            .seed(self.seed);
        params.landmarks = self.landmarks.as_ref().map(LandmarkSettings::params).transpose()?;
        Ok(params)
    }
}

fn clusters_of(model: &Model) -> PyResult<&KernelKMeans> {
    match &model.saved().model {
        Fitted::KernelKMeans(clusters) => Ok(clusters),
        _ => Err(PyTypeError::new_err("this model is not a kernel k-means")),
    }
}

/// Fits kernel k-means on samples, which may come in blocks with their weights, or on a kernel matrix.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, weights, choices, run))]
pub fn fit_kernel_kmeans(
    py: Python<'_>,
    x: Given<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    choices: KMeansSettings<'_>,
    run: Run,
) -> PyResult<Model> {
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let (params, weights) = (choices.params(py)?, weights.as_deref());
    let model = if let Given::Blocks(blocks) = &x {
        let (mut rows, dtype) = (blocks.get().rows(py), blocks.get().dtype);
        enter(py, &run, |ctx| KernelKMeans::fit_blocks(ctx, &params, &mut rows, dtype))?
    } else {
        let input = x.input()?;
        enter(py, &run, |ctx| KernelKMeans::fit(ctx, &params, input, weights))?
    };
    Ok(Model::holding(ModelFile::new(model.into(), dtype_named(&choices.dtype))))
}

/// The cluster of each new sample, or of each new row of a kernel matrix.
#[guarded]
#[pyfunction]
pub fn kmeans_labels<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let (clusters, input) = (clusters_of(model.get())?, x.input()?);
    let labels = enter(py, &run, |ctx| clusters.predict(ctx, input))?;
    Ok(to_i32(py, &labels))
}

/// The squared distances in feature space of new samples to the centres: m × k. Rows of a kernel matrix come with `diagonal`, the
/// kernel value of each sample with itself.
#[guarded]
#[pyfunction]
#[pyo3(signature = (model, x, diagonal, run))]
pub fn kmeans_distances<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    diagonal: Option<PyReadonlyArray1<'_, f64>>,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let diagonal = diagonal.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let (clusters, input) = (clusters_of(model.get())?, x.input()?);
    let input = diagonal.map_or(input.clone(), |diagonal| input.with_diagonal(diagonal));
    Ok(copied(py, &enter(py, &run, |ctx| clusters.distances(ctx, input))?))
}

/// Labels of the training samples, the objective, rounds, and samples of each cluster.
#[guarded]
#[pyfunction]
pub fn kmeans_facts<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyDict>> {
    let (py, clusters, facts) = (model.py(), clusters_of(model.get())?, PyDict::new(model.py()));
    facts.set_item("labels", to_i32(py, &clusters.labels))?;
    facts.set_item("inertia", clusters.inertia)?;
    facts.set_item("rounds", clusters.rounds)?;
    facts.set_item("sizes", to_i32(py, &clusters.sizes()))?;
    Ok(facts)
}
