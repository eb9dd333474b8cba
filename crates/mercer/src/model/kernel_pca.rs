//! Kernel PCA: principal components in the feature space of a kernel.
//!
//! Given K (n × n), find unit v_i and η_1 ≥ η_2 ≥ … with K̄ v_i = η_i v_i, K̄ = J K J. The component
//! `f_i(x) = Σ_j a_ij k̄(x, x_j)` with `a_i = v_i / √η_i` has unit length in feature space. Because 1ᵀa_i = 0, centring
//! new samples with the training means folds into one number per component: `offset_i = −(1/n) 1ᵀK a_i`.

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::components::{Components, fix_signs};
use super::door::{anchors_for, check_own};
use super::inverse::{Inverse, InverseParams};
use super::report::{Report, asymmetry_note};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::{Expansion, Weights};
use crate::gram::{Centred, Gram, Packed, Plan, Square, Storage, Tiled, plan};
use crate::kernel::{Kernel, KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Dense, Samples, Span};
use crate::real::Real;
use crate::solve::eigen::{self, Solver, Spectrum};
use crate::solve::krylov;

/// What to fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPcaParams {
    /// How many components.
    pub components: Components,
    /// The kernel; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// Whether to take the mean away in feature space.
    pub center: bool,
    /// How eigenpairs are found.
    pub solver: Solver,
    /// Residuals ‖K̄ v − η v‖ / ‖K̄‖ to reach; `None` for 1e-8, or 1e-6 with f32 tiles.
    pub tolerance: Option<f64>,
    /// Passes over the matrix at most; `None` for 300.
    pub max_passes: Option<usize>,
    /// Seed of the solver's starting vectors.
    pub seed: u64,
    /// Whether components of zero variance are left out even if a count was asked for.
    pub remove_zero: bool,
    /// The map from components back to samples, if one is wanted.
    pub inverse: Option<InverseParams>,
}

impl KernelPcaParams {
    /// Kernel PCA with `kernel` and defaults for the rest.
    pub fn new(kernel: KernelSpec) -> Self {
        Self {
            components: Components::All,
            kernel,
            center: true,
            solver: Solver::Auto,
            tolerance: None,
            max_passes: None,
            seed: 0,
            remove_zero: false,
            inverse: None,
        }
    }

    fn eigen<T: Real>(&self) -> Result<eigen::Params> {
        eigen::Params::new(self.solver, self.tolerance, T::EPSILON, self.max_passes, self.seed)
    }
}

/// A fitted kernel PCA.
#[derive(Clone)]
pub struct KernelPca<T: Real> {
    /// The parameters, with the kernel as it was resolved.
    pub params: KernelPcaParams,
    /// η_i, descending; masked ones are 0.
    pub eigenvalues: Vec<f64>,
    /// n × k: a_i = v_i / √η_i in column i; zero for masked components.
    pub coef: Mat<f64>,
    /// One number per component: −(1/n) 1ᵀK a_i, or 0 without centring.
    pub offset: Vec<f64>,
    /// The trace of K̄: the whole variance, times n.
    pub trace: f64,
    /// The mean of all entries of K.
    pub mean: f64,
    /// The training samples; `None` if the kernel matrix came from the user.
    pub anchors: Option<Samples<T>>,
    /// The map back to samples.
    pub inverse: Option<Inverse<T>>,
    /// How the fit went.
    pub report: Report,
}

impl<T: Real> KernelPca<T> {
    /// Fits on samples.
    pub fn fit(ctx: &Context, params: &KernelPcaParams, x: impl Into<Samples<T>>) -> Result<Self> {
        let x = x.into();
        // Once among the workers, the many short steps need no hand-over between threads.
        ctx.install(|| Self::fit_here(ctx, params, &x))
    }

