//! Landmarks with the factor of their kernel matrix, and the pass that adds up samples.

use super::candidates::{self, Candidates};
use super::rows::RowBlocks;
use super::{LandmarkCount, LandmarkMethod, LandmarkParams, LandmarkReport, LandmarkState};
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{Batch, Gram, LandmarkSums, MatrixFree};
use crate::kernel::{KernelSpec, Recentred, SpecKernel};
use crate::linalg::cholesky;
use crate::linalg::division::Division;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::report::Report;
use crate::model::validate::check_weights;
use crate::points::{AnySamples, Points, Samples, Span};
use crate::real::Real;
use crate::solve::nystrom::{self, Nystrom};
use crate::solve::path;
use crate::solve::pivoted_cholesky::{self, lost_share, pivoted_cholesky};

/// Landmarks are chosen among at least so many rows, and so many times their number.
const CANDIDATES: usize = 20_000;
const CANDIDATES_FOR_EACH: usize = 5;
/// Landmarks at most where a tolerance is given.
pub(crate) const MOST: usize = 5000;
const HINT: &str = "use fewer landmarks or raise the memory budget";

/// Landmarks and what evaluates the kernel with them.
pub(crate) struct Basis<T: Real> {
    /// The kernel as it was resolved.
    pub spec: KernelSpec,
    /// The landmarks as the model keeps them.
    pub landmarks: Samples<T>,
    /// The kernel with the landmarks.
    pub on: KernelOn<T>,
    /// L with K_ZZ = L Lᵀ.
    pub factor: Mat<f64>,
    /// The means of the targets of the candidates.
    pub target_means: Vec<f64>,
    /// How they were chosen; the traces are 0 until samples are added up.
    pub report: LandmarkReport,
    _reservation: Reservation,
}

/// Chooses landmarks for a source and adds up its rows, which takes two passes. Centred features may be seen from any point.
pub(crate) fn read<T: Real>(
    ctx: &Context,
    kernel: &KernelSpec,
    params: &LandmarkParams,
    center: bool,
    source: &mut dyn RowBlocks,
) -> Result<(Basis<T>, LandmarkSums)> {
    params.check()?;
    source.rewind(2)?;
    let basis = Basis::choose(ctx, kernel, params, center, source, &direct_bytes::<T>)?;
    source.rewind(1)?;
    let sums = basis.sum(ctx, source, basis.target_means.clone())?;
    Ok((basis, sums))
}

impl<T: Real> Basis<T> {
    /// Landmarks.
    pub fn m(&self) -> usize {
        self.landmarks.n()
    }

    /// Chooses landmarks among a sample of the rows. `needed` are the bytes of a fit with m landmarks and t targets.
    pub fn choose(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        center: bool,
        source: &mut dyn RowBlocks,
        needed: &dyn Fn(usize, usize) -> u64,
    ) -> Result<Self> {
        let most = match &params.count {
            LandmarkCount::Count(count) => *count,
            LandmarkCount::Tolerance(_) => MOST,
            LandmarkCount::Given(given) => given.count,
        };
        let enough = CANDIDATES.max(CANDIDATES_FOR_EACH.saturating_mul(most));
        let found = candidates::sample::<T>(ctx, source, enough, params.seed)?;
        let t = found.target_means.len();
        check_room(ctx, most.min(found.samples.n()), &|m| needed(m, t), params)?;
        let spec = kernel.resolve(&found.samples)?;
        let kernel = SpecKernel::<T>::new(&spec)?;
        let point = far_point(&kernel, &found.samples, center);
        let (landmarks, curve) = pick(ctx, &kernel, point.as_deref(), params, &found)?;
        let chosen = landmarks.n();
        let Independent { landmarks, on, factor } =
            independent(ctx, &kernel, landmarks, point.as_deref(), params.seed)?;
        let method = match (&params.count, params.method) {
            (LandmarkCount::Given(_), _) => "given",
            (_, LandmarkMethod::PivotedCholesky) => "pivoted_cholesky",
            (_, LandmarkMethod::Uniform) => "uniform",
        };
        let report = LandmarkReport {
            landmarks: landmarks.n(),
            dropped: chosen - landmarks.n(),
            method: method.into(),
            candidates: found.samples.n(),
            rows: found.rows,
            trace: 0.0,
            residual_trace: 0.0,
            curve,
        };
        let _reservation = reserve::<T>(ctx, landmarks.n(), found.target_means.len())?;
        let target_means = found.target_means;
        Ok(Self { spec, landmarks, on, factor, target_means, report, _reservation })
    }

