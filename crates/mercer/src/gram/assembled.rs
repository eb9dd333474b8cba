//! The matrix of two groups of samples, put together from parts of which some serve other pairs of groups too.

use std::ops::Range;

use super::columns::{ColumnBlock, Columns};
use crate::error::Result;
use crate::kernel::Tile;
use crate::linalg::view::Mat;
use crate::points::Cost;
use crate::real::Real;

/// Two groups of samples, the first before the second.
pub struct Assembled<'a, S> {
    first: &'a Mat<S>,
    second: &'a Mat<S>,
    across: Mat<S>, // first × second
}

impl<'a, S: Real> Assembled<'a, S> {
    /// From the square matrices of both groups and the one between them.
    pub fn new(first: &'a Mat<S>, second: &'a Mat<S>, across: Mat<S>) -> Self {
        assert!(across.rows() == first.rows() && across.cols() == second.rows());
        Self { first, second, across }
    }

    /// Writes row `row`, whole.
    fn write(&self, row: usize, line: &mut [S]) {
        let n = self.first.rows();
        let (head, tail) = line.split_at_mut(n);
        match row < n {
            true => {
                head.copy_from_slice(self.first.row(row));
                tail.copy_from_slice(self.across.row(row));
            }
            false => {
                let across = self.across.data().iter().skip(row - n).step_by(self.across.cols());
                head.iter_mut().zip(across).for_each(|(to, from)| *to = *from);
                tail.copy_from_slice(self.second.row(row - n));
            }
        }
    }

    fn entry(&self, a: usize, b: usize) -> S {
        let n = self.first.rows();
        match (a < n, b < n) {
            (true, true) => self.first[(a, b)],
            (false, false) => self.second[(a - n, b - n)],
            (true, false) => self.across[(a, b - n)],
            (false, true) => self.across[(b, a - n)],
        }
    }
}

impl<S: Real> Columns<S> for Assembled<'_, S> {
    fn size(&self) -> usize {
        self.first.rows() + self.second.rows()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok((0..self.size()).map(|i| self.entry(i, i).to_f64()).collect())
    }

    fn cost(&self) -> Cost {
        Cost::STORED
    }

    fn column_block<'a>(&'a self, which: &[usize]) -> Box<dyn ColumnBlock<S> + 'a> {
        Box::new(AssembledBlock { source: self, which: which.to_vec() })
    }

    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns<S> + 'a> {
        Box::new(Part { source: self, which: which.to_vec() })
    }
}

struct AssembledBlock<'a, S> {
    source: &'a Assembled<'a, S>,
    which: Vec<usize>,
}

impl<S: Real> ColumnBlock<S> for AssembledBlock<'_, S> {
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Tile<'_, S>) -> Result<()> {
        for (i, row) in rows.enumerate() {
            let line = out.row(i).iter_mut().zip(&self.which[cols.clone()]);
            line.for_each(|(to, &col)| *to = self.source.entry(row, col));
        }
        Ok(())
    }

    fn fill_rows(&self, rows: &[usize], mut out: Tile<'_, S>) -> Result<()> {
        let n = self.source.size();
        // Columns in order, as where a whole problem is worked on at once; what follows is padding.
        let in_order = self.which.len() >= n && self.which[..n].iter().copied().eq(0..n);
        for (i, &row) in rows.iter().enumerate() {
            let line = out.row(i);
            if in_order {
                self.source.write(row, &mut line[..n]);
            }
            let rest = if in_order { n } else { 0 };
            let places = line[rest..].iter_mut().zip(&self.which[rest..]);
            places.for_each(|(to, &col)| *to = self.source.entry(row, col));
        }
        Ok(())
    }
}

/// Some rows and columns.
struct Part<'a, S> {
    source: &'a Assembled<'a, S>,
    which: Vec<usize>,
}

impl<S> Part<'_, S> {
    fn places(&self, of: &[usize]) -> Vec<usize> {
        of.iter().map(|&i| self.which[i]).collect()
    }
}

impl<S: Real> Columns<S> for Part<'_, S> {
    fn size(&self) -> usize {
        self.which.len()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let entry = |&i: &usize| self.source.entry(i, i).to_f64();
        Ok(self.which.iter().map(entry).collect())
    }

    fn cost(&self) -> Cost {
        Cost::STORED
    }

    fn column_block<'a>(&'a self, which: &[usize]) -> Box<dyn ColumnBlock<S> + 'a> {
        Box::new(PartBlock { part: self, which: self.places(which) })
    }

    fn restrict<'a>(&'a self, which: &[usize]) -> Box<dyn Columns<S> + 'a> {
        self.source.restrict(&self.places(which))
    }
}

