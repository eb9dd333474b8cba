//! Progress bar on standard error, and interruption by Ctrl-C.

mod stages;
mod termination;

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mercer::context::{Monitor, Step};
use mercer::{Error, Result};

use self::stages::Stages;
pub use self::termination::is_requested as is_terminated;

/// Set by the first Ctrl-C; computations stop at their next step.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stop: AtomicBool,
    writing: AtomicBool,
}

/// How often the waiting thread polls for a stop request.
const TICK: Duration = Duration::from_millis(50);
/// How long a computation may take to stop after a request.
const GRACE: Duration = Duration::from_millis(700);

impl StopFlag {
    /// A flag that Ctrl-C sets. A second Ctrl-C ends the process at once with exit code 130, unless
    /// files are being written. May be called once per process.
    pub fn on_ctrl_c() -> Result<Self> {
        let flag = Self::default();
        let handler = flag.clone();
        let installed = ctrlc::set_handler(move || {
            if handler.is_set() && !handler.is_writing() {
                std::process::exit(130);
            }
            handler.set();
        });
        installed
            .map_err(|cause| Error::Numeric(format!("cannot install a Ctrl-C handler: {cause}")))?;
        let caught = termination::catch();
        caught
            .map_err(|cause| Error::Numeric(format!("cannot install signal handlers: {cause}")))?;
        Ok(flag)
    }

    /// Requests a stop, as Ctrl-C does.
    pub fn set(&self) {
        self.0.stop.store(true, Ordering::SeqCst);
    }

    /// Whether a stop was requested, by Ctrl-C or by SIGTERM.
    pub fn is_set(&self) -> bool {
        self.0.stop.load(Ordering::SeqCst) || termination::is_requested()
    }

    fn is_writing(&self) -> bool {
        self.0.writing.load(Ordering::SeqCst)
    }

    /// Runs `write`, during which the process is not ended from outside of it, so that it can take
    /// its temporary files away.
    pub fn while_writing<R>(&self, write: impl FnOnce() -> R) -> R {
        self.0.writing.store(true, Ordering::SeqCst);
        let result = write();
        self.0.writing.store(false, Ordering::SeqCst);
        result
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Runs `work` on a separate thread and waits for it. If it does not return soon after a stop
    /// request, because it reads a large file or is within a long step, the thread is abandoned and
    /// the caller ends the process.
    pub fn watch<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let (sender, receiver) = mpsc::channel();
        let thread =
            std::thread::Builder::new().name(mercer::panics::THREAD.into()).stack_size(STACK);
        let started = thread.spawn(move || sender.send(work()));
        started.map_err(|cause| Error::Numeric(format!("cannot start a thread: {cause}")))?;
        let mut requested: Option<Instant> = None;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Numeric(BUG.into())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_late =
                self.is_set() && requested.get_or_insert_with(Instant::now).elapsed() > GRACE;
            if is_late && !self.is_writing() {
                return Err(Error::Interrupted);
            }
        }
    }
}

/// As large as that of a main thread.
const STACK: usize = 8 << 20;
const BUG: &str =
    "a bug in mercer: the computation ended unexpectedly; please report this with the output above";

/// Shows the steps of the library's work as a bar, one line per stage that replaces the one before.
pub struct Progress {
    stop: StopFlag,
    shown: Option<Mutex<Shown>>,
    stages: Mutex<Stages>,
    quiet: bool,
}

/// The bar and the stage it is at.
struct Shown {
    bar: ProgressBar,
    stage: &'static str,
}

/// Ticks of a full bar. Stages count in their own units; the bar shows shares.
const FULL: u64 = 10_000;

impl Progress {
    /// A monitor that ends work when `stop` is set, with a bar if standard error is a terminal and
    /// `quiet` is not.
    pub fn new(stop: StopFlag, quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let target = if visible { Some(ProgressDrawTarget::stderr_with_hz(12)) } else { None };
        Self { quiet, ..Self::drawing_on(stop, target) }
    }

    fn drawing_on(stop: StopFlag, target: Option<ProgressDrawTarget>) -> Self {
        let shown = target.map(|target| {
            let bar = ProgressBar::with_draw_target(Some(FULL), target);
            Mutex::new(Shown { bar, stage: "" })
        });
        Self { stop, shown, stages: Mutex::default(), quiet: true }
    }