    /// The basis of a fitted model.
    fn restore(
        ctx: &Context,
        spec: &KernelSpec,
        landmarks: Samples<T>,
        state: &LandmarkState,
        report: &LandmarkReport,
    ) -> Result<Self> {
        let on = kernel_at(&SpecKernel::<T>::new(spec)?, &landmarks, state)?;
        let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
        let factor = factor(ctx, &gram, 0.0)?;
        let factor = factor.ok_or_else(not_definite)?;
        let (spec, report) = (spec.clone(), report.clone());
        let t = state.sums.as_ref().map_or(0, LandmarkSums::t);
        let _reservation = reserve::<T>(ctx, landmarks.n(), t)?;
        Ok(Self { spec, landmarks, on, factor, target_means: Vec::new(), report, _reservation })
    }

    /// The sums over the rows of a source from where it stands, with targets near `origin`.
    pub fn sum(
        &self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
        origin: Vec<f64>,
    ) -> Result<LandmarkSums> {
        let (mut before, total) = (0, source.rows());
        let division = Division::<T>::new(ctx, &self.factor)?;
        let mut sums = LandmarkSums::empty(self.m(), origin)?;
        while let Some(block) = source.next()? {
            let x = block.samples.to_type::<T>()?;
            self.landmarks.check_like(&x)?;
            check_rows(&block, before, sums.t())?;
            let x = self.on.moved(&x)?;
            let batch = Batch {
                samples: Span::all(&x),
                targets: block.targets.as_deref(),
                weights: block.weights.as_deref(),
            };
            let landmarks = (&self.on.anchors, &division);
            sums.add(ctx, &*self.on.kernel, landmarks, &batch, |done| match total {
                Some(n) => ctx.step(Step::new("rows", (before + done) as f64, n as f64)),
                None => ctx.poll(),
            })?;
            before += x.n();
        }
        sums.finish(ctx, &division.into_blocks(), &self.factor)?;
        match sums.weight > 0.0 {
            true => Ok(sums),
            false => {
                Err(Error::parameter(Param::SampleWeights, "invalid input: all weights are zero"))
            }
        }
    }

    /// The problem in coordinates of the landmarks' span, and the report on the approximation.
    pub fn reduce(
        &self,
        ctx: &Context,
        sums: &LandmarkSums,
        center: bool,
    ) -> Result<(Nystrom, LandmarkReport)> {
        let reduced = Nystrom::new(ctx, self.factor.clone(), sums, center)?;
        let report = LandmarkReport {
            rows: sums.count,
            trace: reduced.trace,
            residual_trace: reduced.residual_trace(),
            ..self.report.clone()
        };
        Ok((reduced, report))
    }

    /// What the model keeps beside coefficients and landmarks.
    pub fn state(&self, mean_coef: Vec<f64>, sums: LandmarkSums, keep: bool) -> LandmarkState {
        let point = self.on.point().map(|point| point.iter().map(|v| v.to_f64()).collect());
        LandmarkState { point, mean_coef, sums: keep.then_some(sums) }
    }
}

/// A fitted model that more rows are added to.
pub(super) struct Fitted<'a> {
    anchors: &'a AnySamples,
    state: &'a LandmarkState,
    report: &'a LandmarkReport,
}

impl<'a> Fitted<'a> {
    /// The parts of a low-rank model; an error for an exact one.
    pub fn of(
        anchors: &'a Option<AnySamples>,
        state: &'a Option<LandmarkState>,
        report: &'a Report,
    ) -> Result<Self> {
        match (anchors, state, &report.landmarks) {
            (Some(anchors), Some(state), Some(report)) => Ok(Self { anchors, state, report }),
            _ => Err(super::no_landmarks()),
        }
    }

