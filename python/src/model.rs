//! A fitted model of any kind, as Python holds it.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use std::path::{Path, PathBuf};

use mercer::io::{self, Model as Fitted, ModelFile};
use mercer::model::kernel_pca::KernelPca;
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::anchors;
use crate::arrays::{Matrix, OutputArray, borrowed_array, copied, with_output};
use crate::enter::{Run, enter, enter_predict};
use crate::errors::exception;
use crate::kernels::values;
use crate::samples::{Given, Samples, numbers, other_type};

/// A fitted model with what belongs to it in a file: scaling, names of columns, notes. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct Model {
    saved: ModelFile,
}

/// The content of a file, user-defined functions, and stores of objects.
type Content<'py> = (Bound<'py, PyBytes>, Vec<Py<PyAny>>, Vec<Py<PyAny>>);

/// Reads a model file.
#[guarded]
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
    let saved = py.detach(|| io::load(&path)).map_err(|error| exception(py, error))?;
    Ok(Model { saved })
}

impl Model {
    /// A model for Python to hold.
    pub fn holding(saved: ModelFile) -> Self {
        Self { saved }
    }

    /// The model with what belongs to it in a file.
    pub fn saved(&self) -> &ModelFile {
        &self.saved
    }

    fn pca(&self) -> PyResult<&mercer::model::pca::Pca> {
        match &self.saved.model {
            Fitted::Pca(model) => Ok(model),
            _ => Err(PyTypeError::new_err("this model is not a PCA")),
        }
    }

    /// The kernel PCA that the model is, or that a detector has.
    pub fn kernel_pca(&self) -> PyResult<&KernelPca> {
        match &self.saved.model {
            Fitted::KernelPca(model) => Ok(model),
            Fitted::Detector(detector) => Ok(&detector.pca),
            _ => Err(PyTypeError::new_err("this model is not a kernel PCA")),
        }
    }
}

#[guarded]
#[pymethods]
impl Model {
    /// A model from the content of a file, and what that cannot store: user-defined functions, and stores of objects.
    #[new]
    #[pyo3(signature = (content, functions=Vec::new(), stores=Vec::new()))]
    fn from_bytes(
        py: Python<'_>,
        content: &[u8],
        functions: Vec<Bound<'_, PyAny>>,
        stores: Vec<Py<PyAny>>,
    ) -> PyResult<Self> {
        let saved = io::from_bytes(Path::new("pickled model"), content);
        let mut saved = saved.map_err(|error| exception(py, error))?;
        anchors::put_back(&mut saved.model, functions, stores)?;
        Ok(Self { saved })
    }

