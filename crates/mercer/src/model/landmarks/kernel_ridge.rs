//! Kernel ridge regression on landmarks: f(x) = βᵀφ̂(x) + b, an m × m system whatever the number of samples.

use std::time::Instant;

use super::basis::{Basis, Fitted, read};
use super::capacity::{Needed, direct_bytes};
use super::kernel_pca::solved;
use super::observed::Observed;
use super::rows::RowBlocks;
use super::{LandmarkParams, LandmarkReport, STAGE, iterative, phase};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::LandmarkSums;
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams, check_alphas, wanted};
use crate::model::note::{Note, NoteCode};
use crate::model::prepared::Prepared;
use crate::model::report::{Report, SystemReport};
use crate::points::{Dtype, with_dtype};
use crate::real::Real;
use crate::solve::nystrom::Nystrom;
use crate::solve::nystrom_path::NystromPath;

impl KernelRidge {
    /// Fits on rows that come in blocks with their targets, with the landmarks that the parameters ask for. The rows are read twice, and by conjugate gradients in
    /// every pass, and once more for the residual of the full system.
    #[doc(hidden)]
    pub fn fit_blocks(
        ctx: &Context,
        params: &KernelRidgeParams,
        source: &mut dyn RowBlocks,
        dtype: Dtype,
    ) -> Result<Self> {
        let started = Instant::now();
        let landmarks = super::required(params.landmarks.as_ref())?;
        let mut model = with_dtype!(dtype, T => {
            let ctx = &ctx.in_phases(STAGE, phases(params, landmarks, source)?);
            let mut source = Observed::<T>::new(ctx, source, landmarks.seed);
            let (mut model, norms) = if iterative::is_chosen(params, landmarks)? {
                iterative::fit::<T>(ctx, params, landmarks, &mut source)?
            } else {
                let (kernel, intercept, needed) = (&params.kernel, params.intercept, &direct_bytes::<T>);
                let fit =
                    LandmarkRidge::<T>::read(ctx, kernel, landmarks, intercept, &mut source, needed)?;
                let found = fit.into_model(ctx, params)?;
                solved(ctx, 1.0)?;
                found
            };
            let is_shown = model.report.solver == "landmarks";
            let quiet = if is_shown { ctx.clone() } else { ctx.without_steps() };
            model.certify(&quiet, &mut source, &norms)?;
            Result::Ok(model)
        })?;
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// Goes on with more rows: the model is that of all rows together, with the landmarks it has.
    #[doc(hidden)]
    pub fn continue_with(&mut self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<()> {
        let (params, classes) = (self.params.clone(), self.classes.clone());
        *self = with_dtype!(self.dtype, T => {
            LandmarkRidge::<T>::of_more(ctx, self, source)?.into_model(ctx, &params)?.0
        });
        self.classes = classes;
        self.forget_rows();
        Ok(())
    }
}

/// The phases of a fit: of one by conjugate gradients, whose passes have a bar of their own, those before; the certificate takes a pass where the rows can be read again.
fn phases(
    params: &KernelRidgeParams,
    landmarks: &LandmarkParams,
    source: &dyn RowBlocks,
) -> Result<&'static [usize]> {
    Ok(match (iterative::is_chosen(params, landmarks)?, source.is_once()) {
        (true, _) => phase::BEGIN,
        (false, true) => phase::FIT,
        (false, false) => phase::FIT_AND_EVALUATE,
    })
}

/// A regression on landmarks for every penalty: the rows are added up, and the m × m matrix is decomposed.
pub(crate) struct LandmarkRidge<T: Real> {
    /// The landmarks.
    pub basis: Basis<T>,
    /// The problem in coordinates of their span.
    pub problem: NystromPath,
    /// How good the approximation is.
    pub landmarks: LandmarkReport,
    sums: LandmarkSums,
}

impl<T: Real> LandmarkRidge<T> {
    /// Chooses landmarks for a source and adds up its rows, which takes two passes.
    pub fn read(
        ctx: &Context,
        kernel: &KernelSpec,
        landmarks: &LandmarkParams,
        intercept: bool,
        source: &mut dyn RowBlocks,
        needed: Needed<'_>,
    ) -> Result<Self> {
        let (basis, sums) = read::<T>(ctx, kernel, landmarks, intercept, source, needed)?;
        Self::new(ctx, basis, sums, intercept)
    }

    /// The fit with these sums.
    pub fn new(
        ctx: &Context,
        basis: Basis<T>,
        sums: LandmarkSums,
        intercept: bool,
    ) -> Result<Self> {
        if sums.t() == 0 {
            return Err(Error::Shape("there are no targets: at least one is required".into()));
        }
        solved(ctx, 0.0)?;
        let (reduced, landmarks) = basis.reduce(ctx, &sums, intercept)?;
        let problem = NystromPath::new(&ctx.without_steps(), reduced, intercept)?;
        Ok(Self { basis, problem, landmarks, sums })
    }

