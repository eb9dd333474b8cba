//! The largest eigenpairs of a Gram matrix, by whichever exact method costs least.

use serde::{Deserialize, Serialize};

use super::krylov;
use super::threshold::negative_share;
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::Gram;
use crate::linalg::eigen;
use crate::linalg::view::Mat;

/// How eigenpairs are found. Both are exact to the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Solver {
    /// Whichever costs less.
    #[default]
    Auto,
    /// By decomposition of the stored matrix.
    Full,
    /// Only those wanted, by products with the matrix.
    Krylov,
}

/// What to compute and how well.
#[derive(Clone, Debug)]
pub struct Params {
    /// The method.
    pub solver: Solver,
    /// Residuals ‖K v − η v‖ / ‖K‖ to reach, for the Krylov method.
    pub tolerance: f64,
    /// Passes over the matrix at most, for the Krylov method.
    pub max_passes: usize,
    /// Seed of the starting block of the Krylov method.
    pub seed: u64,
    /// Where the Krylov method begins, if the caller knows a first product already.
    pub start: Option<krylov::Start>,
}

impl Params {
    /// Checked parameters: where `tolerance` is not given, that which f32 or f64 tiles (`epsilon`) allow; 300 passes.
    pub fn new(
        solver: Solver,
        tolerance: Option<f64>,
        epsilon: f64,
        max_passes: Option<usize>,
        seed: u64,
    ) -> Result<Self> {
        // f32 tiles carry relative errors of 6e-8: residuals cannot fall below a few of those.
        let tolerance = tolerance.unwrap_or(if epsilon < 1e-10 { 1e-8 } else { 1e-6 });
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            let message = format!("must be positive, got {tolerance}");
            return Err(Error::parameter(Param::Tolerance, message));
        }
        Ok(Self { solver, tolerance, max_passes: max_passes.unwrap_or(300), seed, start: None })
    }
}

/// Eigenpairs of a Gram matrix with what is known of the rest of its spectrum.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// The largest eigenvalues, descending.
    pub values: Vec<f64>,
    /// Row i is the unit eigenvector of `values[i]`.
    pub vectors: Mat<f64>,
    /// The smallest eigenvalue seen; a negative one proves that the matrix is indefinite.
    pub smallest: f64,
    /// The sum of all negative eigenvalues, where all are known.
    pub negative_sum: Option<f64>,
    /// The method that was used: never `Auto`.
    pub solver: Solver,
    /// Passes over the matrix; 0 for the full method.
    pub passes: usize,
    /// The largest relative residual.
    pub residual: f64,
    /// Whether all residuals reached the tolerance.
    pub converged: bool,
}

/// The size up to which a few eigenpairs of a stored matrix are computed without the others; beyond, the two-stage
/// reduction of all overtakes it.
const FEW_UP_TO: usize = 512;
/// Of that many pairs, one may be wanted.
const FEW_SHARE: usize = 4;

/// Whether so few pairs of a stored matrix are computed without the others.
pub(super) fn few_pays(n: usize, count: usize) -> bool {
    n <= FEW_UP_TO && FEW_SHARE * count <= n
}

/// Bytes that [`largest`] takes beside the matrix itself.
pub fn workspace_bytes(n: usize, count: usize, solver: Solver) -> u64 {
    match resolve(n, count, solver) {
        Solver::Full => {
            let square = (n as u64).saturating_mul(n as u64).saturating_mul(8);
            square.saturating_add(eigen::workspace_bytes(n))
        }
        _ => krylov::workspace_bytes(n, count),
    }
}

/// The method that `auto` stands for: the one with the lower count of operations.
pub fn resolve(n: usize, count: usize, solver: Solver) -> Solver {
    if solver != Solver::Auto {
        return solver;
    }
    let (n, k) = (n as f64, count as f64);
    let passes = 8.0 + 2.5 * (k / 16.0).ceil();
    let basis = 16.0 * passes;
    let krylov = passes * 64.0 * n * n + 8.0 * n * basis * basis + 8.0 * passes * basis.powi(3);
    let full = 12.0 * n.powi(3);
    if krylov < full && basis < n { Solver::Krylov } else { Solver::Full }
}

/// The `count` largest eigenpairs of `gram`.
pub fn largest(ctx: &Context, gram: &dyn Gram, count: usize, params: &Params) -> Result<Spectrum> {
    match resolve(gram.n(), count, params.solver) {
        Solver::Full => full(ctx, gram, count),
        _ => by_products(ctx, gram, count, params, &mut |_| Ok(None)),
    }
}

/// All eigenpairs of `gram`.
pub fn all(ctx: &Context, gram: &dyn Gram) -> Result<eigen::Eigen> {
    let needed = workspace_bytes(gram.n(), gram.n(), Solver::Full);
    let hint = "fit on fewer rows, use an iterative solver, or raise the memory budget";
    let _reservation = ctx.reserve("the full eigendecomposition", needed, hint)?;
    eigen::symmetric(ctx, gram.lower(ctx)?)
}

