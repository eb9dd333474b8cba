//! What drops out of D + ρ z zᵀ before its secular equation is solved.
//!
//! An eigenpair of a half whose z is negligible is one of the whole as it stands. Of two neighbouring d that are all
//! but equal, a rotation of their eigenvectors makes one z zero. Both change the matrix by less than the tolerance.

use super::tridiagonal::Part;

/// What is left: ascending d, z without zeros.
pub(super) struct Coupled {
    pub(super) d: Vec<f64>,
    pub(super) z: Vec<f64>,
    /// The row of each in the eigenvector matrix.
    pub(super) rows: Vec<usize>,
    /// Those, counted along `rows`, whose eigenvectors are not zero in the upper half.
    pub(super) upper: Vec<usize>,
    /// The same for the lower half.
    pub(super) lower: Vec<usize>,
}

/// Sorts out the pairs of `part`; `orders` are the ascending orders of its two halves.
pub(super) fn deflate(
    part: &mut Part<'_>,
    mut z: Vec<f64>,
    middle: usize,
    rho: f64,
    orders: [&[usize]; 2],
    tolerance: f64,
) -> Coupled {
    let size = z.len();
    let mut reaches: Vec<[bool; 2]> = (0..size).map(|i| [i < middle, i >= middle]).collect();
    let mut rows: Vec<usize> = Vec::with_capacity(size);
    for row in ascending(part.d, orders, middle) {
        if rho * z[row].abs() <= tolerance {
            continue;
        }
        if let Some(&before) = rows.last() {
            let length = z[row].hypot(z[before]);
            let (c, s) = (z[row] / length, -z[before] / length);
            let gap = part.d[row] - part.d[before];
            if (gap * c * s).abs() <= tolerance {
                rotate(part, before, row, c, s);
                z[row] = length;
                let both = [0, 1].map(|half| reaches[row][half] || reaches[before][half]);
                (reaches[row], reaches[before]) = (both, both);
                rows.pop();
            }
        }
        rows.push(row);
    }
    let reaching = |half: usize| (0..rows.len()).filter(|&at| reaches[rows[at]][half]).collect();
    Coupled {
        d: rows.iter().map(|&row| part.d[row]).collect(),
        z: rows.iter().map(|&row| z[row]).collect(),
        upper: reaching(0),
        lower: reaching(1),
        rows,
    }
}

/// All rows in ascending order of d.
fn ascending(d: &[f64], [low, high]: [&[usize]; 2], middle: usize) -> Vec<usize> {
    let mut order: Vec<usize> =
        low.iter().copied().chain(high.iter().map(|row| middle + row)).collect();
    order.sort_by(|&i, &j| d[i].total_cmp(&d[j]));
    order
}

/// Rotates two eigenvectors and their d, so that the first one's z becomes zero.
fn rotate(part: &mut Part<'_>, first: usize, second: usize, c: f64, s: f64) {
    let (d0, d1) = (part.d[first], part.d[second]);
    part.d[first] = d0 * c * c + d1 * s * s;
    part.d[second] = d0 * s * s + d1 * c * c;
    let columns = part.first..part.first + part.d.len();
    let (low, high) = (first.min(second), first.max(second));
    let (head, tail) = part.z.split_at_mut(high * part.stride);
    let low_row = &mut head[low * part.stride..][columns.clone()];
    let high_row = &mut tail[columns];
    let (x, y) = if first < second { (low_row, high_row) } else { (high_row, low_row) };
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}
