//! Is it a kernel? What a matrix shows, and repairs of it.

use mercer::gram::Square;
use mercer::linalg::view::MatRef;
use mercer::model::asymmetric;
use mercer::model::validity::{Correction as Kept, Repair, Repaired, Validity, Verdict};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::arrays::{Matrix, Room, copied, room, view, with_matrix};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::model::json;
use crate::samples::other_type;

/// Refuses to look at so many samples if that takes more than the memory budget; `more` are bytes of their kernel values.
#[guarded]
#[pyfunction]
pub fn check_room(py: Python<'_>, examined: usize, more: u64, run: Run) -> PyResult<()> {
    enter(py, &run, |ctx| Validity::need(ctx, examined, more))
}

/// What a matrix of kernel values shows, of the samples `among`, of `samples` in all; at most `most` are looked at. Of the
/// memory budget, `more` bytes are taken already.
#[guarded]
#[pyfunction]
#[pyo3(signature = (matrix, most, among, samples, more, run))]
pub fn check_matrix<'py>(
    py: Python<'py>,
    matrix: Matrix<'_>,
    most: usize,
    among: Option<Vec<usize>>,
    samples: usize,
    more: u64,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let mut found = with_matrix!(&matrix, matrix => {
        let matrix = view(matrix)?;
        enter(py, &run, |ctx| {
            let _held = ctx.reserve("the kernel matrix", more, "look at fewer samples (max_samples)")?;
            Validity::with_limit(ctx, matrix, most)
        })?
    });
    if let Some(among) = among {
        rename(&mut found, &among, samples);
    }
    told(py, &found)
}

/// What is wrong with a matrix that is not symmetric but for rounding; None for one that is.
#[guarded]
#[pyfunction]
pub fn asymmetry(py: Python<'_>, matrix: Matrix<'_>, run: Run) -> PyResult<Option<String>> {
    Ok(match &matrix {
        Matrix::F32(matrix) => asymmetric::<f32>(apart(py, view(matrix)?, &run)?),
        Matrix::F64(matrix) => asymmetric::<f64>(apart(py, view(matrix)?, &run)?),
    })
}

fn apart<T: Real>(py: Python<'_>, matrix: MatRef<'_, T>, run: &Run) -> PyResult<f64> {
    enter(py, run, |ctx| ctx.install(|| Ok(Square::new(matrix)?.asymmetry())))
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
#[guarded]
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

#[guarded]
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
