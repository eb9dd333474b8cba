//! Reads sparse rows that may be in any state, and puts them in order.

use super::Csr;
use crate::error::{Error, Result};
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::sparse::Lists;
use crate::points::check::{check_counts, too_large};
use crate::real::Real;

/// A whole number that says where something is.
pub trait Place: Copy + std::fmt::Display {
    /// The place, if it can be one.
    fn place(self) -> Option<usize>;
}

macro_rules! place {
    ($($type:ty),*) => {
        $(impl Place for $type {
            fn place(self) -> Option<usize> {
                self.try_into().ok()
            }
        })*
    };
}
place!(i32, i64, u32, u64, usize);

pub(super) fn read<T: Real>(
    n: usize,
    d: usize,
    starts: &[impl Place],
    at: &[impl Place],
    values: &[T],
) -> Result<Csr<T>> {
    check_counts(n, d)?;
    if d > u32::MAX as usize {
        return refuse(format!("sparse samples can have at most {} features, got {d}", u32::MAX));
    }
    if Some(starts.len()) != n.checked_add(1) {
        return refuse(format!("{n} sparse rows need n + 1 row starts, got {}", starts.len()));
    }
    if at.len() != values.len() {
        return refuse(format!("got {} column indices for {} values", at.len(), values.len()));
    }
    if starts[0].place() != Some(0) {
        return refuse(format!("the first sparse row starts at {}, not at 0", starts[0]));
    }
    let mut entries = Nonzeros::new();
    let mut row = Vec::new();
    for i in 0..n {
        let (start, end) = (starts[i], starts[i + 1]);
        let own = match (start.place(), end.place()) {
            (Some(start), Some(end)) if start <= end && end <= values.len() => start..end,
            _ => {
                return refuse(format!(
                    "row {i} (zero-based) goes from {start} to {end}, but row starts must not decrease or exceed \
                     the number of values, {}",
                    values.len()
                ));
            }
        };
        take_row(i, d, &at[own.clone()], &values[own], &mut row)?;
        row.iter().filter(|(_, value)| *value != T::ZERO).for_each(|&(at, v)| entries.push(at, v));
        entries.end_row();
    }
    let lists = Lists::new(entries);
    // A squared distance can reach four times the larger squared norm; it must be finite too.
    match lists.norms().iter().position(|&norm| !(norm * T::from_f64(4.0)).is_finite()) {
        None => Ok(Csr::from_lists(lists, d)),
        Some(row) => Err(too_large::<T>(row)),
    }
}

/// Row i with its columns in order, each once.
fn take_row<T: Real>(
    i: usize,
    d: usize,
    at: &[impl Place],
    values: &[T],
    row: &mut Vec<(u32, T)>,
) -> Result<()> {
    row.clear();
    for (&at, &value) in at.iter().zip(values) {
        let column = match at.place() {
            Some(column) if column < d => column,
            _ => {
                return refuse(format!(
                    "row {i} has a value in column {at} (zero-based), but there are {d} columns"
                ));
            }
        };
        if !value.is_finite() {
            return Err(Error::NotFinite { row: i, column, value: value.to_f64() });
        }
        row.push((column as u32, value));
    }
    if row.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        row.sort_by_key(|&(column, _)| column);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        if let Some(&(column, value)) = row.iter().find(|(_, value)| !value.is_finite()) {
            return Err(Error::NotFinite {
                row: i,
                column: column as usize,
                value: value.to_f64(),
            });
        }
    }
    Ok(())
}

fn refuse<A>(message: String) -> Result<A> {
    Err(Error::Shape(message))
}