struct PartBlock<'a, S> {
    part: &'a Part<'a, S>,
    which: Vec<usize>,
}

impl<S: Real> ColumnBlock<S> for PartBlock<'_, S> {
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Tile<'_, S>) -> Result<()> {
        for (i, &row) in self.part.which[rows].iter().enumerate() {
            let line = out.row(i).iter_mut().zip(&self.which[cols.clone()]);
            line.for_each(|(to, &col)| *to = self.part.source.entry(row, col));
        }
        Ok(())
    }

    fn fill_rows(&self, rows: &[usize], out: Tile<'_, S>) -> Result<()> {
        let block = AssembledBlock { source: self.part.source, which: self.which.clone() };
        block.fill_rows(&self.part.places(rows), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{Evaluated, Stored};
    use crate::kernel::SpecKernel;
    use crate::points::Dense;

    fn check(columns: &dyn Columns<f32>, matrix: &Mat<f32>) {
        let n = matrix.rows();
        assert_eq!(columns.size(), n);
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        let diagonal = columns.diagonal().unwrap();
        assert!((0..n).all(|i| near(diagonal[i] as f32, matrix[(i, i)])));
        let which = [n - 1, 0, 2, 2];
        let block = columns.column_block(&which);
        let mut tile = vec![0.0; 3 * 2];
        block.fill(1..4, 1..3, Tile::new(&mut tile, 3, 2, 2)).unwrap();
        for (i, row) in (1..4).enumerate() {
            for (j, &col) in which[1..3].iter().enumerate() {
                assert!(near(tile[i * 2 + j], matrix[(row, col)]), "{row} {col}");
            }
        }
        let rows = [3, n - 1];
        let mut tile = vec![0.0; 2 * 4];
        block.fill_rows(&rows, Tile::new(&mut tile, 2, 4, 4)).unwrap();
        for (i, &row) in rows.iter().enumerate() {
            for (j, &col) in which.iter().enumerate() {
                assert!(near(tile[i * 4 + j], matrix[(row, col)]), "{row} {col}");
            }
        }
        let all: Vec<usize> = (0..n).chain([0, 0]).collect();
        let mut tile = vec![0.0; n * (n + 2)];
        columns
            .column_block(&all)
            .fill_rows(&all[..n], Tile::new(&mut tile, n, n + 2, n + 2))
            .unwrap();
        assert!((0..n).all(|i| (0..n).all(|j| near(tile[i * (n + 2) + j], matrix[(i, j)]))));
    }

    #[test]
    fn all_ways_to_columns_agree() {
        let n = 9;
        let rows: Vec<f64> = (0..n * 3).map(|i| (i as f64 * 0.7).sin()).collect();
        let x = Dense::from_vec(rows, n, 3).unwrap();
        let kernel = SpecKernel::<f64>::new(&"rbf(gamma=0.8)".parse().unwrap()).unwrap();
        let value = |i: usize, j: usize| {
            let squares = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b));
            (-0.8 * squares.sum::<f64>()).exp() as f32
        };
        let matrix = Mat::from_fn(n, n, value);
        let part = [5, 1, 1, 8, 0, 3];
        let of_part = Mat::from_fn(6, 6, |i, j| value(part[i], part[j]));
        let (first, second) = (4, 5);
        let one = Mat::from_fn(first, first, value);
        let two = Mat::from_fn(second, second, |i, j| value(first + i, first + j));
        let across = Mat::from_fn(first, second, |i, j| value(i, first + j));
        let sources: [Box<dyn Columns<f32>>; 3] = [
            Box::new(Evaluated::new(&kernel, x.clone())),
            Box::new(Stored::new(matrix.view())),
            Box::new(Assembled::new(&one, &two, across)),
        ];
        for source in &sources {
            check(&**source, &matrix);
            check(&*source.restrict(&part), &of_part);
            let twice = Mat::from_fn(4, 4, |i, j| value(part[i + 1], part[j + 1]));
            check(&*source.restrict(&part).restrict(&[1, 2, 3, 4]), &twice);
        }
    }
}
