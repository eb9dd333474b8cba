//! Large allocations that may be refused: an error then, where `vec!` would end the process.

use std::alloc::{Layout, alloc_zeroed};

use super::skinny::{Lane, WIDTH};
use crate::error::{Error, Result};
use crate::real::Real;

/// `len` zeros. Their pages are fresh from the operating system and are not touched here.
pub fn zeros<T: Real>(len: usize) -> Result<Vec<T>> {
    // SAFETY: Real is f32 or f64 (it is sealed), whose zero is all bits zero.
    unsafe { zeroed(len) }
}

/// `len` rows of zeros of a block of vectors.
pub fn zero_lanes(len: usize) -> Result<Vec<Lane<f64>>> {
    const { assert!(size_of::<Lane<f64>>() == WIDTH * size_of::<f64>()) };
    // SAFETY: a lane is an array of f64, whose zero is all bits zero.
    unsafe { zeroed(len) }
}

/// An empty vector with room for `len` values.
pub fn with_capacity<T>(len: usize) -> Result<Vec<T>> {
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| refused::<T>(len))?;
    Ok(out)
}

/// Brings a vector to `len` values; new ones are zero.
pub fn resize<T: Real>(values: &mut Vec<T>, len: usize) -> Result<()> {
    let more = len.saturating_sub(values.len());
    values.try_reserve_exact(more).map_err(|_| refused::<T>(len))?;
    values.resize(len, T::ZERO);
    Ok(())
}

/// `len` values, all bits of which are zero.
///
/// # Safety
/// All bits zero must be a value of T.
unsafe fn zeroed<T>(len: usize) -> Result<Vec<T>> {
    let layout = Layout::array::<T>(len).map_err(|_| refused::<T>(len))?;
    if layout.size() == 0 {
        // SAFETY: without a byte, there is nothing to initialise; `len` values of no size, or none at all.
        return Ok((0..len).map(|_| unsafe { std::mem::zeroed() }).collect());
    }
    // SAFETY: the layout has a size above 0.
    let start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    if start.is_null() {
        return Err(refused::<T>(len));
    }
    // SAFETY: `start` was allocated by the global allocator with the layout of `len` values, all of them initialised: the
    // caller vouches for zeros.
    Ok(unsafe { Vec::from_raw_parts(start, len, len) })
}

fn refused<T>(len: usize) -> Error {
    Error::Allocation((len as u64).saturating_mul(size_of::<T>() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zeros_and_can_be_dropped_and_grown() {
        for len in [0, 1, 7, 100_000] {
            let mut values = zeros::<f64>(len).unwrap();
            assert!(values.len() == len && values.iter().all(|v| *v == 0.0));
            values.push(1.0);
            assert!(zeros::<f32>(len).unwrap().iter().all(|v| *v == 0.0));
            assert!(zero_lanes(len).unwrap().as_flattened().iter().all(|v| *v == 0.0));
        }
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        for len in [1 << 56, usize::MAX] {
            for error in [
                zeros::<f64>(len).unwrap_err(),
                zero_lanes(len).unwrap_err(),
                with_capacity::<f64>(len).unwrap_err(),
            ] {
                assert!(matches!(error, Error::Allocation(bytes) if bytes >= 8 << 56), "{error}");
            }
        }
    }
}
