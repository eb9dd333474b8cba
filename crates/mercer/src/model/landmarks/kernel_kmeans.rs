//! Kernel k-means on landmarks: Lloyd's rounds on the projections φ̂(x), which are computed anew in every round and never held.
//!
//! The rounds begin at the best of several starts on a sample of the rows, whose features are held: there k-means is run to its end, and what remains for all
//! rows are few rounds. What is found are centres in the landmarks' span, and so an expansion with the landmarks as anchors.

use std::time::Instant;

use super::basis::{Basis, basis_bytes};
use super::candidates::Candidates;
use super::capacity::{Fit, square};
use super::curve::curve;
use super::kernel_kmeans_rows::{Measured, round_of_workers, values_of_workers};
use super::rows::{RowBlock, RowBlocks};
use super::{LandmarkParams, LandmarkReport, STAGE, phase};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{
    ClusterRows, ClusterSums, ClusterTotal, LowRank, SpanCentres, features, kernel_values,
};
use crate::linalg::view::Mat;
use crate::model::input::Input;
use crate::model::kernel_kmeans::{
    Init, KernelKMeans, KernelKMeansParams, check_labels, check_params, too_many, workspace,
};
use crate::model::report::Report;
use crate::points::{Dtype, Points, Samples, Span, with_dtype};
use crate::real::Real;
use crate::solve::lloyd::{self, SpanPasses, SpanProblem, SpanSolution, SpanStart, lloyd_in_span};

/// Rows of the sample that rounds start from at least, and for each cluster.
const SAMPLE: usize = 5000;
const SAMPLE_FOR_EACH: usize = 50;
/// Iterations on the sample that are allowed at least: they cost little.
const SAMPLE_ROUNDS: usize = 100;

impl KernelKMeans {
    /// Fits on rows that come in blocks, with the landmarks that the parameters ask for. The rows are read once to choose the landmarks, once to measure what they leave,
    /// and once in each iteration.
    #[doc(hidden)]
    pub fn fit_blocks(
        ctx: &Context,
        params: &KernelKMeansParams,
        source: &mut dyn RowBlocks,
        dtype: Dtype,
    ) -> Result<Self> {
        let started = Instant::now();
        check_params(params)?;
        let landmarks = super::required(params.landmarks.as_ref())?;
        landmarks.check()?;
        if landmarks.keep_sums {
            let message =
                "kernel k-means cannot be continued with more rows: fit it without keep_sums";
            return Err(Error::parameter(Param::Landmarks, message));
        }
        let mut model = with_dtype!(dtype, T => fit::<T>(ctx, params, landmarks, source))?;
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }
}

fn fit<T: Real>(
    ctx: &Context,
    params: &KernelKMeansParams,
    landmarks: &LandmarkParams,
    source: &mut dyn RowBlocks,
) -> Result<KernelKMeans> {
    source.rewind(params.max_rounds.saturating_add(3))?;
    let ctx = &ctx.in_phases(STAGE, phase::BEGIN);
    let sample = (sample_size(params), params.seed);
    let needed = |fit: &Fit| bytes::<T>(params, fit, ctx.threads());
    let (basis, found) =
        Basis::<T>::choose_with_sample(ctx, &params.kernel, landmarks, sample, source, &needed)?;
    let n =
        usize::try_from(found.rows).map_err(|_| Error::Shape("there are too many rows".into()))?;
    let candidates = basis.report.candidates;
    if params.clusters > candidates {
        return Err(too_many(params.clusters, candidates, candidates < n));
    }
    let (k, m) = (params.clusters, basis.m());
    let hint = "use fewer landmarks or clusters, or raise the memory budget";
    let bytes = rows_bytes::<T>((k, m), n as u64, ctx.threads());
    let _reservation = ctx.reserve("the clusters of all rows", bytes, hint)?;
    let (start, starts) = match &params.init {
        Init::Labels(labels) => {
            check_labels(labels, n, k)?;
            (SpanStart::Labels(labels.clone()), 1)
        }
        _ => on_sample(ctx, params, &basis, &found)?,
    };
    drop(found);
    let factor = Mat::from_fn(m, m, |i, j| T::from_f64(basis.factor[(i, j)]));
    let mut passes = Passes { basis: &basis, source, squares: Vec::new(), noise: 0.0, k };
    let measured = passes.measure(&ctx.phase(phase::SUM), &factor, n)?;
    passes.noise = 64.0 * T::EPSILON * measured.largest;
    passes.squares = measured.squares;
    let sums = measured.sums.values();
    let (explained, trace, weight, added) = (sums[0], sums[1], sums[2], &sums[3..]);
    if weight <= 0.0 {
        let message = "invalid input: all weights are zero";
        return Err(Error::parameter(Param::SampleWeights, message));
    }
    let problem = SpanProblem { factor: &basis.factor, explained, weight, n };
    let rounds = lloyd::Params { max_rounds: params.max_rounds, tolerance: params.tolerance };
    let solution = lloyd_in_span(ctx, &problem, start, &mut passes, &rounds, &|done, words| {
        Step { message: Some(words), ..Step::new("k-means", done, 1.0) }
    })?;
    let residual_trace = (trace - explained).max(0.0);
    let curve = curve(added, trace);
    let rows = n as u64;
    let report = LandmarkReport { rows, trace, residual_trace, curve, ..basis.report.clone() };
    Ok(assemble(params, &basis, solution, report, starts))
}

