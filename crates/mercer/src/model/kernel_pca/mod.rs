//! Kernel PCA: principal components in the feature space of a kernel.
//!
//! Given K (n × n), find unit v_i and η_1 ≥ η_2 ≥ … with K̄ v_i = η_i v_i, K̄ = J K J. The component
//! `f_i(x) = Σ_j a_ij k̄(x, x_j)` with `a_i = v_i / √η_i` has unit length in feature space. Because 1ᵀa_i = 0, centring
//! new samples with the training means folds into one number per component: `offset_i = −(1/n) 1ᵀK a_i`.
//!
//! On paper. An error of ε in 1ᵀv is multiplied by the mean of K and divided by √η, so the mean of every eigenvector is
//! taken away (`assemble`), and where kernel values have an offset they are taken relative to a sample (`origin`).

mod assemble;
mod residual;

pub use residual::Residuals;

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::components::Components;
use super::indefinite::refuse_negative;
use super::input::{Input, check_columns, not_for_predictions};
use super::inverse::{Inverse, InverseParams};
use super::kernel_on::KernelOn;
use super::landmarks::{
    LandmarkParams, LandmarkState, Whole, either_bytes, eligible, kernel_at, offer, slow,
};
use super::on_device;
use super::origin::{self, Origin, Seen, Size};
use super::prepared::{Prepared, prepared_bytes};
use super::report::{Report, asymmetry_note};
use super::validate::anchors_for;
use crate::context::Context;
use crate::device::{Backend, Device, OnDevice};
use crate::error::{Error, Param, Result};
use crate::expansion::{Expansion, SeenFrom, Weights};
use crate::gram::{Centred, Gram, Plan, Precomputed, plan};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{AnyMat, AnySamples, Dtype, Samples, Span, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::eigen::{self, Solver, Spectrum};
use crate::solve::threshold::negative_share;
use crate::solve::{krylov, share};

/// Passes over the matrix that a fit takes, for an estimate of its time.
const PASSES: usize = 20;

/// Parameters of kernel PCA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KernelPcaParams {
    /// The number of components.
    pub components: Components,
    /// The kernel; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// Whether to centre the samples in feature space.
    pub center: bool,
    /// The eigensolver.
    pub solver: Solver,
    /// Residuals ‖K̄ v − η v‖ / ‖K̄‖ to reach; `None` for 1e-8, or 1e-6 with f32 tiles.
    pub tolerance: Option<f64>,
    /// The maximum number of passes over the matrix; `None` for 300.
    pub max_passes: Option<usize>,
    /// Seed of the solver's starting vectors.
    pub seed: u64,
    /// Whether components of zero variance are dropped even if a number of components was given.
    pub remove_zero: bool,
    /// The parameters of the inverse map, if one is wanted.
    pub inverse: Option<InverseParams>,
    /// The landmarks of a low-rank fit; `None` for an exact one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<LandmarkParams>,
    /// Where kernel values are computed. It is no part of a stored model.
    #[serde(skip)]
    pub device: Device,
    /// Which directions the components are.
    #[doc(hidden)]
    #[serde(default, skip_serializing_if = "Directions::is_principal")]
    pub directions: Directions,
}

/// Orthonormal directions of the feature space.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Directions {
    /// Those of the largest variance.
    #[default]
    Principal,
    /// Those of the landmarks, each less its projection on the ones before: components are the Nyström features φ̂(x) = L⁻¹ k_Z(x), whose inner
    /// products are the approximation of the kernel. Only without centring.
    Landmarks,
}

impl Directions {
    fn is_principal(&self) -> bool {
        *self == Self::Principal
    }
}

impl KernelPcaParams {
    /// Kernel PCA with `kernel` and defaults for the rest.
    #[doc(hidden)]
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
            landmarks: None,
            device: Device::Cpu,
            directions: Directions::Principal,
        }
    }

    /// Nyström features of a kernel on landmarks.
    #[doc(hidden)]
    pub fn landmark_features(kernel: KernelSpec, landmarks: LandmarkParams) -> Self {
        let (landmarks, directions) = (Some(landmarks), Directions::Landmarks);
        Self { center: false, landmarks, directions, ..Self::new(kernel) }
    }

    /// Whether the components are Nyström features.
    #[doc(hidden)]
    pub fn is_landmark_features(&self) -> bool {
        !self.directions.is_principal()
    }

    fn eigen(&self, epsilon: f64) -> Result<eigen::Params> {
        eigen::Params::new(self.solver, self.tolerance, epsilon, self.max_passes, self.seed)
    }
}

