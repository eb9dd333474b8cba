//! Samples divided into cells: the rows of each, and those that it learns from.

use super::CellParams;
use super::partition::Partition;
use crate::context::Context;
use crate::error::Result;
use crate::kernel::KernelSpec;
use crate::points::{AnySamples, Points, with_samples};
use crate::solve::smo::MemoryPlan;

/// Bytes that the choice of the rows of a cell takes at most.
const CHOICE: u64 = 1 << 22;

/// The rows of a cell.
pub(super) struct Cell {
    /// Those whose centre is the nearest.
    pub own: Vec<usize>,
    /// Those that it learns from: its own and the nearest of its neighbours, ascending.
    pub learned: Vec<usize>,
}

/// The cells of samples.
pub(super) struct Division {
    /// The samples that count.
    pub x: AnySamples,
    /// The kernel that measures distances, resolved.
    pub spec: KernelSpec,
    /// The rows that are centres.
    pub centres: Vec<usize>,
    /// The rows of each cell.
    pub cells: Vec<Cell>,
}

impl Division {
    /// Divides samples by their distances in the feature space of a kernel.
    pub fn new(
        ctx: &Context,
        spec: &KernelSpec,
        x: AnySamples,
        wanted: &CellParams,
    ) -> Result<Self> {
        let (spec, centres, cells) = with_samples!(&x, samples => {
            let spec = spec.resolve(samples)?;
            let partition = Partition::new(ctx, &spec, samples, wanted)?;
            let one = |ctx: &Context, cell: usize| partition.training(ctx, cell);
            let learned = ctx.without_steps().side_by_side(partition.count(), CHOICE, one)?;
            let each = partition.members.into_iter().zip(learned);
            let cells: Vec<Cell> = each.map(|(own, learned)| Cell { own, learned }).collect();
            (spec, partition.centres, cells)
        });
        Ok(Self { x, spec, centres, cells })
    }

    /// The samples that a cell learns from at most.
    pub fn largest(&self) -> usize {
        self.cells.iter().map(|cell| cell.learned.len()).max().unwrap_or(0)
    }

    /// Bytes that the fit of a cell takes where there is plenty.
    pub fn bytes(&self) -> u64 {
        let cost = with_samples!(&self.x, x => x.cost());
        MemoryPlan::wanted::<f64>(self.largest(), cost)
    }
}
