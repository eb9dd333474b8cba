//! Nyström features φ̂(x) = L⁻¹ k_Z(x), with K_ZZ = L Lᵀ: their inner products are the approximation of the kernel on landmarks.
//!
//! They are the components of a kernel PCA along the directions of the landmarks, each less its projection on those before, so that models, files and
//! pre-images are those of kernel PCA, and feature j is what landmark j adds. The symmetric root K_ZZ^(-1/2) in the place of L⁻¹ would give the same features
//! but for a rotation, at twice the cost.
//!
//! The inverse map is linear in the features, x ≈ βᵀφ̂(x) + b: ridge regression of the samples on them, from the same sums over rows.

use std::borrow::Cow;
use std::time::Instant;

use rayon::prelude::*;

use super::basis::{Basis, basis_bytes, kernel_at, read};
use super::candidates;
use super::capacity::{Fit, direct_bytes, square};
use super::curve::curve;
use super::kernel_pca::assemble;
use super::kernel_ridge::offsets;
use super::packet::Packet;
use super::rows::{RowBlock, RowBlocks, Whole};
use super::workers::{Beside, EXPLAINED, Work};
use super::{LandmarkReport, LandmarkState, STAGE, no_landmarks, phase, required};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{ExactSums, LandmarkSums};
use crate::kernel::SpecKernel;
use crate::linalg::cholesky;
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::model::inverse::{Inverse, InverseParams};
use crate::model::kernel_pca::{KernelPca, KernelPcaParams};
use crate::model::prepared::Prepared;
use crate::model::report::Report;
use crate::points::{AnySamples, Dense, Dtype, Samples, Span, with_dtype, with_samples};
use crate::real::Real;

/// Samples between two looks at whether to stop.
const FEW: usize = 16;
/// Rows of the sums of squares.
const CHUNK: usize = 1024;

pub(super) fn report(landmarks: LandmarkReport, dtype: Dtype) -> Report {
    let notes = super::notes(&landmarks);
    Report { solver: "landmarks".into(), notes, ..super::report(landmarks, dtype) }
}

/// Fits features on rows that come in blocks.
pub(super) fn fit(
    ctx: &Context,
    params: &KernelPcaParams,
    source: &mut dyn RowBlocks,
    dtype: Dtype,
) -> Result<KernelPca> {
    let started = Instant::now();
    source.rewind(2)?;
    let ctx = &ctx.in_phases(STAGE, phase::BEGIN);
    let mut model = choose(ctx, params, source, dtype)?;
    source.rewind(1)?;
    let mut sums = Explained::new(model.k())?;
    let part = &ctx.phase(phase::SUM);
    if let Some(workers) = source.workers() {
        let mut pass = Packet::new(EXPLAINED);
        pass.model = Some(Box::new(model.clone()));
        sums = Explained::of_packet(workers.sum(part, &pass)?, model.k())?;
        model.set_explained(&sums);
        model.report.seconds = started.elapsed().as_secs_f64();
        return Ok(model);
    }
    with_dtype!(dtype, T => sums.add_source::<T>(part, &model, source))?;
    model.set_explained(&sums);
    model.report.seconds = started.elapsed().as_secs_f64();
    Ok(model)
}

/// The features of landmarks that are chosen among the rows of a source, without a report on how good they are.
fn choose(
    ctx: &Context,
    params: &KernelPcaParams,
    source: &mut dyn RowBlocks,
    dtype: Dtype,
) -> Result<KernelPca> {
    let landmarks = required(params.landmarks.as_ref())?;
    with_dtype!(dtype, T => {
        let needed = |fit: &Fit| bytes::<T>(fit);
        let basis = Basis::<T>::choose(ctx, &params.kernel, landmarks, false, source, &needed)?;
        let m = basis.m();
        let mut coef = Mat::from_fn(m, m, |i, j| f64::from(u8::from(i == j)));
        cholesky::solve_backward(ctx, &basis.factor, &mut coef)?;
        // What is left below the diagonal are signed zeros.
        (0..m).for_each(|i| coef.row_mut(i)[..i].fill(0.0));
        let model = KernelPca {
            params: KernelPcaParams { kernel: basis.spec.clone(), ..params.clone() },
            eigenvalues: vec![0.0; m],
            coef,
            offset: vec![0.0; m],
            trace: 0.0,
            mean: 0.0,
            origin: None,
            landmarks: Some(LandmarkState { point: basis.point(), mean_coef: Vec::new(), sums: None }),
            anchors: Some((&basis.landmarks).into()),
            dtype,
            computed_in: dtype,
            inverse: None,
            prepared: Prepared::default(),
            report: report(LandmarkReport { rows: 0, ..basis.report.clone() }, dtype),
        };
        Result::Ok(model)
    })
}

/// Rows whose features are computed at a time.
const ROWS: usize = 8 * CHUNK;

/// Bytes of a fit, and of the features of some rows.
fn bytes<T: Real>(fit: &Fit) -> u64 {
    let features = (ROWS * fit.m * size_of::<T>()) as u64;
    basis_bytes::<T>(fit.m, fit.t).saturating_add(2 * square(fit.m)).saturating_add(2 * features)
}

