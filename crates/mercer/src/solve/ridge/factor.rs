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
use crate::gram::{Factor, Gram};
use crate::linalg::block::Block;
use crate::linalg::cholesky;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;

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
        if let Some(factor) = self.gram.factor(self.ctx, self.alpha) {
            return match definite(factor)? {
                Some(factor) => self.by_factor(&*factor, b),
                None => Ok(None),
            };
        }
        if self.params.epsilon < 1e-10 && self.gram.n() >= ROUGH_FROM && harmless {
            let _reservation = self.reserve(size_of::<f32>())?;
            let mut factor = self.gram.lower_f32(self.ctx)?;
            (0..factor.rows()).for_each(|i| factor[(i, i)] += self.alpha as f32);
            if definite(cholesky::factor(self.ctx, &mut factor))?.is_some() {
                let (x, residual) = self.correct(b, |left| {
                    let rounded = left.data().iter().map(|&v| v as f32).collect();
                    let mut step = Mat::from_vec(rounded, left.rows(), left.cols());
                    cholesky::solve(self.ctx, &factor, &mut step)?;
                    let wide = step.into_vec().into_iter().map(f64::from).collect();
                    Ok(Mat::from_vec(wide, left.rows(), left.cols()))
                })?;
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
        if definite(cholesky::factor(self.ctx, &mut factor))?.is_none() {
            return Ok(None);
        }
        self.by_factor(&factor, b)
    }

    /// Solves with a factor in double precision.
    fn by_factor(&self, factor: &dyn Factor, b: &Mat<f64>) -> Result<Option<(Mat<f64>, Outcome)>> {
        let n = self.gram.n();
        let mut outcome = Outcome { residual: 0.0, condition: None, rank: None };
        if self.alpha < 1e6 * self.params.epsilon * self.top {
            outcome.condition = Some(self.condition(factor)?);
            let noise = n as f64 * self.params.epsilon * self.top;
            // In exact arithmetic, the pivots of a matrix of rank r exceed α at r places.
            let pivot = |v: &f64| v.powi(2) - self.alpha > noise;
            outcome.rank = Some(factor.diagonal().iter().filter(|v| pivot(v)).count());
            let rounding = self.params.epsilon * n as f64;
            if self.alpha == 0.0 && outcome.condition.is_none_or(|c| c * rounding > 1.0) {
                return Ok(None);
            }
        }
        let (x, residual) = self.correct(b, |left| {
            let mut step = left.clone();
            factor.solve(self.ctx, &mut step).map(|()| step)
        })?;
        outcome.residual = residual;
        Ok(Some((x, outcome)))
    }

    /// The condition number of K + α, from its largest eigenvalue and the largest one of its inverse.
    fn condition(&self, factor: &dyn Factor) -> Result<f64> {
        let n = self.gram.n();
        let inverse = largest(n, 4, self.params.seed, |v| {
            let mut sides = Mat::from_vec(v.lanes().as_flattened().to_vec(), n, WIDTH);
            factor.solve(self.ctx, &mut sides)?;
            Ok(Block::from_fn(n, |i, c| sides[(i, c)]))
        })?;
        Ok((self.top + self.alpha) * inverse)
    }

    /// Solves by `solve`, which divides by K + α and may be rough.
    fn correct(
        &self,
        b: &Mat<f64>,
        solve: impl Fn(&Mat<f64>) -> Result<Mat<f64>>,
    ) -> Result<(Mat<f64>, f64)> {
        let (n, m) = (b.rows(), b.cols());
        let alphas = vec![self.alpha; m];
        let mut x = Mat::zeros(n, m);
        let mut left = b.clone();
        let mut worst = 1.0;
        for round in 0..ROUNDS {
            let step = solve(&left)?;
            let mut next = x.clone();
            next.data_mut().iter_mut().zip(step.data()).for_each(|(x, s)| *x += s);
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

impl Factor for Mat<f64> {
    fn solve(&self, ctx: &Context, right: &mut Mat<f64>) -> Result<()> {
        cholesky::solve(ctx, self, right)
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.rows()).map(|i| self[(i, i)]).collect()
    }
}

/// None for a matrix that has no factor.
fn definite<F>(factored: Result<F>) -> Result<Option<F>> {
    match factored {
        Ok(factor) => Ok(Some(factor)),
        Err(Error::Numeric(_)) => Ok(None),
        Err(other) => Err(other),
    }
}
