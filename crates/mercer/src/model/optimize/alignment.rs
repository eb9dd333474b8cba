//! Centred alignment (Cortes, Mohri and Rostamizadeh, 2012): ⟨K̄, Ȳ Ȳᵀ⟩ / (‖K̄‖ ‖Ȳ Ȳᵀ‖), the cosine of the angle between the centred kernel
//! matrix and that of the centred targets.

use super::problem::Loss;
use crate::linalg::view::Mat;

/// Minus the alignment of the matrix whose lower triangle is `values`; +∞ for one that is constant once centred.
pub(super) fn loss<'s>(values: &'s Mat<f64>, y: &Mat<f64>) -> Loss<'s> {
    let n = values.rows();
    let y = centred(y);
    let means = means(values);
    let mean = means.iter().sum::<f64>() / n as f64;
    let entry = move |means: &[f64], i: usize, j: usize| {
        let value = if j <= i { values[(i, j)] } else { values[(j, i)] };
        value - means[i] - means[j] + mean
    };
    let product =
        |i: usize, j: usize| -> f64 { y.row(i).iter().zip(y.row(j)).map(|(a, b)| a * b).sum() };
    let (mut inner, mut of_kernel, mut of_targets) = (0.0, 0.0, 0.0);
    for i in 0..n {
        for j in 0..=i {
            let (k, t) = (entry(&means, i, j), product(i, j));
            let times = if i == j { 1.0 } else { 2.0 };
            inner += times * k * t;
            of_kernel += times * k * k;
            of_targets += times * t * t;
        }
    }
    let (long, wide) = (of_kernel.sqrt(), of_targets.sqrt());
    let alignment = inner / (long * wide);
    let value = if alignment.is_finite() { -alignment } else { f64::INFINITY };
    let y = y.clone();
    Loss {
        value,
        diagonal: Vec::new(),
        weights: Box::new(move |rows, cols| {
            let product = |i: usize, j: usize| -> f64 {
                y.row(i).iter().zip(y.row(j)).map(|(a, b)| a * b).sum()
            };
            let weight = |i: usize, j: usize| {
                alignment * entry(&means, i, j) / (long * long) - product(i, j) / (long * wide)
            };
            let lines = rows.map(|i| cols.clone().map(move |j| (i, j)));
            lines.flatten().map(|(i, j)| weight(i, j)).collect()
        }),
    }
}

/// Each column less its mean.
fn centred(y: &Mat<f64>) -> Mat<f64> {
    let n = y.rows();
    let means: Vec<f64> =
        (0..y.cols()).map(|j| (0..n).map(|i| y[(i, j)]).sum::<f64>() / n as f64).collect();
    Mat::from_fn(n, y.cols(), |i, j| y[(i, j)] - means[j])
}

/// The means of rows of a symmetric matrix given by its lower triangle.
fn means(values: &Mat<f64>) -> Vec<f64> {
    let n = values.rows();
    let mut sums = vec![0.0; n];
    for i in 0..n {
        for (j, v) in values.row(i)[..i].iter().enumerate() {
            sums[i] += v;
            sums[j] += v;
        }
        sums[i] += values[(i, i)];
    }
    sums.iter().map(|sum| sum / n as f64).collect()
}
