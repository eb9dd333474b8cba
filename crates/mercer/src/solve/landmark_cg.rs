//! Systems of many landmarks that are too large to be stored: conjugate gradients with a sketch as preconditioner.
//!
//! Given products with M (m × m, positive semidefinite), α > 0, b_1 … b_t and A with A Aᵀ ≈ M + α, find x_j with ‖b_j − (M + α) x_j‖ ≤ tol · ‖b_j‖. All right-hand
//! sides share the products. As in [`super::cg`], the true residuals decide, and the iteration begins again on them where rounding errors made the others drift.

use rayon::prelude::*;

use crate::context::{Context, Step};
use crate::error::Result;
use crate::linalg::cholesky;
use crate::linalg::product::{Onto, multiply, multiply_lower};
use crate::linalg::view::{Mat, MatMut};

/// What to reach.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Residuals ‖b − (M + α) x‖ / ‖b‖ to reach.
    pub tolerance: f64,
    /// Products at most.
    pub max_passes: usize,
}

/// How it went.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Products.
    pub passes: usize,
    /// The largest true residual ‖b − (M + α) x‖ / ‖b‖.
    pub residual: f64,
    /// Whether every residual reached the tolerance.
    pub converged: bool,
}

/// Products with M: m × t to m × t.
pub type Product<'a> = dyn FnMut(&Mat<f64>) -> Result<Mat<f64>> + 'a;

/// Rows of a task.
const ROWS: usize = 96;

/// B Bᵀ (m × m) for the sketch B (m × d): its lower triangle.
pub fn square(ctx: &Context, sketch: &Mat<f64>) -> Result<Mat<f64>> {
    let m = sketch.rows();
    let mut out = Mat::try_zeros(m, m)?;
    ctx.install(|| {
        out.data_mut().par_chunks_mut(ROWS * m).enumerate().rev().try_for_each(|(piece, rows)| {
            ctx.poll()?;
            let (start, count) = (piece * ROWS, rows.len() / m);
            let own = sketch.view().row_range(start, count);
            let left = sketch.view().row_range(0, start).transposed();
            multiply(own, left, MatMut::new(rows, count, start, m), Onto::Nothing);
            let corner = MatMut::new(&mut rows[start..], count, count, m);
            multiply_lower(own, own.transposed(), corner, Onto::Nothing);
            Ok(())
        })
    })?;
    Ok(out)
}

/// What is added to the diagonal of a preconditioner at least, relative to its trace: less is lost in rounding.
const LEAST: f64 = 1e-13;

/// A with A Aᵀ = `matrix` + α, and the largest eigenvalue of that. Where α is lost in rounding, A is that of a larger one: it decides on the number of products alone.
pub fn preconditioner(ctx: &Context, mut matrix: Mat<f64>, alpha: f64) -> Result<(Mat<f64>, f64)> {
    let m = matrix.rows();
    let trace: f64 = (0..m).map(|i| matrix[(i, i)]).sum();
    (0..m).for_each(|i| matrix[(i, i)] += alpha.max(LEAST * trace));
    cholesky::factor(&ctx.without_steps(), &mut matrix)?;
    let largest = largest(&matrix);
    Ok((matrix, largest))
}

/// The largest eigenvalue of A Aᵀ, nearly, by power iteration.
fn largest(a: &Mat<f64>) -> f64 {
    let m = a.rows();
    let (mut v, mut size) = (vec![1.0; m], 0.0);
    for _ in 0..12 {
        let mut turned = vec![0.0; m];
        for (i, x) in v.iter().enumerate() {
            turned.iter_mut().zip(&a.row(i)[..=i]).for_each(|(t, l)| *t += l * x);
        }
        v = (0..m).map(|i| a.row(i)[..=i].iter().zip(&turned).map(|(l, t)| l * t).sum()).collect();
        size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.iter_mut().for_each(|x| *x /= size);
    }
    size
}

/// Solves for every column of `b` (m × t).
pub fn solve(
    ctx: &Context,
    product: &mut Product<'_>,
    alpha: f64,
    b: &Mat<f64>,
    preconditioner: &Mat<f64>,
    params: &Params,
) -> Result<(Mat<f64>, Info)> {
    let timed = &ctx.with_partial_result();
    let size = lengths(b);
    let mut x = Mat::try_zeros(b.rows(), b.cols())?;
    let (mut r, mut passes) = (b.clone(), 0);
    let mut worst = relative(&r, &size);
    let first = worst;
    while worst > params.tolerance && passes < params.max_passes {
        let before = worst;
        let mut z = divide(timed, preconditioner, &r)?;
        let mut p = z.clone();
        let mut rz = dots(&r, &z);
        loop {
            let mut q = product(&p)?;
            passes += 1;
            add(&mut q, &p, &vec![alpha; b.cols()]);
            let steps = quotients(&rz, &dots(&p, &q));
            add(&mut x, &p, &steps);
            add(&mut r, &q, &steps.iter().map(|s| -s).collect::<Vec<_>>());
            worst = relative(&r, &size);
            timed.step(progress(first, worst, params.tolerance))?;
            let spent = passes + 1 >= params.max_passes || timed.is_out_of_time();
            if worst.is_nan() || worst <= 0.5 * params.tolerance || spent {
                break;
            }
            z = divide(timed, preconditioner, &r)?;
            let next = dots(&r, &z);
            let turns = quotients(&next, &rz);
            let old = std::mem::replace(&mut p, z);
            add(&mut p, &old, &turns);
            rz = next;
        }
        r = product(&x)?;
        passes += 1;
        for (i, b) in b.data().iter().enumerate() {
            let image = r.data()[i] + alpha * x.data()[i];
            r.data_mut()[i] = b - image;
        }
        worst = relative(&r, &size);
        // Rounding errors leave no more to gain, or no time is left.
        if worst.is_nan() || worst > 0.5 * before || timed.is_out_of_time() {
            break;
        }
    }
    Ok((x, Info { passes, residual: worst, converged: worst <= params.tolerance }))
}

