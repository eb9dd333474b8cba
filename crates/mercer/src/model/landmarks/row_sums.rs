//! Sums over the rows of a source, block by block.

use super::basis::{Basis, check_rows};
use super::candidates::{check_block, report};
use super::rows::{RowBlock, RowBlocks};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{Batch, LandmarkSums};
use crate::linalg::division::Division;
use crate::points::Span;
use crate::real::Real;

/// Sums that rows are being added to.
pub(super) struct RowSums<'a, T: Real> {
    basis: &'a Basis<T>,
    division: Division<T>,
    sums: LandmarkSums,
    /// Rows so far, and of the source if that is known.
    rows: usize,
    total: Option<u64>,
}

impl<'a, T: Real> RowSums<'a, T> {
    /// Of no rows yet, for targets near `origin`.
    pub fn new(
        ctx: &Context,
        basis: &'a Basis<T>,
        origin: Vec<f64>,
        total: Option<u64>,
    ) -> Result<Self> {
        let division = Division::new(ctx, &basis.factor)?;
        let sums = LandmarkSums::empty(basis.m(), origin)?;
        Ok(Self { basis, division, sums, rows: 0, total })
    }

    /// Adds a block.
    pub fn add(&mut self, ctx: &Context, block: &RowBlock<'_>) -> Result<()> {
        check_block(block, None, self.rows as u64)?;
        let (basis, before, total) = (self.basis, self.rows, self.total);
        let x = block.samples.to_type::<T>()?;
        basis.landmarks.check_like(&x)?;
        check_rows(block, before, self.sums.t())?;
        let x = basis.on.moved(&x)?;
        let batch = Batch {
            samples: Span::all(&x),
            targets: block.targets.as_deref(),
            weights: block.weights.as_deref(),
        };
        let landmarks = (&basis.on.anchors, &self.division);
        self.rows += x.n();
        self.sums.add(ctx, &*basis.on.kernel, landmarks, &batch, |done| match total {
            Some(n) => ctx.step(Step::new("rows", (before + done) as f64, n as f64)),
            None => ctx.poll(),
        })
    }

    /// Reports how much of a source was read whose number of rows is not known.
    pub fn report(&self, ctx: &Context, source: &dyn RowBlocks) -> Result<()> {
        match self.total {
            Some(_) => Ok(()),
            None => report(ctx, "rows", (self.rows as u64, None, source.share())),
        }
    }

    /// Adds the rest of a source; the sums of all.
    pub fn add_rest(mut self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<LandmarkSums> {
        while let Some(block) = source.next()? {
            self.add(ctx, &block)?;
            drop(block);
            self.report(ctx, source)?;
        }
        let Self { basis, division, mut sums, .. } = self;
        sums.finish(ctx, &division.into_blocks(), &basis.factor)?;
        match sums.weight > 0.0 {
            true => Ok(sums),
            false => {
                Err(Error::parameter(Param::SampleWeights, "invalid input: all weights are zero"))
            }
        }
    }
}
