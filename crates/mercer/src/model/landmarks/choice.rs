//! The choice of landmarks among a sample of the rows.

use super::candidates::Candidates;
use super::input_means::input_means;
use super::{Curve, LandmarkCount, LandmarkMethod, LandmarkParams, LandmarkReport};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::MatrixFree;
use crate::kernel::{KernelSpec, Recentred, SpecKernel};
use crate::model::kernel_on::KernelOn;
use crate::points::{Points, Samples};
use crate::real::Real;
use crate::solve::pivoted_cholesky::{self, pivoted_cholesky};

/// Landmarks as they were chosen: some may depend on others.
pub(super) struct Chosen<T: Real> {
    /// The kernel as it was resolved.
    pub spec: KernelSpec,
    pub kernel: SpecKernel<T>,
    /// The point that samples are seen from, where they lie far from the origin.
    pub point: Option<Vec<T>>,
    pub landmarks: Samples<T>,
    /// How many were wanted.
    pub wanted: usize,
    /// The means of the targets of the candidates.
    pub target_means: Vec<f64>,
    /// How they were chosen.
    pub report: LandmarkReport,
}

/// Chooses landmarks, at most `most`.
pub(super) fn choose<T: Real>(
    ctx: &Context,
    kernel: &KernelSpec,
    params: &LandmarkParams,
    (center, most): (bool, usize),
    found: &Candidates<T>,
) -> Result<Chosen<T>> {
    let spec = kernel.resolve(&found.samples)?;
    let kernel = SpecKernel::<T>::new(&spec)?;
    let point = far_point(&kernel, &found.samples, center);
    let (landmarks, curve) = pick(ctx, &kernel, point.as_deref(), (params, most), found)?;
    let wanted = match &params.count {
        LandmarkCount::Count(count) => (*count).min(found.samples.n()),
        _ => landmarks.n(),
    };
    let report = LandmarkReport {
        method: name(params).into(),
        candidates: found.samples.n(),
        rows: found.rows,
        notes: notes(params, found, &curve),
        ..LandmarkReport::default()
    };
    let target_means = found.target_means.clone();
    Ok(Chosen { spec, kernel, point, landmarks, wanted, target_means, report })
}

fn name(params: &LandmarkParams) -> &'static str {
    match (&params.count, params.method) {
        (LandmarkCount::Given(_), _) => "given",
        (_, LandmarkMethod::PivotedCholesky) => "pivoted_cholesky",
        (_, LandmarkMethod::Uniform) => "uniform",
        (_, LandmarkMethod::KMeans) => "kmeans",
    }
}

/// What a user should know of the choice.
fn notes<T: Real>(params: &LandmarkParams, found: &Candidates<T>, curve: &Curve) -> Vec<String> {
    let mut notes = Vec::new();
    let candidates = found.samples.n();
    if candidates < found.usual && !params.is_given() {
        notes.push(format!(
            "within the memory budget, landmarks are chosen among {candidates} rows; with a larger budget they are chosen among {}, which may select others",
            found.usual
        ));
    }
    if let (LandmarkCount::Tolerance(tolerance), Some((count, share))) =
        (&params.count, curve.last())
        && share > tolerance
    {
        notes.push(format!(
            "{count} landmarks, the most that fit the memory budget, leave {share:.1e} of the trace, which is more than the tolerance {tolerance}"
        ));
    }
    notes
}

/// The point to see samples from, where they lie far from the origin: always for functions of differences, and for other kernels if the features are
/// centred.
fn far_point<T: Real>(kernel: &SpecKernel<T>, x: &Samples<T>, center: bool) -> Option<Vec<T>> {
    let centred = x.dense()?.centred()?;
    let recentred = Recentred::new(kernel, &centred.point)?;
    (center || recentred.is_of_differences()).then(|| centred.point.clone())
}

/// The landmarks and, where pivots were chosen, the error that they leave of the candidates.
fn pick<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    point: Option<&[T]>,
    (params, most): (&LandmarkParams, usize),
    found: &Candidates<T>,
) -> Result<(Samples<T>, Curve)> {
    let x = &found.samples;
    let tolerance = match &params.count {
        LandmarkCount::Given(given) => {
            let samples = given.samples()?.to_type::<T>()?;
            x.check_like(&samples)?;
            return Ok((samples, Vec::new()));
        }
        LandmarkCount::Count(_) => 0.0,
        LandmarkCount::Tolerance(share) => *share,
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
    // The rows as they are seen from their mean, and the means.
    let bytes = (rows.n() + 3 * first.len()) as u64 * (8 + found.samples.bytes_of(0));
    let hint = "use fewer landmarks or raise the memory budget";
    let _reservation = ctx.reserve("the means of the rows", bytes, hint)?;
    Ok(Samples::Dense(input_means(ctx, rows, &found.weights, &first)?))
}

/// A random choice of `most` of n rows, in the order in which they were drawn: the first of them are a random choice, too.
pub(super) fn uniform(n: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut stream = crate::context::Stream::new(seed, "uniform landmarks");
    let mut rows: Vec<usize> = (0..n).collect();
    for i in 0..most.min(n) {
        let other = i + stream.below(n - i);
        rows.swap(i, other);
    }
    rows.truncate(most.min(n));
    rows
}