impl KernelPca {
    /// Chooses the landmarks of features among samples. What the report says of all samples takes [`KernelPca::features_of_rows`].
    #[doc(hidden)]
    pub fn choose_landmarks(
        ctx: &Context,
        params: &KernelPcaParams,
        x: &AnySamples,
    ) -> Result<Self> {
        choose(ctx, params, &mut Whole::new(x, None, None), x.dtype())
    }

    /// Writes the features of the training samples (n × m), and completes the report.
    #[doc(hidden)]
    pub fn features_of_rows<O: Real>(
        &mut self,
        ctx: &Context,
        x: &AnySamples,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let (rows, cols, stride) = (out.rows, out.cols, out.stride);
        self.transform_into(ctx, x, MatMut::new(&mut *out.data, rows, cols, stride))?;
        let mut sums = Explained::new(self.k())?;
        sums.add(ctx, MatRef::new(&*out.data, rows, cols, stride), &self.diagonal(ctx, x)?)?;
        self.set_explained(&sums);
        Ok(())
    }

    fn set_explained(&mut self, sums: &Explained) {
        let mut squares = sums.sums.values();
        let trace = squares.pop().unwrap_or(0.0);
        let explained: f64 = squares.iter().sum();
        if let Some(landmarks) = &mut self.report.landmarks {
            (landmarks.rows, landmarks.trace) = (sums.rows, trace);
            landmarks.residual_trace = (trace - explained).max(0.0);
            landmarks.curve = curve(&squares, trace);
            self.report = report(landmarks.clone(), self.dtype);
        }
        (self.eigenvalues, self.trace) = (squares, trace);
    }

    /// k(x, x) of each sample.
    fn diagonal(&self, ctx: &Context, x: &AnySamples) -> Result<Vec<f64>> {
        let (anchors, state) =
            self.anchors.as_ref().zip(self.landmarks.as_ref()).ok_or_else(no_landmarks)?;
        with_samples!(anchors, anchors => {
            let on = kernel_at(&SpecKernel::new(&self.params.kernel)?, anchors, state)?;
            let x = on.moved(&x.to_type()?)?;
            let mut diagonal = vec![Real::from_f64(0.0); x.n()];
            // A user-defined function may take long for each sample.
            for (piece, values) in diagonal.chunks_mut(FEW).enumerate() {
                ctx.poll()?;
                let start = piece * FEW;
                on.kernel.diag(Span::new(&x, start..start + values.len()), values)?;
            }
            Ok(diagonal.iter().map(|v| v.to_f64()).collect())
        })
    }
}

/// What features explain of the rows so far.
struct Explained {
    /// Σ φ̂_i(x)² for each feature, and Σ k(x, x).
    sums: ExactSums,
    rows: u64,
}

impl Explained {
    fn new(m: usize) -> Result<Self> {
        Ok(Self { sums: ExactSums::empty(m + 1)?, rows: 0 })
    }

    fn of_packet(mut found: Packet, m: usize) -> Result<Self> {
        Ok(Self { sums: found.take_sums(m + 1)?, rows: found.place("rows")? })
    }

    /// Adds the rows of a source, some at a time.
    fn add_source<T: Real>(
        &mut self,
        ctx: &Context,
        model: &KernelPca,
        source: &mut dyn RowBlocks,
    ) -> Result<()> {
        let (total, m) = (source.rows(), model.k());
        let bytes = (ROWS * m * size_of::<T>()) as u64;
        let hint = "use fewer landmarks or raise the memory budget";
        let _reservation = ctx.reserve("the features of some rows", bytes, hint)?;
        while let Some(block) = source.next()? {
            let n = block.samples.n();
            for from in (0..n).step_by(ROWS) {
                let rows: Vec<usize> = (from..(from + ROWS).min(n)).collect();
                let part = block.samples.select(&rows);
                let mut features = Mat::<T>::try_zeros(rows.len(), m)?;
                model.transform_into(&ctx.without_steps(), &part, features.view_mut())?;
                self.add(ctx, features.view(), &model.diagonal(ctx, &part)?)?;
                match total {
                    Some(n) => ctx.step(Step::new("rows", self.rows as f64, n as f64))?,
                    None => ctx.poll()?,
                }
            }
            drop(block);
            if total.is_none() {
                candidates::report(ctx, "rows", (self.rows, None, source.share()))?;
            }
        }
        Ok(())
    }