impl Spectrum {
    /// Keeps the first `count` pairs.
    pub fn truncate(&mut self, count: usize) {
        if count < self.values.len() {
            let n = self.vectors.cols();
            self.values.truncate(count);
            let mut data = std::mem::replace(&mut self.vectors, Mat::zeros(0, 0)).into_vec();
            data.truncate(count * n);
            self.vectors = Mat::from_vec(data, count, n);
        }
    }
}

pub(super) fn full(ctx: &Context, gram: &dyn Gram, count: usize) -> Result<Spectrum> {
    let n = gram.n();
    let needed = workspace_bytes(n, count, Solver::Full);
    let hint = "request fewer components (the Krylov solver then needs no n × n matrix), fit on fewer rows, or \
                raise the memory budget";
    let _reservation = ctx.reserve("the full eigendecomposition", needed, hint)?;
    let matrix = gram.lower(ctx)?;
    if let Some(spectrum) = few(&matrix, count) {
        return certified(ctx, gram, spectrum);
    }
    let pairs = eigen::symmetric(ctx, matrix)?;
    let smallest = *pairs.values.last().ok_or_else(|| Error::Shape("no samples".into()))?;
    let negative_sum = pairs.values.iter().filter(|v| **v < 0.0).sum();
    let mut spectrum = Spectrum {
        values: pairs.values,
        vectors: pairs.vectors,
        smallest,
        negative_sum: Some(negative_sum),
        solver: Solver::Full,
        passes: 0,
        residual: 0.0,
        converged: true,
    };
    spectrum.truncate(count);
    certified(ctx, gram, spectrum)
}

/// Where only a few pairs of a small matrix are wanted, those alone. Not for an indefinite matrix: of that, all negative
/// eigenvalues are reported.
fn few(matrix: &Mat<f64>, count: usize) -> Option<Spectrum> {
    let n = matrix.rows();
    if !few_pays(n, count) {
        return None;
    }
    let few = eigen::few(matrix, count)?;
    if few.smallest < -negative_share(f64::EPSILON, n) * few.values[0].abs() {
        return None;
    }
    Some(Spectrum {
        values: few.values,
        vectors: few.vectors,
        smallest: few.smallest,
        negative_sum: None,
        solver: Solver::Full,
        passes: 0,
        residual: 0.0,
        converged: true,
    })
}

fn certified(ctx: &Context, gram: &dyn Gram, mut spectrum: Spectrum) -> Result<Spectrum> {
    spectrum.residual = full_residual(ctx, gram, &spectrum)?;
    spectrum.converged = spectrum.residual.is_finite();
    Ok(spectrum)
}

/// The residual of up to 16 pairs, spread evenly over the spectrum: the certificate costs one product.
fn full_residual(ctx: &Context, gram: &dyn Gram, spectrum: &Spectrum) -> Result<f64> {
    use crate::linalg::block::Block;
    use crate::linalg::skinny::WIDTH;
    let count = spectrum.values.len();
    let norm = spectrum.values[0].abs().max(spectrum.smallest.abs());
    if norm == 0.0 {
        return Ok(0.0);
    }
    let picked: Vec<usize> = (0..WIDTH.min(count)).map(|c| c * count / WIDTH.min(count)).collect();
    let pick = |i: usize, c: usize| picked.get(c).map_or(0.0, |&p| spectrum.vectors[(p, i)]);
    let v = Block::from_fn(gram.n(), pick);
    let mut product = Block::zeros(gram.n());
    gram.apply(ctx, &v, &mut product)?;
    let mut squares = [0.0; WIDTH];
    for (lane, x) in product.lanes().iter().zip(v.lanes()) {
        for (c, &p) in picked.iter().enumerate() {
            squares[c] += ((lane[c] - spectrum.values[p] * x[c]) / norm).powi(2);
        }
    }
    // Not `f64::max`, which would pass a NaN over.
    Ok(squares.iter().fold(0.0, |a, &b| if b > a || b.is_nan() { b } else { a }).sqrt())
}

pub(super) fn by_products(
    ctx: &Context,
    gram: &dyn Gram,
    count: usize,
    params: &Params,
    more: &mut dyn FnMut(&[f64]) -> Result<Option<usize>>,
) -> Result<Spectrum> {
    let krylov_params = krylov::Params {
        count,
        tolerance: params.tolerance,
        max_passes: params.max_passes,
        seed: params.seed,
    };
    let found = krylov::growing(ctx, gram, &krylov_params, params.start.clone(), more)?;
    Ok(of_products(found))
}

/// What the Krylov method found, as a spectrum.
fn of_products((pairs, info): (krylov::Pairs, krylov::Info)) -> Spectrum {
    Spectrum {
        values: pairs.values,
        vectors: pairs.vectors,
        smallest: info.smallest,
        negative_sum: None,
        solver: Solver::Krylov,
        passes: info.passes,
        residual: info.residual,
        converged: info.converged,
    }
}
