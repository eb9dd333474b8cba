//! Rows of numbers as maps read them.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::linalg::view::MatRef;
use crate::points::Csr;
use crate::real::Real;

/// Rows of numbers, all of them stored or only those that are not zero.
#[derive(Clone, Copy)]
pub enum Rows<'a, T: Real> {
    /// n × d numbers.
    Dense(MatRef<'a, T>),
    /// n × d numbers that are mostly zero.
    Sparse(&'a Csr<T>),
}

impl<T: Real> Rows<'_, T> {
    /// Rows.
    pub fn n(&self) -> usize {
        match self {
            Rows::Dense(rows) => rows.rows(),
            Rows::Sparse(rows) => rows.n(),
        }
    }

    /// Numbers of a row.
    pub fn d(&self) -> usize {
        match self {
            Rows::Dense(rows) => rows.cols(),
            Rows::Sparse(rows) => rows.d(),
        }
    }

    /// Calls `work` with the column and value of each number of row `i` that is not zero.
    pub(super) fn for_each_nonzero(&self, i: usize, mut work: impl FnMut(usize, f64)) {
        match self {
            Rows::Dense(rows) => (0..rows.cols()).for_each(|j| {
                let value = rows.at(i, j).to_f64();
                if value != 0.0 {
                    work(j, value);
                }
            }),
            Rows::Sparse(rows) => {
                let (at, values) = rows.row(i);
                at.iter().zip(values).for_each(|(&j, value)| work(j as usize, value.to_f64()));
            }
        }
    }

    /// Writes row `i` to `x`, of d numbers.
    pub(super) fn read(&self, i: usize, x: &mut [f64]) {
        match self {
            Rows::Dense(rows) => (0..x.len()).for_each(|j| x[j] = rows.at(i, j).to_f64()),
            Rows::Sparse(_) => {
                x.fill(0.0);
                self.for_each_nonzero(i, |j, value| x[j] = value);
            }
        }
    }

    /// Refuses a number that is not finite; sparse rows were checked when they were made.
    pub(super) fn check_finite(&self, range: Range<usize>) -> Result<()> {
        let Rows::Dense(rows) = self else { return Ok(()) };
        for row in range {
            let finite = match rows.contiguous_row(row) {
                Some(line) => line.iter().fold(true, |all, v| all & v.is_finite()),
                None => (0..rows.cols()).all(|j| rows.at(row, j).is_finite()),
            };
            if !finite {
                let value = |column| rows.at(row, column).to_f64();
                let column = (0..rows.cols()).find(|&j| !value(j).is_finite()).unwrap_or(0);
                return Err(Error::NotFinite { row, column, value: value(column) });
            }
        }
        Ok(())
    }
}
