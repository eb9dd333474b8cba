//! Kernel PCA on landmarks: principal components of the features φ̂(x), an m × m eigenproblem whatever the number of samples.

use std::time::Instant;

use super::basis::{Basis, Fitted, basis_bytes, read};
use super::capacity::{Fit, direct_bytes};
use super::features;
use super::rows::RowBlocks;
use super::{LandmarkParams, LandmarkReport, LandmarkState, STAGE, phase};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{LandmarkSums, Precomputed, product_bytes};
use crate::linalg::view::Mat;
use crate::model::components::{Components, fix_signs};
use crate::model::kernel_pca::{Directions, KernelPca, KernelPcaParams};
use crate::model::note::{Note, NoteCode};
use crate::model::prepared::Prepared;
use crate::model::report::Report;
use crate::points::{Dtype, with_dtype};
use crate::real::Real;
use crate::solve::eigen::{self, Solver, Spectrum};
use crate::solve::nystrom::{self, Nystrom};
use crate::solve::share;
use crate::solve::threshold::zero_share;

impl KernelPca {
    /// Fits on rows that come in blocks, with the landmarks that the parameters ask for. The rows are read twice.
    #[doc(hidden)]
    pub fn fit_blocks(
        ctx: &Context,
        params: &KernelPcaParams,
        source: &mut dyn RowBlocks,
        dtype: Dtype,
    ) -> Result<Self> {
        let started = Instant::now();
        let ctx = &ctx.in_phases(STAGE, phase::FIT);
        let landmarks = wanted(params)?;
        if params.inverse.is_some() {
            return features::fit_with_inverse(ctx, params, source, dtype);
        }
        if params.directions == Directions::Landmarks && !landmarks.keep_sums {
            return features::fit(ctx, params, source, dtype);
        }
        let mut model = with_dtype!(dtype, T => {
            let needed = |fit: &Fit| bytes::<T>(params, fit);
            let (kernel, center) = (&params.kernel, params.center);
            let (basis, sums) = read::<T>(ctx, kernel, landmarks, center, source, &needed)?;
            solved(ctx, 0.0)?;
            let model = assemble(ctx, params, &basis, sums)?;
            solved(ctx, 1.0)?;
            Result::Ok(model)
        })?;
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// Goes on with more rows: the model is that of all rows together, with the landmarks it has.
    #[doc(hidden)]
    pub fn continue_with(&mut self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<()> {
        let params = self.params.clone();
        if params.inverse.is_some() {
            return Err(no_inverse());
        }
        let fitted = Fitted::of(&self.anchors, &self.landmarks, &self.report)?;
        *self = with_dtype!(self.dtype, T => {
            let (basis, sums) = fitted.go_on::<T>(ctx, &params.kernel, source)?;
            assemble(ctx, &params, &basis, sums)?
        });
        Ok(())
    }
}

/// Reports that a share of the phase is done in which the small problem is solved.
pub(super) fn solved(ctx: &Context, share: f64) -> Result<()> {
    match ctx.has_phases() {
        true => ctx.phase(phase::SOLVE).step(Step::new("solving", share, 1.0)),
        false => Ok(()),
    }
}

/// Bytes of a fit, whose solver may take more than that of all components.
fn bytes<T: Real>(params: &KernelPcaParams, fit: &Fit) -> u64 {
    let count = match params.components {
        Components::Count(count) => count.min(fit.m),
        _ => fit.m,
    };
    let solver = eigen::workspace_bytes(fit.m, count, params.solver);
    let own = solver.saturating_add(nystrom::workspace_bytes(fit.m, fit.t));
    let own = own.saturating_add(product_bytes(fit.m));
    direct_bytes::<T>(fit).max(basis_bytes::<T>(fit.m, fit.t).saturating_add(own))
}

pub(super) fn no_inverse() -> Error {
    let text = "a model with an inverse map cannot be continued with more rows: fit it without one";
    Error::parameter(Param::InverseMap, text)
}

fn wanted(params: &KernelPcaParams) -> Result<&LandmarkParams> {
    let principal = params.directions == Directions::Principal;
    assert!(principal || !params.center, "landmarks have no centred directions");
    if params.inverse.is_some() && principal {
        return Err(Error::parameter(
            Param::InverseMap,
            "not available with landmarks: use a pre-image method (fixed_point, neighbors or gradient)",
        ));
    }
    if params.components == Components::Mle {
        return Err(Error::parameter(
            Param::Components,
            "the maximum likelihood estimate is available only for PCA: give a number of components or a fraction \
             of the variance",
        ));
    }
    super::required(params.landmarks.as_ref())
}

/// Directions of the model in coordinates of the landmarks' span.
struct Found {
    /// In columns, orthonormal unless 0: m × k.
    beta: Mat<f64>,
    /// The sums of the squares of the components: k.
    eigenvalues: Vec<f64>,
    report: Report,
}

/// The model, without an inverse map.
pub(super) fn assemble<T: Real>(
    ctx: &Context,
    params: &KernelPcaParams,
    basis: &Basis<T>,
    sums: LandmarkSums,
) -> Result<KernelPca> {
    let (reduced, landmarks) = basis.reduce(ctx, &sums, params.center)?;
    let dtype = Dtype::of::<T>();
    let Found { beta, eigenvalues, report } = match params.directions {
        Directions::Principal => principal(ctx, params, &reduced, landmarks, dtype)?,
        Directions::Landmarks => of_landmarks(&reduced, landmarks, dtype),
    };
    let offset = reduced.offsets(&beta);
    let mean_coef = if params.center { reduced.mean_coef(ctx)? } else { Vec::new() };
    let mean = reduced.mean.iter().map(|v| v * v).sum();
    let keep = params.landmarks.as_ref().is_some_and(|landmarks| landmarks.keep_sums);
    Ok(KernelPca {
        params: KernelPcaParams { kernel: basis.spec.clone(), ..params.clone() },
        eigenvalues,
        coef: reduced.to_coef(ctx, beta)?,
        offset,
        trace: reduced.total(),
        mean,
        origin: None,
        landmarks: Some(basis.state(mean_coef, sums, keep)),
        anchors: Some((&basis.landmarks).into()),
        dtype,
        computed_in: dtype,
        inverse: None,
        prepared: Prepared::default(),
        report,
    })
}

fn principal(
    ctx: &Context,
    params: &KernelPcaParams,
    reduced: &Nystrom,
    landmarks: LandmarkReport,
    dtype: Dtype,
) -> Result<Found> {
    let mut spectrum = eigenpairs(ctx, params, reduced)?;
    fix_signs(&mut spectrum.vectors);
    let (k, alive) = counts(params, &spectrum);
    let mut eigenvalues = spectrum.values[..k].to_vec();
    eigenvalues[alive.min(k)..].fill(0.0);
    let entry = |i: usize, c: usize| if c < alive { spectrum.vectors[(c, i)] } else { 0.0 };
    let beta = Mat::from_fn(reduced.m(), k, entry);
    let landmarks = landmarks.bounded(&eigenvalues, reduced.total(), dtype.epsilon());
    Ok(Found { beta, eigenvalues, report: report(&spectrum, landmarks, dtype, k, alive) })
}

fn of_landmarks(reduced: &Nystrom, landmarks: LandmarkReport, dtype: Dtype) -> Found {
    let m = reduced.m();
    Found {
        beta: Mat::from_fn(m, m, |i, j| f64::from(u8::from(i == j))),
        eigenvalues: (0..m).map(|i| reduced.second[(i, i)].max(0.0)).collect(),
        report: features::report(landmarks, dtype),
    }
}

fn eigenpairs(ctx: &Context, params: &KernelPcaParams, reduced: &Nystrom) -> Result<Spectrum> {
    let m = reduced.m();
    params.components.check(m, "the number of landmarks")?;
    let gram = Precomputed::new(reduced.second.view())?;
    let wanted = eigen::Params::new(
        params.solver,
        params.tolerance,
        f64::EPSILON,
        params.max_passes,
        params.seed,
    )?;
    let quiet = ctx.without_steps();
    match params.components {
        Components::Count(count) => eigen::largest(&quiet, &gram, count, &wanted),
        Components::Share(share) => share::share(&quiet, &gram, share, reduced.total(), &wanted),
        Components::All | Components::Mle => eigen::largest(&quiet, &gram, m, &wanted),
    }
}

/// Components of the model, and how many of them have variance.
fn counts(params: &KernelPcaParams, spectrum: &Spectrum) -> (usize, usize) {
    let zero = spectrum.values[0].abs() * zero_share(f64::EPSILON);
    let alive = spectrum.values.iter().take_while(|eta| **eta > zero).count();
    let drop = params.remove_zero || params.components == Components::All;
    (if drop { alive } else { spectrum.values.len() }, alive)
}

fn report(
    spectrum: &Spectrum,
    landmarks: LandmarkReport,
    dtype: Dtype,
    k: usize,
    alive: usize,
) -> Report {
    let mut notes = super::notes(&landmarks);
    if alive < k {
        let text =
            format!("{} of {k} components have zero variance: their scores are 0", k - alive);
        notes.push(Note::new(NoteCode::ZeroVariance, text));
    }
    if !spectrum.converged {
        let text = format!(
            "the eigenvectors did not converge: residual {:.1e} after {} passes; raise the maximum number of passes or \
             the tolerance",
            spectrum.residual, spectrum.passes
        );
        notes.push(Note::new(NoteCode::NotConverged, text));
    }
    Report {
        solver: if spectrum.solver == Solver::Full { "full".into() } else { "krylov".into() },
        passes: spectrum.passes,
        residual: spectrum.residual,
        converged: spectrum.converged,
        notes,
        ..super::report(landmarks, dtype)
    }
}

impl LandmarkState {
    /// The coefficients of the mean kernel value, or zeros without centring.
    pub(crate) fn means(&self, m: usize) -> Vec<f64> {
        if self.mean_coef.is_empty() { vec![0.0; m] } else { self.mean_coef.clone() }
    }
}
