//! PCA: the directions of largest variance of samples, and samples in their terms.
//!
//! With X̄ = X − mean (n × d), find orthonormal u_i and λ_1 ≥ λ_2 ≥ … with (1/n) X̄ᵀX̄ u_i = λ_i u_i. Three exact ways to the
//! same answer, chosen by cost:
//!
//! - primal: the d × d matrix X̄ᵀX̄;
//! - dual, for d ≫ n: the n × n matrix X̄X̄ᵀ, whose eigenvectors v give u = X̄ᵀv / √η;
//! - truncated, for large n and d: products with X̄ᵀX̄ that never form it.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::components::{Components, fix_signs};
use super::input::check_columns;
use super::minka;
use super::note::{Note, NoteCode};
use super::report::Report;
use crate::context::{Context, Reservation};
use crate::error::{Error, Param, Result};
use crate::gram::{Covariance, Precomputed};
use crate::linalg::orthonormal::orthonormalize_rows;
use crate::linalg::scatter::{self, Rows};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{AnyMat, with_matrix};
use crate::real::Real;
use crate::solve::eigen::{self, Solver, Spectrum};
use crate::solve::{krylov, share};

/// Which matrix is decomposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Decomposition {
    /// Whichever costs least.
    #[default]
    Auto,
    /// X̄ᵀX̄, d × d.
    Primal,
    /// X̄X̄ᵀ, n × n.
    Dual,
    /// Products with X̄ᵀX̄; only for a count of components below both n and d.
    Truncated,
}

/// Parameters of PCA.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PcaParams {
    /// The number of components.
    pub components: Components,
    /// Which matrix is decomposed.
    #[serde(rename = "road")]
    pub decomposition: Decomposition,
    /// Whether transformed components are scaled to variance 1.
    pub whiten: bool,
    /// Residuals to reach on the truncated decomposition and where few eigenpairs of a large matrix are wanted; `None` for 1e-8.
    pub tolerance: Option<f64>,
    /// Passes over the data at most; `None` for 300.
    pub max_passes: Option<usize>,
    /// Seed of the solver's starting vectors.
    pub seed: u64,
}

/// A fitted PCA. Variances are divided by n − 1, as scikit-learn does; λ of the formula above is `variance · (n−1)/n`.
#[derive(Clone, Debug)]
pub struct Pca {
    /// The parameters.
    pub params: PcaParams,
    /// Training samples.
    pub n: usize,
    /// The mean of the training samples: d.
    pub mean: Vec<f64>,
    /// k × d: row i is the unit direction u_i.
    pub components: Mat<f64>,
    /// The variance along each direction: k, descending.
    pub variance: Vec<f64>,
    /// The variance in all directions together.
    pub total_variance: f64,
    /// The mean variance along the directions left out.
    pub noise_variance: f64,
    /// The report of the fit.
    pub report: Report,
}

