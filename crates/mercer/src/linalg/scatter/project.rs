//! Projection of samples onto directions.

use rayon::prelude::*;

use super::{STRIP, shifted_row};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::real::Real;

/// Writes `(x − mean) · weights + offset` (m × k) for weights (d × k).
pub fn project<T: Real>(
    ctx: &Context,
    x: MatRef<'_, T>,
    mean: &[f64],
    weights: &Mat<f64>,
    offset: &[f64],
    out: MatMut<'_, T>,
) -> Result<()> {
    let (m, d, k, stride) = (x.rows(), x.cols(), weights.cols(), out.stride);
    assert!(out.rows == m && out.cols == k && weights.rows() == d);
    if m == 0 || k == 0 {
        return Ok(());
    }
    let (size, at_work) = (size_of::<T>(), ctx.threads().min(m.div_ceil(STRIP)));
    let bytes = size * (d * k + at_work * STRIP.min(m) * d);
    let hint = "use fewer threads (n_jobs) or raise the memory budget";
    let _reservation = ctx.reserve("the projection of the samples", bytes as u64, hint)?;
    let weights: Vec<T> = weights.data().iter().map(|&v| T::from_f64(v)).collect();
    let weights = MatRef::new(&weights, d, k, k);
    ctx.install(|| {
        out.data.par_chunks_mut(STRIP * stride).enumerate().take(m.div_ceil(STRIP)).try_for_each(
            |(strip, lines)| {
                ctx.poll()?;
                let rows = STRIP.min(m - strip * STRIP);
                let mut buffer = vec![T::ZERO; rows * d];
                for (r, line) in buffer.chunks_exact_mut(d.max(1)).enumerate() {
                    let row = strip * STRIP + r;
                    shifted_row(x, row, mean, line);
                    if let Some(column) = line.iter().position(|v| !v.is_finite()) {
                        let value = x.at(row, column).to_f64();
                        return Err(Error::NotFinite { row, column, value });
                    }
                }
                let part = MatRef::new(&buffer, rows, d, d);
                multiply(part, weights, MatMut::new(lines, rows, k, stride), Onto::Nothing);
                for r in 0..rows {
                    let line = &mut lines[r * stride..r * stride + k];
                    line.iter_mut().zip(offset).for_each(|(v, &o)| *v += T::from_f64(o));
                }
                Ok(())
            },
        )
    })
}
