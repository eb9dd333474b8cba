//! What is measured between two rows before a profile applies.

use crate::kernel::Tile;
use crate::linalg::pairing::{self, Pairing};
use crate::linalg::vmath;
use crate::points::{Dense, Points, Samples, Span};
use crate::real::Real;

/// A number for two rows x, x'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// xᵀx'.
    Dot,
    /// xᵀx' / (‖x‖ ‖x'‖), and 0 where a row is zero.
    Cosine,
    /// ‖x − x'‖².
    SquaredDistance,
    /// Σ |x_i − x'_i|.
    Manhattan,
}

impl Measure {
    /// Measures every row of `rows` against every row of `cols`.
    pub(super) fn fill<T: Real>(
        self,
        rows: Span<'_, Dense<T>>,
        cols: Span<'_, Dense<T>>,
        out: &mut Tile<'_, T>,
    ) {
        let (x, y) = (rows.points.rows(rows.range()), cols.points.rows(cols.range()));
        let stride = out.stride();
        pairing::fill(self.pairing(), x, y, out.data(), stride);
        match self {
            Measure::Dot | Measure::Manhattan => {}
            Measure::Cosine => {
                multiply_outer(out, &inverse_roots(x.norms), &inverse_roots(y.norms));
                set_coincident(rows, cols, out, |v| if v == T::ZERO { v } else { T::ONE });
            }
            // By way of norms and dot products the distance of a sample to itself comes out as
            // rounding noise, which a square root would make visible.
            Measure::SquaredDistance => set_coincident(rows, cols, out, |_| T::ZERO),
        }
    }

    /// Measures every row against itself.
    pub(super) fn fill_diag<T: Real>(self, points: Span<'_, Dense<T>>, out: &mut [T]) {
        match self {
            Measure::SquaredDistance | Measure::Manhattan => out.fill(T::ZERO),
            Measure::Dot => out.copy_from_slice(&points.points.norms()[points.range()]),
            Measure::Cosine => {
                out.copy_from_slice(&points.points.norms()[points.range()]);
                vmath::map(out, |v| if v == T::ZERO { v } else { T::ONE });
            }
        }
    }

    fn pairing(self) -> Pairing {
        match self {
            Measure::Dot | Measure::Cosine => Pairing::Dot,
            Measure::SquaredDistance => Pairing::SquaredDistance,
            Measure::Manhattan => Pairing::Manhattan,
        }
    }
}

/// 1/√v, and 0 where v is 0.
pub(super) fn inverse_roots<T: Real>(values: &[T]) -> Vec<T> {
    let inverse_root = |&v: &T| if v == T::ZERO { v } else { T::ONE / v.sqrt() };
    values.iter().map(inverse_root).collect()
}

/// Multiplies place (i, j) by `left[i] · right[j]`.
pub(super) fn multiply_outer<T: Real>(out: &mut Tile<'_, T>, left: &[T], right: &[T]) {
    for (i, &l) in left.iter().enumerate() {
        for (v, &r) in out.row(i).iter_mut().zip(right) {
            *v = *v * l * r;
        }
    }
}

/// Sets of which it can be told whether they are one.
pub(super) trait Identity: Points {
    /// Whether equal indices mean the same sample.
    fn is_same(&self, other: &Self) -> bool;
}

impl<T: Real> Identity for Dense<T> {
    fn is_same(&self, other: &Self) -> bool {
        Dense::is_same(self, other)
    }
}

impl<T: Real> Identity for Samples<T> {
    fn is_same(&self, other: &Self) -> bool {
        Samples::is_same(self, other)
    }
}

/// Replaces the places where row and column are one and the same sample.
pub(super) fn set_coincident<P: Identity, T: Real>(
    rows: Span<'_, P>,
    cols: Span<'_, P>,
    out: &mut Tile<'_, T>,
    value: impl Fn(T) -> T,
) {
    if rows.points.is_same(cols.points) {
        for sample in rows.start.max(cols.start)..rows.end.min(cols.end) {
            let place = &mut out.row(sample - rows.start)[sample - cols.start];
            *place = value(*place);
        }
    }
}
