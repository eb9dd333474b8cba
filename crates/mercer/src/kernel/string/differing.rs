//! Kernels that are sums over pairs of windows, each weighed by the number of places where the two differ.

use super::coded::Coded;
use crate::error::{Error, Result};
use crate::kernel::Tile;
use crate::linalg::hamming::{Columns, LONGEST, Symbol, count};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

/// Such a kernel: windows of `length` symbols that differ in d places count `weights[d]`.
#[derive(Debug, Clone)]
pub(super) struct Differing {
    pub length: usize,
    pub weights: Vec<f64>,
    pub unit: Unit,
}

/// Refuses windows that are too long, called `name`, or that may differ everywhere.
pub(super) fn check_window(name: &'static str, length: usize, differing: usize) -> Result<()> {
    if length > LONGEST {
        let message = format!("windows have at most {LONGEST} symbols, not {length}");
        return Err(Error::parameter(name, message));
    }
    if differing >= length {
        let message = format!("must be below {name} = {length}, not {differing}");
        return Err(Error::parameter("m", message));
    }
    Ok(())
}

impl Differing {
    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let (rows, cols) = Coded::pair(rows, cols, self.unit);
        // Symbols of one byte are compared four times as fast.
        if rows.alphabet <= 1 << 8 {
            self.fill(&rows, &cols, |symbol| symbol as u8, out);
        } else {
            self.fill(&rows, &cols, |symbol| symbol, out);
        }
        Ok(())
    }

    fn fill<T: Real, S: Symbol>(
        &self,
        rows: &Coded,
        cols: &Coded,
        symbol: impl Fn(u32) -> S,
        out: &mut Tile<'_, T>,
    ) {
        let coded =
            |text: &[u32]| -> Vec<S> { text.iter().map(|&number| symbol(number)).collect() };
        let rows: Vec<Vec<S>> = (0..rows.n()).map(|i| coded(rows.get(i))).collect();
        let mut sum = Sum::new(self);
        for j in 0..cols.n() {
            sum.columns.set(cols.get(j).iter().map(|&number| symbol(number)), self.length);
            for (i, row) in rows.iter().enumerate() {
                out.row(i)[j] = T::from_f64(sum.value(row));
            }
        }
    }

    pub(super) fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        let texts = Coded::one(points, self.unit);
        let mut sum = Sum::new(self);
        for (i, value) in out.iter_mut().enumerate() {
            sum.columns.set(texts.get(i).iter().copied(), self.length);
            *value = T::from_f64(sum.value(texts.get(i)));
        }
        Ok(())
    }
}

/// The values of one column.
struct Sum<'k, S> {
    kernel: &'k Differing,
    columns: Columns<S>,
    found: Vec<u64>,
}

impl<'k, S: Symbol> Sum<'k, S> {
    fn new(kernel: &'k Differing) -> Self {
        let found = vec![0; kernel.weights.len()];
        Self { kernel, columns: Columns::default(), found }
    }

    fn value(&mut self, row: &[S]) -> f64 {
        count(row, &self.columns, self.kernel.length, &mut self.found);
        let weights = self.kernel.weights.iter();
        weights.zip(&self.found).map(|(weight, &found)| weight * found as f64).sum()
    }
}

/// n over k, exact as long as it fits.
pub(super) fn binomial(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    (1..=k).fold(1.0, |product, i| (product * (n - k + i) as f64 / i as f64).round())
}
