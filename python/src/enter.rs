//! The one way from Python into the library: the interpreter is released, the work runs on the pool, and the calling
//! thread wakes now and then to look for signals and to hand on progress.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mercer::context::{Monitor, Step};
use mercer::panics;
use mercer::{Context, Error};
use mercer_guard::guarded;
use pyo3::prelude::*;

use crate::contexts::context;
use crate::errors::{OutOfTimeError, exception, internal};

/// The stage of messages about work that is still to be done.
const PLANNING: &str = "planning";

/// How often signals are looked for and progress is reported.
const TICK: Duration = Duration::from_millis(50);

/// How to run: threads, bytes of the memory budget, the progress callback, and the seconds that the work may take.
#[derive(FromPyObject)]
pub struct Run(usize, Option<u64>, Option<Py<PyAny>>, Option<f64>);

/// What the worker threads and the calling thread share.
#[derive(Default)]
struct Watch {
    stop: AtomicBool,
    steps: Mutex<Steps>,
    wants_steps: bool,
    /// When the work began, and the seconds that it may take.
    limit: Option<(Instant, f64)>,
    /// What a user should know before long work, until it is said.
    warning: Mutex<Option<String>>,
}

/// Steps that are not reported yet, the latest of each stage, and the one reported last.
#[derive(Default)]
struct Steps {
    waiting: Vec<Step>,
    reported: Option<Step>,
}

impl Steps {
    fn note(&mut self, step: &Step) {
        match self.waiting.iter_mut().find(|one| one.stage == step.stage) {
            Some(one) => *one = step.clone(),
            None => self.waiting.push(step.clone()),
        }
    }

    /// What to report now: every stage to its end before another one begins, the last one too if the work is `done`.
    fn due(&mut self, done: bool) -> Vec<Step> {
        let mut due = Vec::new();
        for step in self.waiting.drain(..) {
            if let Some(last) = self.reported.take().filter(|last| last.stage != step.stage) {
                due.extend(rest_of(&last));
            }
            due.push(step.clone());
            self.reported = Some(step);
        }
        if done {
            due.extend(self.reported.take().as_ref().and_then(rest_of));
        }
        due
    }
}

/// The end of a stage, unless the step is that already.
fn rest_of(step: &Step) -> Option<Step> {
    let remaining = step.remaining.map(|_| 0.0);
    (step.done < step.total).then(|| Step { done: step.total, remaining, ..step.clone() })
}

impl Monitor for Watch {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        if let (PLANNING, Some(text)) = (step.stage, &step.message) {
            *self.warning.lock().unwrap_or_else(|broken| broken.into_inner()) = Some(text.clone());
        }
        if self.wants_steps {
            self.steps.lock().unwrap_or_else(|broken| broken.into_inner()).note(step);
        }
        self.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn is_out_of_time(&self) -> bool {
        self.limit.is_some_and(|(began, seconds)| began.elapsed().as_secs_f64() >= seconds)
    }
}

impl Watch {
    /// Asks the work to end; to be called once.
    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        STOPPING.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls `listener(stage, done, total, residual, message, remaining)` with the latest steps not reported yet.
    fn report(&self, py: Python<'_>, listener: &Py<PyAny>, done: bool) -> PyResult<()> {
        let due = self.steps.lock().unwrap_or_else(|broken| broken.into_inner()).due(done);
        due.into_iter().try_for_each(|step| {
            let Step { stage, done, total, residual, message, remaining } = step;
            let args = (stage, done, total, residual, message, remaining);
            listener.call1(py, args).map(drop)
        })
    }

    /// Warns of what a plan says, once.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let text = self.warning.lock().unwrap_or_else(|broken| broken.into_inner()).take();
        let Some(text) = text else { return Ok(()) };
        py.import("mercer._reports")?.call_method1("warn_ahead", (text,)).map(drop)
    }

    /// Lets signal handlers run, warns and reports progress; what any of them raises ends the work.
    fn tick(&self, listener: Option<&Py<PyAny>>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            self.warn(py)?;
            listener.map_or(Ok(()), |listener| self.report(py, listener, false))
        })
    }
}

