//! Sums of columns of a symmetric matrix over groups of samples, kept up to date as samples change their group.

use super::Gram;
use super::lines::LINES;
use super::tiles::{TILE, Tiles, span};
use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::linalg::alloc;
use crate::linalg::block::Block;
use crate::linalg::skinny::WIDTH;
use crate::real::Real;

/// For every sample i and group c the sum of weight_j · K_ij over the samples j of the group.
#[derive(Clone, Debug)]
pub struct Groups {
    n: usize,
    k: usize,
    /// Pieces of TILE samples, each k × TILE: a task owns a piece, and sums run along memory.
    data: Vec<f64>,
}

/// A sample that leaves a group, enters one, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The sample.
    pub sample: usize,
    /// The group it leaves.
    pub from: Option<usize>,
    /// The group it enters.
    pub to: Option<usize>,
    /// Its weight.
    pub weight: f64,
}

/// The place of the smallest distance; among those that differ by no more than `noise`, the first.
pub fn nearest(distances: impl Iterator<Item = f64> + Clone, noise: f64) -> (usize, f64) {
    let least = distances.clone().fold(f64::INFINITY, f64::min);
    let first = distances.enumerate().find(|(_, d)| *d <= least + noise);
    first.unwrap_or((0, least))
}

impl Groups {
    /// n samples and k groups without members.
    pub fn empty(n: usize, k: usize) -> Result<Self> {
        Ok(Self { n, k, data: alloc::zeros(n.div_ceil(TILE) * TILE * k)? })
    }

    /// Bytes that the sums take.
    pub fn bytes(n: usize, k: usize) -> u64 {
        (n as u64).saturating_add(TILE as u64).saturating_mul(8 * k as u64)
    }

    /// The sum of sample i over group c.
    pub fn at(&self, i: usize, c: usize) -> f64 {
        self.data[(i / TILE * self.k + c) * TILE + i % TILE]
    }

    /// Groups.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Runs `work` on every piece of samples: their range, and k × TILE sums.
    pub(super) fn try_pieces(
        &mut self,
        work: impl Fn(std::ops::Range<usize>, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<()> {
        let n = self.n;
        try_pieces(&mut self.data, (TILE * self.k).max(1), &|i, sums| work(span(i, n), sums))
    }
}

/// The sums of all samples by products of the matrix with the groups' indicators, WIDTH groups a pass.
pub(super) fn by_products<G: Gram + ?Sized>(
    gram: &G,
    ctx: &Context,
    labels: &[usize],
    weights: &[f64],
    k: usize,
) -> Result<Groups> {
    let n = gram.n();
    let mut groups = Groups::empty(n, k)?;
    for first in (0..k).step_by(WIDTH) {
        let member = |i: usize, c: usize| if labels[i] == first + c { weights[i] } else { 0.0 };
        let indicators = Block::from_fn(n, member);
        let mut sums = Block::zeros(n);
        gram.apply(ctx, &indicators, &mut sums)?;
        groups.try_pieces(|places, data| {
            for (place, lane) in sums.lanes()[places].iter().enumerate() {
                for c in first..k.min(first + WIDTH) {
                    data[c * TILE + place] = lane[c - first];
                }
            }
            Ok(())
        })?;
    }
    Ok(groups)
}

/// As moves into groups that are empty.
pub(super) fn entering(labels: &[usize], weights: &[f64]) -> Vec<Move> {
    let enter = |(sample, (&label, &weight))| Move { sample, from: None, to: Some(label), weight };
    labels.iter().zip(weights).enumerate().map(enter).collect()
}

/// Adds the columns of samples to the sums of the groups they enter and takes them from those they leave.
pub(super) fn by_lines<S: Tiles>(
    source: &S,
    ctx: &Context,
    moves: &[Move],
    groups: &mut Groups,
) -> Result<()> {
    // Side by side, samples that go the same way are summed up first.
    let mut moves = moves.to_vec();
    moves.sort_unstable_by_key(|m| (m.from, m.to, m.sample));
    let which: Vec<usize> = moves.iter().map(|m| m.sample).collect();
    let lines = source.lines(&which);
    ctx.install(|| {
        groups.try_pieces(|places, sums| {
            let mut values = Vec::new();
            for from in (0..moves.len()).step_by(LINES) {
                ctx.poll()?;
                let chosen = from..(from + LINES).min(moves.len());
                values.resize(chosen.len() * places.len(), S::T::ZERO);
                lines.fill(chosen.clone(), places.clone(), &mut values)?;
                add_lines(&moves[chosen], &values, places.len(), sums);
            }
            Ok(())
        })
    })
}

/// Adds lines of `width` values, one for each move, to k × TILE sums.
pub(super) fn add_lines<T: Real>(moves: &[Move], values: &[T], width: usize, sums: &mut [f64]) {
    let mut total = [0.0; TILE];
    let total = &mut total[..width];
    let mut lines = values.chunks_exact(width);
    for same_way in moves.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)) {
        total.fill(0.0);
        // In this order: the other way round, one line too many would be taken off.
        for (one, line) in same_way.iter().zip(lines.by_ref()) {
            total.iter_mut().zip(line).for_each(|(t, v)| *t += one.weight * v.to_f64());
        }
        let sums_of = |c: usize| c * TILE..c * TILE + width;
        if let Some(c) = same_way[0].to {
            sums[sums_of(c)].iter_mut().zip(&*total).for_each(|(s, t)| *s += t);
        }
        if let Some(c) = same_way[0].from {
            sums[sums_of(c)].iter_mut().zip(&*total).for_each(|(s, t)| *s -= t);
        }
    }
}

/// As [`by_lines`], for a matrix that gives columns only.
pub(super) fn by_columns<G: Gram + ?Sized>(
    gram: &G,
    ctx: &Context,
    moves: &[Move],
    groups: &mut Groups,
) -> Result<()> {
    for some in moves.chunks(LINES) {
        let which: Vec<usize> = some.iter().map(|m| m.sample).collect();
        let columns = gram.columns(ctx, &which)?;
        groups.try_pieces(|places, sums| {
            for (place, i) in places.enumerate() {
                for (value, one) in columns.row(i).iter().zip(some) {
                    let part = one.weight * value;
                    one.to.into_iter().for_each(|c| sums[c * TILE + place] += part);
                    one.from.into_iter().for_each(|c| sums[c * TILE + place] -= part);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
