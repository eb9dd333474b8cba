//! Kernel values within each class, which all pairs of that class share.

use rayon::prelude::*;

use super::check::Checked;
use super::ground::{Held, held_bytes};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::gram::{Assembled, Columns};
use crate::kernel::Tile;
use crate::linalg::view::Mat;
use crate::solve::smo::Room;

/// The square matrix of every class.
pub(super) struct SharedBlocks {
    members: Vec<Vec<usize>>,
    blocks: Vec<Held>,
}

/// Up to so many samples the problem of a pair of classes is solved with all its kernel values in memory.
const LARGEST_PAIR: usize = 4096;

impl SharedBlocks {
    /// The blocks, if every pair is small enough and all blocks fit `bytes`.
    pub fn new(
        ctx: &Context,
        checked: &Checked,
        columns: &dyn Columns,
        bytes: u64,
    ) -> Result<Option<Self>> {
        let mut members = vec![Vec::new(); checked.classes.len()];
        checked.places.iter().enumerate().for_each(|(i, &place)| members[place].push(i));
        let mut sizes: Vec<usize> = members.iter().map(Vec::len).collect();
        let needed: u64 = sizes.iter().map(|&n| (n * n * size_of::<f32>()) as u64).sum();
        sizes.sort_unstable();
        let fits = needed <= bytes.min(ctx.budget() / 2);
        if sizes.iter().rev().take(2).sum::<usize>() > LARGEST_PAIR || !fits {
            return Ok(None);
        }
        let block = |own: &Vec<usize>| Held::new(ctx, &*columns.restrict(own));
        let blocks: Vec<Held> = members.par_iter().map(block).collect::<Result<_>>()?;
        Ok(Some(Self { members, blocks }))
    }

    /// Bytes that the problem of two classes takes, beside the blocks, where there is plenty.
    pub fn pair_bytes(&self) -> u64 {
        let largest = self.members.iter().map(Vec::len).max().unwrap_or(0);
        Room::wanted(2 * largest, 1) + held_bytes(largest)
    }

    /// Sets aside what the kernel values between two classes take.
    pub fn reserve_pair(&self, ctx: &Context, a: usize, b: usize) -> Result<Reservation> {
        let bytes = 4 * self.members[a].len() as u64 * self.members[b].len() as u64;
        ctx.reserve(
            "the kernel matrix of two classes",
            bytes,
            "fit on fewer rows or raise the budget",
        )
    }

    /// The matrix of two classes.
    pub fn pair(&self, columns: &dyn Columns, a: usize, b: usize) -> Result<Assembled<'_>> {
        let (first, second) = (&self.members[a], &self.members[b]);
        let mut across = Mat::try_zeros(first.len(), second.len())?;
        let picked = columns.pick(second);
        let width = second.len();
        picked.fill_rows(first, Tile::new(across.data_mut(), first.len(), width, width))?;
        Ok(Assembled::new(&self.blocks[a].matrix, &self.blocks[b].matrix, across))
    }
}
