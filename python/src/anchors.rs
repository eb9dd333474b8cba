//! The samples that a model keeps, as Python sees them, and back into a model that came without them.

#![allow(unsafe_code)] // numbers of a model are shown to numpy where they lie

use mercer::io::Model as Fitted;
use mercer::kernel::KernelSpec;
use mercer::points::{Csr, Items, Points as _, Samples};
use mercer::real::Real;
use numpy::{Element, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::shown;
use crate::own::{self, Function};

/// Runs the same lines with `$model` bound to the part of a model that has a kernel and anchors.
macro_rules! with_anchored {
    ($fitted:expr, $model:ident => $body:expr, $none:expr) => {
        match $fitted {
            Fitted::Pca(_) | Fitted::Repair(_) => $none,
            Fitted::KernelPca32($model) => $body,
            Fitted::KernelPca64($model) => $body,
            Fitted::KernelRidge32($model) => $body,
            Fitted::KernelRidge64($model) => $body,
            Fitted::Svm32($model) => $body,
            Fitted::Svm64($model) => $body,
            Fitted::KernelKMeans32($model) => $body,
            Fitted::KernelKMeans64($model) => $body,
            Fitted::Detector32(mercer::model::detector::Detector { pca: $model, .. }) => $body,
            Fitted::Detector64(mercer::model::detector::Detector { pca: $model, .. }) => $body,
        }
    };
}

/// The anchors of a model for people: numbers where they lie, objects as they came. `owner` must be the frozen object that
/// the model belongs to. None for a model without.
pub fn of<'py>(fitted: &Fitted, owner: Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_anchored!(fitted, model => {
        model.anchors.as_ref().map(|anchors| for_people(anchors, owner)).transpose()
    }, Ok(None))
}

fn for_people<'py, T: Real + Element>(
    anchors: &Samples<T>,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    match anchors {
        // SAFETY: the samples belong to a frozen object, which the array keeps alive.
        Samples::Dense(x) => unsafe { shown(x.data(), x.n(), x.d(), owner) },
        Samples::Sparse(x) => sparse(py, x),
        Samples::Strings(texts) => {
            let texts: Vec<&str> = texts.iter().collect();
            py.import("numpy")?.call_method1("array", (texts, "object"))
        }
        Samples::Items(items) => {
            let (store, places) = own::objects(py, items)?;
            store.bind(py).call_method1("take", (places,))
        }
        Samples::Parts(parts) => {
            let groups = PyList::empty(py);
            for part in parts.all() {
                groups.append((part.names.clone(), for_people(&part.samples, owner.clone())?))?;
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
type OfTheUser = (Vec<Py<PyAny>>, Vec<Py<PyAny>>);

/// What a file does not hold of a model: the functions in its kernel, and the stores of its items in order of appearance.
pub fn of_the_user(fitted: &Fitted, py: Python<'_>) -> PyResult<OfTheUser> {
    with_anchored!(fitted, model => {
        let owns = model.params.kernel.custom_functions();
        let functions = owns.into_iter().filter_map(|own| Function::object(own.bound()?, py));
        let mut stores = Vec::new();
        if let Some(anchors) = &model.anchors {
            visit_items(anchors, &mut |items: &Items| {
                let (store, places) = own::objects(py, items)?;
                stores.push(store.bind(py).call_method1("part", (places,))?.unbind());
                Ok(())
            })?;
        }
        Ok((functions.collect(), stores))
    }, Ok((Vec::new(), Vec::new())))
}

fn visit_items<T: Real>(
    samples: &Samples<T>,
    f: &mut impl FnMut(&Items) -> PyResult<()>,
) -> PyResult<()> {
    match samples {
        Samples::Items(items) => f(items),
        Samples::Parts(parts) => {
            parts.all().iter().try_for_each(|part| visit_items(&part.samples, f))
        }
        _ => Ok(()),
    }
}

/// Lets go of the user's objects that are no anchors, which a choice among items still holds.
pub fn compact(fitted: &mut Fitted, py: Python<'_>) -> PyResult<()> {
    let (_, stores) = of_the_user(fitted, py)?;
    if stores.is_empty() { Ok(()) } else { put_back(fitted, Vec::new(), stores) }
}

/// Puts back what [`of_the_user`] gave.
pub fn put_back(
    fitted: &mut Fitted,
    functions: Vec<Bound<'_, PyAny>>,
    stores: Vec<Py<PyAny>>,
) -> PyResult<()> {
    let mut stores = stores.into_iter();
    with_anchored!(fitted, model => {
        model.params.kernel = bound(&model.params.kernel, functions)?;
        if let Some(anchors) = &mut model.anchors {
            *anchors = with_items(anchors, &mut stores);
        }
        Ok(())
    }, Ok(()))
}

/// The kernel with these functions in the places of their names.
pub fn bound(kernel: &KernelSpec, functions: Vec<Bound<'_, PyAny>>) -> PyResult<KernelSpec> {
    functions.into_iter().try_fold(kernel.clone(), |kernel, call| {
        let function = Function::new(call)?;
        let name = function.name().to_string();
        Ok(kernel.bind(&name, std::sync::Arc::new(function)))
    })
}

fn with_items<T: Real>(
    samples: &Samples<T>,
    stores: &mut dyn Iterator<Item = Py<PyAny>>,
) -> Samples<T> {
    match samples {
        Samples::Items(items) => {
            let found = stores.next().and_then(|store| own::items(store, items.len()).ok());
            Samples::Items(found.unwrap_or_else(|| items.clone()))
        }
        Samples::Parts(parts) => {
            let stores = std::cell::RefCell::new(stores);
            let filled = parts.map(|part| Ok(with_items(part, &mut **stores.borrow_mut())));
            filled.map_or_else(|_| samples.clone(), Samples::Parts)
        }
        other => other.clone(),
    }
}
