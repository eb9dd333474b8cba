//! The first half of a kernel on vectors, alone: what is measured between two samples. Kernels that differ only in their
//! profile, such as RBF kernels of several widths, can then share it.

use super::Member;
use super::measure::Measure;
use crate::error::Result;
use crate::kernel::expression::{Node, SpecKernel, fill};
use crate::kernel::{Kernel, Tile};
use crate::points::{Samples, Span};
use crate::real::Real;

/// A number for two samples that a profile makes a kernel of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured(Measure);

impl Measured {
    /// Whether only differences of samples count, so that all of them may be moved by the same vector.
    pub fn is_of_differences(self) -> bool {
        self.0.is_of_differences()
    }
}

impl<T: Real> Kernel<Samples<T>, T> for Measured {
    fn tile(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        mut out: Tile<'_, T>,
    ) -> Result<()> {
        fill(self.0, rows, cols, &mut out)
    }
}

impl<T: Real> SpecKernel<T> {
    /// What the kernel measures, if it is a single family and no sum or product.
    #[doc(hidden)]
    pub fn measured(&self) -> Option<Measured> {
        self.member().map(|member| Measured(member.measure()))
    }

    /// Turns measured numbers into kernel values, in place. Only for a kernel that has [`SpecKernel::measured`].
    #[doc(hidden)]
    pub fn apply_profile(&self, values: &mut [T]) {
        self.member().expect("a kernel of a single family").apply(values);
    }

    /// The squared distance from which on kernel values are lost in the rounding of k(x, x) in double precision, if they fall with
    /// distance alone.
    #[doc(hidden)]
    pub fn reach(&self) -> Option<f64> {
        let falls = |member: &&Member| member.measure() == Measure::SquaredDistance;
        self.member().filter(falls)?.measured_from(f64::EPSILON)
    }

    fn member(&self) -> Option<&Member> {
        match self.root() {
            Node::Member(member) => Some(member),
            _ => None,
        }
    }
}
