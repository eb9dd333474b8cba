//! The checks that every kernel must pass, user-defined kernels included.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::kernel::{Kernel, Tile};
use crate::points::{Points, Span};
use crate::real::Real;

/// Samples that are looked at; the first ones of the set.
const SAMPLES: usize = 48;

/// Checks that `kernel` keeps the contract of [`Kernel`] on the first 48 samples of `points`: its
/// values are finite and symmetric, do not depend on how the samples are cut into tiles or
/// selected, and agree with its diagonal. Numbers may differ by rounding, taken as 16·√ε of the
/// largest value.
pub fn check<P: Points, T: Real>(kernel: &(impl Kernel<P, T> + ?Sized), points: &P) -> Result<()> {
    let n = points.len().min(SAMPLES);
    let span = Span::new(points, 0..n);
    let full = Square::new(n, values(kernel, span, span)?);
    full.check_finite()?;
    full.check_symmetric()?;
    check_diag(kernel, span, &full)?;
    check_selected(kernel, points, &full)?;
    for cut in [0, 1, n / 3, n / 2, n.saturating_sub(1)] {
        for (rows, cols) in [(0..cut, cut..n), (cut..n, 0..n), (cut..n, 0..cut)] {
            check_part(kernel, span, rows, cols, &full)?;
        }
    }
    Ok(())
}

/// All values of n samples against themselves, n × n.
struct Square<T> {
    n: usize,
    values: Vec<T>,
    /// How far two numbers may lie apart and still agree.
    tolerance: f64,
}

impl<T: Real> Square<T> {
    fn new(n: usize, values: Vec<T>) -> Self {
        let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.to_f64().abs()));
        Self { n, values, tolerance: 16.0 * T::EPSILON.sqrt() * largest }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.n + j].to_f64()
    }

    fn check_finite(&self) -> Result<()> {
        match self.values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let (i, j) = (at / self.n, at % self.n);
                fail(format!("k({i}, {j}) is {:?}, which is not a finite number", self.values[at]))
            }
        }
    }

    fn check_symmetric(&self) -> Result<()> {
        for i in 0..self.n {
            for j in 0..i {
                let what = || format!("k({i}, {j}) and k({j}, {i})");
                self.check_equal(self.at(i, j), self.at(j, i), what)?;
            }
        }
        Ok(())
    }

    fn check_equal(&self, a: f64, b: f64, what: impl Fn() -> String) -> Result<()> {
        // Written so that NaN fails.
        if (a - b).abs() <= self.tolerance {
            return Ok(());
        }
        fail(format!("{} must agree, but are {a} and {b}", what()))
    }
}

fn check_diag<P: Points, T: Real>(
    kernel: &(impl Kernel<P, T> + ?Sized),
    span: Span<'_, P>,
    full: &Square<T>,
) -> Result<()> {
    let mut diag = vec![T::ZERO; full.n];
    kernel.diag(span, &mut diag)?;
    for (i, value) in diag.iter().enumerate() {
        let what = || format!("k({i}, {i}) of the diagonal and of the tile");
        full.check_equal(value.to_f64(), full.at(i, i), what)?;
    }
    Ok(())
}

/// The same samples in reverse order, as a set of their own.
fn check_selected<P: Points, T: Real>(
    kernel: &(impl Kernel<P, T> + ?Sized),
    points: &P,
    full: &Square<T>,
) -> Result<()> {
    let order: Vec<usize> = (0..full.n).rev().collect();
    let selected = points.select(&order);
    let reversed = values(kernel, Span::all(&selected), Span::new(points, 0..full.n))?;
    for (i, &sample) in order.iter().enumerate() {
        for j in 0..full.n {
            let what = || format!("k({sample}, {j}) of a selection and of the whole set");
            full.check_equal(reversed[i * full.n + j].to_f64(), full.at(sample, j), what)?;
        }
    }
    Ok(())
}

/// One tile of the square, written into rows with gaps that must stay as they are.
fn check_part<P: Points, T: Real>(
    kernel: &(impl Kernel<P, T> + ?Sized),
    span: Span<'_, P>,
    rows: Range<usize>,
    cols: Range<usize>,
    full: &Square<T>,
) -> Result<()> {
    let (gap, untouched) = (3, T::from_f64(-77.0));
    let stride = cols.len() + gap;
    let mut data = vec![untouched; rows.len() * stride];
    let tile = Tile::new(&mut data, rows.len(), cols.len(), stride);
    kernel.tile(span.part(rows.clone()), span.part(cols.clone()), tile)?;
    for (i, line) in rows.clone().zip(data.chunks_exact(stride)) {
        for (j, value) in cols.clone().zip(line) {
            let what = || format!("k({i}, {j}) in tile {rows:?} × {cols:?} and in the whole");
            full.check_equal(value.to_f64(), full.at(i, j), what)?;
        }
        if line[cols.len()..].iter().any(|&v| v != untouched) {
            return fail(format!("tile {rows:?} × {cols:?} wrote beyond its columns in row {i}"));
        }
    }
    Ok(())
}

fn values<P: Points, T: Real>(
    kernel: &(impl Kernel<P, T> + ?Sized),
    rows: Span<'_, P>,
    cols: Span<'_, P>,
) -> Result<Vec<T>> {
    let mut values = vec![T::ZERO; rows.len() * cols.len()];
    kernel.tile(rows, cols, Tile::new(&mut values, rows.len(), cols.len(), cols.len()))?;
    Ok(values)
}

fn fail<A>(message: String) -> Result<A> {
    Err(Error::Numeric(format!("the kernel breaks its contract: {message}")))
}
