//! Kernel values within each class, which all pairs of that class share.

use rayon::prelude::*;

use super::check::Checked;
use super::ground::hold;
use crate::context::Context;
use crate::error::Result;
use crate::gram::{Assembled, Columns};
use crate::kernel::Tile;
use crate::linalg::view::Mat;
use crate::real::Real;

/// The square matrix of every class.
pub(super) struct SharedBlocks<S> {
    members: Vec<Vec<usize>>,
    blocks: Vec<Mat<S>>,
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
        if pair * pair * size_of::<S>() > LARGEST_PAIR || needed > bytes {
            return Ok(None);
        }
        let block = |own: &Vec<usize>| {
            let held = hold(ctx, &*columns.restrict(own))?;
            Ok(held.unwrap_or_else(|| Mat::zeros(0, 0)))
        };
        let blocks: Vec<Mat<S>> = members.par_iter().map(block).collect::<Result<_>>()?;
        let whole = blocks.iter().zip(&members).all(|(block, own)| block.rows() == own.len());
        Ok(whole.then_some(Self { members, blocks }))
    }

    /// The matrix of two classes.
    pub fn pair(&self, columns: &dyn Columns<S>, a: usize, b: usize) -> Result<Assembled<'_, S>> {
        let (first, second) = (&self.members[a], &self.members[b]);
        let mut across = Mat::zeros(first.len(), second.len());
        let picked = columns.pick(second);
        let width = second.len();
        picked.fill_rows(first, Tile::new(across.data_mut(), first.len(), width, width))?;
        Ok(Assembled::new(&self.blocks[a], &self.blocks[b], across))
    }
}