    fn fit_here(ctx: &Context, params: &KernelPcaParams, x: &Samples<T>) -> Result<Self> {
        let started = Instant::now();
        let spec = params.kernel.resolve(x)?;
        let kernel = SpecKernel::<T>::new(&spec)?;
        let n = x.n();
        let count = most_wanted(params, n)?;
        let workspace = eigen::workspace_bytes(n, count, params.solver);
        let plan = plan::<T>(ctx, n, workspace)?;
        let mut model = match plan.storage {
            Storage::Packed => {
                let gram = Packed::fill(ctx, &kernel, x)?;
                Self::fit_any(ctx, params, &gram, plan)?
            }
            Storage::Tiled => Self::fit_any(ctx, params, &Tiled::new(&kernel, x.clone()), plan)?,
        };
        model.params.kernel = spec;
        model.anchors = Some(x.clone());
        if let Some(inverse) = &params.inverse {
            let scores = model.training_scores();
            let rows = x.need_dense("fit_inverse_transform")?;
            let map = Inverse::fit(ctx, inverse, &scores, rows)?;
            model.params.inverse =
                Some(InverseParams { alpha: map.params.alpha, ..inverse.clone() });
            model.inverse = Some(map);
        }
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// Fits on a kernel matrix that the caller computed; its lower triangle counts.
    pub fn fit_gram(
        ctx: &Context,
        params: &KernelPcaParams,
        matrix: MatRef<'_, T>,
    ) -> Result<Self> {
        ctx.install(|| Self::fit_gram_here(ctx, params, matrix))
    }

    fn fit_gram_here(
        ctx: &Context,
        params: &KernelPcaParams,
        matrix: MatRef<'_, T>,
    ) -> Result<Self> {
        let started = Instant::now();
        if params.inverse.is_some() {
            return Err(Error::parameter(
                "fit_inverse_transform",
                "cannot be learned from a precomputed kernel: there are no samples to map back to",
            ));
        }
        let gram = Square::new(matrix)?;
        let asymmetry = gram.asymmetry();
        let mut model = Self::fit_any(ctx, params, &gram, Plan::given())?;
        model.report.notes.extend(asymmetry_note::<T>(asymmetry));
        model.report.storage = "given".into();
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    fn fit_any(
        ctx: &Context,
        params: &KernelPcaParams,
        gram: &dyn Gram,
        plan: Plan,
    ) -> Result<Self> {
        let count = most_wanted(params, gram.n())?;
        let mut eigen = params.eigen::<T>()?;
        let centred = match params.center {
            true => Some(centre(ctx, gram, count, &mut eigen)?),
            false => None,
        };
        let view: &dyn Gram = centred.as_ref().map_or(gram, |c| c as &dyn Gram);
        let trace: f64 = view.diag(ctx)?.iter().sum();
        let spectrum = find(ctx, params, view, trace, &eigen)?;
        let report = report::<T>(&spectrum, &plan, trace, view.n());
        let (means, mean) = centred.as_ref().map_or((None, 0.0), |c| (Some(c.means()), c.mean()));
        Ok(fold(params, spectrum, trace, means, mean, report))
    }

    /// Training samples.
    pub fn n(&self) -> usize {
        self.coef.rows()
    }

    /// Components.
    pub fn k(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The share of the variance that each component explains: η_i / trace(K̄).
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        self.eigenvalues
            .iter()
            .map(|eta| if self.trace > 0.0 { eta / self.trace } else { 0.0 })
            .collect()
    }

    /// Unit eigenvectors of K̄ in columns: n × k.
    pub fn eigenvectors(&self) -> Mat<f64> {
        Mat::from_fn(self.n(), self.k(), |i, c| self.coef[(i, c)] * self.eigenvalues[c].sqrt())
    }

    /// The scores of the training samples, √η_i · v_i: n × k.
    pub fn training_scores(&self) -> Mat<f64> {
        Mat::from_fn(self.n(), self.k(), |i, c| self.coef[(i, c)] * self.eigenvalues[c])
    }

    /// Writes the components of new samples (m × k).
    pub fn transform(
        &self,
        ctx: &Context,
        x: impl Into<Samples<T>>,
        out: MatMut<'_, T>,
    ) -> Result<()> {
        let x = x.into();
        self.expansion(&x, &self.coef, &self.offset)?.scores(ctx, &x, out)
    }

    /// Writes the components of new samples (m × k) given their kernel values with the training samples (m × n).
    pub fn transform_gram(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        out: MatMut<'_, T>,
    ) -> Result<()> {
        if values.cols() != self.n() {
            return Err(Error::Features { expected: self.n(), found: values.cols() });
        }
        Weights::new(&self.coef, &self.offset).scores(ctx, values, out)
    }

    /// The squared distance, in feature space, of each sample to the span of the components: k̄(x,x) − Σ_i f_i(x)².
    pub fn reconstruction_error(
        &self,
        ctx: &Context,
        x: impl Into<Samples<T>>,
    ) -> Result<Vec<f64>> {
        let x = &x.into();
        anchors_for(self.anchors.as_ref(), x)?;
        let (n, k) = (self.n(), self.k());
        // One more output gives the mean kernel value with the training samples, which k̄(x,x) needs.
        let share = if self.params.center { 1.0 / n as f64 } else { 0.0 };
        let bytes = 8 * (n + x.n()) as u64 * (k + 1) as u64;
        let _held = ctx.reserve("the reconstruction error", bytes, "use fewer rows at a time")?;
        let coef = Mat::from_fn(n, k + 1, |i, c| if c < k { self.coef[(i, c)] } else { share });
        let mut offset = self.offset.clone();
        offset.push(0.0);
        let expansion = self.expansion(x, &coef, &offset)?;
        let mut scores = Mat::zeros(x.n(), k + 1);
        expansion.scores(ctx, x, scores.view_mut())?;
        let mut diagonal = vec![T::ZERO; x.n()];
        expansion.kernel().diag(Span::all(x), &mut diagonal)?;
        let error = |i: usize| {
            let (row, own) = (scores.row(i), diagonal[i].f64());
            self.left_over(own, row[k].f64(), &row[..k])
        };
        Ok((0..x.n()).map(error).collect())
    }

    /// The same given the samples' kernel values with the training samples (m × n) and with themselves (m).
    pub fn reconstruction_error_gram(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        own: &[f64],
    ) -> Result<Vec<f64>> {
        let (m, n) = (values.rows(), self.n());
        check_own(own, m)?;
        let mut scores = Mat::zeros(m, self.k());
        self.transform_gram(ctx, values, scores.view_mut())?;
        let mean = |i: usize| (0..n).map(|j| values.at(i, j).f64()).sum::<f64>() / n as f64;
        let mean_with = |i: usize| if self.params.center { mean(i) } else { 0.0 };
        Ok((0..m).map(|i| self.left_over(own[i], mean_with(i), scores.row(i))).collect())
    }

    /// What of ‖φ(x) − mean‖² the components do not explain.
    fn left_over(&self, own: f64, mean_with: f64, scores: &[T]) -> f64 {
        let explained: f64 = scores.iter().map(|f| f.f64().powi(2)).sum();
        (own - 2.0 * mean_with + self.mean - explained).max(0.0)
    }

    /// Maps components back to samples (m × d).
    pub fn inverse_transform(
        &self,
        ctx: &Context,
        scores: &Dense<T>,
        out: MatMut<'_, T>,
    ) -> Result<()> {
        let inverse = self.inverse.as_ref().ok_or_else(|| {
            Error::parameter(
                "fit_inverse_transform",
                "the model was fitted without a map back to samples: fit it with one, or use a method that needs none: \
                 fixed_point, neighbors or gradient",
            )
        })?;
        inverse.apply(ctx, scores, out)
    }

    fn expansion(
        &self,
        x: &Samples<T>,
        coef: &Mat<f64>,
        offset: &[f64],
    ) -> Result<Expansion<Samples<T>, T>> {
        let anchors = anchors_for(self.anchors.as_ref(), x)?;
        let kernel: Arc<dyn Kernel<Samples<T>, T>> =
            Arc::new(SpecKernel::<T>::new(&self.params.kernel)?);
        Ok(Expansion::new(kernel, anchors.clone(), coef, offset))
    }
}

/// The largest number of eigenpairs that may be asked of the solver, after checking the parameter.
fn most_wanted(params: &KernelPcaParams, n: usize) -> Result<usize> {
    params.components.check(n, "the number of samples")?;
    if params.components == Components::Mle {
        let message =
            "the maximum likelihood estimate is for PCA: give a count or a share of the variance";
        return Err(Error::parameter("n_components", message));
    }
    Ok(match params.components {
        Components::Count(count) => count,
        Components::Share(_) => 32.min(n),
        Components::All | Components::Mle => n,
    })
}

/// The centred matrix. Its row means take a pass over the matrix, in which the Krylov method's first product is had as
/// well.
fn centre<'a>(
    ctx: &Context,
    gram: &'a dyn Gram,
    count: usize,
    eigen: &mut eigen::Params,
) -> Result<Centred<'a>> {
    if eigen::resolve(gram.n(), count, eigen.solver) == Solver::Full {
        return Centred::new(ctx, gram);
    }
    let block = krylov::centred_start(gram.n(), eigen.seed)?;
    let (centred, product) = Centred::with_product(ctx, gram, &block)?;
    eigen.start = Some(krylov::Start { block, product });
    Ok(centred)
}

