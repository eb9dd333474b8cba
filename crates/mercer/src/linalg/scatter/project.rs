//! Projection of samples onto directions.

use super::{STRIP, shifted_row};
use crate::context::{Context, try_pieces};
use crate::error::{Error, Result};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::real::{NumbersMut, Real};

/// Writes `(x − mean) · weights + offset` (m × k) for weights (d × k).
pub fn project<T: Real, O: Real>(
    ctx: &Context,
    x: MatRef<'_, T>,
    mean: &[f64],
    weights: &Mat<f64>,
    offset: &[f64],
    out: MatMut<'_, O>,
) -> Result<()> {
    let (m, d, k, stride) = (x.rows(), x.cols(), weights.cols(), out.stride);
    assert!(out.rows == m && out.cols == k && weights.rows() == d);
    if m == 0 || k == 0 {
        return Ok(());
    }
    let (size, at_work) = (size_of::<T>(), ctx.threads().min(m.div_ceil(STRIP)));
    let bytes = size * (d * k + at_work * STRIP.min(m) * d);
    let hint = "use fewer threads or raise the memory budget";
    let _reservation = ctx.reserve("the projection of the samples", bytes as u64, hint)?;
    let weights: Vec<T> = weights.data().iter().map(|&v| T::from_f64(v)).collect();
    let weights = MatRef::new(&weights, d, k, k);
    let project_strip = |start: usize, mut out: MatMut<'_, T>| -> Result<()> {
        let rows = out.rows;
        let mut buffer = vec![T::ZERO; rows * d];
        for (r, line) in buffer.chunks_exact_mut(d.max(1)).enumerate() {
            let row = start + r;
            shifted_row(x, row, mean, line);
            if let Some(column) = line.iter().position(|v| !v.is_finite()) {
                let value = x.at(row, column).to_f64();
                return Err(Error::NotFinite { row, column, value });
            }
        }
        let part = MatRef::new(&buffer, rows, d, d);
        multiply(part, weights, MatMut::new(out.data, rows, k, out.stride), Onto::Nothing);
        for r in 0..rows {
            out.row_mut(r).iter_mut().zip(offset).for_each(|(v, &o)| *v += T::from_f64(o));
        }
        Ok(())
    };
    ctx.install(|| {
        let used = out.data.len().min(m.div_ceil(STRIP) * STRIP * stride);
        try_pieces(&mut out.data[..used], STRIP * stride, &|strip, lines| {
            ctx.poll()?;
            let (start, rows) = (strip * STRIP, STRIP.min(m - strip * STRIP));
            if let Some(lines) = same::<T, O>(lines) {
                return project_strip(start, MatMut::new(lines, rows, k, stride));
            }
            let mut own = vec![T::ZERO; rows * k];
            project_strip(start, MatMut::new(&mut own, rows, k, k))?;
            for (line, values) in lines.chunks_mut(stride).zip(own.chunks_exact(k)) {
                let each = line.iter_mut().zip(values);
                each.for_each(|(to, v)| *to = O::from_f64(v.to_f64()));
            }
            Ok(())
        })
    })
}

/// The slice as one of `T`, if that is its type.
fn same<T: Real, O: Real>(slice: &mut [O]) -> Option<&mut [T]> {
    match O::numbers_mut(slice) {
        NumbersMut::F32(slice) => T::same_single(slice),
        NumbersMut::F64(slice) => T::same_mut(slice),
    }
}
