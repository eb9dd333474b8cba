//! Coefficients bound to a kernel and the points they belong to: `scores(x) = k(x, anchors)·coef + offset`. Every model
//! is one, so prediction is written here, once.
//!
//! Evaluation is fused: a tile of kernel values is multiplied with the coefficients while it is in the cache, and the
//! n_test × n_train matrix is never held.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::{Context, SharedProgress, try_pieces};
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::alloc;
use crate::linalg::product::{self, Onto};
use crate::linalg::skinny::{Lane, TileRef, WIDTH, multiply, multiply_one};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Points, Span};
use crate::real::{Numbers, Real};

/// Rows of new samples, and columns of anchors, that are worked on at a time: a tile that stays in the second-level
/// cache, as wide as a multiple of what matrix products and panels of pairings like (48 and 32).
pub(crate) const ROWS: usize = 256;
const COLS: usize = 384;
/// Rows of a piece where all would be one, so that threads can share them; a multiple of the rows of pairings' blocks.
const FEW_ROWS: usize = 48;
/// Kernel values up to which that is not worth the hand-over to another thread.
pub(crate) const FEW_VALUES: usize = 1 << 16;
const HINT: &str = "use fewer threads or raise the memory budget";

/// A function of samples with `k` outputs, as a weighted sum of kernel values.
#[derive(Clone)]
pub struct Expansion<P, T> {
    kernel: Arc<dyn Kernel<P, T>>,
    anchors: P,
    weights: Weights<T>,
}

impl<P: Points, T: Real> Expansion<P, T> {
    /// Bytes of a tile of kernel values with n anchors, which each thread has in an evaluation.
    pub(crate) fn tile_bytes(n: usize) -> usize {
        ROWS.min(n) * COLS.min(n) * size_of::<T>()
    }

    /// `coef` is n × k for n anchors, `offset` has k numbers.
    pub fn new(kernel: Arc<dyn Kernel<P, T>>, anchors: P, coef: &Mat<f64>, offset: &[f64]) -> Self {
        assert_eq!(anchors.len(), coef.rows());
        Self { kernel, anchors, weights: Weights::new(coef, offset) }
    }

    /// The points that the coefficients belong to.
    pub fn anchors(&self) -> &P {
        &self.anchors
    }

    /// The kernel.
    pub fn kernel(&self) -> &dyn Kernel<P, T> {
        &*self.kernel
    }

    /// Outputs per sample.
    pub fn outputs(&self) -> usize {
        self.weights.offset.len()
    }

    /// Writes the scores of `x` (m × k).
    pub fn scores<O: Real>(&self, ctx: &Context, x: &P, out: MatMut<'_, O>) -> Result<()> {
        let (m, n) = (x.len(), self.anchors.len());
        self.weights.evaluate(ctx, m, n, out, |rows, cols, scratch| {
            let (height, width) = (rows.len(), cols.len());
            if scratch.len() < height * width {
                scratch.resize(height * width, T::ZERO);
            }
            let data = &mut scratch[..height * width];
            let tile = Tile::new(data, height, width, width);
            self.kernel.tile(Span::new(x, rows), Span::new(&self.anchors, cols), tile)?;
            Ok(TileRef { data, rows: height, cols: width, stride: width })
        })
    }
}

/// Coefficients and offset alone: what remains of an expansion when the kernel values come from the user.
#[derive(Clone)]
pub struct Weights<T> {
    columns: Columns<T>,
    offset: Vec<f64>,
}

/// Rows of a piece of work, for m × n kernel values; the same for any number of threads.
fn piece_rows(m: usize, n: usize) -> usize {
    match m <= ROWS && m.saturating_mul(n) > FEW_VALUES {
        true => FEW_ROWS.min(m),
        false => ROWS.min(m),
    }
}

