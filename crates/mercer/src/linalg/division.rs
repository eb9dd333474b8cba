//! Rows divided by a lower triangular factor in part, by matrix products alone, where the rest can wait until the rows are summed.
//!
//! Given L (m × m), sums Σ φφᵀ of many rows φ = L⁻¹ k are wanted. With L = B D, where D consists of some of the diagonal blocks of L, and of 1 elsewhere,
//!
//! ```text
//! ψ = B⁻¹ k      Σ φφᵀ = D⁻¹ (Σ ψψᵀ) D⁻ᵀ
//! ```
//!
//! so that these blocks are divided by once and not for each row. Rounding errors of the sums, relative to their size, are multiplied by the square of
//! ‖D_j⁻¹‖, but ψ is small wherever D_j⁻¹ is large: it is what the blocks before leave of k. A block is as large as that product stays below the errors that
//! rounded k have in any case, ‖L⁻¹‖ relative ones. Where no block of one step is small enough, rows are divided by it.

use std::ops::Range;

use super::cholesky::{divide_rows, divide_tile, solve_backward, solve_forward};
use super::product::{Onto, multiply};
use super::view::{Mat, MatRef};
use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::real::Real;

/// Blocks grow by so many columns, a multiple of the registers' rows in products.
const STEP: usize = 48;
/// Columns of a product.
const WIDTH: usize = 4 * STEP;
/// Rows of a task.
const ROWS: usize = 128;
/// A loss of so much is none: sums are never more exact than that.
const HARMLESS: f64 = 300.0;

/// The factor B of L.
pub struct Division<T> {
    blocks: Blocks,
    /// Bᵀ, without the diagonal blocks that are 1: m × m.
    turned: Mat<T>,
}

/// The diagonal blocks of L, in their order.
#[derive(Clone, Debug)]
pub struct Blocks(Vec<Block>);

#[derive(Clone, Debug)]
struct Block {
    rows: Range<usize>,
    /// Whether it belongs to D, and not to B.
    waits: bool,
}

impl<T: Real> Division<T> {
    /// Divides the factor `l`, of which only the lower triangle is read.
    pub fn new(ctx: &Context, l: &Mat<f64>) -> Result<Self> {
        let m = l.rows();
        let blocks = Blocks::of(ctx, l)?;
        let mut turned = Mat::try_zeros(m, m)?;
        for Block { rows, waits } in &blocks.0 {
            let from = if *waits { rows.end } else { rows.start };
            let mut part = Mat::from_fn(rows.len(), m - from, |i, j| {
                let (row, col) = (from + j, rows.start + i);
                if row < col { 0.0 } else { l[(row, col)] }
            });
            if *waits {
                solve_backward(ctx, &square(l, rows), &mut part)?;
            }
            for (i, row) in rows.clone().enumerate() {
                let places = turned.row_mut(row)[from..].iter_mut();
                places.zip(part.row(i)).for_each(|(place, v)| *place = T::from_f64(*v));
            }
        }
        Ok(Self { blocks, turned })
    }

    /// Replaces every row k of `rows` (n × m) by ψ = B⁻¹ k.
    pub fn divide(&self, ctx: &Context, rows: &mut Mat<T>) -> Result<()> {
        let m = rows.cols();
        assert_eq!(m, self.turned.rows());
        ctx.install(|| {
            try_pieces(rows.data_mut(), ROWS * m.max(1), &|_, rows| {
                ctx.poll()?;
                self.blocks.0.iter().for_each(|block| self.divide_block(block, rows));
                Ok(())
            })
        })
    }

    fn divide_block(&self, block: &Block, rows: &mut [T]) {
        let (m, known) = (self.turned.rows(), block.rows.start);
        let count = rows.len() / m;
        let mut part = Mat::zeros(count, WIDTH.min(block.rows.len()));
        for start in block.rows.clone().step_by(WIDTH) {
            let width = WIDTH.min(block.rows.end - start);
            if width < part.cols() {
                part = Mat::zeros(count, width);
            }
            let factor = self.turned.view().row_range(0, known).col_range(start, width);
            let before = MatRef::new(rows, count, known, m);
            multiply(before, factor, part.view_mut(), Onto::Nothing);
            for (row, part) in rows.chunks_exact_mut(m).zip(part.data().chunks_exact(width)) {
                row[start..start + width].iter_mut().zip(part).for_each(|(v, by)| *v = *v - *by);
            }
        }
        if !block.waits {
            let (start, size) = (known, block.rows.len());
            let tile = self.turned.view().row_range(start, size).col_range(start, size);
            divide_tile(tile.transposed(), rows, start, m);
        }
    }

