//! Watching long work from a terminal: a progress bar on standard error, and Ctrl-C as a wish to
//! stop.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mercer::context::{Monitor, Step};
use mercer::{Error, Result};

/// Set by the first Ctrl-C; the work ends at its next step.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that Ctrl-C sets. A second Ctrl-C ends the process at once with exit code 130, for
    /// work that does not reach its next step. May be called once per process.
    pub fn on_ctrl_c() -> Result<Self> {
        let flag = Self::default();
        let handler = flag.clone();
        let installed = ctrlc::set_handler(move || {
            if handler.0.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
        installed.map_err(|cause| Error::Numeric(format!("Ctrl-C cannot be caught: {cause}")))?;
        Ok(flag)
    }

    /// Asks for a stop, as Ctrl-C does.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Shows the steps of the library's work as a bar, one line per stage that replaces the one before.
pub struct Progress {
    stop: StopFlag,
    shown: Option<Mutex<Shown>>,
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
        Self::drawing_on(stop, target)
    }

    fn drawing_on(stop: StopFlag, target: Option<ProgressDrawTarget>) -> Self {
        let shown = target.map(|target| {
            Mutex::new(Shown { bar: ProgressBar::with_draw_target(Some(FULL), target), stage: "" })
        });
        Self { stop, shown }
    }

    /// Takes the bar off the screen, so that results can be printed.
    pub fn clear(&self) {
        if let Some(shown) = &self.shown {
            lock(shown).bar.finish_and_clear();
        }
    }
}

impl Monitor for Progress {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        if let Some(shown) = &self.shown {
            lock(shown).update(step);
        }
        self.stop.flow()
    }

    fn poll(&self) -> ControlFlow<()> {
        self.stop.flow()
    }
}

// A thread that panicked while it drew leaves nothing behind that drawing again could not repair.
fn lock(shown: &Mutex<Shown>) -> std::sync::MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Shown {
    fn update(&mut self, step: &Step) {
        if self.stage != step.stage {
            self.stage = step.stage;
            self.bar.reset();
            self.bar.set_style(style(step.residual.is_some()));
        }
        self.bar.set_message(message(step));
        self.bar.set_position(position(step));
    }
}

/// The remaining time is shown for stages whose length is known; one that ends by convergence shows
/// its residual.
fn style(converges: bool) -> ProgressStyle {
    let timing = if converges {
        "{elapsed} elapsed"
    } else {
        "{percent:>3} %  {elapsed} elapsed, {eta} left"
    };
    ProgressStyle::with_template(&format!("{{msg}}  {{bar:32.cyan/dim}} {timing}"))
        .expect("the template is well formed")
        .progress_chars("━╸─")
}

fn message(step: &Step) -> String {
    match step.residual {
        Some(residual) => format!("{} (residual {residual:.1e})", step.stage),
        None => step.stage.to_string(),
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
        Step { stage, done, total: 4.0, residual }
    }

    #[test]
    fn work_goes_on_until_the_flag_is_set() {
        let stop = StopFlag::default();
        let progress = Progress::drawing_on(stop.clone(), None);
        assert!(progress.step(&step("Gram matrix", 1.0, None)).is_continue());
        assert!(progress.poll().is_continue());
        stop.set();
        assert!(progress.poll().is_break());
        assert!(progress.step(&step("Gram matrix", 2.0, None)).is_break());
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
    }

    #[test]
    fn shares_stay_within_the_bar() {
        for (done, total, expected) in [(5.0, 4.0, FULL), (0.0, 0.0, 0), (f64::NAN, 4.0, 0)] {
            let step = Step { stage: "", done, total, residual: None };
            assert_eq!(position(&step), expected);
        }
    }
}
