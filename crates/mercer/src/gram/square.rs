//! A user's own matrix as a Gram matrix. It is borrowed; its lower triangle counts.

use super::Gram;
use super::subset::{Entries, Subset};
use super::tiles::{Tiles, span};
use crate::error::{Error, Result};
use crate::linalg::skinny::TileRef;
use crate::linalg::view::MatRef;
use crate::real::Real;

/// A borrowed square matrix, taken to be symmetric.
pub struct Square<'a, T> {
    matrix: MatRef<'a, T>,
}

impl<'a, T: Real> Square<'a, T> {
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
        for row in 0..rows {
            for column in 0..cols {
                let value = matrix.at(row, column);
                if !value.is_finite() {
                    return Err(Error::NotFinite { row, column, value: value.f64() });
                }
            }
        }
        Ok(Self { matrix })
    }

    /// The largest |K_ij − K_ji| relative to the largest |K_ij|.
    pub fn asymmetry(&self) -> f64 {
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for i in 0..self.matrix.rows() {
            for j in 0..i {
                let (a, b) = (self.matrix.at(i, j).f64(), self.matrix.at(j, i).f64());
                worst = worst.max((a - b).abs());
                largest = largest.max(a.abs()).max(b.abs());
            }
        }
        if largest > 0.0 { worst / largest } else { 0.0 }
    }
}

impl<T: Real> Tiles for Square<'_, T> {
    type T = T;

    fn len(&self) -> usize {
        self.matrix.rows()
    }

    fn tile<'a>(&'a self, i: usize, j: usize, scratch: &'a mut Vec<T>) -> Result<TileRef<'a, T>> {
        let (rows, cols) = (span(i, self.len()), span(j, self.len()));
        scratch.clear();
        for row in rows.clone() {
            match self.matrix.contiguous_row(row) {
                Some(line) => scratch.extend_from_slice(&line[cols.clone()]),
                None => scratch.extend(cols.clone().map(|col| self.matrix.at(row, col))),
            }
        }
        Ok(TileRef { data: scratch, rows: rows.len(), cols: cols.len(), stride: cols.len() })
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Subset::new(self, which))
    }
}

impl<T: Real> Entries for Square<'_, T> {
    type T = T;

    fn entry(&self, row: usize, col: usize) -> T {
        self.matrix.at(row.max(col), row.min(col))
    }
}
