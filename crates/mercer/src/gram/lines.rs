//! Whole lines of a symmetric matrix, piece by piece: what is needed of it where only some samples matter.

use std::ops::Range;

use super::tiles::{TILE, Tiles, span};
use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::real::Real;

/// Some lines (rows, which are columns) of a symmetric matrix.
pub trait Lines<T>: Send + Sync {
    /// Writes the places `cols`, which lie in one tile, of the lines `which`, counted among the chosen ones: which.len() ×
    /// cols.len() numbers without gaps.
    fn fill(&self, which: Range<usize>, cols: Range<usize>, out: &mut [T]) -> Result<()>;
}

/// Lines of a matrix in memory, one at a time.
pub(super) struct StoredLines<F> {
    which: Vec<usize>,
    copy: F,
}

impl<F> StoredLines<F> {
    /// The lines `which`; `copy` writes the places of a tile of one of them.
    pub(super) fn new(which: &[usize], copy: F) -> Self {
        Self { which: which.to_vec(), copy }
    }
}

impl<T, F: Fn(usize, Range<usize>, &mut [T]) + Send + Sync> Lines<T> for StoredLines<F> {
    fn fill(&self, which: Range<usize>, cols: Range<usize>, out: &mut [T]) -> Result<()> {
        for (&line, out) in self.which[which].iter().zip(out.chunks_exact_mut(cols.len())) {
            (self.copy)(line, cols.clone(), out);
        }
        Ok(())
    }
}

/// Lines that are held at a time: with the places of a tile they stay in the second-level cache.
pub(super) const LINES: usize = 64;

/// The columns `which`: n × which.len().
pub(super) fn columns<S: Tiles>(source: &S, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
    let (n, r) = (source.size(), which.len());
    let lines = source.lines(which);
    let mut out = Mat::try_zeros(n, r)?;
    ctx.install(|| {
        try_pieces(out.data_mut(), (TILE * r).max(1), &|i, rows| {
            let places = span(i, n);
            let mut values = Vec::new();
            for from in (0..r).step_by(LINES) {
                ctx.poll()?;
                let chosen = from..(from + LINES).min(r);
                values.resize(chosen.len() * places.len(), S::T::ZERO);
                lines.fill(chosen, places.clone(), &mut values)?;
                for (c, line) in values.chunks_exact(places.len()).enumerate() {
                    let column = rows[from + c..].iter_mut().step_by(r);
                    column.zip(line).for_each(|(to, v)| *to = v.to_f64());
                }
            }
            Ok(())
        })
    })?;
    Ok(out)
}
