//! Rows divided by a lower triangular factor in part, by matrix products alone, where the rest can wait until the rows are summed.
//!
//! Given L (m × m), sums Σ φφᵀ of many rows φ = L⁻¹ k are wanted. With L = B D, where D consists of some of the diagonal blocks of L, and of 1 elsewhere,
//!
//! ```text
//! ψ = B⁻¹ k      Σ φφᵀ = D⁻¹ (Σ ψψᵀ) D⁻ᵀ
//! ```
//!
//! so that these blocks are divided by once and not for each row. Rounding errors of Σ ψψᵀ are multiplied by the square of D⁻¹, while ψ itself is small where that
//! is large: it is what the blocks before leave of k. Which blocks can wait is decided from L alone, with the rows of L, the features of the landmarks, in the place of
//! those of the samples: a block may be divided by later if that adds errors of at most `LOSS` to each diagonal entry of Σ φφᵀ, relative to that entry, and no more than
//! rounding to its trace. Of all divisions into such blocks, the one is taken that leaves the least work for each row.

use std::ops::Range;

use super::cholesky::{divide_rows, divide_tile, solve_backward, solve_forward};
use super::product::{Onto, multiply, subtract_within};
use super::view::{Mat, MatMut};
use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::real::Real;

/// Blocks begin at multiples of so many columns at least, a multiple of the registers' rows in products.
const STEP: usize = 24;
/// Blocks that there may be.
const MOST: usize = 20;
/// Columns of a product.
const WIDTH: usize = 192;
/// Rows of a task.
const ROWS: usize = 128;
/// Errors of single entries on the diagonal of the sums, as a power of the rounding errors of their type: 2e-10 in double precision, 5e-5 in single.
const LOSS: f64 = 0.625;
/// Errors of the trace of the sums, in units of rounding errors, that one block may add.
const ROUNDINGS: f64 = 16.0;
/// Rows of L that stand for the samples.
const SAMPLE: usize = 256;

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
        let blocks = Blocks::of(ctx, l, T::EPSILON.powf(LOSS - 1.0))?;
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
        for start in block.rows.clone().step_by(WIDTH) {
            let width = WIDTH.min(block.rows.end - start);
            let factor = self.turned.view().row_range(0, known).col_range(start, width);
            subtract_within(rows, m, factor, start);
        }
        if !block.waits {
            let (start, size) = (known, block.rows.len());
            let tile = self.turned.view().row_range(start, size).col_range(start, size);
            divide_tile(tile.transposed(), rows, start, m);
        }
    }

    /// The blocks of D, for [`Blocks::finish`].
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }
}

impl Blocks {
    /// The diagonal blocks of `l` that leave the least work, where the squares of errors may grow to `most` roundings.
    fn of(ctx: &Context, l: &Mat<f64>, most: f64) -> Result<Self> {
        let m = l.rows();
        let step = m.div_ceil(MOST).next_multiple_of(STEP).max(2 * STEP);
        let starts: Vec<usize> = (0..m).step_by(step).collect();
        let reach = Reach::new(ctx, l)?;
        let ends: Result<Vec<usize>> =
            starts.iter().map(|&start| reach.end(ctx, start, most)).collect();
        Ok(Self(cheapest(&starts, &ends?, m)))
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

/// The division of m columns into blocks that takes the fewest operations for each row, given where a block that waits may begin and the last column where it may then end.
fn cheapest(starts: &[usize], ends: &[usize], m: usize) -> Vec<Block> {
    let place = |i: usize| starts.get(i).copied().unwrap_or(m);
    // The least work up to each start and to m, and the last block of it.
    let mut least: Vec<(usize, usize)> = vec![(0, 0)];
    for to in 1..=starts.len() {
        let work = |from: usize| {
            let size = place(to) - place(from);
            let own = if place(to) <= ends[from] { 0 } else { size * size };
            (least[from].0 + 2 * size * place(from) + own, from)
        };
        // Of equal ones, the one with the smallest blocks.
        let best =
            (0..to).map(work).reduce(|best, next| if next.0 <= best.0 { next } else { best });
        least.push(best.unwrap_or((0, 0)));
    }
    let (mut blocks, mut to) = (Vec::new(), starts.len());
    while to > 0 {
        let from = least[to].1;
        let rows = place(from)..place(to);
        blocks.push(Block { waits: rows.end <= ends[from], rows });
        to = from;
    }
    blocks.reverse();
    blocks
}

/// How far a block can reach that waits.
struct Reach {
    /// L without what stands above its diagonal.
    lower: Mat<f64>,
    inverse: Mat<f64>,
    trace: f64,
}

impl Reach {
    fn new(ctx: &Context, l: &Mat<f64>) -> Result<Self> {
        let m = l.rows();
        let (mut lower, mut inverse) = (Mat::try_zeros(m, m)?, Mat::try_zeros(m, m)?);
        for i in 0..m {
            lower.row_mut(i)[..=i].copy_from_slice(&l.row(i)[..=i]);
            inverse[(i, i)] = 1.0;
        }
        solve_forward(ctx, l, &mut inverse)?;
        let trace = lower.data().iter().map(|v| v * v).sum();
        Ok(Self { lower, inverse, trace })
    }

    /// The end of the largest block from `start` on whose errors stay small.
    fn end(&self, ctx: &Context, start: usize, most: f64) -> Result<usize> {
        let energy = self.energy(ctx, start)?;
        let mut all = 0.0;
        for end in start..self.lower.rows() {
            let inverse = self.inverse.row(end)[start..=end].iter();
            let loss: f64 = inverse.zip(&energy).map(|(v, e)| v * v * e).sum();
            all += loss;
            let pivot = self.lower[(end, end)];
            if loss > most * pivot * pivot || all > ROUNDINGS * self.trace {
                return Ok(end);
            }
        }
        Ok(self.lower.rows())
    }

    /// The sum of the squares of each column of ψ from `start` on over the landmarks, if the columns before were divided by.
    fn energy(&self, ctx: &Context, start: usize) -> Result<Vec<f64>> {
        let m = self.lower.rows();
        let left = m - start;
        let count = left.min(SAMPLE);
        let sample =
            Mat::from_fn(count, left, |i, j| self.lower[(start + i * left / count, start + j)]);
        let mut psi = Mat::try_zeros(left, count)?;
        ctx.install(|| {
            try_pieces(psi.data_mut(), ROWS * count, &|piece, rows| {
                ctx.poll()?;
                let (from, size) = (start + piece * ROWS, rows.len() / count);
                let own = self.lower.view().row_range(from, size).col_range(start, left);
                let out = MatMut::new(rows, size, count, count);
                multiply(own, sample.view().transposed(), out, Onto::Nothing);
                Ok(())
            })
        })?;
        let scale = left as f64 / count as f64;
        Ok((0..left).map(|i| scale * psi.row(i).iter().map(|v| v * v).sum::<f64>()).collect())
    }
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
            division.blocks().finish(&ctx, &l, &mut products, &mut moments).unwrap();
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
