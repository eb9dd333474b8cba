//! Sums over the rows of a source, block by block, in groups of a fixed size that begin at its first row.

use std::borrow::Cow;

use super::basis::{Basis, check_rows};
use super::candidates::{check_block, report};
use super::rows::{RowBlock, RowBlocks};
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Param, Result};
use crate::gram::{Batch, GROUP, LandmarkSums, LandmarkTotal};
use crate::linalg::division::Division;
use crate::linalg::view::Mat;
use crate::points::{Samples, Span};
use crate::real::Real;

/// Sums that rows are being added to.
pub(super) struct RowSums<'a, T: Real> {
    basis: &'a Basis<T>,
    division: &'a Division<T>,
    /// The sums over the group that is not full yet, and over those before it, if there are any.
    group: LandmarkSums,
    groups: Option<(LandmarkTotal, Reservation)>,
    /// Rows so far, and of the source if that is known.
    rows: usize,
    total: Option<u64>,
}

impl<'a, T: Real> RowSums<'a, T> {
    /// Of no rows yet, for targets near `origin`.
    pub fn new(
        (basis, division): (&'a Basis<T>, &'a Division<T>),
        origin: Vec<f64>,
        total: Option<u64>,
    ) -> Result<Self> {
        let group = LandmarkSums::empty(basis.m(), origin)?;
        Ok(Self { basis, division, group, groups: None, rows: 0, total })
    }

    /// Adds a block.
    pub fn add(&mut self, ctx: &Context, block: &RowBlock<'_>) -> Result<()> {
        check_block(block, None, self.rows as u64)?;
        let basis = self.basis;
        let x = block.samples.to_type::<T>()?;
        basis.landmarks.check_like(&x)?;
        check_rows(block, self.rows, self.group.t())?;
        let (x, mut from) = (basis.on.moved(&x)?, 0);
        while from < x.n() {
            self.end_group(ctx, false)?;
            let size = (GROUP - self.group.count as usize).min(x.n() - from);
            self.add_to_group(ctx, Span::new(&x, from..from + size), block)?;
            from += size;
        }
        Ok(())
    }

    /// Adds rows of a block that belong to one group.
    fn add_to_group(
        &mut self,
        ctx: &Context,
        samples: Span<'_, Samples<T>>,
        block: &RowBlock<'_>,
    ) -> Result<()> {
        let (from, size) = (samples.start, samples.len());
        let targets = block.targets.as_deref().map(|y| match size == y.rows() {
            true => Cow::Borrowed(y),
            false => Cow::Owned(Mat::from_fn(size, y.cols(), |i, j| y[(from + i, j)])),
        });
        let weights = block.weights.as_deref().map(|w| &w[from..from + size]);
        let batch = Batch { samples, targets: targets.as_deref(), weights };
        let (before, total, on) = (self.rows, self.total, &self.basis.on);
        let landmarks = (&on.anchors, self.division);
        self.rows += size;
        self.group.add(ctx, &*on.kernel, landmarks, &batch, |done| match total {
            Some(n) => ctx.step(Step::new("rows", (before + done) as f64, n as f64)),
            None => ctx.poll(),
        })
    }

    /// Adds the group to those before it if it is full, or in any case at the end.
    fn end_group(&mut self, ctx: &Context, is_end: bool) -> Result<()> {
        if self.group.count == 0 || (!is_end && self.group.count < GROUP as u64) {
            return Ok(());
        }
        let (m, t) = (self.group.m(), self.group.t());
        if self.groups.is_none() {
            let hint = "use fewer landmarks or raise the memory budget";
            let reservation =
                ctx.reserve("the sums over rows", LandmarkTotal::bytes(m, t), hint)?;
            let total = LandmarkTotal::empty(m, self.group.target_origin.clone())?;
            self.groups = Some((total, reservation));
        }
        if let Some((groups, _)) = &mut self.groups {
            groups.add(ctx, &self.group);
            self.group.clear();
        }
        Ok(())
    }

    /// Reports how much of a source was read whose number of rows is not known.
    pub fn report(&self, ctx: &Context, source: &dyn RowBlocks) -> Result<()> {
        match self.total {
            Some(_) => Ok(()),
            None => report(ctx, "rows", (self.rows as u64, None, source.share())),
        }
    }

    /// Adds the rest of a source.
    fn read(&mut self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<()> {
        while let Some(block) = source.next()? {
            self.add(ctx, &block)?;
            drop(block);
            self.report(ctx, source)?;
        }
        Ok(())
    }

    /// Adds the rest of a source; the sums over all rows.
    pub fn add_rest(mut self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<LandmarkSums> {
        self.read(ctx, source)?;
        // A single group is its own sum.
        if self.groups.is_some() {
            self.end_group(ctx, true)?;
        }
        let sums = match &self.groups {
            Some((groups, _)) => groups.sums()?,
            None => self.group,
        };
        finished(ctx, self.basis, self.division, sums)
    }

    /// Adds the rest of a source, which begins where a group does; the sums over its groups.
    pub fn groups(
        mut self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
    ) -> Result<Option<LandmarkTotal>> {
        self.read(ctx, source)?;
        self.end_group(ctx, true)?;
        Ok(self.groups.map(|(groups, _)| groups))
    }
}

/// The sums over all rows, from what they are added up as.
pub(super) fn finished<T: Real>(
    ctx: &Context,
    basis: &Basis<T>,
    division: &Division<T>,
    mut sums: LandmarkSums,
) -> Result<LandmarkSums> {
    sums.finish(ctx, division.blocks(), &basis.factor)?;
    match sums.weight > 0.0 {
        true => Ok(sums),
        false => Err(Error::parameter(Param::SampleWeights, "invalid input: all weights are zero")),
    }
}
