//! Matrix products on one thread, by faer. Callers split the work into fixed pieces and run those in parallel, so that a
//! result never depends on the number of threads.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Par};

use super::view::{MatMut, MatRef};
use crate::real::{Numbers, NumbersMut, Real};

/// What a product is written onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// It replaces what was there.
    Nothing,
    /// It is added.
    Sum,
    /// It is subtracted.
    Difference,
}

/// `out ← a · b`, or added to or subtracted from `out`.
pub fn multiply<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, T>, out: MatMut<'_, T>, onto: Onto) {
    assert!(a.cols() == b.rows() && a.rows() == out.rows && b.cols() == out.cols);
    with_numbers(a, b, out, onto, false);
}

/// The lower triangle of `out ← a · b`, for a product known to be symmetric; the upper is left as it is.
pub fn multiply_lower<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, T>, out: MatMut<'_, T>, onto: Onto) {
    assert!(a.cols() == b.rows() && a.rows() == out.rows && b.cols() == out.cols);
    assert_eq!(out.rows, out.cols);
    with_numbers(a, b, out, onto, true);
}

fn with_numbers<T: Real>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    out: MatMut<'_, T>,
    onto: Onto,
    lower: bool,
) {
    let (a_data, a_offset, a_row, a_col) = a.raw();
    let (b_data, b_offset, b_row, b_col) = b.raw();
    let shape = (a.rows(), a.cols(), b.cols());
    macro_rules! run {
        ($a:expr, $b:expr, $out:expr, $type:ty) => {{
            // SAFETY: the views were checked to lie within their slices when they were made, and `out` is borrowed
            // mutably, so nothing aliases it.
            let (a, b, out) = unsafe {
                (
                    faer::MatRef::from_raw_parts($a.as_ptr().add(a_offset), shape.0, shape.1, a_row, a_col),
                    faer::MatRef::from_raw_parts($b.as_ptr().add(b_offset), shape.1, shape.2, b_row, b_col),
                    faer::MatMut::from_raw_parts_mut(
                        $out.as_mut_ptr(),
                        shape.0,
                        shape.2,
                        out.stride as isize,
                        1,
                    ),
                )
            };
            let accum = if onto == Onto::Nothing { Accum::Replace } else { Accum::Add };
            let factor: $type = if onto == Onto::Difference { -1.0 } else { 1.0 };
            if lower {
                use triangular::BlockStructure::{Rectangular, TriangularLower};
                triangular::matmul(
                    out, TriangularLower, accum, a, Rectangular, b, Rectangular, factor, Par::Seq,
                );
            } else {
                matmul(out, accum, a, b, factor, Par::Seq);
            }
        }};
    }
    match (T::numbers(a_data), T::numbers(b_data), T::numbers_mut(out.data)) {
        (Numbers::F64(a), Numbers::F64(b), NumbersMut::F64(o)) => run!(a, b, o, f64),
        (Numbers::F32(a), Numbers::F32(b), NumbersMut::F32(o)) => run!(a, b, o, f32),
        _ => unreachable!("all three are slices of T"),
    }
}
