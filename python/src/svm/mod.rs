//! Support vector machines: fitting, calibration, decision values, and the attributes of a fitted machine.

mod decide;
mod facts;
mod files;
mod fit;
mod search;
mod targets;

pub use decide::{svm_classes, svm_decisions};
pub use facts::{svm_coefficients, svm_facts};
pub use files::{read_libsvm, write_libsvm};
pub use fit::{calibrate_svm, fit_svm};
pub use search::{svm_path, svm_search};

use mercer::io::{Model as Fitted, Saved};
use mercer::model::svm::Svm;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::anchors;
use crate::fit::dtype_named;
use crate::model::Model;
use crate::samples::Number;

/// A number type whose machines a [`Model`] can hold.
pub trait MachineNumber: Number {
    /// The machine as a model of any kind.
    fn into_fitted(machine: Svm<Self>) -> Fitted;
    /// The machine that a model is, if it is one of this number type.
    fn from_fitted(model: &Fitted) -> Option<&Svm<Self>>;
}

impl MachineNumber for f32 {
    fn into_fitted(machine: Svm<Self>) -> Fitted {
        Fitted::Svm32(machine)
    }

    fn from_fitted(model: &Fitted) -> Option<&Svm<Self>> {
        match model {
            Fitted::Svm32(machine) => Some(machine),
            _ => None,
        }
    }
}

impl MachineNumber for f64 {
    fn into_fitted(machine: Svm<Self>) -> Fitted {
        Fitted::Svm64(machine)
    }

    fn from_fitted(model: &Fitted) -> Option<&Svm<Self>> {
        match model {
            Fitted::Svm64(machine) => Some(machine),
            _ => None,
        }
    }
}

/// The machine of number type `T` that a model of Python's is, if it is one.
fn machine<'a, T: MachineNumber>(model: &'a Bound<'_, Model>) -> Option<&'a Svm<T>> {
    T::from_fitted(&model.get().saved().model)
}

/// A fresh machine as Python holds it.
fn python_model<T: MachineNumber>(py: Python<'_>, machine: Svm<T>, dtype: &str) -> PyResult<Model> {
    let mut fitted = T::into_fitted(machine);
    anchors::compact(&mut fitted, py)?;
    Ok(Model::holding(Saved::new(fitted, dtype_named(dtype))))
}

/// Runs the same lines with `$machine` bound to the machine of whichever number type.
macro_rules! with_machine {
    ($model:expr, $machine:ident => $body:expr) => {
        match &$model.get().saved().model {
            mercer::io::Model::Svm32($machine) => $body,
            mercer::io::Model::Svm64($machine) => $body,
            _ => Err($crate::svm::not_a_machine()),
        }
    };
}
use with_machine;

fn not_a_machine() -> PyErr {
    PyTypeError::new_err("this model is not a support vector machine")
}
