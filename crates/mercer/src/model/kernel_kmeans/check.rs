//! Validation of the input of kernel k-means, before any kernel value is computed.

use super::{Init, KernelKMeansParams};
use crate::error::{Error, Param, Result};
use crate::model::validate::check_weights;

/// Refuses what makes no sense; the weights, 1 where none are given.
pub(super) fn check(
    params: &KernelKMeansParams,
    n: usize,
    weights: Option<&[f64]>,
) -> Result<Vec<f64>> {
    let weights = match weights {
        Some(weights) => {
            check_weights(weights, n)?;
            weights.to_vec()
        }
        None => vec![1.0; n],
    };
    let counted = weights.iter().filter(|w| **w > 0.0).count();
    let k = params.clusters;
    if k == 0 || k > counted {
        return Err(too_many(k, counted, counted < n));
    }
    check_params(params)?;
    if let Init::Labels(labels) = &params.init {
        check_labels(labels, n, k)?;
    }
    Ok(weights)
}

/// The error for more clusters than samples, or none.
pub(crate) fn too_many(k: usize, counted: usize, is_weighted: bool) -> Error {
    let of = if is_weighted { " with positive weight" } else { "" };
    let message = format!("must be between 1 and {counted}, the number of samples{of}, got {k}");
    Error::parameter(Param::Clusters, message)
}

/// Refuses parameters that make no sense whatever the samples are.
pub(crate) fn check_params(params: &KernelKMeansParams) -> Result<()> {
    let at_least_one = |name, value: usize| match value {
        0 => Err(Error::parameter(name, "must be at least 1")),
        _ => Ok(()),
    };
    at_least_one(Param::Clusters, params.clusters)?;
    at_least_one(Param::Starts, params.starts)?;
    at_least_one(Param::MaxRounds, params.max_rounds)?;
    if !(params.tolerance >= 0.0 && params.tolerance.is_finite()) {
        let message = format!("must not be negative, got {}", params.tolerance);
        return Err(Error::parameter(Param::Tolerance, message));
    }
    Ok(())
}

pub(crate) fn check_labels(labels: &[usize], n: usize, k: usize) -> Result<()> {
    if labels.len() != n {
        let message = format!("got {} labels for {n} samples", labels.len());
        return Err(Error::parameter(Param::Init, message));
    }
    match labels.iter().position(|&c| c >= k) {
        Some(row) => {
            let message = format!(
                "labels must be between 0 and {}, but row {row} has {}",
                k - 1,
                labels[row]
            );
            Err(Error::parameter(Param::Init, message))
        }
        None => Ok(()),
    }
}
