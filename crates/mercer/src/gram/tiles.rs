//! Products and copies of a matrix that comes in tiles.

use rayon::prelude::*;

use super::groups::{self, Groups, Move};
use super::lines::{self, Lines};
use super::splits::{self, Splits};
use super::{Gram, Operator};
use crate::context::{Context, Reservation, try_pieces};
use crate::error::Result;
use crate::linalg::alloc;
use crate::linalg::block::Block;
use crate::linalg::product::{self, Onto};
use crate::linalg::skinny::{Lane, TileRef, WIDTH, multiply, multiply_transposed};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::Dtype;
use crate::real::{Numbers, Real};

/// Rows and columns of a tile. 256 × 256 numbers of 8 bytes fill less than half of a common second-level cache.
pub const TILE: usize = 256;

/// Block rows are dealt to at most this many tasks, each with sums of its own. The number is fixed, whatever the number
/// of threads, so that sums are always added in the same order.
const TASKS: usize = 12;

/// A symmetric matrix in square tiles, of which the lower triangle of tiles is asked for.
pub trait Tiles: Send + Sync {
    /// The type of the entries.
    type T: Real;

    /// Rows, which is columns.
    fn size(&self) -> usize;

    /// Tile (i, j), j ≤ i: rows `i·TILE..`, columns `j·TILE..`. A tile on the diagonal is whole. `scratch` may serve as
    /// its storage.
    fn tile<'a>(
        &'a self,
        i: usize,
        j: usize,
        scratch: &'a mut Vec<Self::T>,
    ) -> Result<TileRef<'a, Self::T>>;

    /// `out += tile · v` for tile (i, j) and, unless `w` is empty, `mirror += tileᵀ · w`.
    fn multiply(
        &self,
        i: usize,
        j: usize,
        v: &[Lane<Self::T>],
        w: &[Lane<Self::T>],
        out: &mut [Lane<f64>],
        mirror: &mut [Lane<f64>],
        scratch: &mut Vec<Self::T>,
    ) -> Result<()> {
        let tile = self.tile(i, j, scratch)?;
        multiply(tile, v, out);
        if !w.is_empty() {
            multiply_transposed(tile, w, mirror);
        }
        Ok(())
    }

    /// The diagonal.
    fn diagonal(&self, ctx: &Context) -> Result<Vec<f64>> {
        let mut diagonal = Vec::with_capacity(self.size());
        let mut scratch = Vec::new();
        for i in 0..self.size().div_ceil(TILE) {
            ctx.poll()?;
            let tile = self.tile(i, i, &mut scratch)?;
            diagonal.extend((0..tile.rows).map(|r| tile.data[r * tile.stride + r].to_f64()));
        }
        Ok(diagonal)
    }

    /// Whether a tile costs less to read than to multiply with.
    fn is_stored(&self) -> bool {
        true
    }

    /// The lines `which`, to be had piece by piece.
    fn lines<'a>(&'a self, which: &[usize]) -> Box<dyn Lines<Self::T> + 'a>;

    /// The rows and columns `which` as a matrix of their own, in that order. Nothing is copied up front.
    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a>;
}

/// The rows of block `i` of a matrix with n rows.
pub(super) fn span(i: usize, n: usize) -> std::ops::Range<usize> {
    i * TILE..((i + 1) * TILE).min(n)
}

/// Deals block rows, block row i costing i + 1, to tasks of nearly equal cost: forth and back, largest first.
fn deal(blocks: usize) -> Vec<Vec<usize>> {
    let tasks = TASKS.min(blocks);
    let mut dealt = vec![Vec::new(); tasks];
    for (turn, block) in (0..blocks).rev().enumerate() {
        let (round, place) = (turn / tasks, turn % tasks);
        dealt[if round % 2 == 0 { place } else { tasks - 1 - place }].push(block);
    }
    dealt
}

