//! A slice that several tasks write at once, each to its own part.

use std::marker::PhantomData;

/// A mutable slice that may be handed to several tasks. Who takes a part promises that no other task uses that part
/// at the same time.
pub(super) struct Shared<'a> {
    start: *mut f64,
    len: usize,
    slice: PhantomData<&'a mut [f64]>,
}

// SAFETY: the only way to the numbers is `part`, whose contract excludes races.
unsafe impl Send for Shared<'_> {}
// SAFETY: as above.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    pub(super) fn new(slice: &'a mut [f64]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// A pointer to the numbers `at .. at + len`.
    ///
    /// # Safety
    /// While the pointer is used, no other task may write to that part, nor read it if this one writes.
    pub(super) unsafe fn part(&self, at: usize, len: usize) -> *mut f64 {
        assert!(at <= self.len && len <= self.len - at);
        // SAFETY: the part lies within the slice.
        unsafe { self.start.add(at) }
    }
}