    /// Shows that `stage`, whose length is unknown, has begun.
    pub fn begin(&self, stage: &'static str) {
        lock(&self.stages).begin(stage);
        if let Some(shown) = &self.shown {
            lock(shown).begin(stage);
        }
    }

    /// The seconds of each stage so far, in the order in which they began.
    pub fn stages(&self) -> Vec<(&'static str, f64)> {
        lock(&self.stages).seconds(Instant::now())
    }

    /// Clears the bar, so that results can be printed.
    pub fn clear(&self) {
        if let Some(shown) = &self.shown {
            let shown = lock(shown);
            shown.end();
            shown.bar.finish_and_clear();
        }
    }
}

/// The stage of estimates that are made before long work, which stay on the terminal.
const ESTIMATES: &str = "estimates";

impl Progress {
    /// Prints what a step says of the work ahead.
    fn print(&self, text: &str) {
        match &self.shown {
            Some(shown) => lock(shown).bar.suspend(|| eprintln!("{text}")),
            None if !self.quiet => eprintln!("{text}"),
            None => {}
        }
    }
}

impl Monitor for Progress {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        lock(&self.stages).begin(step.stage);
        if let (ESTIMATES, Some(text)) = (step.stage, &step.message) {
            text.split("; ").for_each(|line| self.print(line));
            return self.stop.flow();
        }
        if let Some(shown) = &self.shown {
            lock(shown).update(step);
        }
        self.stop.flow()
    }

    fn poll(&self) -> ControlFlow<()> {
        self.stop.flow()
    }
}

// A panic while drawing leaves no broken invariant, so a poisoned lock is safe to use.
fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Shown {
    /// A spinner; the library's first step replaces it by a bar.
    fn begin(&mut self, stage: &'static str) {
        self.stage = stage;
        // The style goes first: every other call draws the bar with the style it has.
        let style = ProgressStyle::with_template("{spinner:.cyan} {msg}  {elapsed} elapsed");
        self.bar.set_style(style.expect("the template is well formed"));
        self.bar.set_message(stage);
        self.bar.reset();
        self.bar.enable_steady_tick(Duration::from_millis(120));
    }

    /// Shows a stage at its end. One that ends by convergence is over before the bar, which estimates, is full.
    fn end(&self) {
        if !self.stage.is_empty() {
            self.bar.set_position(FULL);
        }
    }

    fn update(&mut self, step: &Step) {
        // What follows a finished stage may be long and report no progress, as a full
        // eigendecomposition does: a full bar would look stuck.
        if step.residual.is_none() && position(step) == FULL {
            return self.begin("computing");
        }
        if self.stage != step.stage {
            self.end();
            self.stage = step.stage;
            self.bar.disable_steady_tick();
            self.bar.set_style(style(step));
            self.bar.set_message(message(step));
            self.bar.reset();
        }
        if let Some(seconds) = step.remaining {
            self.bar.set_prefix(left(seconds));
        }
        self.bar.set_message(message(step));
        self.bar.set_position(position(step));
    }
}

/// The remaining time is shown for stages whose length is known; one that ends by convergence shows
/// its residual.
fn style(step: &Step) -> ProgressStyle {
    let timing = match (step.residual, step.remaining) {
        (Some(_), _) => "{elapsed} elapsed",
        (None, Some(_)) => "{percent:>3} %  {elapsed} elapsed, {prefix} left",
        (None, None) => "{percent:>3} %  {elapsed} elapsed, {eta} left",
    };
    ProgressStyle::with_template(&format!("{{msg}}  {{bar:32.cyan/dim}} {timing}"))
        .expect("the template is well formed")
        .progress_chars("━╸─")
}

/// A time in words: to the second.
fn left(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.round()).unwrap_or(Duration::MAX).as_secs();
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

fn message(step: &Step) -> String {
    match (&step.message, step.residual) {
        (Some(said), _) => format!("{} ({said})", step.stage),
        (None, Some(residual)) => format!("{} (residual {residual:.1e})", step.stage),
        (None, None) => step.stage.to_string(),
    }
}

