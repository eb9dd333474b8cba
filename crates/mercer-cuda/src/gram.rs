//! The kernel matrix of some rows in the memory of a device: its lower triangle in panels of columns, or panels that are computed anew in each
//! product where they do not fit.

use std::ops::Range;
use std::sync::Arc;

use mercer::context::Context;
use mercer::gram::{Block, Factor, Gram, Operator};
use mercer::{Error, Mat, Result};

use crate::blas::Op;
use crate::engine::Engine;
use crate::factor::CholeskyFactor;
use crate::kernel::Uploaded;
use crate::memory::{Buffer, View};

/// Columns of a panel.
pub(crate) const PANEL: usize = 2048;
/// Columns of a block of vectors.
const WIDTH: usize = 16;
/// Of the free memory, what is left for cuBLAS and for others.
const RESERVE: u64 = 512 << 20;

/// Panels of the lower triangle of an n × n matrix: panel p has the columns from p · PANEL on, from the diagonal down.
pub(crate) struct Panels {
    pub n: usize,
    pub buffers: Vec<Buffer>,
}

impl Panels {
    pub fn count(n: usize) -> usize {
        n.div_ceil(PANEL)
    }

    pub fn columns(n: usize, panel: usize) -> Range<usize> {
        panel * PANEL..((panel + 1) * PANEL).min(n)
    }

    /// Numbers in a panel.
    pub fn size(n: usize, panel: usize) -> usize {
        let columns = Self::columns(n, panel);
        (n - columns.start) * columns.len()
    }

    /// Bytes of all panels.
    pub fn bytes(n: usize) -> u64 {
        (0..Self::count(n)).map(|panel| 8 * Self::size(n, panel) as u64).sum()
    }

    pub fn panel(&self, panel: usize) -> View<'_> {
        let columns = Self::columns(self.n, panel);
        let rows = self.n - columns.start;
        self.buffers[panel].view(0, rows, columns.len(), rows)
    }
}

/// A kernel matrix on a device.
pub(crate) struct DeviceGram {
    engine: Arc<Engine>,
    kernel: Uploaded,
    n: usize,
    diagonal: Vec<f64>,
    /// The panels, if they fit.
    panels: Option<Panels>,
}

impl DeviceGram {
    /// The matrix, and how it is held.
    pub fn new(
        ctx: &Context,
        engine: Arc<Engine>,
        kernel: Uploaded,
        diagonal: Vec<f64>,
    ) -> Result<(Self, String)> {
        let n = diagonal.len();
        let (needed, free) = (Panels::bytes(n), engine.free()?);
        let mut gram = Self { engine, kernel, n, diagonal, panels: None };
        let held = needed.saturating_add(RESERVE) <= free;
        if held {
            let panels = (0..Panels::count(n)).map(|panel| {
                ctx.poll()?;
                gram.compute(panel)
            });
            gram.panels = Some(Panels { n, buffers: panels.collect::<Result<_>>()? });
            gram.engine.wait()?;
        }
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let words = if held { "is held there" } else { "is computed anew in each pass" };
        let reason = format!(
            "the lower triangle of the {n} × {n} matrix takes {:.1} GiB of {:.1} GiB free on the device and {words}",
            gib(needed),
            gib(free)
        );
        Ok((gram, reason))
    }

    /// Whether a Cholesky factor fits beside the matrix.
    pub fn has_room_for_factor(&self) -> Result<bool> {
        Ok(Panels::bytes(self.n).saturating_add(RESERVE) <= self.engine.free()?)
    }

    /// A panel, computed.
    fn compute(&self, panel: usize) -> Result<Buffer> {
        let columns = Panels::columns(self.n, panel);
        let buffer = Buffer::new(&self.engine, Panels::size(self.n, panel))?;
        let rows = columns.start..self.n;
        let view = buffer.view(0, rows.len(), columns.len(), rows.len());
        self.kernel.tile(&self.engine, rows, columns, view)?;
        Ok(buffer)
    }

