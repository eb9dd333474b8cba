//! The stored Gram matrix: its lower triangle of tiles, each tile in one piece. The upper half is never computed and takes
//! no memory.

use std::ops::Range;

use rayon::prelude::*;

use super::Gram;
use super::lines::{Lines, StoredLines};
use super::subset::{Entries, Subset};
use super::tiles::{TILE, Tiles, span};
use crate::context::{Context, Reservation, SharedProgress};
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::alloc;
use crate::linalg::packing;
use crate::linalg::skinny::{Lane, TileRef};
use crate::points::{Points, Span};
use crate::real::Real;

/// Numbers that a function is applied to at a time, so that they stay in the nearest cache.
const PIECE: usize = 2048;

/// The lower triangle of a Gram matrix, in memory.
pub struct Packed<T> {
    n: usize,
    /// Block row i holds tiles (i, 0) … (i, i), one after another, each in strips. One mapping in large pages for all of
    /// them was tried: clearing its pages showed in the profile of every fit, and the fit was not faster.
    block_rows: Vec<Vec<T>>,
    _reservation: Reservation,
}

impl<T: Real> Packed<T> {
    /// Evaluates `kernel` on all pairs of `points`.
    pub fn fill<P: Points>(ctx: &Context, kernel: &dyn Kernel<P, T>, points: &P) -> Result<Self> {
        Self::fill_rounded(ctx, kernel, points)
    }

    /// Evaluates `kernel` in its own type and stores the values in this one.
    pub fn fill_rounded<P: Points, U: Real>(
        ctx: &Context,
        kernel: &dyn Kernel<P, U>,
        points: &P,
    ) -> Result<Self> {
        let n = points.len();
        let reservation = Self::reserve(ctx, n)?;
        let blocks = n.div_ceil(TILE);
        let progress = SharedProgress::new("kernel matrix", blocks * (blocks + 1) / 2);
        let block_rows = ctx.install(|| {
            (0..blocks)
                .into_par_iter()
                .rev() // the longest first, so that the threads finish together
                .map(|i| {
                    let block_row = fill_block_row(ctx, kernel, points, i)?;
                    progress.add(ctx, i + 1)?;
                    Ok(block_row)
                })
                .collect::<Result<Vec<_>>>()
        })?;
        Ok(Self {
            n,
            block_rows: block_rows.into_iter().rev().collect(),
            _reservation: reservation,
        })
    }

    /// The matrix whose entries are a function of this one's; `profile` applies it to many numbers in place.
    pub fn map<U: Real>(
        &self,
        ctx: &Context,
        profile: impl Fn(&mut [U]) + Sync,
    ) -> Result<Packed<U>> {
        let reservation = Packed::<U>::reserve(ctx, self.n)?;
        let turned = |block_row: &Vec<T>| {
            let mut out = alloc::with_capacity(block_row.len())?;
            for values in block_row.chunks(PIECE) {
                let start = out.len();
                out.extend(values.iter().map(|v| U::from_f64(v.to_f64())));
                profile(&mut out[start..]);
            }
            Ok(out)
        };
        let turned = || self.block_rows.par_iter().map(turned).collect::<Result<_>>();
        Ok(Packed { n: self.n, block_rows: ctx.install(turned)?, _reservation: reservation })
    }

    /// Sets aside what the lower triangle takes.
    fn reserve(ctx: &Context, n: usize) -> Result<Reservation> {
        let hint = "use fewer rows or raise the memory budget";
        ctx.reserve("the stored kernel matrix", Self::bytes(n), hint)
    }

    /// Bytes that the lower triangle of an n × n matrix takes.
    pub fn bytes(n: usize) -> u64 {
        let blocks = n.div_ceil(TILE);
        let numbers: u128 =
            (0..blocks).map(|i| span(i, n).len() as u128 * span(i, n).end as u128).sum();
        u64::try_from(numbers * size_of::<T>() as u128).unwrap_or(u64::MAX)
    }
}

fn fill_block_row<P: Points, U: Real, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, U>,
    points: &P,
    i: usize,
) -> Result<Vec<T>> {
    let n = points.len();
    let rows = span(i, n);
    let mut tile = vec![U::ZERO; rows.len() * TILE.min(n)];
    let mut block_row = alloc::with_capacity(packing::size(rows.len(), rows.end))?;
    for j in 0..=i {
        ctx.poll()?;
        let cols = span(j, n);
        let width = cols.len();
        let tile = &mut tile[..rows.len() * width];
        let out = Tile::new(tile, rows.len(), width, width);
        kernel.tile(Span::new(points, rows.clone()), Span::new(points, cols), out)?;
        packing::pack(tile, width, &mut block_row);
    }
    Ok(block_row)
}

impl<T: Real> Packed<T> {
    /// The strips of tile (i, j).
    fn strips(&self, i: usize, j: usize) -> &[T] {
        let (rows, cols) = (span(i, self.n).len(), span(j, self.n).len());
        let start = packing::size(rows, j * TILE);
        &self.block_rows[i][start..start + packing::size(rows, cols)]
    }
}

impl<T: Real> Tiles for Packed<T> {
    type T = T;

    fn size(&self) -> usize {
        self.n
    }

    fn tile<'a>(&'a self, i: usize, j: usize, scratch: &'a mut Vec<T>) -> Result<TileRef<'a, T>> {
        let (rows, cols) = (span(i, self.n).len(), span(j, self.n).len());
        packing::unpack(self.strips(i, j), rows, cols, scratch);
        Ok(TileRef { data: scratch, rows, cols, stride: cols })
    }

    fn multiply(
        &self,
        i: usize,
        j: usize,
        v: &[Lane<T>],
        w: &[Lane<T>],
        out: &mut [Lane<f64>],
        mirror: &mut [Lane<f64>],
        _: &mut Vec<T>,
    ) -> Result<()> {
        packing::multiply(self.strips(i, j), v, w, out, mirror);
        Ok(())
    }

    fn lines<'a>(&'a self, which: &[usize]) -> Box<dyn Lines<T> + 'a> {
        Box::new(StoredLines::new(which, |line, cols: Range<usize>, out: &mut [T]| {
            let (i, j) = (line / TILE, cols.start / TILE);
            let (height, width) = (span(i, self.n).len(), span(j, self.n).len());
            assert!(cols.start.is_multiple_of(TILE) && cols.len() == width);
            match i >= j {
                true => packing::row(self.strips(i, j), line % TILE, height, width, out),
                false => packing::column(self.strips(j, i), line % TILE, width, height, out),
            }
        }))
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Subset::new(self, which))
    }
}

impl<T: Real> Entries for Packed<T> {
    type T = T;

    fn entry(&self, row: usize, col: usize) -> T {
        let (row, col) = (row.max(col), row.min(col));
        let (i, j) = (row / TILE, col / TILE);
        let (rows, cols) = (span(i, self.n).len(), span(j, self.n).len());
        self.strips(i, j)[packing::place(row % TILE, col % TILE, rows, cols)]
    }
}
