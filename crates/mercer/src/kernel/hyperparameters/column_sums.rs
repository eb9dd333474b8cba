//! Derivatives by numbers that belong to one column each: widths, and periods.
//!
//! With S_ij the weights of what is measured between u_i and v_j, the rows scaled by the widths, the column c of squared distances
//! adds Σ_ij S_ij (u_ic − v_jc)² = Σ_i r_i u_ic² − 2 Σ_i u_ic (S v)_ic + Σ_j s_j v_jc², where r and s are the sums of rows and columns
//! of S: one matrix product for all columns. Both sides have a common row taken away first, so that far from the origin no
//! digits are lost.

use super::forward::Tape;
use super::tree::{Slot, Tuned};
use crate::error::Result;
use crate::kernel::vector::measure::Measure;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{Samples, Span};

/// Adds the derivatives by the logarithms of one number for each column.
pub(super) fn add_column_sums(
    slot: &Slot,
    tuned: &Tuned,
    tape: &Tape<'_>,
    s: &[f64],
    sums: &mut [f64],
) -> Result<()> {
    let (rows, cols) = tape.seen();
    let (u, v) = (numbers(rows)?, numbers(cols)?);
    let found = match tuned.member.measure() {
        Measure::Manhattan => absolute(s, &u, &v),
        _ => squared(s, u, v),
    };
    // Of points on circles, a column has become two.
    let each = if tuned.is_periodic() { 2 } else { 1 };
    // A width divides a length; a rate multiplies the squared distance, or the distance itself.
    let power = if slot.name == "gamma" { 1.0 } else { -2.0 };
    for (c, found) in found.iter().enumerate() {
        sums[slot.first + c / each] += power * found;
    }
    Ok(())
}

/// Adds the derivatives by the logarithm of the period, or of each column's own. With angles a = 2π·x/p, the points on a circle of
/// radius f move by ∂t/∂log p = −2·f²·sin(a − a')·(a − a').
pub(super) fn add_period_sums(
    slot: &Slot,
    tape: &Tape<'_>,
    s: &[f64],
    sums: &mut [f64],
) -> Result<()> {
    let (rows, cols) = tape.seen();
    let (u, v) = (numbers(rows)?, numbers(cols)?);
    let (x, y) = (numbers(tape.rows)?, numbers(tape.cols)?);
    for (i, s) in s.chunks(y.rows().max(1)).enumerate() {
        for (j, &s) in s.iter().enumerate() {
            for c in 0..x.cols() {
                let (at, to) = (&u.row(i)[2 * c..2 * c + 2], &v.row(j)[2 * c..2 * c + 2]);
                let sine = at[1] * to[0] - at[0] * to[1];
                let place = slot.first + if slot.per_column { c } else { 0 };
                // The difference of angles is that of the samples in units of the period, which the caller divides by.
                sums[place] -= 2.0 * s * sine * slot.angle(c, x.row(i)[c] - y.row(j)[c]);
            }
        }
    }
    Ok(())
}

/// Σ_ij S_ij (u_ic − v_jc)² for each column c.
fn squared(s: &[f64], mut u: Mat<f64>, mut v: Mat<f64>) -> Vec<f64> {
    let (height, width, d) = (u.rows(), v.rows(), u.cols());
    let Some(common) = (width > 0).then(|| v.row(0).to_vec()) else { return vec![0.0; d] };
    let less = |row: &mut [f64]| row.iter_mut().zip(&common).for_each(|(x, c)| *x -= c);
    u.data_mut().chunks_mut(d.max(1)).for_each(less);
    v.data_mut().chunks_mut(d.max(1)).for_each(less);
    let mut product = Mat::zeros(height, d);
    multiply(MatRef::new(s, height, width, width), v.view(), product.view_mut(), Onto::Nothing);
    let mut found = vec![0.0; d];
    let mut of_cols = vec![0.0; width];
    for (i, line) in s.chunks(width).enumerate() {
        of_cols.iter_mut().zip(line).for_each(|(sum, s)| *sum += s);
        let sum: f64 = line.iter().sum();
        for ((found, &u), &p) in found.iter_mut().zip(u.row(i)).zip(product.row(i)) {
            *found += u * (sum * u - 2.0 * p);
        }
    }
    for (j, sum) in of_cols.iter().enumerate() {
        found.iter_mut().zip(v.row(j)).for_each(|(found, v)| *found += sum * v * v);
    }
    found
}

/// Σ_ij S_ij |u_ic − v_jc| for each column c.
fn absolute(s: &[f64], u: &Mat<f64>, v: &Mat<f64>) -> Vec<f64> {
    let mut found = vec![0.0; u.cols()];
    for (i, line) in s.chunks(v.rows().max(1)).enumerate() {
        for (j, s) in line.iter().enumerate() {
            let pairs = u.row(i).iter().zip(v.row(j));
            found.iter_mut().zip(pairs).for_each(|(sum, (u, v))| *sum += s * (u - v).abs());
        }
    }
    found
}

/// Rows of numbers as a matrix, zeros included.
pub(super) fn numbers(span: Span<'_, Samples<f64>>) -> Result<Mat<f64>> {
    let (start, d) = (span.start, span.points.features());
    match span.points {
        Samples::Sparse(x) => {
            let mut out = Mat::zeros(span.len(), d);
            for i in 0..span.len() {
                let (columns, values) = x.row(start + i);
                let places = columns.iter().zip(values);
                places.for_each(|(&column, &v)| out.row_mut(i)[column as usize] = v);
            }
            Ok(out)
        }
        samples => {
            let x = samples.need_dense("a width for each column")?;
            let data = x.data()[start * d..span.end * d].to_vec();
            Ok(Mat::from_vec(data, span.len(), d))
        }
    }
}
