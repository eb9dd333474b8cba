//! Systems with a Gram matrix and a ridge.
//!
//! Given K (n × n, symmetric), α_j ≥ 0 and b_j for j = 1 … m, find x_j with (K + α_j I) x_j = b_j. Where α_j = 0 and K is
//! singular: of all x that bring ‖K x − b_j‖ to its least, the shortest.
//!
//! Three ways, all exact to the tolerance: a Cholesky factor for each α, one eigendecomposition for all, or products with
//! the matrix, which need no n × n storage.

mod choice;
mod condition;
mod factor;

use serde::{Deserialize, Serialize};

use super::cg;
use super::path::Path;
use crate::context::Context;
use crate::error::Result;
use crate::gram::{Gram, product_bytes};
use crate::linalg::view::Mat;

pub use choice::{Choice, Shape};
pub(crate) use condition::largest;

/// How a system is solved. All ways are exact to the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Solver {
    /// Whichever costs least.
    #[default]
    Auto,
    /// A factor for each ridge.
    Cholesky,
    /// One eigendecomposition for all ridges.
    Eigen,
    /// Conjugate gradients: products with the matrix.
    Cg,
}

impl Solver {
    /// The name as people write it.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::Cholesky => "cholesky",
            Solver::Eigen => "eigen",
            Solver::Cg => "cg",
        }
    }
}

/// What to reach.
#[derive(Clone, Debug)]
pub struct Params {
    /// Residuals ‖b − (K + α) x‖ / ‖b‖ to reach.
    pub tolerance: f64,
    /// Passes over the matrix at most, for conjugate gradients.
    pub max_passes: usize,
    /// Seed of random choices: landmarks, starting vectors of estimates.
    pub seed: u64,
    /// The relative rounding error of the matrix's entries.
    pub epsilon: f64,
}

/// The systems to solve.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// K.
    pub gram: &'a dyn Gram,
    /// K in a form that is quicker to multiply with, nearly the same.
    pub rough: Option<&'a dyn Gram>,
    /// α_j, one per right-hand side.
    pub alphas: &'a [f64],
    /// b: n × m.
    pub right: &'a Mat<f64>,
    /// Where conjugate gradients begin: n × m.
    pub start: Option<&'a Mat<f64>>,
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Info {
    /// The way that was taken: never `Auto`.
    pub solver: Solver,
    /// Passes over the matrix, of conjugate gradients.
    pub passes: usize,
    /// The largest residual ‖b − (K + α) x‖ / ‖b‖.
    pub residual: f64,
    /// Whether every residual reached the tolerance, or what rounding errors allow.
    pub converged: bool,
    /// Whether conjugate gradients ended, before they converged, because the time limit had passed.
    pub out_of_time: bool,
    /// About the largest eigenvalue of K, or a bound of it where that is harmless.
    pub largest: f64,
    /// The smallest eigenvalue of K, where all are known.
    pub smallest: Option<f64>,
    /// The condition number of K + α with the smallest α: computed, estimated or, for a harmless one, a bound.
    pub condition: f64,
    /// How many eigenvalues of K are not lost in rounding, where that was looked into.
    pub rank: Option<usize>,
    /// What was left out of the solution, if anything was.
    pub truncated: Option<Truncated>,
    /// Why this way was taken, what was tried before included.
    pub reason: String,
}

/// Directions in which K + α is lost in rounding: there is no telling what the solution has of them, so it has nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truncated {
    /// Eigenvalues λ + α up to this size are lost in rounding.
    pub cut: f64,
    /// How many were left out: the most over all right-hand sides.
    pub count: usize,
    /// The largest of the α that are concerned.
    pub alpha: f64,
    /// The largest residual of the normal equations, ‖K r‖ / (‖K‖ ‖b‖): that of the least-squares solution is 0.
    pub residual: f64,
}

impl Info {
    fn new(solver: Solver, largest: f64, smallest_alpha: f64) -> Self {
        Self {
            solver,
            passes: 0,
            residual: 0.0,
            converged: true,
            out_of_time: false,
            largest,
            smallest: None,
            condition: (largest + smallest_alpha) / smallest_alpha,
            rank: None,
            truncated: None,
            reason: String::new(),
        }
    }
}