/// A fitted kernel PCA.
#[derive(Clone)]
pub struct KernelPca {
    /// The parameters, with the kernel as it was resolved.
    pub params: KernelPcaParams,
    /// η_i, descending; masked ones are 0.
    pub eigenvalues: Vec<f64>,
    /// n × k: a_i = v_i / √η_i in column i; zero for masked components.
    pub coef: Mat<f64>,
    /// One number per component: −(1/n) 1ᵀK a_i, or 0 without centring.
    pub offset: Vec<f64>,
    /// The trace of K̄: the total variance, times n.
    pub trace: f64,
    /// The mean of all entries of K.
    pub mean: f64,
    /// The training sample that kernel values are taken relative to, where they have an offset.
    pub origin: Option<Origin>,
    /// What a low-rank fit has more than an exact one.
    pub landmarks: Option<LandmarkState>,
    /// The training samples, or the landmarks; `None` if the kernel matrix was precomputed.
    pub anchors: Option<AnySamples>,
    /// The number type of the samples or of the kernel matrix that it was fitted on.
    pub dtype: Dtype,
    /// The number type in which kernel values were computed.
    pub computed_in: Dtype,
    /// The inverse map.
    pub inverse: Option<Inverse>,
    /// What new samples are projected with.
    pub prepared: Prepared,
    /// The report of the fit.
    pub report: Report,
}

