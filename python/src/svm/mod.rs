//! Support vector machines: fitting, calibration, decision values, and the attributes of a fitted machine.

mod decide;
mod facts;
mod files;
mod fit;
mod search;
pub mod targets;

pub use decide::{svm_classes, svm_decisions};
pub use facts::{svm_coefficients, svm_facts};
pub use files::{read_libsvm, write_libsvm};
pub use fit::{calibrate_svm, fit_svm};
pub use search::{svm_path, svm_search};

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::svm::Svm;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::anchors;
use crate::fit::dtype_named;
use crate::model::Model;

/// The support vector machine that a model is.
fn machine(model: &Model) -> PyResult<&Svm> {
    match &model.saved().model {
        Fitted::Svm(machine) => Ok(machine),
        _ => Err(PyTypeError::new_err("this model is not a support vector machine")),
    }
}

/// A fresh machine as Python holds it.
pub fn python_model(py: Python<'_>, machine: Svm, dtype: &str) -> PyResult<Model> {
    let mut fitted = Fitted::Svm(machine);
    anchors::compact(&mut fitted, py)?;
    Ok(Model::holding(ModelFile::new(fitted, dtype_named(dtype))))
}
