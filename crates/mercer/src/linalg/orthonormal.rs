//! Rows that should be orthonormal, made so.

use super::product::{Onto, multiply};
use super::view::{Mat, MatMut, MatRef};

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

/// Rows that are made orthogonal to those before them at a time.
const PANEL: usize = 32;

/// Makes the rows orthonormal, of which there are at most as many as columns: each row loses its parts along those before it. Rows of
/// independent normal numbers become directions that are uniform on the sphere. They must be linearly independent.
pub fn orthonormalize_all(rows: &mut Mat<f64>) {
    let (n, d) = (rows.rows(), rows.cols());
    assert!(n <= d, "{n} rows of {d} numbers cannot be orthonormal");
    for start in (0..n).step_by(PANEL) {
        let height = PANEL.min(n - start);
        let (before, rest) = rows.data_mut().split_at_mut(start * d);
        let panel = &mut rest[..height * d];
        // Once more for what rounding leaves.
        for _ in 0..2 {
            remove_span(panel, before, d);
            for i in 0..height {
                let (earlier, row) = panel.split_at_mut(i * d);
                let row = &mut row[..d];
                earlier.chunks_exact(d).for_each(|other| remove(row, other));
                let length = norm(row);
                row.iter_mut().for_each(|v| *v /= length);
            }
        }
    }
}

/// `panel ← panel − (panel·beforeᵀ)·before` for rows of d numbers.
fn remove_span(panel: &mut [f64], before: &[f64], d: usize) {
    let (height, count) = (panel.len() / d, before.len() / d);
    if count == 0 {
        return;
    }
    let known = MatRef::new(before, count, d, d);
    let mut parts = Mat::zeros(height, count);
    let own = MatRef::new(panel, height, d, d);
    multiply(own, known.transposed(), parts.view_mut(), Onto::Nothing);
    multiply(parts.view(), known, MatMut::new(panel, height, d, d), Onto::Difference);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    #[test]
    fn random_rows_become_orthonormal() {
        let mut stream = Stream::new(0, "orthonormal");
        for (n, d) in [(1, 1), (3, 7), (40, 40), (70, 90)] {
            let mut rows = Mat::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d);
            let first = rows.row(0).to_vec();
            orthonormalize_all(&mut rows);
            let length = norm(&first);
            assert!(rows.row(0).iter().zip(&first).all(|(a, b)| (a * length - b).abs() < 1e-12));
            for i in 0..n {
                for j in 0..=i {
                    let dot: f64 = rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a * b).sum();
                    let want = if i == j { 1.0 } else { 0.0 };
                    assert!((dot - want).abs() < 1e-14 * d as f64, "({i}, {j}): {dot}");
                }
            }
        }
    }
}
