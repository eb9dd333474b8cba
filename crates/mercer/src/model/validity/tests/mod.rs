//! What is a kernel and what is not, by laws and by loops.

mod properties;
mod repaired;
mod verdicts;

use super::{Correction, Repair, Repaired, Validity, Verdict};
use crate::context::{Context, Stream};
use crate::error::{Error, Result};
use crate::linalg::eigen;
use crate::linalg::view::Mat;

/// n × d standard normal numbers.
fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut stream = Stream::new(seed, "validity");
    Mat::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d)
}

/// The matrix of a function of two rows.
fn matrix_of(x: &Mat<f64>, k: impl Fn(&[f64], &[f64]) -> f64) -> Mat<f64> {
    Mat::from_fn(x.rows(), x.rows(), |i, j| k(x.row(i), x.row(j)))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn sigmoid(a: &[f64], b: &[f64]) -> f64 {
    (0.5 * dot(a, b) + 1.0).tanh()
}

fn assess(matrix: &Mat<f64>) -> Result<Validity> {
    Validity::of(&Context::new(2), matrix.view())
}

fn repair(method: Repair, matrix: &Mat<f64>) -> Result<Repaired> {
    method.fit(&Context::new(2), matrix.view())
}

fn eigenvalues(matrix: &Mat<f64>) -> Vec<f64> {
    eigen::symmetric(&Context::new(2), matrix.clone()).unwrap().values
}

/// ‖a − b‖ in the Frobenius norm.
fn apart(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn size(a: &Mat<f64>) -> f64 {
    apart(a, &Mat::zeros(a.rows(), a.cols()))
}