    /// Adds rows with their features (n × m) and k(x, x), in sums over chunks of a fixed size.
    fn add<T: Real>(
        &mut self,
        ctx: &Context,
        features: MatRef<'_, T>,
        diagonal: &[f64],
    ) -> Result<()> {
        let m = features.cols();
        let squares = |rows: &[f64], from: usize| {
            let mut sums = vec![0.0; m];
            for i in from..from + rows.len() {
                let square = |j: usize| features.at(i, j).to_f64().powi(2);
                sums.iter_mut().enumerate().for_each(|(j, sum)| *sum += square(j));
            }
            sums
        };
        let chunks = diagonal.par_chunks(CHUNK).enumerate();
        let parts: Vec<Vec<f64>> =
            ctx.install(|| chunks.map(|(c, rows)| squares(rows, c * CHUNK)).collect());
        for (part, rows) in parts.into_iter().zip(diagonal.chunks(CHUNK)) {
            let trace = rows.iter().sum::<f64>();
            let values = [part, vec![trace]].concat();
            if values.iter().any(|v| !v.is_finite()) {
                return Err(Error::Numeric(
                    "a kernel value is not finite: scale the data down, choose a smaller gamma or degree, or use double \
                     precision"
                        .into(),
                ));
            }
            self.sums.add(ctx, &values);
            self.rows += rows.len() as u64;
        }
        Ok(())
    }
}

/// The pass over parts of the rows.
pub(super) struct ExplainedWork(Box<KernelPca>);

impl ExplainedWork {
    /// As the packet says.
    pub fn new(pass: &Packet) -> Result<Self> {
        pass.model.clone().map(Self).ok_or_else(no_landmarks)
    }
}

impl Work for ExplainedWork {
    fn part(
        &self,
        ctx: &Context,
        _: u64,
        source: &mut dyn RowBlocks,
        _: &Beside,
    ) -> Result<Packet> {
        let mut sums = Explained::new(self.0.k())?;
        with_dtype!(self.0.dtype, T => sums.add_source::<T>(ctx, &self.0, source))?;
        Ok(Packet::new(EXPLAINED).with_sums(sums.sums, sums.rows))
    }
}

/// Fits features with an inverse map on rows that come in blocks.
pub(super) fn fit_with_inverse(
    ctx: &Context,
    params: &KernelPcaParams,
    source: &mut dyn RowBlocks,
    dtype: Dtype,
) -> Result<KernelPca> {
    let started = Instant::now();
    let landmarks = required(params.landmarks.as_ref())?;
    if landmarks.keep_sums {
        let text =
            "a model with an inverse map cannot be continued with more rows: fit it without one";
        return Err(Error::parameter(Param::InverseMap, text));
    }
    let mut model = with_dtype!(dtype, T => {
        let source = &mut WithTargets(source);
        let needed = &direct_bytes::<T>;
        let (basis, sums) = read::<T>(ctx, &params.kernel, landmarks, false, source, needed)?;
        let inverse = inverse(ctx, params.inverse.as_ref(), &basis, &sums)?;
        let mut model = assemble(ctx, params, &basis, sums)?;
        model.params.inverse = Some(inverse.params.clone());
        model.inverse = Some(inverse);
        Result::Ok(model)
    })?;
    model.report.seconds = started.elapsed().as_secs_f64();
    Ok(model)
}

/// The linear map from features to samples, which are the targets of the sums.
fn inverse<T: Real>(
    ctx: &Context,
    params: Option<&InverseParams>,
    basis: &Basis<T>,
    sums: &LandmarkSums,
) -> Result<Inverse> {
    let wanted = |text: &str| Error::parameter(Param::InverseAlpha, text.to_string());
    let alpha = params.and_then(|params| params.alpha).ok_or_else(|| wanted("must be a number"))?;
    if !(alpha >= 0.0 && alpha.is_finite()) {
        return Err(wanted(&format!("must not be negative, got {alpha}")));
    }
    let (reduced, _) = basis.reduce(ctx, sums, true)?;
    let quiet = ctx.without_steps();
    let (coef, _) = reduced.ridge(&quiet, &reduced.path(&quiet)?, &[alpha])?;
    let m = basis.m();
    let unit = (0..m * m).map(|at| if at % (m + 1) == 0 { T::ONE } else { T::ZERO }).collect();
    Ok(Inverse {
        params: InverseParams { kernel: "linear".parse()?, alpha: Some(alpha), center: true },
        anchors: Dense::from_vec(unit, m, m)?.into(),
        offset: offsets(&reduced, &coef),
        coef,
    })
}

/// Rows of numbers that are their own targets.
struct WithTargets<'a>(&'a mut dyn RowBlocks);

impl RowBlocks for WithTargets<'_> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        self.0.rewind(passes)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let Some(block) = self.0.next()? else { return Ok(None) };
        let targets = Some(Cow::Owned(numbers(&block.samples)?));
        Ok(Some(RowBlock { targets, ..block }))
    }

    fn rows(&self) -> Option<u64> {
        self.0.rows()
    }

    fn share(&self) -> Option<f64> {
        self.0.share()
    }

    fn is_once(&self) -> bool {
        self.0.is_once()
    }
}

fn numbers(x: &AnySamples) -> Result<Mat<f64>> {
    fn of<T: Real>(x: &Samples<T>) -> Result<Mat<f64>> {
        let x = match x {
            Samples::Sparse(x) => x.to_dense()?,
            x => x.need_dense("the inverse map")?.clone(),
        };
        Ok(Mat::from_fn(x.n(), x.d(), |i, j| x.row(i)[j].to_f64()))
    }
    with_samples!(x, x => of(x))
}
