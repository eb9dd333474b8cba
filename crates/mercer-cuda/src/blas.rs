//! Products and triangular divisions by cuBLAS.

#![allow(unsafe_code)]

use cudarc::cublas::sys;
use mercer::{Error, Result};

use crate::engine::Engine;
use crate::memory::View;

/// Whether a matrix is taken as it is or transposed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Plain,
    Transposed,
}

impl Op {
    fn code(self) -> sys::cublasOperation_t {
        match self {
            Op::Plain => sys::cublasOperation_t::CUBLAS_OP_N,
            Op::Transposed => sys::cublasOperation_t::CUBLAS_OP_T,
        }
    }

    fn shape(self, a: View<'_>) -> (usize, usize) {
        match self {
            Op::Plain => (a.rows, a.cols),
            Op::Transposed => (a.cols, a.rows),
        }
    }
}

fn done(status: sys::cublasStatus_t) -> Result<()> {
    match status {
        sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(()),
        other => Err(Error::Device(format!("a matrix product on the device failed: {other:?}"))),
    }
}

/// Sizes of matrices here are far below what cuBLAS counts in.
fn int(n: usize) -> i32 {
    i32::try_from(n).expect("matrices on a device have fewer than 2³¹ rows")
}

impl Engine {
    /// c ← beta·c + alpha · op(a) · op(b).
    pub fn multiply(
        &self,
        alpha: f64,
        (a, op_a): (View<'_>, Op),
        (b, op_b): (View<'_>, Op),
        beta: f64,
        c: View<'_>,
    ) -> Result<()> {
        let ((m, k), (inner, n)) = (op_a.shape(a), op_b.shape(b));
        assert!(k == inner && (m, n) == (c.rows, c.cols), "shapes of a product differ");
        if m == 0 || n == 0 || k == 0 {
            return Ok(());
        }
        // SAFETY: the views lie within live buffers of this device, their shapes agree, and the factors live until the call returns.
        done(unsafe {
            sys::cublasDgemm_v2(
                *self.blas.handle(),
                op_a.code(),
                op_b.code(),
                int(m),
                int(n),
                int(k),
                &alpha,
                a.address as *const f64,
                int(a.ld),
                b.address as *const f64,
                int(b.ld),
                &beta,
                c.address as *mut f64,
                int(c.ld),
            )
        })
    }

    /// The lower triangle of c ← c − a · aᵀ.
    pub fn subtract_square(&self, a: View<'_>, c: View<'_>) -> Result<()> {
        assert!(a.rows == c.rows && c.rows == c.cols, "shapes of a product differ");
        if a.rows == 0 || a.cols == 0 {
            return Ok(());
        }
        let (alpha, beta) = (-1.0, 1.0);
        // SAFETY: as in `multiply`.
        done(unsafe {
            sys::cublasDsyrk_v2(
                *self.blas.handle(),
                sys::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER,
                Op::Plain.code(),
                int(a.rows),
                int(a.cols),
                &alpha,
                a.address as *const f64,
                int(a.ld),
                &beta,
                c.address as *mut f64,
                int(c.ld),
            )
        })
    }

    /// b ← b · L⁻ᵀ for lower triangular L.
    pub fn divide_right(&self, l: View<'_>, b: View<'_>) -> Result<()> {
        assert!(l.rows == l.cols && l.rows == b.cols, "shapes of a division differ");
        self.divide(sys::cublasSideMode_t::CUBLAS_SIDE_RIGHT, Op::Transposed, l, b)
    }

    /// b ← op(L)⁻¹ · b for lower triangular L.
    pub fn divide_left(&self, (l, op): (View<'_>, Op), b: View<'_>) -> Result<()> {
        assert!(l.rows == l.cols && l.rows == b.rows, "shapes of a division differ");
        self.divide(sys::cublasSideMode_t::CUBLAS_SIDE_LEFT, op, l, b)
    }

    fn divide(&self, side: sys::cublasSideMode_t, op: Op, l: View<'_>, b: View<'_>) -> Result<()> {
        if b.rows == 0 || b.cols == 0 {
            return Ok(());
        }
        let one = 1.0;
        // SAFETY: as in `multiply`.
        done(unsafe {
            sys::cublasDtrsm_v2(
                *self.blas.handle(),
                side,
                sys::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER,
                op.code(),
                sys::cublasDiagType_t::CUBLAS_DIAG_NON_UNIT,
                int(b.rows),
                int(b.cols),
                &one,
                l.address as *const f64,
                int(l.ld),
                b.address as *mut f64,
                int(b.ld),
            )
        })
    }
}
