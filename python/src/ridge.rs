//! Kernel ridge regression: fitting, predicting, and the attributes of a fitted model.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use mercer::io::{Model as Fitted, Saved};
use mercer::linalg::view::Mat;
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams, Targets};
use mercer::real::Real;
use mercer::solve::ridge::Solver;
use mercer::{Context, select};
use mercer_guard::guarded;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{OutputArray, borrowed_array, output, view};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::fit::{dtype_named, unknown};
use crate::kernels::{KernelArg, parse};
use crate::model::{Model, json};
use crate::samples::{Given, Number, Rows, Samples, other_type, with_given, with_points};

/// The parameters of kernel ridge regression, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct RidgeSettings<'py> {
    kernel: KernelArg<'py>,
    alpha: Vec<f64>,
    intercept: bool,
    solver: String,
    tolerance: Option<f64>,
    max_passes: Option<usize>,
    seed: u64,
    classes: Option<Vec<String>>,
    /// The number type of results.
    pub dtype: String,
}

impl RidgeSettings<'_> {
    /// The parameters.
    pub fn params(&self, py: Python<'_>) -> PyResult<KernelRidgeParams> {
        let solver = match self.solver.as_str() {
            "auto" => Solver::Auto,
            "cholesky" => Solver::Cholesky,
            "eigen" => Solver::Eigen,
            "cg" => Solver::Cg,
            name => return Err(unknown("solver", name)),
        };
        Ok(KernelRidgeParams {
            kernel: self.kernel.spec(py)?,
            alpha: self.alpha.clone(),
            intercept: self.intercept,
            solver,
            tolerance: self.tolerance,
            max_passes: self.max_passes,
            seed: self.seed,
        })
    }
}

/// Targets (n × t) and weights of samples.
#[derive(FromPyObject)]
pub struct TargetArrays<'py>(PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);

impl TargetArrays<'_> {
    /// Copies of the targets and of the weights.
    pub fn read(&self) -> PyResult<(Mat<f64>, Option<Vec<f64>>)> {
        let weights = self.1.as_ref().map(|weights| weights.as_slice().map(<[f64]>::to_vec));
        Ok((copied(&self.0)?, weights.transpose()?))
    }
}

fn copied(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Mat<f64>> {
    let from = view(array)?;
    Ok(Mat::from_fn(from.rows(), from.cols(), |i, j| from.at(i, j)))
}

/// What a fit is given, samples aside.
struct Task {
    params: KernelRidgeParams,
    values: Mat<f64>,
    weights: Option<Vec<f64>>,
    start: Option<Mat<f64>>,
    classes: Option<Vec<String>>,
}

impl Task {
    fn new(
        py: Python<'_>,
        targets: &TargetArrays<'_>,
        start: Option<&PyReadonlyArray2<'_, f64>>,
        settings: &RidgeSettings<'_>,
    ) -> PyResult<Self> {
        let (values, weights) = targets.read()?;
        let (start, classes) = (start.map(copied).transpose()?, settings.classes.clone());
        Ok(Self { params: settings.params(py)?, values, weights, start, classes })
    }

    fn targets(&self) -> Targets<'_> {
        Targets { values: &self.values, weights: self.weights.as_deref() }
    }

    fn fit<T: Real>(&self, ctx: &Context, rows: Rows<'_, T>) -> mercer::Result<KernelRidge<T>> {
        let (params, targets, start) = (&self.params, self.targets(), self.start.as_ref());
        let model = match rows {
            Rows::Samples(x) => KernelRidge::fit(ctx, params, x, targets, start)?,
            Rows::Matrix(x) => KernelRidge::fit_gram(ctx, params, x, targets, start)?,
        };
        Ok(KernelRidge { classes: self.classes.clone(), ..model })
    }
}

/// Fits kernel ridge regression on samples or on a kernel matrix; conjugate gradients begin with the coefficients `start`.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, targets, start, choices, run))]
pub fn fit_kernel_ridge(
    py: Python<'_>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    start: Option<PyReadonlyArray2<'_, f64>>,
    choices: RidgeSettings<'_>,
    run: Run,
) -> PyResult<Model> {
    let task = Task::new(py, &targets, start.as_ref(), &choices)?;
    let model = with_given!(x, rows => enter(py, &run, |ctx| task.fit(ctx, rows))?.into());
    Ok(Model::holding(Saved::new(model, dtype_named(&choices.dtype))))
}

/// Runs the same lines with `$model` bound to the kernel ridge regression of whichever number type.
macro_rules! with_ridge {
    ($model:expr, $ridge:ident => $body:expr) => {
        match &$model.saved().model {
            Fitted::KernelRidge32($ridge) => $body,
            Fitted::KernelRidge64($ridge) => $body,
            _ => Err(PyTypeError::new_err("this model is not a kernel ridge regression")),
        }
    };
}

/// Writes the predictions for new samples, or for new rows of a kernel matrix. Samples and results have the number type
/// that the model works in.
#[guarded]
#[pyfunction]
pub fn predict(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    out: OutputArray<'_>,
    run: Run,
) -> PyResult<()> {
    match (&model.get().saved().model, out) {
        (Fitted::KernelRidge32(model), OutputArray::F32(mut out)) => {
            evaluate(py, model, &x, &mut out, &run)
        }
        (Fitted::KernelRidge64(model), OutputArray::F64(mut out)) => {
            evaluate(py, model, &x, &mut out, &run)
        }
        _ => Err(other_type()),
    }
}

fn evaluate<T: Number>(
    py: Python<'_>,
    model: &KernelRidge<T>,
    x: &Given<'_>,
    out: &mut PyReadwriteArray2<'_, T>,
    run: &Run,
) -> PyResult<()> {
    let (rows, out) = (x.rows::<T>()?, output(out)?);
    enter(py, run, |ctx| match rows {
        Rows::Samples(x) => model.predict(ctx, x, out),
        Rows::Matrix(x) => model.predict_gram(ctx, x, out),
    })
}

/// The coefficients (n × t), borrowed in place.
#[guarded]
#[pyfunction]
pub fn coefficients<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyAny>> {
    let owner = model.clone().into_any();
    // SAFETY: the numbers belong to a frozen object, which the array keeps alive.
    with_ridge!(model.get(), ridge => unsafe {
        borrowed_array(ridge.coef.data(), ridge.n(), ridge.t(), owner)
    })
}

/// One constant per target.
#[guarded]
#[pyfunction]
pub fn offsets<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let py = model.py();
    with_ridge!(model.get(), ridge => Ok(ridge.offset.to_pyarray(py)))
}

/// How kernel and penalty were chosen, and the names of the classes, as JSON: null for what does not apply.
#[guarded]
#[pyfunction]
pub fn remarks(model: &Bound<'_, Model>) -> PyResult<String> {
    with_ridge!(model.get(), ridge => json(&serde_json::json!({
        "selection": ridge.selection, "classes": ridge.classes,
    })))
}

/// Specs of the kernel at several length scales that suit the samples; the kernel itself if it leaves none open.
#[guarded]
#[pyfunction]
pub fn widths(py: Python<'_>, text: &str, x: &Bound<'_, Samples>) -> PyResult<Vec<String>> {
    let spec = parse(py, text)?;
    let found = with_points!(x, points => select::widths(&spec, points));
    let specs = found.map_err(|error| exception(py, error))?;
    Ok(specs.iter().map(ToString::to_string).collect())
}