fn divide(ctx: &Context, a: &Mat<f64>, r: &Mat<f64>) -> Result<Mat<f64>> {
    let mut z = r.clone();
    cholesky::solve(ctx, a, &mut z)?;
    Ok(z)
}

fn progress(first: f64, worst: f64, tolerance: f64) -> Step {
    let wanted = (first / tolerance).log10().max(1.0);
    let won = (first / worst.max(tolerance)).log10().clamp(0.0, wanted);
    Step { residual: Some(worst), ..Step::new("coefficients", won, wanted) }
}

/// `a += b · diag(by)`.
fn add(a: &mut Mat<f64>, b: &Mat<f64>, by: &[f64]) {
    for i in 0..a.rows() {
        let terms = b.row(i).iter().zip(by);
        a.row_mut(i).iter_mut().zip(terms).for_each(|(a, (b, by))| *a += by * b);
    }
}

/// Inner products of columns.
fn dots(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; a.cols()];
    for i in 0..a.rows() {
        let terms = a.row(i).iter().zip(b.row(i));
        sums.iter_mut().zip(terms).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums
}

/// a / b, and 0 for a column that is finished.
fn quotients(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}

fn lengths(a: &Mat<f64>) -> Vec<f64> {
    dots(a, a).into_iter().map(f64::sqrt).collect()
}

/// The largest length relative to `size`; a column without size counts for nothing.
fn relative(r: &Mat<f64>, size: &[f64]) -> f64 {
    let lengths = lengths(r);
    let shares = lengths.iter().zip(size).filter(|(_, size)| **size > 0.0);
    // Not `max`, which would pass over what is not a number.
    shares.map(|(length, size)| length / size).fold(0.0, |a, b| if a > b { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    fn normal(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut stream = Stream::new(seed, "test");
        Mat::from_vec((0..rows * cols).map(|_| stream.normal()).collect(), rows, cols)
    }

    /// Columns that shrink by many digits.
    fn features() -> Mat<f64> {
        let x = normal(2000, 150, 1);
        Mat::from_fn(2000, 150, |i, j| x[(i, j)] * 0.9_f64.powi(j as i32))
    }

    #[test]
    fn a_sketch_of_the_rows_is_a_good_preconditioner() {
        let (ctx, x) = (Context::new(2), features());
        let mut m = square(&ctx, &Mat::from_fn(150, 2000, |i, j| x[(j, i)])).unwrap();
        (0..150).for_each(|i| (0..i).for_each(|j| m[(j, i)] = m[(i, j)]));
        let mut stream = Stream::new(2, "test");
        let mut sketch = Mat::zeros(150, 300);
        for i in 0..2000 {
            let (to, sign) = (stream.below(300), if stream.below(2) == 0 { 1.0 } else { -1.0 });
            (0..150).for_each(|j| sketch[(j, to)] += sign * x[(i, j)]);
        }
        let (b, alpha) = (normal(150, 3, 4), 1e-6);
        let mut product = |v: &Mat<f64>| {
            let mut out = Mat::zeros(150, v.cols());
            multiply(m.view(), v.view(), out.view_mut(), Onto::Nothing);
            Ok(out)
        };
        let (a, largest) = preconditioner(&ctx, square(&ctx, &sketch).unwrap(), alpha).unwrap();
        assert!(largest > 1000.0 && largest < 6000.0, "{largest}");
        let params = Params { tolerance: 1e-8, max_passes: 100 };
        let (found, info) = solve(&ctx, &mut product, alpha, &b, &a, &params).unwrap();
        assert!(info.converged && info.passes < 70, "{info:?}");
        let image = product(&found).unwrap();
        for (at, want) in b.data().iter().enumerate() {
            assert!((image.data()[at] + alpha * found.data()[at] - want).abs() < 1e-6);
        }
        let few = Params { tolerance: 1e-8, max_passes: 5 };
        let (_, info) = solve(&ctx, &mut product, alpha, &b, &a, &few).unwrap();
        assert!(!info.converged && info.passes <= 6 && info.residual > 1e-8, "{info:?}");
    }
}
