//! Samples of any kind, as Python passes them to the library.

use mercer::points::{Part, Parts};
use mercer::real::Real;
use mercer::{AnySamples, Input, KernelSpec, Samples as Points, Strings};
use mercer_guard::guarded;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::Matrix;
use crate::blocks::Blocks;
use crate::custom;
use crate::errors::exception;
use crate::sparse::{Indices, Values, csr};

/// Checked samples in the number type that a model works in. They never change.
#[pyclass(frozen, module = "mercer._core")]
pub struct Samples(AnySamples);

/// Samples for Python to hold, or what is wrong with them.
fn held<S: Into<AnySamples>>(py: Python<'_>, points: mercer::Result<S>) -> PyResult<Samples> {
    points.map(|points| Samples(points.into())).map_err(|error| exception(py, error))
}

#[guarded]
#[pymethods]
impl Samples {
    /// Rows of numbers, copied; in single precision if `single`.
    #[staticmethod]
    fn dense(py: Python<'_>, x: Matrix<'_>, single: bool) -> PyResult<Self> {
        let x = x.view()?;
        match single {
            true => held(py, py.detach(|| x.to_dense::<f32>())),
            false => held(py, py.detach(|| x.to_dense::<f64>())),
        }
    }

    /// Sparse rows of numbers, in the form of scipy's: where each row starts, the columns of its numbers, and the numbers.
    #[staticmethod]
    fn sparse(
        py: Python<'_>,
        shape: (usize, usize),
        starts: Indices<'_>,
        at: Indices<'_>,
        values: Values<'_>,
        single: bool,
    ) -> PyResult<Self> {
        match single {
            true => held(py, csr::<f32>(py, shape, &starts, &at, &values)?),
            false => held(py, csr::<f64>(py, shape, &starts, &at, &values)?),
        }
    }

    /// Strings, copied.
    #[staticmethod]
    fn strings(py: Python<'_>, texts: Vec<Bound<'_, PyString>>, single: bool) -> PyResult<Self> {
        let strings = copy_strings(&texts)?;
        match single {
            true => held(py, strings.map(Points::<f32>::from)),
            false => held(py, strings.map(Points::<f64>::from)),
        }
    }

    /// Objects that only a user-defined function understands: the n of a store.
    #[staticmethod]
    fn items(py: Python<'_>, store: Py<PyAny>, n: usize, single: bool) -> PyResult<Self> {
        let items = custom::items(store, n);
        match single {
            true => held(py, items.map(Points::<f32>::from)),
            false => held(py, items.map(Points::<f64>::from)),
        }
    }

    /// Groups of columns with their names, all in one number type.
    #[staticmethod]
    fn parts(
        py: Python<'_>,
        groups: Vec<(Vec<String>, Bound<'_, Samples>)>,
        single: bool,
    ) -> PyResult<Self> {
        match single {
            true => held(py, parts::<f32>(&groups)?),
            false => held(py, parts::<f64>(&groups)?),
        }
    }
}

/// Python strings, copied.
pub fn copy_strings(texts: &[Bound<'_, PyString>]) -> PyResult<mercer::Result<Strings>> {
    let read = |(row, text): (usize, &Bound<'_, PyString>)| {
        text.to_str().map(str::to_owned).map_err(|_| {
            PyValueError::new_err(format!(
                "the text at row {row} (counted from 0) contains an unpaired surrogate: decode it again"
            ))
        })
    };
    let texts = texts.iter().enumerate().map(read).collect::<PyResult<Vec<_>>>()?;
    Ok(Strings::new(texts))
}

fn parts<T: Real>(
    groups: &[(Vec<String>, Bound<'_, Samples>)],
) -> PyResult<mercer::Result<Points<T>>> {
    let part = |(names, samples): &(Vec<String>, Bound<'_, Samples>)| {
        let samples = samples.get().0.get().ok_or_else(other_type)?.clone();
        Ok(Part { names: names.clone(), samples })
    };
    let parts = groups.iter().map(part).collect::<PyResult<Vec<_>>>()?;
    Ok(Parts::new(parts).map(Points::from))
}

/// What a model is fitted on or evaluated for: samples, or kernel values that the user computed.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// Samples.
    Samples(Bound<'py, Samples>),
    /// Samples in blocks.
    Blocks(Bound<'py, Blocks>),
    /// Kernel values.
    Matrix(Matrix<'py>),
}

impl Given<'_> {
    /// As the library takes it, free of the interpreter.
    pub fn input(&self) -> PyResult<Input<'_>> {
        Ok(match self {
            Given::Samples(samples) => samples.get().samples().into(),
            Given::Blocks(_) => {
                return Err(PyTypeError::new_err("rows in blocks need a fit with landmarks"));
            }
            Given::Matrix(matrix) => Input::precomputed(matrix.view()?),
        })
    }
}

/// Numbers that are read to predict by a kernel and `anchors` training samples; the most that there are where that is not known.
pub fn numbers(input: &Input<'_>, kernel: &KernelSpec, anchors: usize) -> usize {
    match input {
        Input::Precomputed { values, .. } => values.rows().saturating_mul(values.cols()),
        Input::Samples(x) if x.is_dense() && kernel.custom_functions().is_empty() => {
            x.n().saturating_mul(anchors).saturating_mul(x.features())
        }
        _ => usize::MAX,
    }
}

impl Samples {
    /// The samples in their number type.
    pub fn samples(&self) -> &AnySamples {
        &self.0
    }
}

/// The error for samples or results of the wrong kind.
pub fn other_type() -> PyErr {
    PyTypeError::new_err("samples and results must have the number type that the model works in")
}
