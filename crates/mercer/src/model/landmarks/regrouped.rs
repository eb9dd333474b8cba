//! Blocks of any size as blocks of a multiple of 1,024 rows, so that results do not depend on how a source is divided.

use std::borrow::Cow;
use std::ops::Range;

use super::rows::{RowBlock, RowBlocks};
use super::workers::Workers;
use crate::error::{Error, Result};
use crate::gram::CHUNK;
use crate::linalg::view::Mat;
use crate::points::AnySamples;

/// Rows that are put together at least, unless the source ends.
const ROWS: usize = 4 * CHUNK;

/// A source whose blocks, but for the last one, have a multiple of 1,024 rows. Blocks that have so already are passed on as they are.
pub struct Regrouped<S> {
    inner: S,
    /// Rows that did not fill a chunk.
    rest: Option<RowBlock<'static>>,
    /// A row of the first block, which all others must be like.
    first: Option<RowBlock<'static>>,
    rows: u64,
    /// The rows of the first pass that came to its end.
    all: Option<u64>,
    is_done: bool,
}

impl<S: RowBlocks> Regrouped<S> {
    /// The blocks of `inner` put together and divided anew.
    pub fn new(inner: S) -> Self {
        Self { inner, rest: None, first: None, rows: 0, all: None, is_done: false }
    }

    /// The source.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Refuses the end of a pass after other rows than there are.
    fn check_rows(&mut self) -> Result<()> {
        let (found, first) = (self.rows, *self.all.get_or_insert(self.rows));
        if first != found {
            return Err(Error::Shape(format!(
                "the source had {first} rows in the first pass but {found} in a later one: it must give the same rows each time"
            )));
        }
        match self.inner.rows().filter(|rows| *rows != found) {
            Some(rows) => {
                Err(Error::Shape(format!("the source ended after {found} of {rows} rows")))
            }
            None => Ok(()),
        }
    }

    /// The next block of the source, checked; none at its end.
    fn pull(&mut self) -> Result<Option<RowBlock<'static>>> {
        let Some(block) = self.inner.next()? else {
            self.is_done = true;
            return self.check_rows().map(|()| None);
        };
        let block = owned(block);
        check_like(self.first.as_ref(), &block, self.rows)?;
        if self.first.is_none() {
            self.first = Some(part(&block, 0..block.samples.n().min(1)));
        }
        self.rows += block.samples.n() as u64;
        Ok(Some(block))
    }
}

impl<S: RowBlocks> RowBlocks for Regrouped<S> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        (self.rest, self.rows, self.is_done) = (None, 0, false);
        self.inner.rewind(passes)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let mut found: Vec<RowBlock<'static>> = self.rest.take().into_iter().collect();
        let mut size = found.iter().map(|block| block.samples.n()).sum::<usize>();
        // A block that needs no other goes on without a copy.
        while !self.is_done && (size == 0 || (size < ROWS && !size.is_multiple_of(CHUNK))) {
            if let Some(block) = self.pull()? {
                size += block.samples.n();
                found.push(block);
            }
        }
        if size == 0 {
            return Ok(None);
        }
        let whole = if self.is_done { size } else { size - size % CHUNK };
        let joined = joined(found)?;
        if whole == size {
            return Ok(Some(joined));
        }
        self.rest = Some(part(&joined, whole..size));
        Ok(Some(part(&joined, 0..whole)))
    }

    fn rows(&self) -> Option<u64> {
        self.inner.rows()
    }

    fn share(&self) -> Option<f64> {
        self.inner.share()
    }

    fn is_once(&self) -> bool {
        self.inner.is_once()
    }

    fn workers(&mut self) -> Option<&mut dyn Workers> {
        self.inner.workers()
    }
}

fn owned(block: RowBlock<'_>) -> RowBlock<'static> {
    RowBlock {
        samples: block.samples,
        targets: block.targets.map(|y| Cow::Owned(y.into_owned())),
        weights: block.weights.map(|w| Cow::Owned(w.into_owned())),
    }
}

/// Refuses a block that does not fit the first one, or itself.
fn check_like(
    first: Option<&RowBlock<'static>>,
    block: &RowBlock<'static>,
    row: u64,
) -> Result<()> {
    let wrong =
        |what: String| Err(Error::Shape(format!("the block that begins at row {row} {what}")));
    super::candidates::check_block(block, first.map(|first| &first.samples), row)?;
    let Some(first) = first else { return Ok(()) };
    let targets = |block: &RowBlock<'_>| block.targets.as_ref().map_or(0, |y| y.cols());
    match (targets(block), targets(first)) {
        (found, expected) if found != expected => {
            wrong(format!("has {found} targets, but the first has {expected}"))
        }
        _ if block.weights.is_some() != first.weights.is_some() => {
            wrong("and the first one do not both have weights".into())
        }
        _ => Ok(()),
    }
}

/// Some rows of a block.
fn part(block: &RowBlock<'static>, rows: Range<usize>) -> RowBlock<'static> {
    let places: Vec<usize> = rows.clone().collect();
    let targets = block.targets.as_ref().map(|y| {
        let t = y.cols();
        let data = y.data()[rows.start * t..rows.end * t].to_vec();
        Cow::Owned(Mat::from_vec(data, rows.len(), t))
    });
    let weights = block.weights.as_ref().map(|w| Cow::Owned(w[rows].to_vec()));
    RowBlock { samples: block.samples.select(&places), targets, weights }
}

/// All blocks as one.
fn joined(mut blocks: Vec<RowBlock<'static>>) -> Result<RowBlock<'static>> {
    if blocks.len() == 1 {
        return Ok(blocks.remove(0));
    }
    let samples: Vec<AnySamples> = blocks.iter().map(|block| block.samples.clone()).collect();
    let samples = AnySamples::concat(&samples)?;
    let targets = blocks[0].targets.as_ref().map(|y| y.cols()).map(|t| {
        let all = blocks.iter().filter_map(|block| block.targets.as_ref());
        let data: Vec<f64> = all.flat_map(|y| y.data().iter().copied()).collect();
        Cow::Owned(Mat::from_vec(data, samples.n(), t))
    });
    let weights = blocks[0].weights.is_some().then(|| {
        let all = blocks.iter().filter_map(|block| block.weights.as_ref());
        Cow::Owned(all.flat_map(|w| w.iter().copied()).collect::<Vec<f64>>())
    });
    Ok(RowBlock { samples, targets, weights })
}
