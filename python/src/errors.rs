//! Each error of the library as one exception.

use std::io::ErrorKind;
use std::path::Path;

use mercer::Error;
use mercer::error::Param;
use mercer::panics::Panicked;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyIsADirectoryError, PyKeyboardInterrupt,
    PyMemoryError, PyNotADirectoryError, PyOSError, PyPermissionError, PyRuntimeError,
    PyTimeoutError, PyValueError,
};
use pyo3::prelude::*;

pyo3::create_exception!(
    mercer,
    FormatError,
    PyValueError,
    "A file can be read, but its content cannot be parsed."
);

pyo3::create_exception!(
    mercer,
    InternalError,
    PyRuntimeError,
    "A bug in mercer. The message says where, and how to report it."
);

pyo3::create_exception!(
    mercer,
    OutOfTimeError,
    PyTimeoutError,
    "The time limit passed before there was a result. The estimator says what to do."
);

/// The exception that stands for a panic.
pub fn internal(panicked: &Panicked) -> PyErr {
    let place = panicked.place.as_deref().unwrap_or("an unknown place");
    let version = env!("CARGO_PKG_VERSION");
    InternalError::new_err(format!(
        "this is a bug in mercer {version}, not in your program: {} (at {place}). Please report it with this traceback and \
         what `mercer doctor` and sklearn.show_versions() print; RUST_BACKTRACE=1 gives more detail",
        panicked.message
    ))
}

/// The error message, with parameters by the names that scikit-learn's estimators have for them.
fn with_estimator_names(error: &Error) -> String {
    let Error::Parameter { name, message } = error else { return error.to_string() };
    let name = match *name {
        Param::Components => "n_components",
        Param::Clusters => "n_clusters",
        Param::Starts => "n_init",
        Param::MaxRounds => "max_iter",
        Param::MaxSeconds => "max_time",
        Param::Tolerance => "tol",
        Param::Landmarks => "landmarks",
        Param::InverseAlpha => "alpha",
        Param::InverseMap => "fit_inverse_transform",
        Param::SampleWeights => "sample_weight",
        Param::ClassWeights => "class_weight",
        Param::StandardDeviations => "return_std",
        Param::Neighbours => "n_neighbors",
        Param::Restarts => "n_restarts",
        Param::C => "C",
        Param::Cs => "Cs",
        Param::Targets => "y",
        other => other.name(),
    };
    format!("{name}: {message}")
}

/// The exception that stands for `error`.
pub fn exception(py: Python<'_>, error: Error) -> PyErr {
    let text = with_estimator_names(&error);
    match error {
        Error::Memory { .. } | Error::Allocation(_) => PyMemoryError::new_err(text),
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::Numeric(_) => numeric(py, text),
        // What a function of the user's raised is raised as it is.
        Error::Custom { source, .. } => match source.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(_) => PyValueError::new_err(text),
        },
        Error::Format { .. } | Error::Cell { .. } => FormatError::new_err(text),
        Error::File { path, source } => file(&path, &source),
        // Parameters, shapes, features, kernel texts, values that are not finite.
        _ => PyValueError::new_err(text),
    }
}

/// `numpy.linalg.LinAlgError`, which is a ValueError.
fn numeric(py: Python<'_>, text: String) -> PyErr {
    let class = py.import("numpy.linalg").and_then(|module| module.getattr("LinAlgError"));
    match class.and_then(|class| class.call1((text,))) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// OSError chooses its subclass by the system's error number; errors without one are sorted here by kind.
fn file(path: &Path, source: &std::io::Error) -> PyErr {
    let name = path.display().to_string();
    if let Some(number) = source.raw_os_error() {
        let text = source.to_string();
        let text = text.split(" (os error").next().unwrap_or_default().to_string();
        return PyOSError::new_err((number, text, name));
    }
    let text = format!("{name}: {source}");
    match source.kind() {
        ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        ErrorKind::PermissionDenied => PyPermissionError::new_err(text),
        ErrorKind::IsADirectory => PyIsADirectoryError::new_err(text),
        ErrorKind::NotADirectory => PyNotADirectoryError::new_err(text),
        ErrorKind::AlreadyExists => PyFileExistsError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}