    /// The blocks of D, for [`Blocks::finish`].
    pub fn into_blocks(self) -> Blocks {
        self.blocks
    }
}

impl Blocks {
    /// The diagonal blocks of `l`, as large as rounding errors allow.
    fn of(ctx: &Context, l: &Mat<f64>) -> Result<Self> {
        let m = l.rows();
        let mut inverse = Mat::try_zeros(m, m)?;
        (0..m).for_each(|i| inverse[(i, i)] = 1.0);
        solve_forward(ctx, l, &mut inverse)?;
        let scale = (0..m).map(|i| squares(l, i, 0..m)).fold(0.0, f64::max);
        let all: f64 = (0..m).map(|i| squares(&inverse, i, 0..m)).sum();
        let limit = scale * (scale * all).sqrt().max(HARMLESS);
        // For each row, the square of what the columns before a step leave of it.
        let mut left = vec![0.0; m];
        let mut blocks: Vec<Block> = Vec::new();
        let (mut end, mut size) = (m, 0.0);
        while end > 0 {
            let step = end.saturating_sub(STEP)..end;
            let rows = left.iter_mut().enumerate().skip(step.start);
            rows.for_each(|(i, v)| *v += squares(l, i, step.clone()));
            let mean = left[step.start..].iter().sum::<f64>() / (m - step.start) as f64;
            let most = |last: usize| left[step.start..last].iter().copied().fold(0.0, f64::max);
            let is_fine = |size: f64, last: usize| mean * most(last) * size <= limit;
            let own = |last: usize| -> f64 {
                (step.start..last).map(|i| squares(&inverse, i, step.clone())).sum()
            };
            let grown = blocks.last().map_or(0.0, |block| size + own(block.rows.end));
            match blocks.last_mut() {
                Some(block) if block.waits && is_fine(grown, block.rows.end) => {
                    (size, block.rows.start) = (grown, step.start);
                }
                _ => {
                    size = own(end);
                    blocks.push(Block { waits: is_fine(size, end), rows: step.clone() });
                }
            }
            end = step.start;
        }
        blocks.reverse();
        Ok(Self(blocks))
    }

    /// Makes Σ φφᵀ of Σ ψψᵀ, of which `products` (m × m) is the lower triangle, and Σ φ yᵀ of Σ ψ yᵀ, which is `moments` (m × t).
    pub fn finish(
        &self,
        ctx: &Context,
        l: &Mat<f64>,
        products: &mut Mat<f64>,
        moments: &mut Mat<f64>,
    ) -> Result<()> {
        let m = l.rows();
        for Block { rows, .. } in self.0.iter().filter(|block| block.waits) {
            let (start, end) = (rows.start, rows.end);
            let factor = square(l, rows);
            let mut part = copy(moments, rows.clone(), 0..moments.cols());
            solve_forward(ctx, &factor, &mut part)?;
            put(&part, start, 0..moments.cols(), moments);
            let mut below = copy(products, end..m, rows.clone());
            divide_rows(ctx, &factor, &mut below)?;
            put(&below, end, rows.clone(), products);
            let mut before = copy(products, rows.clone(), 0..start);
            solve_forward(ctx, &factor, &mut before)?;
            put(&before, start, 0..start, products);
            let own = |i: usize, j: usize| products[(start + i.max(j), start + i.min(j))];
            let mut corner = Mat::from_fn(rows.len(), rows.len(), own);
            solve_forward(ctx, &factor, &mut corner)?;
            divide_rows(ctx, &factor, &mut corner)?;
            for i in 0..rows.len() {
                products.row_mut(start + i)[start..=start + i]
                    .copy_from_slice(&corner.row(i)[..=i]);
            }
        }
        Ok(())
    }
}

