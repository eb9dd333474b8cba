//! Rows that come in blocks: from a Python object, or from files, and tables that are written piece by piece.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use mercer::io::append::stage_pieces;
use mercer::io::stream::TableStream;
use mercer::io::{Column, ReadOptions, Staged, Table};
use mercer::model::landmarks::{Regrouped, RowBlock, RowBlocks, Workers};
use mercer::real::Real;
use mercer::{Dtype, Error, Result};
use mercer_guard::guarded;
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::anchors::sparse;
use crate::errors::exception;
use crate::ridge::TargetArrays;
use crate::samples::Samples;

/// Samples that a Python object gives block by block: it has `rows`, the number of all rows or None, `share`, how much of them was read or None, `once`, whether they can be read only once, `rewind(passes)`, and `next()`, which returns None at the end, else samples and their targets with
/// weights, or None.
#[pyclass(frozen, module = "mercer._core")]
pub struct Blocks {
    source: Py<PyAny>,
    /// The number type of the samples.
    pub dtype: Dtype,
}

#[guarded]
#[pymethods]
impl Blocks {
    /// The object, and whether samples are in single precision.
    #[new]
    fn new(source: Py<PyAny>, single: bool) -> Self {
        let dtype = if single { Dtype::F32 } else { Dtype::F64 };
        Self { source, dtype }
    }
}

impl Blocks {
    /// The blocks, as the library takes them.
    pub fn rows(&self, py: Python<'_>) -> Regrouped<Source> {
        let remote = self.source.bind(py).getattr("remote").and_then(|remote| remote.extract());
        let is_remote = remote.unwrap_or(false);
        Regrouped::new(Source { source: self.source.clone_ref(py), is_remote })
    }
}

/// A Python object as a source of blocks. One that is `remote` makes passes elsewhere: it has `head()`, which returns the first rows, and `run_pass(name, pass, merged, beside, report)`,
/// which returns a list of what was found.
pub struct Source {
    source: Py<PyAny>,
    is_remote: bool,
}

/// What Python raised, on its way through the library.
pub fn passed_on(raised: PyErr) -> Error {
    Error::Custom { name: "the source of rows".into(), source: Box::new(raised) }
}

impl Source {
    /// The object.
    pub fn bound<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.source.bind(py)
    }

    /// The block that a method returns, if there is one.
    pub fn taken(&self, py: Python<'_>, method: &str) -> PyResult<Option<RowBlock<'static>>> {
        let found = self.source.bind(py).call_method0(method)?;
        if found.is_none() {
            return Ok(None);
        }
        let (samples, targets): (Bound<'_, Samples>, Option<TargetArrays<'_>>) = found.extract()?;
        let mut block = RowBlock::new(samples.get().samples().clone());
        if let Some(targets) = targets {
            let targets = targets.read()?;
            let values = targets.regressed().map_err(|error| exception(py, error))?;
            block.targets = (values.cols() > 0).then_some(std::borrow::Cow::Owned(values));
            block.weights = targets.weights.map(std::borrow::Cow::Owned);
        }
        Ok(Some(block))
    }
}

impl RowBlocks for Source {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        Python::attach(|py| self.source.call_method1(py, "rewind", (passes,)).map(drop))
            .map_err(passed_on)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        Python::attach(|py| self.taken(py, "next")).map_err(passed_on)
    }

    fn rows(&self) -> Option<u64> {
        // Of text, it is known after the first pass.
        Python::attach(|py| self.source.getattr(py, "rows").ok()?.extract(py).ok()?)
    }

    fn share(&self) -> Option<f64> {
        Python::attach(|py| self.source.getattr(py, "share").ok()?.extract(py).ok()?)
    }

    fn is_once(&self) -> bool {
        Python::attach(|py| self.source.getattr(py, "once").and_then(|once| once.extract(py)))
            .unwrap_or(false)
    }

    fn workers(&mut self) -> Option<&mut dyn Workers> {
        if self.is_remote { Some(self) } else { None }
    }
}

/// A column by its name, or by its place counted from 0.
#[derive(FromPyObject)]
pub enum ColumnName {
    Place(usize),
    Name(String),
}

impl ColumnName {
    fn find(&self, head: &Table) -> PyResult<Result<usize>> {
        match self {
            ColumnName::Name(name) => Ok(head.named(name)),
            ColumnName::Place(place) if *place < head.n_columns() => Ok(Ok(*place)),
            ColumnName::Place(place) => Err(PyValueError::new_err(format!(
                "there is no column {place}: the table has columns 0 to {}",
                head.n_columns() - 1
            ))),
        }
    }
}

