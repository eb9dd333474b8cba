//! Landmarks with the factor of their kernel matrix.

use super::candidates::{self, Candidates, check_block};
use super::input_means::input_means;
use super::row_sums::RowSums;
use super::rows::{RowBlock, RowBlocks, Whole};
use super::{LandmarkCount, LandmarkMethod, LandmarkParams, LandmarkReport, LandmarkState};
use crate::context::{Context, Reservation};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, LandmarkSums, MatrixFree};
use crate::kernel::{KernelSpec, Recentred, SpecKernel};
use crate::linalg::cholesky;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::report::Report;
use crate::model::validate::check_weights;
use crate::points::{AnySamples, Points, Samples};
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
    if let LandmarkCount::Given(given) = &params.count {
        return read_once(ctx, (kernel, params, given.samples()?), center, source);
    }
    source.rewind(2)?;
    let needed = &direct_bytes::<T>;
    let (basis, _) = Basis::choose(ctx, kernel, params, center, source, needed)?;
    source.rewind(1)?;
    let sums = basis.sum(ctx, source, basis.target_means.clone())?;
    match basis.report.rows == sums.count {
        true => Ok((basis, sums)),
        false => Err(Error::Shape(format!(
            "the source had {} rows in the first pass but {} in the second: it must give the same rows each time",
            basis.report.rows, sums.count
        ))),
    }
}

/// Adds up the rows of a source in one pass, with the landmarks that the caller gave.
fn read_once<T: Real>(
    ctx: &Context,
    (kernel, params, given): (&KernelSpec, &LandmarkParams, &AnySamples),
    center: bool,
    source: &mut dyn RowBlocks,
) -> Result<(Basis<T>, LandmarkSums)> {
    source.rewind(1)?;
    let total = source.rows();
    let first = source.next()?.ok_or_else(no_rows)?;
    first.samples.check_like(given)?;
    check_block(&first, None, 0)?;
    let landmarks = given.to_type::<T>()?;
    let target_means = candidates::first_means(&first);
    let weights = vec![1.0; landmarks.n()];
    let found = Candidates { samples: landmarks, weights, target_means, rows: 0 };
    let (basis, _) = Basis::of(ctx, kernel, params, center, found, &direct_bytes::<T>)?;
    let mut sums = RowSums::new(ctx, &basis, basis.target_means.clone(), total)?;
    sums.add(ctx, &first)?;
    let sums = sums.add_rest(ctx, source)?;
    Ok((basis, sums))
}

fn no_rows() -> Error {
    Error::Shape("there are no rows to fit on".into())
}

impl<T: Real> Basis<T> {
    /// Landmarks.
    pub fn m(&self) -> usize {
        self.landmarks.n()
    }

    /// Chooses landmarks among a sample of the rows, which is returned too. `needed` are the bytes of a fit with m landmarks and t targets.
    pub(super) fn choose(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        center: bool,
        source: &mut dyn RowBlocks,
        needed: &dyn Fn(usize, usize) -> u64,
    ) -> Result<(Self, Candidates<T>)> {
        params.check()?;
        let most = most(params);
        let enough = CANDIDATES.max(CANDIDATES_FOR_EACH.saturating_mul(most));
        let found = candidates::sample::<T>(ctx, source, enough, params.seed)?;
        Self::of(ctx, kernel, params, center, found, needed)
    }

    /// Chooses landmarks among samples in memory.
    pub(crate) fn among(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        center: bool,
        x: &Samples<T>,
        needed: &dyn Fn(usize, usize) -> u64,
    ) -> Result<Self> {
        let source = &mut Whole::new(x, None, None);
        Ok(Self::choose(ctx, kernel, params, center, source, needed)?.0)
    }

