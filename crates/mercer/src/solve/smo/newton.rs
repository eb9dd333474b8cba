//! All free coefficients of a local problem at once.
//!
//! Where features have very different spreads, or a large price lets coefficients grow, moving two at a time gets nowhere: the
//! objective is a long narrow valley. As long as no coefficient meets an end of its range, the problem is a system of equations,
//!
//! ```text
//! K_FF d + Σ_g λ_g 1_g = −slope_F,     Σ d = 0 in each group
//! ```
//!
//! and its solution leads to the bottom. Where an end is met first, the step stops there, and the others go on.

/// Coefficients at most: a factor of so many costs some milliseconds.
pub const MOST: usize = 512;
/// What is added to the diagonal, as a share of its largest entry and in units of rounding: kernel matrices are often singular.
const RIDGE: f64 = 16.0;

/// The direction d for m coefficients, or none where the matrix is not positive. `matrix` is m × m and is overwritten; `group` has the
/// group of each, of `groups`; `rounding` is the relative error of the entries.
pub fn direction(
    matrix: &mut [f64],
    slopes: &[f64],
    group: &[usize],
    groups: usize,
    rounding: f64,
) -> Option<Vec<f64>> {
    let m = slopes.len();
    let largest = (0..m).map(|i| matrix[i * m + i]).fold(0.0, f64::max);
    (0..m).for_each(|i| matrix[i * m + i] += RIDGE * rounding * largest);
    factor(matrix, m)?;
    let free = solve(matrix, slopes.iter().map(|s| -s).collect());
    let present: Vec<usize> = (0..groups).filter(|g| group.contains(g)).collect();
    let ones = |g: usize| group.iter().map(|&own| f64::from(own == g)).collect::<Vec<f64>>();
    let held: Vec<Vec<f64>> = present.iter().map(|&g| solve(matrix, ones(g))).collect();
    let sum = |of: &[f64], g: usize| -> f64 {
        of.iter().zip(group).filter(|(_, own)| **own == g).map(|(v, _)| v).sum()
    };
    let system: Vec<Vec<f64>> =
        present.iter().map(|&g| held.iter().map(|column| sum(column, g)).collect()).collect();
    let right: Vec<f64> = present.iter().map(|&g| sum(&free, g)).collect();
    let prices = small(&system, &right)?;
    let found = (0..m).map(|i| {
        free[i] - held.iter().zip(&prices).map(|(column, price)| column[i] * price).sum::<f64>()
    });
    let mut found: Vec<f64> = found.collect();
    let mut slopes = slopes.to_vec();
    for &g in &present {
        centre(&mut found, group, g);
        centre(&mut slopes, group, g);
    }
    leads_down(&found, &slopes).then_some(found)
}

/// Makes the values of a group sum up to 0.
fn centre(values: &mut [f64], group: &[usize], g: usize) {
    let own = || (0..group.len()).filter(|&i| group[i] == g);
    let mean = own().map(|i| values[i]).sum::<f64>() / own().count() as f64;
    own().for_each(|i| values[i] -= mean);
}

/// The share of its terms that the descent along a direction must be: below it, a nearly singular matrix has made a direction of
/// rounding errors.
const DESCENT: f64 = 1e-9;

fn leads_down(d: &[f64], slopes: &[f64]) -> bool {
    let terms = || d.iter().zip(slopes).map(|(d, s)| d * s);
    let size: f64 = terms().map(f64::abs).sum();
    d.iter().all(|d| d.is_finite()) && -terms().sum::<f64>() > DESCENT * size
}

/// The lower triangle becomes that of L with L Lᵀ = A.
fn factor(a: &mut [f64], m: usize) -> Option<()> {
    for j in 0..m {
        let (above, below) = a.split_at_mut((j + 1) * m);
        let own = &mut above[j * m..];
        let pivot = own[j] - own[..j].iter().map(|v| v * v).sum::<f64>();
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        own[j] = pivot.sqrt();
        let own = &above[j * m..];
        for line in below.chunks_exact_mut(m) {
            let sum: f64 = line[..j].iter().zip(&own[..j]).map(|(a, b)| a * b).sum();
            line[j] = (line[j] - sum) / own[j];
        }
    }
    Some(())
}

/// L Lᵀ x = b.
fn solve(l: &[f64], mut b: Vec<f64>) -> Vec<f64> {
    let m = b.len();
    for i in 0..m {
        let sum: f64 = l[i * m..][..i].iter().zip(&b).map(|(a, b)| a * b).sum();
        b[i] = (b[i] - sum) / l[i * m + i];
    }
    for i in (0..m).rev() {
        let value = b[i] / l[i * m + i];
        b[i] = value;
        b[..i].iter_mut().zip(&l[i * m..][..i]).for_each(|(b, l)| *b -= l * value);
    }
    b
}

/// A system of one or two equations.
fn small(a: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    match (a, b) {
        ([row], [right]) => (row[0] > 0.0).then(|| vec![right / row[0]]),
        ([first, second], [one, two]) => {
            let determinant = first[0] * second[1] - first[1] * second[0];
            (determinant > 0.0).then(|| {
                let x = (one * second[1] - first[1] * two) / determinant;
                vec![x, (first[0] * two - one * second[0]) / determinant]
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    #[test]
    fn directions_solve_their_equations() {
        let mut stream = Stream::new(1, "newton");
        for (m, groups) in [(2, 1), (7, 1), (9, 2), (40, 2)] {
            let rows: Vec<f64> = (0..m * (m + 2)).map(|_| stream.normal()).collect();
            let dot = |i: usize, j: usize| -> f64 {
                let (a, b) = (&rows[i * (m + 2)..][..m + 2], &rows[j * (m + 2)..][..m + 2]);
                a.iter().zip(b).map(|(a, b)| a * b).sum()
            };
            let matrix: Vec<f64> = (0..m * m).map(|at| dot(at / m, at % m)).collect();
            let slopes: Vec<f64> = (0..m).map(|_| stream.normal()).collect();
            let group: Vec<usize> = (0..m).map(|i| i % groups).collect();
            let d = direction(&mut matrix.clone(), &slopes, &group, groups, 0.0).unwrap();
            for g in 0..groups {
                let own = || (0..m).filter(|i| group[*i] == g);
                assert!(own().map(|i| d[i]).sum::<f64>().abs() < 1e-9);
                // What is left of the slopes is one number for each group.
                let left =
                    |i: usize| slopes[i] + (0..m).map(|j| matrix[i * m + j] * d[j]).sum::<f64>();
                let first = left(own().next().unwrap());
                assert!(own().all(|i| (left(i) - first).abs() < 1e-8), "{m} {groups}");
            }
        }
        assert!(direction(&mut [1.0, 2.0, 2.0, 1.0], &[1.0, 0.0], &[0, 0], 1, 0.0).is_none());
    }
}
