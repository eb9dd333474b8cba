//! Two-loop references: slow, short, and nothing shared with the library but its kernel values.

use mercer::context::Stream;
use mercer::points::Dense;
use mercer::real::Real;

/// n × d normal numbers.
pub fn normal(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "test data");
    (0..n * d).map(|_| stream.normal()).collect()
}

/// A sample set of `data`.
pub fn dense<T: Real>(data: &[f64], n: usize, d: usize) -> Dense<T> {
    let data: Vec<T> = data.iter().map(|&v| T::from_f64(v)).collect();
    Dense::from_rows(&data, n, d).unwrap()
}

/// All eigenvalues (descending) and eigenvectors (rows) of a symmetric matrix by cyclic Jacobi rotations.
pub fn eigen(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = matrix.len();
    let mut a = matrix.to_vec();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[p][k], v[q][k]);
                    (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let values = order.iter().map(|&i| a[i][i]).collect();
    (values, order.iter().map(|&i| v[i].clone()).collect())
}

/// J K J by definition.
pub fn centred(k: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = k.len();
    let row = |i: usize| k[i].iter().sum::<f64>() / n as f64;
    let rows: Vec<f64> = (0..n).map(row).collect();
    let all = rows.iter().sum::<f64>() / n as f64;
    (0..n).map(|i| (0..n).map(|j| k[i][j] - rows[i] - rows[j] + all).collect()).collect()
}

/// The largest difference of two slices.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// The largest difference of two m × k matrices when the sign of each column is free.
pub fn difference_up_to_sign(a: &[f64], b: &[f64], k: usize) -> f64 {
    assert_eq!(a.len(), b.len());
    let column = |x: &[f64], c: usize| x.iter().skip(c).step_by(k).copied().collect::<Vec<_>>();
    (0..k)
        .map(|c| {
            let (x, y) = (column(a, c), column(b, c));
            let minus: Vec<f64> = y.iter().map(|v| -v).collect();
            difference(&x, &y).min(difference(&x, &minus))
        })
        .fold(0.0, f64::max)
}
