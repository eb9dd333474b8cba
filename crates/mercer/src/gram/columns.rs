//! Columns of a symmetric matrix, for solvers that need some of them, some of the time.
//!
//! Numbers may be taken off first: entry (i, j) is then K_ij − u_i − u_j. Where all entries are large and alike, what is left is as
//! large as their differences, and rounding to single precision takes no more than its share of those.

use std::ops::Range;
use std::sync::Arc;

use super::patches::Reach;
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::view::MatRef;
use crate::points::{Cost, Points, Span};
use crate::real::{NumbersMut, Real};

/// A symmetric matrix whose columns can be read, in numbers of type `S`.
pub trait Columns<S: Real>: Send + Sync {
    /// Rows, which is columns.
    fn size(&self) -> usize;

    /// The diagonal.
    fn diagonal(&self) -> Result<Vec<f64>>;

    /// What it takes to compute an entry, and to copy what entries of a row are computed from.
    fn cost(&self) -> Cost;

    /// The columns `which`, to be evaluated piece by piece.
    fn column_block<'a>(&'a self, which: &[usize]) -> Box<dyn ColumnBlock<S> + 'a>;

    /// The rows and columns `which`, which may repeat, as a matrix of their own.
    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns<S> + 'a>;

    /// Between which samples entries are more than nothing; none where they may be between any.
    fn reach(&self) -> Option<&Reach> {
        None
    }
}

/// A block of columns of a matrix.
pub trait ColumnBlock<S: Real>: Send + Sync {
    /// Writes the rows `rows` of the columns `cols` of the block (counted within it), row by row.
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Tile<'_, S>) -> Result<()>;

    /// As `fill` for all columns of the block, with rows from anywhere.
    fn fill_rows(&self, rows: &[usize], out: Tile<'_, S>) -> Result<()>;
}

/// What is subtracted from each row and column; nothing where it is empty.
#[derive(Clone, Debug, Default)]
struct Shift(Vec<f64>);

impl Shift {
    fn new(u: &[f64]) -> Self {
        Self(u.to_vec())
    }

    /// That of the places `which`.
    fn select(&self, which: &[usize]) -> Self {
        Self(if self.0.is_empty() {
            Vec::new()
        } else {
            which.iter().map(|&i| self.0[i]).collect()
        })
    }

    fn at(&self, i: usize) -> f64 {
        self.0.get(i).copied().unwrap_or(0.0)
    }
}

/// Columns computed from samples.
pub struct Evaluated<'k, P, T> {
    kernel: &'k dyn Kernel<P, T>,
    points: P,
    shift: Shift,
    reach: Option<Reach>,
}

impl<'k, P: Points, T: Real> Evaluated<'k, P, T> {
    /// The matrix of `kernel` on `points`, computed in `T`.
    pub fn new(kernel: &'k dyn Kernel<P, T>, points: P) -> Self {
        Self { kernel, points, shift: Shift::default(), reach: None }
    }

    /// The same matrix less u_i and u_j at (i, j); `u` has a number per sample, or none.
    pub fn less(self, u: &[f64]) -> Self {
        assert!(u.is_empty() || u.len() == self.points.len());
        Self { shift: Shift::new(u), ..self }
    }

    /// The same matrix, of which it is known how far its samples reach; nothing may have been taken off.
    pub fn within(self, reach: Option<Reach>) -> Self {
        assert!(reach.is_none() || self.shift.0.is_empty());
        Self { reach, ..self }
    }
}

/// A slice of `S` as one of `T`, if they are the same.
fn same<S: Real, T: Real>(slice: &mut [S]) -> Option<&mut [T]> {
    match S::numbers_mut(slice) {
        NumbersMut::F32(slice) => T::same_single(slice),
        NumbersMut::F64(slice) => T::same_mut(slice),
    }
}

impl<P: Points, T: Real, S: Real> Columns<S> for Evaluated<'_, P, T> {
    fn size(&self) -> usize {
        self.points.len()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let mut diagonal = vec![T::ZERO; self.points.len()];
        self.kernel.diag(Span::all(&self.points), &mut diagonal)?;
        let less = |(i, v): (usize, T)| v.to_f64() - 2.0 * self.shift.at(i);
        Ok(diagonal.into_iter().enumerate().map(less).collect())
    }

    fn cost(&self) -> Cost {
        self.points.cost()
    }

    fn column_block<'a>(&'a self, which: &[usize]) -> Box<dyn ColumnBlock<S> + 'a> {
        let shift = self.shift.select(which);
        Box::new(EvaluatedBlock { source: self, points: self.points.select(which), shift })
    }

    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns<S> + 'a> {
        let shift = self.shift.select(which);
        let reach = self.reach.as_ref().map(|reach| reach.select(which));
        Box::new(Evaluated { kernel: self.kernel, points: self.points.select(which), shift, reach })
    }

    fn reach(&self) -> Option<&Reach> {
        self.reach.as_ref()
    }
}

struct EvaluatedBlock<'a, P, T> {
    source: &'a Evaluated<'a, P, T>,
    points: P,
    shift: Shift,
}

