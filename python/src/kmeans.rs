//! Kernel k-means: fitting, assigning, distances, and what a fitted one tells.

use mercer::io::{Model as Fitted, Saved};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer::real::Real;
use mercer::{Context, Dense, Result};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Samples, copied, dense, rows, view, whole, with_samples};
use crate::enter::{Run, enter};
use crate::fit::{dtype_named, unknown};
use crate::kernels::parse;
use crate::model::{Model, other_type};

/// The parameters of kernel k-means, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct KMeansChoices<'py> {
    clusters: usize,
    kernel: String,
    init: Beginning<'py>,
    starts: usize,
    max_rounds: usize,
    tolerance: f64,
    seed: u64,
    given: bool,
    single: bool,
    dtype: String,
}

/// The name of a way to begin, or a cluster for each sample.
#[derive(FromPyObject)]
enum Beginning<'py> {
    Named(String),
    Labels(PyReadonlyArray1<'py, i64>),
}

impl Beginning<'_> {
    fn read(&self) -> PyResult<Init> {
        match self {
            Beginning::Labels(labels) => rows(labels).map(Init::Labels),
            Beginning::Named(name) => match name.as_str() {
                "k-means++" => Ok(Init::PlusPlus),
                "random" => Ok(Init::Random),
                "spectral" => Ok(Init::Spectral),
                name => Err(unknown("init", name)),
            },
        }
    }
}

impl KMeansChoices<'_> {
    fn params(&self, py: Python<'_>) -> PyResult<KernelKMeansParams> {
        Ok(KernelKMeansParams {
            init: self.init.read()?,
            starts: self.starts,
            max_rounds: self.max_rounds,
            tolerance: self.tolerance,
            seed: self.seed,
            ..KernelKMeansParams::new(self.clusters, parse(py, &self.kernel)?)
        })
    }
}

/// What a fit is given, samples aside.
struct Task {
    params: KernelKMeansParams,
    weights: Option<Vec<f64>>,
}

impl Task {
    fn on_samples<T: Real>(&self, ctx: &Context, x: &Dense<T>) -> Result<KernelKMeans<T>> {
        KernelKMeans::fit(ctx, &self.params, x, self.weights.as_deref())
    }

    fn on_matrix<T: Real>(&self, ctx: &Context, x: MatRef<'_, T>) -> Result<KernelKMeans<T>> {
        KernelKMeans::fit_gram(ctx, &self.params, x, self.weights.as_deref())
    }
}

/// Fits kernel k-means on samples or on a kernel matrix.
#[pyfunction]
#[pyo3(signature = (x, weights, choices, run))]
pub fn fit_kernel_kmeans(
    py: Python<'_>,
    x: Samples<'_>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    choices: KMeansChoices<'_>,
    run: Run,
) -> PyResult<Model> {
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let task = Task { params: choices.params(py)?, weights };
    let (given, single, dtype) = (choices.given, choices.single, dtype_named(&choices.dtype));
    let model = match &x {
        Samples::F32(x) if given => {
            let x = view(x)?;
            Fitted::KernelKMeans32(enter(py, &run, |ctx| task.on_matrix(ctx, x))?)
        }
        Samples::F64(x) if given => {
            let x = view(x)?;
            Fitted::KernelKMeans64(enter(py, &run, |ctx| task.on_matrix(ctx, x))?)
        }
        x => with_samples!(x, x => {
            let x = view(x)?;
            enter(py, &run, |ctx| match single {
                true => task.on_samples(ctx, &dense(x)?).map(Fitted::KernelKMeans32),
                false => task.on_samples(ctx, &dense(x)?).map(Fitted::KernelKMeans64),
            })?
        }),
    };
    Ok(Model::holding(Saved::new(model, dtype)))
}

/// The cluster of each new sample, or of each new row of a kernel matrix.
#[pyfunction]
pub fn kmeans_labels<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Samples<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let labels = match (&model.get().saved().model, &x) {
        (Fitted::KernelKMeans32(model), Samples::F32(x)) => {
            let x = view(x)?;
            enter(py, &run, |ctx| labels(ctx, model, x))?
        }
        (Fitted::KernelKMeans64(model), Samples::F64(x)) => {
            let x = view(x)?;
            enter(py, &run, |ctx| labels(ctx, model, x))?
        }
        _ => return Err(other_type()),
    };
    Ok(whole(py, &labels))
}

fn labels<T: Real>(ctx: &Context, model: &KernelKMeans<T>, x: MatRef<'_, T>) -> Result<Vec<usize>> {
    match model.anchors {
        Some(_) => model.predict(ctx, &dense(x)?),
        None => model.predict_gram(ctx, x),
    }
}

/// The squared distances in feature space of new samples to the centres: m × k. Rows of a kernel matrix come with `own`, the
/// kernel value of each sample with itself.
#[pyfunction]
#[pyo3(signature = (model, x, own, run))]
pub fn kmeans_distances<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Samples<'_>,
    own: Option<PyReadonlyArray1<'_, f64>>,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let own = own.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let found = match (&model.get().saved().model, &x) {
        (Fitted::KernelKMeans32(model), Samples::F32(x)) => {
            distances(py, model, view(x)?, own, &run)?
        }
        (Fitted::KernelKMeans64(model), Samples::F64(x)) => {
            distances(py, model, view(x)?, own, &run)?
        }
        _ => return Err(other_type()),
    };
    Ok(copied(py, &found))
}

fn distances<T: Real>(
    py: Python<'_>,
    model: &KernelKMeans<T>,
    x: MatRef<'_, T>,
    own: Option<&[f64]>,
    run: &Run,
) -> PyResult<Mat<f64>> {
    match (&model.anchors, own) {
        (Some(_), _) => enter(py, run, |ctx| model.distances(ctx, &dense(x)?)),
        (None, Some(own)) => enter(py, run, |ctx| model.distances_gram(ctx, x, own)),
        (None, None) => Err(PyValueError::new_err("the samples' own kernel values are missing")),
    }
}

/// Labels of the training samples, the objective, rounds, and samples of each cluster.
#[pyfunction]
pub fn kmeans_facts<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyDict>> {
    match &model.get().saved().model {
        Fitted::KernelKMeans32(found) => facts(model.py(), found),
        Fitted::KernelKMeans64(found) => facts(model.py(), found),
        _ => Err(PyTypeError::new_err("this model is no kernel k-means")),
    }
}

fn facts<'py, T: Real>(py: Python<'py>, model: &KernelKMeans<T>) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("labels", whole(py, &model.labels))?;
    facts.set_item("inertia", model.inertia)?;
    facts.set_item("rounds", model.rounds)?;
    facts.set_item("sizes", whole(py, &model.sizes()))?;
    Ok(facts)
}