fn find(
    ctx: &Context,
    params: &KernelPcaParams,
    gram: &dyn Gram,
    trace: f64,
    eigen: &eigen::Params,
) -> Result<Spectrum> {
    match params.components {
        Components::Count(count) => eigen::largest(ctx, gram, count, eigen),
        Components::Share(share) => eigen::share(ctx, gram, share, trace, eigen),
        Components::All | Components::Mle => eigen::largest(ctx, gram, gram.n(), eigen),
    }
}

/// Eigenvalues below this share of the largest are rounding errors.
fn zero_share<T: Real>() -> f64 {
    if T::EPSILON < 1e-10 { 1e-12 } else { 2e-7 }
}

fn report<T: Real>(spectrum: &Spectrum, plan: &Plan, trace: f64, n: usize) -> Report {
    let mut notes = Vec::new();
    let largest = spectrum.values[0].abs().max(spectrum.smallest.abs());
    // Rounding leaves negative eigenvalues of size ε·‖K‖; beyond a generous multiple of that they are real.
    let noise = largest * (1e3 * T::EPSILON).max(1e-11) * (n as f64).sqrt();
    if spectrum.smallest < -noise {
        let size = match spectrum.negative_sum {
            Some(sum) => {
                format!("; all negative ones together are {:.2e} of the trace", (sum / trace).abs())
            }
            None => String::new(),
        };
        notes.push(format!(
            "the kernel is indefinite on this data: its most negative eigenvalue is {:.3e}, {:.2e} of the largest{size}; \
             components of negative eigenvalues are left out",
            spectrum.smallest,
            (spectrum.smallest / largest).abs(),
        ));
    }
    if !spectrum.converged {
        notes.push(format!(
            "the eigenvectors did not converge: residual {:.1e} after {} passes; raise the number of passes or the \
             tolerance",
            spectrum.residual, spectrum.passes
        ));
    }
    Report {
        solver: match spectrum.solver {
            Solver::Full => "full".into(),
            _ => "krylov".into(),
        },
        storage: plan.words(),
        reason: plan.reason.clone(),
        passes: spectrum.passes,
        residual: spectrum.residual,
        converged: spectrum.converged,
        precision: T::NAME.into(),
        seconds: 0.0,
        notes,
        system: None,
        machine: None,
        clusters: None,
    }
}

