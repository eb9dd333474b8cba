//! Steps of Newton's method for the nearest matrix with a given diagonal (see `nearest`).
//!
//! Minimise f(t) = ½‖(K + Diag t)₊‖² − dᵀt. With K + Diag t = Σ λ_i v_i v_iᵀ the second derivative, where there is one, is
//!
//! ```text
//! (J h)_j = Σ_il v_ij v_lj W_il (v_iᵀ Diag(h) v_l)
//! W_il    = 1 if both eigenvalues are positive, 0 if neither, else |positive one| / (|λ_i| + |λ_l|)
//! ```
//!
//! and J h = −g is solved by conjugate gradients. With W replaced by 1 the sum is h, so of the positive and the negative
//! side the smaller is summed.

use super::product::{product, weighted_squares};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::view::Mat;
use crate::solve::threshold::negative_share;

/// Steps of conjugate gradients at most, and the residual to reach.
const INNER: usize = 60;
const INNER_TOLERANCE: f64 = 0.02;
/// Times a step is halved at most.
const HALVINGS: usize = 6;

/// A diagonal t and what is known of f there.
pub(super) struct Point {
    t: Vec<f64>,
    pairs: Eigen,
    /// How many eigenvalues are positive; they come first.
    positive: usize,
    value: f64,
    gradient: Vec<f64>,
}

impl Point {
    pub(super) fn at(ctx: &Context, k: &Mat<f64>, t: Vec<f64>) -> Result<Point> {
        let mut shifted = k.clone();
        t.iter().enumerate().for_each(|(i, t)| shifted[(i, i)] += t);
        let pairs = eigen::symmetric(ctx, shifted)?;
        let positive = pairs.values.partition_point(|value| *value > 0.0);
        let mut gradient: Vec<f64> = (0..k.rows()).map(|i| -k[(i, i)]).collect();
        let mut value: f64 = t.iter().zip(&gradient).map(|(t, minus_d)| t * minus_d).sum();
        for (i, lambda) in pairs.values[..positive].iter().enumerate() {
            value += 0.5 * lambda * lambda;
            gradient.iter_mut().zip(pairs.vectors.row(i)).for_each(|(g, v)| *g += lambda * v * v);
        }
        Ok(Point { t, pairs, positive, value, gradient })
    }

    /// How far the diagonal is off at most.
    pub(super) fn off(&self) -> f64 {
        self.gradient.iter().fold(0.0, |most, g| most.max(g.abs()))
    }

    /// (K + Diag t)₊.
    pub(super) fn positive_part(&self, ctx: &Context) -> Result<Mat<f64>> {
        let vectors = self.pairs.vectors.view().row_range(0, self.positive);
        weighted_squares(ctx, vectors, |i| self.pairs.values[i])
    }

    /// The eigenvectors of K + Diag t in rows, and how many of them, the first, belong to the positive part; those of
    /// eigenvalues that are zero up to rounding are counted there.
    pub(super) fn split(self) -> (Mat<f64>, usize) {
        let values = &self.pairs.values;
        let size = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let floor = -size * negative_share(f64::EPSILON, values.len());
        let positive = values.partition_point(|value| *value >= floor);
        (self.pairs.vectors, positive)
    }

    /// Dykstra's step, t + (d − diag X). It descends, because no second derivative exceeds 1.
    pub(super) fn plain(&self, ctx: &Context, k: &Mat<f64>) -> Result<Point> {
        Point::at(ctx, k, self.moved(&self.gradient, -1.0))
    }

    /// A step of Newton's method, shortened until it descends; none if that takes too long.
    pub(super) fn newton(&self, ctx: &Context, k: &Mat<f64>) -> Result<Option<Point>> {
        let step = self.direction(ctx)?;
        let slope = dot(&self.gradient, &step);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let next = Point::at(ctx, k, self.moved(&step, length))?;
            let falls = next.value <= self.value + 1e-4 * length * slope;
            // Close to the end f no longer distinguishes points, the gradient does.
            if falls || norm(&next.gradient) < 0.5 * norm(&self.gradient) {
                return Ok(Some(next));
            }
            length *= 0.5;
        }
        Ok(None)
    }

    /// An approximate solution of J h = −g by conjugate gradients.
    fn direction(&self, ctx: &Context) -> Result<Vec<f64>> {
        let n = self.t.len();
        let mut h = vec![0.0; n];
        let mut rest: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut along = rest.clone();
        let mut size = dot(&rest, &rest);
        let enough = INNER_TOLERANCE.powi(2) * size;
        // J may be singular where a sample has no part in the positive side.
        let ridge = 1e-10_f64.max(1e-3 * size.sqrt().min(1e-3));
        for _ in 0..INNER {
            let mut image = self.second_derivative(ctx, &along)?;
            image.iter_mut().zip(&along).for_each(|(a, h)| *a += ridge * h);
            let step = size / dot(&along, &image);
            for i in 0..n {
                h[i] += step * along[i];
                rest[i] -= step * image[i];
            }
            let next = dot(&rest, &rest);
            if next <= enough {
                break;
            }
            let turn = next / size;
            along.iter_mut().zip(&rest).for_each(|(p, r)| *p = r + turn * *p);
            size = next;
        }
        Ok(h)
    }

    /// J h.
    fn second_derivative(&self, ctx: &Context, h: &[f64]) -> Result<Vec<f64>> {
        let n = h.len();
        let from_negative = self.positive > n / 2;
        let side = if from_negative { self.positive..n } else { 0..self.positive };
        let vectors = self.pairs.vectors.view();
        let own = vectors.row_range(side.start, side.len());
        let scaled = Mat::from_fn(side.len(), n, |i, j| own.at(i, j) * h[j]);
        let mut inner = product(ctx, scaled.view(), vectors.transposed())?;
        for (row, i) in side.clone().enumerate() {
            let lambda = self.pairs.values[i].abs();
            for (l, value) in inner.row_mut(row).iter_mut().enumerate() {
                if !side.contains(&l) {
                    // Twice, for the pair stands on both sides of the diagonal of W.
                    *value *= 2.0 * lambda / (lambda + self.pairs.values[l].abs());
                }
            }
        }
        let outer = product(ctx, inner.view(), vectors)?;
        let mut out = vec![0.0; n];
        for row in 0..side.len() {
            for (j, value) in outer.row(row).iter().enumerate() {
                out[j] += own.at(row, j) * value;
            }
        }
        if from_negative {
            out.iter_mut().zip(h).for_each(|(sum, h)| *sum = h - *sum);
        }
        Ok(out)
    }

    fn moved(&self, step: &[f64], length: f64) -> Vec<f64> {
        self.t.iter().zip(step).map(|(t, h)| t + length * h).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