/// What columns are for, in the order in which they are read.
struct Roles {
    features: usize,
    targets: usize,
    weights: bool,
}

/// What is known of the columns after the first block.
struct Kinds {
    texts: Vec<bool>,
    is_sparse: bool,
    single: bool,
}

struct State {
    stream: TableStream,
    kinds: Option<Kinds>,
}

/// A table in files, read block by block.
#[pyclass(frozen, module = "mercer._core")]
pub struct TableScan {
    state: Mutex<State>,
    roles: Roles,
    names: Option<Vec<String>>,
}

#[guarded]
#[pymethods]
impl TableScan {
    /// The table at a path: a file, a directory or a pattern. Columns are chosen as features, targets and weights.
    #[new]
    #[pyo3(signature = (path, columns, targets, weights, block_rows))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        columns: Option<Vec<ColumnName>>,
        targets: Vec<ColumnName>,
        weights: Option<ColumnName>,
        block_rows: Option<usize>,
    ) -> PyResult<Self> {
        let raised = |error| exception(py, error);
        let opened = py.detach(|| TableStream::open(&path, &ReadOptions::default()));
        let mut stream = opened.map_err(raised)?;
        let head = stream.head();
        let find = |name: &ColumnName| name.find(head)?.map_err(raised);
        let targets = targets.iter().map(find).collect::<PyResult<Vec<usize>>>()?;
        let targets = match (targets.is_empty(), head.label) {
            (true, Some(label)) if columns.is_none() => vec![label],
            _ => targets,
        };
        let weights = weights.iter().map(find).collect::<PyResult<Vec<usize>>>()?;
        let is_other = |i: &usize| targets.contains(i) || weights.contains(i);
        let features = match &columns {
            Some(columns) => columns.iter().map(find).collect::<PyResult<Vec<usize>>>()?,
            None => (0..head.n_columns()).filter(|i| !is_other(i)).collect(),
        };
        if let Some(twice) = features.iter().find(|i| is_other(i)) {
            let message =
                format!("column {:?} is a feature and a target or weight", head.name(*twice));
            return Err(PyValueError::new_err(message));
        }
        if features.is_empty() {
            return Err(PyValueError::new_err("no feature column is left"));
        }
        let names =
            head.names.as_ref().map(|names| features.iter().map(|&i| names[i].clone()).collect());
        let roles = Roles {
            features: features.len(),
            targets: targets.len(),
            weights: !weights.is_empty(),
        };
        stream.keep(&[features, targets, weights].concat());
        if let Some(rows) = block_rows {
            stream.set_block_rows(rows);
        }
        Ok(Self { state: Mutex::new(State { stream, kinds: None }), roles, names })
    }

    /// The names of the feature columns, if the files have any.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.names.clone()
    }

    /// How many rows there are, if that is known.
    #[getter]
    fn rows(&self) -> Option<u64> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stream.rows()
    }

    /// The share of the table that was read since the last rewind, if that is known.
    #[getter]
    fn share(&self) -> Option<f64> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stream.share()
    }

    /// Goes back to the first row.
    fn rewind(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stream.rewind();
    }

    /// The next rows: features, targets and weights; None at the end. Features are an array, a sparse array, or columns by name if some hold text.
    #[allow(clippy::type_complexity)]
    fn next<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>)>>
    {
        let raised = |error| exception(py, error);
        let mut locked = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *locked;
        let Some(table) = py.detach(|| state.stream.next_table()).map_err(raised)? else {
            return Ok(None);
        };
        let Roles { features, targets, weights } = self.roles;
        let is_label = targets == 1 && matches!(table.columns[features], Column::Text(_));
        let [x, y, w] = taken_apart(table, [features, targets, usize::from(weights)]);
        let kinds = state.kinds.get_or_insert_with(|| Kinds::of(&x));
        let x = match kinds {
            Kinds { single: true, .. } => kinds.features::<f32>(py, &x)?,
            Kinds { single: false, .. } => kinds.features::<f64>(py, &x)?,
        };
        let y = match targets {
            0 => None,
            _ if is_label => Some(labels(&y, 0).map_err(raised)?.into_pyobject(py)?.into_any()),
            _ => Some(matrix::<f64>(py, &y)?),
        };
        let w = weights.then(|| {
            let values = w.matrix::<f64>().map_err(raised)?;
            PyResult::Ok(values.to_pyarray(py).into_any())
        });
        Ok(Some((x, y, w.transpose()?)))
    }
}

