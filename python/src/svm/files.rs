//! Model files of LIBSVM.

use std::path::PathBuf;

use mercer::io::{self, ModelFile};
use mercer::model::svm::Svm;
use mercer::{Dense, Dtype};
use mercer_guard::guarded;
use pyo3::prelude::*;

use super::machine;
use crate::errors::exception;
use crate::model::Model;

/// Reads a model file of LIBSVM. It does not say how many features there are: with `features`, those beyond the last that
/// a support vector has are zero in all of them.
#[guarded]
#[pyfunction]
#[pyo3(signature = (path, features))]
pub fn read_libsvm(py: Python<'_>, path: PathBuf, features: Option<usize>) -> PyResult<Model> {
    let read = || widened(io::read_libsvm_model(&path)?, features);
    let machine = py.detach(read).map_err(|error| exception(py, error))?;
    Ok(Model::holding(ModelFile::new(machine.into(), Dtype::F64)))
}

fn widened(machine: Svm, features: Option<usize>) -> mercer::Result<Svm> {
    let anchors = machine.anchors.as_ref().and_then(|anchors| anchors.get::<f64>()?.dense());
    let (Some(anchors), Some(wide)) = (anchors, features) else { return Ok(machine) };
    if wide < anchors.d() {
        return Err(mercer::Error::Features { expected: anchors.d(), found: wide });
    }
    let mut data = Vec::with_capacity(anchors.n() * wide);
    for i in 0..anchors.n() {
        data.extend_from_slice(anchors.row(i));
        data.resize((i + 1) * wide, 0.0);
    }
    let anchors = Some(Dense::from_vec(data, anchors.n(), wide)?.into());
    Ok(Svm { anchors, ..machine })
}

/// Writes a model file of LIBSVM; returns sentences about what such a file cannot hold.
#[guarded]
#[pyfunction]
pub fn write_libsvm(model: &Bound<'_, Model>, path: PathBuf) -> PyResult<Vec<String>> {
    let py = model.py();
    let machine = machine(model.get())?;
    let done = py.detach(|| io::write_libsvm_model(&path, machine));
    done.map_err(|error| exception(py, error))
}
