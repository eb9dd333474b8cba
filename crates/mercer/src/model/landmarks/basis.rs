//! Landmarks with the factor of their kernel matrix.

use super::candidates::{self, Candidates, check_block};
use super::capacity::{Capacity, Needed, square};
use super::choice::{self, Chosen, uniform};
use super::curve::curve;
use super::packet::Packet;
use super::row_sums::{RowSums, finished};
use super::rows::{RowBlock, RowBlocks, Whole};
use super::workers::{Beside, SUMS, Work};
use super::{LandmarkCount, LandmarkParams, LandmarkReport, LandmarkState, STAGE, phase};
use crate::context::{Context, Reservation};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, LandmarkSums, LandmarkTotal, MatrixFree, kernel_values};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::cholesky;
use crate::linalg::division::Division;
use crate::linalg::pivots;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::report::Report;
use crate::model::validate::check_weights_from;
use crate::points::{AnySamples, Points, Samples, Span};
use crate::real::Real;
use crate::solve::nystrom::Nystrom;
use crate::solve::pivoted_cholesky::lost_share;

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
    /// Of sums and factor, and of the blocks of a stream.
    _reservations: (Reservation, Option<Reservation>),
}

/// Chooses landmarks for a source and adds up its rows, which takes two passes. Centred features may be seen from any point.
pub(crate) fn read<T: Real>(
    ctx: &Context,
    kernel: &KernelSpec,
    params: &LandmarkParams,
    center: bool,
    source: &mut dyn RowBlocks,
    needed: Needed<'_>,
) -> Result<(Basis<T>, LandmarkSums)> {
    params.check()?;
    let ctx = &ctx.in_phases(STAGE, phase::FIT);
    if let LandmarkCount::Given(given) = &params.count {
        return read_once(ctx, (kernel, params, given.samples()?), center, (source, needed));
    }
    source.rewind(2)?;
    let basis = Basis::choose(ctx, kernel, params, center, source, needed)?;
    source.rewind(1)?;
    let origin = basis.target_means.clone();
    let sums = basis.sum(&ctx.phase(phase::SUM), source, origin)?;
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
    (source, needed): (&mut dyn RowBlocks, Needed<'_>),
) -> Result<(Basis<T>, LandmarkSums)> {
    source.rewind(1)?;
    let total = source.rows();
    let whole = &ctx.phase(phase::SUM);
    let with = |first: &RowBlock<'_>| {
        let wanted = (kernel, params, given);
        Basis::given(ctx, wanted, center, (first, total), needed)
    };
    if let Some(workers) = source.workers() {
        let basis = with(&workers.head()?)?;
        let sums = basis.sum(whole, source, basis.target_means.clone())?;
        return Ok((basis, sums));
    }
    let first = source.next()?.ok_or_else(no_rows)?;
    let (basis, ctx) = (with(&first)?, whole);
    let division = Division::new(ctx, &basis.factor)?;
    let mut sums = RowSums::new((&basis, &division), basis.target_means.clone(), total)?;
    sums.add(ctx, &first)?;
    drop(first);
    sums.report(ctx, source)?;
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

    /// Chooses landmarks among a sample of the rows. `needed` are the bytes of a fit beside the choice.
    pub(super) fn choose(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        center: bool,
        source: &mut dyn RowBlocks,
        needed: Needed<'_>,
    ) -> Result<Self> {
        params.check()?;
        let ctx = &ctx.in_phases(STAGE, phase::CHOICE);
        let mut capacity = Capacity::new(ctx, params, needed);
        let found = candidates::sample::<T>(ctx, source, &mut capacity, params.seed)?;
        Self::of(ctx, kernel, params, (center, capacity.most_landmarks()), found)
    }

    /// The same, with a random choice of `size` of the rows that landmarks were chosen among.
    pub(super) fn choose_with_sample(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        (size, seed): (usize, u64),
        source: &mut dyn RowBlocks,
        needed: Needed<'_>,
    ) -> Result<(Self, Candidates<T>)> {
        params.check()?;
        let ctx = &ctx.in_phases(STAGE, phase::CHOICE);
        let mut capacity = Capacity::new(ctx, params, needed);
        let found = candidates::sample::<T>(ctx, source, &mut capacity, params.seed)?;
        let part = &ctx.phase(phase::CHOOSE);
        let chosen =
            choice::choose(part, kernel, params, (true, capacity.most_landmarks()), &found)?;
        let mut rows = uniform(found.samples.n(), size, seed);
        rows.sort_unstable();
        let (few, blocks) = found.into_few(ctx, &rows)?;
        let basis = Self::from_chosen(ctx, chosen, params.is_given(), blocks)?;
        Ok((basis, few))
    }

    /// Landmarks that the caller gave, for a source that begins with the block `first` and has `total` rows.
    fn given(
        ctx: &Context,
        (kernel, params, given): (&KernelSpec, &LandmarkParams, &AnySamples),
        center: bool,
        (first, total): (&RowBlock<'_>, Option<u64>),
        needed: Needed<'_>,
    ) -> Result<Self> {
        first.samples.check_like(given)?;
        check_block(first, None, 0)?;
        let landmarks = given.to_type::<T>()?;
        let mut capacity = Capacity::new(ctx, params, needed);
        let blocks = capacity.begin(ctx, first, total)?;
        capacity.check(landmarks.n())?;
        let found = Candidates::given(landmarks, candidates::first_means(first), blocks);
        Self::of(ctx, kernel, params, (center, usize::MAX), found)
    }

    /// Chooses landmarks among samples in memory.
    pub(crate) fn among(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        center: bool,
        x: &Samples<T>,
        needed: Needed<'_>,
    ) -> Result<Self> {
        Self::choose(ctx, kernel, params, center, &mut Whole::new(x, None, None), needed)
    }

    /// Chooses landmarks among candidates.
    fn of(
        ctx: &Context,
        kernel: &KernelSpec,
        params: &LandmarkParams,
        (center, most): (bool, usize),
        found: Candidates<T>,
    ) -> Result<Self> {
        let part = &ctx.phase(phase::CHOOSE);
        let chosen = choice::choose(part, kernel, params, (center, most), &found)?;
        let Candidates { samples, reservation, blocks, .. } = found;
        drop((samples, reservation));
        Self::from_chosen(ctx, chosen, params.is_given(), blocks)
    }

    fn from_chosen(
        ctx: &Context,
        chosen: Chosen<T>,
        is_given: bool,
        blocks: Option<Reservation>,
    ) -> Result<Self> {
        let Chosen { spec, kernel, point, landmarks, wanted, target_means, report } = chosen;
        let Independent { landmarks, on, factor } =
            independent(ctx, &kernel, landmarks, point.as_deref(), is_given)?;
        let m = landmarks.n();
        let report = LandmarkReport { landmarks: m, dropped: wanted - m, ..report };
        let sums = reserve::<T>(ctx, m, target_means.len())?;
        let _reservations = (sums, blocks);
        Ok(Self { spec, landmarks, on, factor, target_means, report, _reservations })
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
        let _reservations = (reserve::<T>(ctx, landmarks.n(), t)?, None);
        let target_means = Vec::new();
        Ok(Self { spec, landmarks, on, factor, target_means, report, _reservations })
    }

    /// Whether samples are the landmarks, one by one: no distance of theirs in feature space is more than rounding.
    fn are_landmarks(&self, ctx: &Context, samples: &AnySamples) -> Result<bool> {
        let samples = samples.to_type::<T>()?;
        if samples.n() != self.m() || self.landmarks.check_like(&samples).is_err() {
            return Ok(false);
        }
        let (kernel, anchors) = (&*self.on.kernel, &self.on.anchors);
        let moved = self.on.moved(&samples)?;
        let (mut own, mut other) = (vec![T::ZERO; self.m()], vec![T::ZERO; self.m()]);
        kernel.diag(Span::all(anchors), &mut own)?;
        kernel.diag(Span::all(&moved), &mut other)?;
        let cross = kernel_values(ctx, kernel, anchors, Span::all(&moved))?;
        let is_same = |i: usize| {
            let (a, b, c) = (own[i].to_f64(), other[i].to_f64(), cross[(i, i)].to_f64());
            (a + b - 2.0 * c).abs() <= 64.0 * T::EPSILON * (a.abs() + b.abs())
        };
        Ok((0..self.m()).all(is_same))
    }

    /// The sums over the rows of a source from where it stands, with targets near `origin`.
    fn sum(
        &self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
        origin: Vec<f64>,
    ) -> Result<LandmarkSums> {
        if let Some(workers) = source.workers() {
            let pass = self.packet(SUMS)?.with_reals("origin", origin.clone());
            let mut found = workers.sum(ctx, &pass)?;
            let (m, count) = (self.m(), found.place("rows")?);
            let sums = found.sums.take().ok_or_else(no_rows)?;
            let sums = LandmarkTotal::from_parts((m, count), origin, sums)?.sums()?;
            return finished(ctx, self, &Division::new(ctx, &self.factor)?, sums);
        }
        let division = Division::new(ctx, &self.factor)?;
        RowSums::new((self, &division), origin, source.rows())?.add_rest(ctx, source)
    }

    /// The problem in coordinates of the landmarks' span, and the report on the approximation.
    pub fn reduce(
        &self,
        ctx: &Context,
        sums: &LandmarkSums,
        center: bool,
    ) -> Result<(Nystrom, LandmarkReport)> {
        let reduced = Nystrom::new(ctx, self.factor.clone(), sums, center)?;
        let added: Vec<f64> = (0..self.m()).map(|i| sums.gram[(i, i)]).collect();
        let report = LandmarkReport {
            rows: sums.count,
            trace: reduced.trace,
            residual_trace: reduced.residual_trace(),
            curve: curve(&added, reduced.trace),
            ..self.report.clone()
        };
        Ok((reduced, report))
    }

    /// What the model keeps beside coefficients and landmarks.
    pub fn state(&self, mean_coef: Vec<f64>, sums: LandmarkSums, keep: bool) -> LandmarkState {
        LandmarkState { point: self.point(), mean_coef, sums: keep.then_some(sums) }
    }

    /// The basis as other machines need it, for a pass of this name.
    pub fn packet(&self, name: &str) -> Result<Packet> {
        packet_of(name, &self.spec, (&self.landmarks).into(), self.point())
    }

    /// The basis that a packet describes.
    pub fn of_packet(ctx: &Context, pass: &Packet) -> Result<Self> {
        let point = pass.reals.get("point").cloned();
        let state = LandmarkState { point, mean_coef: Vec::new(), sums: None };
        let landmarks = pass.samples("landmarks")?.to_type::<T>()?;
        let report = LandmarkReport::default();
        Self::restore(ctx, &pass.text("kernel")?.parse()?, landmarks, &state, &report)
    }

    /// The point that samples are taken relative to.
    pub fn point(&self) -> Option<Vec<f64>> {
        self.on.point().map(|point| point.iter().map(|v| v.to_f64()).collect())
    }
}

/// The pass that adds rows up.
pub(super) struct SumsWork<T: Real> {
    basis: Basis<T>,
    /// Takes longer to find than some thousand rows to read, so that all parts share it.
    division: Division<T>,
    origin: Vec<f64>,
}

impl<T: Real> SumsWork<T> {
    /// With these landmarks.
    pub fn new(ctx: &Context, basis: Basis<T>, pass: &Packet) -> Result<Self> {
        let (division, origin) = (Division::new(ctx, &basis.factor)?, pass.reals("origin")?);
        Ok(Self { basis, division, origin: origin.to_vec() })
    }
}

impl<T: Real> Work for SumsWork<T> {
    fn part(
        &self,
        ctx: &Context,
        _: u64,
        source: &mut dyn RowBlocks,
        _: &Beside,
    ) -> Result<Packet> {
        let landmarks = (&self.basis, &self.division);
        let sums = RowSums::new(landmarks, self.origin.clone(), source.rows())?;
        let total = sums.groups(ctx, source)?.ok_or_else(no_rows)?;
        let (_, count, _, sums) = total.parts();
        Ok(Packet::new(SUMS).with_sums(sums.clone(), count))
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

    /// The basis and the sums over the rows of both models, if they have the same landmarks.
    pub fn join<T: Real>(
        &self,
        ctx: &Context,
        kernel: &KernelSpec,
        other: &Fitted<'_>,
    ) -> Result<(Basis<T>, LandmarkSums)> {
        let mut sums = self.state.sums.clone().ok_or_else(super::no_sums)?;
        let added = other.state.sums.as_ref().ok_or_else(super::no_sums)?;
        let landmarks = self.anchors.to_type::<T>()?;
        let basis = Basis::<T>::restore(ctx, kernel, landmarks, self.state, self.report)?;
        if self.state.point != other.state.point || !basis.are_landmarks(ctx, other.anchors)? {
            return Err(super::more::other_landmarks("landmarks"));
        }
        sums.merge(added)?;
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
        check_weights_from(weights, n, before)?;
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

/// Landmarks as other machines need them.
pub(super) fn packet_of(
    name: &str,
    spec: &KernelSpec,
    landmarks: AnySamples,
    point: Option<Vec<f64>>,
) -> Result<Packet> {
    if !spec.custom_functions().is_empty() {
        let message = "a user-defined kernel cannot be sent to other machines";
        return Err(Error::parameter(Param::Kernel, message));
    }
    let mut pass = Packet::new(name).with_samples("landmarks", landmarks);
    pass.texts.insert("kernel".into(), spec.to_string());
    Ok(match point {
        Some(point) => pass.with_reals("point", point),
        None => pass,
    })
}

/// Bytes of the sums, the factor and its copy, and a chunk of features.
pub(super) fn basis_bytes<T: Real>(m: usize, t: usize) -> u64 {
    let sums = LandmarkSums::bytes(m, t).saturating_add(LandmarkSums::working_bytes::<T>(m, t));
    sums.saturating_add(2 * square(m))
}

fn reserve<T: Real>(ctx: &Context, m: usize, t: usize) -> Result<Reservation> {
    ctx.reserve("the sums over rows", basis_bytes::<T>(m, t), HINT)
}

/// Landmarks that do not depend on each other, the kernel with them, and the factor of their matrix.
struct Independent<T: Real> {
    landmarks: Samples<T>,
    on: KernelOn<T>,
    factor: Mat<f64>,
}

/// The landmarks without those that depend linearly on others, in the order of what those before leave of them, which lets sums over rows wait for most of the
/// division by the factor. Landmarks that the caller gave stay in their order if they are independent.
fn independent<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    landmarks: Samples<T>,
    point: Option<&[T]>,
    is_given: bool,
) -> Result<Independent<T>> {
    let on = KernelOn::at(kernel, &landmarks, point)?;
    let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
    let lost = lost_share(gram.dtype().epsilon());
    if is_given && let Some(factor) = factor(ctx, &gram, lost)? {
        return Ok(Independent { landmarks, on, factor });
    }
    let mut matrix = gram.lower(ctx)?;
    for i in 0..matrix.rows() {
        (0..i).for_each(|j| matrix[(j, i)] = matrix[(i, j)]);
    }
    let order = pivots::order(ctx, &mut matrix, lost)?;
    drop(matrix);
    let landmarks = landmarks.select(&order);
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