/// The sum of the squares of some entries of row i, in the lower triangle.
fn squares(a: &Mat<f64>, i: usize, columns: Range<usize>) -> f64 {
    a.row(i)[columns.start.min(i + 1)..columns.end.min(i + 1)].iter().map(|v| v * v).sum()
}

/// A diagonal block.
fn square(l: &Mat<f64>, rows: &Range<usize>) -> Mat<f64> {
    copy(l, rows.clone(), rows.clone())
}

fn copy(a: &Mat<f64>, rows: Range<usize>, columns: Range<usize>) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| a[(rows.start + i, columns.start + j)])
}

fn put(part: &Mat<f64>, start: usize, columns: Range<usize>, into: &mut Mat<f64>) {
    for i in 0..part.rows() {
        into.row_mut(start + i)[columns.clone()].copy_from_slice(part.row(i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::cholesky;

    /// The factor of the kernel matrix of points on a line, which lie close to each other if `width` is large.
    fn factor(m: usize, width: f64) -> Mat<f64> {
        let x = |i: usize| (i * 37 % m) as f64 / width;
        let mut l = Mat::from_fn(m, m, |i, j| (-(x(i) - x(j)).abs()).exp());
        cholesky::factor(&Context::new(2), &mut l).unwrap();
        (0..m).for_each(|i| l.row_mut(i)[i + 1..].fill(f64::NAN));
        l
    }

    fn waiting(division: &Division<f64>) -> usize {
        division.blocks.0.iter().filter(|block| block.waits).map(|block| block.rows.len()).sum()
    }

    #[test]
    fn finished_sums_are_those_of_divided_rows() {
        let ctx = Context::new(2);
        for (m, width) in [(1, 1.0), (48, 1.0), (130, 1.0), (400, 10.0), (500, 1e5), (300, 1e9)] {
            let l = factor(m, width);
            let k = Mat::from_fn(200, m, |i, j| {
                let z = (j * 37 % m) as f64 / width;
                (-((i as f64) * 0.3 * m as f64 / (200.0 * width) - z).abs()).exp()
            });
            let y = Mat::from_fn(200, 2, |i, j| ((i * (j + 2)) as f64).sin());
            let division = Division::<f64>::new(&ctx, &l).unwrap();
            let mut psi = k.clone();
            division.divide(&ctx, &mut psi).unwrap();
            let sums = |a: &Mat<f64>, b: &Mat<f64>| {
                let mut out = Mat::zeros(a.cols(), b.cols());
                multiply(a.view().transposed(), b.view(), out.view_mut(), Onto::Nothing);
                out
            };
            let (mut products, mut moments) = (sums(&psi, &psi), sums(&psi, &y));
            let blocks = division.into_blocks();
            blocks.finish(&ctx, &l, &mut products, &mut moments).unwrap();
            let mut phi = k;
            cholesky::divide_rows(&ctx, &l, &mut phi).unwrap();
            let (want, right) = (sums(&phi, &phi), sums(&phi, &y));
            for i in 0..m {
                for j in 0..=i {
                    let error = (products[(i, j)] - want[(i, j)]).abs();
                    assert!(error < 1e-9 * want[(0, 0)], "({i}, {j}) of {m}: {error}");
                }
            }
            let mut pairs = moments.data().iter().zip(right.data());
            assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-9 * want[(0, 0)]));
        }
    }

    #[test]
    fn blocks_wait_where_rounding_errors_allow() {
        let ctx = Context::new(1);
        let all = waiting(&Division::new(&ctx, &factor(400, 1.0)).unwrap());
        assert_eq!(all, 400);
        let mut l = Mat::from_fn(100, 100, |i, j| f64::from(u8::from(i == j)));
        // A landmark that is all but a copy of another, in the wrong order.
        (l[(60, 59)], l[(60, 60)], l[(70, 60)]) = (1.0, 1e-7, 0.5);
        let some = Division::new(&ctx, &l).unwrap();
        assert!(waiting(&some) < 100, "{:?}", some.blocks);
    }
}
