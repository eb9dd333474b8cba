//! What is measured between two rows before a profile applies.

use std::ops::Range;

use crate::kernel::Tile;
use crate::linalg::pairing::{self, Pairing};
use crate::linalg::sparse::{self, Side};
use crate::linalg::vmath;
use crate::points::{Centred, Csr, Dense, Samples, Span};
use crate::real::Real;

/// A number for two rows x, x'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum Measure {
    /// xᵀx'.
    Dot,
    /// xᵀx' / (‖x‖ ‖x'‖), and 0 where a row is zero.
    Cosine,
    /// ‖x − x'‖².
    SquaredDistance,
    /// Σ |x_i − x'_i|.
    Manhattan,
    /// Σ √(x_i x'_i).
    Hellinger,
    /// Σ min(x_i, x'_i).
    Minimum,
    /// Σ 2·x_i·x'_i/(x_i + x'_i).
    ChiProduct,
    /// Σ (x_i − x'_i)²/(x_i + x'_i).
    ChiDistance,
    /// ½ Σ [x_i·log₂((x_i + x'_i)/x_i) + x'_i·log₂((x_i + x'_i)/x'_i)].
    JensenShannon,
    /// 1/d Σ min(1, |x_i − x'_i|).
    Gower,
    /// 1/d Σ [x_i ≠ x'_i].
    Mismatches,
    /// 1.
    Constant,
}

