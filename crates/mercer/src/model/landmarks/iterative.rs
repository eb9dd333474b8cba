//! Kernel ridge regression on so many landmarks that sums of their products cost more than passes over the rows: the m × m system is solved by conjugate
//! gradients, whose products (Σ w φ̂ φ̂ᵀ) v = L⁻¹ Σ w k_Z (k_Zᵀ (L⁻ᵀ v)) compute the kernel values anew.

use super::basis::{Basis, basis_bytes, check_rows};
use super::capacity::{Fit, square};
use super::curve::curve;
use super::kernel_ridge::squared_lengths;
use super::rows::RowBlocks;
use super::{LandmarkCount, LandmarkParams, LandmarkReport, phase};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{Batch, LandmarkSketch, LandmarkSums, add_image};
use crate::linalg::cholesky;
use crate::linalg::view::Mat;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams, check_alphas};
use crate::model::note::{Note, NoteCode};
use crate::model::prepared::Prepared;
use crate::model::report::{Report, SystemReport};
use crate::points::{Dtype, Span};
use crate::real::Real;
use crate::solve::landmark_cg::{self, Info, Params};
use crate::solve::ridge::{Solver, groups, put, take};

/// Landmarks up to which the system is solved directly: with 10⁶ rows, the n m² operations of its matrix then cost about as much as forty passes.
const DIRECT: usize = 5000;
/// Residuals to reach, and passes at most, unless the parameters say otherwise.
const TOLERANCE: f64 = 1e-6;
const MOST_PASSES: usize = 200;

/// Whether conjugate gradients were asked for or are the quicker way.
pub(super) fn is_chosen(params: &KernelRidgeParams, landmarks: &LandmarkParams) -> Result<bool> {
    let count = match &landmarks.count {
        LandmarkCount::Count(count) => *count,
        LandmarkCount::Tolerance(_) => 0,
        LandmarkCount::Given(given) => given.count,
    };
    let wrong = |message: &str| Err(Error::parameter(Param::Named("solver"), message));
    match params.solver {
        Solver::Cg if landmarks.keep_sums => wrong(
            "a model that is continued with more rows needs the matrix of its sums: use \"auto\" or \"eigen\"",
        ),
        Solver::Cg => Ok(true),
        Solver::Cholesky => {
            wrong("with landmarks, use \"auto\", \"eigen\" (direct) or \"cg\" (iterative)")
        }
        Solver::Eigen => Ok(false),
        Solver::Auto => Ok(count > DIRECT && !landmarks.keep_sums && has_ridge(params)),
    }
}

fn has_ridge(params: &KernelRidgeParams) -> bool {
    params.alpha.iter().all(|alpha| *alpha > 0.0)
}

/// Fits on the rows of a source, which is read as often as the iteration has passes, and three times more; the model and ‖f‖² of its functions.
pub(super) fn fit<T: Real>(
    ctx: &Context,
    params: &KernelRidgeParams,
    landmarks: &LandmarkParams,
    source: &mut dyn RowBlocks,
) -> Result<(KernelRidge, Vec<f64>)> {
    landmarks.check()?;
    if !has_ridge(params) {
        return Err(Error::parameter(Param::Alpha, "conjugate gradients need positive penalties"));
    }
    if source.workers().is_some() {
        let text = "conjugate gradients need the rows on one machine: use \"eigen\", which \"auto\" takes up to 5,000 landmarks";
        return Err(Error::parameter(Param::Named("solver"), text));
    }
    let wanted = wanted(params)?;
    source.rewind(3 + wanted.max_passes)?;
    let bytes = |fit: &Fit| {
        // The sketch, then its square beside it.
        let sketch = LandmarkSketch::bytes(fit.m, fit.t).saturating_add(square(fit.m));
        basis_bytes::<T>(fit.m, fit.t).saturating_add(sketch)
    };
    let (kernel, center) = (&params.kernel, params.intercept);
    let basis = Basis::<T>::choose(ctx, kernel, landmarks, center, source, &bytes)?;
    if basis.target_means.is_empty() {
        return Err(Error::Shape("there are no targets: at least one is required".into()));
    }
    check_alphas(&params.alpha, basis.target_means.len())?;
    source.rewind(2 + wanted.max_passes)?;
    let part = ctx.phase(phase::SUM);
    let (system, matrix) = System::read(&part, &basis, source, params)?;
    let (beta, info, largest) = system.solve(ctx, source, matrix, params, &wanted)?;
    let norms = squared_lengths(&beta);
    Ok((system.model(&ctx.without_time_limit(), params, beta, info, largest)?, norms))
}