    /// Calls `f` with each panel in turn.
    fn each(&self, ctx: &Context, mut f: impl FnMut(usize, View<'_>) -> Result<()>) -> Result<()> {
        for panel in 0..Panels::count(self.n) {
            ctx.poll()?;
            match &self.panels {
                Some(panels) => f(panel, panels.panel(panel))?,
                None => {
                    let buffer = self.compute(panel)?;
                    let columns = Panels::columns(self.n, panel);
                    let rows = self.n - columns.start;
                    f(panel, buffer.view(0, rows, columns.len(), rows))?;
                    // So that work that is stopped does not go on in a queue.
                    self.engine.wait()?;
                }
            }
        }
        Ok(())
    }

    /// out ← K · v for the transposes of blocks of vectors, k × n.
    fn products(&self, ctx: &Context, v: View<'_>, out: View<'_>) -> Result<()> {
        let (n, k) = (self.n, v.rows);
        self.each(ctx, |panel, values| {
            let columns = Panels::columns(n, panel);
            let (from, width) = (columns.start, columns.len());
            let beta = if panel == 0 { 0.0 } else { 1.0 };
            // The rows from the diagonal down.
            self.engine.multiply(
                1.0,
                (v.part(0, k, from, width), Op::Plain),
                (values, Op::Transposed),
                beta,
                out.part(0, k, from, n - from),
            )?;
            // The same numbers as columns, those of the diagonal block aside.
            let below = n - from - width;
            self.engine.multiply(
                1.0,
                (v.part(0, k, from + width, below), Op::Plain),
                (values.part(width, below, 0, width), Op::Plain),
                1.0,
                out.part(0, k, from, width),
            )
        })
    }
}

impl Operator for DeviceGram {
    fn n(&self) -> usize {
        self.n
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let _turn = self.engine.turn()?;
        let sent = Buffer::from_host(&self.engine, v.lanes().as_flattened())?;
        let found = Buffer::new(&self.engine, WIDTH * self.n)?;
        let shape = (WIDTH, self.n);
        self.products(
            ctx,
            sent.view(0, shape.0, shape.1, WIDTH),
            found.view(0, shape.0, shape.1, WIDTH),
        )?;
        found.read(&self.engine, 0, out.lanes_mut().as_flattened_mut())
    }
}

impl Gram for DeviceGram {
    fn diag(&self, _ctx: &Context) -> Result<Vec<f64>> {
        Ok(self.diagonal.clone())
    }

    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        let _turn = self.engine.turn()?;
        let mut out = Mat::try_zeros(self.n, which.len())?;
        let found = Buffer::new(&self.engine, self.n)?;
        let mut values = vec![0.0; self.n];
        for (place, &column) in which.iter().enumerate() {
            ctx.poll()?;
            let view = found.view(0, self.n, 1, self.n);
            self.kernel.tile(&self.engine, 0..self.n, column..column + 1, view)?;
            found.read(&self.engine, 0, &mut values)?;
            values.iter().enumerate().for_each(|(i, v)| out[(i, place)] = *v);
        }
        Ok(out)
    }

    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        let _turn = self.engine.turn()?;
        let mut out = Mat::try_zeros(self.n, self.n)?;
        self.each(ctx, |panel, values| {
            let columns = Panels::columns(self.n, panel);
            let mut column = vec![0.0; values.rows];
            for (j, col) in columns.clone().enumerate() {
                self.engine.read(values.part(0, values.rows, j, 1), &mut column)?;
                let from = columns.start;
                (col..self.n).for_each(|row| out[(row, col)] = column[row - from]);
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn times(&self, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
        let _turn = self.engine.turn()?;
        let (k, mut out) = (x.cols(), Mat::try_zeros(self.n, x.cols())?);
        if k == 0 {
            return Ok(out);
        }
        let sent = Buffer::from_host(&self.engine, x.data())?;
        let found = Buffer::new(&self.engine, k * self.n)?;
        self.products(ctx, sent.view(0, k, self.n, k), found.view(0, k, self.n, k))?;
        found.read(&self.engine, 0, out.data_mut())?;
        Ok(out)
    }

    fn factor(&self, ctx: &Context, ridge: f64) -> Option<Result<Box<dyn Factor>>> {
        Some(self.cholesky(ctx, ridge).map(|factor| Box::new(factor) as Box<dyn Factor>))
    }
}

impl DeviceGram {
    fn cholesky(&self, ctx: &Context, ridge: f64) -> Result<CholeskyFactor> {
        let _turn = self.engine.turn()?;
        if !self.has_room_for_factor()? {
            let (needed, free) = (Panels::bytes(self.n), self.engine.free()?);
            let message = format!(
                "a Cholesky factor of {} rows takes {needed} bytes, but {free} are free on the device: use solver cg, which needs \
                 only matrix products, or fit on fewer rows",
                self.n
            );
            return Err(Error::Device(message));
        }
        let copy = |panel: usize| match &self.panels {
            Some(panels) => {
                let mut copy = Buffer::new(&self.engine, Panels::size(self.n, panel))?;
                copy.copy(&self.engine, &panels.buffers[panel])?;
                Ok(copy)
            }
            None => self.compute(panel),
        };
        CholeskyFactor::new(ctx, self.engine.clone(), self.n, ridge, copy)
    }
}
