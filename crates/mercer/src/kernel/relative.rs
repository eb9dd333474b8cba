//! Kernel values relative to one sample c: ⟨φ(x) − φ(c), φ(x') − φ(c)⟩ = k(x, x') − k(x, c) − k(c, x') + k(c, c).
//!
//! Where all kernel values are large beside their differences, as those of samples with an offset are, sums of them cancel.
//! Relative to a sample amid the others they do not, and what centring makes of the matrix stays the same.

use std::sync::Arc;

use super::{Kernel, Tile};
use crate::error::Result;
use crate::points::{Points, Samples, Span};
use crate::real::Real;

/// A kernel seen from one sample.
pub struct Relative<T: Real> {
    kernel: Arc<dyn Kernel<Samples<T>, T>>,
    origin: Samples<T>,
    /// k(c, c).
    diagonal: T,
}

impl<T: Real> Relative<T> {
    /// `kernel` seen from the only sample of `origin`.
    pub fn new(kernel: Arc<dyn Kernel<Samples<T>, T>>, origin: Samples<T>) -> Result<Self> {
        assert_eq!(origin.len(), 1, "one sample is the origin");
        let mut relative = Self { kernel, origin, diagonal: T::ZERO };
        relative.diagonal = relative.with_origin(Span::all(&relative.origin))?[0];
        Ok(relative)
    }

    /// k(c, x) of every sample.
    fn with_origin(&self, points: Span<'_, Samples<T>>) -> Result<Vec<T>> {
        let width = points.len();
        let mut values = vec![T::ZERO; width];
        let tile = Tile::new(&mut values, 1, width, width);
        self.kernel.tile(Span::all(&self.origin), points, tile)?;
        Ok(values)
    }
}

impl<T: Real> Kernel<Samples<T>, T> for Relative<T> {
    fn tile(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        mut out: Tile<'_, T>,
    ) -> Result<()> {
        self.kernel.tile(rows, cols, out.reborrow())?;
        let left = self.with_origin(rows)?;
        // Each difference is of two numbers of about one size, and so without error where that matters.
        let right: Vec<T> = self.with_origin(cols)?.iter().map(|&v| v - self.diagonal).collect();
        for (i, &from) in left.iter().enumerate() {
            out.row(i).iter_mut().zip(&right).for_each(|(v, &to)| *v = (*v - from) - to);
        }
        Ok(())
    }

    fn diag(&self, points: Span<'_, Samples<T>>, out: &mut [T]) -> Result<()> {
        self.kernel.diag(points, out)?;
        let with = self.with_origin(points)?;
        out.iter_mut().zip(&with).for_each(|(v, &w)| *v = (*v - w) - (w - self.diagonal));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KernelSpec;
    use crate::kernel::SpecKernel;
    use crate::points::Dense;

    #[test]
    fn values_are_inner_products_of_differences() {
        let x = [0.5, 1.0, -2.0, 0.25, 3.0, 1.5];
        let x = Samples::Dense(Dense::from_rows(&x, 3, 2).unwrap());
        let spec: KernelSpec = "poly(degree=2) + 0.5*rbf(gamma=0.3)".parse().unwrap();
        let kernel = SpecKernel::<f64>::new(&spec).unwrap();
        let relative = Relative::new(Arc::new(kernel.clone()), x.select(&[1])).unwrap();
        let (mut raw, mut seen, mut diagonal) = ([0.0; 9], [0.0; 9], [0.0; 3]);
        kernel.tile(Span::all(&x), Span::all(&x), Tile::new(&mut raw, 3, 3, 3)).unwrap();
        relative.tile(Span::all(&x), Span::all(&x), Tile::new(&mut seen, 3, 3, 3)).unwrap();
        relative.diag(Span::all(&x), &mut diagonal).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let want = raw[3 * i + j] - raw[3 * i + 1] - raw[3 + j] + raw[4];
                assert!((seen[3 * i + j] - want).abs() < 1e-12, "({i}, {j})");
            }
            assert!((diagonal[i] - seen[4 * i]).abs() < 1e-12);
        }
    }
}
