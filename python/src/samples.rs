//! Samples of any kind, as Python holds them on their way to the library.

use mercer::linalg::view::MatRef;
use mercer::points::{Part, Parts, Samples as Points, Strings};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{Element, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::{Matrix, dense, view, with_matrix};
use crate::errors::exception;
use crate::own;
use crate::sparse::{Values, Whole, csr};

/// Checked samples in the number type that a model works in. They never change.
#[pyclass(frozen, module = "mercer._core")]
pub struct Samples(Held);

/// Samples in either number type.
pub enum Held {
    /// Single precision.
    F32(Points<f32>),
    /// Double precision.
    F64(Points<f64>),
}

impl Held {
    fn of<T: Number>(points: mercer::Result<Points<T>>, py: Python<'_>) -> PyResult<Samples> {
        points.map(|points| Samples(T::hold(points))).map_err(|error| exception(py, error))
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
                true => Held::of(py.detach(|| dense::<f32>(x).map(Points::from)), py),
                false => Held::of(py.detach(|| dense::<f64>(x).map(Points::from)), py),
            }
        })
    }

    /// Sparse rows of numbers, in the form of scipy's: where each row starts, the columns of its numbers, and the numbers.
    #[staticmethod]
    fn sparse(
        py: Python<'_>,
        shape: (usize, usize),
        starts: Whole<'_>,
        at: Whole<'_>,
        values: Values<'_>,
        single: bool,
    ) -> PyResult<Self> {
        match single {
            true => Held::of(csr::<f32>(py, shape, &starts, &at, &values)?, py),
            false => Held::of(csr::<f64>(py, shape, &starts, &at, &values)?, py),
        }
    }

    /// Texts, copied.
    #[staticmethod]
    fn texts(py: Python<'_>, texts: Vec<Bound<'_, PyString>>, single: bool) -> PyResult<Self> {
        let strings = strings(&texts)?;
        match single {
            true => Held::of(strings.map(Points::<f32>::from), py),
            false => Held::of(strings.map(Points::<f64>::from), py),
        }
    }

    /// Objects that only a function of the user's understands: the n of a store.
    #[staticmethod]
    fn items(py: Python<'_>, store: Py<PyAny>, n: usize, single: bool) -> PyResult<Self> {
        let items = own::items(store, n);
        match single {
            true => Held::of(items.map(Points::<f32>::from), py),
            false => Held::of(items.map(Points::<f64>::from), py),
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
            true => Held::of(parts::<f32>(&groups)?, py),
            false => Held::of(parts::<f64>(&groups)?, py),
        }
    }
}

/// Texts of Python's, copied.
pub fn strings(texts: &[Bound<'_, PyString>]) -> PyResult<mercer::Result<Strings>> {
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
        let samples = T::held(&samples.get().0).ok_or_else(other_type)?.clone();
        Ok(Part { names: names.clone(), samples })
    };
    let parts = groups.iter().map(part).collect::<PyResult<Vec<_>>>()?;
    Ok(Parts::new(parts).map(Points::from))
}

/// A number type that models work in.
pub trait Number: Real + Element {
    /// The samples of this number type, if they are.
    fn held(held: &Held) -> Option<&Points<Self>>;
    /// Samples as Python holds them.
    fn hold(points: Points<Self>) -> Held;
    /// A matrix of this number type, read in place, if it is one.
    fn matrix<'a>(matrix: &'a Matrix<'_>) -> Option<&'a PyReadonlyArray2<'a, Self>>;
}

impl Number for f32 {
    fn held(held: &Held) -> Option<&Points<f32>> {
        if let Held::F32(points) = held { Some(points) } else { None }
    }

    fn hold(points: Points<f32>) -> Held {
        Held::F32(points)
    }

    fn matrix<'a>(matrix: &'a Matrix<'_>) -> Option<&'a PyReadonlyArray2<'a, f32>> {
        if let Matrix::F32(matrix) = matrix { Some(matrix) } else { None }
    }
}

impl Number for f64 {
    fn held(held: &Held) -> Option<&Points<f64>> {
        if let Held::F64(points) = held { Some(points) } else { None }
    }

    fn hold(points: Points<f64>) -> Held {
        Held::F64(points)
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

impl Given<'_> {
    /// Whether they are in single precision.
    pub fn is_single(&self) -> bool {
        match self {
            Given::Samples(samples) => matches!(samples.get().0, Held::F32(_)),
            Given::Matrix(matrix) => matches!(matrix, Matrix::F32(_)),
        }
    }

    /// As numbers of type `T`, which must be theirs.
    pub fn rows<T: Number>(&self) -> PyResult<Rows<'_, T>> {
        match self {
            Given::Samples(samples) => {
                T::held(&samples.get().0).map(Rows::Samples).ok_or_else(other_type)
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
        match $samples.get().held() {
            $crate::samples::Held::F32($points) => $body,
            $crate::samples::Held::F64($points) => $body,
        }
    };
}
pub(crate) use with_points;

impl Samples {
    /// The samples in their number type.
    pub fn held(&self) -> &Held {
        &self.0
    }

    /// The samples as numbers of type `T`, which must be theirs.
    pub fn points<T: Number>(&self) -> PyResult<&Points<T>> {
        T::held(&self.0).ok_or_else(other_type)
    }
}

/// What is said of samples or results of the wrong number type.
pub fn other_type() -> PyErr {
    PyTypeError::new_err("samples and results must have the number type that the model works in")
}
