//! The full matrix, for a user who asks for it: K(x_i, y_j), or the symmetric K(x_i, x_j).

use rayon::prelude::*;

use super::tiles::{TILE, span};
use crate::context::{Context, Step};
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
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
    mut out: MatMut<'_, T>,
) -> Result<()> {
    assert_eq!(out.rows, rows.len());
    assert_eq!(out.cols, cols.unwrap_or(rows).len());
    ctx.install(|| {
        fill(ctx, kernel, rows, cols, &mut out)?;
        if cols.is_none() {
            mirror(ctx, &mut out)?;
        }
        Ok(())
    })
}

/// Fills all tiles, or the lower triangle of tiles.
fn fill<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    rows: &P,
    cols: Option<&P>,
    out: &mut MatMut<'_, T>,
) -> Result<()> {
    let (n, m, stride) = (out.rows, out.cols, out.stride);
    let done = std::sync::atomic::AtomicUsize::new(0);
    out.data.par_chunks_mut(TILE * stride).enumerate().take(n.div_ceil(TILE)).try_for_each(
        |(i, lines)| {
            let row_span = span(i, n);
            let last = if cols.is_some() { m.div_ceil(TILE) } else { i + 1 };
            for j in 0..last {
                ctx.poll()?;
                let col_span = span(j, m);
                let tile =
                    Tile::new(&mut lines[j * TILE..], row_span.len(), col_span.len(), stride);
                let from = Span::new(rows, row_span.clone());
                kernel.tile(from, Span::new(cols.unwrap_or(rows), col_span), tile)?;
            }
            let done = done.fetch_add(last, std::sync::atomic::Ordering::Relaxed) + last;
            let blocks = n.div_ceil(TILE);
            let total = if cols.is_some() { blocks * last } else { blocks * (blocks + 1) / 2 };
            let (done, total) = (done as f64, total as f64);
            ctx.step(Step { stage: "kernel matrix", done, total, residual: None })
        },
    )
}

/// Rows that one task of [`mirror`] writes at a time: a few cache lines of each row it reads.
const STRIP: usize = 32;

/// Copies the lower triangle of tiles onto the upper.
fn mirror<T: Real>(ctx: &Context, out: &mut MatMut<'_, T>) -> Result<()> {
    let (n, stride) = (out.rows, out.stride);
    for i in 0..n.div_ceil(TILE) {
        let rows = span(i, n);
        // Rows of this block are written, rows below are read.
        let (head, below) = out.data.split_at_mut((rows.end * stride).min(out.data.len()));
        let block = &mut head[rows.start * stride..];
        block.par_chunks_mut(STRIP * stride).enumerate().try_for_each(|(strip, lines)| {
            ctx.poll()?;
            let first = rows.start + strip * STRIP;
            let height = STRIP.min(rows.end - first);
            for (source, col) in (rows.end..n).enumerate() {
                let line = &below[source * stride + first..][..height];
                for (r, &value) in line.iter().enumerate() {
                    lines[r * stride + col] = value;
                }
            }
            Ok::<(), crate::error::Error>(())
        })?;
    }
    Ok(())
}