    /// The fit of the rows of a model and those of a source.
    pub fn of_more(ctx: &Context, model: &KernelRidge, source: &mut dyn RowBlocks) -> Result<Self> {
        let fitted = Fitted::of(&model.anchors, &model.landmarks, &model.report)?;
        let (basis, sums) = fitted.go_on::<T>(ctx, &model.params.kernel, source)?;
        Self::new(ctx, basis, sums, model.params.intercept)
    }

    /// The mean squared distance of the samples from their mean in the landmarks' feature space, and the mean of k(x, x).
    pub fn sizes(&self) -> (f64, f64) {
        let (sums, weight) = (&self.sums, self.sums.weight);
        let square = (0..sums.m()).map(|i| (sums.moments[(i, 0)] / weight).powi(2)).sum::<f64>();
        let mean = sums.trace / weight;
        ((mean - square).max(0.0), mean)
    }

    /// The variance of each target.
    pub fn variances(&self) -> Vec<f64> {
        let (sums, weight) = (&self.sums, self.sums.weight);
        let all = sums.target_squares.iter().zip(&sums.target_sums);
        all.map(|(square, sum)| (square / weight - (sum / weight).powi(2)).max(0.0)).collect()
    }

    /// The model with the penalties of `params`, and ‖f‖² of its functions.
    pub fn into_model(
        self,
        ctx: &Context,
        params: &KernelRidgeParams,
    ) -> Result<(KernelRidge, Vec<f64>)> {
        let Self { basis, problem, landmarks, sums } = self;
        check_alphas(&params.alpha, sums.t())?;
        let (reduced, path) = (&problem.reduced, &problem.path);
        let (beta, condition) = reduced.ridge(&ctx.without_steps(), path, &params.alpha)?;
        let residual = residual(reduced, &beta, &params.alpha);
        let keep = params.landmarks.as_ref().is_some_and(|landmarks| landmarks.keep_sums);
        let dtype = Dtype::of::<T>();
        let stable_alpha = path.norm() * dtype.epsilon() / wanted(dtype);
        let system = SystemReport { condition, effective_rank: None, stable_alpha };
        let norms = squared_lengths(&beta);
        let model = KernelRidge {
            params: KernelRidgeParams { kernel: basis.spec.clone(), ..params.clone() },
            offset: offsets(reduced, &beta),
            coef: reduced.to_coef(ctx, beta)?,
            weights: None,
            landmarks: Some(basis.state(Vec::new(), sums, keep)),
            anchors: Some((&basis.landmarks).into()),
            dtype,
            classes: None,
            selection: None,
            prepared: Prepared::default(),
            report: report(landmarks, dtype, residual, system),
        };
        Ok((model, norms))
    }
}

/// ‖f‖² of functions with coordinates `beta` (m × t).
pub(super) fn squared_lengths(beta: &Mat<f64>) -> Vec<f64> {
    let square = |j: usize| (0..beta.rows()).map(|i| beta[(i, j)].powi(2)).sum();
    (0..beta.cols()).map(square).collect()
}

/// The constants of the functions.
pub(super) fn offsets(reduced: &Nystrom, beta: &Mat<f64>) -> Vec<f64> {
    let shifts = reduced.offsets(beta).into_iter();
    // Of several penalties, those of one after the other.
    let means = reduced.target_means.iter().cycle();
    shifts.zip(means).map(|(shift, mean)| shift + mean).collect()
}

/// ‖r − (M + α) β‖ / ‖r‖, the largest over targets.
fn residual(reduced: &Nystrom, beta: &Mat<f64>, alphas: &[f64]) -> f64 {
    let (m, t) = (beta.rows(), beta.cols());
    let of_target = |j: usize| {
        let alpha = if alphas.len() == 1 { alphas[0] } else { alphas[j] };
        let left = |i: usize| {
            let row = reduced.second.row(i).iter().enumerate();
            let product: f64 = row.map(|(c, v)| v * beta[(c, j)]).sum();
            reduced.right[(i, j)] - product - alpha * beta[(i, j)]
        };
        let (squares, all) = (0..m).fold((0.0, 0.0), |(squares, all), i| {
            (squares + left(i).powi(2), all + reduced.right[(i, j)].powi(2))
        });
        if all > 0.0 { (squares / all).sqrt() } else { squares.sqrt() }
    };
    (0..t).map(of_target).fold(0.0, f64::max)
}

/// The residual of the m × m system from which on it counts as solved.
const SOLVED: f64 = 1e-6;

fn report(landmarks: LandmarkReport, dtype: Dtype, residual: f64, system: SystemReport) -> Report {
    let mut notes = super::notes(&landmarks);
    let converged = residual <= SOLVED;
    if !converged {
        let text = format!(
            "the system of the landmarks is nearly singular: its residual is {residual:.1e}; use a larger penalty or fewer landmarks"
        );
        notes.push(Note::new(NoteCode::IllConditioned, text));
    }
    Report {
        solver: "landmarks".into(),
        residual,
        converged,
        notes,
        system: Some(system),
        ..super::report(landmarks, dtype)
    }
}
