//! The full matrix, for a user who asks for it: K(x_i, y_j), or the symmetric K(x_i, x_j).

use super::tiles::{TILE, span};
use crate::context::{Context, SharedProgress, try_pieces};
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::symmetric;
use crate::linalg::view::MatMut;
use crate::points::{Points, Span};
use crate::real::Real;

/// Bytes of a full rows × cols matrix; the largest number where that overflows.
pub fn matrix_bytes<T: Real>(rows: usize, cols: usize) -> u64 {
    let size = rows as u128 * cols as u128 * size_of::<T>() as u128;
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// Fills `out` (rows × cols) with kernel values of `rows` and `cols`; without `cols`, of `rows` with themselves: then
/// only the lower half is evaluated, and the upper is its mirror image.
pub fn matrix<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    rows: &P,
    cols: Option<&P>,
    out: MatMut<'_, T>,
) -> Result<()> {
    assert_eq!(out.rows, rows.len());
    assert_eq!(out.cols, cols.unwrap_or(rows).len());
    let tiles = ctx.threads().min(rows.len().div_ceil(TILE)) as u64;
    let bytes = tiles * matrix_bytes::<T>(TILE.min(out.rows), TILE.min(out.cols));
    let hint = "use fewer threads or raise the memory budget";
    let _reservation = ctx.reserve("the computation of the kernel matrix", bytes, hint)?;
    ctx.install(|| match cols {
        Some(cols) => fill(ctx, kernel, rows, cols, out),
        None => fill_symmetric(ctx, kernel, rows, out),
    })
}

fn fill_symmetric<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    points: &P,
    out: MatMut<'_, T>,
) -> Result<()> {
    let progress = SharedProgress::new("kernel matrix", symmetric::tiles(points.len()));
    symmetric::fill(out, |rows, cols, values| {
        ctx.poll()?;
        let (height, width) = (rows.len(), cols.len());
        let tile = Tile::new(values, height, width, width);
        kernel.tile(Span::new(points, rows), Span::new(points, cols), tile)?;
        progress.add(ctx, 1)
    })
}

fn fill<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    rows: &P,
    cols: &P,
    out: MatMut<'_, T>,
) -> Result<()> {
    let (n, m, stride) = (out.rows, out.cols, out.stride);
    let across = m.div_ceil(TILE);
    let progress = SharedProgress::new("kernel matrix", n.div_ceil(TILE) * across);
    let used = out.data.len().min(n.div_ceil(TILE) * TILE * stride);
    try_pieces(&mut out.data[..used], TILE * stride, &|i, lines| {
        let row_span = span(i, n);
        for j in 0..across {
            ctx.poll()?;
            let col_span = span(j, m);
            let tile = Tile::new(&mut lines[j * TILE..], row_span.len(), col_span.len(), stride);
            let from = Span::new(rows, row_span.clone());
            kernel.tile(from, Span::new(cols, col_span), tile)?;
        }
        progress.add(ctx, across)
    })
}