impl KernelPca {
    /// Fits on samples, or on a kernel matrix, of which only the lower triangle is read.
    pub fn fit<'a>(
        ctx: &Context,
        params: &KernelPcaParams,
        input: impl Into<Input<'a>>,
    ) -> Result<Self> {
        Self::fit_input(ctx, params, input.into())
    }

    fn fit_input(ctx: &Context, params: &KernelPcaParams, input: Input<'_>) -> Result<Self> {
        let started = Instant::now();
        if params.inverse.is_some() && !matches!(input, Input::Samples(_)) {
            return Err(Error::parameter(
                Param::InverseMap,
                "not available with a precomputed kernel: there are no samples to map to",
            ));
        }
        if params.landmarks.is_some() || !params.directions.is_principal() {
            on_device::refuse(params.device, "landmarks are computed")?;
            let x = super::landmarks::samples_of(input)?;
            let dtype = x.dtype();
            return Self::fit_blocks(ctx, params, &mut Whole::new(x, None, None), dtype);
        }
        let device = params.device;
        let (mut model, note) = match &input {
            Input::Samples(x) if !device.is_cpu() => {
                let x = x.clone();
                let there = |backend: Arc<dyn Backend>| {
                    ctx.install(|| Self::fit_on_device(ctx, params, &x, &*backend))
                };
                on_device::place(device, there, || Self::fit_here(ctx, params, input))?
            }
            _ => {
                on_device::refuse(device, "precomputed matrices are decomposed")?;
                (Self::fit_here(ctx, params, input)?, None)
            }
        };
        model.report.notes.extend(note);
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// The fit on the processor.
    fn fit_here(ctx: &Context, params: &KernelPcaParams, input: Input<'_>) -> Result<Self> {
        let (x, slow) = (eligible(&input), slow(ctx, &input, PASSES, &either_bytes)?);
        // Once among the workers, the many short steps need no hand-over between threads.
        let mut model = ctx
            .install(|| match input {
                Input::Samples(x) => with_samples!(&x, x => Self::fit_samples(ctx, params, x)),
                Input::Precomputed { values, .. } => {
                    with_matrix!(values.view(), matrix => Self::fit_matrix(ctx, params, matrix))
                }
                Input::Gram(gram) => {
                    let mut model = Self::fit_gram(ctx, params, gram, Plan::given(), None)?;
                    model.report.storage = "given".into();
                    Ok(model)
                }
            })
            .map_err(|error| offer(ctx, error, (x, 0), &either_bytes))?;
        model.report.notes.extend(slow);
        Ok(model)
    }

    /// The fit with the kernel matrix on a device.
    fn fit_on_device(
        ctx: &Context,
        params: &KernelPcaParams,
        samples: &AnySamples,
        backend: &dyn Backend,
    ) -> Result<Self> {
        let spec = params.kernel.resolve(samples)?;
        let (x, kernel) = (samples.to_type::<f64>()?, SpecKernel::<f64>::new(&spec)?);
        let origin = if params.center { origin::choose(&kernel, &x)? } else { None };
        let row = origin.map(|c| origin::row(&kernel, &x, c)).transpose()?;
        let seen = Seen::new(kernel.clone(), &x, &x, origin)?;
        let placed = seen.place(&x)?;
        let size = origin.map(|c| Size::of_samples(&seen, &placed, c)).transpose()?;
        let rows = on_device::seen_kernel(&kernel, &seen, &x, &x, origin)?;
        let mut diagonal = vec![0.0; x.n()];
        seen.kernel.diag(Span::all(&placed), &mut diagonal)?;
        let OnDevice { gram, reason, .. } = backend.gram(ctx, rows, diagonal)?;
        let mut model = Self::fit_gram(ctx, params, &*gram, Plan::given(), size)?;
        (model.report.storage, model.report.reason) = (backend.name(), reason);
        model.dtype = samples.dtype();
        model.with_samples(ctx, params, samples, (spec, origin, row))
    }

    /// The model with its samples, and what is fitted on them beside the components.
    fn with_samples(
        mut self,
        ctx: &Context,
        params: &KernelPcaParams,
        x: &AnySamples,
        (spec, origin, row): (KernelSpec, Option<usize>, Option<Vec<f64>>),
    ) -> Result<Self> {
        if let (Some(c), Some(row)) = (origin, row) {
            self.see_from(c, &row);
        }
        self.params.kernel = spec;
        self.anchors = Some(x.clone());
        if let Some(inverse) = &params.inverse {
            let scores = self.training_scores();
            let map = with_samples!(x, x => {
                Inverse::fit(ctx, inverse, &scores, x.need_dense("the inverse map")?)?
            });
            self.params.inverse =
                Some(InverseParams { alpha: map.params.alpha, ..inverse.clone() });
            self.inverse = Some(map);
        }
        Ok(self)
    }

    fn fit_samples<T: Real>(
        ctx: &Context,
        params: &KernelPcaParams,
        x: &Samples<T>,
    ) -> Result<Self> {
        let spec = params.kernel.resolve(x)?;
        let kernel = SpecKernel::<T>::new(&spec)?;
        let n = x.n();
        let count = most_wanted(params, n)?;
        let workspace = eigen::workspace_bytes(n, count, params.solver);
        let plan = plan::<T>(ctx, n, workspace)?;
        let origin = if params.center { origin::choose(&kernel, x)? } else { None };
        let row = origin.map(|c| origin::row(&kernel, x, c)).transpose()?;
        let seen = Seen::new(kernel, x, x, origin)?;
        let placed = seen.place(x)?;
        let size = origin.map(|c| Size::of_samples(&seen, &placed, c)).transpose()?;
        let gram = plan.build(ctx, &*seen.kernel, &placed)?;
        let model = Self::fit_gram(ctx, params, &*gram, plan, size)?;
        model.with_samples(ctx, params, &x.into(), (spec, origin, row))
    }

    fn fit_matrix<T: Real>(
        ctx: &Context,
        params: &KernelPcaParams,
        matrix: MatRef<'_, T>,
    ) -> Result<Self> {
        let gram = Precomputed::new(matrix)?;
        let asymmetry = gram.asymmetry();
        let n = matrix.rows();
        let origin = if params.center { origin::choose_given(&gram, n) } else { None };
        let row = |c: usize| -> Vec<f64> { (0..n).map(|j| gram.given(c, j).to_f64()).collect() };
        let row = origin.map(row);
        let size = Size::of((0..n).map(|i| gram.given(i, i).to_f64()), row.as_deref());
        let gram = match origin {
            Some(c) => gram.seen_from(c),
            None => gram,
        };
        let mut model = Self::fit_gram(ctx, params, &gram, Plan::given(), Some(size))?;
        if let (Some(c), Some(row)) = (origin, row) {
            model.see_from(c, &row);
            model.origin = model.origin.map(|origin| Origin { row: Some(row), ..origin });
        }
        model.report.notes.extend(asymmetry_note::<T>(asymmetry));
        model.report.storage = "given".into();
        Ok(model)
    }

    /// Fits on a matrix whose kernel values, before any were subtracted, have this size,
    /// where that is not the size of its entries.
    fn fit_gram(
        ctx: &Context,
        params: &KernelPcaParams,
        gram: &dyn Gram,
        plan: Plan,
        size: Option<Size>,
    ) -> Result<Self> {
        let count = most_wanted(params, gram.n())?;
        let mut eigen = params.eigen(gram.dtype().epsilon())?;
        let diagonal = gram.diag(ctx)?;
        check_finite(&diagonal)?;
        let size = size.unwrap_or_else(|| Size::of(diagonal.iter().copied(), None));
        let centred = match params.center {
            true => Some(centre(ctx, gram, count, &mut eigen)?),
            false => None,
        };
        let view: &dyn Gram = centred.as_ref().map_or(gram, |c| c as &dyn Gram);
        let trace = centred.as_ref().map_or_else(|| diagonal.iter().sum(), |c| c.trace(&diagonal));
        let spectrum = find(ctx, params, view, trace, &eigen)?;
        let rounding = negative_share(gram.dtype().epsilon(), view.n()) * size.norm;
        refuse_negative(gram.dtype(), params.components, &spectrum.values, rounding)?;
        let means = centred.as_ref().map(|c| (c.means(), c.mean()));
        Ok(assemble::assemble(params, spectrum, trace, means, size, &plan, gram.dtype()))
    }

    /// Records that the model was fitted on kernel values relative to sample c, whose kernel values with all samples are `row`.
    fn see_from(&mut self, c: usize, row: &[f64]) {
        let origin = Origin { sample: c, mean: self.mean, row: None };
        for (i, value) in row.iter().enumerate() {
            // Less a constant, which 1ᵀa = 0 lets vanish.
            let value = value - row[c];
            self.offset.iter_mut().zip(self.coef.row(i)).for_each(|(o, a)| *o -= value * a);
        }
        self.mean += 2.0 * row.iter().sum::<f64>() / row.len() as f64 - row[c];
        self.origin = Some(origin);
    }

    /// The model for the same samples in another number type. What was computed in this one stays.
    pub(super) fn for_samples(self, anchors: AnySamples) -> Self {
        Self { dtype: anchors.dtype(), anchors: Some(anchors), inverse: None, ..self }
    }

    /// Training samples.
    #[doc(hidden)]
    pub fn n(&self) -> usize {
        self.coef.rows()
    }

    /// Components.
    pub fn k(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The fraction of the variance that each component explains: η_i / trace(K̄).
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

    /// The components of new samples: m × k.
    pub fn transform<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Mat<f64>> {
        self.transform_input(ctx, input.into())
    }

    fn transform_input(&self, ctx: &Context, input: Input<'_>) -> Result<Mat<f64>> {
        let mut out = Mat::try_zeros(input.n(), self.k())?;
        self.transform_into(ctx, input, out.view_mut())?;
        Ok(out)
    }

    /// Writes the components of new samples (m × k).
    pub fn transform_into<'a, O: Real>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        self.project_input(ctx, input.into(), out)
    }

    fn project_input<O: Real>(
        &self,
        ctx: &Context,
        input: Input<'_>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        match input {
            Input::Samples(x) => {
                let anchors = anchors_for(self.anchors.as_ref(), &x)?;
                if let Some(backend) = self.backend(&x)? {
                    return self.project_on_device(ctx, &*backend, anchors, &x, out);
                }
                with_samples!(anchors, anchors => self.project(ctx, anchors, &x.to_type()?, out))
            }
            Input::Precomputed { values, .. } => {
                check_columns(self.n(), values.cols())?;
                let weights = Weights::new(&self.coef, &self.seen_offset());
                with_matrix!(values.view(), x => weights.scores_of(ctx, x, self.seen_from(), out))
            }
            Input::Gram(_) => Err(not_for_predictions()),
        }
    }

    /// The device that computes components of new samples, if one does.
    fn backend(&self, x: &AnySamples) -> Result<Option<Arc<dyn Backend>>> {
        match self.landmarks {
            Some(_) => Ok(None),
            None => on_device::for_predictions(self.params.device, &self.params.kernel, x),
        }
    }

    fn project_on_device<O: Real>(
        &self,
        ctx: &Context,
        backend: &dyn Backend,
        anchors: &AnySamples,
        x: &AnySamples,
        mut out: MatMut<'_, O>,
    ) -> Result<()> {
        let (anchors, x) = (anchors.to_type::<f64>()?, x.to_type::<f64>()?);
        let kernel = SpecKernel::<f64>::new(&self.params.kernel)?;
        let origin = self.origin.as_ref().map(|o| o.sample);
        let seen = Seen::new(kernel.clone(), &anchors, &x, origin)?;
        let rows = on_device::seen_kernel(&kernel, &seen, &anchors, &x, origin)?;
        let offset = self.seen_offset();
        on_device::write(&mut out, |out| backend.scores(ctx, &rows, &self.coef, &offset, out))
    }

    fn project<T: Real, O: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        x: &Samples<T>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        if let Some(state) = &self.landmarks {
            let make = || -> Result<LandmarkProjection<T>> {
                let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
                let on = kernel_at(&kernel, anchors, state)?;
                let (kernel, anchors) = (on.kernel.clone(), on.anchors.clone());
                Ok(LandmarkProjection {
                    scores: Expansion::new(kernel, anchors, &self.coef, &self.offset),
                    on,
                })
            };
            let projection = self.prepared.get(prepared_bytes(&self.coef, anchors), make)?;
            return projection.scores.scores(ctx, &projection.on.moved(x)?, out);
        }
        let make = || -> Result<Projection<T>> {
            let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
            let seen = Seen::new(kernel, anchors, x, self.origin.as_ref().map(|o| o.sample))?;
            let (kernel, anchors) = (seen.kernel.clone(), seen.place(anchors)?);
            let scores = Expansion::new(kernel, anchors, &self.coef, &self.seen_offset());
            Ok(Projection { seen, scores })
        };
        // Samples that cannot be moved to the origin are projected in another way.
        let projection =
            match self.origin.is_none() || anchors.dense().is_some() == x.dense().is_some() {
                true => self.prepared.get(prepared_bytes(&self.coef, anchors), make)?,
                false => Arc::new(make()?),
            };
        projection.scores.scores(ctx, &projection.seen.place(x)?, out)
    }

    /// What given kernel values are taken relative to.
    fn seen_from(&self) -> Option<SeenFrom<'_>> {
        let origin = self.origin.as_ref()?;
        origin.row.as_ref().map(|row| SeenFrom { sample: origin.sample, row })
    }

    /// What is added to Σ_j a_ij k(x, x_j). Seen from sample c that is 0 at x = c, so the constants are the scores of c.
    fn seen_offset(&self) -> Vec<f64> {
        match &self.origin {
            None => self.offset.clone(),
            Some(origin) => {
                let row = self.coef.row(origin.sample);
                row.iter().zip(&self.eigenvalues).map(|(a, eta)| a * eta).collect()
            }
        }
    }

    /// Maps components (m × k) to samples (m × d).
    pub fn inverse_transform<'a>(
        &self,
        ctx: &Context,
        scores: impl Into<AnyMat<'a>>,
    ) -> Result<Mat<f64>> {
        self.map_back(ctx, scores.into())
    }

    fn map_back(&self, ctx: &Context, scores: AnyMat<'_>) -> Result<Mat<f64>> {
        let d = self.inverse.as_ref().map_or(0, |inverse| inverse.offset.len());
        let mut out = Mat::try_zeros(scores.rows(), d)?;
        self.inverse_transform_into(ctx, scores, out.view_mut())?;
        Ok(out)
    }

    /// Maps components (m × k) to samples, which are written (m × d).
    pub fn inverse_transform_into<'a, O: Real>(
        &self,
        ctx: &Context,
        scores: impl Into<AnyMat<'a>>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let inverse = self.inverse.as_ref().ok_or_else(|| {
            Error::parameter(
                Param::InverseMap,
                "the model was fitted without an inverse map: fit it with one, or use a method that needs none \
                 (fixed_point, neighbors or gradient)",
            )
        })?;
        inverse.apply(ctx, scores.into(), out)
    }
}