impl<S: Tiles> Operator for S {
    fn n(&self) -> usize {
        self.size()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        assert!(v.len() == self.size() && out.len() == self.size());
        let tasks = deal(self.size().div_ceil(TILE));
        let (_reservation, at_once) = room_for_parts(ctx, self.size(), tasks.len())?;
        // Allocated by one thread: of what other threads free, the system's allocator keeps some for each of them.
        let mut parts: Vec<Part<S::T>> =
            (0..at_once).map(|_| Part::with_room(self.size())).collect::<Result<_>>()?;
        let mut lanes = alloc::with_capacity(self.size())?;
        ctx.install(|| {
            v.lanes().par_iter().map(|lane| lane.map(S::T::from_f64)).collect_into_vec(&mut lanes);
            for (wave, tasks) in tasks.chunks(at_once).enumerate() {
                let parts = &mut parts[..tasks.len()];
                let pairs = parts.par_iter_mut().zip(tasks);
                pairs.try_for_each(|(part, rows)| part.multiply(self, ctx, rows, &lanes))?;
                add_in_order(parts, wave > 0, out);
            }
            Ok(())
        })
    }
}

/// What one task of a product computes, and what it needs for that.
struct Part<T> {
    sum: Vec<Lane<f64>>,
    tile: Vec<T>,
}

impl<T: Real> Part<T> {
    fn with_room(n: usize) -> Result<Self> {
        let tile = alloc::with_capacity(TILE.min(n).pow(2))?;
        Ok(Self { sum: alloc::with_capacity(n)?, tile })
    }

    /// The part of K·v that the lower tiles of the given block rows, and their mirror images, contribute.
    fn multiply<S: Tiles<T = T>>(
        &mut self,
        source: &S,
        ctx: &Context,
        block_rows: &[usize],
        v: &[Lane<T>],
    ) -> Result<()> {
        let n = source.size();
        self.sum.clear();
        self.sum.resize(n, [0.0; WIDTH]);
        for &i in block_rows {
            for j in 0..=i {
                ctx.poll()?;
                let (head, tail) = self.sum.split_at_mut(i * TILE);
                let (own, mirror) = (&mut tail[..span(i, n).len()], &mut head[span(j, i * TILE)]);
                let other = if j < i { &v[span(i, n)] } else { &[] };
                source.multiply(i, j, &v[span(j, n)], other, own, mirror, &mut self.tile)?;
            }
        }
        Ok(())
    }
}

/// Bytes of the sums and the tile that one task of a product holds.
fn part_bytes(n: usize) -> u64 {
    lanes_bytes(n) + (TILE.min(n).pow(2) * size_of::<f64>()) as u64
}

/// Bytes of a block of vectors.
fn lanes_bytes(n: usize) -> u64 {
    n as u64 * size_of::<Lane<f64>>() as u64
}

/// Bytes that a product with an n × n matrix in tiles takes at least, beside the vectors: these in the type of the tiles,
/// and the sums of one task.
pub fn product_bytes(n: usize) -> u64 {
    lanes_bytes(n) + part_bytes(n)
}

/// Sets aside the sums of as many tasks of a product as the budget allows, and says how many that are. Their number changes
/// nothing in the result: sums are added in the order of the tasks in any case.
fn room_for_parts(ctx: &Context, n: usize, tasks: usize) -> Result<(Reservation, usize)> {
    let hint = "fit on fewer rows or raise the memory budget";
    let what = "a product with the kernel matrix";
    let mut reservation = ctx.reserve(what, product_bytes(n), hint)?;
    let more =
        (1..tasks).take_while(|_| reservation.extend(what, part_bytes(n), hint).is_ok()).count();
    Ok((reservation, 1 + more))
}

/// Adds the parts one after the other to what `out` holds, or in its place.
fn add_in_order<T: Sync>(parts: &[Part<T>], onto: bool, out: &mut Block) {
    out.lanes_mut().par_chunks_mut(TILE).enumerate().for_each(|(piece, lanes)| {
        let start = piece * TILE;
        if !onto {
            lanes.copy_from_slice(&parts[0].sum[start..start + lanes.len()]);
        }
        for part in &parts[usize::from(!onto)..] {
            for (lane, add) in lanes.iter_mut().zip(&part.sum[start..]) {
                for c in 0..WIDTH {
                    lane[c] += add[c];
                }
            }
        }
    });
}

impl<S: Tiles> Gram for S {
    fn dtype(&self) -> Dtype {
        Dtype::of::<S::T>()
    }

