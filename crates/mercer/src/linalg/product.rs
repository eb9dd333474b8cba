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

/// Subtracts from columns of `rows` (… × `stride`), `start` on, the product of their first columns with `b` (known × count), where known is at most `start`.
pub fn subtract_within<T: Real>(rows: &mut [T], stride: usize, b: MatRef<'_, T>, start: usize) {
    let (known, count) = (b.rows(), b.cols());
    assert!(stride > 0 && known <= start && start + count <= stride);
    assert_eq!(rows.len() % stride, 0);
    let size = rows.len() / stride;
    let (b_data, b_offset, b_row, b_col) = b.raw();
    macro_rules! run {
        ($b:expr, $rows:expr, $type:ty) => {{
            let whole = $rows.as_mut_ptr();
            // SAFETY: `b` was checked to lie within its slice when it was made. What is read of `rows` are their first `known` columns and what is written are
            // `count` others, from `start` ≥ known on, all within its `size` rows, as asserted; nothing else borrows them.
            let (a, b, out) = unsafe {
                (
                    faer::MatRef::from_raw_parts(whole.cast_const(), size, known, stride as isize, 1),
                    faer::MatRef::from_raw_parts($b.as_ptr().add(b_offset), known, count, b_row, b_col),
                    faer::MatMut::from_raw_parts_mut(whole.add(start), size, count, stride as isize, 1),
                )
            };
            let factor: $type = -1.0;
            matmul(out, Accum::Add, a, b, factor, Par::Seq);
        }};
    }
    match (T::numbers(b_data), T::numbers_mut(rows)) {
        (Numbers::F64(b), NumbersMut::F64(rows)) => run!(b, rows, f64),
        (Numbers::F32(b), NumbersMut::F32(rows)) => run!(b, rows, f32),
        _ => unreachable!("both are slices of T"),
    }
}

fn with_numbers<T: Real>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    out: MatMut<'_, T>,
    onto: Onto,
    lower: bool,
) {
    out.check();
    let (a_data, a_offset, a_row, a_col) = a.raw();
    let (b_data, b_offset, b_row, b_col) = b.raw();
    let shape = (a.rows(), a.cols(), b.cols());
    macro_rules! run {
        ($a:expr, $b:expr, $out:expr, $type:ty) => {{
            // SAFETY: `a` and `b` were checked to lie within their slices when they were made, `out` just now; shapes agree, as
            // both callers assert; `out` is borrowed mutably, so nothing aliases it, and its rows do not overlap.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::linalg::view::Mat;

    /// Every way that a factor may lie in memory, at sizes around the edges of blocks and panels.
    #[test]
    fn products_agree_with_three_loops() {
        fn check<T: Real>(tolerance: f64) {
            let mut stream = Stream::new(1, "product");
            for round in 0..300 {
                let mut size = |most: usize| 1 + stream.below(most);
                let (m, n, k) = match round % 6 {
                    0 => (size(9), size(9), size(9)),
                    1 => (size(40), size(600), size(30)),
                    2 => (size(30), size(30), size(900)),
                    3 => (size(60), 16, 128),
                    4 => (8, 24, 1),
                    _ => (size(90), size(90), size(90)),
                };
                let (turned_a, turned_b) = (stream.below(2) == 1, stream.below(2) == 1);
                let mut random = |rows, cols| {
                    let data = (0..rows * cols).map(|_| T::from_f64(stream.normal())).collect();
                    Mat::from_vec(data, rows, cols)
                };
                let a = if turned_a { random(k, m + 1) } else { random(m + 1, k + 3) };
                let b = if turned_b { random(n, k) } else { random(k, n + 2) };
                let left = if turned_a { a.view().transposed() } else { a.view() };
                let left = left.row_range(1, m).col_range(0, k);
                let right = if turned_b { b.view().transposed() } else { b.view() };
                let right = right.col_range(0, n);
                let before = random(m, n + 5);
                for onto in [Onto::Nothing, Onto::Sum, Onto::Difference] {
                    for lower in [false, true] {
                        if lower && m != n {
                            continue;
                        }
                        let mut out = before.clone();
                        let target = MatMut::new(out.data_mut(), m, n, n + 5);
                        let run = if lower { multiply_lower } else { multiply };
                        run(left, right, target, onto);
                        for i in 0..m {
                            for j in 0..n + 5 {
                                let old = before[(i, j)].to_f64();
                                let new = out[(i, j)].to_f64();
                                if j >= n || (lower && j > i) {
                                    assert_eq!(old, new, "({i}, {j}) must stay");
                                    continue;
                                }
                                let sum: f64 = (0..k)
                                    .map(|x| left.at(i, x).to_f64() * right.at(x, j).to_f64())
                                    .sum();
                                let want = match onto {
                                    Onto::Nothing => sum,
                                    Onto::Sum => old + sum,
                                    Onto::Difference => old - sum,
                                };
                                let error = (new - want).abs();
                                assert!(
                                    error <= tolerance * (k as f64 + 1.0),
                                    "{m}×{n}×{k}: {error}"
                                );
                            }
                        }
                    }
                }
            }
        }
        check::<f64>(1e-14);
        check::<f32>(1e-5);
    }

    #[test]
    fn columns_are_subtracted_from_others_of_the_same_rows() {
        for (size, known, start, count, stride) in
            [(1, 1, 1, 1, 2), (5, 3, 4, 2, 9), (130, 40, 48, 60, 130), (3, 0, 0, 2, 2)]
        {
            let before = Mat::from_fn(size, stride, |i, j| ((i * 5 + j * 3) % 7) as f64);
            let b = Mat::from_fn(known, count, |i, j| ((i + j * 2) % 5) as f64);
            let mut after = before.clone();
            subtract_within(after.data_mut(), stride, b.view(), start);
            for i in 0..size {
                for j in 0..stride {
                    let inside = (start..start + count).contains(&j);
                    let product = |j: usize| (0..known).map(|k| before[(i, k)] * b[(k, j)]).sum();
                    let by: f64 = if inside { product(j - start) } else { 0.0 };
                    assert_eq!(after[(i, j)], before[(i, j)] - by, "({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn a_lower_product_of_square_shapes_leaves_the_rest() {
        for n in [1, 7, 8, 9, 24, 25, 100, 250, 300] {
            let x = Mat::from_fn(n, 5, |i, j| ((i * 7 + j * 3) % 11) as f64);
            let mut lower = Mat::from_fn(n, n, |_, _| -1.0);
            multiply_lower(x.view(), x.view().transposed(), lower.view_mut(), Onto::Nothing);
            let mut whole = Mat::zeros(n, n);
            multiply(x.view(), x.view().transposed(), whole.view_mut(), Onto::Nothing);
            for i in 0..n {
                for j in 0..n {
                    let want = if j <= i { whole[(i, j)] } else { -1.0 };
                    assert_eq!(lower[(i, j)], want, "({i}, {j}) of {n}");
                }
            }
        }
    }

    #[test]
    fn an_empty_sum_is_zero() {
        let empty = Mat::<f64>::zeros(3, 0);
        let mut out = Mat::from_fn(3, 3, |_, _| 7.0);
        multiply(empty.view(), empty.view().transposed(), out.view_mut(), Onto::Sum);
        assert!(out.data().iter().all(|&v| v == 7.0));
        multiply(empty.view(), empty.view().transposed(), out.view_mut(), Onto::Nothing);
        assert!(out.data().iter().all(|&v| v == 0.0));
    }
}