impl Pca {
    /// Fits on samples (n × d), which are read in place, once or twice, and never copied whole.
    pub fn fit<'a>(ctx: &Context, params: &PcaParams, x: impl Into<AnyMat<'a>>) -> Result<Self> {
        Self::fit_any(ctx, params, x.into())
    }

    fn fit_any(ctx: &Context, params: &PcaParams, x: AnyMat<'_>) -> Result<Self> {
        with_matrix!(x, x => Self::fit_matrix(ctx, params, x))
    }

    fn fit_matrix<T: Real>(ctx: &Context, params: &PcaParams, x: MatRef<'_, T>) -> Result<Self> {
        if params.components != Components::Count(0) {
            return ctx.install(|| Self::fit_here(ctx, params, x));
        }
        // No component at all is a model of the mean and of noise alike in all directions.
        let one = PcaParams { components: Components::Count(1), ..params.clone() };
        let mut model = ctx.install(|| Self::fit_here(ctx, &one, x))?;
        model.keep(0);
        Ok(Self { params: params.clone(), ..model })
    }

    fn fit_here<T: Real>(ctx: &Context, params: &PcaParams, x: MatRef<'_, T>) -> Result<Self> {
        let started = Instant::now();
        let (n, d) = (x.rows(), x.cols());
        check_shape(n, d)?;
        params.components.check(n.min(d), "min(samples, features)")?;
        if params.components == Components::Mle && n < d {
            let message =
                "the maximum likelihood estimate needs at least as many samples as features";
            return Err(Error::parameter(Param::Components, message));
        }
        let rows = Rows::new(ctx, x)?;
        let decomposition = params.decomposition_of(n, d);
        let (mut model, spectrum) = match decomposition {
            Decomposition::Dual => dual(ctx, params, &rows)?,
            Decomposition::Truncated => truncated(ctx, params, &rows)?,
            _ => primal(ctx, params, &rows)?,
        };
        model.report = report::<T>(decomposition, &spectrum, n, d);
        if params.components == Components::Mle {
            model.keep(minka::dimension(&model.variance, n));
        }
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// Drops all but the first `count` components.
    fn keep(&mut self, count: usize) {
        let d = self.d();
        self.variance.truncate(count);
        let mut rows = std::mem::replace(&mut self.components, Mat::zeros(0, 0)).into_vec();
        rows.truncate(count * d);
        self.components = Mat::from_vec(rows, self.variance.len(), d);
        self.noise_variance = noise_variance(self.n, d, &self.variance, self.total_variance);
    }

    /// Components.
    pub fn k(&self) -> usize {
        self.variance.len()
    }

    /// Features.
    #[doc(hidden)]
    pub fn d(&self) -> usize {
        self.mean.len()
    }

    /// The share of the variance along each direction.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        let total = self.total_variance;
        self.variance.iter().map(|v| if total > 0.0 { v / total } else { 0.0 }).collect()
    }

    /// The singular values of X̄ that belong to the components.
    pub fn singular_values(&self) -> Vec<f64> {
        self.variance.iter().map(|v| (v * (self.n as f64 - 1.0)).max(0.0).sqrt()).collect()
    }

    /// The mean squared distance of the training samples to their reconstructions, which by Eckart and Young is the sum of
    /// the λ_i left out.
    pub fn reconstruction_error(&self) -> f64 {
        let kept: f64 = self.variance.iter().sum();
        ((self.total_variance - kept) * (self.n as f64 - 1.0) / self.n as f64).max(0.0)
    }

    /// The components of samples (m × d): X̄ U (m × k), divided by the standard deviations if whitened.
    pub fn transform<'a>(&self, ctx: &Context, x: impl Into<AnyMat<'a>>) -> Result<Mat<f64>> {
        self.transform_any(ctx, x.into())
    }

    fn transform_any(&self, ctx: &Context, x: AnyMat<'_>) -> Result<Mat<f64>> {
        let mut out = Mat::try_zeros(x.rows(), self.k())?;
        self.transform_into(ctx, x, out.view_mut())?;
        Ok(out)
    }

    /// The same, written to `out`.
    pub fn transform_into<'a, O: Real>(
        &self,
        ctx: &Context,
        x: impl Into<AnyMat<'a>>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let x = x.into();
        check_columns(self.d(), x.cols())?;
        let (scale, offset) = (self.scale(), vec![0.0; self.k()]);
        let weights = Mat::from_fn(self.d(), self.k(), |j, c| self.components[(c, j)] / scale[c]);
        with_matrix!(x, x => scatter::project(ctx, x, &self.mean, &weights, &offset, out))
    }

    /// The samples (m × d) that components (m × k) stand for.
    pub fn inverse_transform<'a>(
        &self,
        ctx: &Context,
        scores: impl Into<AnyMat<'a>>,
    ) -> Result<Mat<f64>> {
        self.map_back(ctx, scores.into())
    }

    fn map_back(&self, ctx: &Context, scores: AnyMat<'_>) -> Result<Mat<f64>> {
        let mut out = Mat::try_zeros(scores.rows(), self.d())?;
        self.inverse_transform_into(ctx, scores, out.view_mut())?;
        Ok(out)
    }

    /// The same, written to `out`.
    pub fn inverse_transform_into<'a, O: Real>(
        &self,
        ctx: &Context,
        scores: impl Into<AnyMat<'a>>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let scores = scores.into();
        check_columns(self.k(), scores.cols())?;
        let (scale, none) = (self.scale(), vec![0.0; self.k()]);
        let weights = Mat::from_fn(self.k(), self.d(), |c, j| self.components[(c, j)] * scale[c]);
        with_matrix!(scores, x => scatter::project(ctx, x, &none, &weights, &self.mean, out))
    }

    /// What transformed components are divided by: 1, or standard deviations, which for directions of no variance are
    /// replaced by the smallest number that does not blow rounding errors up.
    fn scale(&self) -> Vec<f64> {
        if !self.params.whiten {
            return vec![1.0; self.k()];
        }
        let least = self.variance.first().map_or(0.0, |v| v * f64::EPSILON).max(f64::MIN_POSITIVE);
        self.variance.iter().map(|v| v.max(least).sqrt()).collect()
    }
}

