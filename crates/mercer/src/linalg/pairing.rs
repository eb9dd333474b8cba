//! One number for each pair of rows.

use crate::real::Real;

/// What is computed for a pair of rows x, y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// xᵀy.
    Dot,
    /// ‖x − y‖².
    SquaredDistance,
    /// Σ |x_i − y_i|.
    Manhattan,
}

/// Rows of samples with their squared norms.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    /// The numbers, row-major, n × dim.
    pub data: &'a [T],
    /// Numbers per row.
    pub dim: usize,
    /// Squared norms, n.
    pub norms: &'a [T],
}

/// Writes the pairing of row i of `rows` with row j of `cols` to `out[i * stride + j]`.
pub fn fill<T: Real>(
    pairing: Pairing,
    rows: Rows<'_, T>,
    cols: Rows<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    let term = |x: T, y: T| match pairing {
        Pairing::Dot => x * y,
        Pairing::SquaredDistance => (x - y) * (x - y),
        Pairing::Manhattan => (x - y).abs(),
    };
    for (i, x) in rows.data.chunks_exact(rows.dim).enumerate() {
        for (j, y) in cols.data.chunks_exact(cols.dim).enumerate() {
            let terms = x.iter().zip(y).map(|(&x, &y)| term(x, y));
            out[i * stride + j] = terms.fold(T::ZERO, |sum, term| sum + term);
        }
    }
}
