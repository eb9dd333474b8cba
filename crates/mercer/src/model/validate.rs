//! Validation that all models share.

use crate::error::{Error, Param, Result};
use crate::points::AnySamples;

/// The samples a model was trained on, if `x` can be compared with them.
pub(super) fn anchors_for<'a>(
    anchors: Option<&'a AnySamples>,
    x: &AnySamples,
) -> Result<&'a AnySamples> {
    let anchors = anchors.ok_or_else(|| {
        Error::parameter(
            Param::Kernel,
            "the model was fitted on a precomputed kernel: pass kernel values with the training samples",
        )
    })?;
    anchors.check_like(x)?;
    Ok(anchors)
}

/// Checks weights for n samples: all finite, none negative, and some sample counts.
pub(super) fn check_weights(weights: &[f64], n: usize) -> Result<()> {
    check_weights_from(weights, n, 0)
}

/// The same for samples that stand behind `before` others.
pub(super) fn check_weights_from(weights: &[f64], n: usize, before: usize) -> Result<()> {
    if weights.len() != n {
        let message = format!("got {} weights for {n} samples", weights.len());
        return Err(Error::parameter(Param::SampleWeights, message));
    }
    if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        let rule = if weights[i].is_finite() { "not be negative" } else { "be finite" };
        let message = format!("must {rule}, but that of row {} is {}", before + i, weights[i]);
        return Err(Error::parameter(Param::SampleWeights, message));
    }
    if weights.iter().all(|w| *w == 0.0) {
        let message = "invalid input: all weights are zero";
        return Err(Error::parameter(Param::SampleWeights, message));
    }
    Ok(())
}

/// Checks kernel values of m samples with themselves.
pub(super) fn check_diagonal(diagonal: Option<&[f64]>, m: usize) -> Result<&[f64]> {
    let diagonal = diagonal.ok_or_else(|| {
        Error::parameter(Param::Diagonal, "the diagonal k(x, x) of the samples is required")
    })?;
    if diagonal.len() != m {
        let message = format!("got {} diagonal values k(x, x) for {m} rows", diagonal.len());
        return Err(Error::parameter(Param::Diagonal, message));
    }
    match diagonal.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(Error::parameter(Param::Diagonal, format!("entry {i} is {}", diagonal[i]))),
        None => Ok(diagonal),
    }
}
