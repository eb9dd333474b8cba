//! Columns of a symmetric matrix in single precision, for solvers that need some of them, some of the time.

use std::ops::Range;

use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::view::MatRef;
use crate::points::{Points, Span};
use crate::real::Real;

/// A symmetric matrix whose columns can be had in single precision.
pub trait Columns: Send + Sync {
    /// Rows, which is columns.
    fn size(&self) -> usize;

    /// The diagonal.
    fn diagonal(&self) -> Result<Vec<f64>>;

    /// Numbers that are read for one entry: 1 where entries are in memory.
    fn effort(&self) -> usize;

    /// The columns `which`, to be evaluated piece by piece.
    fn pick<'a>(&'a self, which: &[usize]) -> Box<dyn Picked + 'a>;

    /// The rows and columns `which`, which may repeat, as a matrix of their own.
    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns + 'a>;
}

/// Some columns of a matrix.
pub trait Picked: Send + Sync {
    /// Writes the rows `rows` of the picked columns `cols` (counted among the picked), row by row.
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Tile<'_, f32>) -> Result<()>;

    /// As `fill` for all picked columns, with rows from anywhere.
    fn fill_rows(&self, rows: &[usize], out: Tile<'_, f32>) -> Result<()>;
}

/// Columns computed from samples.
pub struct Evaluated<'k, P, T> {
    kernel: &'k dyn Kernel<P, T>,
    points: P,
}

impl<'k, P: Points, T: Real> Evaluated<'k, P, T> {
    /// The matrix of `kernel` on `points`, computed in `T` and rounded to single precision.
    pub fn new(kernel: &'k dyn Kernel<P, T>, points: P) -> Self {
        Self { kernel, points }
    }
}

impl<P: Points, T: Real> Columns for Evaluated<'_, P, T> {
    fn size(&self) -> usize {
        self.points.len()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let mut diagonal = vec![T::ZERO; self.size()];
        self.kernel.diag(Span::all(&self.points), &mut diagonal)?;
        Ok(diagonal.into_iter().map(T::f64).collect())
    }

    fn effort(&self) -> usize {
        self.points.width()
    }

    fn pick<'a>(&'a self, which: &[usize]) -> Box<dyn Picked + 'a> {
        Box::new(PickedPoints { source: self, points: self.points.select(which) })
    }

    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns + 'a> {
        Box::new(Evaluated { kernel: self.kernel, points: self.points.select(which) })
    }
}

struct PickedPoints<'a, P, T> {
    source: &'a Evaluated<'a, P, T>,
    points: P,
}

impl<P: Points, T: Real> PickedPoints<'_, P, T> {
    fn tile(&self, rows: Span<'_, P>, cols: Range<usize>, mut out: Tile<'_, f32>) -> Result<()> {
        let (height, width, stride) = (out.rows(), out.cols(), out.stride());
        let cols = Span::new(&self.points, cols);
        let kernel = self.source.kernel;
        if let Some(same) = T::same_single(out.data()) {
            return kernel.tile(rows, cols, Tile::new(same, height, width, stride));
        }
        let mut values = vec![T::ZERO; height * width];
        kernel.tile(rows, cols, Tile::new(&mut values, height, width, width))?;
        for (i, values) in values.chunks_exact(width).enumerate() {
            out.row(i).iter_mut().zip(values).for_each(|(to, from)| *to = from.single());
        }
        Ok(())
    }
}

impl<P: Points, T: Real> Picked for PickedPoints<'_, P, T> {
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Tile<'_, f32>) -> Result<()> {
        self.tile(Span::new(&self.source.points, rows), cols, out)
    }

    fn fill_rows(&self, rows: &[usize], out: Tile<'_, f32>) -> Result<()> {
        let (rows, cols) = (self.source.points.select(rows), 0..self.points.len());
        self.tile(Span::all(&rows), cols, out)
    }
}

/// Columns of a symmetric matrix in memory, of which some rows and columns may be meant.
pub struct Stored<'a, T> {
    matrix: MatRef<'a, T>,
    which: Option<Vec<usize>>,
}

impl<'a, T: Real> Stored<'a, T> {
    /// A square matrix, taken to be symmetric.
    pub fn new(matrix: MatRef<'a, T>) -> Self {
        assert_eq!(matrix.rows(), matrix.cols());
        Self { matrix, which: None }
    }

    fn place(&self, i: usize) -> usize {
        self.which.as_ref().map_or(i, |which| which[i])
    }

    /// Writes the columns `cols` of row `row`, both as places in the matrix.
    fn write(&self, row: usize, cols: &[usize], line: &mut [f32]) {
        match self.matrix.contiguous_row(row) {
            Some(values) => {
                let places = line.iter_mut().zip(cols);
                places.for_each(|(to, &col)| *to = values[col].single());
            }
            None => {
                let places = line.iter_mut().zip(cols);
                places.for_each(|(to, &col)| *to = self.matrix.at(row, col).single());
            }
        }
    }
}

impl<T: Real> Columns for Stored<'_, T> {
    fn size(&self) -> usize {
        self.which.as_ref().map_or(self.matrix.rows(), Vec::len)
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let entry = |i: usize| self.matrix.at(self.place(i), self.place(i)).f64();
        Ok((0..self.size()).map(entry).collect())
    }

    fn effort(&self) -> usize {
        1
    }

    fn pick<'a>(&'a self, which: &[usize]) -> Box<dyn Picked + 'a> {
        let which = which.iter().map(|&i| self.place(i)).collect();
        Box::new(PickedPlaces { source: self, which })
    }

    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns + 'a> {
        let which = which.iter().map(|&i| self.place(i)).collect();
        Box::new(Stored { matrix: self.matrix, which: Some(which) })
    }
}

struct PickedPlaces<'a, T> {
    source: &'a Stored<'a, T>,
    which: Vec<usize>,
}

impl<T: Real> Picked for PickedPlaces<'_, T> {
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Tile<'_, f32>) -> Result<()> {
        for (i, row) in rows.enumerate() {
            self.source.write(self.source.place(row), &self.which[cols.clone()], out.row(i));
        }
        Ok(())
    }

    fn fill_rows(&self, rows: &[usize], mut out: Tile<'_, f32>) -> Result<()> {
        for (i, &row) in rows.iter().enumerate() {
            self.source.write(self.source.place(row), &self.which, out.row(i));
        }
        Ok(())
    }
}