    /// The content of the model's file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = io::to_bytes(&self.saved).map_err(|error| exception(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Content<'py>)> {
        let (model, py) = (slf.get(), slf.py());
        let (functions, stores) = anchors::user_objects(&model.saved.model, py)?;
        Ok((slf.get_type(), (model.to_bytes(py)?, functions, stores)))
    }

    /// The same model with names of columns and notes (JSON) for its file.
    fn with_notes(&self, names: Option<Vec<String>>, notes: &str) -> PyResult<Self> {
        let extra = serde_json::from_str(notes)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { saved: ModelFile { feature_names: names, extra, ..self.saved.clone() } })
    }

    /// The same model for samples that are scaled first, by a rule of the command line's.
    fn with_scaling(&self, kind: &str, shift: Vec<f64>, factor: Vec<f64>) -> PyResult<Self> {
        let text = serde_json::json!({ "kind": kind, "shift": shift, "factor": factor });
        let scaling = serde_json::from_value(text)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { saved: ModelFile { scaling: Some(scaling), ..self.saved.clone() } })
    }

    /// Writes the model's file, atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| io::save(&path, &self.saved)).map_err(|error| exception(py, error))
    }

    /// `"pca"`, `"kernel_pca"`, `"kernel_ridge"`, `"svm"`, `"kernel_kmeans"`, `"kernel_pca_detector"`, `"kernel_repair"`
    /// or `"kernel_features"`.
    #[getter]
    fn estimator(&self) -> &'static str {
        self.saved.model.estimator()
    }

    /// Training samples, columns of the input, components, targets or clusters.
    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        let model = &self.saved.model;
        (model.n(), model.inputs(), model.k())
    }

    /// The number type of the samples: `"f32"` or `"f64"`.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.saved.dtype.name()
    }

    /// The number type that the model works in: `"f32"` or `"f64"`.
    #[getter]
    fn precision(&self) -> &'static str {
        self.saved.model.precision().name()
    }

    /// The names of the columns.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.saved.feature_names.clone()
    }

    /// The notes of the model's file, as JSON.
    #[getter]
    fn notes(&self) -> String {
        serde_json::Value::Object(self.saved.extra.clone()).to_string()
    }

    /// How the fit went, as JSON.
    #[getter]
    fn report(&self) -> PyResult<String> {
        json(self.saved.model.report())
    }

    /// The parameters, with the kernel as it was resolved, as JSON; of a detector, those of its components.
    #[getter]
    fn params(&self) -> PyResult<String> {
        match &self.saved.model {
            Fitted::Detector(model) => json(&model.pca.params),
            Fitted::Repair(model) => {
                json(&serde_json::json!({ "method": model.correction.method }))
            }
            model => model.params().map(|params| params.to_string()).map_err(invalid),
        }
    }

    /// The spec of the kernel with its parameters resolved; None without a kernel, or if it was precomputed.
    #[getter]
    fn kernel(&self) -> Option<String> {
        anchors::kernel(&self.saved.model).map(ToString::to_string)
    }

    /// The parameters of a kernel that is a member of a family; None for any other.
    #[getter]
    fn kernel_parameters<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let leaf = anchors::kernel(&self.saved.model).and_then(|kernel| kernel.as_leaf());
        leaf.map(|leaf| values(py, leaf)).transpose()
    }

    /// The scaling applied to columns before the model sees them, as JSON; None without one.
    #[getter]
    fn scaling(&self) -> PyResult<Option<String>> {
        self.saved.scaling.as_ref().map(json).transpose()
    }

    /// Applies the scaling to `x` in place.
    fn scale(&self, py: Python<'_>, x: OutputArray<'_>) -> PyResult<()> {
        self.rescale(py, x, true)
    }

    /// Undoes the scaling of `x` in place.
    fn unscale(&self, py: Python<'_>, x: OutputArray<'_>) -> PyResult<()> {
        self.rescale(py, x, false)
    }

    // Kernel PCA.

    /// η_i, descending.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.kernel_pca()?.eigenvalues.to_pyarray(py))
    }

    /// The share of the variance that each component explains.
    #[getter]
    fn variance_ratio<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let ratio = match &self.saved.model {
            Fitted::Pca(model) => model.explained_variance_ratio(),
            _ => self.kernel_pca()?.explained_variance_ratio(),
        };
        Ok(ratio.to_pyarray(py))
    }

    /// Unit eigenvectors in columns.
    fn eigenvectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(copied(py, &self.kernel_pca()?.eigenvectors()))
    }

    /// Writes the scores of the training samples.
    fn training_scores(&self, out: OutputArray<'_>) -> PyResult<()> {
        let scores = self.kernel_pca()?.training_scores();
        with_output!(out, out => {
            let places = out.data.iter_mut().zip(scores.data());
            places.for_each(|(place, &score)| *place = Real::from_f64(score));
        });
        Ok(())
    }

    /// The training samples, or the support vectors of an SVM, numbers borrowed in place; or None.
    #[getter]
    fn anchors<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        anchors::of(&slf.get().saved.model, slf.clone().into_any())
    }

    /// The components that the inverse map was fitted on, borrowed in place, or None.
    #[getter]
    fn inverse_anchors<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inverse = slf.get().kernel_pca()?.inverse.as_ref();
        inverse.map(|map| anchors::shown(&map.anchors, slf.clone().into_any())).transpose()
    }

    /// The coefficients of the inverse map, borrowed in place, or None.
    #[getter]
    fn inverse_coef<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (model, owner) = (slf.get(), slf.clone().into_any());
        let coef = model.kernel_pca()?.inverse.as_ref().map(|inverse| &inverse.coef);
        // SAFETY: the numbers belong to a frozen object, which the array keeps alive.
        coef.map(|c| unsafe { borrowed_array(c.data(), c.rows(), c.cols(), owner) }).transpose()
    }

    /// The squared distance in feature space of each sample to the span of the components.
    fn reconstruction_error<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, Samples>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, x) = (self.kernel_pca()?, x.get().samples());
        Ok(enter(py, &run, |ctx| model.reconstruction_error(ctx, x))?.to_pyarray(py))
    }

    /// Writes the components of new samples, or of new rows of a kernel matrix. Samples and results have the number type
    /// that the model works in; PCA takes samples as a matrix.
    fn transform(
        &self,
        py: Python<'_>,
        x: Given<'_>,
        out: OutputArray<'_>,
        run: Run,
    ) -> PyResult<()> {
        match (&self.saved.model, &x) {
            (Fitted::Pca(model), Given::Matrix(x)) => {
                let x = x.view()?;
                with_output!(out, out => enter(py, &run, |ctx| model.transform_into(ctx, x, out)))
            }
            (Fitted::KernelPca(model), x) => {
                let input = x.input()?;
                let numbers = numbers(&input, &model.params.kernel, model.n());
                with_output!(out, out => {
                    enter_predict(py, &run, numbers, |ctx| model.transform_into(ctx, input, out))
                })
            }
            _ => Err(other_type()),
        }
    }

    /// Writes the samples that components of PCA stand for.
    fn inverse_transform(
        &self,
        py: Python<'_>,
        scores: Matrix<'_>,
        out: OutputArray<'_>,
        run: Run,
    ) -> PyResult<()> {
        let (model, scores) = (self.pca()?, scores.view()?);
        with_output!(out, out => {
            enter(py, &run, |ctx| model.inverse_transform_into(ctx, scores, out))
        })
    }

    // PCA.

    /// Unit directions in rows.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(copied(py, &self.pca()?.components))
    }

    /// The mean of the training samples.
    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.pca()?.mean.to_pyarray(py))
    }

    /// The variance along each direction.
    #[getter]
    fn variance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.pca()?.variance.to_pyarray(py))
    }

    /// The singular values of the centred samples.
    #[getter]
    fn singular_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.pca()?.singular_values().to_pyarray(py))
    }

    /// The mean variance along the directions left out.
    #[getter]
    fn noise_variance(&self) -> PyResult<f64> {
        Ok(self.pca()?.noise_variance)
    }
}

impl Model {
    fn rescale(&self, py: Python<'_>, x: OutputArray<'_>, forth: bool) -> PyResult<()> {
        let Some(scaling) = &self.saved.scaling else { return Ok(()) };
        let done = with_output!(x, x => match forth {
            true => scaling.apply(x.data, x.cols),
            false => scaling.undo(x.data, x.cols),
        });
        done.map_err(|error| exception(py, error))
    }
}

/// The value as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(invalid)
}

fn invalid(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