impl PcaParams {
    /// The decomposition that `auto` stands for: the one with the lower count of operations.
    #[doc(hidden)]
    pub fn decomposition_of(&self, n: usize, d: usize) -> Decomposition {
        if self.decomposition != Decomposition::Auto {
            return self.decomposition;
        }
        let (n_real, d_real) = (n as f64, d as f64);
        // Half a matrix product forms the smaller of the two matrices; its eigenpairs cost little beside that unless it is
        // nearly as large as the data.
        let smaller = n_real.min(d_real);
        let form = smaller * n_real * d_real + 10.0 * smaller.powi(3);
        if let Components::Count(count) = self.components
            && (count as f64) < 0.1 * smaller
        {
            // Each pass multiplies twice with a block of 16 vectors, at half of a product's speed.
            let passes = 10.0 + 2.5 * (count as f64 / 16.0).ceil();
            if passes * 128.0 * n_real * d_real < form {
                return Decomposition::Truncated;
            }
        }
        if d <= n { Decomposition::Primal } else { Decomposition::Dual }
    }

    fn eigen(&self) -> Result<eigen::Params> {
        eigen::Params::new(Solver::Auto, self.tolerance, f64::EPSILON, self.max_passes, self.seed)
    }
}

fn check_shape(n: usize, d: usize) -> Result<()> {
    let too_few = |count: usize, what: &str, least: usize| {
        Error::Shape(format!(
            "Found array with {count} {what}(s) (shape=({n}, {d})) while a minimum of {least} is required."
        ))
    };
    if d == 0 {
        return Err(too_few(d, "feature", 1));
    }
    if n < 2 {
        return Err(too_few(n, "sample", 2));
    }
    Ok(())
}

/// Eigenpairs of a small square matrix (X̄ᵀX̄ or X̄X̄ᵀ), as many as are wanted.
fn decompose(ctx: &Context, params: &PcaParams, matrix: Mat<f64>, most: usize) -> Result<Spectrum> {
    let trace: f64 = (0..matrix.rows()).map(|i| matrix[(i, i)]).sum();
    let gram = Precomputed::new(matrix.view())?;
    let eigen = params.eigen()?;
    let mut spectrum = match params.components {
        Components::Count(count) => eigen::largest(ctx, &gram, count, &eigen)?,
        Components::Share(share) => share::share(ctx, &gram, share, trace, &eigen)?,
        Components::All | Components::Mle => eigen::largest(ctx, &gram, matrix.rows(), &eigen)?,
    };
    spectrum.truncate(most);
    Ok(spectrum)
}

/// Sets aside a square matrix and its sums over the shares of the samples, having checked that its eigenpairs fit beside it.
fn reserve_square(
    ctx: &Context,
    params: &PcaParams,
    what: &'static str,
    size: usize,
) -> Result<Reservation> {
    let hint = "request fewer components or raise the memory budget";
    let square = (size as u64).saturating_mul(size as u64).saturating_mul(8);
    let count = match params.components {
        Components::Count(count) => count.min(size),
        Components::Share(_) => 32.min(size),
        Components::All | Components::Mle => size,
    };
    let eigen = eigen::workspace_bytes(size, count, Solver::Auto);
    let sums = scatter::workspace_bytes(size);
    ctx.need(what, square.saturating_add(eigen.max(sums)), hint)?;
    ctx.reserve(what, square, hint)
}

fn primal<T: Real>(
    ctx: &Context,
    params: &PcaParams,
    rows: &Rows<'_, T>,
) -> Result<(Pca, Spectrum)> {
    let (n, d) = (rows.n(), rows.d());
    let _reservation = reserve_square(ctx, params, "the covariance matrix", d)?;
    let (scatter, mean) = rows.scatter(ctx)?;
    let trace: f64 = (0..d).map(|j| scatter[(j, j)]).sum();
    let mut spectrum = decompose(ctx, params, scatter, n.min(d))?;
    let mut components = std::mem::replace(&mut spectrum.vectors, Mat::zeros(0, 0));
    fix_signs(&mut components);
    Ok((build(params, n, d, mean, components, &spectrum.values, trace), spectrum))
}

