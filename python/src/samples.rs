//! Samples of any kind, as Python passes them to the library.

use mercer::kernel::KernelSpec;
use mercer::linalg::view::MatRef;
use mercer::points::{Part, Parts, Samples as Points, Strings};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{Element, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::{Matrix, dense, view, with_matrix};
use crate::custom;
use crate::errors::exception;
use crate::sparse::{Indices, Values, csr};

/// Checked samples in the number type that a model works in. They never change.
#[pyclass(frozen, module = "mercer._core")]
pub struct Samples(AnyPoints);

/// Samples in either number type.
pub enum AnyPoints {
    /// Single precision.
    F32(Points<f32>),
    /// Double precision.
    F64(Points<f64>),
}

impl AnyPoints {
    fn of<T: Number>(points: mercer::Result<Points<T>>, py: Python<'_>) -> PyResult<Samples> {
        points.map(|points| Samples(T::into_any(points))).map_err(|error| exception(py, error))
    }
}

#[guarded]
#[pymethods]
impl Samples {
    /// Rows of numbers, copied; in single precision if `single`.
    #[staticmethod]
    fn dense(py: Python<'_>, x: Matrix<'_>, single: bool) -> PyResult<Self> {
        with_matrix!(&x, x => {
            let x = view(x)?;
            match single {
                true => AnyPoints::of(py.detach(|| dense::<f32>(x).map(Points::from)), py),
                false => AnyPoints::of(py.detach(|| dense::<f64>(x).map(Points::from)), py),
            }
        })
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
            true => AnyPoints::of(csr::<f32>(py, shape, &starts, &at, &values)?, py),
            false => AnyPoints::of(csr::<f64>(py, shape, &starts, &at, &values)?, py),
        }
    }

    /// Strings, copied.
    #[staticmethod]
    fn strings(py: Python<'_>, texts: Vec<Bound<'_, PyString>>, single: bool) -> PyResult<Self> {
        let strings = copy_strings(&texts)?;
        match single {
            true => AnyPoints::of(strings.map(Points::<f32>::from), py),
            false => AnyPoints::of(strings.map(Points::<f64>::from), py),
        }
    }

    /// Objects that only a user-defined function understands: the n of a store.
    #[staticmethod]
    fn items(py: Python<'_>, store: Py<PyAny>, n: usize, single: bool) -> PyResult<Self> {
        let items = custom::items(store, n);
        match single {
            true => AnyPoints::of(items.map(Points::<f32>::from), py),
            false => AnyPoints::of(items.map(Points::<f64>::from), py),
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
            true => AnyPoints::of(parts::<f32>(&groups)?, py),
            false => AnyPoints::of(parts::<f64>(&groups)?, py),
        }
    }
}

