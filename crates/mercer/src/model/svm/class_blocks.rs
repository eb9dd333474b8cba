//! Kernel values within each class, which all pairs of that class share.

use rayon::prelude::*;

use super::check::Checked;
use super::shared_kernel::{Materialized, matrix_bytes};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::gram::{Assembled, Columns};
use crate::kernel::Tile;
use crate::linalg::view::Mat;
use crate::points::Cost;
use crate::real::Real;
use crate::solve::smo::MemoryPlan;

/// The square matrix of every class.
pub(super) struct SharedBlocks<S> {
    members: Vec<Vec<usize>>,
    blocks: Vec<Materialized<S>>,
}

/// Up to so many bytes of kernel values the problem of a pair of classes is solved with all of them in memory: 4096 samples in single
/// precision.
const LARGEST_PAIR: usize = 4096 * 4096 * size_of::<f32>();

impl<S: Real> SharedBlocks<S> {
    /// The blocks, if every pair is small enough and all blocks fit `bytes`.
    pub fn new(
        ctx: &Context,
        checked: &Checked,
        columns: &dyn Columns<S>,
        bytes: u64,
    ) -> Result<Option<Self>> {
        let mut members = vec![Vec::new(); checked.classes.len()];
        checked.places.iter().enumerate().for_each(|(i, &place)| members[place].push(i));
        let mut sizes: Vec<usize> = members.iter().map(Vec::len).collect();
        let needed: u64 = sizes.iter().map(|&n| (n * n * size_of::<S>()) as u64).sum();
        sizes.sort_unstable();
        let pair: usize = sizes.iter().rev().take(2).sum();
        let fits = needed <= bytes.min(ctx.budget() / 2);
        if pair * pair * size_of::<S>() > LARGEST_PAIR || !fits {
            return Ok(None);
        }
        let block = |own: &Vec<usize>| Materialized::new(ctx, &*columns.restrict(own));
        let blocks: Vec<Materialized<S>> = members.par_iter().map(block).collect::<Result<_>>()?;
        Ok(Some(Self { members, blocks }))
    }

    /// Bytes that the problem of two classes takes, beside the blocks, where there is plenty.
    pub fn pair_bytes(&self) -> u64 {
        let largest = self.members.iter().map(Vec::len).max().unwrap_or(0);
        MemoryPlan::wanted::<S>(2 * largest, Cost::STORED) + matrix_bytes::<S>(largest)
    }

    /// Sets aside what the kernel values between two classes take.
    pub fn reserve_pair(&self, ctx: &Context, a: usize, b: usize) -> Result<Reservation> {
        let bytes =
            size_of::<S>() as u64 * self.members[a].len() as u64 * self.members[b].len() as u64;
        let hint = "fit on fewer rows or raise the memory budget";
        ctx.reserve("the kernel matrix of two classes", bytes, hint)
    }

    /// The matrix of two classes.
    pub fn pair(&self, columns: &dyn Columns<S>, a: usize, b: usize) -> Result<Assembled<'_, S>> {
        let (first, second) = (&self.members[a], &self.members[b]);
        let mut across = Mat::try_zeros(first.len(), second.len())?;
        let block = columns.column_block(second);
        let width = second.len();
        block.fill_rows(first, Tile::new(across.data_mut(), first.len(), width, width))?;
        Ok(Assembled::new(&self.blocks[a].matrix, &self.blocks[b].matrix, across))
    }
}
