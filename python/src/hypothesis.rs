//! Tests of two samples, of independence and of goodness of fit.

use mercer::hypothesis::{
    self, Hsic, HsicParams, Mmd, MmdParams, Null, Outcome, Statistic, Stein, SteinParams,
};
use mercer::{AnyMat, Dense, KernelSpec};
use mercer_guard::guarded;
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Matrix;
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::fit::unknown;
use crate::kernels::KernelArg;
use crate::samples::{Given, Samples};

/// How two samples are compared, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MmdSettings<'py> {
    kernel: KernelArg<'py>,
    candidates: Vec<KernelArg<'py>>,
    statistic: String,
    block_size: usize,
    permutations: Option<usize>,
    seed: u64,
}

impl MmdSettings<'_> {
    fn params(&self, py: Python<'_>) -> PyResult<MmdParams> {
        let mut params = MmdParams::new(self.kernel.spec(py)?);
        let specs = self.candidates.iter().map(|kernel| kernel.spec(py));
        params.candidates = specs.collect::<PyResult<Vec<KernelSpec>>>()?;
        params.statistic = match self.statistic.as_str() {
            "biased" => Statistic::Biased,
            "unbiased" => Statistic::Unbiased,
            "block" => Statistic::Blocks(self.block_size),
            name => return Err(unknown("statistic", name)),
        };
        params.null = null(self.permutations);
        params.seed = self.seed;
        Ok(params)
    }
}

fn null(permutations: Option<usize>) -> Null {
    permutations.map_or(Null::Gamma, Null::Permutations)
}

fn described<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("statistic", outcome.statistic)?;
    dict.set_item("p_value", outcome.p_value)?;
    dict.set_item("null", outcome.null.to_pyarray(py))?;
    dict.set_item("moments", outcome.moments)?;
    let kernels: Vec<String> = outcome.kernels.iter().map(ToString::to_string).collect();
    dict.set_item("kernels", kernels)?;
    dict.set_item("used", outcome.used)?;
    dict.set_item("storage", &outcome.storage)?;
    dict.set_item("notes", outcome.notes.clone())?;
    Ok(dict)
}

/// Tests whether the `first` samples and all others come from one distribution.
#[guarded]
#[pyfunction]
pub fn mmd<'py>(
    py: Python<'py>,
    x: Given<'_>,
    first: usize,
    choices: MmdSettings<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let (params, input) = (choices.params(py)?, x.input()?);
    let found = enter(py, &run, |ctx| Mmd::test(ctx, &params, input, first))?;
    let dict = described(py, &found.outcome)?;
    dict.set_item("witness", found.witness.to_pyarray(py))?;
    let tested = found.tested.map(|rows| rows.iter().map(|&row| row as i64).collect::<Vec<_>>());
    dict.set_item("tested", tested.map(|rows| rows.to_pyarray(py)))?;
    Ok(dict)
}

/// The witness of the `first` samples and all others at the samples `z`.
#[guarded]
#[pyfunction]
pub fn witness<'py>(
    py: Python<'py>,
    kernel: KernelArg<'_>,
    x: &Bound<'_, Samples>,
    first: usize,
    z: &Bound<'_, Samples>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (spec, x, z) = (kernel.spec(py)?, x.get().samples(), z.get().samples());
    let found = enter(py, &run, |ctx| hypothesis::witness(ctx, &spec, x, first, z))?;
    Ok(found.to_pyarray(py))
}

/// Tests whether the samples `x` are independent of the samples `y` beside them.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, y, kernel_x, kernel_y, permutations, seed, run))]
pub fn hsic<'py>(
    py: Python<'py>,
    x: Given<'_>,
    y: Given<'_>,
    kernel_x: KernelArg<'_>,
    kernel_y: KernelArg<'_>,
    permutations: Option<usize>,
    seed: u64,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let mut params = HsicParams::new(kernel_x.spec(py)?, kernel_y.spec(py)?);
    params.null = null(permutations);
    params.seed = seed;
    let (x, y) = (x.input()?, y.input()?);
    let found = enter(py, &run, |ctx| Hsic::test(ctx, &params, x, y))?;
    let dict = described(py, &found.outcome)?;
    dict.set_item("correlation", found.correlation)?;
    Ok(dict)
}

/// Tests whether the samples `x` (n × d) come from the density with the given scores, or from a normal distribution if there are none.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, scores, kernel, draws, change, seed, run))]
pub fn stein<'py>(
    py: Python<'py>,
    x: Matrix<'_>,
    scores: Option<Matrix<'_>>,
    kernel: KernelArg<'_>,
    draws: usize,
    change: f64,
    seed: u64,
    run: Run,
) -> PyResult<Bound<'py, PyDict>> {
    let mut params = SteinParams::new(kernel.spec(py)?);
    (params.draws, params.change, params.seed) = (draws, change, seed);
    let x: Dense<f64> = x.view()?.to_dense().map_err(|error| exception(py, error))?;
    let scores = match &scores {
        None => None,
        Some(scores) => match scores.view()? {
            AnyMat::F64(scores) => Some(scores),
            AnyMat::F32(_) => {
                return Err(PyTypeError::new_err("scores must be in double precision"));
            }
        },
    };
    let found = enter(py, &run, |ctx| match scores {
        Some(scores) => Stein::test(ctx, &params, &x, scores),
        None => Stein::normal(ctx, &params, &x),
    })?;
    let dict = described(py, &found.outcome)?;
    dict.set_item("unbiased", found.unbiased)?;
    dict.set_item("contributions", found.contributions.to_pyarray(py))?;
    Ok(dict)
}

/// The energy distance of each column of `x`, whose `first` rows are one table, with its p-value, as it is and adjusted.
#[guarded]
#[pyfunction]
pub fn column_tests(
    py: Python<'_>,
    x: Matrix<'_>,
    first: usize,
    permutations: usize,
    seed: u64,
    run: Run,
) -> PyResult<Vec<(f64, f64, f64)>> {
    let x: Dense<f64> = x.view()?.to_dense().map_err(|error| exception(py, error))?;
    let groups: Vec<_> = (0..x.d()).map(|column| column..column + 1).collect();
    let found =
        enter(py, &run, |ctx| hypothesis::columns(ctx, &x, &groups, first, permutations, seed))?;
    Ok(found.iter().map(|test| (test.statistic, test.p_value, test.adjusted)).collect())
}
