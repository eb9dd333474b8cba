//! A source that is watched: how many rows count, and a small sample of them, drawn as they pass.

use super::candidates::{Candidate, lowest, reduced};
use super::rows::{RowBlock, RowBlocks};
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::points::{Points, Samples};
use crate::real::Real;

/// Rows of the sample.
const MOST: usize = 256;
/// Keys of the sample are others than those of the rows that landmarks are chosen among.
const SEED: u64 = 0x5bd1_e995;

/// A source, and what was seen of it since it was last read from its start.
pub(crate) struct Observed<'a, T: Real> {
    source: &'a mut dyn RowBlocks,
    seed: u64,
    rows: u64,
    positive: u64,
    kept: Vec<Candidate>,
    blocks: Vec<Samples<T>>,
}

/// Some rows, with what belongs to them.
pub(crate) struct Checked<T: Real> {
    /// Their samples.
    pub samples: Samples<T>,
    /// Their targets: s × t.
    pub targets: Mat<f64>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// How many rows of positive weight they stand for.
    pub of: u64,
}

impl<'a, T: Real> Observed<'a, T> {
    /// The source, watched.
    pub fn new(source: &'a mut dyn RowBlocks, seed: u64) -> Self {
        let (kept, blocks) = (Vec::new(), Vec::new());
        Self { source, seed: seed ^ SEED, rows: 0, positive: 0, kept, blocks }
    }

    /// Rows of positive weight.
    pub fn positive(&self) -> u64 {
        self.positive
    }

    /// The sample, in the order of the rows.
    pub fn checked(&self) -> Result<Checked<T>> {
        let (kept, blocks) = reduced(self.kept.clone(), &self.blocks, MOST)?;
        let t = kept.first().map_or(0, |one| one.targets.len().saturating_sub(1));
        Ok(Checked {
            samples: blocks[0].clone(),
            targets: Mat::from_fn(kept.len(), t, |i, j| kept[i].targets[j]),
            weights: kept.iter().map(|one| one.targets[t]).collect(),
            of: self.positive,
        })
    }
}

/// Notes a block.
fn note<T: Real>(
    block: &RowBlock<'_>,
    (seed, rows): (u64, u64),
    kept: &mut Vec<Candidate>,
    blocks: &mut Vec<Samples<T>>,
) -> Result<()> {
    let mut found = lowest(block, MOST, seed, rows, blocks.len());
    let places: Vec<usize> = found.iter().map(|one| one.place).collect();
    for (place, one) in found.iter_mut().enumerate() {
        // Weights travel behind the targets.
        one.targets.push(block.weights.as_ref().map_or(1.0, |w| w[one.place]));
        one.place = place;
    }
    kept.extend(found);
    blocks.push(block.samples.to_type::<T>()?.select(&places));
    if kept.len() > 4 * MOST {
        (*kept, *blocks) = reduced(std::mem::take(kept), blocks, MOST)?;
    }
    Ok(())
}

impl<T: Real> RowBlocks for Observed<'_, T> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        (self.rows, self.positive) = (0, 0);
        self.kept.clear();
        self.blocks.clear();
        self.source.rewind(passes)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let Self { source, seed, rows, positive, kept, blocks } = self;
        let Some(block) = source.next()? else { return Ok(None) };
        let n = block.samples.n();
        // Whoever reads the block refuses what does not fit.
        let fits = block.targets.as_ref().is_none_or(|y| y.rows() == n)
            && block.weights.as_ref().is_none_or(|w| w.len() == n);
        if fits {
            note(&block, (*seed, *rows), kept, blocks)?;
            let weights = block.weights.as_deref();
            let counted = weights.map_or(n, |w| w.iter().filter(|w| **w > 0.0).count());
            *positive += counted as u64;
        }
        *rows += n as u64;
        Ok(Some(block))
    }

    fn rows(&self) -> Option<u64> {
        self.source.rows()
    }
}
