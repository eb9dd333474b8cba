//! Whether a matrix is positive semi-definite, and repairs of indefinite ones.

use mercer::gram::Square;
use mercer::io::{Dtype, Model as Fitted, Saved};
use mercer::linalg::view::MatRef;
use mercer::model::asymmetric;
use mercer::model::validity::{FittedRepair, Repair, Repaired, Validity, Verdict};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, OutputArray, copied, output, view, with_matrix};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::model::Model;
use crate::samples::other_type;

/// Refuses to examine this many samples if that takes more than the memory budget; `more` are bytes of their kernel values.
#[guarded]
#[pyfunction]
pub fn check_memory(py: Python<'_>, examined: usize, more: u64, run: Run) -> PyResult<()> {
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
            let _reserved = ctx.reserve("the kernel matrix", more, "look at fewer samples (max_samples)")?;
            Validity::with_limit(ctx, matrix, most)
        })?
    });
    if let Some(among) = among {
        rename(&mut found, &among, samples);
    }
    description(py, &found)
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

fn description<'py>(py: Python<'py>, found: &Validity) -> PyResult<Bound<'py, PyDict>> {
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

/// A repaired matrix, and the repair as a model of its own.
type Mended<'py> = (Bound<'py, PyArray2<f64>>, Model);

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
    let (found, model) = match &matrix {
        Matrix::F32(matrix) => {
            let found = fitted(py, view(matrix)?, method, &run)?;
            let model = Saved::new(found.fitted::<f32>().into(), Dtype::F32);
            (found, model)
        }
        Matrix::F64(matrix) => {
            let found = fitted(py, view(matrix)?, method, &run)?;
            let model = Saved::new(found.fitted::<f64>().into(), Dtype::F64);
            (found, model)
        }
    };
    Ok((copied(py, &found.matrix), Model::holding(model)))
}

fn fitted<T: Real>(
    py: Python<'_>,
    matrix: MatRef<'_, T>,
    method: Repair,
    run: &Run,
) -> PyResult<Repaired> {
    enter(py, run, |ctx| method.fit(ctx, matrix))
}

fn repair_of(model: &Model) -> PyResult<&FittedRepair> {
    match &model.saved().model {
        Fitted::Repair(model) => Ok(model),
        _ => Err(PyTypeError::new_err("this model is not a repair of kernel matrices")),
    }
}

/// The method of a repair, and how far the matrix moved.
#[guarded]
#[pyfunction]
pub fn repair_facts(model: &Bound<'_, Model>) -> PyResult<(&'static str, f64)> {
    let found = repair_of(model.get())?;
    Ok((found.correction.method.name(), found.change))
}

/// Writes the repaired kernel values of new samples with the training samples (m × n).
#[guarded]
#[pyfunction]
pub fn repaired(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    values: Matrix<'_>,
    out: OutputArray<'_>,
) -> PyResult<()> {
    let correction = &repair_of(model.get())?.correction;
    let done = match (&values, out) {
        (Matrix::F32(values), OutputArray::F32(mut out)) => {
            correction.apply(view(values)?, output(&mut out)?)
        }
        (Matrix::F64(values), OutputArray::F64(mut out)) => {
            correction.apply(view(values)?, output(&mut out)?)
        }
        _ => return Err(other_type()),
    };
    done.map_err(|error| exception(py, error))
}

/// The repaired kernel values of new samples with themselves.
#[guarded]
#[pyfunction]
pub fn repaired_diagonal<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    values: Matrix<'_>,
    own: PyReadonlyArray1<'_, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let correction = &repair_of(model.get())?.correction;
    let found = with_matrix!(&values, values => correction.own(view(values)?, own.as_slice()?));
    Ok(found.map_err(|error| exception(py, error))?.to_pyarray(py))
}