/// What a panic of another thread left is as good as before: buffers have no meaning between tiles.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Up to so many outputs are computed one by one: a block of sixteen would be mostly empty.
const FEW: usize = 3;
/// From so many outputs on, a tile is multiplied with all coefficients as a matrix.
const MANY: usize = 64;
/// Outputs of such a product that are computed at a time.
const PANEL: usize = 64;

#[derive(Clone)]
enum Columns<T> {
    /// For each output, a number per anchor.
    Few(Vec<Vec<T>>),
    /// For each 16 outputs, a lane per anchor.
    Many(Vec<Vec<Lane<T>>>),
    /// All of them, and the anchors that each panel of outputs has coefficients of: a triangle costs half.
    Matrix(Mat<T>, Vec<Range<usize>>),
}

/// Sums over anchors, laid out as the columns are.
enum Sums<T> {
    Few(Vec<Vec<f64>>),
    Many(Vec<Vec<Lane<f64>>>),
    /// With the products of a tile in single precision.
    Matrix(Mat<f64>, Vec<T>),
}

impl<T: Real> Columns<T> {
    fn sums(&self, rows: usize) -> Sums<T> {
        match self {
            Columns::Few(columns) => Sums::Few(vec![vec![0.0; rows]; columns.len()]),
            Columns::Many(lanes) => Sums::Many(vec![vec![[0.0; WIDTH]; rows]; lanes.len()]),
            Columns::Matrix(coef, _) => {
                let product = if size_of::<T>() == size_of::<f64>() { 0 } else { rows * PANEL };
                Sums::Matrix(Mat::zeros(rows, coef.cols()), vec![T::ZERO; product])
            }
        }
    }

    /// Adds what the anchors `cols` contribute, whose kernel values are `tile`.
    fn add(&self, tile: TileRef<'_, T>, cols: Range<usize>, sums: &mut Sums<T>) {
        match (self, sums) {
            (Columns::Few(columns), Sums::Few(sums)) => {
                for (column, sum) in columns.iter().zip(sums) {
                    multiply_one(tile, &column[cols.clone()], sum);
                }
            }
            (Columns::Many(lanes), Sums::Many(sums)) => {
                for (lanes, sum) in lanes.iter().zip(sums) {
                    multiply(tile, &lanes[cols.clone()], sum);
                }
            }
            (Columns::Matrix(coef, reach), Sums::Matrix(sums, product)) => {
                for (panel, reach) in reach.iter().enumerate() {
                    let used = reach.start.max(cols.start)..reach.end.min(cols.end);
                    if !used.is_empty() {
                        let from = used.start - cols.start;
                        let values = MatRef::new(tile.data, tile.rows, tile.cols, tile.stride);
                        let values = values.col_range(from, used.len());
                        add_panel(values, coef, used, panel * PANEL, sums, product);
                    }
                }
            }
            _ => unreachable!("sums are made for their columns"),
        }
    }
}

/// The anchors from the first to the last with a coefficient of each panel of outputs.
fn reaches<T: Real>(coef: &Mat<T>) -> Vec<Range<usize>> {
    let panel = |left: usize| {
        let used = |i: &usize| coef.row(*i)[left..].iter().take(PANEL).any(|v| *v != T::ZERO);
        let first = (0..coef.rows()).find(used).unwrap_or(0);
        first..(0..coef.rows()).rfind(used).map_or(0, |last| last + 1)
    };
    (0..coef.cols()).step_by(PANEL).map(panel).collect()
}

