//! Rows that should be orthonormal, made so.

use super::view::Mat;

/// Below this share of the largest eigenvalue, a direction computed from it is not orthogonal to the others to more than
/// ten digits.
const FAINT: f64 = 1e-6;

/// Scales the rows, which are orthogonal up to rounding, to length 1. Rows that belong to faint eigenvalues are made
/// orthogonal to all before them; where nothing is left of a row, a unit vector takes its place.
pub fn orthonormalize_rows(rows: &mut Mat<f64>, eigenvalues: &[f64]) {
    let d = rows.cols();
    let largest = eigenvalues.first().copied().unwrap_or(0.0);
    for i in 0..rows.rows() {
        let faint = eigenvalues[i] <= FAINT * largest;
        let mut candidate = 0;
        loop {
            let (before, rest) = rows.data_mut().split_at_mut(i * d);
            let row = &mut rest[..d];
            let length = norm(row);
            if length > 0.0 {
                row.iter_mut().for_each(|v| *v /= length);
            }
            if !faint {
                break;
            }
            for _ in 0..2 {
                before.chunks_exact(d).for_each(|other| remove(row, other));
            }
            let left = norm(row);
            if length > 0.0 && left > 1e-3 && eigenvalues[i] > 1e-14 * largest
                || left > 1e-3 && candidate > 0
            {
                row.iter_mut().for_each(|v| *v /= left);
                break;
            }
            // A unit vector that the rows before do not span exists, since there are fewer of them than features.
            row.fill(0.0);
            row[candidate] = 1.0;
            candidate += 1;
        }
    }
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn remove(row: &mut [f64], other: &[f64]) {
    let part: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
    row.iter_mut().zip(other).for_each(|(a, b)| *a -= part * b);
}
