//! Tests of hypotheses by kernels: whether two sets of samples come from one distribution ([`Mmd`], and [`columns`] one by one), whether pairs are independent
//! ([`Hsic`]), and whether samples come from a density ([`Stein`]).
//!
//! Each statistic is a quadratic form in the kernel matrix, and what it is compared with are the same forms for other vectors: all of
//! them are computed in one pass over the tiles of the matrix ([`crate::gram::Splits`]), which is stored only if it fits the memory budget.
//!
//! A p-value by permutations is (1 + the number of permutations whose statistic is at least as large) / (1 + permutations). It is valid for any number
//! of samples. A large one is no evidence that distributions are equal.

mod blocks;
mod columns;
mod distributions;
mod holm;
mod independence;
mod mmd;
mod moments;
mod power;
mod stein;
mod stein_kernel;
mod witness;

#[cfg(test)]
mod tests;

pub use columns::{ColumnTest, columns};
pub use holm::holm;
pub use independence::{Hsic, HsicParams};
pub use mmd::{Mmd, MmdParams, Statistic};
pub use stein::{Stein, SteinParams};
pub use witness::witness;

use serde::Serialize;

use crate::error::{Error, Param, Result};
use crate::kernel::KernelSpec;

/// What a statistic is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Null {
    /// The same statistic after so many random permutations: valid for any number of samples.
    Permutations(usize),
    /// A Gamma distribution with the mean and the variance that the statistic has over all permutations, both of them exact. An approximation, in one
    /// pass over the matrix.
    Gamma,
}

/// The result of a test.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The statistic.
    pub statistic: f64,
    /// The probability of so large a statistic, or a larger one, if the hypothesis holds.
    pub p_value: f64,
    /// The statistics of the permutations, or of the bootstrap; empty where the distribution is known by its moments.
    pub null: Vec<f64>,
    /// Mean and standard deviation of the statistic if the hypothesis holds, where they are known without permutations.
    pub moments: Option<(f64, f64)>,
    /// The kernels, with their widths as numbers; none for given matrices.
    pub kernels: Vec<KernelSpec>,
    /// Samples that the statistic is computed from.
    pub used: usize,
    /// How the kernel matrix was held.
    pub storage: String,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// Seconds.
    pub seconds: f64,
}

/// Fewer permutations leave no p-value below 0.1.
const LEAST: usize = 9;

/// Refuses too few permutations.
fn check_permutations(count: usize) -> Result<()> {
    match count >= LEAST {
        true => Ok(()),
        false => Err(Error::parameter(
            Param::Named("permutations"),
            format!(
                "must be at least {LEAST}, not {count}: p-values are multiples of 1 / (permutations + 1)"
            ),
        )),
    }
}

/// (1 + the number of `null` at least as large as `statistic`) / (1 + all). Differences up to `noise` are rounding, and count as equal.
fn add_one(statistic: f64, null: &[f64], noise: f64) -> f64 {
    let reach = null.iter().filter(|&&value| value >= statistic - noise).count();
    (1 + reach) as f64 / (1 + null.len()) as f64
}
