//! How work is run: on how many threads, within how much memory, watched by whom. Nothing here may change a result.

mod limits;
mod memory;
mod monitor;
mod pace;
mod pool;
mod stream;

use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[doc(hidden)]
pub use limits::{available_memory, available_threads};
pub use memory::Reservation;
#[doc(hidden)]
pub use monitor::SharedProgress;
pub use monitor::{Monitor, Step};
#[doc(hidden)]
pub use pace::Cost;
#[doc(hidden)]
pub use stream::Stream;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::{Error, Result};
use memory::Budget;
use monitor::{Part, Quiet, Silent, Untimed};
use pace::{Pace, Phase};
use pool::Pool;
pub(crate) use pool::try_pieces;

/// Threads, memory budget and monitor of a piece of work. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    pool: Pool,
    budget: Arc<Budget>,
    monitor: Arc<dyn Monitor>,
    /// The phases of the work, if it has several.
    pace: Option<Arc<Pace>>,
    /// Whether work ends with an error when the monitor's time limit has passed.
    ends_in_time: bool,
}

impl Default for Context {
    /// All cores this process may use, nine tenths of the free memory of the computer (or its cgroup), no monitor.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Context {
    /// A context with `threads` threads, started when work first needs them; 0 means as many as this process may use. Where the operating
    /// system refuses to start so many, there are fewer, down to the calling thread alone: [`Context::threads`] then returns how many.
    pub fn new(threads: usize) -> Self {
        let pool = Pool::new(if threads == 0 { available_threads() } else { threads });
        let budget = Budget::new(None, pool.threads());
        Self { pool, budget, monitor: Arc::new(Silent), pace: None, ends_in_time: true }
    }

    /// The same context with the memory that is free as its budget, found out when it is first needed.
    #[doc(hidden)]
    pub fn with_free_memory(mut self) -> Self {
        self.budget = Budget::new(None, self.threads());
        self
    }