    fn diag(&self, ctx: &Context) -> Result<Vec<f64>> {
        self.diagonal(ctx)
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        assert!(which.iter().all(|&c| c < self.size()));
        lines::columns(self, ctx, which)
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        lower_from_tiles(self, ctx)
    }

    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        lower_from_tiles(self, ctx)
    }

    fn times(&self, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
        match self.is_stored() && S::T::EPSILON < 1e-10 && x.cols() > 2 * WIDTH {
            true => times_by_products(self, ctx, x),
            false => super::times_by_blocks(self, ctx, x),
        }
    }

    fn forms(&self, ctx: &Context, splits: &Splits) -> Result<Vec<f64>> {
        splits::by_tiles(self, ctx, splits)
    }

    fn group(&self, ctx: &Context, labels: &[usize], weights: &[f64], k: usize) -> Result<Groups> {
        // Each pass takes WIDTH groups and half the entries; by lines all entries are had, once for all groups.
        if self.is_stored() || k <= 2 * WIDTH {
            return groups::by_products(self, ctx, labels, weights, k);
        }
        let mut groups = Groups::empty(self.size(), k)?;
        groups::by_lines(self, ctx, &groups::entering(labels, weights), &mut groups)?;
        Ok(groups)
    }

    fn regroup(&self, ctx: &Context, moves: &[Move], groups: &mut Groups) -> Result<()> {
        groups::by_lines(self, ctx, moves, groups)
    }

    fn regrouping_pays(&self, moved: usize, k: usize) -> bool {
        // Read out of order, a stored entry takes longer; a computed one does not.
        let entries = if self.is_stored() { 3 * moved } else { moved };
        entries < self.size() / 2 * k.div_ceil(WIDTH).min(2)
    }
}

/// K · x by matrix products of tiles: for many columns quicker than block by block. Each tile is read twice, for its rows
/// and for its columns, so that every row of the result is the work of one task.
fn times_by_products<S: Tiles>(source: &S, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
    let (n, m) = (source.size(), x.cols());
    let mut out = Mat::try_zeros(n, m)?;
    ctx.install(|| {
        try_pieces(out.data_mut(), TILE * m, &|i, rows| {
            let mut scratch = Vec::new();
            let height = rows.len() / m;
            for j in 0..n.div_ceil(TILE) {
                ctx.poll()?;
                let tile = source.tile(i.max(j), i.min(j), &mut scratch)?;
                let Numbers::F64(values) = S::T::numbers(tile.data) else {
                    unreachable!("only tiles in double precision come here")
                };
                let whole = MatRef::new(values, tile.rows, tile.cols, tile.stride);
                let tile = if i >= j { whole } else { whole.transposed() };
                let part = x.view().row_range(j * TILE, span(j, n).len());
                product::multiply(tile, part, MatMut::new(rows, height, m, m), Onto::Sum);
            }
            Ok(())
        })
    })?;
    Ok(out)
}

fn lower_from_tiles<S: Tiles, U: Real>(source: &S, ctx: &Context) -> Result<Mat<U>> {
    let n = source.size();
    let mut out = Mat::try_zeros(n, n)?;
    ctx.install(|| {
        out.data_mut().par_chunks_mut(TILE * n.max(1)).enumerate().rev().try_for_each(
            |(i, rows)| {
                let mut scratch = Vec::new();
                for j in 0..=i {
                    ctx.poll()?;
                    let tile = source.tile(i, j, &mut scratch)?;
                    for r in 0..tile.rows {
                        let line = &tile.data[r * tile.stride..][..tile.cols];
                        let target = &mut rows[r * n + j * TILE..][..tile.cols];
                        target.iter_mut().zip(line).for_each(|(t, v)| *t = U::from_f64(v.to_f64()));
                    }
                }
                Ok(())
            },
        )
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::error::Error;
    use crate::gram::Precomputed;

    #[test]
    fn a_product_is_the_same_to_the_last_bit_in_any_memory() {
        let n = 4 * TILE + 100;
        let mut stream = Stream::new(1, "products");
        let values: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let matrix = Mat::from_fn(n, n, |i, j| (values[i] * values[j]).sin());
        let v = Block::normal(n, WIDTH, &mut stream);
        let run = |budget: u64| {
            let mut out = Block::zeros(n);
            let gram = Precomputed::new(matrix.view()).unwrap();
            gram.apply(&Context::new(2).with_budget(budget), &v, &mut out).map(|()| out)
        };
        let plenty = run(1 << 30).unwrap();
        for parts in [0, 1, 3] {
            let out = run(product_bytes(n) + parts * part_bytes(n)).unwrap();
            assert!(plenty == out, "{parts} parts beside the first");
        }
        let refused = run(product_bytes(n) - 1).unwrap_err();
        assert!(matches!(refused, Error::Memory { .. }), "{refused}");
    }
}
