//! Threads that share work, as many as the operating system grants.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Result;

/// Threads that are started when work first needs them: what takes less time than that runs on the calling thread.
#[derive(Clone)]
pub(super) struct Pool {
    wanted: usize,
    started: Arc<OnceLock<Option<ThreadPool>>>,
}

impl Pool {
    /// A pool of `threads` threads.
    pub fn new(threads: usize) -> Self {
        Self { wanted: threads, started: Arc::default() }
    }

    /// A pool that is started, in this way.
    #[cfg(test)]
    fn with(threads: usize, start: impl Fn(usize) -> Option<ThreadPool>) -> Self {
        let pool = Self::new(threads);
        pool.started.get_or_init(|| most_of(threads, start));
        pool
    }

    /// The threads; none where the operating system refuses to start any.
    pub fn started(&self) -> Option<&ThreadPool> {
        let names = |i| format!("{}-{i}", crate::panics::THREAD);
        let start =
            |threads| ThreadPoolBuilder::new().num_threads(threads).thread_name(names).build().ok();
        self.started.get_or_init(|| most_of(self.wanted, start)).as_ref()
    }

    /// How many threads there are, or will be if the operating system allows it.
    pub fn threads(&self) -> usize {
        match self.started.get() {
            None => self.wanted,
            Some(pool) => pool.as_ref().map_or(1, ThreadPool::current_num_threads),
        }
    }

    /// Runs `work` here.
    #[doc(hidden)]
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.run(&mut || result = work.take().map(|work| work()));
        result.expect("work that ends without a result has panicked, and the pool passes that on")
    }

    /// One function for all work: what passes it to a thread is compiled once, and not for each kind of work.
    fn run(&self, work: &mut (dyn FnMut() + Send)) {
        match self.started() {
            Some(pool) => pool.install(work),
            None => on_caller(work),
        }
    }
}

/// A pool of `threads` threads. Where the operating system refuses so many (`ulimit -u`, a full address space), one of
/// half as many, and so on; results are the same for any number.
fn most_of(threads: usize, start: impl Fn(usize) -> Option<ThreadPool>) -> Option<ThreadPool> {
    std::iter::successors(Some(threads), |n| Some(n / 2)).take_while(|n| *n > 0).find_map(start)
}

/// Runs `work` with the place and the numbers of each piece of `size` numbers of `data`; the last piece may be shorter. The threads of
/// the pool that this is called in share them. The loop is compiled once for a number type, and not for each `work`.
pub(crate) fn try_pieces<T: Send>(
    data: &mut [T],
    size: usize,
    work: &(dyn Fn(usize, &mut [T]) -> Result<()> + Sync),
) -> Result<()> {
    data.par_chunks_mut(size).enumerate().try_for_each(|(i, piece)| work(i, piece))
}

/// Runs `work` on the calling thread alone, parallel loops included.
fn on_caller(work: &mut (dyn FnMut() + Send)) {
    thread_local! {
        /// The calling thread as a pool of its own: outside of any pool, a parallel loop would start threads.
        static ALONE: Option<ThreadPool> =
            ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
    }
    if rayon::current_thread_index().is_some() {
        return work();
    }
    ALONE.with(|pool| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(pool: &Pool) -> u64 {
        pool.install(|| (0..1000_u64).into_par_iter().map(|i| i * i).sum())
    }

    #[test]
    fn refused_threads_leave_fewer() {
        let grant = |threads: usize| {
            (threads <= 3).then(|| ThreadPoolBuilder::new().num_threads(threads).build().ok())?
        };
        let pool = Pool::with(16, grant);
        assert_eq!((pool.threads(), sum(&pool)), (2, 332_833_500));
    }

    #[test]
    fn threads_are_started_for_work_alone() {
        let pool = Pool::new(3);
        assert_eq!((pool.threads(), pool.started.get().is_some()), (3, false));
        assert_eq!((sum(&pool), pool.started.get().is_some()), (332_833_500, true));
    }

    #[test]
    fn without_any_thread_the_caller_works_also_from_many_threads() {
        let pool = Pool::with(16, |_| None);
        assert_eq!((pool.threads(), sum(&pool)), (1, 332_833_500));
        let nested = pool.install(|| sum(&pool));
        assert_eq!(nested, 332_833_500);
        std::thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(|| assert_eq!(sum(&pool), 332_833_500))));
        });
    }
}