    /// The basis and the sums over the old rows and those of the source.
    pub fn go_on<T: Real>(
        &self,
        ctx: &Context,
        kernel: &KernelSpec,
        source: &mut dyn RowBlocks,
    ) -> Result<(Basis<T>, LandmarkSums)> {
        let mut sums = self.state.sums.clone().ok_or_else(super::no_sums)?;
        let landmarks = self.anchors.to_type::<T>()?;
        let basis = Basis::restore(ctx, kernel, landmarks, self.state, self.report)?;
        source.rewind(1)?;
        let more = LandmarkSums::bytes(basis.m(), sums.t());
        let _reservation = ctx.reserve("the sums over more rows", more, HINT)?;
        sums.merge(&basis.sum(ctx, source, sums.target_origin.clone())?)?;
        Ok((basis, sums))
    }
}

/// Refuses targets that are missing, too many or not finite, and invalid weights.
pub(super) fn check_rows(block: &super::RowBlock<'_>, before: usize, t: usize) -> Result<()> {
    let n = block.samples.n();
    let found = block.targets.as_ref().map_or(0, |y| y.cols());
    if found != t {
        return Err(Error::Shape(format!("a block has {found} targets, but the first has {t}")));
    }
    if let Some(weights) = &block.weights
        && weights.iter().any(|w| *w != 0.0)
    {
        check_weights(weights, n)?;
    }
    let wrong = block.targets.as_ref().and_then(|y| y.data().iter().position(|v| !v.is_finite()));
    match (wrong, &block.targets) {
        (Some(at), Some(y)) => Err(Error::Shape(format!(
            "the target of row {} is {} (column {}; zero-based): remove the row or impute the value first",
            before + at / t,
            y.data()[at],
            at % t
        ))),
        _ => Ok(()),
    }
}

/// Bytes of m × m numbers.
fn square(m: usize) -> u64 {
    8 * (m as u64).saturating_mul(m as u64)
}

/// Bytes of the sums, the factor and its copy, and a chunk of features.
pub(super) fn basis_bytes<T: Real>(m: usize, t: usize) -> u64 {
    let sums = LandmarkSums::bytes(m, t).saturating_add(LandmarkSums::working_bytes::<T>(m, t));
    sums.saturating_add(2 * square(m))
}

fn reserve<T: Real>(ctx: &Context, m: usize, t: usize) -> Result<Reservation> {
    ctx.reserve("the sums over rows", basis_bytes::<T>(m, t), HINT)
}

/// Bytes of a fit that solves the m × m system directly.
fn direct_bytes<T: Real>(m: usize, t: usize) -> u64 {
    let solve = path::workspace_bytes(m).saturating_add(square(m));
    let solve = nystrom::workspace_bytes(m, t).saturating_add(solve);
    basis_bytes::<T>(m, t).saturating_add(solve)
}

/// Refuses more landmarks than the budget has memory for, and says how many fit.
fn check_room(
    ctx: &Context,
    m: usize,
    needed: &dyn Fn(usize) -> u64,
    params: &LandmarkParams,
) -> Result<()> {
    let budget = ctx.budget();
    if needed(m) <= budget || matches!(params.count, LandmarkCount::Tolerance(_)) {
        return Ok(());
    }
    let (mut fits, mut beyond) = (0, m);
    while beyond - fits > 1 {
        let middle = fits.midpoint(beyond);
        if needed(middle) <= budget { fits = middle } else { beyond = middle }
    }
    let hint = format!("use at most {fits} landmarks, or raise the memory budget");
    Err(Error::memory("a fit on the landmarks", needed(m), budget, hint))
}

/// The point to see samples from, where they lie far from the origin: always for functions of differences, and for other kernels if the features are
/// centred.
fn far_point<T: Real>(kernel: &SpecKernel<T>, x: &Samples<T>, center: bool) -> Option<Vec<T>> {
    let centred = x.dense()?.centred()?;
    let recentred = Recentred::new(kernel, &centred.point)?;
    (center || recentred.is_of_differences()).then(|| centred.point.clone())
}

/// Shares of the trace that are left after some numbers of landmarks.
type Curve = Vec<(usize, f64)>;

