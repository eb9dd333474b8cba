//! Whether a matrix is positive semi-definite, and repairs of indefinite ones.

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::validity::{FittedRepair, Repair, Validity, Verdict, asymmetry as asymmetry_of};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, OutputArray, copied, with_output};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::model::Model;

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
    let matrix = matrix.view()?;
    let mut found = enter(py, &run, |ctx| {
        let hint = "use fewer samples (max_samples)";
        let _reserved = ctx.reserve("the kernel matrix", more, hint)?;
        Validity::with_limit(ctx, matrix, most)
    })?;
    if let Some(among) = among {
        rename(&mut found, &among, samples);
    }
    description(py, &found)
}

/// What is wrong with a matrix that is not symmetric but for rounding; None for one that is.
#[guarded]
#[pyfunction]
pub fn asymmetry(py: Python<'_>, matrix: Matrix<'_>, run: Run) -> PyResult<Option<String>> {
    let matrix = matrix.view()?;
    enter(py, &run, |ctx| ctx.install(|| asymmetry_of(matrix)))
}

/// Identifies samples by their places in a larger set.
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
    let matrix = matrix.view()?;
    let found = enter(py, &run, |ctx| method.fit(ctx, matrix))?;
    let dtype = matrix.dtype();
    let model = ModelFile::new(found.fitted(dtype).into(), dtype);
    Ok((copied(py, &found.matrix), Model::holding(model)))
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
    let values = values.view()?;
    let done = with_output!(out, out => correction.apply_into(values, out));
    done.map_err(|error| exception(py, error))
}

/// The repaired kernel values of new samples with themselves.
#[guarded]
#[pyfunction]
pub fn repaired_diagonal<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    values: Matrix<'_>,
    diagonal: PyReadonlyArray1<'_, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let correction = &repair_of(model.get())?.correction;
    let found = correction.diagonal(values.view()?, diagonal.as_slice()?);
    Ok(found.map_err(|error| exception(py, error))?.to_pyarray(py))
}
