//! A fitted model of any kind, as Python holds it.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use std::path::{Path, PathBuf};

use mercer::io::{self, Model as Fitted, ModelFile};
use mercer::linalg::view::Mat;
use mercer::model::kernel_pca::KernelPca;
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{Element, PyArray1, PyArray2, PyReadwriteArray2, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::anchors;
use crate::arrays::{Matrix, OutputArray, borrowed_array, copied, output, view};
use crate::enter::{Run, enter, enter_predict};
use crate::errors::exception;
use crate::kernels::values;
use crate::samples::{Given, Number, Rows, Samples, other_type};

/// A fitted model with what belongs to it in a file: scaling, names of columns, notes. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct Model {
    saved: ModelFile,
}

/// The content of a file, user-defined functions, and stores of objects.
type Content<'py> = (Bound<'py, PyBytes>, Vec<Py<PyAny>>, Vec<Py<PyAny>>);

/// Runs the same lines with `$model` bound to the kernel PCA of whichever number type, also to that of a detector.
macro_rules! with_kernel_pca {
    ($self:expr, $model:ident => $body:expr) => {
        match &$self.saved.model {
            Fitted::KernelPca32($model) => $body,
            Fitted::KernelPca64($model) => $body,
            Fitted::Detector32(mercer::model::detector::Detector { pca: $model, .. }) => $body,
            Fitted::Detector64(mercer::model::detector::Detector { pca: $model, .. }) => $body,
            _ => Err(PyTypeError::new_err("this model is not a kernel PCA")),
        }
    };
}

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

    /// `"pca"`, `"kernel_pca"`, `"kernel_ridge"`, `"svm"`, `"kernel_kmeans"`, `"kernel_pca_detector"` or `"kernel_repair"`.
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
            Fitted::Pca(model) => json(&model.params),
            Fitted::KernelPca32(model) => json(&model.params),
            Fitted::KernelPca64(model) => json(&model.params),
            Fitted::KernelRidge32(model) => json(&model.params),
            Fitted::KernelRidge64(model) => json(&model.params),
            Fitted::Svm32(model) => json(&model.params),
            Fitted::Svm64(model) => json(&model.params),
            Fitted::KernelKMeans32(model) => json(&model.params),
            Fitted::KernelKMeans64(model) => json(&model.params),
            Fitted::Detector32(model) => json(&model.pca.params),
            Fitted::Detector64(model) => json(&model.pca.params),
            Fitted::Repair(model) => {
                json(&serde_json::json!({ "method": model.correction.method }))
            }
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
        with_kernel_pca!(self, model => Ok(model.eigenvalues.to_pyarray(py)))
    }

    /// The share of the variance that each component explains.
    #[getter]
    fn variance_ratio<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let ratio = match &self.saved.model {
            Fitted::Pca(model) => model.explained_variance_ratio(),
            _ => with_kernel_pca!(self, model => Ok(model.explained_variance_ratio()))?,
        };
        Ok(ratio.to_pyarray(py))
    }

    /// Unit eigenvectors in columns.
    fn eigenvectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        with_kernel_pca!(self, model => Ok(copied(py, &model.eigenvectors())))
    }

    /// Writes the scores of the training samples.
    fn training_scores(&self, out: OutputArray<'_>) -> PyResult<()> {
        with_kernel_pca!(self, model => match out {
            OutputArray::F32(mut out) => training_scores(model, &mut out),
            OutputArray::F64(mut out) => training_scores(model, &mut out),
        })
    }

    /// The training samples, or the support vectors of an SVM, numbers borrowed in place; or None.
    #[getter]
    fn anchors<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        anchors::of(&slf.get().saved.model, slf.clone().into_any())
    }

    /// The components that the inverse map was fitted on, borrowed in place, or None.
    #[getter]
    fn inverse_anchors<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let show = |owner: Bound<'py, PyAny>| {
            with_kernel_pca!(slf.get(), model => {
                let anchors = model.inverse.as_ref().map(|inverse| &inverse.anchors);
                // SAFETY: the numbers belong to a frozen object, which the array keeps alive.
                anchors.map(|x| unsafe { borrowed_array(x.data(), x.n(), x.d(), owner) }).transpose()
            })
        };
        show(slf.clone().into_any())
    }

    /// The coefficients of the inverse map, borrowed in place, or None.
    #[getter]
    fn inverse_coef<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let show = |owner: Bound<'py, PyAny>| {
            with_kernel_pca!(slf.get(), model => {
                let coef = model.inverse.as_ref().map(|inverse| &inverse.coef);
                // SAFETY: the numbers belong to a frozen object, which the array keeps alive.
                coef.map(|c| unsafe { borrowed_array(c.data(), c.rows(), c.cols(), owner) }).transpose()
            })
        };
        show(slf.clone().into_any())
    }

    /// The squared distance in feature space of each sample to the span of the components.
    fn reconstruction_error<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, Samples>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let errors = with_kernel_pca!(self, model => {
            let x = x.get().points()?;
            enter(py, &run, |ctx| model.reconstruction_error(ctx, x))
        })?;
        Ok(errors.to_pyarray(py))
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
        match (&self.saved.model, x, out) {
            (Fitted::KernelPca32(model), x, OutputArray::F32(mut out)) => {
                project(py, model, &x, &mut out, &run)
            }
            (Fitted::KernelPca64(model), x, OutputArray::F64(mut out)) => {
                project(py, model, &x, &mut out, &run)
            }
            (Fitted::Pca(model), Given::Matrix(Matrix::F32(x)), OutputArray::F32(mut out)) => {
                let (x, out) = (view(&x)?, output(&mut out)?);
                enter(py, &run, |ctx| model.transform(ctx, x, out))
            }
            (Fitted::Pca(model), Given::Matrix(Matrix::F64(x)), OutputArray::F64(mut out)) => {
                let (x, out) = (view(&x)?, output(&mut out)?);
                enter(py, &run, |ctx| model.transform(ctx, x, out))
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
        match (&self.saved.model, scores, out) {
            (Fitted::Pca(model), Matrix::F32(scores), OutputArray::F32(mut out)) => {
                let (scores, out) = (view(&scores)?, output(&mut out)?);
                enter(py, &run, |ctx| model.inverse_transform(ctx, scores, out))
            }
            (Fitted::Pca(model), Matrix::F64(scores), OutputArray::F64(mut out)) => {
                let (scores, out) = (view(&scores)?, output(&mut out)?);
                enter(py, &run, |ctx| model.inverse_transform(ctx, scores, out))
            }
            _ => Err(other_type()),
        }
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
        match x {
            OutputArray::F32(mut x) => self.rescale_any(py, &mut x, forth),
            OutputArray::F64(mut x) => self.rescale_any(py, &mut x, forth),
        }
    }

    fn rescale_any<T: Real + Element>(
        &self,
        py: Python<'_>,
        x: &mut PyReadwriteArray2<'_, T>,
        forth: bool,
    ) -> PyResult<()> {
        let x = output(x)?;
        let Some(scaling) = &self.saved.scaling else { return Ok(()) };
        let done = match forth {
            true => scaling.apply(x.data, x.cols),
            false => scaling.undo(x.data, x.cols),
        };
        done.map_err(|error| exception(py, error))
    }
}

fn project<T: Number>(
    py: Python<'_>,
    model: &KernelPca<T>,
    x: &Given<'_>,
    out: &mut PyReadwriteArray2<'_, T>,
    run: &Run,
) -> PyResult<()> {
    let (rows, out) = (x.rows::<T>()?, output(out)?);
    let numbers = rows.numbers(&model.params.kernel, model.n());
    enter_predict(py, run, numbers, |ctx| match rows {
        Rows::Samples(x) => model.transform(ctx, x, out),
        Rows::Matrix(x) => model.transform_gram(ctx, x, out),
    })
}

fn training_scores<T: Real, U: Real + Element>(
    model: &KernelPca<T>,
    out: &mut PyReadwriteArray2<'_, U>,
) -> PyResult<()> {
    let scores: Mat<f64> = model.training_scores();
    let out = output(out)?;
    out.data.iter_mut().zip(scores.data()).for_each(|(place, &score)| *place = U::from_f64(score));
    Ok(())
}

/// The value as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
