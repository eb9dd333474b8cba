//! Kernels that are Python functions, and the objects that they compare.
//!
//! The library asks for a tile; a Python object selects the items of its rows and columns, calls the user-defined function,
//! and checks its result. What the function raises passes through the library as an error and is raised again unchanged.

use std::any::Any;
use std::sync::Arc;

use mercer::kernel::{Chosen, OwnKernel};
use mercer::points::{Csr, Dense, Items, Points as _, Strings};
use mercer::real::Real;
use mercer::{Error, Result};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::anchors::sparse;

/// A Python object that is called with a store, places in it, a store and places in that, and returns the values of all
/// pairs. Its attribute `name` is what the kernel is called.
pub struct Function {
    name: String,
    call: Py<PyAny>,
}

impl Function {
    /// The function and its name.
    pub fn new(call: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { name: call.getattr("name")?.extract()?, call: call.unbind() })
    }

    /// What the kernel is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Python object, if a function of the library's is one.
    pub fn object(function: &Arc<dyn OwnKernel>, py: Python<'_>) -> Option<Py<PyAny>> {
        let any: &dyn Any = &**function;
        any.downcast_ref::<Function>().map(|function| function.call.clone_ref(py))
    }

    fn values(
        &self,
        py: Python<'_>,
        rows: Chosen<'_>,
        cols: Chosen<'_>,
        out: &mut [f64],
    ) -> PyResult<()> {
        let ((left, rows), (right, cols)) = (seen(py, rows)?, seen(py, cols)?);
        let asked = (left, rows, right, cols);
        let found: PyReadonlyArray2<'_, f64> = self.call.bind(py).call1(asked)?.extract()?;
        out.copy_from_slice(found.as_slice()?);
        Ok(())
    }
}

impl OwnKernel for Function {
    fn block(&self, rows: Chosen<'_>, cols: Chosen<'_>, out: &mut [f64]) -> Result<()> {
        Python::attach(|py| self.values(py, rows, cols, out))
            .map_err(|raised| Error::Own { name: self.name.clone(), source: Box::new(raised) })
    }
}

/// The user's objects, as the Python side keeps them.
struct Store(Py<PyAny>);

/// The n objects of a store of Python's as items of the library's.
pub fn items(store: Py<PyAny>, n: usize) -> Result<Items> {
    Items::in_store(Arc::new(Store(store)), n)
}

/// The store of items and their places in it.
pub fn objects<'py>(
    py: Python<'py>,
    items: &Items,
) -> PyResult<(Py<PyAny>, Bound<'py, PyArray1<i64>>)> {
    seen(py, Chosen { store: &**items.store(), at: items.at() })
}

/// A Python store and positions in it. Samples that the library stores are put into a store of their own: rows of numbers as
/// an array, sparse ones as a scipy array, strings as a list.
fn seen<'py>(
    py: Python<'py>,
    chosen: Chosen<'_>,
) -> PyResult<(Py<PyAny>, Bound<'py, PyArray1<i64>>)> {
    if let Some(store) = chosen.store.downcast_ref::<Store>() {
        return Ok((store.0.clone_ref(py), places(py, chosen.at.iter().copied())));
    }
    let Some(rows) = known(py, chosen)? else {
        return Err(PyTypeError::new_err(
            "the samples of this model are objects that its file does not store",
        ));
    };
    let store = py.import("mercer._custom")?.call_method1("Store", (rows,))?;
    Ok((store.unbind(), places(py, 0..chosen.at.len())))
}

fn places(py: Python<'_>, places: impl Iterator<Item = usize>) -> Bound<'_, PyArray1<i64>> {
    let places: Vec<i64> = places.map(|place| place as i64).collect();
    places.to_pyarray(py)
}

/// Some samples of a set that the library knows; none for another store.
fn known<'py>(py: Python<'py>, chosen: Chosen<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Chosen { store, at } = chosen;
    if let Some(texts) = store.downcast_ref::<Strings>() {
        let texts = texts.select(at);
        return texts.iter().collect::<Vec<&str>>().into_pyobject(py).map(Some);
    }
    if let Some(x) = store.downcast_ref::<Csr<f64>>() {
        return sparse(py, &x.select(at)).map(Some);
    }
    if let Some(x) = store.downcast_ref::<Csr<f32>>() {
        return sparse(py, &x.select(at)).map(Some);
    }
    if let Some(x) = store.downcast_ref::<Dense<f64>>() {
        return rows(py, x, at).map(Some);
    }
    store.downcast_ref::<Dense<f32>>().map(|x| rows(py, x, at)).transpose()
}

fn rows<'py, T: Real + Element>(
    py: Python<'py>,
    x: &Dense<T>,
    at: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<T> = at.iter().flat_map(|&row| x.row(row).iter().copied()).collect();
    Ok(numbers.to_pyarray(py).reshape([at.len(), x.d()])?.into_any())
}