/// The columns of a table in groups of so many, without a copy.
fn taken_apart<const N: usize>(mut table: Table, counts: [usize; N]) -> [Table; N] {
    let mut columns = std::mem::take(&mut table.columns).into_iter();
    let mut names = table.names.take().map(Vec::into_iter);
    counts.map(|count| Table {
        columns: columns.by_ref().take(count).collect(),
        names: names.as_mut().map(|names| names.by_ref().take(count).collect()),
        ..table.clone()
    })
}

impl Kinds {
    fn of(x: &Table) -> Self {
        let texts = x.columns.iter().map(|column| matches!(column, Column::Text(_))).collect();
        Self { texts, is_sparse: x.is_sparse(), single: x.is_f32() }
    }

    fn features<'py, T: Real + Element>(
        &self,
        py: Python<'py>,
        x: &Table,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.is_sparse {
            let rows = x.sparse_rows::<T>().map_err(|error| exception(py, error))?;
            return sparse(py, &rows);
        }
        if !self.texts.contains(&true) || x.columns.iter().all(holds_numbers) {
            return matrix::<T>(py, x);
        }
        let columns = PyDict::new(py);
        for (i, is_text) in self.texts.iter().enumerate() {
            let cells = match is_text {
                true => {
                    let texts = (0..x.n_rows()).map(|row| x.columns[i].text(row));
                    PyList::new(py, texts)?.into_any()
                }
                false => {
                    let values = x.clone().keep(&[i]).matrix::<T>();
                    values.map_err(|error| exception(py, error))?.to_pyarray(py).into_any()
                }
            };
            columns.set_item(x.name(i), cells)?;
        }
        Ok(columns.into_any())
    }
}

/// Whether every cell of a column is a number or missing, so that an error can name its place.
fn holds_numbers(column: &Column) -> bool {
    (0..column.len()).all(|row| column.number(row).is_some())
}

fn matrix<'py, T: Real + Element>(py: Python<'py>, x: &Table) -> PyResult<Bound<'py, PyAny>> {
    let values = py.detach(|| x.matrix::<T>()).map_err(|error| exception(py, error))?;
    Ok(PyArray1::from_vec(py, values).reshape([x.n_rows(), x.n_columns()])?.into_any())
}

/// The cells of a column of labels, none of which is missing.
fn labels(table: &Table, column: usize) -> Result<Vec<String>> {
    let label = |row: usize| match table.columns[column].text(row) {
        text if text.trim().is_empty() => {
            Err(table.fault(row, column, "is missing a label: fill it in or remove the row first"))
        }
        text => Ok(text),
    };
    (0..table.n_rows()).map(label).collect()
}

/// A column of a table to be written.
#[derive(FromPyObject)]
pub enum Cells<'py> {
    /// Numbers.
    F64(PyReadonlyArray1<'py, f64>),
    /// Numbers in single precision.
    F32(PyReadonlyArray1<'py, f32>),
    /// Texts.
    Text(Vec<String>),
}

impl Cells<'_> {
    fn column(&self) -> Column {
        match self {
            Cells::F64(values) => Column::F64(values.as_array().to_vec()),
            Cells::F32(values) => Column::F32(values.as_array().to_vec()),
            Cells::Text(texts) => Column::Text(texts.clone()),
        }
    }
}

/// Writes a table of the pieces that `next` returns until it returns None: lists of names and cells. The file appears whole, or not at all; returns its rows.
#[guarded]
#[pyfunction]
pub fn write_pieces(py: Python<'_>, path: PathBuf, next: Py<PyAny>) -> PyResult<u64> {
    let piece = |py: Python<'_>| -> PyResult<Option<Table>> {
        let found: Option<Vec<(String, Cells<'_>)>> = next.call0(py)?.extract(py)?;
        let Some(found) = found else { return Ok(None) };
        let (names, cells): (Vec<String>, Vec<Cells<'_>>) = found.into_iter().unzip();
        let columns: Vec<Column> = cells.iter().map(Cells::column).collect();
        match columns.iter().all(|column| column.len() == columns[0].len()) {
            true => Ok(Some(Table::new(names, columns))),
            false => Err(PyTypeError::new_err("the columns of a piece differ in length")),
        }
    };
    let write = || {
        let mut staged = Staged::new();
        let rows = stage_pieces(&mut staged, &path, || Python::attach(&piece).map_err(passed_on))?;
        staged.commit().map(|()| rows)
    };
    // Others may run while a full disk or a slow one is waited for.
    py.detach(write).map_err(|error| exception(py, error))
}
