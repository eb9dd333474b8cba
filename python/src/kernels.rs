//! Kernels as text: descriptions of the families, checked specs, and the full matrix.

use mercer::kernel::{Domain, Family, Leaf, Value};
use mercer::{Dense, KernelSpec, VectorKernel, gram};
use numpy::Element;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Room, Samples, dense, room, view, with_samples};
use crate::enter::{Run, enter};
use crate::errors::exception;

/// What every family of kernels says of itself, as dictionaries.
#[pyfunction]
pub fn families(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    mercer::kernel::families().iter().map(|family| describe(py, family)).collect()
}

fn describe<'py>(py: Python<'py>, family: &Family) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", family.name)?;
    dict.set_item("aliases", family.aliases.to_vec())?;
    dict.set_item("doc", family.doc)?;
    dict.set_item("formula", family.formula)?;
    dict.set_item("positional", family.takes_positional())?;
    let parameters = family.parameters.iter().map(|parameter| {
        let entry = PyDict::new(py);
        entry.set_item("name", parameter.name)?;
        entry.set_item("doc", parameter.doc)?;
        entry.set_item("default", parameter.default.map(|value| value.to_string()))?;
        entry.set_item("domain", parameter.domain.to_string())?;
        entry.set_item("integer", parameter.domain == Domain::PositiveInteger)?;
        let rules: Vec<_> = parameter.rules.iter().map(|rule| rule.name()).collect();
        entry.set_item("rules", rules)?;
        entry.set_item("instead_of", parameter.instead_of)?;
        Ok(entry)
    });
    dict.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// The spec in the one way it is printed; a wrong one is a ValueError that points at the character.
#[pyfunction]
pub fn canonical(py: Python<'_>, text: &str) -> PyResult<String> {
    parse(py, text).map(|spec| spec.to_string())
}

/// The parameters of a plain member of a family, with a number or a rule's name for each; None for a combination.
#[pyfunction]
pub fn parameters<'py>(py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
    parse(py, text)?.as_leaf().map(|leaf| values(py, leaf)).transpose()
}

fn values<'py>(py: Python<'py>, leaf: &Leaf) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("family", leaf.family().name)?;
    for (parameter, value) in leaf.effective() {
        match value {
            Some(Value::Number(number)) => dict.set_item(parameter.name, number)?,
            Some(Value::Rule(rule)) => dict.set_item(parameter.name, rule.name())?,
            Some(Value::Word(word)) => dict.set_item(parameter.name, word)?,
            None => {}
        }
    }
    Ok(dict)
}

/// The spec with every parameter a number, found from the samples where it is a rule.
#[pyfunction]
pub fn resolve(py: Python<'_>, text: &str, x: Samples<'_>) -> PyResult<String> {
    let spec = parse(py, text)?;
    with_samples!(&x, x => {
        let x = view(x)?;
        let resolved = dense::<f64>(x).and_then(|points| spec.resolve(&points));
        resolved.map(|spec| spec.to_string()).map_err(|error| exception(py, error))
    })
}

/// Fills `out` with the kernel values of the rows of `x` with those of `y`, or with each other.
#[pyfunction]
#[pyo3(signature = (text, x, y, out, run))]
pub fn fill_matrix(
    py: Python<'_>,
    text: &str,
    x: Samples<'_>,
    y: Option<Samples<'_>>,
    out: Room<'_>,
    run: Run,
) -> PyResult<()> {
    let spec = parse(py, text)?;
    match (x, y, out) {
        (Samples::F32(x), None, Room::F32(mut out)) => {
            let matrix = Matrix { spec, x: view(&x)?, y: None, out: room(&mut out)? };
            enter(py, &run, |ctx| matrix.fill(ctx))
        }
        (Samples::F64(x), None, Room::F64(mut out)) => {
            let matrix = Matrix { spec, x: view(&x)?, y: None, out: room(&mut out)? };
            enter(py, &run, |ctx| matrix.fill(ctx))
        }
        (Samples::F32(x), Some(Samples::F32(y)), Room::F32(mut out)) => {
            let matrix = Matrix { spec, x: view(&x)?, y: Some(view(&y)?), out: room(&mut out)? };
            enter(py, &run, |ctx| matrix.fill(ctx))
        }
        (Samples::F64(x), Some(Samples::F64(y)), Room::F64(mut out)) => {
            let matrix = Matrix { spec, x: view(&x)?, y: Some(view(&y)?), out: room(&mut out)? };
            enter(py, &run, |ctx| matrix.fill(ctx))
        }
        _ => Err(PyTypeError::new_err("both sample sets and the result must have one number type")),
    }
}

/// A kernel matrix to be filled.
struct Matrix<'a, T> {
    spec: KernelSpec,
    x: mercer::linalg::view::MatRef<'a, T>,
    y: Option<mercer::linalg::view::MatRef<'a, T>>,
    out: mercer::linalg::view::MatMut<'a, T>,
}

impl<T: mercer::real::Real + Element> Matrix<'_, T> {
    fn fill(self, ctx: &mercer::Context) -> mercer::Result<()> {
        let x: Dense<T> = dense(self.x)?;
        let y: Option<Dense<T>> = self.y.map(dense).transpose()?;
        if let Some(y) = &y
            && y.d() != x.d()
        {
            return Err(mercer::Error::Features { expected: x.d(), found: y.d() });
        }
        let kernel = VectorKernel::<T>::new(&self.spec.resolve(&x)?)?;
        gram::matrix(ctx, &kernel, &x, y.as_ref(), self.out)
    }
}

/// The kernel that a text describes.
pub fn parse(py: Python<'_>, text: &str) -> PyResult<KernelSpec> {
    text.parse().map_err(|error| exception(py, error))
}
