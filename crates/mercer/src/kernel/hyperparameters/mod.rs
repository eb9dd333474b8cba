//! Derivatives of a kernel by the logarithms of its hyperparameters.
//!
//! What an optimisation needs is never a derivative of the matrix, which would be n × n numbers for each of p parameters, but
//! Σ_ij A_ij ∂k(x_i, x_j)/∂log θ for weights A that are the same for all of them. So a tile is evaluated forwards, each part of the
//! kernel keeping its values, and the weights are carried back through the expression: a product hands a factor the weights times the
//! other factors, a member of a family adds up the weights times its own derivatives. It costs a few evaluations of the kernel,
//! however many parameters there are.

mod backward;
mod column_sums;
mod diagonal;
mod forward;
mod inputs;
mod tree;

#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::kernel::{KernelSpec, SpecKernel};
use crate::points::{Samples, Span};
use tree::Part;

/// A kernel that knows its derivatives by its hyperparameters, in the order of [`KernelSpec::hyperparameters`].
#[derive(Debug, Clone)]
pub struct TunedKernel {
    root: Part,
    count: usize,
}

impl TunedKernel {
    /// The kernel that `spec` describes, whose size is a parameter if `size` says so.
    pub fn new(spec: &KernelSpec, size: bool) -> Result<Self> {
        SpecKernel::<f64>::new(spec)?;
        let mut count = 0;
        let root = Part::root(&spec.0, size, &mut count)?;
        Ok(Self { root, count })
    }

    /// Hyperparameters.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds Σ_ij A_ij ∂k(x_i, y_j)/∂log θ to `sums`, one for each hyperparameter; A is `rows.len()` × `cols.len()`, row-major.
    pub fn add_sums(
        &self,
        rows: Span<'_, Samples<f64>>,
        cols: Span<'_, Samples<f64>>,
        weights: Vec<f64>,
        sums: &mut [f64],
    ) -> Result<()> {
        assert_eq!(weights.len(), rows.len() * cols.len());
        assert_eq!(sums.len(), self.count);
        let tape = self.root.forward(rows, cols)?;
        self.root.backward(&tape, weights, sums)
    }
}
