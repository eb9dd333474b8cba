//! Passes over rows that lie on other machines: what is asked of them, what they do, and what they find, as bytes.

use std::path::Path;

use mercer::context::Step;
use mercer::io::{
    Model as Fitted, ModelFile, from_bytes, packet_from_bytes, packet_to_bytes, to_bytes,
};
use mercer::model::ScalingPasses;
use mercer::model::landmarks::{Beside, Packet, RowBlock, RowBlocks, Work, Workers};
use mercer::model::svm::Svm;
use mercer::select::prepared_pass;
use mercer::{Context, Dtype, Error, Result};
use mercer_guard::guarded;
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyList, PyTuple};

use crate::blocks::{Blocks, Source, passed_on};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::model::Model;
use crate::samples::Given;
use crate::svm::targets::{SvmSettings, TargetArrays};

/// A pass that is ready to be made over parts of the rows.
#[pyclass(frozen, module = "mercer._core")]
pub struct Pass(Box<dyn Work>);

#[guarded]
#[pymethods]
impl Pass {
    /// The pass that bytes describe.
    #[new]
    fn new(py: Python<'_>, described: PyBackedBytes, run: Run) -> PyResult<Self> {
        enter(py, &run, |ctx| prepared_pass(ctx, &packet_from_bytes(&described)?)).map(Self)
    }

    /// What it finds of some rows, the first of which is row `first` of all, with what belongs to them: lists of so many bytes for each row.
    fn part<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, Blocks>,
        first: u64,
        beside: Vec<(usize, PyBackedBytes)>,
        run: Run,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let beside = beside.into_iter().map(|(width, bytes)| (width, bytes.to_vec()));
        let beside = Beside(beside.collect());
        let mut source = rows.get().rows(py);
        let found = enter(py, &run, |ctx| {
            self.0.part(ctx, first, &mut source, &beside).and_then(|found| packet_to_bytes(&found))
        });
        Ok(PyBytes::new(py, &found?))
    }
}

/// What parts of the rows have, added up.
#[guarded]
#[pyfunction]
pub fn merge_parts<'py>(
    py: Python<'py>,
    parts: Vec<PyBackedBytes>,
    run: Run,
) -> PyResult<Bound<'py, PyBytes>> {
    let merged = enter(py, &run, |ctx| {
        let mut all = parts.iter().map(|part| packet_from_bytes(part));
        let none = || Error::Shape("the workers returned no results".into());
        let mut sum = all.next().ok_or_else(none)??;
        all.try_for_each(|part| sum.merge(ctx, &part?))?;
        packet_to_bytes(&sum)
    });
    Ok(PyBytes::new(py, &merged?))
}

/// The scaling of the columns of rows that lie elsewhere: what is taken away from each column, and what it is multiplied with then.
#[guarded]
#[pyfunction]
pub fn remote_scaling(
    py: Python<'_>,
    rows: &Bound<'_, Blocks>,
    kind: &str,
    run: Run,
) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let kind = serde_json::from_value(kind.into())
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (mut source, dtype) = (rows.get().rows(py), rows.get().dtype);
    let scaling = enter(py, &run, |ctx| {
        let none = || Error::Shape("the rows lie on no other machine".into());
        let workers = source.workers().ok_or_else(none)?;
        match dtype {
            Dtype::F32 => ScalingPasses::elsewhere::<f32>(ctx, kind, workers),
            Dtype::F64 => ScalingPasses::elsewhere::<f64>(ctx, kind, workers),
        }
    });
    scaling.map(|scaling| (scaling.shift, scaling.factor))
}

/// Fits a machine for each cell of samples, with the machines fitted by `farm`, which is given a list of their descriptions and a function of the cells done and all cells, and
/// returns a list of their models.
#[guarded]
#[pyfunction]
pub fn fit_svm_cells(
    py: Python<'_>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    settings: SvmSettings<'_>,
    farm: Py<PyAny>,
    run: Run,
) -> PyResult<Model> {
    let (params, targets) = (settings.params(py)?, targets.read()?);
    let Given::Samples(samples) = &x else {
        return Err(PyTypeError::new_err("only SVMs on samples are fitted on other machines"));
    };
    let samples = samples.get().samples();
    let fitted = |ctx: &Context, packets: Vec<Packet>| fitted_by(ctx, &farm, &packets);
    let model =
        enter(py, &run, |ctx| Svm::fit_cells_elsewhere(ctx, &params, samples, &targets, &fitted))?;
    crate::svm::python_model(py, model, &settings.dtype)
}

