//! Support vector machines: fitting, calibrating, deciding, and what a fitted one tells.

mod decide;
mod files;
mod fit;
mod lesson;
mod search;
mod tell;

pub use decide::{svm_classes, svm_decisions};
pub use files::{read_libsvm, write_libsvm};
pub use fit::{calibrate_svm, fit_svm};
pub use search::{svm_path, svm_search};
pub use tell::{svm_coefficients, svm_facts};

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::svm::Svm;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::anchors;
use crate::fit::dtype_named;
use crate::model::Model;
use crate::samples::Number;

/// A number type whose machines a [`Model`] can hold.
pub trait Held: Number {
    /// The machine as a model of any kind.
    fn hold_machine(machine: Svm<Self>) -> Fitted;
    /// The machine that a model is, if it is one of this number type.
    fn held_machine(model: &Fitted) -> Option<&Svm<Self>>;
}

impl Held for f32 {
    fn hold_machine(machine: Svm<Self>) -> Fitted {
        Fitted::Svm32(machine)
    }

    fn held_machine(model: &Fitted) -> Option<&Svm<Self>> {
        match model {
            Fitted::Svm32(machine) => Some(machine),
            _ => None,
        }
    }
}

impl Held for f64 {
    fn hold_machine(machine: Svm<Self>) -> Fitted {
        Fitted::Svm64(machine)
    }

    fn held_machine(model: &Fitted) -> Option<&Svm<Self>> {
        match model {
            Fitted::Svm64(machine) => Some(machine),
            _ => None,
        }
    }
}

/// The machine of number type `T` that a model of Python's is, if it is one.
fn machine<'a, T: Held>(model: &'a Bound<'_, Model>) -> Option<&'a Svm<T>> {
    T::held_machine(&model.get().saved().model)
}

/// A fresh machine as Python holds it.
fn kept<T: Held>(py: Python<'_>, machine: Svm<T>, dtype: &str) -> PyResult<Model> {
    let mut fitted = T::hold_machine(machine);
    anchors::compact(&mut fitted, py)?;
    Ok(Model::holding(ModelFile::new(fitted, dtype_named(dtype))))
}

/// Runs the same lines with `$machine` bound to the machine of whichever number type.
macro_rules! with_machine {
    ($model:expr, $machine:ident => $body:expr) => {
        match &$model.get().saved().model {
            mercer::io::Model::Svm32($machine) => $body,
            mercer::io::Model::Svm64($machine) => $body,
            _ => Err($crate::svm::no_machine()),
        }
    };
}
use with_machine;

fn no_machine() -> PyErr {
    PyTypeError::new_err("this model is no support vector machine")
}
