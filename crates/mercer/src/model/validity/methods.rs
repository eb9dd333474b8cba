//! The repairs themselves, of a scaled matrix (see `repair` for what they are).

use super::Spectrum;
use super::correction::Correction;
use super::nearest::{self, Nearest};
use super::part::Part;
use super::product::{product, weighted_squares};
use super::repair::{Repair, Repaired};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::eigen::Eigen;
use crate::linalg::view::{Mat, MatRef};
use crate::real::Real;

/// Eigenvalues, relative to the largest, that K⁺ takes for the nearest matrix.
const CUT: f64 = 1e-2;

/// Which eigenvalues are negative; they are the last.
pub(super) struct Negative {
    /// The first of them.
    any: usize,
    /// The first beyond rounding.
    clear: usize,
}

impl Negative {
    pub(super) fn of<T: Real>(pairs: &Eigen) -> Self {
        let spectrum = Spectrum::of::<T>(&pairs.values);
        let floor = -spectrum.size * spectrum.noise;
        Self {
            any: pairs.values.partition_point(|value| *value >= 0.0),
            clear: pairs.values.partition_point(|value| *value >= floor),
        }
    }
}

/// A repair of the scaled matrix.
pub(super) struct Fitted {
    matrix: Mat<f64>,
    converged: bool,
    correction: Correction,
}

impl Fitted {
    /// The repair of the matrix itself.
    pub(super) fn finish<T: Real>(
        mut self,
        method: Repair,
        given: MatRef<'_, T>,
        scale: f64,
    ) -> Repaired {
        self.correction.method = method;
        self.correction.shift *= scale;
        self.correction.diagonal.iter_mut().for_each(|weight| *weight /= scale);
        let (mut apart, mut size) = (0.0, 0.0);
        for i in 0..given.rows() {
            for (j, value) in self.matrix.row_mut(i).iter_mut().enumerate() {
                let before = given.at(i, j).to_f64() / scale;
                apart += (*value - before).powi(2);
                size += before.powi(2);
                *value *= scale;
            }
        }
        Repaired {
            matrix: self.matrix,
            change: if size > 0.0 { (apart / size).sqrt() } else { 0.0 },
            converged: self.converged,
            correction: self.correction,
        }
    }
}

/// K + strength·Σ |λ_j| v_j v_jᵀ over the negative eigenvalues: 1 clips, 2 flips.
pub(super) fn clip(
    ctx: &Context,
    part: &Part,
    pairs: &Eigen,
    negative: &Negative,
    strength: f64,
) -> Result<Fitted> {
    let n = part.matrix.rows();
    // The same from the other side, (1 − strength)·K + strength·Σ λ_j v_j v_jᵀ over the others, where the negative part is
    // the larger: what is left of K without it would be lost in rounding.
    let from_positive = -pairs.values[n - 1] > pairs.values[0];
    let side = if from_positive { 0..negative.any } else { negative.any..n };
    let vectors = pairs.vectors.view().row_range(side.start, side.len());
    let squares = weighted_squares(ctx, vectors, |i| pairs.values[side.start + i].abs())?;
    let kept = if from_positive { 1.0 - strength } else { 1.0 };
    let entry = |i: usize, j: usize| kept * part.matrix[(i, j)] + strength * squares[(i, j)];
    let matrix = Mat::from_fn(n, n, entry);
    let clear = negative.clear..n;
    let at = |i: usize, j: usize| pairs.vectors[(negative.clear + i, j)];
    let mut correction = Correction::none(n);
    correction.left = Mat::from_fn(n, clear.len(), |i, j| at(j, i)).into_vec();
    correction.right = Mat::from_fn(clear.len(), n, |i, j| -strength * at(i, j)).into_vec();
    correction.diagonal = clear.map(|i| strength / -pairs.values[i]).collect();
    Ok(Fitted { matrix, converged: true, correction })
}

/// K + |λ_min|·1, if λ_min is negative.
pub(super) fn shift(part: &Part, pairs: &Eigen) -> Fitted {
    let n = part.matrix.rows();
    // Some roundings more, so that none of them leaves a negative eigenvalue.
    let rounding = n as f64 * f64::EPSILON * pairs.values[0].abs().max(pairs.values[n - 1].abs());
    let shift = if pairs.values[n - 1] < 0.0 { rounding - pairs.values[n - 1] } else { 0.0 };
    let mut matrix = part.matrix.clone();
    (0..n).for_each(|i| matrix[(i, i)] += shift);
    let mut correction = Correction::none(n);
    correction.shift = shift;
    Fitted { matrix, converged: true, correction }
}

/// The nearest matrix with the same diagonal.
pub(super) fn keep_diagonal(
    ctx: &Context,
    part: &Part,
    pairs: &Eigen,
    negative: &Negative,
) -> Result<Fitted> {
    let n = part.matrix.rows();
    nearest::check_diagonal(part)?;
    if negative.clear == n {
        let (matrix, correction) = (part.matrix.clone(), Correction::none(n));
        return Ok(Fitted { matrix, converged: true, correction });
    }
    let found = nearest::with_diagonal(ctx, &part.matrix)?;
    let correction = carry_over(ctx, pairs, &found)?;
    Ok(Fitted { matrix: found.matrix, converged: found.converged, correction })
}

/// P = Σ (v/λ)·vᵀK' over the large eigenvalues of K, and (1 − Σ v vᵀ)·projector for the others.
fn carry_over(ctx: &Context, pairs: &Eigen, found: &Nearest) -> Result<Correction> {
    let n = pairs.values.len();
    let mut correction = Correction::none(n);
    let floor = CUT * pairs.values[0].abs().max(pairs.values[n - 1].abs());
    let kept: Vec<usize> = (0..n).filter(|&i| pairs.values[i].abs() > floor).collect();
    let large = Mat::from_fn(kept.len(), n, |i, j| pairs.vectors[(kept[i], j)]);
    // The projector is S or 1 − S with S the squares of the shorter list.
    let split = found.positive;
    correction.keep = split > n / 2;
    let side = if correction.keep { split..n } else { 0..split };
    let sign = if correction.keep { -1.0 } else { 1.0 };
    let rest = found.vectors.view().row_range(side.start, side.len());
    let mut right = product(ctx, large.view(), found.matrix.view())?;
    let across = product(ctx, large.view(), rest.transposed())?;
    let projected = product(ctx, across.view(), rest)?;
    for (i, &pair) in kept.iter().enumerate() {
        for (j, value) in right.row_mut(i).iter_mut().enumerate() {
            let kept = if correction.keep { large[(i, j)] } else { 0.0 };
            *value = *value / pairs.values[pair] - kept - sign * projected[(i, j)];
        }
    }
    let rank = kept.len() + side.len();
    let left = |i: usize, r: usize| match r.checked_sub(kept.len()) {
        None => large[(r, i)],
        Some(r) => rest.at(r, i),
    };
    correction.left = Mat::from_fn(n, rank, left).into_vec();
    correction.right = right.into_vec();
    correction.right.extend((0..side.len() * n).map(|at| sign * rest.at(at / n, at % n)));
    Ok(correction)
}
