//! Repairs of an indefinite matrix K of kernel values, for the training samples and for new ones.
//!
//! With K = Σ λ_j v_j v_jᵀ the repaired matrix K' of the training samples is
//!
//! ```text
//! clip      Σ max(λ_j, 0) v_j v_jᵀ      the nearest positive semi-definite matrix
//! flip      Σ |λ_j| v_j v_jᵀ
//! shift     K + |λ_min|·1
//! nearest   the nearest positive semi-definite matrix with the diagonal of K
//! ```
//!
//! The values k(x) (a row of n) of a new sample with the training samples become k(x)·P with P = 1 + K⁺(K' − K), which
//! sends the rows of K to those of K'. That is K⁺K', but for directions in which K⁺ is zero: those are left as they are,
//! so that a matrix that needs no repair changes nothing. Only eigenvalues that are negative beyond rounding count, and
//! for clip and flip P = 1 − s·Σ v_j v_jᵀ over these, s = 1 or 2. A sample's value with itself gets what its values with
//! the training samples say of the negative part: k(x, x) + s·Σ (k(x)·v_j)² / |λ_j|.
//!
//! A shift adds to the value of a sample with itself and changes no other: new values stay, and k(x, x) grows.
//!
//! Keeping the diagonal is a change of the diagonal as well, at training samples only: K' is the positive part of
//! K + Diag t (see `nearest`). So K⁺ must not be taken to the letter: along small eigenvalues of K it would carry those
//! changes to new samples many times enlarged. It takes eigenvalues beyond a hundredth of the largest; along the others
//! the projector onto the positive part of K + Diag t stands for P. Repairing new samples by P then agrees best with
//! repairing all samples together, while the rows of training samples are met within a few hundredths where K has small
//! eigenvalues, and exactly where it has none. k(x, x) stays.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::correction::Correction;
use super::nearest;
use super::part::Part;
use super::product::{product, weighted_squares};
use super::{Spectrum, noise};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::Square;
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::view::{Mat, MatRef};
use crate::real::Real;

/// Eigenvalues, relative to the largest, that K⁺ takes for the nearest matrix.
const CUT: f64 = 1e-2;

/// How an indefinite matrix is made positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repair {
    /// Negative eigenvalues become 0.
    Clip,
    /// Negative eigenvalues change their sign.
    Flip,
    /// All eigenvalues grow until the smallest is 0.
    Shift,
    /// The nearest positive semi-definite matrix with the same diagonal.
    Nearest,
}

/// A repaired matrix and how new kernel values are repaired alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// K', n × n, symmetric.
    pub matrix: Mat<f64>,
    /// ‖K' − K‖ / ‖K‖ in the Frobenius norm; 0 for a matrix of zeros.
    pub change: f64,
    /// Whether the search for the nearest matrix reached its tolerance; the others need none. If not, K' is still
    /// positive semi-definite with the diagonal of K, but there may be a nearer one.
    pub converged: bool,
    /// What new kernel values need.
    pub correction: Correction,
}

impl Repair {
    /// All of them.
    pub const ALL: [Repair; 4] = [Repair::Clip, Repair::Flip, Repair::Shift, Repair::Nearest];

    /// The name in text.
    pub fn name(self) -> &'static str {
        match self {
            Repair::Clip => "clip",
            Repair::Flip => "flip",
            Repair::Shift => "shift",
            Repair::Nearest => "nearest",
        }
    }

    /// Repairs the square matrix `matrix` of kernel values of samples with themselves. Of a matrix that is not symmetric
    /// the symmetric part is taken.
    pub fn fit<T: Real>(self, ctx: &Context, matrix: MatRef<'_, T>) -> Result<Repaired> {
        ctx.install(|| Square::new(matrix).map(drop))?;
        let n = matrix.rows();
        let square = (n as u64).saturating_mul(n as u64).saturating_mul(8);
        let needed = square.saturating_mul(4).saturating_add(eigen::workspace_bytes(n));
        ctx.need("the repair of a kernel matrix", needed, "use fewer rows or raise the budget")?;
        let all: Vec<usize> = (0..n).collect();
        let part = Part::of(ctx, matrix, &all)?;
        let pairs = eigen::symmetric(ctx, part.matrix.clone())?;
        let negative = Negative::of::<T>(&pairs);
        let fitted = match self {
            Repair::Clip => clip(ctx, &part, &pairs, &negative, 1.0)?,
            Repair::Flip => clip(ctx, &part, &pairs, &negative, 2.0)?,
            Repair::Shift => shift(&part, &pairs),
            Repair::Nearest => keep_diagonal(ctx, &part, &pairs, &negative)?,
        };
        Ok(fitted.finish(self, matrix, part.scale))
    }
}

