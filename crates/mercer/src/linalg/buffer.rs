//! Large storage in large pages.
//!
//! A pass over hundreds of megabytes in pages of 4 KiB spends half its time on looking pages up and on starting to read
//! each of them; pages of 2 MiB make both rare. The operating system gives them to memory that asks.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::real::Real;

/// `len` numbers, zero at first, in memory of their own.
pub struct Buffer<T> {
    map: MmapMut,
    len: usize,
    number: PhantomData<T>,
}

impl<T: Real> Buffer<T> {
    /// A buffer of zeros. Memory is taken when a page is first written.
    pub fn zeros(len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(too_large)?;
        let map = MmapMut::map_anon(bytes.max(1)).map_err(|_| too_large())?;
        #[cfg(target_os = "linux")]
        // A refusal leaves pages small, which is slower and nothing else.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, len, number: PhantomData })
    }
}

fn too_large() -> Error {
    Error::Numeric("the operating system refused the memory for a matrix: fit on fewer rows".into())
}

impl<T: Real> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[..self.len * size_of::<T>()])
    }
}

impl<T: Real> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.map[..self.len * size_of::<T>()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_as_zeros_and_keeps_what_is_written() {
        for len in [0, 1, 1000, 700_000] {
            let mut buffer = Buffer::<f64>::zeros(len).unwrap();
            assert_eq!(buffer.len(), len);
            assert!(buffer.iter().all(|v| *v == 0.0));
            buffer.iter_mut().enumerate().for_each(|(i, v)| *v = i as f64);
            assert!(buffer.iter().enumerate().all(|(i, v)| *v == i as f64));
        }
        assert!(Buffer::<f64>::zeros(usize::MAX).is_err());
    }
}
