//! Tests proved by two loops, by all permutations, and by the level that they keep.

mod by_column;
mod fit;
mod pairs;
mod two_samples;

use crate::context::Stream;
use crate::points::Dense;

/// n rows of d standard normal numbers, each plus `shift`.
fn normal(n: usize, d: usize, shift: f64, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "samples of a test");
    (0..n * d).map(|_| stream.normal() + shift).collect()
}

fn dense(values: Vec<f64>, d: usize) -> Dense<f64> {
    let n = values.len() / d;
    Dense::from_vec(values, n, d).unwrap()
}

/// How far the shares of p-values up to 0.05, 0.1, … 0.95 are from these levels: Kolmogorov's distance on a grid.
fn distance_from_uniform(p_values: &[f64]) -> f64 {
    let share = |level: f64| {
        let below = p_values.iter().filter(|&&p| p <= level + 1e-12).count();
        below as f64 / p_values.len() as f64
    };
    (1..20)
        .map(|i| f64::from(i) / 20.0)
        .map(|level| (share(level) - level).abs())
        .fold(0.0, f64::max)
}
