//! Ridge systems by a Cholesky factor for each ridge.
//!
//! ```text
//! L Lᵀ = K + α, in single precision where that suffices;  x ← 0
//! repeat  r ← b − (K + α) x in double precision;  x ← x + L⁻ᵀ L⁻¹ r   until ‖r‖ ≤ tol ‖b‖
//! ```
//!
//! Each round gains about as many digits as the factor has beyond those of the condition number. Where it gains nothing,
//! the factor is made again in double precision.

use super::condition::largest;
use super::{Info, Params, Solver, System, floor, groups, put, relative, residual, smallest, take};
use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::linalg::block::Block;
use crate::linalg::cholesky;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;
use crate::real::Real;

/// From this size on, a single-precision factor and its corrections cost less than one in double precision.
const ROUGH_FROM: usize = 1500;

/// The ridge, relative to the largest eigenvalue, up to which a factor in single precision, of seven digits, has too few left.
const HARMLESS: f64 = 3e-7;

/// Rounds of correction at most.
const ROUNDS: usize = 12;

/// Solves all columns, or returns `None` where K + α has no factor, or none to speak of.
pub(super) fn solve(
    ctx: &Context,
    system: System<'_>,
    params: &Params,
) -> Result<Option<(Mat<f64>, Info)>> {
    let n = system.gram.n();
    let image = |v: &Block| {
        let mut out = Block::zeros(n);
        system.gram.apply(ctx, v, &mut out).map(|()| out)
    };
    // The trace bounds the largest eigenvalue of a kernel matrix. Where even that bound is harmless, nothing need be
    // estimated.
    let trace: f64 = system.gram.diag(ctx)?.iter().sum();
    let top = match smallest(system.alphas) > HARMLESS * trace && trace > 0.0 {
        true => trace,
        false => largest(n, 2, params.seed, image)?,
    };
    let mut info = Info::new(Solver::Cholesky, top, smallest(system.alphas));
    let mut x = Mat::zeros(n, system.right.cols());
    for (alpha, columns) in groups(system.alphas) {
        let one = One { ctx, gram: system.gram, alpha, params, top };
        let Some((part, own)) = one.solve(&take(system.right, &columns))? else {
            return Ok(None);
        };
        put(&part, &columns, &mut x);
        info.residual = info.residual.max(own.residual);
        info.condition = own.condition.unwrap_or(info.condition);
        info.rank = own.rank.or(info.rank);
    }
    info.converged = info.residual <= params.tolerance.max(floor(&info, system, &x, params));
    Ok(Some((x, info)))
}

/// The systems of one ridge.
struct One<'a> {
    ctx: &'a Context,
    gram: &'a dyn Gram,
    alpha: f64,
    params: &'a Params,
    /// About the largest eigenvalue of K.
    top: f64,
}

struct Outcome {
    residual: f64,
    condition: Option<f64>,
    rank: Option<usize>,
}

impl One<'_> {
    fn solve(&self, b: &Mat<f64>) -> Result<Option<(Mat<f64>, Outcome)>> {
        let harmless = self.alpha > HARMLESS * self.top;
        if self.params.epsilon < 1e-10 && self.gram.n() >= ROUGH_FROM && harmless {
            let _reservation = self.reserve(size_of::<f32>())?;
            let mut factor = self.gram.lower_f32(self.ctx)?;
            (0..factor.rows()).for_each(|i| factor[(i, i)] += self.alpha as f32);
            if definite(cholesky::factor(self.ctx, &mut factor))? {
                let (x, residual) = self.correct(&factor, b)?;
                if residual <= self.params.tolerance {
                    return Ok(Some((x, Outcome { residual, condition: None, rank: None })));
                }
            }
        }
        self.in_double(b)
    }

    /// Sets aside a square matrix of numbers of `size` bytes, and panels of it.
    fn reserve(&self, size: usize) -> Result<Reservation> {
        let n = self.gram.n() as u64;
        let bytes = n.saturating_mul(n).saturating_mul(size as u64).saturating_add(8 * 512 * n);
        let hint = "use solver cg, which needs only matrix products, fit on fewer rows, or raise the memory budget";
        self.ctx.reserve("the Cholesky factor", bytes, hint)
    }

    fn in_double(&self, b: &Mat<f64>) -> Result<Option<(Mat<f64>, Outcome)>> {
        let n = self.gram.n();
        let _reservation = self.reserve(size_of::<f64>())?;
        let mut factor = self.gram.lower(self.ctx)?;
        (0..n).for_each(|i| factor[(i, i)] += self.alpha);
        if !definite(cholesky::factor(self.ctx, &mut factor))? {
            return Ok(None);
        }
        let mut outcome = Outcome { residual: 0.0, condition: None, rank: None };
        if self.alpha < 1e6 * self.params.epsilon * self.top {
            outcome.condition = Some(self.condition(&factor)?);
            let noise = n as f64 * self.params.epsilon * self.top;
            // In exact arithmetic, the pivots of a matrix of rank r exceed α at r places.
            let pivot = |i: &usize| factor[(*i, *i)].powi(2) - self.alpha > noise;
            outcome.rank = Some((0..n).filter(pivot).count());
            let rounding = self.params.epsilon * n as f64;
            if self.alpha == 0.0 && outcome.condition.is_none_or(|c| c * rounding > 1.0) {
                return Ok(None);
            }
        }
        let (x, residual) = self.correct(&factor, b)?;
        outcome.residual = residual;
        Ok(Some((x, outcome)))
    }

    /// The condition number of K + α, from its largest eigenvalue and the largest one of its inverse.
    fn condition(&self, factor: &Mat<f64>) -> Result<f64> {
        let n = factor.rows();
        let inverse = largest(n, 4, self.params.seed, |v| {
            let mut sides = Mat::from_vec(v.lanes().as_flattened().to_vec(), n, WIDTH);
            cholesky::solve(self.ctx, factor, &mut sides)?;
            Ok(Block::from_fn(n, |i, c| sides[(i, c)]))
        })?;
        Ok((self.top + self.alpha) * inverse)
    }

    /// Solves with a factor of K + α that may be rough.
    fn correct<T: Real>(&self, factor: &Mat<T>, b: &Mat<f64>) -> Result<(Mat<f64>, f64)> {
        let (n, m) = (b.rows(), b.cols());
        let alphas = vec![self.alpha; m];
        let mut x = Mat::zeros(n, m);
        let mut left = b.clone();
        let mut worst = 1.0;
        for round in 0..ROUNDS {
            let rounded = left.data().iter().map(|&v| T::from_f64(v)).collect();
            let mut step = Mat::from_vec(rounded, n, m);
            cholesky::solve(self.ctx, factor, &mut step)?;
            let mut next = x.clone();
            next.data_mut().iter_mut().zip(step.data()).for_each(|(x, s)| *x += s.to_f64());
            let after = residual(self.ctx, self.gram, &alphas, &next, b)?;
            let now = relative(&after, b);
            // What is not a number is less than nothing, and so no gain.
            let (gains, goes_on) = (now < worst || round == 0, now < 0.3 * worst);
            if gains {
                (x, left) = (next, after);
            }
            if now <= self.params.tolerance || !goes_on {
                return Ok((x, if gains { now } else { worst }));
            }
            worst = now;
        }
        Ok((x, worst))
    }
}

fn definite(factored: Result<()>) -> Result<bool> {
    match factored {
        Ok(()) => Ok(true),
        Err(Error::Numeric(_)) => Ok(false),
        Err(other) => Err(other),
    }
}
