//! Eigenvalues and eigenvectors of a symmetric matrix, all of them.

use faer::Par;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};

use super::view::Mat;
use crate::context::Context;
use crate::error::{Error, Result};

/// Eigenpairs of a symmetric n × n matrix, eigenvalues descending.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// The eigenvalues, descending.
    pub values: Vec<f64>,
    /// n × n; **row** i is the unit eigenvector of `values[i]`.
    pub vectors: Mat<f64>,
}

/// All eigenpairs of the symmetric matrix whose lower triangle is that of `a` (n × n); the upper is not read.
pub fn symmetric(ctx: &Context, a: Mat<f64>) -> Result<Eigen> {
    let n = a.rows();
    assert_eq!(n, a.cols(), "a symmetric matrix is square");
    ctx.poll()?;
    small(&a)
}

/// Bytes that [`symmetric`] takes beside the matrix it is given.
pub fn workspace_bytes(n: usize) -> u64 {
    2 * 8 * (n as u64).saturating_mul(n as u64)
}

/// All eigenpairs on the calling thread, for matrices so small that anything cleverer costs more than it saves.
pub fn small(a: &Mat<f64>) -> Result<Eigen> {
    let n = a.rows();
    let mut ascending = vec![0.0; n];
    let mut vectors = Mat::zeros(n, n);
    let params = Default::default();
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, params);
    let mut buffer = MemBuffer::new(scratch);
    self_adjoint_evd(
        faer::MatRef::from_row_major_slice(a.data(), n, n),
        DiagMut::from_slice_mut(&mut ascending),
        Some(faer::MatMut::from_column_major_slice_mut(vectors.data_mut(), n, n)),
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    )
    .map_err(|_| Error::Numeric("the eigenvalues of a symmetric matrix did not converge".into()))?;
    Ok(descending(ascending, vectors))
}

/// Reverses the order of eigenpairs.
fn descending(mut values: Vec<f64>, mut vectors: Mat<f64>) -> Eigen {
    values.reverse();
    let n = values.len();
    let data = vectors.data_mut();
    for i in 0..n / 2 {
        let (head, tail) = data.split_at_mut((n - 1 - i) * n);
        head[i * n..(i + 1) * n].swap_with_slice(&mut tail[..n]);
    }
    Eigen { values, vectors }
}