/// Runs what Python called; `#[guarded]` writes the call. A panic, here or in a worker thread, becomes an exception.
pub fn guarded<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    panics::catch(work).unwrap_or_else(|panicked| Err(internal(&panicked)))
}

/// Panics as a bug would, on this thread or on a worker. In builds for developers only: a test asks for it.
#[cfg(debug_assertions)]
#[guarded]
#[pyfunction]
pub fn panic_on_purpose(py: Python<'_>, on_worker: bool, run: Run) -> PyResult<()> {
    if on_worker {
        return enter(py, &run, |_| panic!("a worker panicked on purpose"));
    }
    panic!("panicked on purpose")
}

/// Runs that are under way, and those of them that were asked to stop.
static RUNS: AtomicUsize = AtomicUsize::new(0);
static STOPPING: AtomicUsize = AtomicUsize::new(0);

/// Whether all runs of this process were asked to stop. A user-defined function does not know which run it works for;
/// nearly always there is one.
#[guarded]
#[pyfunction]
pub fn is_stopping() -> bool {
    let stopping = STOPPING.load(Ordering::Relaxed);
    stopping > 0 && stopping == RUNS.load(Ordering::Relaxed)
}

/// Counts a run while it lives.
struct Counted<'a>(&'a Watch);

impl<'a> Counted<'a> {
    fn new(watch: &'a Watch) -> Self {
        RUNS.fetch_add(1, Ordering::Relaxed);
        Self(watch)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        RUNS.fetch_sub(1, Ordering::Relaxed);
        if self.0.stop.load(Ordering::Relaxed) {
            STOPPING.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Runs `work` with the interpreter released. What a signal handler or the listener raises ends the work and is raised
/// in its place.
pub fn enter<R: Send>(
    py: Python<'_>,
    run: &Run,
    work: impl FnOnce(&Context) -> mercer::Result<R> + Send,
) -> PyResult<R> {
    match enter_keeping(py, run, work)? {
        (_, Some(raised)) => Err(raised),
        (result, None) => Ok(result),
    }
}

/// Numbers read up to which work ends before a signal could be looked for.
const SHORT: usize = 4_000_000;

/// As [`enter`], for predictions that read `numbers` numbers. Few are made on the calling thread: another one would take
/// longer to wake.
pub fn enter_predict<R: Send>(
    py: Python<'_>,
    run: &Run,
    numbers: usize,
    work: impl FnOnce(&Context) -> mercer::Result<R> + Send,
) -> PyResult<R> {
    let Run(threads, budget, listener, seconds) = run;
    if numbers > SHORT || listener.is_some() || seconds.is_some() {
        return enter(py, run, work);
    }
    let context = context(py, *threads, *budget);
    py.detach(|| work(&context)).map_err(|error| exception(py, error))
}

/// As [`enter`], for work that has a result even if it is cut short: what was raised comes beside it.
pub fn enter_keeping<R: Send>(
    py: Python<'_>,
    run: &Run,
    work: impl FnOnce(&Context) -> mercer::Result<R> + Send,
) -> PyResult<(R, Option<PyErr>)> {
    let Run(threads, budget, listener, seconds) = run;
    let limit = seconds.map(|seconds| (Instant::now(), seconds));
    let watch = Arc::new(Watch { wants_steps: listener.is_some(), limit, ..Watch::default() });
    let context = context(py, *threads, *budget).with_monitor(watch.clone());
    let _counted = Counted::new(&watch);
    let (result, raised) = py.detach(|| {
        let mut raised = None;
        let result = context.watch(
            TICK,
            || work(&context),
            || {
                if raised.is_none()
                    && let Err(error) = watch.tick(listener.as_ref())
                {
                    watch.end();
                    raised = Some(error);
                }
            },
        );
        (result, raised)
    });
    let done = result.is_ok();
    let raised =
        raised.or_else(|| listener.as_ref().and_then(|call| watch.report(py, call, done).err()));
    match (result, raised) {
        (Ok(result), raised) => Ok((result, raised)),
        (Err(_), Some(raised)) => Err(raised),
        (Err(Error::Interrupted), None) if watch.is_out_of_time() => {
            Err(OutOfTimeError::new_err(()))
        }
        (Err(error), None) => Err(exception(py, error)),
    }
}