    /// The same context with a memory budget of `bytes`, of which nothing is in use yet. A limit of the operating system on
    /// this process (`ulimit -v`, `ulimit -d`) that leaves less counts in its place.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        self.budget = Budget::new(Some(bytes), self.threads());
        self
    }

    /// A context for one of `parts` pieces of work that are done at the same time: its budget is an equal part of what is
    /// left of this one's. The parts are not counted here.
    #[doc(hidden)]
    pub fn split(&self, parts: usize) -> Self {
        Self { budget: self.budget.part(parts), ..self.clone() }
    }

    /// Runs `count` pieces of work that need `bytes` each in parallel, and returns their results in order. Each has an equal part
    /// of what is left of the budget; as many run at a time as that allows, at least one. How many they are depends on
    /// the budget alone, so that the number of threads changes no result.
    #[doc(hidden)]
    pub fn side_by_side<R: Send>(
        &self,
        count: usize,
        bytes: u64,
        work: impl Fn(&Context, usize) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let fit = usize::try_from(self.budget() / bytes.max(1)).unwrap_or(usize::MAX);
        let at_once = fit.clamp(1, count.max(1));
        let mut results = Vec::with_capacity(count);
        for first in (0..count).step_by(at_once) {
            let wave = first..(first + at_once).min(count);
            let one = |piece| work(&self.split(at_once), piece);
            let done = || wave.into_par_iter().map(one).collect::<Result<Vec<R>>>();
            results.extend(self.install(done)?);
        }
        Ok(results)
    }

    /// The same context watched by `monitor`.
    pub fn with_monitor(mut self, monitor: Arc<dyn Monitor>) -> Self {
        self.monitor = monitor;
        self
    }

    /// The same context without reports of progress, for parts of a whole whose progress is reported elsewhere.
    #[doc(hidden)]
    pub fn without_steps(&self) -> Self {
        self.clone().with_monitor(Arc::new(Quiet(self.monitor.clone())))
    }

    /// The same context whose steps are all reported as those of `stage`: as its share between `from` and `to`, from 0 to 1.
    #[doc(hidden)]
    pub fn part(&self, stage: &'static str, from: f64, to: f64) -> Self {
        let outer = self.monitor.clone();
        self.clone().with_monitor(Arc::new(Part { outer, stage, from, to }))
    }

    /// The same context for work of several phases, numbers in their order, whose progress is that of one stage, with the time that is left of all of them. Phases that
    /// are there already stay.
    #[doc(hidden)]
    pub fn in_phases(&self, stage: &'static str, phases: &'static [usize]) -> Self {
        let new = || Arc::new(Pace::new(stage, phases, self.threads()));
        Self { pace: Some(self.pace.clone().unwrap_or_else(new)), ..self.clone() }
    }

    /// Whether the work has several phases.
    #[doc(hidden)]
    pub fn has_phases(&self) -> bool {
        self.pace.is_some()
    }

    /// Says what a phase is expected to take.
    #[doc(hidden)]
    pub fn expect(&self, phase: usize, cost: Cost) {
        if let Some(pace) = &self.pace {
            pace.expect(phase, cost);
        }
    }

    /// The same context whose steps are those of a phase of the work. Without phases, it is this one.
    #[doc(hidden)]
    pub fn phase(&self, phase: usize) -> Self {
        let Some(pace) = self.pace.clone() else { return self.clone() };
        let outer = self.monitor.clone();
        let monitor: Arc<dyn Monitor> = Arc::new(Phase { outer, pace, phase });
        Self { monitor, pace: None, ..self.clone() }
    }

    /// The same context without a monitor, for work that must come to an end.
    #[doc(hidden)]
    pub fn unwatched(&self) -> Self {
        self.clone().with_monitor(Arc::new(Silent))
    }

    /// The same context for an iteration that has a partial result and looks at [`Context::is_out_of_time`] itself.
    #[doc(hidden)]
    pub fn with_partial_result(&self) -> Self {
        Self { ends_in_time: false, ..self.clone() }
    }

    /// The same context without the time limit of its monitor, for what must be done however late it is.
    #[doc(hidden)]
    pub fn without_time_limit(&self) -> Self {
        self.clone().with_monitor(Arc::new(Untimed(self.monitor.clone())))
    }

    /// Whether the monitor's time limit has passed.
    #[doc(hidden)]
    pub fn is_out_of_time(&self) -> bool {
        self.monitor.is_out_of_time()
    }

    /// Threads that share the work.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Bytes that are left of the memory budget: what working storage may take beside what is reserved already.
    pub fn budget(&self) -> u64 {
        self.budget.left()
    }

    /// The whole memory budget in bytes.
    #[doc(hidden)]
    pub fn limit(&self) -> u64 {
        self.budget.limit()
    }

    /// Sets `bytes` of the budget aside for `what` until the reservation is dropped. Clones of this context share one count,
    /// so work that runs at the same time shares the budget. What counts is working storage: not the caller's data, nor
    /// the result. Where not enough is left, the refusal names the bytes and `hint`, the way out.
    #[doc(hidden)]
    pub fn reserve(
        &self,
        what: &'static str,
        bytes: u64,
        hint: &'static str,
    ) -> Result<Reservation> {
        self.budget.reserve(what, bytes, hint)
    }

    /// Runs `work` on this context's threads.
    #[doc(hidden)]
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Does `work` with each of the items, on the calling thread and on others while it works. For pieces of some microseconds, which
    /// are done before a thread that hands all of them over would wake again.
    pub(crate) fn share<I: Send>(
        &self,
        items: Vec<I>,
        work: impl Fn(I) -> Result<()> + Sync,
    ) -> Result<()> {
        let (count, waiting, failed) =
            (items.len(), Mutex::new(items.into_iter()), Mutex::new(Ok(())));
        let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        let drain = || {
            while let Some(item) = take() {
                if let Err(error) = work(item) {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
                    return;
                }
            }
        };
        self.on_threads(count, &drain);
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `drain` on the calling thread and on as many others as there are further items.
    fn on_threads(&self, items: usize, drain: &(dyn Fn() + Sync)) {
        let others = self.threads().min(items).saturating_sub(1);
        match (others > 0).then(|| self.pool.started()).flatten() {
            Some(pool) => pool.in_place_scope(|scope| {
                (0..others).for_each(|_| scope.spawn(|_| drain()));
                drain();
            }),
            None => drain(),
        }
    }

    /// Runs `work` on this context's threads. Meanwhile the calling thread calls `tick` whenever `every` has passed, for
    /// interfaces that must look after something on their own thread, such as signals. Work within work, on one of these threads
    /// already, is done at once: a thread that waited for itself would deadlock.
    #[doc(hidden)]
    pub fn watch<R: Send>(
        &self,
        every: Duration,
        work: impl FnOnce() -> R + Send,
        mut tick: impl FnMut(),
    ) -> R {
        let outside = |pool: &&ThreadPool| pool.current_thread_index().is_none();
        let Some(pool) = self.pool.started().filter(outside) else {
            // Without threads there is none that could tick meanwhile.
            return self.install(work);
        };
        let (sender, receiver) = mpsc::sync_channel(1);
        let result = pool.in_place_scope(|scope| {
            scope.spawn(move |_| drop(sender.send(work())));
            loop {
                match receiver.recv_timeout(every) {
                    Ok(result) => return Some(result),
                    Err(RecvTimeoutError::Timeout) => tick(),
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            }
        });
        result.expect("work that ends without a result has panicked, and the scope passes that on")
    }

    /// Reports progress to the monitor.
    #[doc(hidden)]
    pub fn step(&self, step: Step) -> Result<()> {
        stop_on_break(self.monitor.step(&step))?;
        self.end_in_time()
    }

    /// Asks the monitor whether to go on.
    pub fn poll(&self) -> Result<()> {
        stop_on_break(self.monitor.poll())?;
        self.end_in_time()
    }

    fn end_in_time(&self) -> Result<()> {
        if self.ends_in_time && self.is_out_of_time() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Refuses work that needs more than what is left of the budget, and reserves nothing.
    #[doc(hidden)]
    pub fn need(&self, what: &'static str, needed: u64, hint: &'static str) -> Result<()> {
        self.reserve(what, needed, hint).map(drop)
    }
}

fn stop_on_break(flow: ControlFlow<()>) -> Result<()> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn watch_ticks_while_work_runs_and_gives_its_result() {
        let context = Context::new(1);
        let (sender, receiver) = mpsc::channel();
        // Work that lasts until there were two ticks.
        let work = || receiver.into_iter().take(2).count();
        let tick = || {
            // Nobody listens after the second.
            let _ = sender.send(());
        };
        let ticks = context.watch(Duration::from_millis(5), work, tick);
        assert_eq!(ticks, 2);
        assert_eq!(context.watch(Duration::from_secs(600), || 7, || unreachable!()), 7);
    }

    #[test]
    fn pieces_side_by_side_share_the_budget_and_come_in_order() {
        let context = Context::new(4).with_budget(1000);
        let (at_work, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |part: &Context, piece: usize| -> Result<usize> {
            most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let reservation = part.reserve("a piece", 330, "none")?;
            assert!(part.reserve("a piece", 10, "none").is_err(), "each has a third");
            std::thread::sleep(Duration::from_millis(2));
            at_work.fetch_sub(1, Ordering::SeqCst);
            drop(reservation);
            Ok(piece)
        };
        assert_eq!(context.side_by_side(10, 300, work).unwrap(), (0..10).collect::<Vec<_>>());
        assert!(most.into_inner() <= 3);
        let alone = |part: &Context, _: usize| -> Result<u64> { Ok(part.budget()) };
        assert_eq!(context.side_by_side(3, 5000, alone).unwrap(), [1000; 3], "one at a time");
        assert!(context.side_by_side(0, 1, alone).unwrap().is_empty());
    }

    #[test]
    fn shared_items_are_each_worked_on_once_and_an_error_is_passed_on() {
        for threads in [1, 2, 4] {
            let context = Context::new(threads);
            let mut counts = [0_usize; 100];
            let items: Vec<(usize, &mut usize)> = counts.iter_mut().enumerate().collect();
            let work = |(i, count): (usize, &mut usize)| -> Result<()> {
                *count += i;
                Ok(())
            };
            context.share(items, work).unwrap();
            assert!(counts.iter().enumerate().all(|(i, count)| i == *count));
            let fails = |i: usize| if i == 7 { Err(Error::Interrupted) } else { Ok(()) };
            assert!(matches!(context.share((0..20).collect(), fails), Err(Error::Interrupted)));
            assert!(context.share(Vec::new(), fails).is_ok());
        }
    }

    #[test]
    fn clones_share_one_count() {
        let context = Context::new(1).with_budget(100);
        let reservation = context.without_steps().reserve("a", 70, "none").unwrap();
        assert_eq!((context.budget(), context.limit()), (30, 100));
        assert!(context.clone().need("b", 31, "none").is_err());
        drop(reservation);
        assert_eq!(context.budget(), 100);
    }

    #[test]
    fn a_time_limit_ends_work_that_has_nothing_to_show() {
        struct Late;
        impl Monitor for Late {
            fn step(&self, _: &Step) -> ControlFlow<()> {
                ControlFlow::Continue(())
            }
            fn is_out_of_time(&self) -> bool {
                true
            }
        }
        let context = Context::new(1).with_monitor(Arc::new(Late));
        let step = || Step::new("stage", 1.0, 2.0);
        assert!(context.is_out_of_time() && context.without_steps().is_out_of_time());
        assert!(matches!(context.poll(), Err(Error::Interrupted)));
        assert!(matches!(context.without_steps().step(step()), Err(Error::Interrupted)));
        let iteration = context.with_partial_result();
        assert!(iteration.poll().is_ok() && iteration.without_steps().step(step()).is_ok());
        assert!(iteration.is_out_of_time(), "the iteration sees it");
        let untimed = context.without_time_limit();
        assert!(untimed.poll().is_ok() && !untimed.is_out_of_time());
    }

    #[test]
    fn watch_passes_a_panic_on() {
        let context = Context::new(1);
        let watched = || context.watch(Duration::from_millis(5), || panic!("of work"), || ());
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(watched));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"of work"));
    }
}
