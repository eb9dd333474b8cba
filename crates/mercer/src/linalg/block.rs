//! Blocks of vectors, the currency of iterative solvers: n rows of 16 numbers, row-major.
//!
//! Sums over rows run over fixed pieces whose partial sums are added in order, so that they do not depend on the number
//! of threads.

use rayon::prelude::*;

use super::alloc;
use super::eigen;
use super::skinny::{Lane, TileRef, WIDTH, multiply, multiply_transposed};
use super::view::Mat;
use crate::context::Stream;
use crate::error::Result;

/// A WIDTH × WIDTH matrix, row-major.
pub type Small = [Lane<f64>; WIDTH];

/// Rows that one task takes.
const PIECE: usize = 512;

/// n × WIDTH numbers. Columns that carry nothing are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Block(Vec<Lane<f64>>);

impl Block {
    /// A block of zeros with n rows.
    pub fn zeros(n: usize) -> Self {
        Self(vec![[0.0; WIDTH]; n])
    }

    /// The same, or an error where the operating system refuses the memory.
    #[doc(hidden)]
    pub fn try_zeros(n: usize) -> Result<Self> {
        Ok(Self(alloc::zero_lanes(n)?))
    }

    /// A block of standard normal numbers with n rows, zero beyond `columns`.
    #[doc(hidden)]
    pub fn normal(n: usize, columns: usize, stream: &mut Stream) -> Self {
        let mut block = Self::zeros(n);
        for lane in &mut block.0 {
            for value in &mut lane[..columns] {
                *value = stream.normal();
            }
        }
        block
    }

    /// A block whose entry (i, c) is `f(i, c)`.
    pub fn from_fn(n: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        Self((0..n).map(|i| std::array::from_fn(|c| f(i, c))).collect())
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no rows.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows.
    pub fn lanes(&self) -> &[Lane<f64>] {
        &self.0
    }

    /// The rows.
    pub fn lanes_mut(&mut self) -> &mut [Lane<f64>] {
        &mut self.0
    }

    /// `selfᵀ · other`.
    #[doc(hidden)]
    pub fn inner(&self, other: &Block) -> Small {
        assert_eq!(self.len(), other.len());
        let pieces: Vec<Small> = self
            .0
            .par_chunks(PIECE)
            .zip(other.0.par_chunks(PIECE))
            .map(|(a, b)| {
                let mut sum = [[0.0; WIDTH]; WIDTH];
                multiply_transposed(as_tile(a), b, &mut sum);
                sum
            })
            .collect();
        sum_in_order(&pieces)
    }

    /// `self += other · factor`.
    #[doc(hidden)]
    pub fn add_product(&mut self, other: &Block, factor: &Small) {
        assert_eq!(self.len(), other.len());
        self.0
            .par_chunks_mut(PIECE)
            .zip(other.0.par_chunks(PIECE))
            .for_each(|(out, a)| multiply(as_tile(a), factor, out));
    }

    /// Subtracts from each column its mean.
    #[doc(hidden)]
    pub fn centre(&mut self) {
        let sums: Vec<Lane<f64>> = self.0.par_chunks(PIECE).map(column_sums).collect();
        let mut mean = column_sums(&sums);
        mean.iter_mut().for_each(|m| *m /= self.0.len() as f64);
        self.0.par_chunks_mut(PIECE).for_each(|piece| {
            for lane in piece {
                for c in 0..WIDTH {
                    lane[c] -= mean[c];
                }
            }
        });
    }

    /// The length of each column.
    #[doc(hidden)]
    pub fn lengths(&self) -> Lane<f64> {
        let squares: Vec<Lane<f64>> = self.0.par_chunks(PIECE).map(column_squares).collect();
        column_sums(&squares).map(f64::sqrt)
    }

    /// The length of the longest column; NaN if a number is.
    #[doc(hidden)]
    pub fn largest_length(&self) -> f64 {
        self.lengths().iter().fold(0.0, |most, &l| if l > most || l.is_nan() { l } else { most })
    }

    /// Sets columns of at most this length to zero; the length of the longest of them.
    #[doc(hidden)]
    pub fn clear_short(&mut self, length: f64) -> f64 {
        let lengths = self.lengths();
        let short = lengths.map(|l| l > 0.0 && l <= length);
        if short.contains(&true) {
            let clear = |lane: &mut Lane<f64>| {
                lane.iter_mut()
                    .zip(&short)
                    .for_each(|(v, short)| *v = if *short { 0.0 } else { *v });
            };
            self.0.iter_mut().for_each(clear);
        }
        lengths
            .iter()
            .zip(&short)
            .fold(0.0, |most, (l, short)| if *short { most.max(*l) } else { most })
    }

    /// Replaces the columns by an orthonormal basis of their span and returns R with `old = new · R`. Directions whose
    /// part in the columns is lost in rounding are dropped: their new column is zero. The second number is the size of
    /// the largest dropped part.
    ///
    /// Two or three rounds of "divide by the root of the Gram matrix": each is one pass over the rows, where
    /// Gram–Schmidt would take a pass per column.
    #[doc(hidden)]
    pub fn orthonormalize(&mut self) -> Result<(Small, f64)> {
        let mut r = identity();
        let mut dropped: f64 = 0.0;
        for round in 0..3 {
            let gram = self.inner(self);
            if round > 0 && is_projection(&gram) {
                break;
            }
            let (divide, step, lost) = root(&gram)?;
            dropped = dropped.max(lost);
            let old = std::mem::replace(self, Block::zeros(self.len()));
            self.add_product(&old, &divide);
            r = product(&step, &r);
        }
        Ok((r, dropped))
    }
}

/// From G = WᵀW: the factor that makes W orthonormal, the R that undoes it, and the size of what was dropped.
fn root(gram: &Small) -> Result<(Small, Small, f64)> {
    // Columns are first brought to length 1, so that short ones are not mistaken for rounding errors of long ones.
    let length: Lane<f64> = std::array::from_fn(|c| gram[c][c].max(0.0).sqrt());
    let inverse = length.map(|l| if l > 0.0 { 1.0 / l } else { 0.0 });
    let scaled = Mat::from_fn(WIDTH, WIDTH, |i, j| gram[i][j] * inverse[i] * inverse[j]);
    let eigen = eigen::small(&scaled)?;
    let (mut divide, mut undo) = ([[0.0; WIDTH]; WIDTH], [[0.0; WIDTH]; WIDTH]);
    let mut dropped: f64 = 0.0;
    let longest = length.iter().fold(0.0_f64, |a, &b| a.max(b));
    // As many eigenvalues as columns are zero are zero, and nothing is lost with them.
    let columns = length.iter().filter(|l| **l > 0.0).count();
    for (c, &value) in eigen.values.iter().enumerate().take(columns) {
        if value <= 1e-13 * eigen.values[0] || value <= 0.0 {
            dropped = dropped.max(value.max(0.0).sqrt() * longest);
            continue;
        }
        for i in 0..WIDTH {
            divide[i][c] = inverse[i] * eigen.vectors[(c, i)] / value.sqrt();
            undo[c][i] = value.sqrt() * eigen.vectors[(c, i)] * length[i];
        }
    }
    Ok((divide, undo, dropped))
}

/// Whether a Gram matrix is the identity on its non-zero columns.
fn is_projection(gram: &Small) -> bool {
    (0..WIDTH).all(|i| {
        (0..WIDTH).all(|j| {
            let value = gram[i][j];
            if i == j { (value - 1.0).abs() < 1e-14 || value == 0.0 } else { value.abs() < 1e-14 }
        })
    })
}

/// a · b
pub fn product(a: &Small, b: &Small) -> Small {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..WIDTH).map(|k| a[i][k] * b[k][j]).sum()))
}