fn position(step: &Step) -> u64 {
    let share = if step.total > 0.0 { (step.done / step.total).clamp(0.0, 1.0) } else { 0.0 };
    (share * FULL as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(stage: &'static str, done: f64, residual: Option<f64>) -> Step {
        Step { residual, ..Step::new(stage, done, 4.0) }
    }

    #[test]
    fn steps_continue_until_the_flag_is_set() {
        let stop = StopFlag::default();
        let progress = Progress::drawing_on(stop.clone(), None);
        assert!(progress.step(&step("Gram matrix", 1.0, None)).is_continue());
        assert!(progress.poll().is_continue());
        stop.set();
        assert!(progress.poll().is_break());
        assert!(progress.step(&step("Gram matrix", 2.0, None)).is_break());
    }

    #[test]
    fn a_stuck_step_is_abandoned() {
        let stop = StopFlag::default();
        let flag = stop.clone();
        let (_keep, forever) = mpsc::channel::<()>();
        let watched = stop.watch(move || {
            flag.set();
            let _ = forever.recv();
            Ok(())
        });
        assert!(matches!(watched, Err(Error::Interrupted)));
    }

    #[test]
    fn writing_is_waited_for_and_a_panic_is_an_error() {
        let stop = StopFlag::default();
        let flag = stop.clone();
        let watched = stop.watch(move || {
            flag.set();
            flag.while_writing(|| std::thread::sleep(2 * GRACE));
            Ok(7)
        });
        assert_eq!(watched.unwrap(), 7);
        let broken = StopFlag::default().watch(|| -> Result<()> { panic!("on purpose") });
        assert!(broken.unwrap_err().to_string().contains("please report"));
    }

    #[test]
    fn a_set_flag_interrupts_a_context() {
        let stop = StopFlag::default();
        stop.set();
        let monitor = Arc::new(Progress::drawing_on(stop, None));
        let context = mercer::Context::new(1).with_monitor(monitor);
        assert!(matches!(context.poll(), Err(Error::Interrupted)));
    }

    #[test]
    fn the_bar_follows_the_stage() {
        let hidden = Some(ProgressDrawTarget::hidden());
        let progress = Progress::drawing_on(StopFlag::default(), hidden);
        let _ = progress.step(&step("Gram matrix", 3.0, None));
        let _ = progress.step(&step("eigenvectors", 1.0, Some(1.2e-3)));
        let shown = lock(progress.shown.as_ref().unwrap());
        assert_eq!(shown.bar.position(), FULL / 4);
        assert_eq!(shown.bar.message(), "eigenvectors (residual 1.2e-3)");
        drop(shown);
        let _ = progress.step(&step("Gram matrix", 4.0, None));
        assert_eq!(lock(progress.shown.as_ref().unwrap()).bar.message(), "computing");
    }

    #[test]
    fn what_work_tells_of_its_end_is_shown() {
        let hidden = Some(ProgressDrawTarget::hidden());
        let progress = Progress::drawing_on(StopFlag::default(), hidden);
        let reported = Step { remaining: Some(754.6), ..step("fit on landmarks", 1.0, None) };
        let _ = progress.step(&reported);
        assert_eq!(lock(progress.shown.as_ref().unwrap()).bar.prefix(), "12m 35s");
        assert_eq!(
            (left(0.4), left(59.6), left(7322.0)),
            ("0s".into(), "1m 00s".into(), "2h 02m".into())
        );
    }

    #[test]
    fn the_last_stage_ends_at_its_end() {
        let hidden = Some(ProgressDrawTarget::hidden());
        let progress = Progress::drawing_on(StopFlag::default(), hidden);
        let _ = progress.step(&step("eigenvectors", 3.6, Some(1e-9)));
        progress.clear();
        assert_eq!(lock(progress.shown.as_ref().unwrap()).bar.position(), FULL);
    }

    #[test]
    fn stages_are_noted_in_order() {
        let progress = Progress::drawing_on(StopFlag::default(), None);
        progress.begin("reading");
        let _ = progress.step(&step("Gram matrix", 1.0, None));
        let _ = progress.step(&step("Gram matrix", 2.0, None));
        let names: Vec<&str> = progress.stages().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["reading", "Gram matrix"]);
    }

    #[test]
    fn shares_stay_within_the_bar() {
        for (done, total, expected) in [(5.0, 4.0, FULL), (0.0, 0.0, 0), (f64::NAN, 4.0, 0)] {
            let step = Step::new("", done, total);
            assert_eq!(position(&step), expected);
        }
    }
}
