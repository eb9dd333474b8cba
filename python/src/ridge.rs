//! Kernel ridge regression: fitting, predicting, and the attributes of a fitted model.

#![allow(unsafe_code)] // numpy arrays borrow the numbers of a model

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::landmarks::{Beside, Packet, RowBlock, RowBlocks, Whole, Workers, sampled};
use mercer::model::optimize;
use mercer::solve::ridge::Solver;
use mercer::{Context, Mat, Targets, select};
use mercer_guard::guarded;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{OutputArray, borrowed_array, view, with_output};
use crate::enter::{Run, enter, enter_predict};
use crate::errors::exception;
use crate::fit::{dtype_named, unknown};
use crate::kernels::{KernelArg, parse};
use crate::landmarks::LandmarkSettings;
use crate::model::{Model, json};
use crate::optimize::OptimizeSettings;
use crate::samples::{Given, Samples, numbers};

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
    landmarks: Option<LandmarkSettings<'py>>,
    device: String,
    optimize: Option<OptimizeSettings>,
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
        let mut params = KernelRidge::params(self.kernel.spec(py)?)
            .alphas(self.alpha.clone())
            .intercept(self.intercept)
            .solver(solver)
            .seed(self.seed)
            .device(self.device.parse().map_err(|error| exception(py, error))?);
        params.tolerance = self.tolerance;
        params.max_passes = self.max_passes;
        params.landmarks =
            self.landmarks.as_ref().map(|landmarks| landmarks.params()).transpose()?;
        Ok(params)
    }
}

/// Targets (n × t) and weights of samples.
#[derive(FromPyObject)]
pub struct TargetArrays<'py>(PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);

impl TargetArrays<'_> {
    /// Copies of the targets and of the weights.
    pub fn read(&self) -> PyResult<Targets> {
        let weights = self.1.as_ref().map(|weights| weights.as_slice().map(<[f64]>::to_vec));
        Ok(Targets::matrix(copied(&self.0)?).with_weights(weights.transpose()?))
    }
}

/// A copy of an array.
pub fn copied(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Mat<f64>> {
    let from = view(array)?;
    Ok(Mat::from_fn(from.rows(), from.cols(), |i, j| from.at(i, j)))
}

/// Fits kernel ridge regression on samples or on a kernel matrix; conjugate gradients begin with the coefficients `start`.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, targets, start, choices, run))]
pub fn fit_kernel_ridge(
    py: Python<'_>,
    x: Given<'_>,
    targets: Option<TargetArrays<'_>>,
    start: Option<PyReadonlyArray2<'_, f64>>,
    choices: RidgeSettings<'_>,
    run: Run,
) -> PyResult<Model> {
    let params = choices.params(py)?;
    let fitted = match (&x, targets) {
        (Given::Blocks(blocks), _) => {
            let (mut rows, dtype) = (blocks.get().rows(py), blocks.get().dtype);
            enter(py, &run, |ctx| KernelRidge::fit_blocks(ctx, &params, &mut rows, dtype))?
        }
        (_, None) => return Err(PyTypeError::new_err("there are no targets")),
        (_, Some(targets)) => {
            let (targets, input) = (targets.read()?, x.input()?);
            let start = start.as_ref().map(copied).transpose()?;
            let search = choices.optimize.as_ref().map(OptimizeSettings::params).transpose()?;
            let fit = |ctx: &Context| match &search {
                Some(search) => optimize::fit_kernel_ridge(ctx, search, &params, input, &targets),
                None => KernelRidge::fit(ctx, &params, input, &targets, start.as_ref()),
            };
            enter(py, &run, fit)?
        }
    };
    let model = KernelRidge { classes: choices.classes.clone(), ..fitted };
    Ok(Model::holding(ModelFile::new(model.into(), dtype_named(&choices.dtype))))
}

/// The kernel ridge regression that a model is.
pub fn ridge_of(model: &Model) -> PyResult<&KernelRidge> {
    match &model.saved().model {
        Fitted::KernelRidge(ridge) => Ok(ridge),
        _ => Err(PyTypeError::new_err("this model is not a kernel ridge regression")),
    }
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
    let (ridge, input) = (ridge_of(model.get())?, x.input()?);
    let numbers = numbers(&input, &ridge.params.kernel, ridge.n());
    with_output!(out, out => {
        enter_predict(py, &run, numbers, |ctx| ridge.predict_into(ctx, input, out))
    })
}

/// The coefficients (n × t), borrowed in place.
#[guarded]
#[pyfunction]
pub fn coefficients<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyAny>> {
    let owner = model.clone().into_any();
    let ridge = ridge_of(model.get())?;
    // SAFETY: the numbers belong to a frozen object, which the array keeps alive.
    unsafe { borrowed_array(ridge.coef.data(), ridge.n(), ridge.t(), owner) }
}

/// One constant per target.
#[guarded]
#[pyfunction]
pub fn offsets<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(ridge_of(model.get())?.offset.to_pyarray(model.py()))
}

