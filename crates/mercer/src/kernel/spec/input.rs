//! What a kernel asks of its samples before it meets them.

use super::KernelSpec;
use crate::error::{Error, Result};
use crate::kernel::Input;

impl KernelSpec {
    /// Whether a part of the kernel compares histograms, whose numbers are not negative.
    pub fn needs_histograms(&self) -> bool {
        self.0.leaves().iter().any(|leaf| leaf.family().input == Input::Histograms)
    }

    /// Refuses samples with a negative number for a kernel on histograms. `first_negative` finds the row and the column of the first
    /// such number and the number itself; it is asked only where it matters.
    pub fn check_input(
        &self,
        first_negative: impl FnOnce() -> Option<(usize, usize, f64)>,
    ) -> Result<()> {
        if !self.needs_histograms() {
            return Ok(());
        }
        match first_negative() {
            None => Ok(()),
            Some((row, column, value)) => Err(Error::parameter(
                "kernel",
                format!(
                    "histogram kernels need values of at least 0: {value} at row {row}, column {column} (both counted from 0)"
                ),
            )),
        }
    }
}