/// Python strings, copied.
pub fn copy_strings(texts: &[Bound<'_, PyString>]) -> PyResult<mercer::Result<Strings>> {
    let read = |(row, text): (usize, &Bound<'_, PyString>)| {
        text.to_str().map(str::to_owned).map_err(|_| {
            PyValueError::new_err(format!(
                "the text at row {row} (counted from 0) holds half of a surrogate pair, which is no character: decode it \
                 anew"
            ))
        })
    };
    let texts = texts.iter().enumerate().map(read).collect::<PyResult<Vec<_>>>()?;
    Ok(Strings::new(texts))
}

fn parts<T: Number>(
    groups: &[(Vec<String>, Bound<'_, Samples>)],
) -> PyResult<mercer::Result<Points<T>>> {
    let part = |(names, samples): &(Vec<String>, Bound<'_, Samples>)| {
        let samples = T::from_any(&samples.get().0).ok_or_else(other_type)?.clone();
        Ok(Part { names: names.clone(), samples })
    };
    let parts = groups.iter().map(part).collect::<PyResult<Vec<_>>>()?;
    Ok(Parts::new(parts).map(Points::from))
}

/// A number type that models work in.
pub trait Number: Real + Element {
    /// The samples of this number type, if they are.
    fn from_any(any: &AnyPoints) -> Option<&Points<Self>>;
    /// Samples as Python holds them.
    fn into_any(points: Points<Self>) -> AnyPoints;
    /// A matrix of this number type, read in place, if it is one.
    fn matrix<'a>(matrix: &'a Matrix<'_>) -> Option<&'a PyReadonlyArray2<'a, Self>>;
}

impl Number for f32 {
    fn from_any(any: &AnyPoints) -> Option<&Points<f32>> {
        if let AnyPoints::F32(points) = any { Some(points) } else { None }
    }

    fn into_any(points: Points<f32>) -> AnyPoints {
        AnyPoints::F32(points)
    }

    fn matrix<'a>(matrix: &'a Matrix<'_>) -> Option<&'a PyReadonlyArray2<'a, f32>> {
        if let Matrix::F32(matrix) = matrix { Some(matrix) } else { None }
    }
}

impl Number for f64 {
    fn from_any(any: &AnyPoints) -> Option<&Points<f64>> {
        if let AnyPoints::F64(points) = any { Some(points) } else { None }
    }

    fn into_any(points: Points<f64>) -> AnyPoints {
        AnyPoints::F64(points)
    }

    fn matrix<'a>(matrix: &'a Matrix<'_>) -> Option<&'a PyReadonlyArray2<'a, f64>> {
        if let Matrix::F64(matrix) = matrix { Some(matrix) } else { None }
    }
}

/// What a model is fitted on or evaluated for: samples, or kernel values that the user computed.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// Samples.
    Samples(Bound<'py, Samples>),
    /// Kernel values.
    Matrix(Matrix<'py>),
}

/// The same in the number type `T`, free of the interpreter.
#[derive(Clone, Copy)]
pub enum Rows<'a, T: Real> {
    /// Samples.
    Samples(&'a Points<T>),
    /// Kernel values.
    Matrix(MatRef<'a, T>),
}

impl<T: Real> Rows<'_, T> {
    /// Numbers that are read to predict by a kernel and `anchors` training samples; the most that there are where that is not known.
    pub fn numbers(&self, kernel: &KernelSpec, anchors: usize) -> usize {
        match self {
            Rows::Matrix(values) => values.rows().saturating_mul(values.cols()),
            Rows::Samples(Points::Dense(x)) if kernel.custom_functions().is_empty() => {
                x.n().saturating_mul(anchors).saturating_mul(x.d())
            }
            Rows::Samples(_) => usize::MAX,
        }
    }
}

impl Given<'_> {
    /// Whether they are in single precision.
    pub fn is_single(&self) -> bool {
        match self {
            Given::Samples(samples) => matches!(samples.get().0, AnyPoints::F32(_)),
            Given::Matrix(matrix) => matches!(matrix, Matrix::F32(_)),
        }
    }

    /// As numbers of type `T`, which must be theirs.
    pub fn rows<T: Number>(&self) -> PyResult<Rows<'_, T>> {
        match self {
            Given::Samples(samples) => {
                T::from_any(&samples.get().0).map(Rows::Samples).ok_or_else(other_type)
            }
            Given::Matrix(matrix) => {
                view(T::matrix(matrix).ok_or_else(other_type)?).map(Rows::Matrix)
            }
        }
    }
}

/// Runs the same lines with `$rows` bound to what is given, in its number type.
macro_rules! with_given {
    ($given:expr, $rows:ident => $body:expr) => {
        match $given.is_single() {
            true => {
                let $rows = $given.rows::<f32>()?;
                $body
            }
            false => {
                let $rows = $given.rows::<f64>()?;
                $body
            }
        }
    };
}
pub(crate) use with_given;

/// Runs the same lines with `$points` bound to the samples of whichever number type.
macro_rules! with_points {
    ($samples:expr, $points:ident => $body:expr) => {
        match $samples.get().any_points() {
            $crate::samples::AnyPoints::F32($points) => $body,
            $crate::samples::AnyPoints::F64($points) => $body,
        }
    };
}
pub(crate) use with_points;

impl Samples {
    /// The samples in their number type.
    pub fn any_points(&self) -> &AnyPoints {
        &self.0
    }

    /// The samples as numbers of type `T`, which must be theirs.
    pub fn points<T: Number>(&self) -> PyResult<&Points<T>> {
        T::from_any(&self.0).ok_or_else(other_type)
    }
}

/// The error for samples or results of the wrong number type.
pub fn other_type() -> PyErr {
    PyTypeError::new_err("samples and results must have the number type that the model works in")
}
