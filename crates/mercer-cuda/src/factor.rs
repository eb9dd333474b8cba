//! The Cholesky factor of a symmetric matrix in panels of columns, made on the device.
//!
//! ```text
//! for each panel j:   C ← K_j + ridge;   C ← C − Σ_{i<j} L_i L_i[j]ᵀ;   C = L_jj · (…): the block on the diagonal by halves;   rows below: divided by L_jjᵀ
//! ```

use std::sync::Arc;

use mercer::context::{Context, SharedProgress};
use mercer::gram::Factor;
use mercer::{Error, Mat, Result};

use crate::blas::Op;
use crate::engine::Engine;
use crate::gram::Panels;
use crate::memory::{Buffer, View};

/// Rows up to which a square is factored by one block of threads.
const SMALL: usize = 64;

/// L of L·Lᵀ = K + ridge.
pub(crate) struct CholeskyFactor {
    engine: Arc<Engine>,
    panels: Panels,
    diagonal: Vec<f64>,
}

impl CholeskyFactor {
    /// The factor of the matrix whose panels `panel` makes.
    pub fn new(
        ctx: &Context,
        engine: Arc<Engine>,
        n: usize,
        ridge: f64,
        panel: impl Fn(usize) -> Result<Buffer>,
    ) -> Result<Self> {
        let flag = Buffer::zeros(&engine, 1)?;
        let mut factor =
            Self { engine, panels: Panels { n, buffers: Vec::new() }, diagonal: Vec::new() };
        let progress = SharedProgress::new("Cholesky factor", Panels::count(n));
        for j in 0..Panels::count(n) {
            ctx.poll()?;
            factor.panels.buffers.push(panel(j)?);
            factor.eliminate(j, ridge, &flag)?;
            if failed(&factor.engine, &flag)? {
                return Err(Error::Numeric("the matrix has no Cholesky factor".into()));
            }
            progress.add(ctx, 1)?;
        }
        for j in 0..Panels::count(n) {
            let width = Panels::columns(n, j).len();
            let square = factor.panels.panel(j).part(0, width, 0, width);
            let values = factor.engine.diagonal(square)?;
            factor.diagonal.extend(values);
        }
        Ok(factor)
    }

    /// Panel j of the matrix becomes that of the factor.
    fn eliminate(&self, j: usize, ridge: f64, flag: &Buffer) -> Result<()> {
        let (engine, n) = (&*self.engine, self.panels.n);
        let columns = Panels::columns(n, j);
        let (width, rows) = (columns.len(), n - columns.start);
        let c = self.panels.panel(j);
        engine.add_diagonal(c.part(0, width, 0, width), ridge)?;
        for i in 0..j {
            let before = Panels::columns(n, i);
            let left =
                self.panels.panel(i).part(columns.start - before.start, rows, 0, before.len());
            let top = left.part(0, width, 0, before.len());
            engine.multiply(-1.0, (left, Op::Plain), (top, Op::Transposed), 1.0, c)?;
        }
        let square = c.part(0, width, 0, width);
        by_halves(engine, square, flag.column())?;
        engine.divide_right(square, c.part(width, rows - width, 0, width))
    }
}

/// The factor of a square, in place: of the first half, what is below divided by it, and the rest.
fn by_halves(engine: &Engine, a: View<'_>, flag: View<'_>) -> Result<()> {
    let n = a.rows;
    if n <= SMALL {
        return engine.factor_block(a, flag);
    }
    let half = (n / 2).next_multiple_of(SMALL);
    let (first, below) = (a.part(0, half, 0, half), a.part(half, n - half, 0, half));
    by_halves(engine, first, flag)?;
    engine.divide_right(first, below)?;
    let rest = a.part(half, n - half, half, n - half);
    engine.subtract_square(below, rest)?;
    by_halves(engine, rest, flag)
}

/// Whether a pivot was not positive.
fn failed(engine: &Engine, flag: &Buffer) -> Result<bool> {
    let mut value = [0.0];
    flag.read(engine, 0, &mut value)?;
    Ok(value[0].to_bits() != 0)
}

impl Factor for CholeskyFactor {
    fn solve(&self, ctx: &Context, right: &mut Mat<f64>) -> Result<()> {
        let _turn = self.engine.turn()?;
        let (engine, n, k) = (&*self.engine, right.rows(), right.cols());
        assert_eq!(n, self.panels.n, "sides of another system");
        let columns: Vec<f64> =
            (0..k).flat_map(|c| right.data()[c..].iter().step_by(k.max(1)).copied()).collect();
        let buffer = Buffer::from_host(engine, &columns)?;
        let b = buffer.view(0, n, k, n);
        let panels = Panels::count(n);
        for j in 0..panels {
            ctx.poll()?;
            let (l, at, width) = self.block(j);
            let below = n - at - width;
            let (part, rest) = (b.part(at, width, 0, k), b.part(at + width, below, 0, k));
            engine.divide_left((l.part(0, width, 0, width), Op::Plain), part)?;
            let left = (l.part(width, below, 0, width), Op::Plain);
            engine.multiply(-1.0, left, (part, Op::Plain), 1.0, rest)?;
        }
        for j in (0..panels).rev() {
            ctx.poll()?;
            let (l, at, width) = self.block(j);
            let below = n - at - width;
            let (part, rest) = (b.part(at, width, 0, k), b.part(at + width, below, 0, k));
            let left = (l.part(width, below, 0, width), Op::Transposed);
            engine.multiply(-1.0, left, (rest, Op::Plain), 1.0, part)?;
            engine.divide_left((l.part(0, width, 0, width), Op::Transposed), part)?;
        }
        let mut found = vec![0.0; n * k];
        buffer.read(engine, 0, &mut found)?;
        for (c, column) in found.chunks_exact(n.max(1)).enumerate() {
            column.iter().enumerate().for_each(|(i, v)| right[(i, c)] = *v);
        }
        Ok(())
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }
}

impl CholeskyFactor {
    /// Panel j, the first of its rows and its columns.
    fn block(&self, j: usize) -> (View<'_>, usize, usize) {
        let columns = Panels::columns(self.panels.n, j);
        (self.panels.panel(j), columns.start, columns.len())
    }
}
