//! A precomputed matrix as a Gram matrix. It is borrowed, and its lower triangle is what is read.

use std::ops::Range;

use rayon::prelude::*;

use super::Gram;
use super::lines::{Lines, StoredLines};
use super::subset::{Entries, Subset};
use super::tiles::{Tiles, span};
use crate::error::{Error, Result};
use crate::linalg::skinny::TileRef;
use crate::linalg::view::MatRef;
use crate::real::Real;

/// A borrowed square matrix, taken to be symmetric.
pub struct Precomputed<'a, T> {
    matrix: MatRef<'a, T>,
    symmetric: bool,
    /// k(c, x_j) for a sample c that the entries are seen from, and k(c, c).
    from: Option<(Vec<T>, T)>,
}

impl<'a, T: Real> Precomputed<'a, T> {
    /// Checks that the matrix is square, not empty and finite.
    pub fn new(matrix: MatRef<'a, T>) -> Result<Self> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if rows != cols {
            return Err(Error::Shape(format!(
                "a precomputed kernel matrix must be square, but this one is {rows} × {cols}"
            )));
        }
        if rows == 0 {
            return Err(Error::Shape("a precomputed kernel matrix needs at least one row".into()));
        }
        let wrong = (0..rows).into_par_iter().find_map_first(|row| not_finite(matrix, row));
        if let Some((row, column, value)) = wrong {
            return Err(Error::NotFinite { row, column, value });
        }
        Ok(Self { matrix, symmetric: false, from: None })
    }

    /// The same matrix, known to be symmetric but for rounding: lines are then read as they lie in memory, above the diagonal
    /// too.
    #[doc(hidden)]
    pub fn symmetric(self) -> Self {
        Self { symmetric: true, ..self }
    }

    /// The same matrix seen from sample c: K_ij − K_ic − K_cj + K_cc. Centred, both are the same.
    #[doc(hidden)]
    pub fn seen_from(mut self, c: usize) -> Self {
        let row: Vec<T> = (0..self.size()).map(|j| self.given(c, j)).collect();
        let corner = row[c];
        self.from = Some((row, corner));
        self
    }

    /// The entry as it was given, by the lower triangle.
    #[doc(hidden)]
    pub fn given(&self, row: usize, col: usize) -> T {
        self.matrix.at(row.max(col), row.min(col))
    }

    /// What values at row `row` becomes, for the columns from `start` on.
    fn see(&self, row: usize, start: usize, values: &mut [T]) {
        if let Some((from, corner)) = &self.from {
            let each = values.iter_mut().zip(&from[start..]);
            each.for_each(|(v, &to)| *v = (*v - from[row]) - (to - *corner));
        }
    }

    /// The largest |K_ij − K_ji| relative to the largest |K_ij|.
    #[doc(hidden)]
    pub fn asymmetry(&self) -> f64 {
        let blocks = self.matrix.rows().div_ceil(BLOCK);
        let larger = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
        let (worst, largest) = (0..blocks)
            .into_par_iter()
            .flat_map_iter(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| self.asymmetry_in(i, j))
            .reduce(|| (0.0, 0.0), larger);
        if largest > 0.0 { worst / largest } else { 0.0 }
    }

    /// The largest |K_ij − K_ji| and the largest |K_ij|, in one block and its mirror image, so that both stay
    /// in the nearest cache.
    fn asymmetry_in(&self, i: usize, j: usize) -> (f64, f64) {
        let (n, mut worst, mut largest) = (self.matrix.rows(), T::ZERO, T::ZERO);
        let mirror = self.matrix.transposed();
        for row in i * BLOCK..((i + 1) * BLOCK).min(n) {
            for col in j * BLOCK..((j + 1) * BLOCK).min(row + 1) {
                let (a, b) = (self.matrix.at(row, col), mirror.at(row, col));
                let apart = (a - b).abs();
                let size = if a.abs() > b.abs() { a.abs() } else { b.abs() };
                worst = if apart > worst { apart } else { worst };
                largest = if size > largest { size } else { largest };
            }
        }
        (worst.to_f64(), largest.to_f64())
    }
}

/// Rows and columns that are compared with their mirror image at a time.
const BLOCK: usize = 64;

/// The first number of a row that is not finite, with its place.
fn not_finite<T: Real>(matrix: MatRef<'_, T>, row: usize) -> Option<(usize, usize, f64)> {
    let column = match matrix.contiguous_row(row) {
        Some(line) => line.iter().position(|v| !v.is_finite()),
        None => (0..matrix.cols()).position(|column| !matrix.at(row, column).is_finite()),
    }?;
    Some((row, column, matrix.at(row, column).to_f64()))
}

impl<T: Real> Tiles for Precomputed<'_, T> {
    type T = T;

    fn size(&self) -> usize {
        self.matrix.rows()
    }

    fn tile<'a>(&'a self, i: usize, j: usize, scratch: &'a mut Vec<T>) -> Result<TileRef<'a, T>> {
        let (rows, cols) = (span(i, self.size()), span(j, self.size()));
        scratch.clear();
        for row in rows.clone() {
            match self.matrix.contiguous_row(row) {
                Some(line) => scratch.extend_from_slice(&line[cols.clone()]),
                None => scratch.extend(cols.clone().map(|col| self.matrix.at(row, col))),
            }
            let start = scratch.len() - cols.len();
            self.see(row, cols.start, &mut scratch[start..]);
        }
        Ok(TileRef { data: scratch, rows: rows.len(), cols: cols.len(), stride: cols.len() })
    }

    fn lines<'a>(&'a self, which: &[usize]) -> Box<dyn Lines<T> + 'a> {
        Box::new(StoredLines::new(which, |line, cols: Range<usize>, out: &mut [T]| {
            let from_row = if self.symmetric { self.matrix.contiguous_row(line) } else { None };
            match from_row {
                Some(row) => out.copy_from_slice(&row[cols.clone()]),
                None => {
                    let each = out.iter_mut().zip(cols.clone());
                    each.for_each(|(to, col)| *to = self.given(line, col));
                }
            }
            self.see(line, cols.start, out);
        }))
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Subset::new(self, which))
    }
}

impl<T: Real> Entries for Precomputed<'_, T> {
    type T = T;

    fn entry(&self, row: usize, col: usize) -> T {
        let mut value = [self.given(row, col)];
        self.see(row, col, &mut value);
        value[0]
    }
}
