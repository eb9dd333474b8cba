//! The attributes of a fitted machine.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use mercer::AnySamples;
use mercer::model::svm::Svm;
use mercer_guard::guarded;
use numpy::ToPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::machine;
use crate::arrays::{borrowed_array, to_i32};
use crate::model::{Model, json};

/// The coefficients of the support vectors, borrowed in place: (classes − 1) × support, or 1 × support.
#[guarded]
#[pyfunction]
pub fn svm_coefficients<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyAny>> {
    let owner = model.clone().into_any();
    let coef = machine(model.get())?.dual_coef();
    // SAFETY: the numbers belong to a frozen object, which the array keeps alive.
    unsafe { borrowed_array(coef.data(), coef.rows(), coef.cols(), owner) }
}

/// Task, rows of the support vectors, their number in each class, constants, classes and their weights, the calibration
/// as JSON, the number of samples it was fitted on, whether its support vectors are sparse, and the kernel and C of each cell that has
/// its own.
#[guarded]
#[pyfunction]
pub fn svm_facts<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyDict>> {
    let (py, machine) = (model.py(), machine(model.get())?);
    let facts = PyDict::new(py);
    facts.set_item("task", machine.params.task.name())?;
    facts.set_item("support", to_i32(py, &machine.support))?;
    facts.set_item("counts", to_i32(py, &machine.counts))?;
    facts.set_item("offsets", machine.offset.to_pyarray(py))?;
    facts.set_item("classes", machine.classes.clone())?;
    facts.set_item("class_weights", machine.class_weights.clone())?;
    facts.set_item("calibration", machine.calibration.as_ref().map(json).transpose()?)?;
    facts.set_item("trained_on", machine.trained_on)?;
    let sparse = machine.anchors.as_ref().is_some_and(AnySamples::is_sparse);
    facts.set_item("sparse", sparse)?;
    facts.set_item("cells", choices(machine))?;
    Ok(facts)
}

/// The kernel and the C of each cell that has its own.
fn choices(machine: &Svm) -> Option<(Vec<String>, Vec<f64>)> {
    let (params, own) = (machine.params.cells.as_ref()?, &machine.cells.as_ref()?.own);
    if own.is_empty() {
        return None;
    }
    let kernels = own.iter().map(|choice| params.kernels[choice.kernel].to_string()).collect();
    Some((kernels, own.iter().map(|choice| choice.c).collect()))
}