/// Solves in the way that was chosen, or, where that fails, in the next best.
pub fn solve(
    ctx: &Context,
    system: System<'_>,
    choice: Choice,
    params: &Params,
) -> Result<(Mat<f64>, Info)> {
    let System { gram, alphas, right, .. } = system;
    assert!(gram.n() == right.rows() && alphas.len() == right.cols());
    let mut reason = choice.reason.to_string();
    let finish = |(x, info): (Mat<f64>, Info), reason| Ok((x, Info { reason, ..info }));
    if choice.solver == Solver::Cg {
        let (x, mut info) = by_products(ctx, system, choice.trial, params)?;
        info.converged |= info.residual <= floor(&info, system, &x, params);
        info.out_of_time = !info.converged && ctx.is_out_of_time();
        if info.converged || info.out_of_time || choice.trial.is_none() {
            return finish((x, info), reason);
        }
        reason +=
            &format!("; abandoned after {} passes, because it would not converge", info.passes);
    }
    if choice.solver != Solver::Eigen {
        if let Some(found) = factor::solve(ctx, system, params)? {
            return finish(found, reason);
        }
        reason += "; the matrix has no Cholesky factor, so a full eigendecomposition was computed";
    }
    finish(by_path(ctx, system, params)?, reason)
}

/// Columns with equal α, α descending.
pub(crate) fn groups(alphas: &[f64]) -> Vec<(f64, Vec<usize>)> {
    let mut order: Vec<usize> = (0..alphas.len()).collect();
    order.sort_by(|&a, &b| alphas[b].total_cmp(&alphas[a]));
    let same = order.chunk_by(|&a, &b| alphas[a] == alphas[b]);
    same.map(|columns| (alphas[columns[0]], columns.to_vec())).collect()
}

pub(crate) fn take(from: &Mat<f64>, columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(from.rows(), columns.len(), |i, c| from[(i, columns[c])])
}

pub(crate) fn put(part: &Mat<f64>, columns: &[usize], into: &mut Mat<f64>) {
    for i in 0..part.rows() {
        columns.iter().enumerate().for_each(|(c, &column)| into[(i, column)] = part[(i, c)]);
    }
}

fn smallest(alphas: &[f64]) -> f64 {
    alphas.iter().copied().fold(f64::INFINITY, f64::min)
}

fn by_products(
    ctx: &Context,
    system: System<'_>,
    trial: Option<usize>,
    params: &Params,
) -> Result<(Mat<f64>, Info)> {
    let n = system.gram.n();
    let mut cg_params =
        cg::Params::new(n, params.tolerance, trial.unwrap_or(params.max_passes), params.seed);
    cg_params.may_give_up = trial.is_some();
    // The matrix has its memory already: what is left is for the preconditioner, and for products.
    let sides = 8 * system.right.data().len() as u64;
    let left = ctx.budget().saturating_sub(product_bytes(n)).saturating_sub(sides);
    cg_params.landmarks = cg::landmarks_within(n, left / 4 * 3);
    let mut x = Mat::try_zeros(n, system.right.cols())?;
    let mut info = Info::new(Solver::Cg, 0.0, smallest(system.alphas));
    for (alpha, columns) in groups(system.alphas) {
        let ridge = vec![alpha; n];
        let matrix = cg::Matrix { gram: system.gram, rough: system.rough, ridge: &ridge };
        let (right, start) =
            (take(system.right, &columns), system.start.map(|start| take(start, &columns)));
        let (part, own) = cg::solve(ctx, matrix, &right, start.as_ref(), &cg_params)?;
        put(&part, &columns, &mut x);
        info.passes += own.passes;
        info.residual = info.residual.max(own.residual);
        info.converged &= own.converged;
        info.largest = info.largest.max(own.largest * alpha);
        info.condition = info.condition.max(1.0 + own.largest);
        if !own.converged && trial.is_some() && !ctx.is_out_of_time() {
            break;
        }
    }
    Ok((x, info))
}