/// What new samples are projected with.
struct Projection<T: Real> {
    seen: Seen<T>,
    scores: Expansion<Samples<T>, T>,
}

/// The same for a low-rank fit.
struct LandmarkProjection<T: Real> {
    on: KernelOn<T>,
    scores: Expansion<Samples<T>, T>,
}

/// The largest number of eigenpairs that may be requested from the solver, after checking the parameter.
fn most_wanted(params: &KernelPcaParams, n: usize) -> Result<usize> {
    params.components.check(n, "the number of samples")?;
    if params.components == Components::Mle {
        let message = "the maximum likelihood estimate is available only for PCA: give a number of components or a fraction \
             of the variance";
        return Err(Error::parameter(Param::Components, message));
    }
    Ok(match params.components {
        Components::Count(count) => count,
        Components::Share(_) => share::FIRST.min(n),
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
        Components::Share(share) => share::share(ctx, gram, share, trace, eigen),
        Components::All | Components::Mle => eigen::largest(ctx, gram, gram.n(), eigen),
    }
}

/// Refuses kernel values that overflow.
fn check_finite(diagonal: &[f64]) -> Result<()> {
    match diagonal.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(row) => Err(Error::Numeric(format!(
            "k(x, x) is {} for row {row}: scale the data down, choose a smaller gamma or degree, or use double \
             precision",
            diagonal[row]
        ))),
    }
}