/// Rows of numbers, with their zeros or without.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernel) enum Rows<'a, T: Real> {
    Dense(Span<'a, Dense<T>>),
    Sparse(Span<'a, Csr<T>>),
}

impl Measure {
    /// Measures every row of `rows` against every row of `cols`.
    pub(in crate::kernel) fn fill<T: Real>(
        self,
        rows: Span<'_, Dense<T>>,
        cols: Span<'_, Dense<T>>,
        out: &mut Tile<'_, T>,
    ) {
        self.fill_any(Rows::Dense(rows), Rows::Dense(cols), out);
    }

    /// As `fill`, for rows of either kind.
    pub(in crate::kernel) fn fill_any<T: Real>(
        self,
        rows: Rows<'_, T>,
        cols: Rows<'_, T>,
        out: &mut Tile<'_, T>,
    ) {
        let Some(pairing) = self.pairing() else {
            return (0..out.rows()).for_each(|i| out.row(i).fill(T::ONE));
        };
        let stride = out.stride();
        if let (Measure::SquaredDistance, Rows::Dense(x), Rows::Dense(y)) = (self, rows, cols)
            && let Some(centred) = y.points.far_from_origin()
        {
            fill_centred(x, y, centred, out);
            return set_places(rows.shared(cols), out, |_| T::ZERO);
        }
        match (self.side(rows), self.side(cols)) {
            (Side::Dense(x), Side::Dense(y)) => pairing::fill(pairing, x, y, out.data(), stride),
            (x, y) => sparse::fill(pairing, x, y, out.data(), stride),
        }
        match self {
            Measure::Cosine => {
                let (left, right) = (inverse_roots(rows.norms()), inverse_roots(cols.norms()));
                multiply_outer(out, &left, &right);
                set_places(rows.shared(cols), out, |v| if v == T::ZERO { v } else { T::ONE });
            }
            // By way of norms and dot products the distance of a sample to itself comes out as
            // rounding noise, which a square root would make visible.
            Measure::SquaredDistance => set_places(rows.shared(cols), out, |_| T::ZERO),
            Measure::Gower | Measure::Mismatches => {
                let share = T::ONE / T::from_f64(rows.dim().max(1) as f64);
                (0..out.rows()).for_each(|i| vmath::map(out.row(i), |v| v * share));
            }
            _ => {}
        }
    }

    /// Measures every row against itself.
    pub(in crate::kernel) fn fill_diag<T: Real>(self, points: Span<'_, Dense<T>>, out: &mut [T]) {
        self.fill_diag_any(Rows::Dense(points), out);
    }

    /// As `fill_diag`, for rows of either kind.
    pub(in crate::kernel) fn fill_diag_any<T: Real>(self, rows: Rows<'_, T>, out: &mut [T]) {
        match self {
            Measure::SquaredDistance
            | Measure::Manhattan
            | Measure::ChiDistance
            | Measure::Gower
            | Measure::Mismatches => out.fill(T::ZERO),
            Measure::Dot => out.copy_from_slice(rows.norms()),
            Measure::Cosine => {
                out.copy_from_slice(rows.norms());
                vmath::map(out, |v| if v == T::ZERO { v } else { T::ONE });
            }
            // A histogram has all of itself in common with itself.
            Measure::Hellinger
            | Measure::Minimum
            | Measure::ChiProduct
            | Measure::JensenShannon => rows.write_sums(out),
            Measure::Constant => out.fill(T::ONE),
        }
    }

    /// Whether it stays the same when both rows are moved by the same vector.
    pub(in crate::kernel) fn is_of_differences(self) -> bool {
        use Measure::{Constant, Gower, Manhattan, SquaredDistance};
        matches!(self, SquaredDistance | Manhattan | Gower | Constant)
    }

    /// Whether numbers below 0 have no meaning for it.
    pub(in crate::kernel) fn is_of_histograms(self) -> bool {
        match self {
            Measure::Hellinger
            | Measure::Minimum
            | Measure::ChiProduct
            | Measure::ChiDistance
            | Measure::JensenShannon => true,
            Measure::Dot
            | Measure::Cosine
            | Measure::SquaredDistance
            | Measure::Manhattan
            | Measure::Gower
            | Measure::Mismatches
            | Measure::Constant => false,
        }
    }

    /// What is summed over features; nothing for a constant.
    pub(in crate::kernel) fn pairing(self) -> Option<Pairing> {
        Some(match self {
            Measure::Dot | Measure::Cosine | Measure::Hellinger => Pairing::Dot,
            Measure::SquaredDistance => Pairing::SquaredDistance,
            Measure::Manhattan => Pairing::Manhattan,
            Measure::Minimum => Pairing::Minimum,
            Measure::ChiProduct => Pairing::ChiProduct,
            Measure::ChiDistance => Pairing::ChiDistance,
            Measure::JensenShannon => Pairing::JensenShannon,
            Measure::Gower => Pairing::CappedDifference,
            Measure::Mismatches => Pairing::Mismatches,
            Measure::Constant => return None,
        })
    }

    /// The rows as the pairing takes them: for the Hellinger kernel, their square roots.
    fn side<T: Real>(self, rows: Rows<'_, T>) -> Side<'_, T> {
        match (rows, self) {
            (Rows::Dense(span), Measure::Hellinger) => {
                Side::Dense(span.points.roots().rows(span.range()))
            }
            (Rows::Dense(span), _) => Side::Dense(span.points.rows(span.range())),
            (Rows::Sparse(span), Measure::Hellinger) => {
                Side::ListsView(span.points.roots().rows(span.range()))
            }
            (Rows::Sparse(span), _) => Side::ListsView(span.points.rows(span.range())),
        }
    }
}

/// Squared distances by products of rows less a common point, which both sides must have taken away.
fn fill_centred<T: Real>(
    rows: Span<'_, Dense<T>>,
    cols: Span<'_, Dense<T>>,
    centred: &Centred<T>,
    out: &mut Tile<'_, T>,
) {
    let (stride, pairing) = (out.stride(), Pairing::SquaredDistance);
    let right = centred.rows.rows(cols.range());
    if rows.points.is_same(cols.points) {
        return pairing::fill(pairing, centred.rows.rows(rows.range()), right, out.data(), stride);
    }
    let moved = rows.points.part_less(rows.range(), &centred.point);
    pairing::fill(pairing, moved.rows(0..moved.n()), right, out.data(), stride);
}

impl<'a, T: Real> Rows<'a, T> {
    /// Features of a row.
    fn dim(&self) -> usize {
        match self {
            Rows::Dense(span) => span.points.d(),
            Rows::Sparse(span) => span.points.d(),
        }
    }

    /// Squared norms.
    fn norms(&self) -> &'a [T] {
        match self {
            Rows::Dense(span) => &span.points.norms()[span.range()],
            Rows::Sparse(span) => &span.points.norms()[span.range()],
        }
    }

    /// Writes the sum of each row of a histogram.
    fn write_sums(&self, out: &mut [T]) {
        match self {
            Rows::Sparse(span) => out.copy_from_slice(&span.points.sums()[span.range()]),
            Rows::Dense(span) => {
                for (i, sum) in span.range().zip(out) {
                    *sum = span.points.row(i).iter().fold(T::ZERO, |sum, &v| sum + v);
                }
            }
        }
    }

    /// Both ranges, if the samples are of one set, so that equal numbers mean the same sample.
    fn shared(&self, cols: Rows<'_, T>) -> Option<(Range<usize>, Range<usize>)> {
        match (self, cols) {
            (Rows::Dense(x), Rows::Dense(y)) if x.points.is_same(y.points) => {
                Some((x.range(), y.range()))
            }
            (Rows::Sparse(x), Rows::Sparse(y)) if x.points.is_same(y.points) => {
                Some((x.range(), y.range()))
            }
            _ => None,
        }
    }
}

/// 1/√v, and 0 where v is 0.
pub(in crate::kernel) fn inverse_roots<T: Real>(values: &[T]) -> Vec<T> {
    let inverse_root = |&v: &T| if v == T::ZERO { v } else { T::ONE / v.sqrt() };
    values.iter().map(inverse_root).collect()
}

/// Multiplies place (i, j) by `left[i] · right[j]`, the larger first: so the value for two samples is the same to the last
/// bit with the samples exchanged.
pub(in crate::kernel) fn multiply_outer<T: Real>(out: &mut Tile<'_, T>, left: &[T], right: &[T]) {
    for (i, &l) in left.iter().enumerate() {
        for (v, &r) in out.row(i).iter_mut().zip(right) {
            *v = if l > r { *v * l * r } else { *v * r * l };
        }
    }
}

/// Replaces the places where row and column are one and the same sample.
pub(in crate::kernel) fn set_coincident<T: Real>(
    rows: Span<'_, Samples<T>>,
    cols: Span<'_, Samples<T>>,
    out: &mut Tile<'_, T>,
    value: impl Fn(T) -> T,
) {
    let same = rows.points.is_same(cols.points);
    set_places(same.then(|| (rows.range(), cols.range())), out, value);
}

/// The same, given the ranges of rows and of columns if they belong to one set.
fn set_places<T: Real>(
    ranges: Option<(Range<usize>, Range<usize>)>,
    out: &mut Tile<'_, T>,
    value: impl Fn(T) -> T,
) {
    if let Some((rows, cols)) = ranges {
        for sample in rows.start.max(cols.start)..rows.end.min(cols.end) {
            let place = &mut out.row(sample - rows.start)[sample - cols.start];
            *place = value(*place);
        }
    }
}
