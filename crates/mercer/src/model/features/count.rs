//! The number of random features that an error needs.
//!
//! For independent frequencies the error of a pair with difference δ has mean 0 over the draw, and the variance
//!
//! ```text
//! (1 + k(2δ) − 2k(δ)²)/D      with D features in pairs of cosine and sine
//! (1 + k(2δ)/2 − k(δ)²)/D     with D features of random phases
//! ```
//!
//! since the cosine of a random angle, and its square, have the means k(δ) and (1 + k(2δ))/2. So the expected mean square error over
//! pairs of samples is known for every D before any frequency is drawn. Orthogonal frequencies are at least as good on the whole for the
//! kernels here, though not for each pair.

use super::measure::{pairs, values};
use super::{KernelFeaturesParams, Source};
use crate::error::{Error, Param, Result};
use crate::kernel::{FeatureMap, Frequencies};
use crate::points::{Csr, Dense, Samples};

/// The most features that are chosen without being asked for.
const MOST: f64 = 65536.0;

/// The smallest number of features whose expected root mean square error on pairs of samples is at most `target`.
pub(super) fn needed(params: &KernelFeaturesParams, x: Source<'_>, target: f64) -> Result<usize> {
    if !(target > 0.0 && target.is_finite()) {
        let message = format!("the error must be a positive number, not {target}");
        return Err(Error::parameter(Param::Components, message));
    }
    let probe = FeatureMap::new(&params.kernel, x.d(), &params.options(Some(2)))?;
    if probe.as_fourier().is_none() {
        let message = "only kernels of a distance have a number of features for an error: set the number itself";
        return Err(Error::parameter(Param::Components, message));
    }
    let variance = mean_variance(params, x)?;
    let count = (variance / (target * target)).ceil().max(1.0);
    // Pairs are whole.
    let count = if is_paired(params) { 2.0 * (0.5 * count).ceil() } else { count };
    match count <= MOST {
        true => Ok(count as usize),
        false => Err(Error::parameter(
            Param::Components,
            format!(
                "an error of {target} needs {count:.0} features, more than the limit of {MOST}: allow a larger error, or set \
                 the number itself"
            ),
        )),
    }
}

fn is_paired(params: &KernelFeaturesParams) -> bool {
    params.frequencies != Frequencies::Independent
}

/// The mean over pairs of D times the variance.
fn mean_variance(params: &KernelFeaturesParams, x: Source<'_>) -> Result<f64> {
    let pairs = pairs(x.n(), params.seed);
    if pairs.is_empty() {
        let message = "an error on pairs of samples needs at least two samples";
        return Err(Error::parameter(Param::Components, message));
    }
    let mut sum = 0.0;
    for part in pairs.chunks(250) {
        let rows = x.rows(part.as_flattened())?;
        let near = values(&params.kernel, &rows)?;
        let far = values(&params.kernel, &doubled(&rows)?)?;
        for (k, twice) in near.iter().zip(far) {
            sum += match is_paired(params) {
                true => 1.0 + twice - 2.0 * k * k,
                false => 1.0 + 0.5 * twice - k * k,
            };
        }
    }
    Ok(sum / pairs.len() as f64)
}

/// The rows times 2.
fn doubled(x: &Samples<f64>) -> Result<Samples<f64>> {
    let twice = |numbers: &[f64]| numbers.iter().map(|v| 2.0 * v).collect::<Vec<_>>();
    match x {
        Samples::Sparse(x) => {
            Ok(Csr::new(x.n(), x.d(), x.starts(), x.columns(), &twice(x.values()))?.into())
        }
        _ => {
            let x = x.need_dense("a feature map")?;
            Ok(Dense::from_vec(twice(x.data()), x.n(), x.d())?.into())
        }
    }
}