impl Display for Repair {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Repair {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Repair::ALL.into_iter().find(|repair| repair.name() == text).ok_or_else(|| {
            Error::parameter(
                "repair",
                format!("must be clip, flip, shift or nearest, not '{text}'"),
            )
        })
    }
}

/// Which eigenvalues are negative; they are the last.
struct Negative {
    /// The first of them.
    any: usize,
    /// The first beyond rounding.
    clear: usize,
}

impl Negative {
    fn of<T: Real>(pairs: &Eigen) -> Self {
        let spectrum = Spectrum::of::<T>(&pairs.values);
        let floor = -spectrum.size * noise::<T>(pairs.values.len());
        Self {
            any: pairs.values.partition_point(|value| *value >= 0.0),
            clear: pairs.values.partition_point(|value| *value >= floor),
        }
    }
}

/// A repair of the scaled matrix.
struct Fitted {
    matrix: Mat<f64>,
    converged: bool,
    correction: Correction,
}

impl Fitted {
    /// The repair of the matrix itself.
    fn finish<T: Real>(mut self, method: Repair, given: MatRef<'_, T>, scale: f64) -> Repaired {
        self.correction.method = method;
        self.correction.shift *= scale;
        self.correction.own.iter_mut().for_each(|weight| *weight /= scale);
        let (mut apart, mut size) = (0.0, 0.0);
        for i in 0..given.rows() {
            for (j, value) in self.matrix.row_mut(i).iter_mut().enumerate() {
                let before = given.at(i, j).f64() / scale;
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
fn clip(
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
    let own = if from_positive { 1.0 - strength } else { 1.0 };
    let entry = |i: usize, j: usize| own * part.matrix[(i, j)] + strength * squares[(i, j)];
    let matrix = Mat::from_fn(n, n, entry);
    let clear = negative.clear..n;
    let at = |i: usize, j: usize| pairs.vectors[(negative.clear + i, j)];
    let mut correction = Correction::none(n);
    correction.left = Mat::from_fn(n, clear.len(), |i, j| at(j, i)).into_vec();
    correction.right = Mat::from_fn(clear.len(), n, |i, j| -strength * at(i, j)).into_vec();
    correction.own = clear.map(|i| strength / -pairs.values[i]).collect();
    Ok(Fitted { matrix, converged: true, correction })
}

/// K + |λ_min|·1, if λ_min is negative.
fn shift(part: &Part, pairs: &Eigen) -> Fitted {
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
fn keep_diagonal(ctx: &Context, part: &Part, pairs: &Eigen, negative: &Negative) -> Result<Fitted> {
    let n = part.matrix.rows();
    nearest::check_diagonal(part)?;
    let mut correction = Correction::none(n);
    if negative.clear == n {
        return Ok(Fitted { matrix: part.matrix.clone(), converged: true, correction });
    }
    let found = nearest::with_diagonal(ctx, &part.matrix)?;
    let floor = CUT * pairs.values[0].abs().max(pairs.values[n - 1].abs());
    let kept: Vec<usize> = (0..n).filter(|&i| pairs.values[i].abs() > floor).collect();
    let large = Mat::from_fn(kept.len(), n, |i, j| pairs.vectors[(kept[i], j)]);
    // The projector is S or 1 − S with S the squares of the shorter list.
    let split = found.positive;
    correction.keep = split > n / 2;
    let side = if correction.keep { split..n } else { 0..split };
    let sign = if correction.keep { -1.0 } else { 1.0 };
    let rest = found.vectors.view().row_range(side.start, side.len());
    // P = Σ (v/λ)·vᵀK' over the large eigenvalues, and (1 − Σ v vᵀ)·projector.
    let mut right = product(ctx, large.view(), found.matrix.view())?;
    let across = product(ctx, large.view(), rest.transposed())?;
    let projected = product(ctx, across.view(), rest)?;
    for (i, &pair) in kept.iter().enumerate() {
        for (j, value) in right.row_mut(i).iter_mut().enumerate() {
            let own = if correction.keep { large[(i, j)] } else { 0.0 };
            *value = *value / pairs.values[pair] - own - sign * projected[(i, j)];
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
    Ok(Fitted { matrix: found.matrix, converged: found.converged, correction })
}
