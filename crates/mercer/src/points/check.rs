//! Validation of samples.

use crate::error::{Error, Result};
use crate::real::Real;

/// Refuses sets without samples or features.
pub(super) fn check_counts(n: usize, d: usize) -> Result<()> {
    let refuse = |count: &str| {
        let text = format!(
            "Found array with {count} (shape=({n}, {d})) while a minimum of 1 is required."
        );
        Err(Error::Shape(text))
    };
    match (n, d) {
        (0, _) => refuse("0 sample(s)"),
        (_, 0) => refuse("0 feature(s)"),
        _ => Ok(()),
    }
}

/// n·d, if it is a shape samples can have.
pub(super) fn check_shape(n: usize, d: usize) -> Result<usize> {
    check_counts(n, d)?;
    n.checked_mul(d).filter(|&count| count <= isize::MAX as usize / 8).ok_or_else(|| {
        Error::Shape(format!("shape ({n}, {d}) has more elements than this machine can address"))
    })
}

pub(super) fn check_length(len: usize, n: usize, d: usize) -> Result<()> {
    let count = check_shape(n, d)?;
    if len != count {
        return Err(Error::Shape(format!("shape ({n}, {d}) needs {count} values, got {len}")));
    }
    Ok(())
}

/// The squared norms of all rows, which double as the check: a norm is finite only if every number
/// of the row is.
pub(super) fn checked_norms<T: Real>(data: &[T], d: usize) -> Result<Vec<T>> {
    let norms: Vec<T> = data.chunks_exact(d).map(squared_norm).collect();
    // A squared distance can reach four times the larger squared norm; it must be finite too.
    let four = T::from_f64(4.0);
    match norms.iter().position(|&norm| !(norm * four).is_finite()) {
        None => Ok(norms),
        Some(row) => Err(bad_row(row, &data[row * d..(row + 1) * d])),
    }
}

fn bad_row<T: Real>(row: usize, values: &[T]) -> Error {
    if let Some(column) = values.iter().position(|v| !v.is_finite()) {
        return Error::NotFinite { row, column, value: values[column].to_f64() };
    }
    too_large::<T>(row)
}

/// A value that another number type cannot hold.
pub(super) fn beyond_range<T: Real, U: Real>(row: usize, column: usize, value: T) -> Error {
    Error::Shape(format!(
        "the value {value:?} at row {row}, column {column} (zero-based) is beyond the range of {}: use {} or \
         scale the column down",
        U::NAME,
        T::NAME
    ))
}

/// A row whose squared norm overflows.
pub(super) fn too_large<T: Real>(row: usize) -> Error {
    Error::Shape(format!(
        "the values of row {row} (zero-based) are so large that their squares overflow {}: scale the data down{}",
        T::NAME,
        if T::NAME == "f32" { " or use f64" } else { "" }
    ))
}

/// Σ v², in eight partial sums that the compiler can keep in vector registers.
pub(super) fn squared_norm<T: Real>(row: &[T]) -> T {
    let mut sums = [T::ZERO; 8];
    let chunks = row.chunks_exact(8);
    let tail = chunks.remainder();
    for chunk in chunks {
        for (sum, &v) in sums.iter_mut().zip(chunk) {
            *sum += v * v;
        }
    }
    let head = sums.into_iter().fold(T::ZERO, |total, sum| total + sum);
    tail.iter().fold(head, |total, &v| total + v * v)
}