fn dual<T: Real>(ctx: &Context, params: &PcaParams, rows: &Rows<'_, T>) -> Result<(Pca, Spectrum)> {
    let (n, d) = (rows.n(), rows.d());
    let _reservation = reserve_square(ctx, params, "the Gram matrix", n)?;
    let mean = rows.mean(ctx)?;
    let gram = rows.gram(ctx, &mean)?;
    let trace: f64 = (0..n).map(|i| gram[(i, i)]).sum();
    let spectrum = decompose(ctx, params, gram, n.min(d))?;
    let mut components = rows.combine(ctx, &mean, &spectrum.vectors)?;
    orthonormalize_rows(&mut components, &spectrum.values);
    fix_signs(&mut components);
    Ok((build(params, n, d, mean, components, &spectrum.values, trace), spectrum))
}

fn truncated<T: Real>(
    ctx: &Context,
    params: &PcaParams,
    rows: &Rows<'_, T>,
) -> Result<(Pca, Spectrum)> {
    let (n, d) = (rows.n(), rows.d());
    let Components::Count(count) = params.components else {
        let message = "the truncated decomposition needs an integer number of components";
        return Err(Error::parameter(Param::Components, message));
    };
    let hint = "request fewer components or raise the memory budget";
    let _reservation =
        ctx.reserve("the product with the samples", Covariance::<T>::bytes(n, d), hint)?;
    let mean = rows.mean(ctx)?;
    let eigen = params.eigen()?;
    let (tolerance, max_passes, seed) = (eigen.tolerance, eigen.max_passes, eigen.seed);
    let krylov = krylov::Params { count, tolerance, max_passes, seed };
    let operator = Covariance::new(rows.x(), &mean);
    let (pairs, info) = krylov::largest(ctx, &operator, &krylov, None)?;
    let trace = rows.trace(ctx, &mean)?;
    let mut components = pairs.vectors;
    fix_signs(&mut components);
    let spectrum = Spectrum {
        values: pairs.values,
        vectors: Mat::zeros(0, 0),
        smallest: info.smallest,
        negative_sum: None,
        solver: Solver::Krylov,
        passes: info.passes,
        residual: info.residual,
        converged: info.converged,
    };
    Ok((build(params, n, d, mean, components, &spectrum.values, trace), spectrum))
}

fn build(
    params: &PcaParams,
    n: usize,
    d: usize,
    mean: Vec<f64>,
    components: Mat<f64>,
    eigenvalues: &[f64],
    trace: f64,
) -> Pca {
    let freedom = n as f64 - 1.0;
    let variance: Vec<f64> = eigenvalues.iter().map(|eta| eta.max(0.0) / freedom).collect();
    let total_variance = trace.max(0.0) / freedom;
    let noise_variance = noise_variance(n, d, &variance, total_variance);
    let report = Report::default();
    Pca {
        params: params.clone(),
        n,
        mean,
        components,
        variance,
        total_variance,
        noise_variance,
        report,
    }
}

/// The mean variance along the directions left out.
fn noise_variance(n: usize, d: usize, variance: &[f64], total: f64) -> f64 {
    let left_out = n.min(d) - variance.len();
    let rest = (total - variance.iter().sum::<f64>()).max(0.0);
    if left_out > 0 { rest / left_out as f64 } else { 0.0 }
}

fn report<T: Real>(
    decomposition: Decomposition,
    spectrum: &Spectrum,
    n: usize,
    d: usize,
) -> Report {
    let mut notes = Vec::new();
    if !spectrum.converged {
        notes.push(Note::new(NoteCode::NotConverged, format!(
            "the components did not converge: residual {:.1e} after {} passes; raise the maximum number of passes \
             or the tolerance",
            spectrum.residual, spectrum.passes
        )));
    }
    let (storage, reason) = match decomposition {
        Decomposition::Dual => (
            "dual",
            format!(
                "there are more features ({d}) than samples ({n}): the {n} × {n} matrix is smaller"
            ),
        ),
        Decomposition::Truncated => (
            "truncated",
            "few components of a large matrix: only products with it are computed".to_string(),
        ),
        _ => ("primal", format!("the {d} × {d} covariance matrix is the cheapest to decompose")),
    };
    Report {
        solver: if spectrum.solver == Solver::Full { "full".into() } else { "krylov".into() },
        storage: storage.into(),
        reason,
        passes: spectrum.passes,
        residual: spectrum.residual,
        converged: spectrum.converged,
        precision: T::NAME.into(),
        seconds: 0.0,
        notes,
        system: None,
        machine: None,
        clusters: None,
        landmarks: None,
        optimization: None,
    }
}
