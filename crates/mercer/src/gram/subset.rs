//! Some rows and columns of a stored matrix, as a matrix: what cross-validation works on.

use std::ops::Range;

use super::Gram;
use super::lines::{Lines, StoredLines};
use super::tiles::{Tiles, span};
use crate::error::Result;
use crate::linalg::skinny::TileRef;
use crate::real::Real;

/// A stored symmetric matrix.
pub(super) trait Entries: Send + Sync {
    /// The type of the entries.
    type T: Real;
    /// Entry (row, col).
    fn entry(&self, row: usize, col: usize) -> Self::T;
}

/// The rows and columns `which` of a stored matrix.
pub(super) struct Subset<'a, E> {
    entries: &'a E,
    which: Vec<usize>,
}

impl<'a, E: Entries> Subset<'a, E> {
    pub(super) fn new(entries: &'a E, which: &[usize]) -> Self {
        Self { entries, which: which.to_vec() }
    }
}

impl<E: Entries> Tiles for Subset<'_, E> {
    type T = E::T;

    fn size(&self) -> usize {
        self.which.len()
    }

    fn tile<'a>(
        &'a self,
        i: usize,
        j: usize,
        scratch: &'a mut Vec<E::T>,
    ) -> Result<TileRef<'a, E::T>> {
        let (rows, cols) = (span(i, self.size()), span(j, self.size()));
        scratch.clear();
        for &row in &self.which[rows.clone()] {
            scratch
                .extend(self.which[cols.clone()].iter().map(|&col| self.entries.entry(row, col)));
        }
        Ok(TileRef { data: scratch, rows: rows.len(), cols: cols.len(), stride: cols.len() })
    }

    fn lines<'a>(&'a self, which: &[usize]) -> Box<dyn Lines<E::T> + 'a> {
        Box::new(StoredLines::new(which, |line, cols: Range<usize>, out: &mut [E::T]| {
            let places = out.iter_mut().zip(&self.which[cols]);
            places.for_each(|(to, &col)| *to = self.entries.entry(self.which[line], col));
        }))
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        let which: Vec<usize> = which.iter().map(|&w| self.which[w]).collect();
        Box::new(Subset::new(self.entries, &which))
    }
}
