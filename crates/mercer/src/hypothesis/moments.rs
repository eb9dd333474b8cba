//! Mean and variance of tr(A P B Pᵀ) over all permutations P, for centred symmetric A and B, and what they are computed from.
//!
//! Kazi-Aoual, Hitier, Sabatier and Lebreton (1995), Refined approximations to permutation tests for multivariate inference.

use rayon::prelude::*;

use crate::context::{Context, SharedProgress, try_pieces};
use crate::error::Result;
use crate::gram::Gram;
use crate::linalg::view::Mat;

/// Sums over the entries of a centred symmetric matrix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CentredSums {
    /// Σ A_ii.
    pub trace: f64,
    /// Σ A_ij².
    pub squares: f64,
    /// Σ A_ii².
    pub diagonal_squares: f64,
}

impl CentredSums {
    /// Those of w wᵀ, where w sums to 0.
    pub fn of_vector(w: impl Iterator<Item = f64> + Clone) -> Self {
        let trace: f64 = w.clone().map(|v| v * v).sum();
        let diagonal_squares = w.map(|v| v.powi(4)).sum();
        Self { trace, squares: trace * trace, diagonal_squares }
    }
}

/// Mean and variance over all permutations of n samples.
pub(super) fn of_permutations(n: usize, a: &CentredSums, b: &CentredSums) -> (f64, f64) {
    let n = n as f64;
    let mean = a.trace * b.trace / (n - 1.0);
    let spread = |s: &CentredSums| (n - 1.0) * s.squares - s.trace * s.trace;
    let peaked = |s: &CentredSums| {
        n * (n + 1.0) * s.diagonal_squares - (n - 1.0) * (s.trace * s.trace + 2.0 * s.squares)
    };
    let first = 2.0 * spread(a) * spread(b) / ((n - 1.0).powi(2) * (n + 1.0) * (n - 2.0));
    let below = (n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0);
    (mean, (first + peaked(a) * peaked(b) / below).max(0.0))
}

/// The sums of one centred matrix, or of two with Σ A_ij B_ij: columns of all of them are had side by side, some at a time, and nothing is stored.
pub(super) fn centred(ctx: &Context, grams: &[&dyn Gram]) -> Result<(Vec<CentredSums>, f64)> {
    let means = grams.iter().map(|gram| Means::of(ctx, *gram)).collect::<Result<Vec<_>>>()?;
    let n = grams[0].n();
    let progress = SharedProgress::new("moments", n.div_ceil(COLUMNS));
    let (mut sums, mut product) = (vec![CentredSums::default(); grams.len()], 0.0);
    for from in (0..n).step_by(COLUMNS) {
        let which: Vec<usize> = (from..(from + COLUMNS).min(n)).collect();
        let hint = "use fewer rows or raise the memory budget";
        let bytes = 8 * (n * which.len() * grams.len()) as u64;
        let _reservation = ctx.reserve("columns of the kernel matrix", bytes, hint)?;
        let mut blocks = Vec::with_capacity(grams.len());
        for (gram, means) in grams.iter().zip(&means) {
            blocks.push(means.centre(ctx, gram.columns(ctx, &which)?, from)?);
        }
        for (sums, block) in sums.iter_mut().zip(&blocks) {
            let diagonal = which.iter().map(|&j| block[(j, j - from)]);
            sums.trace += diagonal.clone().sum::<f64>();
            sums.diagonal_squares += diagonal.map(|v| v * v).sum::<f64>();
            sums.squares += products(ctx, block, block);
        }
        if let [a, b] = &blocks[..] {
            product += products(ctx, a, b);
        }
        progress.add(ctx, 1)?;
    }
    Ok((sums, product))
}

/// Columns that are had at a time.
const COLUMNS: usize = 64;
/// Rows whose products are added up by one task.
const ROWS: usize = 1024;

/// Σ A_ij B_ij, pieces of rows in their order.
fn products(ctx: &Context, a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let size = ROWS * a.cols();
    let part = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let pieces = || a.data().par_chunks(size).zip(b.data().par_chunks(size)).map(part);
    ctx.install(|| pieces().collect::<Vec<f64>>()).into_iter().sum()
}

/// The means of the columns of a matrix, and of all of it.
pub(super) struct Means {
    columns: Vec<f64>,
    all: f64,
}

impl Means {
    pub fn of(ctx: &Context, gram: &dyn Gram) -> Result<Self> {
        let n = gram.n();
        let sums = gram.times(ctx, &Mat::from_fn(n, 1, |_, _| 1.0))?;
        let columns: Vec<f64> = sums.data().iter().map(|sum| sum / n as f64).collect();
        let all = columns.iter().sum::<f64>() / n as f64;
        Ok(Self { columns, all })
    }

    /// Those of a symmetric matrix that is held.
    pub fn of_matrix(ctx: &Context, matrix: &Mat<f64>) -> Self {
        let n = matrix.rows();
        let mean = |i: usize| matrix.row(i).iter().sum::<f64>() / n as f64;
        let columns: Vec<f64> = ctx.install(|| (0..n).into_par_iter().map(mean).collect());
        let all = columns.iter().sum::<f64>() / n as f64;
        Self { columns, all }
    }

    /// The columns of the centred matrix, given those from `from` on.
    pub fn centre(&self, ctx: &Context, mut block: Mat<f64>, from: usize) -> Result<Mat<f64>> {
        let width = block.cols();
        ctx.install(|| {
            try_pieces(block.data_mut(), ROWS * width, &|piece, rows| {
                ctx.poll()?;
                for (i, row) in rows.chunks_exact_mut(width).enumerate() {
                    let shift = self.columns[piece * ROWS + i] - self.all;
                    let pairs = row.iter_mut().zip(&self.columns[from..]);
                    pairs.for_each(|(value, mean)| *value -= shift + mean);
                }
                Ok(())
            })
        })?;
        Ok(block)
    }
}