impl<P: Points, T: Real> EvaluatedBlock<'_, P, T> {
    /// Writes a tile; `less` is what is subtracted from each of its rows.
    fn tile<S: Real>(
        &self,
        rows: Span<'_, P>,
        cols: Range<usize>,
        less: impl Fn(usize) -> f64,
        mut out: Tile<'_, S>,
    ) -> Result<()> {
        let (height, width, stride) = (out.rows(), out.cols(), out.stride());
        let span = Span::new(&self.points, cols.clone());
        let kernel = self.source.kernel;
        let shift = self.shift.0.get(cols).unwrap_or_default();
        if shift.is_empty()
            && let Some(same) = same::<S, T>(out.data())
        {
            return kernel.tile(rows, span, Tile::new(same, height, width, stride));
        }
        let mut values = vec![T::ZERO; height * width];
        kernel.tile(rows, span, Tile::new(&mut values, height, width, width))?;
        for (i, values) in values.chunks_exact(width).enumerate() {
            let places = out.row(i).iter_mut().zip(values);
            match shift.is_empty() {
                true => places.for_each(|(to, from)| *to = S::from_f64(from.to_f64())),
                false => {
                    let own = less(i);
                    let places = places.zip(shift);
                    places.for_each(|((to, from), u)| *to = S::from_f64(from.to_f64() - (own + u)));
                }
            }
        }
        Ok(())
    }
}

impl<P: Points, T: Real, S: Real> ColumnBlock<S> for EvaluatedBlock<'_, P, T> {
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Tile<'_, S>) -> Result<()> {
        let start = rows.start;
        let less = |i: usize| self.source.shift.at(start + i);
        self.tile(Span::new(&self.source.points, rows), cols, less, out)
    }

    fn fill_rows(&self, rows: &[usize], out: Tile<'_, S>) -> Result<()> {
        let (points, cols) = (self.source.points.select(rows), 0..self.points.len());
        self.tile(Span::all(&points), cols, |i| self.source.shift.at(rows[i]), out)
    }
}

/// Columns of a symmetric matrix in memory, of which some rows and columns may be meant.
pub struct Stored<'a, T> {
    matrix: MatRef<'a, T>,
    shift: Arc<Shift>, // by row of the matrix
    which: Option<Vec<usize>>,
}

impl<'a, T: Real> Stored<'a, T> {
    /// A square matrix, taken to be symmetric.
    pub fn new(matrix: MatRef<'a, T>) -> Self {
        assert_eq!(matrix.rows(), matrix.cols());
        Self { matrix, shift: Arc::default(), which: None }
    }

    /// The same matrix less u_i and u_j at (i, j); `u` has a number per row, or none.
    pub fn less(self, u: &[f64]) -> Self {
        assert!(u.is_empty() || u.len() == self.matrix.rows());
        Self { shift: Arc::new(Shift::new(u)), ..self }
    }

    /// The rows and columns `which`, as a matrix of their own.
    pub fn into_part<S: Real>(self, which: &[usize]) -> Box<dyn Columns<S> + 'a> {
        let which = which.iter().map(|&i| self.place(i)).collect();
        Box::new(Stored { which: Some(which), ..self })
    }

    fn place(&self, i: usize) -> usize {
        self.which.as_ref().map_or(i, |which| which[i])
    }

    /// Writes the columns `cols` of row `row`, both as places in the matrix.
    fn write<S: Real>(&self, row: usize, cols: &[usize], line: &mut [S]) {
        let places = line.iter_mut().zip(cols);
        match (self.shift.0.is_empty(), self.matrix.contiguous_row(row)) {
            (true, Some(values)) => {
                places.for_each(|(to, &col)| *to = S::from_f64(values[col].to_f64()))
            }
            _ => places.for_each(|(to, &col)| *to = S::from_f64(self.entry(row, col))),
        }
    }

    fn entry(&self, row: usize, col: usize) -> f64 {
        self.matrix.at(row, col).to_f64() - (self.shift.at(row) + self.shift.at(col))
    }
}

impl<T: Real, S: Real> Columns<S> for Stored<'_, T> {
    fn size(&self) -> usize {
        self.which.as_ref().map_or(self.matrix.rows(), Vec::len)
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let entry = |i: usize| self.entry(self.place(i), self.place(i));
        Ok((0..Columns::<S>::size(self)).map(entry).collect())
    }

    fn cost(&self) -> Cost {
        Cost::STORED
    }

    fn column_block<'a>(&'a self, which: &[usize]) -> Box<dyn ColumnBlock<S> + 'a> {
        let which = which.iter().map(|&i| self.place(i)).collect();
        Box::new(StoredBlock { source: self, which })
    }

    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns<S> + 'a> {
        let which = which.iter().map(|&i| self.place(i)).collect();
        Box::new(Stored { matrix: self.matrix, shift: self.shift.clone(), which: Some(which) })
    }
}

struct StoredBlock<'a, T> {
    source: &'a Stored<'a, T>,
    which: Vec<usize>,
}

impl<T: Real, S: Real> ColumnBlock<S> for StoredBlock<'_, T> {
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Tile<'_, S>) -> Result<()> {
        for (i, row) in rows.enumerate() {
            self.source.write(self.source.place(row), &self.which[cols.clone()], out.row(i));
        }
        Ok(())
    }

    fn fill_rows(&self, rows: &[usize], mut out: Tile<'_, S>) -> Result<()> {
        for (i, &row) in rows.iter().enumerate() {
            self.source.write(self.source.place(row), &self.which, out.row(i));
        }
        Ok(())
    }
}
