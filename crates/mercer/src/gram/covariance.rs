//! X̄ᵀX̄ as something to multiply with, read from the caller's own memory. Sums are f64 whatever the data is: components of
//! small variance would be lost in rounding errors of large ones.

use rayon::prelude::*;

use super::Operator;
use crate::context::Context;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::scatter::shifted_row;
use crate::linalg::skinny::{self, Lane, TileRef, WIDTH};
use crate::linalg::view::MatRef;
use crate::real::Real;

/// Rows of the data that are worked on at a time.
const STRIP: usize = 128;
/// Tasks that share products with the whole data; fixed, whatever the number of threads.
const TASKS: usize = 16;

/// Products with X̄ᵀX̄.
pub struct Covariance<'a, T> {
    x: MatRef<'a, T>,
    mean: Vec<f64>,
}

impl<'a, T: Real> Covariance<'a, T> {
    /// Of samples `x` (n × d) with the given mean.
    pub fn new(x: MatRef<'a, T>, mean: &[f64]) -> Self {
        Self { x, mean: mean.to_vec() }
    }
}

impl<T: Real> Covariance<'_, T> {
    /// Bytes that a product of n samples with d features takes: for each task a sum, and a strip of samples.
    pub fn bytes(n: usize, d: usize) -> u64 {
        let tasks = TASKS.min(n.div_ceil(STRIP)) as u64;
        let sum = (d + 2 * STRIP) as u64 * size_of::<Lane<f64>>() as u64;
        tasks * (sum + (STRIP * d * size_of::<T>()) as u64)
    }
}

impl<T: Real> Operator for Covariance<'_, T> {
    fn n(&self) -> usize {
        self.x.cols()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let (n, d) = (self.x.rows(), self.x.cols());
        let strips = n.div_ceil(STRIP);
        let tasks = TASKS.min(strips);
        let parts: Vec<Vec<Lane<f64>>> = ctx.install(|| {
            (0..tasks)
                .into_par_iter()
                .map(|task| {
                    let mut sum = vec![[0.0; WIDTH]; d];
                    let mut buffer = vec![0.0; STRIP * d];
                    for strip in task * strips / tasks..(task + 1) * strips / tasks {
                        ctx.poll()?;
                        let rows = STRIP.min(n - strip * STRIP);
                        for (r, line) in buffer.chunks_exact_mut(d).take(rows).enumerate() {
                            shifted_row(self.x, strip * STRIP + r, &self.mean, line);
                        }
                        let tile = TileRef { data: &buffer, rows, cols: d, stride: d };
                        let mut inner = vec![[0.0; WIDTH]; rows];
                        skinny::multiply(tile, v.lanes(), &mut inner);
                        skinny::multiply_transposed(tile, &inner, &mut sum);
                    }
                    Ok(sum)
                })
                .collect::<Result<_>>()
        })?;
        for (i, lane) in out.lanes_mut().iter_mut().enumerate() {
            *lane = std::array::from_fn(|c| parts.iter().map(|part| part[i][c]).sum());
        }
        Ok(())
    }
}
