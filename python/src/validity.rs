//! Is it a kernel? What a matrix shows, repairs of it, and the feature maps of kernels.

use mercer::Context;
use mercer::kernel::{FeatureMap as Map, FeatureMapOptions};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::validity::{Correction as Kept, Repair, Repaired, Validity, Verdict};
use mercer::real::Real;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::arrays::{Matrix, Room, copied, room, view, with_matrix};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::kernels::parse;
use crate::model::json;
use crate::samples::other_type;

/// What a matrix of kernel values shows, of the samples `among`, of `samples` in all; at most `most` are looked at.
#[pyfunction]
#[pyo3(signature = (matrix, most, among, samples, run))]
pub fn check_matrix<'py>(
    py: Python<'py>,
    matrix: Matrix<'_>,
    most: usize,
    among: Option<Vec<usize>>,
    samples: usize,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let mut found = with_matrix!(&matrix, matrix => {
        let matrix = view(matrix)?;
        enter(py, &run, |ctx| Validity::with_limit(ctx, matrix, most))?
    });
    if let Some(among) = among {
        rename(&mut found, &among, samples);
    }
    told(py, &found)
}

/// Tells samples by their places in a larger set.
fn rename(found: &mut Validity, among: &[usize], all: usize) {
    found.samples = all;
    found.asymmetric_at = found.asymmetric_at.map(|(i, j)| (among[i], among[j]));
    if let Some(witness) = &mut found.witness {
        witness.samples.iter_mut().for_each(|sample| *sample = among[*sample]);
    }
    match &mut found.verdict {
        Verdict::Valid { samples, .. } | Verdict::Indefinite { samples, .. } => *samples = all,
        Verdict::NotSymmetric { row, column, .. } => {
            (*row, *column) = (among[*row], among[*column]);
        }
    }
}

fn told<'py>(py: Python<'py>, found: &Validity) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("verdict", found.verdict.to_string())?;
    dict.set_item("text", found.to_string())?;
    dict.set_item("is_valid", found.is_valid())?;
    dict.set_item("samples", found.samples)?;
    dict.set_item("examined", found.examined)?;
    dict.set_item("asymmetry", found.asymmetry)?;
    dict.set_item("asymmetric_at", found.asymmetric_at)?;
    dict.set_item("eigenvalues", found.eigenvalues.to_pyarray(py))?;
    dict.set_item("smallest", found.smallest())?;
    dict.set_item("largest", found.largest())?;
    dict.set_item("ratio", found.ratio)?;
    dict.set_item("noise", found.noise)?;
    dict.set_item("negative_share", found.negative_share)?;
    let witness = found.witness.as_ref().map(|witness| {
        let carriers: Vec<i64> = witness.samples.iter().map(|&sample| sample as i64).collect();
        (carriers.to_pyarray(py), witness.weights.to_pyarray(py), witness.value)
    });
    dict.set_item("witness", witness)?;
    Ok(dict)
}

/// A repaired matrix, how far it moved, whether the search for it reached its end, and what new kernel values need.
type Mended<'py> = (Bound<'py, PyArray2<f64>>, f64, bool, Correction);

/// Makes a symmetric matrix positive semi-definite.
#[pyfunction]
pub fn repair<'py>(
    py: Python<'py>,
    matrix: Matrix<'_>,
    method: &str,
    run: Run,
) -> PyResult<Mended<'py>> {
    let method: Repair = method.parse().map_err(|error| exception(py, error))?;
    let found: Repaired = with_matrix!(&matrix, matrix => {
        let matrix = view(matrix)?;
        enter(py, &run, |ctx| method.fit(ctx, matrix))?
    });
    let matrix = copied(py, &found.matrix);
    Ok((matrix, found.change, found.converged, Correction { kept: found.correction }))
}

/// How kernel values of new samples are repaired. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct Correction {
    kept: Kept,
}

#[pymethods]
impl Correction {
    /// A correction from JSON.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let read = serde_json::from_str(text);
        let wrong = |error: serde_json::Error| {
            crate::errors::FormatError::new_err(format!("no repair of a kernel: {error}"))
        };
        read.map(|kept| Self { kept }).map_err(wrong)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (String,))> {
        Ok((slf.get_type(), (json(&slf.get().kept)?,)))
    }

    /// Writes the repaired kernel values of new samples with the training samples (m × n).
    fn apply(&self, py: Python<'_>, values: Matrix<'_>, out: Room<'_>) -> PyResult<()> {
        let done = match (&values, out) {
            (Matrix::F32(values), Room::F32(mut out)) => {
                self.kept.apply(view(values)?, room(&mut out)?)
            }
            (Matrix::F64(values), Room::F64(mut out)) => {
                self.kept.apply(view(values)?, room(&mut out)?)
            }
            _ => return Err(other_type()),
        };
        done.map_err(|error| exception(py, error))
    }

    /// The repaired kernel values of new samples with themselves.
    fn own<'py>(
        &self,
        py: Python<'py>,
        values: Matrix<'_>,
        own: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = with_matrix!(&values, values => self.kept.own(view(values)?, own.as_slice()?));
        Ok(found.map_err(|error| exception(py, error))?.to_pyarray(py))
    }
}

/// The features whose inner products are a kernel on rows of numbers. It never changes.
#[pyclass(frozen, module = "mercer._core")]
pub struct FeatureMap {
    map: Map,
    /// What it was made from.
    made: (String, usize, Vec<String>, usize),
}

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
        let options = FeatureMapOptions { samples, columns: names.clone() };
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
        let found = with_matrix!(&x, x => {
            let x = view(x)?;
            enter(py, &run, |ctx| features(ctx, &self.map, x))?
        });
        Ok(copied(py, &found))
    }
}

fn features(ctx: &Context, map: &Map, x: MatRef<'_, impl Real>) -> mercer::Result<Mat<f64>> {
    let rows = Mat::from_fn(x.rows(), x.cols(), |i, j| x.at(i, j).f64());
    map.matrix(ctx, rows.view())
}
