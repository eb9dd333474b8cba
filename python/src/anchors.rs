//! The samples that a model keeps, as Python objects, and their restoration in an unpickled model.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use mercer::io::Model as Fitted;
use mercer::points::Points as _;
use mercer::real::Real;
use mercer::{AnySamples, Csr, Items, KernelSpec, Samples};
use numpy::{Element, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::borrowed_array;
use crate::custom::{self, Function};

/// The anchors of a model as Python objects: numbers borrowed in place, objects as they came. `owner` must be the frozen
/// object that the model belongs to. None for a model without anchors.
pub fn of<'py>(fitted: &Fitted, owner: Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let anchors = fitted.kernel().and_then(|(_, anchors)| anchors);
    anchors.map(|anchors| shown(anchors, owner)).transpose()
}

/// Samples as Python objects; `owner` as in [`of`].
pub fn shown<'py>(samples: &AnySamples, owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match samples {
        AnySamples::F32(samples) => as_python(samples, owner),
        AnySamples::F64(samples) => as_python(samples, owner),
    }
}

/// The kernel of a model that was fitted on samples, with its parameters resolved; None for other models.
pub fn kernel(fitted: &Fitted) -> Option<&KernelSpec> {
    fitted.kernel().and_then(|(kernel, anchors)| anchors.map(|_| kernel))
}

fn as_python<'py, T: Real + Element>(
    anchors: &Samples<T>,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    match anchors {
        // SAFETY: the samples belong to a frozen object, which the array keeps alive.
        Samples::Dense(x) => unsafe { borrowed_array(x.data(), x.n(), x.d(), owner) },
        Samples::Sparse(x) => sparse(py, x),
        Samples::Strings(texts) => {
            let texts: Vec<&str> = texts.iter().collect();
            py.import("numpy")?.call_method1("array", (texts, "object"))
        }
        Samples::Items(items) => {
            let (store, places) = custom::objects(py, items)?;
            store.bind(py).call_method1("take", (places,))
        }
        Samples::Parts(parts) => {
            let groups = PyList::empty(py);
            for part in parts.all() {
                groups.append((part.names.clone(), as_python(&part.samples, owner.clone())?))?;
            }
            Ok(groups.into_any())
        }
    }
}

/// A copy as scipy has sparse rows.
pub fn sparse<'py, T: Real + Element>(py: Python<'py>, x: &Csr<T>) -> PyResult<Bound<'py, PyAny>> {
    let starts: Vec<i64> = x.starts().iter().map(|&start| start as i64).collect();
    let columns: Vec<i64> = x.columns().iter().map(|&column| i64::from(column)).collect();
    let parts = (x.values().to_pyarray(py), columns.to_pyarray(py), starts.to_pyarray(py));
    py.import("scipy.sparse")?.call_method1("csr_array", (parts, (x.n(), x.d())))
}

/// Functions, and stores of objects.
type UserObjects = (Vec<Py<PyAny>>, Vec<Py<PyAny>>);

/// What a file cannot store of a model: the functions in its kernel, and the stores of its items in order of appearance.
pub fn user_objects(fitted: &Fitted, py: Python<'_>) -> PyResult<UserObjects> {
    let Some((kernel, anchors)) = fitted.kernel() else { return Ok((Vec::new(), Vec::new())) };
    let custom = kernel.custom_functions().into_iter();
    let functions = custom.filter_map(|custom| Function::object(custom.bound()?, py));
    let store_of = |items: Items| {
        let (store, places) = custom::objects(py, &items)?;
        Ok(store.bind(py).call_method1("part", (places,))?.unbind())
    };
    let items = anchors.map(AnySamples::items).unwrap_or_default();
    let stores = items.into_iter().map(store_of).collect::<PyResult<_>>()?;
    Ok((functions.collect(), stores))
}

/// Drops the user's objects that are not anchors, which a subset of items still references.
pub fn compact(fitted: &mut Fitted, py: Python<'_>) -> PyResult<()> {
    let (_, stores) = user_objects(fitted, py)?;
    if stores.is_empty() { Ok(()) } else { put_back(fitted, Vec::new(), stores) }
}

/// Puts back what [`user_objects`] gave.
pub fn put_back(
    fitted: &mut Fitted,
    functions: Vec<Bound<'_, PyAny>>,
    stores: Vec<Py<PyAny>>,
) -> PyResult<()> {
    let Some((kernel, anchors)) = fitted.kernel_mut() else { return Ok(()) };
    *kernel = bound(kernel, functions)?;
    if let Some(anchors) = anchors {
        let restored =
            |(items, store): (Items, Py<PyAny>)| custom::items(store, items.len()).unwrap_or(items);
        *anchors = anchors.with_items(&mut anchors.items().into_iter().zip(stores).map(restored));
    }
    Ok(())
}

/// The kernel with these functions in the places of their names.
pub fn bound(kernel: &KernelSpec, functions: Vec<Bound<'_, PyAny>>) -> PyResult<KernelSpec> {
    functions.into_iter().try_fold(kernel.clone(), |kernel, call| {
        let function = Function::new(call)?;
        let name = function.name().to_string();
        Ok(kernel.bind(&name, std::sync::Arc::new(function)))
    })
}
