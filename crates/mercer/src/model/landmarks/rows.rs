//! Samples that come in blocks: a table in memory, a file, an iterator, a part of a cluster's data.

use std::borrow::Cow;

use super::workers::Workers;
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::points::AnySamples;

/// Consecutive samples with what belongs to them.
#[derive(Clone)]
pub struct RowBlock<'a> {
    /// The samples.
    pub samples: AnySamples,
    /// Their targets, a row for each: n × t.
    pub targets: Option<Cow<'a, Mat<f64>>>,
    /// Their weights; `None` for 1.
    pub weights: Option<Cow<'a, [f64]>>,
}

impl RowBlock<'_> {
    /// Samples without targets and weights.
    pub fn new(samples: impl Into<AnySamples>) -> Self {
        Self { samples: samples.into(), targets: None, weights: None }
    }
}

/// A source of rows that is read from its start as often as a fit needs it, block by block. All blocks have samples of one kind, with the same columns and number
/// type. Where blocks have a multiple of 1,024 rows, the result of a fit does not depend on their size to the last bit.
pub trait RowBlocks {
    /// Goes back to the first row. A source that can be read only once refuses, before anything is read, if it is asked for `passes` above 1.
    fn rewind(&mut self, passes: usize) -> Result<()>;

    /// The next block, which is not empty; `None` after the last.
    fn next(&mut self) -> Result<Option<RowBlock<'_>>>;

    /// How many rows there are, if that is known.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// The share of the pass that is read, from 0 to 1, if that is known where the number of rows is not.
    fn share(&self) -> Option<f64> {
        None
    }

    /// Whether the rows can be read only once.
    fn is_once(&self) -> bool {
        false
    }

    /// What makes passes over the rows, where these lie elsewhere: then `next` is not called.
    fn workers(&mut self) -> Option<&mut dyn Workers> {
        None
    }
}

impl<S: RowBlocks + ?Sized> RowBlocks for &mut S {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        (**self).rewind(passes)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        (**self).next()
    }

    fn rows(&self) -> Option<u64> {
        (**self).rows()
    }

    fn share(&self) -> Option<f64> {
        (**self).share()
    }

    fn is_once(&self) -> bool {
        (**self).is_once()
    }

    fn workers(&mut self) -> Option<&mut dyn Workers> {
        (**self).workers()
    }
}

/// Samples in memory as one block.
pub struct Whole<'a> {
    samples: AnySamples,
    targets: Option<&'a Mat<f64>>,
    weights: Option<&'a [f64]>,
    is_read: bool,
}

impl<'a> Whole<'a> {
    /// The samples with their targets (n × t) and weights (n).
    pub fn new(
        samples: impl Into<AnySamples>,
        targets: Option<&'a Mat<f64>>,
        weights: Option<&'a [f64]>,
    ) -> Self {
        Self { samples: samples.into(), targets, weights, is_read: false }
    }
}

impl RowBlocks for Whole<'_> {
    fn rewind(&mut self, _: usize) -> Result<()> {
        self.is_read = false;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        if std::mem::replace(&mut self.is_read, true) {
            return Ok(None);
        }
        Ok(Some(RowBlock {
            samples: self.samples.clone(),
            targets: self.targets.map(Cow::Borrowed),
            weights: self.weights.map(Cow::Borrowed),
        }))
    }

    fn rows(&self) -> Option<u64> {
        Some(self.samples.n() as u64)
    }
}