fn wanted(params: &KernelRidgeParams) -> Result<Params> {
    let tolerance = params.tolerance.unwrap_or(TOLERANCE);
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        let message = format!("must be positive, got {tolerance}");
        return Err(Error::parameter(Param::Tolerance, message));
    }
    Ok(Params { tolerance, max_passes: params.max_passes.unwrap_or(MOST_PASSES) })
}

/// The system (M + α) β = r in coordinates of the landmarks' span.
struct System<'a, T: Real> {
    basis: &'a Basis<T>,
    /// What is known of the rows but for products.
    sums: LandmarkSums,
    /// The trace that each landmark explains beside those before it, as it was estimated on so many rows.
    explained: Vec<f64>,
    sampled: usize,
    /// μ: m; zeros if the features are not centred.
    mean: Vec<f64>,
    /// r: m × t.
    right: Mat<f64>,
    /// ȳ: t; zeros if the features are not centred.
    target_means: Vec<f64>,
}

impl<'a, T: Real> System<'a, T> {
    /// Reads the rows once: the right-hand sides, and a sketch of M as its preconditioner.
    fn read(
        ctx: &Context,
        basis: &'a Basis<T>,
        source: &mut dyn RowBlocks,
        params: &KernelRidgeParams,
    ) -> Result<(Self, Mat<f64>)> {
        let (m, t) = (basis.m(), basis.target_means.len());
        let hint = "use fewer landmarks or raise the memory budget";
        let bytes = LandmarkSketch::bytes(m, t);
        let _reservation = ctx.reserve("the sketch of the rows", bytes, hint)?;
        let seed = params.landmarks.as_ref().map_or(0, |landmarks| landmarks.seed);
        let mut sketch = LandmarkSketch::empty(m, basis.target_means.clone(), seed)?;
        let landmarks = (&basis.on.anchors, &basis.factor);
        each_block(basis, source, |batch, before, total| {
            sketch.add(ctx, &*basis.on.kernel, landmarks, batch, |done| match total {
                Some(n) => ctx.step(Step::new("rows", (before + done) as f64, n as f64)),
                None => ctx.poll(),
            })
        })?;
        sketch.finish(ctx, &basis.factor)?;
        let LandmarkSketch { mut turned, mut sums, explained, sampled, .. } = sketch;
        if sums.weight <= 0.0 {
            let message = "invalid input: all weights are zero";
            return Err(Error::parameter(Param::SampleWeights, message));
        }
        cholesky::solve_forward(ctx, &basis.factor, &mut sums.moments)?;
        cholesky::solve_forward(ctx, &basis.factor, &mut turned)?;
        let matrix = landmark_cg::square(ctx, &turned)?;
        let system = Self::new(basis, sums, (explained, sampled), params.intercept);
        Ok((system, matrix))
    }

    fn new(
        basis: &'a Basis<T>,
        sums: LandmarkSums,
        explained: (Vec<f64>, usize),
        center: bool,
    ) -> Self {
        let (m, t, weight) = (basis.m(), sums.t(), sums.weight);
        let moments = &sums.moments;
        let (mut mean, mut shift) = (vec![0.0; m], vec![0.0; t]);
        if center {
            mean = (0..m).map(|i| moments[(i, 0)] / weight).collect();
            shift = sums.target_sums.iter().map(|sum| sum / weight).collect();
        }
        // Without centring, targets are taken as they are.
        let by = |j: usize| if center { -shift[j] } else { sums.target_origin[j] };
        let right = Mat::from_fn(m, t, |i, j| moments[(i, 1 + j)] + by(j) * moments[(i, 0)]);
        let target_mean = |j: usize| if center { sums.target_origin[j] + shift[j] } else { 0.0 };
        let target_means = (0..t).map(target_mean).collect();
        let (explained, sampled) = explained;
        Self { basis, sums, explained, sampled, mean, right, target_means }
    }

    /// M v, in one pass over the rows.
    fn product(&self, ctx: &Context, source: &mut dyn RowBlocks, v: &Mat<f64>) -> Result<Mat<f64>> {
        let basis = self.basis;
        let (mut u, mut image) = (v.clone(), Mat::try_zeros(v.rows(), v.cols())?);
        cholesky::solve_backward(ctx, &basis.factor, &mut u)?;
        source.rewind(1)?;
        each_block(basis, source, |batch, _, _| {
            add_image(ctx, &*basis.on.kernel, &basis.on.anchors, batch, &u, &mut image)
        })?;
        cholesky::solve_forward(ctx, &basis.factor, &mut image)?;
        for j in 0..v.cols() {
            let along: f64 = self.mean.iter().enumerate().map(|(i, mean)| mean * v[(i, j)]).sum();
            let by = self.sums.weight * along;
            self.mean.iter().enumerate().for_each(|(i, mean)| image[(i, j)] -= by * mean);
        }
        Ok(image)
    }