/// Adds the products of kernel values with the anchors `used` to the sums of a panel of outputs. Sums of a tile are of type T, sums of tiles f64.
fn add_panel<T: Real>(
    values: MatRef<'_, T>,
    coef: &Mat<T>,
    used: Range<usize>,
    left: usize,
    sums: &mut Mat<f64>,
    product: &mut [T],
) {
    let (rows, k) = (values.rows(), sums.cols());
    let width = PANEL.min(k - left);
    let coef = coef.view().row_range(used.start, used.len()).col_range(left, width);
    match (T::numbers(values.data()), T::numbers(coef.data())) {
        (Numbers::F64(a), Numbers::F64(b)) => {
            let out = MatMut::new(&mut sums.data_mut()[left..], rows, width, k);
            product::multiply(values.with_data(a), coef.with_data(b), out, Onto::Sum);
        }
        _ => {
            let product = &mut product[..rows * width];
            let out = MatMut::new(product, rows, width, width);
            product::multiply(values, coef, out, Onto::Nothing);
            for (i, product) in product.chunks_exact(width).enumerate() {
                let sums = sums.row_mut(i)[left..].iter_mut();
                sums.zip(product).for_each(|(sum, v)| *sum += v.to_f64());
            }
        }
    }
}

impl<T> Sums<T> {
    fn at(&self, row: usize, output: usize) -> f64 {
        match self {
            Sums::Few(sums) => sums[output][row],
            Sums::Many(sums) => sums[output / WIDTH][row][output % WIDTH],
            Sums::Matrix(sums, _) => sums[(row, output)],
        }
    }
}

impl<T: Real> Weights<T> {
    /// `coef` is n × k, `offset` has k numbers.
    pub fn new(coef: &Mat<f64>, offset: &[f64]) -> Self {
        let (n, k) = (coef.rows(), coef.cols());
        assert_eq!(offset.len(), k);
        let value = |i: usize, c: usize| if c < k { T::from_f64(coef[(i, c)]) } else { T::ZERO };
        let lane = |i: usize, b: usize| std::array::from_fn(|c| value(i, b * WIDTH + c));
        let columns = match k {
            ..=FEW => Columns::Few((0..k).map(|c| (0..n).map(|i| value(i, c)).collect()).collect()),
            MANY.. => {
                let coef = Mat::from_fn(n, k, value);
                let reaches = reaches(&coef);
                Columns::Matrix(coef, reaches)
            }
            _ => Columns::Many(
                (0..k.div_ceil(WIDTH)).map(|b| (0..n).map(|i| lane(i, b)).collect()).collect(),
            ),
        };
        Self { columns, offset: offset.to_vec() }
    }

    /// Writes `kernel_values · coef + offset` (m × k) for given kernel values (m × n).
    pub fn scores<O: Real>(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        self.evaluate(ctx, values.rows(), values.cols(), out, |rows, cols, scratch| {
            scratch.clear();
            for row in rows.clone() {
                match values.contiguous_row(row) {
                    Some(line) => scratch.extend_from_slice(&line[cols.clone()]),
                    None => scratch.extend(cols.clone().map(|col| values.at(row, col))),
                }
            }
            Ok(TileRef { data: scratch, rows: rows.len(), cols: cols.len(), stride: cols.len() })
        })
    }

