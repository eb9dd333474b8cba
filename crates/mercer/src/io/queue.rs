//! A queue between a thread that makes things and one that takes them, in their order. It is bounded by bytes: where there is room for no more of them, the one
//! that makes them waits, so that large things are made one at a time, as they are asked for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Things on their way.
pub(in crate::io) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// Bytes that may wait in it.
    limit: u64,
}

struct State<T> {
    waiting: VecDeque<(T, u64)>,
    bytes: u64,
    /// Whether somebody waits for the next one.
    is_asked: bool,
    /// No more will come.
    is_ended: bool,
    /// Nobody takes any more.
    is_closed: bool,
}

impl<T> Queue<T> {
    /// Nothing yet.
    pub fn new(limit: u64) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            bytes: 0,
            is_asked: false,
            is_ended: false,
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), limit }
    }

    /// Waits until there is room for so many bytes, or the next one is asked for; whether anybody will take it.
    pub fn wait_for_room(&self, bytes: u64) -> bool {
        let has_room = |state: &mut State<T>| {
            let is_needed = state.is_asked && state.waiting.is_empty();
            state.is_closed || is_needed || state.bytes.saturating_add(bytes) <= self.limit
        };
        let state = self.changed.wait_while(self.lock(), |state| !has_room(state));
        !state.unwrap_or_else(PoisonError::into_inner).is_closed
    }

    /// Appends a thing of so many bytes.
    pub fn put(&self, thing: T, bytes: u64) {
        let mut state = self.lock();
        state.waiting.push_back((thing, bytes));
        state.bytes = state.bytes.saturating_add(bytes);
        self.changed.notify_all();
    }

    /// Says that no more will come, when it is dropped.
    pub fn ends(&self) -> Ends<'_, T> {
        Ends(self)
    }

    /// Takes the next one, once it is there; none at the end.
    pub fn take(&self) -> Option<T> {
        let mut state = self.lock();
        state.is_asked = true;
        self.changed.notify_all();
        let state = self.changed.wait_while(state, |s| s.waiting.is_empty() && !s.is_ended);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.is_asked = false;
        let (thing, bytes) = state.waiting.pop_front()?;
        state.bytes -= bytes;
        self.changed.notify_all();
        Some(thing)
    }

    /// Says that no more are taken.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.waiting.clear();
        self.changed.notify_all();
    }

    /// Says so when it is dropped.
    pub fn closes(&self) -> Closes<'_, T> {
        Closes(self)
    }

    // No step between lock and unlock can leave the state half-changed.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a queue, whatever happens to the one that makes things for it.
pub(in crate::io) struct Ends<'a, T>(&'a Queue<T>);

impl<T> Drop for Ends<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_ended = true;
        self.0.changed.notify_all();
    }
}

/// The same for the one that takes them.
pub(in crate::io) struct Closes<'a, T>(&'a Queue<T>);

impl<T> Drop for Closes<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn things_come_in_order_and_wait_for_room() {
        let (queue, (reported, made)) = (Queue::new(10), mpsc::channel());
        thread::scope(|scope| {
            scope.spawn(|| {
                let _end = queue.ends();
                for i in 0..6 {
                    assert!(queue.wait_for_room(5));
                    queue.put(i, 5);
                    reported.send(i).unwrap();
                }
            });
            // Two fit; a third is made when one of them is taken.
            assert_eq!(made.recv().unwrap() + made.recv().unwrap(), 1);
            assert!(made.try_recv().is_err());
            assert_eq!(queue.take(), Some(0));
            assert_eq!(made.recv().unwrap(), 2);
            let rest: Vec<i32> = std::iter::from_fn(|| queue.take()).collect();
            assert_eq!(rest, [1, 2, 3, 4, 5]);
            assert_eq!(queue.take(), None);
        });
    }

    #[test]
    fn what_is_too_large_is_made_when_it_is_asked_for() {
        let (queue, (reported, made)) = (Queue::new(10), mpsc::channel());
        thread::scope(|scope| {
            scope.spawn(|| {
                while queue.wait_for_room(50) {
                    queue.put((), 50);
                    reported.send(()).unwrap();
                }
            });
            for _ in 0..3 {
                assert!(made.try_recv().is_err());
                assert_eq!(queue.take(), Some(()));
                made.recv().unwrap();
            }
            queue.close();
        });
    }
}
