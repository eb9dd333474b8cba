//! A source that is watched: how many rows count, and a small sample of them, drawn as they pass.

use super::candidates::{BESIDE, Drawing, Lowest, lowest_of_workers};
use super::packet::Packet;
use super::rows::{RowBlock, RowBlocks};
use super::workers::{Beside, SAMPLE, Workers};
use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::points::Samples;
use crate::real::Real;

/// Rows of the sample.
const MOST: usize = 256;
/// Keys of the sample are others than those of the rows that landmarks are chosen among.
const SEED: u64 = 0x5bd1_e995;
/// Copies of the sample: while it is drawn, and while it is put together.
const COPIES: u64 = 2;

/// A source, and what was seen of it since it was last read from its start.
pub(crate) struct Observed<'a, T: Real> {
    ctx: Context,
    source: &'a mut dyn RowBlocks,
    seed: u64,
    rows: u64,
    sample: Lowest<T>,
    reservation: Option<Reservation>,
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

impl<T: Real> Checked<T> {
    /// As other machines need them, added to a pass.
    pub fn packet(&self, pass: Packet) -> Packet {
        pass.with_samples("checked", &self.samples)
            .with_reals("checked.targets", self.targets.data())
            .with_reals("checked.weights", &self.weights[..])
            .with_places("checked.of", [self.of])
    }

    /// Those that a packet describes.
    pub fn of_packet(pass: &Packet) -> Result<Self> {
        let samples = pass.samples("checked")?.to_type::<T>()?;
        let t = pass.reals("checked.targets")?.len() / samples.n().max(1);
        let (targets, of) = (pass.matrix("checked.targets", t)?, pass.place("checked.of")?);
        Ok(Self { samples, targets, weights: pass.reals("checked.weights")?.to_vec(), of })
    }
}

impl<'a, T: Real> Observed<'a, T> {
    /// The source, watched.
    pub fn new(ctx: &Context, source: &'a mut dyn RowBlocks, seed: u64) -> Self {
        let seed = seed ^ SEED;
        let sample = Lowest::new(MOST, seed);
        Self { ctx: ctx.clone(), source, seed, rows: 0, sample, reservation: None }
    }

    /// Rows of positive weight.
    pub fn positive(&mut self) -> Result<u64> {
        self.see()?;
        Ok(self.sample.seen as u64)
    }

    /// Looks at rows that lie elsewhere, which do not pass by here.
    fn see(&mut self) -> Result<()> {
        let Some(workers) = self.source.workers().filter(|_| self.sample.seen == 0) else {
            return Ok(());
        };
        self.rows = workers.rows();
        self.sample = lowest_of_workers(&self.ctx.without_steps(), workers, (MOST, self.seed))?;
        Ok(())
    }

    /// The sample, in the order of the rows.
    pub fn checked(&mut self) -> Result<Checked<T>> {
        let of = self.positive()?;
        let (kept, samples) = self.sample.clone().finish(&|_, _| true)?;
        let t = kept.first().map_or(0, |one| one.targets.len());
        let none = || Error::Shape("there are no rows of positive weight".into());
        Ok(Checked {
            samples: samples.ok_or_else(none)?,
            targets: Mat::from_fn(kept.len(), t, |i, j| kept[i].targets[j]),
            weights: kept.iter().map(|one| one.weight).collect(),
            of,
        })
    }
}

/// Sets memory aside for the sample, by the size of the first row.
fn reserve<T: Real>(ctx: &Context, samples: &Samples<T>) -> Result<Reservation> {
    let bytes = COPIES * MOST as u64 * samples.bytes_of(0);
    ctx.reserve("a sample of the rows", bytes, "raise the memory budget")
}

impl<T: Real> RowBlocks for Observed<'_, T> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        // Rows that lie elsewhere do not pass by here: what was seen of them stays.
        if self.source.workers().is_none() {
            self.rows = 0;
            self.sample = Lowest::new(MOST, self.seed);
        }
        self.source.rewind(passes)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let Self { ctx, source, rows, sample, reservation, .. } = self;
        let Some(block) = source.next()? else { return Ok(None) };
        let n = block.samples.n();
        // Whoever reads the block refuses what does not fit.
        let fits = block.targets.as_ref().is_none_or(|y| y.rows() == n)
            && block.weights.as_ref().is_none_or(|w| w.len() == n);
        if fits {
            if reservation.is_none() {
                *reservation = Some(reserve(ctx, &block.samples.to_type::<T>()?)?);
            }
            sample.add(&block, *rows, &|_, _| true)?;
        }
        *rows += n as u64;
        Ok(Some(block))
    }

    fn rows(&self) -> Option<u64> {
        self.source.rows()
    }

    fn share(&self) -> Option<f64> {
        self.source.share()
    }

    fn is_once(&self) -> bool {
        self.source.is_once()
    }

    fn workers(&mut self) -> Option<&mut dyn Workers> {
        self.source.workers()?;
        Some(self)
    }
}

impl<T: Real> Observed<'_, T> {
    fn elsewhere(&mut self) -> Result<&mut dyn Workers> {
        self.source.workers().ok_or_else(|| Error::Shape("the rows do not lie elsewhere".into()))
    }
}

/// Rows that lie elsewhere. The pass that draws rows to choose landmarks among draws the small sample, too.
impl<T: Real> Workers for Observed<'_, T> {
    fn head(&mut self) -> Result<RowBlock<'static>> {
        self.elsewhere()?.head()
    }

    fn rows(&self) -> u64 {
        RowBlocks::rows(self).unwrap_or(0)
    }

    fn run_beside(
        &mut self,
        ctx: &Context,
        pass: &Packet,
        merged: bool,
        beside: &Beside,
    ) -> Result<Vec<Packet>> {
        if pass.name != SAMPLE || self.sample.seen > 0 {
            return self.elsewhere()?.run_beside(ctx, pass, merged, beside);
        }
        let rows = Workers::rows(self);
        let drawing = Drawing::of(MOST, self.seed, rows);
        let pass = drawing.packet(pass.clone(), BESIDE);
        let found = self.elsewhere()?.run_beside(ctx, &pass, merged, beside)?;
        let sample = drawing.joined(BESIDE, &found)?;
        if drawing.is_whole(&sample) {
            (self.rows, self.sample) = (rows, sample);
        }
        Ok(found)
    }
}
