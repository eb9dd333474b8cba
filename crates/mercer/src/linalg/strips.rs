//! Results that come in rows, computed strip by strip: fixed pieces that threads share.

use std::ops::Range;

use rayon::prelude::*;

use super::view::MatMut;
use crate::context::{Context, SharedProgress};
use crate::error::Result;
use crate::real::Real;

/// Numbers of a strip: half of a second-level cache of half a megabyte.
const NUMBERS: usize = 1 << 15;

/// Rows of a strip of results with `cols` columns; the same for any number of threads.
pub fn height(cols: usize) -> usize {
    (NUMBERS / cols.max(1)).clamp(8, 256) / 8 * 8
}

/// Calls `work` with the rows of each strip of `out` and the place for their results.
pub fn for_each<T: Real>(
    ctx: &Context,
    stage: &'static str,
    out: MatMut<'_, T>,
    work: impl Fn(Range<usize>, MatMut<'_, T>) -> Result<()> + Sync,
) -> Result<()> {
    let (n, cols, stride) = (out.rows, out.cols, out.stride);
    if n == 0 || cols == 0 {
        return Ok(());
    }
    let (height, progress) = (height(cols), SharedProgress::new(stage, n));
    let strip = |(strip, lines): (usize, &mut [T])| -> Result<()> {
        ctx.poll()?;
        let rows = strip * height..((strip + 1) * height).min(n);
        work(rows.clone(), MatMut::new(lines, rows.len(), cols, stride))?;
        progress.add(ctx, rows.len())
    };
    ctx.install(|| {
        let strips = out.data.par_chunks_mut(height * stride).enumerate();
        strips.take(n.div_ceil(height)).try_for_each(strip)
    })
}
