//! A slice that several tasks write at once, each to its own part.

use std::marker::PhantomData;

/// A mutable slice that may be handed to several tasks. Who takes a part promises that no other task uses that part
/// at the same time.
pub(super) struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: it stands for a `&mut [T]`, which may be sent where T may.
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: the only way to the numbers is `part`, whose contract excludes races; numbers are written from other threads than the
// one that made it, which T: Send allows.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// A pointer to the numbers `at .. at + len`.
    ///
    /// # Safety
    /// While the pointer is used, no other task may write to that part, nor read it if this one writes.
    pub(super) unsafe fn part(&self, at: usize, len: usize) -> *mut T {
        assert!(at <= self.len && len <= self.len - at);
        // SAFETY: the part lies within the slice.
        unsafe { self.start.add(at) }
    }
}