/// By the eigendecomposition, which always answers.
fn by_path(ctx: &Context, system: System<'_>, params: &Params) -> Result<(Mat<f64>, Info)> {
    let path = Path::new(ctx, system.gram, system.right)?;
    let noise = path.noise(params.epsilon);
    let mut info = Info::new(Solver::Eigen, path.norm(), smallest(system.alphas));
    info.smallest = path.values().last().copied();
    info.rank = Some(path.rank(params.epsilon));
    let shifted = |alpha: f64| path.values().iter().map(move |v| (v + alpha).abs());
    let cut = |&alpha: &f64| {
        if shifted(alpha).fold(f64::INFINITY, f64::min) > noise { 0.0 } else { noise }
    };
    let cuts: Vec<f64> = system.alphas.iter().map(cut).collect();
    let condition = |(&alpha, &cut): (&f64, &f64)| {
        let kept = || shifted(alpha).filter(|v| *v > cut);
        let (most, least) = (kept().fold(0.0, f64::max), kept().fold(f64::INFINITY, f64::min));
        if most > 0.0 { most / least } else { 1.0 }
    };
    info.condition = system.alphas.iter().zip(&cuts).map(condition).fold(0.0, f64::max);
    let x = path.solve_each(ctx, system.alphas, &cuts)?;
    let left = residual(ctx, system.gram, system.alphas, &x, system.right)?;
    info.residual = relative(&left, system.right);
    let allowed = params.tolerance.max(floor(&info, system, &x, params));
    let cut_short =
        || system.alphas.iter().copied().zip(cuts.iter().copied()).filter(|c| c.1 > 0.0);
    if cut_short().next().is_some() {
        let count = |(alpha, cut): (f64, f64)| shifted(alpha).filter(|v| *v <= cut).count();
        info.truncated = Some(Truncated {
            cut: noise,
            count: cut_short().map(count).max().unwrap_or(0),
            alpha: cut_short().map(|c| c.0).fold(0.0, f64::max),
            residual: normal_residual(ctx, system, &left, path.norm())?,
        });
    }
    info.converged = info.truncated.map_or(info.residual, |t| t.residual) <= allowed;
    Ok((x, info))
}

/// Of a least-squares solution the residual is not small, but orthogonal to the image of the matrix: ‖K r‖ / (‖K‖ ‖b‖).
fn normal_residual(ctx: &Context, system: System<'_>, left: &Mat<f64>, norm: f64) -> Result<f64> {
    let image = system.gram.times(ctx, left)?;
    Ok(relative(&image, system.right) / norm.max(f64::MIN_POSITIVE))
}

/// Computes the residual of a finished solution anew, apart from the solver, and whether it is what was asked for.
pub fn certify(
    ctx: &Context,
    system: System<'_>,
    x: &Mat<f64>,
    info: &mut Info,
    params: &Params,
) -> Result<()> {
    let left = residual(ctx, system.gram, system.alphas, x, system.right)?;
    info.residual = relative(&left, system.right);
    if info.truncated.is_none() {
        info.converged = info.residual <= params.tolerance.max(floor(info, system, x, params));
    }
    Ok(())
}

/// The residual that rounding errors of the products leave, however good a solution is: ε ‖K + α‖ ‖x‖ / ‖b‖.
fn floor(info: &Info, system: System<'_>, x: &Mat<f64>, params: &Params) -> f64 {
    let n = system.gram.n() as f64;
    let size = info.largest + system.alphas.iter().copied().fold(0.0, f64::max);
    10.0 * n.sqrt() * params.epsilon * size * relative(x, system.right)
}

/// b − (K + α) x, column by column.
fn residual(
    ctx: &Context,
    gram: &dyn Gram,
    alphas: &[f64],
    x: &Mat<f64>,
    b: &Mat<f64>,
) -> Result<Mat<f64>> {
    let mut out = gram.times(ctx, x)?;
    for i in 0..b.rows() {
        let known = x.row(i).iter().zip(alphas).zip(b.row(i));
        let places = out.row_mut(i).iter_mut();
        places.zip(known).for_each(|(place, ((x, alpha), b))| *place = b - (*place + alpha * x));
    }
    Ok(out)
}

/// The largest ‖r_j‖ / ‖b_j‖; a side of zeros counts for nothing.
fn relative(r: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let squares = |of: &Mat<f64>| {
        let mut sums = vec![0.0; of.cols()];
        for i in 0..of.rows() {
            sums.iter_mut().zip(of.row(i)).for_each(|(sum, v)| *sum += v * v);
        }
        sums
    };
    let (left, all) = (squares(r), squares(b));
    let shares = left.iter().zip(&all).filter(|(_, all)| **all > 0.0);
    // Not `max`, which would pass over what is not a number.
    shares.map(|(left, all)| (left / all).sqrt()).fold(0.0, |a, b| if a > b { a } else { b })
}

#[cfg(test)]
mod tests;