    /// Chooses landmarks among candidates.
    fn of(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        center: bool,
        found: Candidates<T>,
        needed: &dyn Fn(usize, usize) -> u64,
    ) -> Result<(Self, Candidates<T>)> {
        let (most, t) = (most(params), found.target_means.len());
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
            (_, LandmarkMethod::KMeans) => "kmeans",
        };
        let report = LandmarkReport {
            landmarks: landmarks.n(),
            dropped: chosen - landmarks.n(),
            method: method.into(),
            candidates: found.samples.n(),
            rows: found.rows,
            curve,
            ..LandmarkReport::default()
        };
        let _reservation = reserve::<T>(ctx, landmarks.n(), found.target_means.len())?;
        let target_means = found.target_means.clone();
        let basis = Self { spec, landmarks, on, factor, target_means, report, _reservation };
        Ok((basis, found))
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
        let factor = factored(ctx, &on)?;
        let (spec, report) = (spec.clone(), report.clone());
        let t = state.sums.as_ref().map_or(0, LandmarkSums::t);
        let _reservation = reserve::<T>(ctx, landmarks.n(), t)?;
        Ok(Self { spec, landmarks, on, factor, target_means: Vec::new(), report, _reservation })
    }

    /// The sums over the rows of a source from where it stands, with targets near `origin`.
    fn sum(
        &self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
        origin: Vec<f64>,
    ) -> Result<LandmarkSums> {
        RowSums::new(ctx, self, origin, source.rows())?.add_rest(ctx, source)
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
        LandmarkState { point: self.point(), mean_coef, sums: keep.then_some(sums) }
    }

    /// The point that samples are taken relative to.
    pub fn point(&self) -> Option<Vec<f64>> {
        self.on.point().map(|point| point.iter().map(|v| v.to_f64()).collect())
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
pub(super) fn check_rows(block: &RowBlock<'_>, before: usize, t: usize) -> Result<()> {
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

/// The most landmarks that there can be.
fn most(params: &LandmarkParams) -> usize {
    match &params.count {
        LandmarkCount::Count(count) => *count,
        LandmarkCount::Tolerance(_) => MOST,
        LandmarkCount::Given(given) => given.count,
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

/// Bytes of a fit on m landmarks with t targets that solves the m × m system directly.
pub(super) fn direct_bytes<T: Real>(m: usize, t: usize) -> u64 {
    let solve = path::workspace_bytes(m).saturating_add(square(m));
    let solve = nystrom::workspace_bytes(m, t).saturating_add(solve);
    basis_bytes::<T>(m, t).saturating_add(solve)
}

/// The largest number up to `beyond` of which `fits` is true; it is monotone.
fn largest(beyond: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut least, mut beyond) = (0, beyond + 1);
    while beyond - least > 1 {
        let middle = least.midpoint(beyond);
        if fits(middle) { least = middle } else { beyond = middle }
    }
    least
}

/// How many landmarks a budget has memory for, at most `most`.
pub(super) fn most_that_fit(budget: u64, most: usize) -> usize {
    largest(most, |m| direct_bytes::<f64>(m, 1) <= budget)
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
    let fits = largest(m, |m| needed(m) <= budget);
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
    if params.method != LandmarkMethod::PivotedCholesky && tolerance > 0.0 {
        return Err(Error::parameter(
            Param::Landmarks,
            "a tolerance needs landmarks chosen by pivoted Cholesky",
        ));
    }
    match params.method {
        LandmarkMethod::PivotedCholesky => {}
        LandmarkMethod::Uniform => {
            return Ok((x.select(&uniform(x.n(), most, params.seed)), Vec::new()));
        }
        LandmarkMethod::KMeans => {
            return Ok((means(ctx, found, most, params.seed)?, Vec::new()));
        }
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

/// The centres of k-means among the rows, which begins at a uniform choice of them.
fn means<T: Real>(
    ctx: &Context,
    found: &Candidates<T>,
    most: usize,
    seed: u64,
) -> Result<Samples<T>> {
    let Some(rows) = found.samples.dense() else {
        return Err(Error::parameter(
            Param::Landmarks,
            format!(
                "means as landmarks need rows of numbers, but the samples are {}: choose by pivoted Cholesky",
                found.samples.kind()
            ),
        ));
    };
    let first = uniform(rows.n(), most, seed);
    Ok(Samples::Dense(input_means(ctx, rows, &found.weights, &first)?))
}

/// A random choice of `most` of n rows, in their order.
pub(super) fn uniform(n: usize, most: usize, seed: u64) -> Vec<usize> {
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
    let factor = factored(ctx, &on)?;
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
    kernel_at_point(kernel, landmarks, state.point.as_deref())
}

pub(super) fn kernel_at_point<T: Real>(
    kernel: &SpecKernel<T>,
    landmarks: &Samples<T>,
    point: Option<&[f64]>,
) -> Result<KernelOn<T>> {
    let point: Option<Vec<T>> = point.map(|point| point.iter().map(|&v| T::from_f64(v)).collect());
    KernelOn::at(kernel, landmarks, point.as_deref())
}

/// The factor of the kernel matrix of landmarks that do not depend on each other.
pub(crate) fn factored<T: Real>(ctx: &Context, on: &KernelOn<T>) -> Result<Mat<f64>> {
    let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
    factor(ctx, &gram, 0.0)?.ok_or_else(not_definite)
}
