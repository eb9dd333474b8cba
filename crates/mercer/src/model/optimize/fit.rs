//! Fits whose kernel parameters are searched for first.

use super::{Objective, OptimizationReport, OptimizeParams, Optimized, Samples, optimize};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::model::kernel_pca::KernelPcaParams;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use crate::model::{Input, Note, NoteCode, Report, Targets};
use crate::points::AnySamples;

/// Finds kernel and penalty from those of `params` on, and fits with them.
pub fn fit_kernel_ridge<'a>(
    ctx: &Context,
    search: &OptimizeParams,
    params: &KernelRidgeParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
) -> Result<KernelRidge> {
    let x = samples_of(&input.into(), params.landmarks.is_some())?;
    let [alpha] = params.alpha[..] else {
        let message =
            "one penalty for all targets is searched for: give a single value to start from";
        return Err(Error::parameter(Param::Alpha, message));
    };
    let samples =
        Samples { x: &x, targets: &targets.regressed()?, weights: targets.weights.as_deref() };
    let found = optimize(ctx, search, &params.kernel, alpha, params.intercept, samples)?;
    let params =
        KernelRidgeParams { kernel: found.kernel, alpha: vec![found.alpha], ..params.clone() };
    let mut model = KernelRidge::fit(ctx, &params, &x, targets, None)?;
    found.report.attach(&mut model.report);
    Ok(model)
}

/// Finds the kernel whose matrix is best aligned with the targets, from that of `params` on.
pub fn kernel_for_pca(
    ctx: &Context,
    search: &OptimizeParams,
    params: &KernelPcaParams,
    input: &Input<'_>,
    targets: &Targets,
) -> Result<Optimized> {
    if search.objective != Objective::Alignment {
        let message = "kernel PCA has no error to make small: only the alignment with targets can be optimised";
        return Err(Error::parameter("optimize", message));
    }
    let x = samples_of(input, params.landmarks.is_some())?;
    let (values, weights) = (targets.regressed()?, targets.weights.as_deref());
    optimize(ctx, search, &params.kernel, 1.0, false, Samples { x: &x, targets: &values, weights })
}

fn samples_of(input: &Input<'_>, landmarks: bool) -> Result<AnySamples> {
    let refuse = |message: &str| Err(Error::parameter("optimize", message));
    match input {
        _ if landmarks => {
            refuse("not available on landmarks: search on a sample of the rows first")
        }
        Input::Samples(x) => Ok(x.clone()),
        _ => refuse("needs samples, whose kernel can change: not a given kernel matrix"),
    }
}

impl OptimizationReport {
    /// Adds the report to that of a fit, with notes on what a user should know.
    #[doc(hidden)]
    pub fn attach(self, report: &mut Report) {
        report.seconds += self.seconds;
        report.notes.extend(self.notes());
        report.optimization = Some(self);
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if !self.converged {
            let text = format!(
                "the search for kernel parameters did not converge: gradient {:.1e} after {} evaluations; raise their number, or \
                 start from other parameters",
                self.gradient, self.evaluations
            );
            notes.push(Note::new(NoteCode::NotConverged, text));
        }
        if !self.at_bounds.is_empty() {
            let text = format!(
                "the search for kernel parameters ended at the bounds of {}: widen them, or drop what does not matter",
                self.at_bounds.join(", ")
            );
            notes.push(Note::new(NoteCode::EdgeOfGrid, text));
        }
        notes
    }
}
