//! What the library asks of a device: matrices, and kernel values with coefficients.

use std::ops::Range;
use std::sync::Arc;

use mercer::context::{Context, SharedProgress};
use mercer::device::{Backend, OnDevice};
use mercer::kernel::RowKernel;
use mercer::{Mat, MatMut, Result};

use crate::blas::Op;
use crate::engine::Engine;
use crate::gram::DeviceGram;
use crate::kernel::Uploaded;
use crate::memory::Buffer;

/// Rows and columns of a tile of kernel values that is multiplied with coefficients: it stays in the cache of a large device.
const ROWS: usize = 4096;
const COLS: usize = 1024;

/// A device as the library sees it.
pub(crate) struct OpenDevice(pub Arc<Engine>);

impl Backend for OpenDevice {
    fn name(&self) -> String {
        self.0.name.clone()
    }

    fn gram(&self, ctx: &Context, kernel: RowKernel, diagonal: Vec<f64>) -> Result<OnDevice> {
        let _turn = self.0.turn()?;
        let uploaded = Uploaded::new(&self.0, &kernel)?;
        let (gram, reason) = DeviceGram::new(ctx, self.0.clone(), uploaded, diagonal)?;
        let factor_fits = gram.has_room_for_factor()?;
        Ok(OnDevice { gram: Box::new(gram), reason, factor_fits })
    }

    fn scores(
        &self,
        ctx: &Context,
        kernel: &RowKernel,
        coef: &Mat<f64>,
        offset: &[f64],
        out: MatMut<'_, f64>,
    ) -> Result<()> {
        let _turn = self.0.turn()?;
        let (engine, k) = (&*self.0, coef.cols());
        if k == 0 || out.rows == 0 {
            return Ok(());
        }
        let coef = Buffer::from_host(engine, coef.data())?;
        by_rows(ctx, engine, kernel, k, |part, rows| {
            let (m, n) = part.shape();
            let uploaded = Uploaded::new(engine, part)?;
            let found = Buffer::new(engine, k * m)?;
            let tile = Buffer::new(engine, ROWS.min(m) * COLS.min(n))?;
            for from in (0..m).step_by(ROWS) {
                ctx.poll()?;
                let height = ROWS.min(m - from);
                let target = found.view(0, k, m, k).part(0, k, from, height);
                for at in (0..n).step_by(COLS) {
                    let width = COLS.min(n - at);
                    let values = tile.view(0, height, width, height);
                    uploaded.tile(engine, from..from + height, at..at + width, values)?;
                    let weights = coef.view(0, k, n, k).part(0, k, at, width);
                    let beta = if at == 0 { 0.0 } else { 1.0 };
                    engine.multiply(
                        1.0,
                        (weights, Op::Plain),
                        (values, Op::Transposed),
                        beta,
                        target,
                    )?;
                }
            }
            let mut values = vec![0.0; k * m];
            found.read(engine, 0, &mut values)?;
            for (line, values) in rows.zip(values.chunks_exact(k)) {
                let place = &mut out.data[line * out.stride..][..k];
                for ((place, value), offset) in place.iter_mut().zip(values).zip(offset) {
                    *place = value + offset;
                }
            }
            Ok(())
        })
    }
}

/// Calls `f` with as many rows at a time as a quarter of the device's free memory holds.
fn by_rows(
    ctx: &Context,
    engine: &Engine,
    kernel: &RowKernel,
    k: usize,
    mut f: impl FnMut(&RowKernel, Range<usize>) -> Result<()>,
) -> Result<()> {
    let (m, bytes) = (kernel.shape().0, 8 * (numbers(kernel) + k) as u64);
    let fitting = usize::try_from(engine.free()? / 4 / bytes.max(1)).unwrap_or(usize::MAX);
    let step = fitting.max(ROWS).min(m.max(1));
    let progress = SharedProgress::new("scores", m);
    for from in (0..m).step_by(step) {
        let rows = from..(from + step).min(m);
        f(&kernel.rows(rows.start, rows.end), rows.clone())?;
        progress.add(ctx, rows.len())?;
    }
    Ok(())
}

/// Numbers that a row has on the device.
fn numbers(kernel: &RowKernel) -> usize {
    match kernel {
        RowKernel::Leaf { x, .. } => x.d() + 1,
        RowKernel::Sum(terms) => terms.iter().map(|(_, inner)| numbers(inner)).sum(),
        RowKernel::Product(factors) => factors.iter().map(numbers).sum(),
        RowKernel::Scaled { inner, .. } | RowKernel::Less { inner, .. } => 1 + numbers(inner),
    }
}
