//! Kernels that are Python functions, and the objects that they compare.
//!
//! The library asks for a tile; a Python object picks the items of its rows and columns, calls the user's function, and
//! checks what comes back. What the function raises travels through the library as an error and is raised again as it is.

use std::any::Any;
use std::sync::Arc;

use mercer::kernel::{Chosen, OwnKernel};
use mercer::points::Items;
use mercer::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

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
        let asked = (object(py, rows)?, places(py, rows), object(py, cols)?, places(py, cols));
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
    let chosen = Chosen { store: &**items.store(), at: items.at() };
    Ok((object(py, chosen)?, places(py, chosen)))
}

fn object(py: Python<'_>, chosen: Chosen<'_>) -> PyResult<Py<PyAny>> {
    let store = chosen.store.downcast_ref::<Store>();
    store.map(|store| store.0.clone_ref(py)).ok_or_else(|| {
        PyTypeError::new_err("the samples of this model are objects that its file does not hold")
    })
}

fn places<'py>(py: Python<'py>, chosen: Chosen<'_>) -> Bound<'py, PyArray1<i64>> {
    let places: Vec<i64> = chosen.at.iter().map(|&place| place as i64).collect();
    places.to_pyarray(py)
}
