//! Kernels as specs: descriptions of the families, parsing, and the kernel matrix.

use mercer::kernel::{Domain, Family, Input, Leaf, Rule, Shape, Value};
use mercer::real::Real;
use mercer::{AnySamples, Context, KernelSpec, MatMut, SpecKernel, gram};
use mercer_guard::guarded;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::anchors::bound;
use crate::arrays::{OutputArray, with_output};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::fit::unknown;
use crate::samples::Samples;

/// A spec, alone or with the user-defined functions that it names.
#[derive(FromPyObject)]
pub enum KernelArg<'py> {
    /// A spec.
    Text(String),
    /// A spec with names of functions, and the functions.
    Bound(String, Vec<Bound<'py, PyAny>>),
}

impl KernelArg<'_> {
    /// The kernel.
    pub fn spec(&self, py: Python<'_>) -> PyResult<KernelSpec> {
        match self {
            KernelArg::Text(text) => parse(py, text),
            KernelArg::Bound(text, functions) => bound(&parse(py, text)?, functions.clone()),
        }
    }
}

/// The registry of kernel families, as dictionaries.
#[guarded]
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
    dict.set_item("input", input(family.input))?;
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
        entry.set_item("per_column", parameter.per_column)?;
        Ok(entry)
    });
    dict.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// The spec in canonical form; an invalid one is a ValueError that points at the character.
#[guarded]
#[pyfunction]
pub fn canonical(py: Python<'_>, text: &str) -> PyResult<String> {
    parse(py, text).map(|spec| spec.to_string())
}

/// The spec with a parameter, a number or the name of a rule, filled in wherever a member has it and leaves it open; how many
/// these are, and how many set it already.
#[guarded]
#[pyfunction]
pub fn filled(
    py: Python<'_>,
    text: &str,
    name: &str,
    value: FillValue,
) -> PyResult<(String, usize, usize)> {
    let value = value.read(name)?;
    let found = parse(py, text)?.fill(name, value).map_err(|error| exception(py, error))?;
    Ok((found.spec.to_string(), found.taken, found.already_set))
}

/// The value of a parameter to fill into a spec.
#[derive(FromPyObject)]
pub enum FillValue {
    /// A number.
    Number(f64),
    /// The name of a rule.
    Rule(String),
}

impl FillValue {
    fn read(&self, name: &str) -> PyResult<Value> {
        match self {
            FillValue::Number(number) => Ok(Value::Number(*number)),
            FillValue::Rule(text) => {
                let rule = Rule::ALL.into_iter().find(|rule| rule.name() == text);
                rule.map(Value::Rule).ok_or_else(|| unknown(name, text))
            }
        }
    }
}

/// The parameters of a member of a family, with a number or a rule's name for each.
pub fn values<'py>(py: Python<'py>, leaf: &Leaf) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("family", leaf.family().name)?;
    for (parameter, value) in leaf.effective() {
        value.map_or(Ok(()), |value| set(&dict, leaf, parameter.name, value))?;
    }
    Ok(dict)
}

fn set(dict: &Bound<'_, PyDict>, leaf: &Leaf, name: &str, value: Value) -> PyResult<()> {
    match value {
        Value::Number(number) => dict.set_item(name, number),
        Value::Rule(rule) => dict.set_item(name, rule.name()),
        Value::Word(word) => dict.set_item(name, word),
        Value::PerColumn => dict.set_item(name, leaf.list(name).map(|numbers| numbers.to_vec())),
    }
}

/// What a kernel is made of: the name of its outermost operation and the operands, which are texts, numbers and lists. For a
/// member of a family, its name and a dictionary of what is written.
#[guarded]
#[pyfunction]
pub fn shape<'py>(py: Python<'py>, text: &str) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    let (name, operands) = match parse(py, text)?.shape() {
        Shape::Member(leaf) => {
            let found = PyDict::new(py);
            for (parameter, value) in leaf.written() {
                set(&found, leaf, parameter.name, value)?;
            }
            ("member", (leaf.family().name, found).into_bound_py_any(py)?)
        }
        Shape::Sum(parts) => ("sum", texts(&parts).into_bound_py_any(py)?),
        Shape::Product(parts) => ("product", texts(&parts).into_bound_py_any(py)?),
        Shape::Scale(factor, inner) => {
            ("scale", (factor, inner.to_string()).into_bound_py_any(py)?)
        }
        Shape::Normalize(inner) => ("normalize", (inner.to_string(),).into_bound_py_any(py)?),
        Shape::Columns(names, inner) => {
            ("columns", (names.to_vec(), inner.to_string()).into_bound_py_any(py)?)
        }
        Shape::Custom(name) => ("custom", (name,).into_bound_py_any(py)?),
    };
    Ok((name, operands))
}

