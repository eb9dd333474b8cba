//! Slow and plain answers for a dozen samples, which share nothing with the library.

/// A square matrix by its rows.
pub type Square = Vec<Vec<f64>>;

/// A kernel that is small enough to be written twice.
#[derive(Clone, Copy, Debug)]
pub enum Plain {
    Linear,
    Rbf(f64),
    Poly(i32),
    Laplacian(f64),
}

impl Plain {
    /// The kernel as the library reads it.
    pub fn spec(self) -> String {
        match self {
            Plain::Linear => "linear".into(),
            Plain::Rbf(gamma) => format!("rbf(gamma={gamma})"),
            Plain::Poly(degree) => format!("poly(degree={degree}, gamma=1, coef0=1)"),
            Plain::Laplacian(gamma) => format!("laplacian(gamma={gamma})"),
        }
    }

    /// The kernel of two samples.
    pub fn value(self, a: &[f64], b: &[f64]) -> f64 {
        let sum =
            |term: fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| term(*a, *b)).sum::<f64>();
        match self {
            Plain::Linear => sum(|a, b| a * b),
            Plain::Rbf(gamma) => (-gamma * sum(|a, b| (a - b).powi(2))).exp(),
            Plain::Poly(degree) => (sum(|a, b| a * b) + 1.0).powi(degree),
            Plain::Laplacian(gamma) => (-gamma * sum(|a, b| (a - b).abs())).exp(),
        }
    }
}

/// x with A x = b, by elimination with pivots. A is not singular.
pub fn solve(mut a: Square, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for column in 0..n {
        let larger = |i: &usize, j: &usize| a[*i][column].abs().total_cmp(&a[*j][column].abs());
        let pivot = (column..n).max_by(larger).unwrap_or(column);
        a.swap(column, pivot);
        b.swap(column, pivot);
        for row in column + 1..n {
            let factor = a[row][column] / a[column][column];
            for j in column..n {
                a[row][j] -= factor * a[column][j];
            }
            b[row] -= factor * b[column];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|j| a[row][j] * b[j]).sum();
        b[row] = (b[row] - known) / a[row][row];
    }
    b
}

/// The eigenvalues of a symmetric matrix, descending, by Jacobi's rotations.
pub fn eigenvalues(mut a: Square) -> Vec<f64> {
    let n = a.len();
    for _ in 0..40 {
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, p, q);
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

fn rotate(a: &mut Square, p: usize, q: usize) {
    if a[p][q].abs() < 1e-300 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..a.len() {
        let (x, y) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..a.len() {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
    }
}

/// The matrix with the mean of its rows and of its columns taken away.
pub fn centred(k: &Square) -> Square {
    let n = k.len();
    let rows: Vec<f64> = k.iter().map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let all = rows.iter().sum::<f64>() / n as f64;
    (0..n).map(|i| (0..n).map(|j| k[i][j] - rows[i] - rows[j] + all).collect()).collect()
}

/// Primal and dual objective of a machine of two classes (y = ±1) with the signed coefficients β = αy. The constant is the
/// best there is: the primal is a piecewise linear function of it, whose corners are tried.
pub fn objectives(k: &Square, y: &[f64], beta: &[f64], c: f64) -> (f64, f64) {
    let n = y.len();
    let f: Vec<f64> = (0..n).map(|i| (0..n).map(|j| k[i][j] * beta[j]).sum()).collect();
    let quadratic: f64 = (0..n).map(|i| beta[i] * f[i]).sum::<f64>() / 2.0;
    let loss = |b: f64| (0..n).map(|i| (1.0 - y[i] * (f[i] + b)).max(0.0)).sum::<f64>();
    let least = (0..n).map(|i| loss(y[i] - f[i])).fold(f64::INFINITY, f64::min);
    let alpha: f64 = (0..n).map(|i| beta[i] * y[i]).sum();
    (quadratic + c * least, alpha - quadratic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracles_know_answers_by_hand() {
        let a = vec![vec![0.0, 2.0], vec![1.0, 1.0]];
        assert_eq!(solve(a, vec![2.0, 3.0]), [2.0, 1.0]);
        let found = eigenvalues(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        assert!((found[0] - 3.0).abs() < 1e-12 && (found[1] - 1.0).abs() < 1e-12);
        // Two samples at ±1 on a line: the margin is reached with α = ½ each.
        let k = vec![vec![1.0, -1.0], vec![-1.0, 1.0]];
        assert_eq!(objectives(&k, &[1.0, -1.0], &[0.5, -0.5], 1.0), (0.5, 0.5));
        assert_eq!(centred(&vec![vec![3.0; 2]; 2]), vec![vec![0.0; 2]; 2]);
        assert_eq!(Plain::Poly(2).value(&[1.0, 2.0], &[0.5, 0.25]), 4.0);
    }
}
