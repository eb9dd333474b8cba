//! Fitting: parameters as Python hands them over, and the two kinds of components.

use mercer::io::{Dtype, ModelFile};
use mercer::model::Components;
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Decomposition, Pca, PcaParams};
use mercer::real::Real;
use mercer::solve::eigen::Solver;
use mercer::{Context, KernelSpec};
use mercer_guard::guarded;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Matrix, view, with_matrix};
use crate::enter::{Run, enter};
use crate::kernels::{Written, parse};
use crate::model::Model;
use crate::samples::{Given, Rows, with_given};

/// A number of components: none for all, an integer, a share of the variance, or `"mle"`.
#[derive(FromPyObject)]
enum Choice {
    Count(usize),
    Share(f64),
    Named(String),
}

fn components(choice: Option<Choice>) -> PyResult<Components> {
    match choice {
        None => Ok(Components::All),
        Some(Choice::Count(count)) => Ok(Components::Count(count)),
        Some(Choice::Share(share)) => Ok(Components::Share(share)),
        Some(Choice::Named(name)) if name == "mle" => Ok(Components::Mle),
        Some(Choice::Named(name)) => Err(unknown("n_components", &name)),
    }
}

/// The parameters of kernel PCA, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct KernelPcaChoices<'py> {
    components: Option<Choice>,
    kernel: Written<'py>,
    center: bool,
    solver: String,
    tolerance: Option<f64>,
    max_passes: Option<usize>,
    seed: u64,
    remove_zero: bool,
    inverse: Option<InverseChoices>,
    /// The number type of results.
    pub dtype: String,
}

/// The map back to samples: its kernel (the model's own if none is named), penalty (chosen if none is given) and
/// centring.
#[derive(FromPyObject)]
struct InverseChoices(Option<String>, Option<f64>, bool);

impl KernelPcaChoices<'_> {
    /// The parameters, the inverse map aside: its kernel may depend on the samples.
    pub fn params(self, py: Python<'_>) -> PyResult<(KernelPcaParams, Option<Inverse>)> {
        let kernel = self.kernel.spec(py)?;
        let solver = match self.solver.as_str() {
            "auto" => Solver::Auto,
            "full" => Solver::Full,
            "krylov" => Solver::Krylov,
            name => return Err(unknown("eigen_solver", name)),
        };
        let inverse = self.inverse.map(|InverseChoices(text, alpha, center)| {
            let kernel = text.map(|text| parse(py, &text)).transpose()?;
            PyResult::Ok(Inverse { kernel, alpha, center })
        });
        let params = KernelPcaParams {
            components: components(self.components)?,
            center: self.center,
            solver,
            tolerance: self.tolerance,
            max_passes: self.max_passes,
            seed: self.seed,
            remove_zero: self.remove_zero,
            ..KernelPcaParams::new(kernel)
        };
        Ok((params, inverse.transpose()?))
    }
}

/// A map back to samples as it was asked for.
pub struct Inverse {
    kernel: Option<KernelSpec>,
    alpha: Option<f64>,
    center: bool,
}

/// Fits kernel PCA on samples or on a kernel matrix.
#[guarded]
#[pyfunction]
pub fn fit_kernel_pca(
    py: Python<'_>,
    x: Given<'_>,
    choices: KernelPcaChoices<'_>,
    run: Run,
) -> PyResult<Model> {
    let dtype = dtype_named(&choices.dtype);
    let (params, inverse) = choices.params(py)?;
    let model = with_given!(x, rows => {
        enter(py, &run, |ctx| fitted(ctx, params, inverse, rows))?.into()
    });
    Ok(Model::holding(ModelFile::new(model, dtype)))
}

fn fitted<T: Real>(
    ctx: &Context,
    mut params: KernelPcaParams,
    inverse: Option<Inverse>,
    rows: Rows<'_, T>,
) -> mercer::Result<KernelPca<T>> {
    let points = match rows {
        Rows::Samples(points) => points,
        Rows::Matrix(matrix) => return KernelPca::fit_gram(ctx, &params, matrix),
    };
    params.kernel = params.kernel.resolve(points)?;
    // As scikit-learn does: without a word, the way back uses the kernel of the way there, numbers and all.
    params.inverse = inverse.map(|inverse| InverseParams {
        kernel: inverse.kernel.unwrap_or_else(|| params.kernel.clone()),
        alpha: inverse.alpha,
        center: inverse.center,
    });
    KernelPca::fit(ctx, &params, points)
}

/// The parameters of PCA, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PcaChoices {
    components: Option<Choice>,
    road: String,
    whiten: bool,
    tolerance: Option<f64>,
    seed: u64,
}

impl PcaChoices {
    fn params(self) -> PyResult<PcaParams> {
        let road = match self.road.as_str() {
            "auto" => Decomposition::Auto,
            "primal" => Decomposition::Primal,
            "dual" => Decomposition::Dual,
            "truncated" => Decomposition::Truncated,
            name => return Err(unknown("svd_solver", name)),
        };
        Ok(PcaParams {
            components: components(self.components)?,
            decomposition: road,
            whiten: self.whiten,
            tolerance: self.tolerance,
            max_passes: None,
            seed: self.seed,
        })
    }
}

/// Fits PCA on samples, which are read in place.
#[guarded]
#[pyfunction]
pub fn fit_pca(py: Python<'_>, x: Matrix<'_>, choices: PcaChoices, run: Run) -> PyResult<Model> {
    let params = choices.params()?;
    let dtype = match &x {
        Matrix::F32(_) => Dtype::F32,
        Matrix::F64(_) => Dtype::F64,
    };
    let model = with_matrix!(&x, x => {
        let x = view(x)?;
        enter(py, &run, |ctx| Pca::fit(ctx, &params, x))?
    });
    Ok(Model::holding(ModelFile::new(model.into(), dtype)))
}

/// The number type of results.
pub fn dtype_named(name: &str) -> Dtype {
    if name == "f32" { Dtype::F32 } else { Dtype::F64 }
}

/// What is said of a name that no parameter has.
pub fn unknown(parameter: &str, value: &str) -> PyErr {
    PyValueError::new_err(format!("{parameter}: '{value}' is not known"))
}