fn texts(parts: &[KernelSpec]) -> Vec<String> {
    parts.iter().map(ToString::to_string).collect()
}

/// The spec with every parameter a number, found from the samples where it is a rule.
#[guarded]
#[pyfunction]
pub fn resolve(py: Python<'_>, kernel: KernelArg<'_>, x: &Bound<'_, Samples>) -> PyResult<String> {
    let spec = kernel.spec(py)?;
    let resolved = spec.resolve(x.get().samples());
    resolved.map(|spec| spec.to_string()).map_err(|error| exception(py, error))
}

/// Fills `out` with the kernel values of the samples `x` with those of `y`, or with each other.
#[guarded]
#[pyfunction]
#[pyo3(signature = (kernel, x, y, out, run))]
pub fn fill_matrix(
    py: Python<'_>,
    kernel: KernelArg<'_>,
    x: &Bound<'_, Samples>,
    y: Option<Bound<'_, Samples>>,
    out: OutputArray<'_>,
    run: Run,
) -> PyResult<()> {
    let spec = kernel.spec(py)?;
    let (x, y) = (x.get().samples(), y.as_ref().map(|y| y.get().samples()));
    with_output!(out, out => enter(py, &run, |ctx| fill(ctx, &spec, x, y, out)))
}

fn fill<T: Real>(
    ctx: &Context,
    spec: &KernelSpec,
    x: &AnySamples,
    y: Option<&AnySamples>,
    out: MatMut<'_, T>,
) -> mercer::Result<()> {
    let (x, y) = (x.to_type::<T>()?, y.map(|y| y.to_type::<T>()).transpose()?);
    if let Some(y) = &y {
        x.check_like(y)?;
    }
    let kernel = SpecKernel::<T>::new(&spec.resolve(&x)?)?;
    gram::matrix(ctx, &kernel, &x, y.as_ref(), out)
}

/// Groups of columns with their kinds, and the kind of whole samples.
type Purpose = (Vec<(Vec<String>, Option<&'static str>)>, Option<&'static str>);

/// What samples a kernel takes: the groups of columns that it names, each with its kind, and the kind of whole samples:
/// `"numbers"`, `"categories"` or `"strings"`; None if only user-defined functions compare them.
#[guarded]
#[pyfunction]
pub fn purpose(py: Python<'_>, text: &str) -> PyResult<Purpose> {
    let spec = parse(py, text)?;
    let group = |names: &[String]| {
        let inner = spec.on_columns(names);
        (names.to_vec(), inner.as_ref().and_then(holds))
    };
    let groups = spec.columns().into_iter().map(group).collect();
    Ok((groups, holds(&spec)))
}

/// The scaling of columns that suits a kernel, where only one `with_width` may need it: `"standard"` for kernels on numbers whose units say nothing, else `"none"`.
#[guarded]
#[pyfunction]
pub fn usual_scaling(py: Python<'_>, text: &str, with_width: bool) -> PyResult<&'static str> {
    let spec = parse(py, text)?;
    let is_free = matches!(spec.input(), Some(Input::Vectors)) && !spec.has_period();
    let suits = is_free && (spec.has_width() || !with_width);
    Ok(if suits { "standard" } else { "none" })
}

fn holds(spec: &KernelSpec) -> Option<&'static str> {
    // Kernels on numbers beside those on categories see the codes of categories as numbers: the user makes them.
    let mixed = spec.needs_categories() && !spec.is_for_categories();
    if mixed { Some("numbers") } else { spec.input().map(input) }
}

fn input(input: Input) -> &'static str {
    match input {
        Input::Vectors | Input::Histograms => "numbers",
        Input::Categories => "categories",
        Input::Strings => "strings",
    }
}

/// The kernel that a text describes.
pub fn parse(py: Python<'_>, text: &str) -> PyResult<KernelSpec> {
    text.parse().map_err(|error| exception(py, error))
}
