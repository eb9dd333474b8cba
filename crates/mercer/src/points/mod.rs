//! Sample sets. Data is validated here, once, when a set is made; all later modules rely on it.

mod any;
mod check;
mod concat;
mod csr;
mod dense;
mod derived;
mod items;
mod layout;
mod memo;
mod parts;
mod samples;
mod statistics;
mod strings;
mod symbols;

pub use any::{AnyMat, AnyMatrix, AnySamples, Dtype};
pub(crate) use any::{with_dtype, with_matrix, with_samples};
pub use csr::Csr;
#[doc(hidden)]
pub use csr::Place;
#[doc(hidden)]
pub use dense::Centred;
pub use dense::Dense;
pub use items::Items;
#[doc(hidden)]
pub use memo::Derived;
pub use parts::{Part, Parts};
pub use samples::Samples;
pub use strings::Strings;
#[doc(hidden)]
pub use symbols::{Merged, Sequences, Unit, distinct_symbols};

use std::ops::Range;

/// What it takes to work with a sample, on average.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Numbers that a kernel reads of it: what an evaluation costs.
    pub eval_cost: usize,
    /// Bytes that a copy of it takes, in double precision.
    pub bytes: u64,
}

impl Cost {
    /// Of samples whose kernel values are in memory: each is one number, and there is nothing to copy.
    pub const STORED: Self = Self { eval_cost: 1, bytes: 0 };
}

/// A validated, immutable set of samples. Cloning is cheap.
pub trait Points: Clone + Send + Sync {
    /// How many samples there are.
    fn len(&self) -> usize;

    /// The samples at `idx`, in that order, as a set of their own. Every index must lie below
    /// `len`.
    fn select(&self, idx: &[usize]) -> Self;

    /// What it takes to work with one of them.
    #[doc(hidden)]
    fn cost(&self) -> Cost;

    /// Whether there is no sample.
    #[doc(hidden)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The consecutive samples `start..end` of a set.
#[derive(Debug)]
pub struct Span<'a, P> {
    /// The whole set.
    pub points: &'a P,
    /// The first sample.
    pub start: usize,
    /// One past the last sample.
    pub end: usize,
}

// Not derived: a span is a reference and two numbers, whatever the samples are.
impl<P> Clone for Span<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Span<'_, P> {}

impl<'a, P: Points> Span<'a, P> {
    /// The samples `range` of `points`; the range must lie within the set.
    pub fn new(points: &'a P, range: Range<usize>) -> Self {
        assert!(
            range.start <= range.end && range.end <= points.len(),
            "span {range:?} of {} samples",
            points.len()
        );
        Self { points, start: range.start, end: range.end }
    }

    /// All samples of `points`.
    pub fn all(points: &'a P) -> Self {
        Self { points, start: 0, end: points.len() }
    }

    /// The samples `range` of this span, counted from its start.
    #[doc(hidden)]
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.end <= self.len(), "part {range:?} of a span of {} samples", self.len());
        Self::new(self.points, self.start + range.start..self.start + range.end)
    }

    /// How many samples the span has.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether the span has no sample.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// `start..end`.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}