    /// β for every target (m × t), how it went, and about the largest eigenvalue of M + α over the smallest α.
    fn solve(
        &self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
        matrix: Mat<f64>,
        params: &KernelRidgeParams,
        wanted: &Params,
    ) -> Result<(Mat<f64>, Info, f64)> {
        // At the end of the time, what was reached is the result.
        let timed = &ctx.with_partial_result();
        let (m, t) = (self.right.rows(), self.right.cols());
        let alphas: Vec<f64> =
            if params.alpha.len() == t { params.alpha.clone() } else { vec![params.alpha[0]; t] };
        let mut beta = Mat::try_zeros(m, t)?;
        let mut info = Info { passes: 0, residual: 0.0, converged: true };
        let (groups, mut matrix, mut condition) = (groups(&alphas), Some(matrix), 1.0_f64);
        for (place, (alpha, columns)) in groups.iter().enumerate() {
            let last = place + 1 == groups.len();
            let matrix = if last { matrix.take() } else { matrix.clone() };
            let matrix = matrix.expect("it is taken by the last group");
            let (factor, largest) = landmark_cg::preconditioner(timed, matrix, *alpha)?;
            let right = take(&self.right, columns);
            let mut product = |v: &Mat<f64>| self.product(timed, source, v);
            let (part, own) =
                landmark_cg::solve(ctx, &mut product, *alpha, &right, &factor, wanted)?;
            put(&part, columns, &mut beta);
            info.passes += own.passes;
            info.residual = info.residual.max(own.residual);
            info.converged &= own.converged;
            condition = condition.max(largest / alpha);
        }
        Ok((beta, info, condition))
    }

    fn model(
        self,
        ctx: &Context,
        params: &KernelRidgeParams,
        beta: Mat<f64>,
        info: Info,
        condition: f64,
    ) -> Result<KernelRidge> {
        let basis = self.basis;
        let mut offset = self.target_means.clone();
        for (i, mean) in self.mean.iter().enumerate() {
            offset.iter_mut().zip(beta.row(i)).for_each(|(o, b)| *o -= mean * b);
        }
        let report = self.report(info, condition);
        let mut coef = beta;
        cholesky::solve_backward(ctx, &basis.factor, &mut coef)?;
        Ok(KernelRidge {
            params: KernelRidgeParams { kernel: basis.spec.clone(), ..params.clone() },
            coef,
            offset,
            weights: None,
            landmarks: Some(basis.state(Vec::new(), self.sums, false)),
            anchors: Some((&basis.landmarks).into()),
            dtype: Dtype::of::<T>(),
            classes: None,
            selection: None,
            prepared: Prepared::default(),
            report,
        })
    }

    fn report(&self, info: Info, condition: f64) -> Report {
        let landmarks = LandmarkReport {
            rows: self.sums.count,
            trace: self.sums.trace,
            residual_trace: (self.sums.trace - self.explained.iter().sum::<f64>()).max(0.0),
            curve: curve(&self.explained, self.sums.trace),
            ..self.basis.report.clone()
        };
        let mut notes = super::notes(&landmarks);
        let text = format!(
            "the share of the trace that the landmarks leave was estimated on {} rows and is not a bound",
            self.sampled
        );
        notes.push(Note::new(NoteCode::Landmarks, text));
        if !info.converged {
            let text = format!(
                "the solution did not converge: residual {:.1e} after {} passes; raise alpha, the maximum number of passes or the tolerance",
                info.residual, info.passes
            );
            notes.push(Note::new(NoteCode::NotConverged, text));
        }
        let system = SystemReport { condition, effective_rank: None, stable_alpha: 0.0 };
        Report {
            solver: "landmarks-cg".into(),
            passes: info.passes,
            residual: info.residual,
            converged: info.converged,
            notes,
            system: Some(system),
            ..super::report(landmarks, Dtype::of::<T>())
        }
    }
}

/// Calls `work` with the blocks of a source from where it stands, the rows before each, and the rows of all if that is known.
fn each_block<T: Real>(
    basis: &Basis<T>,
    source: &mut dyn RowBlocks,
    mut work: impl FnMut(&Batch<'_, crate::points::Samples<T>>, usize, Option<u64>) -> Result<()>,
) -> Result<()> {
    let (mut before, total) = (0, source.rows());
    while let Some(block) = source.next()? {
        let x = block.samples.to_type::<T>()?;
        basis.landmarks.check_like(&x)?;
        check_rows(&block, before, basis.target_means.len())?;
        let x = basis.on.moved(&x)?;
        let batch = Batch {
            samples: Span::all(&x),
            targets: block.targets.as_deref(),
            weights: block.weights.as_deref(),
        };
        work(&batch, before, total)?;
        before += batch.samples.len();
    }
    Ok(())
}