/// Rows of the sample that rounds start from.
fn sample_size(params: &KernelKMeansParams) -> usize {
    SAMPLE.max(SAMPLE_FOR_EACH.saturating_mul(params.clusters))
}

/// Bytes of what is known of each row, and of the sums of a round.
fn rows_bytes<T: Real>((k, m): (usize, usize), rows: u64, threads: usize) -> u64 {
    16 * rows + ClusterSums::bytes::<T>(k, m, threads)
}

/// Bytes of the features of a sample of the rows.
fn features_bytes<T: Real>(rows: usize, m: usize) -> u64 {
    rows as u64 * m as u64 * (8 + size_of::<T>() as u64)
}

/// Bytes of a fit: beside the sums those of all rows, and of the sample with its features.
fn bytes<T: Real>(params: &KernelKMeansParams, fit: &Fit, threads: usize) -> u64 {
    let (k, m) = (params.clusters, fit.m);
    let rows = match sample_size(params) {
        size if fit.rows > 0 => size.min(usize::try_from(fit.rows).unwrap_or(size)),
        size => size,
    };
    let sample = features_bytes::<T>(rows, m) + 2 * rows as u64 * (fit.row_bytes + 8);
    let starts = workspace(rows, params);
    let own = rows_bytes::<T>((k, m), fit.rows, threads);
    let basis = basis_bytes::<T>(m, fit.t).saturating_add(2 * square(m));
    basis.saturating_add(own).saturating_add(sample).saturating_add(starts)
}

/// The bytes of a fit in the number type that takes more.
pub(in crate::model) fn landmark_bytes(
    params: &KernelKMeansParams,
    fit: &Fit,
    threads: usize,
) -> u64 {
    bytes::<f32>(params, fit, threads).max(bytes::<f64>(params, fit, threads))
}

/// The model, whose centres are finite: those of clusters without samples coincide with another.
fn assemble<T: Real>(
    params: &KernelKMeansParams,
    basis: &Basis<T>,
    solution: SpanSolution,
    report: LandmarkReport,
    starts: usize,
) -> KernelKMeans {
    let point = basis.on.point().map(|point| point.iter().map(|v| v.to_f64()).collect());
    let params = KernelKMeansParams { kernel: basis.spec.clone(), ..params.clone() };
    let dtype = Dtype::of::<T>();
    let residual_trace = report.residual_trace;
    let notes = super::notes(&report);
    let base = Report { notes, ..super::report(report, dtype) };
    let samples = ((&basis.landmarks).into(), point, dtype);
    KernelKMeans::in_span(params, solution, (base, residual_trace), samples, starts)
}

/// The best of several starts on a sample of the rows, and how many were made.
fn on_sample<T: Real>(
    ctx: &Context,
    params: &KernelKMeansParams,
    basis: &Basis<T>,
    found: &Candidates<T>,
) -> Result<(SpanStart, usize)> {
    let (k, m) = (params.clusters, basis.m());
    let rows = found.samples.n();
    let hint = "use fewer landmarks or clusters, or raise the memory budget";
    let bytes = features_bytes::<T>(rows, m);
    let _reservation = ctx.reserve("the features of a sample of the rows", bytes, hint)?;
    let weights = &found.weights;
    let x = basis.on.moved(&found.samples)?;
    let factor = Mat::from_fn(m, m, |i, j| T::from_f64(basis.factor[(i, j)]));
    let features = features(ctx, &*basis.on.kernel, (&basis.on.anchors, &factor), Span::all(&x))?;
    let features = Mat::from_fn(rows, m, |i, j| features[(i, j)].to_f64());
    let max_rounds = params.max_rounds.max(SAMPLE_ROUNDS);
    let params = KernelKMeansParams { landmarks: None, max_rounds, ..params.clone() };
    let gram = LowRank::new(features);
    let quiet = ctx.without_steps();
    let clusters = KernelKMeans::fit(&quiet, &params, Input::Gram(&gram), Some(weights))?;
    let (mut means, mut sizes) = (Mat::zeros(k, m), vec![0.0; k]);
    for (i, &c) in clusters.labels.iter().enumerate() {
        let by = clusters.shares[i];
        sizes[c] += weights[i];
        let pairs = means.row_mut(c).iter_mut().zip(gram.factor().row(i));
        pairs.for_each(|(sum, v)| *sum += by * v);
    }
    let starts = clusters.report.clusters.map_or(1, |clusters| clusters.starts);
    Ok((SpanStart::Centres(means, sizes), starts))
}

