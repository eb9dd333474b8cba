//! Every shape up to some size, every order in memory, factors and number types, beside three loops.

#![allow(unsafe_code)] // matrices are pointers and strides

use nano_gemm::planless::{execute_c64, execute_f32, execute_f64};
use num_complex::Complex;

/// Strides of rows and columns of a matrix in so many rows and columns: by columns, by rows, and with gaps.
fn layouts(rows: usize, columns: usize) -> [(isize, isize); 3] {
    [(1, rows as isize), (columns as isize, 1), (2, 2 * rows as isize + 3)]
}

fn length(rows: usize, columns: usize, (down, across): (isize, isize)) -> usize {
    (rows - 1) * down as usize + (columns - 1) * across as usize + 1
}

fn numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|i| (i as f64 * 0.7 + seed).sin()).collect()
}

macro_rules! check {
    ($execute:ident, $number:ty, $of:expr, $size:expr, $error:expr) => {
        fn close(a: $number, b: $number) -> bool {
            $size(a - b) <= $error
        }
        let of = $of;
        let shapes = [1, 2, 3, 4, 5, 7, 15, 16, 17, 33];
        let all = shapes.iter().flat_map(|&m| shapes.iter().map(move |&n| (m, n)));
        for ((m, n), k) in all.flat_map(|shape| [1, 2, 5, 16].map(|k| (shape, k))) {
            for (at, (l, r)) in layouts(m, k).into_iter().zip(layouts(k, n)).enumerate() {
                for (o, alpha, beta) in layouts(m, n)
                    .into_iter()
                    .zip([0.0, 1.0, 1.0])
                    .map(|(o, alpha)| (o, alpha, 1.0 - 2.0 * (at % 2) as f64))
                {
                    let left: Vec<$number> =
                        numbers(length(m, k, l), 1.0).into_iter().map(of).collect();
                    let right: Vec<$number> =
                        numbers(length(k, n, r), 2.0).into_iter().map(of).collect();
                    let before: Vec<$number> =
                        numbers(length(m, n, o), 3.0).into_iter().map(of).collect();
                    let mut out = before.clone();
                    if alpha == 0.0 {
                        out.fill(of(f64::NAN));
                    }
                    // SAFETY: lengths are those of the shapes and strides.
                    unsafe {
                        $execute(
                            m,
                            n,
                            k,
                            out.as_mut_ptr(),
                            o.0,
                            o.1,
                            left.as_ptr(),
                            l.0,
                            l.1,
                            right.as_ptr(),
                            r.0,
                            r.1,
                            of(alpha),
                            of(beta),
                            false,
                            false,
                        );
                    }
                    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let place = |(down, across): (isize, isize), a: usize, b: usize| {
                            a * down as usize + b * across as usize
                        };
                        let mut sum = of(0.0);
                        for q in 0..k {
                            sum += left[place(l, i, q)] * right[place(r, q, j)];
                        }
                        let expected = of(alpha) * before[place(o, i, j)] + of(beta) * sum;
                        assert!(close(out[place(o, i, j)], expected), "{m} {n} {k} {at} {i} {j}");
                    }
                }
            }
        }
    };
}

#[test]
fn products_of_doubles() {
    check!(execute_f64, f64, |v: f64| v, f64::abs, 1e-13);
}

#[test]
fn products_of_singles() {
    check!(execute_f32, f32, |v: f64| v as f32, f32::abs, 1e-4);
}

#[test]
fn products_of_complex_numbers() {
    check!(
        execute_c64,
        Complex<f64>,
        |v: f64| Complex::new(v, 0.5 * v),
        |v: Complex<f64>| v.re.abs() + v.im.abs(),
        1e-12
    );
}
