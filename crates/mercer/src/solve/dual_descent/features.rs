//! The rows of features that a problem is solved with: held in memory, or computed anew when they are needed.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::Result;
use crate::linalg::rows::{add_scaled, dot};
use crate::linalg::view::Mat;

/// Rows whose products are one piece of work. Sums run over pieces in their order, so that the number of threads changes no result.
pub(super) const PIECE: usize = 512;

/// The rows φ of n samples with m features each.
pub trait FeatureRows: Sync {
    /// Features.
    fn m(&self) -> usize;

    /// How many rows can be chosen at a time.
    fn most(&self) -> usize;

    /// ‖φ‖² of each sample.
    fn squares(&self) -> &[f64];

    /// φᵀw for each of `rows`.
    fn products(&self, ctx: &Context, rows: &[usize], w: &[f64], out: &mut [f64]) -> Result<()>;

    /// Σ β φ over (row, β).
    fn sum(&self, ctx: &Context, beta: &[(usize, f64)]) -> Result<Vec<f64>>;

    /// Some rows that are visited again and again.
    fn chosen(&self, ctx: &Context, rows: &[usize]) -> Result<Chosen<'_>>;
}

/// Some rows.
pub enum Chosen<'a> {
    /// Rows of a matrix, with their places in it.
    Stored(&'a Mat<f32>, Vec<usize>),
    /// Rows that were computed.
    Copied(Mat<f32>),
}

impl Chosen<'_> {
    /// The row at a place.
    pub fn row(&self, place: usize) -> &[f32] {
        match self {
            Chosen::Stored(rows, places) => rows.row(places[place]),
            Chosen::Copied(rows) => rows.row(place),
        }
    }

    /// φᵀw for each of `places`.
    pub fn products(&self, ctx: &Context, places: &[usize], w: &[f64], out: &mut [f64]) {
        ctx.install(|| {
            out.par_chunks_mut(PIECE).zip(places.par_chunks(PIECE)).for_each(|(out, places)| {
                out.iter_mut().zip(places).for_each(|(out, &place)| dot(self.row(place), w, out));
            });
        });
    }

    /// Σ β φ over (place, β).
    pub fn sum(&self, ctx: &Context, beta: &[(usize, f64)], m: usize) -> Vec<f64> {
        let mut sum = vec![0.0; m];
        ctx.install(|| add_pieces(|i| self.row(beta[i].0), beta, &mut sum));
        sum
    }
}

/// `sum += Σ β φ` over (·, β), where `row(i)` is the φ of the i-th.
pub(super) fn add_pieces<'a>(
    row: impl Fn(usize) -> &'a [f32] + Sync,
    beta: &[(usize, f64)],
    sum: &mut [f64],
) {
    let m = sum.len();
    let part = |(piece, beta): (usize, &[(usize, f64)])| {
        let mut sum = vec![0.0; m];
        let each = beta.iter().enumerate();
        each.for_each(|(i, &(_, by))| add_scaled(row(piece * PIECE + i), by, &mut sum));
        sum
    };
    let parts: Vec<Vec<f64>> = beta.par_chunks(PIECE).enumerate().map(part).collect();
    parts.iter().for_each(|part| sum.iter_mut().zip(part).for_each(|(sum, v)| *sum += v));
}

/// Rows in memory.
pub struct StoredRows {
    rows: Mat<f32>,
    squares: Vec<f64>,
}

impl StoredRows {
    /// These rows (n × m).
    pub fn new(rows: Mat<f32>) -> Self {
        let square = |row: &[f32]| row.iter().map(|v| f64::from(*v).powi(2)).sum();
        let squares = (0..rows.rows()).map(|i| square(rows.row(i))).collect();
        Self { rows, squares }
    }
}

impl FeatureRows for StoredRows {
    fn m(&self) -> usize {
        self.rows.cols()
    }

    fn most(&self) -> usize {
        usize::MAX
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn products(&self, ctx: &Context, rows: &[usize], w: &[f64], out: &mut [f64]) -> Result<()> {
        ctx.poll()?;
        ctx.install(|| {
            out.par_chunks_mut(PIECE).zip(rows.par_chunks(PIECE)).for_each(|(out, rows)| {
                let each = out.iter_mut().zip(rows);
                each.for_each(|(out, &row)| dot(self.rows.row(row), w, out));
            });
        });
        Ok(())
    }

    fn sum(&self, ctx: &Context, beta: &[(usize, f64)]) -> Result<Vec<f64>> {
        ctx.poll()?;
        let (rows, places) = (&self.rows, (0..beta.len()).map(|i| beta[i].0).collect());
        let local: Vec<(usize, f64)> = beta.iter().enumerate().map(|(i, b)| (i, b.1)).collect();
        Ok(Chosen::Stored(rows, places).sum(ctx, &local, self.m()))
    }

    fn chosen(&self, _: &Context, rows: &[usize]) -> Result<Chosen<'_>> {
        Ok(Chosen::Stored(&self.rows, rows.to_vec()))
    }
}
