//! The feature maps of kernels.

use mercer::kernel::{FeatureMap as Map, FeatureMapOptions, StringMap};
use mercer::{Mat, Samples as Points, Strings};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::arrays::{Matrix, copied};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::kernels::parse;
use crate::samples::{Samples, copy_strings, other_type};

/// The features whose inner products are a kernel on rows of numbers. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct FeatureMap {
    map: Map,
    /// What it was made from.
    made: (String, usize, Vec<String>, usize),
}

#[guarded]
#[pymethods]
impl FeatureMap {
    /// The map of a kernel whose parameters are numbers, on rows of so many columns; `names` is what the kernel may call
    /// them. An approximate map samples a spectrum so often beside 0.
    #[new]
    fn new(
        py: Python<'_>,
        text: String,
        columns: usize,
        names: Vec<String>,
        samples: usize,
    ) -> PyResult<Self> {
        let options =
            FeatureMapOptions { samples, columns: names.clone(), ..FeatureMapOptions::default() };
        let map = Map::new(&parse(py, &text)?, columns, &options);
        let made = (text, columns, names, samples);
        map.map(|map| Self { map, made }).map_err(|error| exception(py, error))
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyType>, (String, usize, Vec<String>, usize)) {
        (slf.get_type(), slf.get().made.clone())
    }

    /// Features of a row.
    #[getter]
    fn dimension(&self) -> usize {
        self.map.dimension()
    }

    /// Whether inner products are the kernel up to rounding.
    #[getter]
    fn exact(&self) -> bool {
        self.map.is_exact()
    }

    /// How far inner products of an approximate map are off at most, as a share of Σ max(x_i, x'_i).
    #[getter]
    fn worst_error(&self) -> Option<f64> {
        self.map.worst_error()
    }

    /// The names of the features.
    fn names(&self, py: Python<'_>, columns: Option<Vec<String>>) -> PyResult<Vec<String>> {
        self.map.names(columns.as_deref()).map_err(|error| exception(py, error))
    }

    /// The features of rows of numbers: n × dimension, in double precision.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: Matrix<'_>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = x.view()?;
        let found = enter(py, &run, |ctx| {
            let rows = Mat::from_fn(x.rows(), x.cols(), |i, j| x.at(i, j));
            self.map.matrix(ctx, rows.view())
        })?;
        Ok(copied(py, &found))
    }
}

/// The features of strings whose inner products with those of known strings are a kernel. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct TextMap {
    map: StringMap,
    /// What it was made from.
    kernel: String,
    known: Strings,
}

/// Sparse rows: numbers, their places, and where each row starts.
type Lists<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

#[guarded]
#[pymethods]
impl TextMap {
    /// The map of a kernel with a feature for each substring of the strings.
    #[new]
    fn new(py: Python<'_>, kernel: String, texts: Vec<Bound<'_, PyString>>) -> PyResult<Self> {
        let (spec, texts) = (parse(py, &kernel)?, copy_strings(&texts)?);
        let made = texts.and_then(|known| Ok((StringMap::new(&spec, &known)?, known)));
        let (map, known) = made.map_err(|error| exception(py, error))?;
        Ok(Self { map, kernel, known })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, Vec<String>)) {
        let map = slf.get();
        (slf.get_type(), (map.kernel.clone(), map.known.iter().map(str::to_owned).collect()))
    }

    /// How many features there are.
    #[getter]
    fn dimension(&self, py: Python<'_>) -> PyResult<usize> {
        self.map.dimension().map_err(|error| exception(py, error))
    }

    /// The names of the features.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.map.names().map_err(|error| exception(py, error))
    }

    /// The nonzero features of strings.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'_, Samples>,
        run: Run,
    ) -> PyResult<Lists<'py>> {
        let Some(Points::Strings(texts)) = texts.get().samples().get::<f64>() else {
            return Err(other_type());
        };
        let found = enter(py, &run, |_| self.map.apply::<f64>(texts))?;
        let starts: Vec<i64> = found.starts().iter().map(|&start| start as i64).collect();
        let places: Vec<i64> = found.at().iter().map(|&place| i64::from(place)).collect();
        Ok((found.values().to_pyarray(py), places.to_pyarray(py), starts.to_pyarray(py)))
    }
}
