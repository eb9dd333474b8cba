//! How work is run: on how many threads, within how much memory, watched by whom. Nothing here may change a result.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::error::{Error, Result};

/// A report of progress within one stage of a piece of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is being done, in a few words.
    pub stage: &'static str,
    /// How much of it is done, from 0 to `total`.
    pub done: f64,
    /// All of it; an estimate where the stage ends by convergence.
    pub total: f64,
    /// The relative residual reached so far, for stages that end by convergence.
    pub residual: Option<f64>,
    /// What else is worth telling, in a few words.
    pub said: Option<String>,
}

impl Step {
    /// A step of a stage whose length is known.
    pub fn new(stage: &'static str, done: f64, total: f64) -> Self {
        Self { stage, done, total, residual: None, said: None }
    }

    /// A step of a stage that ends by convergence; `total` is an estimate.
    pub fn converging(stage: &'static str, done: f64, total: f64, residual: f64) -> Self {
        Self { residual: Some(residual), ..Self::new(stage, done, total) }
    }
}

/// Watches long work and may end it. Called from worker threads, so both methods must return at once.
pub trait Monitor: Send + Sync {
    /// Progress was made. `Break` ends the work with [`Error::Interrupted`].
    fn step(&self, step: &Step) -> ControlFlow<()>;

    /// Called every few milliseconds between steps. `Break` ends the work.
    fn poll(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Watches nothing and never interrupts.
struct Silent;

impl Monitor for Silent {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Passes interruptions on, but no progress.
struct Quiet(Arc<dyn Monitor>);

impl Monitor for Quiet {
    fn step(&self, _: &Step) -> ControlFlow<()> {
        self.0.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        self.0.poll()
    }
}

/// Threads, memory budget and monitor of a piece of work. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    pool: Arc<rayon::ThreadPool>,
    budget: u64,
    monitor: Arc<dyn Monitor>,
}

impl Default for Context {
    /// All cores this process may use, the memory the machine (or its cgroup) has free less a tenth, no monitor.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Context {
    /// A context with `threads` threads; 0 means as many as this process may use.
    pub fn new(threads: usize) -> Self {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(if threads == 0 { available_threads() } else { threads })
            .thread_name(|i| format!("{}-{i}", crate::panics::THREAD))
            .build()
            .expect("the operating system refused to start worker threads");
        Self { pool: Arc::new(pool), budget: available_memory(), monitor: Arc::new(Silent) }
    }

    /// The same context with a memory budget of `bytes`.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        self.budget = bytes;
        self
    }

    /// The same context watched by `monitor`.
    pub fn with_monitor(mut self, monitor: Arc<dyn Monitor>) -> Self {
        self.monitor = monitor;
        self
    }

    /// The same context without reports of progress, for parts of a whole whose progress is told otherwise.
    pub fn without_steps(&self) -> Self {
        self.clone().with_monitor(Arc::new(Quiet(self.monitor.clone())))
    }

    /// The same context without a monitor, for work that must come to an end.
    pub fn unwatched(&self) -> Self {
        self.clone().with_monitor(Arc::new(Silent))
    }

    /// Threads that share the work.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Bytes that working storage may take.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Runs `work` on this context's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Runs `work` on this context's threads. Meanwhile the calling thread calls `tick` whenever `every` has passed, for
    /// doors that must look after something on their own thread, such as signals. Work within work, on one of these threads
    /// already, is done at once: a thread that waited for itself would wait for ever.
    pub fn watch<R: Send>(
        &self,
        every: Duration,
        work: impl FnOnce() -> R + Send,
        mut tick: impl FnMut(),
    ) -> R {
        if self.pool.current_thread_index().is_some() {
            return work();
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let result = self.pool.in_place_scope(|scope| {
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

    /// Tells the monitor of progress.
    pub fn step(&self, step: Step) -> Result<()> {
        stop_on_break(self.monitor.step(&step))
    }

    /// Asks the monitor whether to go on.
    pub fn poll(&self) -> Result<()> {
        stop_on_break(self.monitor.poll())
    }

    /// Refuses work that needs more than the budget.
    pub fn need(&self, what: &'static str, needed: u64, hint: &'static str) -> Result<()> {
        if needed > self.budget {
            return Err(Error::Memory { what, needed, budget: self.budget, hint });
        }
        Ok(())
    }
}

fn stop_on_break(flow: ControlFlow<()>) -> Result<()> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}

/// Cores this process may use (affinity and cgroup quota included).
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Nine tenths of the memory that is free for this process: the smaller of what the machine reports as available and
/// what its cgroup still allows. Where neither can be read, 4 GiB.
pub fn available_memory() -> u64 {
    let free = [machine_available(), cgroup_available()].into_iter().flatten().min();
    free.unwrap_or(4 << 30) / 10 * 9
}

fn machine_available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

fn cgroup_available() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let number = |text: String| text.trim().parse::<u64>().ok();
    let v2 = || Some((number(read("memory.max")?)?, number(read("memory.current")?)?));
    let v1 = || {
        Some((
            number(read("memory/memory.limit_in_bytes")?)?,
            number(read("memory/memory.usage_in_bytes")?)?,
        ))
    };
    let (limit, used) = v2().or_else(v1)?;
    Some(limit.saturating_sub(used))
}

/// A stream of random numbers that depends on a seed and a name, and on nothing else: two purposes never share
/// numbers, and adding a purpose does not change the others. SplitMix64, whose 64-bit state suits starting vectors
/// and samples of rows; it is not for secrets.
#[derive(Debug, Clone)]
pub struct Stream(u64);

impl Stream {
    /// The stream called `name` of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a of the name, then one scramble, so that neighbouring seeds start far apart.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        let mut stream = Self(seed ^ hash);
        stream.0 = stream.bits();
        stream
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A standard normal number (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// An integer in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "no integer lies below 0");
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// `count` distinct integers of `0..n`, ascending.
    pub fn sample(&mut self, n: usize, count: usize) -> Vec<usize> {
        assert!(count <= n, "cannot draw {count} distinct integers below {n}");
        // Floyd's method: `count` draws, no list of n.
        let mut chosen = std::collections::BTreeSet::new();
        for top in n - count..n {
            let draw = self.below(top + 1);
            if !chosen.insert(draw) {
                chosen.insert(top);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watch_ticks_while_work_runs_and_gives_its_result() {
        let context = Context::new(1);
        let mut ticks = 0;
        let work = || std::thread::sleep(Duration::from_millis(60));
        context.watch(Duration::from_millis(5), work, || ticks += 1);
        assert!(ticks > 1, "{ticks} ticks");
        assert_eq!(context.watch(Duration::from_secs(9), || 7, || unreachable!()), 7);
    }

    #[test]
    fn watch_passes_a_panic_on() {
        let context = Context::new(1);
        let watched = || context.watch(Duration::from_millis(5), || panic!("of work"), || ());
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(watched));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"of work"));
    }
}