/// The rows and what their kernel values are computed with.
struct Passes<'a, T: Real> {
    basis: &'a Basis<T>,
    source: &'a mut dyn RowBlocks,
    /// ‖φ̂(x)‖² of every row.
    squares: Vec<f64>,
    noise: f64,
    k: usize,
}

impl<T: Real> Passes<'_, T> {
    /// Runs `work` on every block with its first row and its samples as the kernel takes them.
    fn each(
        basis: &Basis<T>,
        source: &mut dyn RowBlocks,
        n: usize,
        mut work: impl FnMut(usize, &Samples<T>, &RowBlock<'_>) -> Result<()>,
    ) -> Result<()> {
        source.rewind(1)?;
        let mut first = 0;
        while let Some(block) = source.next()? {
            let x = block.samples.to_type::<T>()?;
            basis.landmarks.check_like(&x)?;
            if first + x.n() > n {
                break;
            }
            work(first, &basis.on.moved(&x)?, &block)?;
            first += x.n();
        }
        match first == n {
            true => Ok(()),
            false => Err(Error::Shape(format!(
                "the rows changed while they were read: there were {n} in the first pass, but not in a later one"
            ))),
        }
    }

    /// ‖φ̂(x)‖² of all rows, and the traces.
    fn measure(&mut self, ctx: &Context, factor: &Mat<T>, n: usize) -> Result<Measured> {
        if let Some(workers) = self.source.workers() {
            return Measured::of_workers(ctx, self.basis, workers);
        }
        let mut found = Measured::empty(self.basis.m())?;
        let with = (self.basis, factor);
        Self::each(self.basis, self.source, n, |first, x, block| {
            found.add(ctx, with, (first, x, block), Some(n))
        })?;
        Ok(found)
    }
}

impl<T: Real> SpanPasses for Passes<'_, T> {
    fn pass(
        &mut self,
        ctx: &Context,
        centres: Option<&SpanCentres>,
        labels: &mut [usize],
    ) -> Result<ClusterSums> {
        let (squares, noise, basis) = (&self.squares, self.noise, self.basis);
        if let Some(workers) = self.source.workers() {
            let known = (self.k, noise, &squares[..]);
            let quiet = &ctx.without_steps();
            return Ok(round_of_workers(quiet, (basis, workers), centres, known, labels)?.finish());
        }
        let mut sums = ClusterTotal::empty(self.k, basis.m())?;
        Self::each(basis, self.source, labels.len(), |first, x, block| {
            let own = first..first + x.n();
            let weights = block.weights.as_deref();
            let (samples, squares) = (Span::all(x), &squares[own.clone()]);
            let rows = ClusterRows { samples, weights, squares, first, noise };
            let labels = &mut labels[own];
            sums.add(ctx, &*basis.on.kernel, &basis.on.anchors, centres, (&rows, labels))
        })?;
        Ok(sums.finish())
    }

    fn values(&mut self, ctx: &Context, rows: &[usize]) -> Result<Mat<f64>> {
        let (m, basis) = (self.basis.m(), self.basis);
        if let Some(workers) = self.source.workers() {
            return values_of_workers(&ctx.without_steps(), (basis, workers), rows);
        }
        let mut values = Mat::zeros(rows.len(), m);
        Self::each(basis, self.source, self.squares.len(), |first, x, _| {
            let places = (0..rows.len()).filter(|&i| (first..first + x.n()).contains(&rows[i]));
            let places: Vec<usize> = places.collect();
            if places.is_empty() {
                return Ok(());
            }
            let chosen: Vec<usize> = places.iter().map(|&i| rows[i] - first).collect();
            let some = x.select(&chosen);
            let all = Span::all(&some);
            let found = kernel_values(ctx, &*basis.on.kernel, &basis.on.anchors, all)?;
            for (place, &i) in places.iter().enumerate() {
                let row = values.row_mut(i).iter_mut().zip(found.row(place));
                row.for_each(|(to, from)| *to = from.to_f64());
            }
            Ok(())
        })?;
        Ok(values)
    }
}