    /// Runs over tiles of kernel values, m × n in all, each made by `tile` in a scratch space.
    fn evaluate<F, O: Real>(
        &self,
        ctx: &Context,
        m: usize,
        n: usize,
        out: MatMut<'_, O>,
        tile: F,
    ) -> Result<()>
    where
        F: for<'s> Fn(Range<usize>, Range<usize>, &'s mut Vec<T>) -> Result<TileRef<'s, T>> + Sync,
    {
        let (k, stride) = (self.offset.len(), out.stride);
        assert!(out.rows == m && out.cols == k);
        if m == 0 || k == 0 {
            return Ok(());
        }
        let _reservation = ctx.reserve("prediction", self.bytes(ctx.threads(), m, n), HINT)?;
        // Allocated by one thread: of what other threads free, the system's allocator keeps some for each of them.
        let height = piece_rows(m, n);
        let tile_size = height * COLS.min(n);
        let at_work = 0..ctx.threads().min(m.div_ceil(height));
        let room = |_| alloc::with_capacity(tile_size).map(Mutex::new);
        let tiles = at_work.map(room).collect::<Result<Vec<Mutex<Vec<T>>>>>()?;
        let progress = SharedProgress::new("scores", m);
        let evaluate = |(piece, lines): (usize, &mut [O])| -> Result<()> {
            let rows = piece * height..((piece + 1) * height).min(m);
            let mut sums = self.columns.sums(rows.len());
            // Each thread has its own, which stays in its cache.
            let own = rayon::current_thread_index().unwrap_or(tiles.len() - 1) % tiles.len();
            let mut scratch = std::mem::take(&mut *locked(&tiles[own]));
            for from in (0..n).step_by(COLS) {
                ctx.poll()?;
                let cols = from..(from + COLS).min(n);
                let tile = tile(rows.clone(), cols.clone(), &mut scratch)?;
                self.columns.add(tile, cols, &mut sums);
            }
            *locked(&tiles[own]) = scratch;
            self.write(&sums, rows.len(), stride, lines);
            progress.add(ctx, rows.len())
        };
        let count = m.div_ceil(height);
        if m <= ROWS {
            let pieces = out.data.chunks_mut(height * stride).enumerate();
            return ctx.share(pieces.take(count).collect(), evaluate);
        }
        ctx.install(|| {
            let used = out.data.len().min(count * height * stride);
            try_pieces(&mut out.data[..used], height * stride, &|i, lines| evaluate((i, lines)))
        })
    }

    /// Bytes of the coefficients, and of a tile of kernel values and its sums for each of the threads at work.
    fn bytes(&self, threads: usize, m: usize, n: usize) -> u64 {
        let outputs = match &self.columns {
            Columns::Few(columns) => columns.len(),
            Columns::Many(lanes) => lanes.len() * WIDTH,
            Columns::Matrix(coef, _) => coef.cols() + PANEL,
        } as u64;
        let height = piece_rows(m, n);
        let (rows, cols) = (height as u64, COLS.min(n) as u64);
        let at_work = threads.min(m.div_ceil(height)) as u64;
        let size = size_of::<T>() as u64;
        let each = rows * cols * size + rows * outputs * 8;
        at_work.saturating_mul(each).saturating_add((n as u64).saturating_mul(outputs) * size)
    }

    fn write<O: Real>(&self, sums: &Sums<T>, rows: usize, stride: usize, lines: &mut [O]) {
        let k = self.offset.len();
        for r in 0..rows {
            let line = &mut lines[r * stride..r * stride + k];
            for (c, value) in line.iter_mut().enumerate() {
                *value = O::from_f64(sums.at(r, c) + self.offset[c]);
            }
        }
    }
}

/// The kernel values of a training sample c with all training samples: other rows of kernel values are seen from it.
#[derive(Clone, Copy, Debug)]
pub struct SeenFrom<'a> {
    /// The sample's number.
    pub sample: usize,
    /// k(c, x_j).
    pub row: &'a [f64],
}

impl Weights<f64> {
    /// Writes `values · coef + offset` (m × k) for given kernel values (m × n), summed in f64. Seen from a sample c, the
    /// values are k(x, x_j) − k(x, c) − k(c, x_j) + k(c, c).
    pub fn scores_of<U: Real, O: Real>(
        &self,
        ctx: &Context,
        values: MatRef<'_, U>,
        from: Option<SeenFrom<'_>>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        self.evaluate(ctx, values.rows(), values.cols(), out, |rows, cols, scratch| {
            scratch.clear();
            for row in rows.clone() {
                let line = cols.clone().map(|col| values.at(row, col).to_f64());
                match from {
                    None => scratch.extend(line),
                    Some(SeenFrom { sample, row: seen }) => {
                        let own = values.at(row, sample).to_f64();
                        let right = seen[cols.clone()].iter().map(|v| v - seen[sample]);
                        scratch.extend(line.zip(right).map(|(v, to)| (v - own) - to));
                    }
                }
            }
            Ok(TileRef { data: scratch, rows: rows.len(), cols: cols.len(), stride: cols.len() })
        })
    }
}