fn identity() -> Small {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))
}

fn as_tile(lanes: &[Lane<f64>]) -> TileRef<'_, f64> {
    TileRef { data: lanes.as_flattened(), rows: lanes.len(), cols: WIDTH, stride: WIDTH }
}

fn column_sums(lanes: &[Lane<f64>]) -> Lane<f64> {
    let mut sum = [0.0; WIDTH];
    for lane in lanes {
        for c in 0..WIDTH {
            sum[c] += lane[c];
        }
    }
    sum
}

fn column_squares(lanes: &[Lane<f64>]) -> Lane<f64> {
    let mut sum = [0.0; WIDTH];
    for lane in lanes {
        for c in 0..WIDTH {
            sum[c] += lane[c] * lane[c];
        }
    }
    sum
}

fn sum_in_order(pieces: &[Small]) -> Small {
    let mut sum = [[0.0; WIDTH]; WIDTH];
    for piece in pieces {
        for (row, part) in sum.iter_mut().zip(piece) {
            for c in 0..WIDTH {
                row[c] += part[c];
            }
        }
    }
    sum
}

/// `Σ_m blocks[m] · factors[m·WIDTH.., from..from+WIDTH]`: WIDTH columns of the product of a wide basis and a matrix.
pub fn combine(blocks: &[Block], factors: &Mat<f64>, from: usize) -> Block {
    let mut out = Block::zeros(blocks[0].len());
    let columns = WIDTH.min(factors.cols() - from);
    for (m, block) in blocks.iter().enumerate() {
        let mut part = [[0.0; WIDTH]; WIDTH];
        for (i, row) in part.iter_mut().enumerate() {
            row[..columns].copy_from_slice(&factors.row(m * WIDTH + i)[from..from + columns]);
        }
        out.add_product(block, &part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orthonormalize_gives_a_basis_and_its_factor() {
        for n in [16, 40, 700, 1500] {
            let w = Block::normal(n, WIDTH, &mut Stream::new(1, "test"));
            let mut q = w.clone();
            let (r, dropped) = q.orthonormalize().unwrap();
            assert!(dropped < 1e-6);
            let gram = q.inner(&q);
            let mut back = Block::zeros(n);
            back.add_product(&q, &r);
            for i in 0..WIDTH {
                for j in 0..WIDTH {
                    let want = if i == j { 1.0 } else { 0.0 };
                    assert!((gram[i][j] - want).abs() < 1e-13);
                }
            }
            let worst = w.lanes().as_flattened().iter().zip(back.lanes().as_flattened());
            assert!(worst.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-12);
        }
    }

    #[test]
    fn dependent_columns_become_zero() {
        let mut w = Block::normal(300, 5, &mut Stream::new(2, "test"));
        for lane in w.lanes_mut() {
            lane[5] = lane[0] - 3.0 * lane[1];
        }
        w.orthonormalize().unwrap();
        let gram = w.inner(&w);
        let rank: f64 = (0..WIDTH).map(|c| gram[c][c]).sum();
        assert!((rank - 5.0).abs() < 1e-12, "rank {rank}");
    }

    #[test]
    fn centring_removes_the_mean() {
        let mut w = Block::normal(1300, WIDTH, &mut Stream::new(3, "test"));
        w.centre();
        assert!(column_sums(w.lanes()).iter().all(|s| s.abs() < 1e-10));
    }
}
