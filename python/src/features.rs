//! Fitted feature maps: random features and samplers.

use mercer::io::{Model as Fitted, ModelFile};
use mercer::kernel::Frequencies;
use mercer::model::features::{FeatureCount, KernelFeatures, KernelFeaturesParams};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, OutputArray, copied, with_output};
use crate::enter::{Run, enter};
use crate::fit::unknown;
use crate::kernels::{parse, values};
use crate::model::Model;
use crate::samples::{Given, other_type};

/// A number of random features, or the error that they may have.
#[derive(FromPyObject)]
enum Count {
    Number(usize),
    Error(f64),
}

/// The parameters of a feature map, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FeatureSettings {
    kernel: String,
    random: Option<Count>,
    frequencies: String,
    seed: u64,
    /// How often a spectrum is sampled beside 0, and how far apart; None without.
    sampled: Option<(usize, f64)>,
}

impl FeatureSettings {
    fn params(self, py: Python<'_>) -> PyResult<KernelFeaturesParams> {
        let frequencies = match self.frequencies.as_str() {
            "auto" => Frequencies::Auto,
            "orthogonal" => Frequencies::Orthogonal,
            "independent" => Frequencies::Independent,
            name => return Err(unknown("features", name)),
        };
        let mut params = KernelFeaturesParams::new(parse(py, &self.kernel)?);
        params.random = self.random.map(|count| match count {
            Count::Number(count) => FeatureCount::Count(count),
            Count::Error(error) => FeatureCount::Error(error),
        });
        (params.frequencies, params.seed) = (frequencies, self.seed);
        if let Some((samples, interval)) = self.sampled {
            (params.samples, params.interval, params.by_sample) = (samples, Some(interval), true);
        }
        Ok(params)
    }
}

/// Fits a feature map on rows of numbers, which are read in place unless they are sparse.
#[guarded]
#[pyfunction]
pub fn fit_features(
    py: Python<'_>,
    x: Given<'_>,
    settings: FeatureSettings,
    run: Run,
) -> PyResult<Model> {
    let params = settings.params(py)?;
    let model = match &x {
        Given::Samples(x) => {
            let x = x.get().samples();
            enter(py, &run, |ctx| KernelFeatures::fit(ctx, &params, x))?
        }
        Given::Matrix(x) => {
            let x = x.view()?;
            enter(py, &run, |ctx| KernelFeatures::fit_matrix(ctx, &params, x))?
        }
        Given::Blocks(_) => return Err(other_type()),
    };
    let dtype = model.dtype;
    Ok(Model::holding(ModelFile::new(model.into(), dtype)))
}

fn features_of(model: &Model) -> PyResult<&KernelFeatures> {
    match &model.saved().model {
        Fitted::KernelFeatures(model) => Ok(model),
        _ => Err(PyTypeError::new_err("this model is not a feature map")),
    }
}

/// Writes the features of rows of numbers.
#[guarded]
#[pyfunction]
pub fn features(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    out: OutputArray<'_>,
    run: Run,
) -> PyResult<()> {
    let model = features_of(model.get())?;
    match &x {
        Given::Samples(x) => {
            let x = x.get().samples();
            with_output!(out, out => enter(py, &run, |ctx| model.transform_into(ctx, x, out)))
        }
        Given::Matrix(x) => {
            let x = x.view()?;
            with_output!(out, out => {
                enter(py, &run, |ctx| model.transform_matrix_into(ctx, x, out))
            })
        }
        Given::Blocks(_) => Err(other_type()),
    }
}

/// The kernel, whether the map is exact, its bound of the error, and the error measured on pairs of samples.
#[guarded]
#[pyfunction]
pub fn features_facts<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
) -> PyResult<Bound<'py, PyDict>> {
    let (model, dict) = (features_of(model.get())?, PyDict::new(py));
    dict.set_item("kernel", model.params.kernel.to_string())?;
    let leaf = model.params.kernel.as_leaf();
    dict.set_item("parameters", leaf.map(|leaf| values(py, leaf)).transpose()?)?;
    dict.set_item("exact", model.map.is_exact())?;
    dict.set_item("worst_error", model.map.worst_error())?;
    let error = model.error.map(|error| {
        let found = PyDict::new(py);
        found.set_item("pairs", error.pairs)?;
        found.set_item("mean", error.mean)?;
        found.set_item("rms", error.rms)?;
        found.set_item("max", error.max)?;
        found.set_item("kernel_rms", error.kernel_rms)?;
        PyResult::Ok(found)
    });
    dict.set_item("error", error.transpose()?)?;
    Ok(dict)
}

/// The features of each number of a column alone (n × features of a column), of a map that looks at columns one by one.
#[guarded]
#[pyfunction]
pub fn features_of_values<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    x: Matrix<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (model, x) = (features_of(model.get())?, x.view()?);
    let found = enter(py, &run, |ctx| model.transform_values(ctx, x))?;
    Ok(copied(py, &found))
}

/// The frequencies (d × k) and phases (k) of random features.
type Waves<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// What each random feature is the cosine of: its frequency, in columns, and its phase; None for other features.
#[guarded]
#[pyfunction]
pub fn feature_waves<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
) -> PyResult<Option<Waves<'py>>> {
    let fourier = features_of(model.get())?.map.as_fourier();
    Ok(fourier.map(|fourier| {
        let (frequencies, phases) = fourier.by_feature();
        (copied(py, &frequencies), phases.to_pyarray(py))
    }))
}

/// The places (degree × entries) and signs of a sketch.
type Hashes = (Vec<Vec<u32>>, Vec<Vec<f64>>);

/// The places and signs of a sketch; None for other features.
#[guarded]
#[pyfunction]
pub fn sketch_hashes(model: &Bound<'_, Model>) -> PyResult<Option<Hashes>> {
    let sketch = features_of(model.get())?.map.as_sketch();
    Ok(sketch.map(|sketch| (sketch.places.clone(), sketch.signs.clone())))
}
