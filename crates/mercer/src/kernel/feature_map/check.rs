//! What a map refuses.

use super::{FeatureMap, MOST_FEATURES};
use crate::error::{Error, Param, Result};

/// The columns that all of the maps take.
pub(super) fn same_columns(maps: &[FeatureMap]) -> Result<usize> {
    let first = maps.first().ok_or_else(|| Error::Shape("no feature maps were given".into()))?;
    match maps.iter().find(|map| map.columns != first.columns) {
        Some(other) => Err(Error::Features { expected: first.columns, found: other.columns }),
        None => Ok(first.columns),
    }
}

/// Refuses a number of features beyond [`MOST_FEATURES`].
pub(super) fn check_dimension(dimension: u128) -> Result<()> {
    if dimension <= MOST_FEATURES as u128 {
        return Ok(());
    }
    let count = match dimension {
        0..1_000_000_000_000_000 => dimension.to_string(),
        u128::MAX => "more than 10^38".into(),
        _ => format!("{:.1e}", dimension as f64),
    };
    Err(Error::parameter(
        Param::Kernel,
        format!(
            "its feature map has {count} features, more than the limit of {MOST_FEATURES}: use the kernel itself, \
             which does not need them"
        ),
    ))
}

/// Refuses numbers that are not finite, and negative ones in columns that hold histograms.
pub(super) fn check_row(row: usize, x: &[f64], histogram: &[bool]) -> Result<()> {
    if let Some(column) = x.iter().position(|value| !value.is_finite()) {
        return Err(Error::NotFinite { row, column, value: x[column] });
    }
    let negative = x.iter().zip(histogram).position(|(value, needs)| *needs && *value < 0.0);
    match negative {
        None => Ok(()),
        Some(column) => Err(Error::Numeric(format!(
            "histograms must not have negative values, but row {row}, column {column} (zero-based) is {}",
            x[column]
        ))),
    }
}