/// How kernel and penalty were chosen, and the names of the classes, as JSON: null for what does not apply.
#[guarded]
#[pyfunction]
pub fn remarks(model: &Bound<'_, Model>) -> PyResult<String> {
    let ridge = ridge_of(model.get())?;
    json(&serde_json::json!({ "selection": ridge.selection, "classes": ridge.classes }))
}

/// The same for rows that may come in blocks, of which those count that landmarks are chosen among.
#[guarded]
#[pyfunction]
pub fn sampled_widths(
    py: Python<'_>,
    text: &str,
    x: Given<'_>,
    landmarks: LandmarkSettings<'_>,
    run: Run,
) -> PyResult<Vec<String>> {
    let (spec, params) = (parse(py, text)?, landmarks.params()?);
    let sample = match &x {
        Given::Blocks(blocks) => {
            let (mut rows, dtype) = (blocks.get().rows(py), blocks.get().dtype);
            enter(py, &run, |ctx| sampled(ctx, &params, &mut Unweighted(&mut rows), dtype))?
        }
        Given::Samples(samples) => {
            let samples = samples.get().samples();
            let (mut rows, dtype) = (Whole::new(samples, None, None), samples.dtype());
            enter(py, &run, |ctx| sampled(ctx, &params, &mut rows, dtype))?
        }
        Given::Matrix(_) => return Err(PyTypeError::new_err("a kernel matrix has no samples")),
    };
    let specs = select::widths(&spec, sample).map_err(|error| exception(py, error))?;
    Ok(specs.iter().map(ToString::to_string).collect())
}

/// Rows that all count alike.
struct Unweighted<'a>(&'a mut (dyn RowBlocks + Send));

impl RowBlocks for Unweighted<'_> {
    fn rewind(&mut self, passes: usize) -> mercer::Result<()> {
        self.0.rewind(passes)
    }

    fn next(&mut self) -> mercer::Result<Option<RowBlock<'_>>> {
        let block = self.0.next()?;
        Ok(block.map(|block| RowBlock { weights: None, ..block }))
    }

    fn rows(&self) -> Option<u64> {
        self.0.rows()
    }

    fn share(&self) -> Option<f64> {
        self.0.share()
    }

    fn is_once(&self) -> bool {
        self.0.is_once()
    }

    fn workers(&mut self) -> Option<&mut dyn Workers> {
        if self.0.workers().is_some() { Some(self) } else { None }
    }
}

impl Workers for Unweighted<'_> {
    fn head(&mut self) -> mercer::Result<RowBlock<'static>> {
        Ok(RowBlock { weights: None, ..self.there()?.head()? })
    }

    fn rows(&self) -> u64 {
        self.0.rows().unwrap_or(0)
    }

    fn run_beside(
        &mut self,
        ctx: &Context,
        pass: &Packet,
        merged: bool,
        beside: &Beside,
    ) -> mercer::Result<Vec<Packet>> {
        let pass = pass.clone().with_places("unweighted", [1]);
        self.there()?.run_beside(ctx, &pass, merged, beside)
    }
}

impl Unweighted<'_> {
    fn there(&mut self) -> mercer::Result<&mut dyn Workers> {
        let none = || mercer::Error::Shape("the rows lie on no other machine".into());
        self.0.workers().ok_or_else(none)
    }
}

/// Specs of the kernel at several length scales that suit the samples; the kernel itself if it leaves none open.
#[guarded]
#[pyfunction]
pub fn widths(py: Python<'_>, text: &str, x: &Bound<'_, Samples>) -> PyResult<Vec<String>> {
    let spec = parse(py, text)?;
    let specs = select::widths(&spec, x.get().samples()).map_err(|error| exception(py, error))?;
    Ok(specs.iter().map(ToString::to_string).collect())
}
