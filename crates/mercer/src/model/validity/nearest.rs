//! The nearest positive semi-definite matrix with a given diagonal.
//!
//! Given K symmetric with diagonal d ≥ 0, minimise ‖X − K‖ in the Frobenius norm over X positive semi-definite with
//! diag X = d. Higham's method projects in turn onto the one set and the other, with Dykstra's correction. Written out,
//! every correction is a diagonal matrix, and the method is
//!
//! ```text
//! X = (K + Diag t)₊                   the positive part: negative eigenvalues become 0
//! t ← t + (d − diag X)                until diag X = d
//! ```
//!
//! which is steepest descent, with steps of length 1, on the convex function ½‖(K + Diag t)₊‖² − dᵀt whose gradient is
//! diag X − d. Where t must grow large it takes thousands of eigendecompositions; so steps of Newton's method (Qi & Sun
//! 2006) are tried first, and Dykstra's is what remains when they do not descend.

use super::newton::Point;
use super::part::Part;
use crate::context::{Context, Step};
use crate::error::{Error, Result};
use crate::linalg::view::Mat;

/// How far the diagonal may be off, relative to its largest entry; what is left is scaled away.
const TOLERANCE: f64 = 1e-11;
/// Rounds at most.
const ROUNDS: usize = 200;

/// The matrix, and the orthonormal rows of which it is made: it is the positive part of K + Diag t.
pub(super) struct Nearest {
    pub(super) matrix: Mat<f64>,
    pub(super) converged: bool,
    /// n × n; rows are eigenvectors of K + Diag t.
    pub(super) vectors: Mat<f64>,
    /// How many of them, the first, belong to the positive part.
    pub(super) positive: usize,
}

/// No matrix with a negative number on its diagonal is positive semi-definite.
pub(super) fn check_diagonal(part: &Part) -> Result<()> {
    match (0..part.matrix.rows()).find(|&i| part.matrix[(i, i)] < 0.0) {
        None => Ok(()),
        Some(i) => Err(Error::Numeric(format!(
            "k(x, x) is {:e} for sample {i}: no kernel has such a diagonal, so it cannot be kept; use clip, flip \
             or shift",
            part.matrix[(i, i)] * part.scale
        ))),
    }
}

/// The nearest matrix to `k` with the diagonal of `k`, which has no negative number.
pub(super) fn with_diagonal(ctx: &Context, k: &Mat<f64>) -> Result<Nearest> {
    let n = k.rows();
    // Where the diagonal is 0, row and column must be; the others are a problem of their own.
    let live: Vec<usize> = (0..n).filter(|&i| k[(i, i)] > 0.0).collect();
    let inner = Mat::from_fn(live.len(), live.len(), |i, j| k[(live[i], live[j])]);
    let found = search(ctx, &inner)?;
    if live.len() == n {
        return Ok(found);
    }
    let (mut matrix, mut vectors) = (Mat::try_zeros(n, n)?, Mat::try_zeros(n, n)?);
    for (i, &row) in live.iter().enumerate() {
        for (j, &col) in live.iter().enumerate() {
            matrix[(row, col)] = found.matrix[(i, j)];
            vectors[(i, col)] = found.vectors[(i, j)];
        }
    }
    let dead = (0..n).filter(|&i| k[(i, i)] <= 0.0);
    dead.zip(live.len()..).for_each(|(sample, row)| vectors[(row, sample)] = 1.0);
    Ok(Nearest { matrix, vectors, ..found })
}

fn search(ctx: &Context, k: &Mat<f64>) -> Result<Nearest> {
    let quiet = ctx.without_steps();
    let largest = (0..k.rows()).map(|i| k[(i, i)]).fold(0.0, f64::max);
    let mut point = Point::at(&quiet, k, vec![0.0; k.rows()])?;
    let mut rounds = 0;
    while point.off() > TOLERANCE * largest && rounds < ROUNDS {
        let residual = point.off() / largest;
        ctx.step(Step::converging("nearest matrix", rounds as f64, ROUNDS as f64, residual))?;
        point = match point.newton(&quiet, k)? {
            Some(next) => next,
            None => point.plain(&quiet, k)?,
        };
        rounds += 1;
    }
    let converged = point.off() <= TOLERANCE * largest;
    let mut matrix = point.positive_part(&quiet)?;
    fix_diagonal(&mut matrix, k);
    let (vectors, positive) = point.split();
    Ok(Nearest { matrix, converged, vectors, positive })
}

/// Scales rows and columns of a positive semi-definite matrix so that its diagonal is that of `k`; it stays positive
/// semi-definite.
fn fix_diagonal(matrix: &mut Mat<f64>, k: &Mat<f64>) {
    let n = k.rows();
    let factors: Vec<f64> = (0..n)
        .map(|i| match matrix[(i, i)] > 0.0 {
            true => (k[(i, i)] / matrix[(i, i)]).sqrt(),
            false => 0.0,
        })
        .collect();
    for i in 0..n {
        for j in 0..n {
            matrix[(i, j)] *= factors[i] * factors[j];
        }
        matrix[(i, i)] = k[(i, i)];
    }
}
