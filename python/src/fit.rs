//! Fitting of PCA and kernel PCA, and their parameters as Python passes them.

use mercer::io::ModelFile;
use mercer::model::Components;
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::optimize::{self, OptimizeParams};
use mercer::model::pca::{Decomposition, Pca, PcaParams};
use mercer::solve::eigen::Solver;
use mercer::{Context, Dtype, Input, KernelSpec, Targets};
use mercer_guard::guarded;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::Matrix;
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::kernels::{KernelArg, parse};
use crate::landmarks::LandmarkSettings;
use crate::model::Model;
use crate::optimize::OptimizeSettings;
use crate::ridge::TargetArrays;
use crate::samples::Given;

/// A number of components: none for all, an integer, a share of the variance, or `"mle"`.
#[derive(FromPyObject)]
enum Count {
    Number(usize),
    Share(f64),
    Named(String),
}

fn components(count: Option<Count>) -> PyResult<Components> {
    match count {
        None => Ok(Components::All),
        Some(Count::Number(count)) => Ok(Components::Count(count)),
        Some(Count::Share(share)) => Ok(Components::Share(share)),
        Some(Count::Named(name)) if name == "mle" => Ok(Components::Mle),
        Some(Count::Named(name)) => Err(unknown("n_components", &name)),
    }
}

/// The parameters of kernel PCA, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct KernelPcaSettings<'py> {
    components: Option<Count>,
    kernel: KernelArg<'py>,
    center: bool,
    solver: String,
    tolerance: Option<f64>,
    max_passes: Option<usize>,
    seed: u64,
    remove_zero: bool,
    inverse: Option<InverseSettings>,
    landmarks: Option<LandmarkSettings<'py>>,
    device: String,
    /// The number type of results.
    pub dtype: String,
}

/// The inverse map: its kernel (by default the model's own), penalty (by default chosen by leave-one-out) and centring.
#[derive(FromPyObject)]
struct InverseSettings(Option<String>, Option<f64>, bool);

impl KernelPcaSettings<'_> {
    /// The parameters, the inverse map aside: its kernel may depend on the samples.
    pub fn params(self, py: Python<'_>) -> PyResult<(KernelPcaParams, Option<Inverse>)> {
        let kernel = self.kernel.spec(py)?;
        let solver = match self.solver.as_str() {
            "auto" => Solver::Auto,
            "full" => Solver::Full,
            "krylov" => Solver::Krylov,
            name => return Err(unknown("eigen_solver", name)),
        };
        let inverse = self.inverse.map(|InverseSettings(text, alpha, center)| {
            let kernel = text.map(|text| parse(py, &text)).transpose()?;
            PyResult::Ok(Inverse { kernel, alpha, center })
        });
        let params = {
            let mut changed = KernelPcaParams::new(kernel);
            changed.components = components(self.components)?;
            changed.center = self.center;
            changed.solver = solver;
            changed.tolerance = self.tolerance;
            changed.max_passes = self.max_passes;
            changed.seed = self.seed;
            changed.remove_zero = self.remove_zero;
            changed.device = self.device.parse().map_err(|error| exception(py, error))?;
            changed.landmarks = self.landmarks.map(|landmarks| landmarks.params()).transpose()?;
            changed
        };
        Ok((params, inverse.transpose()?))
    }
}

/// The settings of an inverse map, with its kernel parsed.
pub struct Inverse {
    kernel: Option<KernelSpec>,
    alpha: Option<f64>,
    center: bool,
}

/// Fits kernel PCA on samples or on a kernel matrix; with `search`, the kernel that is best aligned with targets.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, settings, run, search=None))]
pub fn fit_kernel_pca(
    py: Python<'_>,
    x: Given<'_>,
    settings: KernelPcaSettings<'_>,
    run: Run,
    search: Option<(TargetArrays<'_>, OptimizeSettings)>,
) -> PyResult<Model> {
    let dtype = dtype_named(&settings.dtype);
    let (params, inverse) = settings.params(py)?;
    if let Given::Blocks(blocks) = &x {
        let (mut rows, single) = (blocks.get().rows(py), blocks.get().dtype);
        let fit = |ctx: &Context| KernelPca::fit_blocks(ctx, &params, &mut rows, single);
        return Ok(Model::holding(ModelFile::new(enter(py, &run, fit)?.into(), dtype)));
    }
    let input = x.input()?;
    let search = search.map(|(targets, search)| PyResult::Ok((targets.read()?, search.params()?)));
    let search = search.transpose()?;
    let model = enter(py, &run, |ctx| fitted(ctx, params, inverse, input, search))?;
    Ok(Model::holding(ModelFile::new(model.into(), dtype)))
}

fn fitted(
    ctx: &Context,
    mut params: KernelPcaParams,
    inverse: Option<Inverse>,
    input: Input<'_>,
    search: Option<(Targets, OptimizeParams)>,
) -> mercer::Result<KernelPca> {
    let mut report = None;
    if let Some((targets, search)) = search {
        let found = optimize::kernel_for_pca(ctx, &search, &params, &input, &targets)?;
        (params.kernel, report) = (found.kernel, Some(found.report));
    }
    if let (Some(Inverse { kernel, alpha, center }), Input::Samples(x)) = (inverse, &input) {
        // As in scikit-learn, the default kernel of the inverse map is the model's own, with the same resolved parameters.
        params.kernel = params.kernel.resolve(x)?;
        let kernel = kernel.unwrap_or_else(|| params.kernel.clone());
        params.inverse = Some(InverseParams { kernel, alpha, center });
    }
    let mut model = KernelPca::fit(ctx, &params, input)?;
    report.into_iter().for_each(|report| report.attach(&mut model.report));
    Ok(model)
}

/// The parameters of PCA, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PcaSettings {
    components: Option<Count>,
    decomposition: String,
    whiten: bool,
    tolerance: Option<f64>,
    seed: u64,
}

impl PcaSettings {
    fn params(self) -> PyResult<PcaParams> {
        let decomposition = match self.decomposition.as_str() {
            "auto" => Decomposition::Auto,
            "primal" => Decomposition::Primal,
            "dual" => Decomposition::Dual,
            "truncated" => Decomposition::Truncated,
            name => return Err(unknown("svd_solver", name)),
        };
        let params =
            Pca::params().components(components(self.components)?).decomposition(decomposition);
        let mut params = params.whiten(self.whiten).seed(self.seed);
        params.tolerance = self.tolerance;
        Ok(params)
    }
}

/// Fits PCA on samples, which are read in place.
#[guarded]
#[pyfunction]
pub fn fit_pca(py: Python<'_>, x: Matrix<'_>, settings: PcaSettings, run: Run) -> PyResult<Model> {
    let params = settings.params()?;
    let x = x.view()?;
    let model = enter(py, &run, |ctx| Pca::fit(ctx, &params, x))?;
    Ok(Model::holding(ModelFile::new(model.into(), x.dtype())))
}

/// The number type of results.
pub fn dtype_named(name: &str) -> Dtype {
    if name == "f32" { Dtype::F32 } else { Dtype::F64 }
}

/// The error for an unknown name of a parameter's value.
pub fn unknown(parameter: &str, value: &str) -> PyErr {
    PyValueError::new_err(format!("{parameter}: unknown value '{value}'"))
}