fn fitted_by(ctx: &Context, farm: &Py<PyAny>, packets: &[Packet]) -> Result<Vec<Svm>> {
    let described = packets.iter().map(packet_to_bytes).collect::<Result<Vec<_>>>()?;
    let found = Python::attach(|py| -> PyResult<Vec<PyBackedBytes>> {
        let described: Vec<_> = described.iter().map(|bytes| PyBytes::new(py, bytes)).collect();
        farm.bind(py).call1((described, progress(py, ctx, "cells")?))?.extract()
    });
    ctx.poll()?;
    let model = |bytes: &PyBackedBytes| match from_bytes(Path::new("a machine"), bytes)?.model {
        Fitted::Svm(model) => Ok(model),
        _ => Err(Error::Shape("another model came back".into())),
    };
    found.map_err(passed_on)?.iter().map(model).collect()
}

/// Fits the machine of a cell.
#[guarded]
#[pyfunction]
pub fn fit_svm_cell<'py>(
    py: Python<'py>,
    described: PyBackedBytes,
    run: Run,
) -> PyResult<Bound<'py, PyBytes>> {
    let fitted = enter(py, &run, |ctx| {
        let packet = packet_from_bytes(&described)?;
        let model = Svm::fit_packet(ctx, &packet)?;
        to_bytes(&ModelFile::new(model.into(), packet.samples("x")?.dtype()))
    });
    Ok(PyBytes::new(py, &fitted?))
}

/// The rows of a group: parts of a table begin where one does.
#[guarded]
#[pyfunction]
pub fn group_rows() -> usize {
    mercer::gram::GROUP
}

impl Workers for Source {
    fn head(&mut self) -> Result<RowBlock<'static>> {
        let found = Python::attach(|py| self.taken(py, "head")).map_err(passed_on)?;
        found.ok_or_else(|| Error::Shape("there are no rows to fit on".into()))
    }

    fn rows(&self) -> u64 {
        RowBlocks::rows(self).unwrap_or(0)
    }

    fn run_beside(
        &mut self,
        ctx: &Context,
        pass: &Packet,
        merged: bool,
        beside: &Beside,
    ) -> Result<Vec<Packet>> {
        let described = packet_to_bytes(pass)?;
        let found = Python::attach(|py| -> PyResult<Vec<PyBackedBytes>> {
            let described = PyBytes::new(py, &described);
            let lists = beside.0.iter().map(|(width, bytes)| (*width, PyBytes::new(py, bytes)));
            let lists: Vec<_> = lists.collect();
            let args = (pass.name.as_str(), described, merged, lists, progress(py, ctx, "rows")?);
            let found = self.bound(py).call_method1("run_pass", args)?;
            found.cast::<PyList>()?.extract()
        });
        // What was asked to stop ends as such, whatever was raised meanwhile.
        ctx.poll()?;
        found.map_err(passed_on)?.iter().map(|bytes| packet_from_bytes(bytes)).collect()
    }
}

/// A function of what is done and of all, which raises an exception when the work is to stop.
fn progress<'py>(
    py: Python<'py>,
    ctx: &Context,
    stage: &'static str,
) -> PyResult<Bound<'py, PyCFunction>> {
    let ctx = ctx.clone();
    let report = move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
        let (done, total): (f64, f64) = args.extract()?;
        match ctx.step(Step::new(stage, done, total)) {
            Err(Error::Interrupted) => Err(PyKeyboardInterrupt::new_err(())),
            other => other.map_err(|error| exception(args.py(), error)),
        }
    };
    PyCFunction::new_closure(py, None, None, report)
}