/// The landmarks and, where it is known, the error that they leave by their number.
fn pick<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    point: Option<&[T]>,
    params: &LandmarkParams,
    found: &Candidates<T>,
) -> Result<(Samples<T>, Curve)> {
    let x = &found.samples;
    let (most, tolerance) = match &params.count {
        LandmarkCount::Given(given) => {
            let samples = given.samples()?.to_type::<T>()?;
            x.check_like(&samples)?;
            return Ok((samples, Vec::new()));
        }
        LandmarkCount::Count(count) => (*count, 0.0),
        LandmarkCount::Tolerance(share) => (MOST, *share),
    };
    if params.method == LandmarkMethod::Uniform {
        if tolerance > 0.0 {
            return Err(Error::parameter(
                Param::Landmarks,
                "a tolerance needs landmarks chosen by pivoted Cholesky",
            ));
        }
        return Ok((x.select(&uniform(x.n(), most, params.seed)), Vec::new()));
    }
    let on = KernelOn::at(kernel, x, point)?;
    let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
    let wanted = pivoted_cholesky::Params { most, tolerance, seed: params.seed };
    let info = pivoted_cholesky(ctx, &gram, &wanted)?;
    if info.pivots.is_empty() {
        return Err(Error::Numeric(
            "all kernel values k(x, x) are 0: there is nothing to fit".into(),
        ));
    }
    Ok((x.select(&info.pivots), info.curve))
}

/// A random choice of `most` of n rows, in their order.
fn uniform(n: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut stream = crate::context::Stream::new(seed, "uniform landmarks");
    let mut rows: Vec<usize> = (0..n).collect();
    for i in 0..most.min(n) {
        let other = i + stream.below(n - i);
        rows.swap(i, other);
    }
    rows.truncate(most.min(n));
    rows.sort_unstable();
    rows
}

/// Landmarks that do not depend on each other, the kernel with them, and the factor of their matrix.
struct Independent<T: Real> {
    landmarks: Samples<T>,
    on: KernelOn<T>,
    factor: Mat<f64>,
}

/// The landmarks without those that depend linearly on others.
fn independent<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    landmarks: Samples<T>,
    point: Option<&[T]>,
    seed: u64,
) -> Result<Independent<T>> {
    let on = KernelOn::at(kernel, &landmarks, point)?;
    let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
    let lost = lost_share(gram.dtype().epsilon());
    if let Some(factor) = factor(ctx, &gram, lost)? {
        return Ok(Independent { landmarks, on, factor });
    }
    let m = landmarks.n();
    let wanted = pivoted_cholesky::Params { most: m, tolerance: lost, seed };
    let pivots = pivoted_cholesky(ctx, &gram, &wanted)?.pivots;
    let landmarks = landmarks.select(&pivots);
    let on = KernelOn::at(kernel, &landmarks, point)?;
    let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
    let factor = factor(ctx, &gram, 0.0)?.ok_or_else(not_definite)?;
    Ok(Independent { landmarks, on, factor })
}

fn not_definite() -> Error {
    let message = "the kernel matrix of the landmarks is not positive definite: the kernel may be indefinite on these samples";
    Error::Numeric(message.into())
}

/// The factor of a kernel matrix, unless a row depends on those before it but for rounding.
fn factor(ctx: &Context, gram: &dyn Gram, lost: f64) -> Result<Option<Mat<f64>>> {
    let diagonal = gram.diag(ctx)?;
    let mut factor = gram.lower(ctx)?;
    match cholesky::factor(&ctx.without_steps(), &mut factor) {
        Err(Error::Numeric(_)) => return Ok(None),
        other => other?,
    }
    let fine = |i: usize| factor[(i, i)] * factor[(i, i)] > lost * diagonal[i];
    Ok((0..factor.rows()).all(fine).then_some(factor))
}

/// The kernel with landmarks as a model keeps them.
pub(crate) fn kernel_at<T: Real>(
    kernel: &SpecKernel<T>,
    landmarks: &Samples<T>,
    state: &LandmarkState,
) -> Result<KernelOn<T>> {
    let point: Option<Vec<T>> =
        state.point.as_ref().map(|point| point.iter().map(|&v| T::from_f64(v)).collect());
    KernelOn::at(kernel, landmarks, point.as_deref())
}
