//! Products of small matrices, for faer: `dst ← alpha · dst + beta · lhs · rhs` with at most 4,096 products of numbers.
//!
//! The crate of this name has a function for each pair of sizes, each kind of numbers and each kind of registers, 2.5 MB in all, of which
//! a table keeps every one. Here sizes are loops over blocks of 64 bytes × 4 columns and less, compiled once for each number type and each level of registers.
//! faer uses these functions for blocks of decompositions and for the smallest products; large ones go elsewhere.

#![allow(unsafe_code)] // matrices are pointers and strides, as in faer

mod blocks;

/// Products with matrices given by pointers and strides.
pub mod planless {
    use num_complex::Complex;

    use crate::blocks::{Matrix, Product, multiply, multiply_c32, multiply_c64};

    macro_rules! execute {
        ($name:ident, $number:ty, $($multiply:tt)+) => {
            /// `dst ← alpha · dst + beta · lhs · rhs`, with shapes m × n, m × k and k × n. `dst` is not read if `alpha` is 0.
            ///
            /// # Safety
            ///
            /// Every entry of the three matrices, by their pointers and strides of rows and columns, can be read, and those of `dst` can be written; `dst` overlaps neither of the
            /// others, and its entries do not overlap.
            #[allow(clippy::too_many_arguments)]
            pub unsafe fn $name(
                m: usize,
                n: usize,
                k: usize,
                dst: *mut $number,
                dst_rs: isize,
                dst_cs: isize,
                lhs: *const $number,
                lhs_rs: isize,
                lhs_cs: isize,
                rhs: *const $number,
                rhs_rs: isize,
                rhs_cs: isize,
                alpha: $number,
                beta: $number,
                conj_lhs: bool,
                conj_rhs: bool,
            ) {
                let left = Matrix { data: lhs, strides: [lhs_rs, lhs_cs], is_conjugate: conj_lhs };
                let right = Matrix { data: rhs, strides: [rhs_rs, rhs_cs], is_conjugate: conj_rhs };
                let product = Product {
                    shape: [m, n, k],
                    out: dst,
                    strides: [dst_rs, dst_cs],
                    left,
                    right,
                    factors: [alpha, beta],
                };
                // SAFETY: the caller's promise is that of the function called.
                unsafe { $($multiply)+(product.with_long_columns()) }
            }
        };
    }

    execute!(execute_f32, f32, multiply::<f32, 16>);
    execute!(execute_f64, f64, multiply::<f64, 8>);
    execute!(execute_c32, Complex<f32>, multiply_c32);
    execute!(execute_c64, Complex<f64>, multiply_c64);
}