/// Eigenpairs into coefficients and offsets.
fn fold<T: Real>(
    params: &KernelPcaParams,
    mut spectrum: Spectrum,
    trace: f64,
    means: Option<&[f64]>,
    mean: f64,
    mut report: Report,
) -> KernelPca<T> {
    fix_signs(&mut spectrum.vectors);
    let threshold = spectrum.values[0].abs() * zero_share::<T>();
    let alive = spectrum.values.iter().take_while(|eta| **eta > threshold).count();
    let drop = params.remove_zero || params.components == Components::All;
    let k = if drop { alive } else { spectrum.values.len() };
    if alive < k {
        report.notes.push(format!(
            "{} of {k} components have zero variance: their scores are 0",
            k - alive
        ));
    }
    let n = spectrum.vectors.cols();
    let mut eigenvalues = spectrum.values[..k].to_vec();
    eigenvalues[alive.min(k)..].fill(0.0);
    let root = |c: usize| eigenvalues[c].sqrt();
    let coef =
        Mat::from_fn(n, k, |i, c| if c < alive { spectrum.vectors[(c, i)] / root(c) } else { 0.0 });
    let mut offset = vec![0.0; k];
    if let Some(means) = means {
        for (i, mean) in means.iter().enumerate() {
            offset.iter_mut().zip(coef.row(i)).for_each(|(o, a)| *o -= mean * a);
        }
    }
    KernelPca {
        params: params.clone(),
        eigenvalues,
        coef,
        offset,
        trace,
        mean,
        anchors: None,
        inverse: None,
        report,
    }
}
