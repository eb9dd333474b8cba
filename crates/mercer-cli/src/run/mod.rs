//! The verbs at work.

mod agreement;
mod check;
mod columns;
mod components;
mod demo;
mod doctor;
mod evaluate;
mod features;
mod fit;
mod found;
mod inspect;
mod kernels;
mod kmeans;
mod krr;
mod list;
mod model_file;
mod new_rows;
mod outliers;
mod plane;
mod predict;
mod sight;
mod svm;
mod transform;

use std::sync::Arc;

use clap::CommandFactory;
use mercer::Context;
use mercer::linalg::simd;

use crate::args::{Cli, MachineArgs, Verb};
use crate::completions;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Progress, StopFlag};
use crate::report::Asked;

pub use columns::Chosen;

/// What every run has: a context that the progress bar watches, and the wish to stop.
pub struct Session {
    /// Threads, memory budget and monitor.
    pub context: Context,
    /// The bar.
    pub progress: Arc<Progress>,
    /// The wish to stop.
    pub stop: StopFlag,
    /// The command line.
    pub asked: Arc<Asked>,
    /// Whether to leave the summary out.
    pub quiet: bool,
}

impl Session {
    fn new(machine: &MachineArgs, watch: &Watch, quiet: bool) -> Self {
        let (stop, progress) = (watch.stop.clone(), watch.progress.clone());
        let mut context = Context::new(machine.threads.into()).with_monitor(progress.clone());
        if let Some(size) = machine.memory {
            context = context.with_budget(size.0);
        }
        Self { context, progress, stop, asked: watch.asked.clone(), quiet }
    }
}

/// The bar and the wish to stop, as the thread that waits for the work holds them too.
#[derive(Clone)]
pub struct Watch {
    /// The wish to stop.
    pub stop: StopFlag,
    /// The bar.
    pub progress: Arc<Progress>,
    /// The command line.
    pub asked: Arc<Asked>,
}

/// Ends in a bug where a test asks for one; in builds for developers only.
fn panic_if_asked() {
    if cfg!(debug_assertions) && std::env::var_os("MERCER_TEST_PANIC").is_some() {
        Context::new(2).install(|| panic!("MERCER_TEST_PANIC is set"));
    }
}

/// Does what `verb` says.
pub fn run(verb: &Verb, watch: &Watch) -> Result<(), Failure> {
    // A wrong value of MERCER_SIMD is told before anything is read.
    simd::chosen()?;
    panic_if_asked();
    verb.check_files()?;
    let session = |machine| Session::new(machine, watch, verb.quiet());
    match verb {
        Verb::Pca(args) => fit::pca(&session(&args.machine), args),
        Verb::Kpca(args) => fit::kpca(&session(&args.machine), args),
        Verb::Transform(args) => transform::transform(&session(&args.machine), args),
        Verb::Krr(args) => krr::krr(&session(&args.machine), args),
        Verb::Svc(args) => svm::svc(&session(&args.machine), args),
        Verb::Svr(args) => svm::svr(&session(&args.machine), args),
        Verb::Oneclass(args) => svm::oneclass(&session(&args.machine), args),
        Verb::Search(args) => svm::search(&session(&args.machine), args),
        Verb::Kmeans(args) => kmeans::kmeans(&session(&args.machine), args),
        Verb::Outliers(args) => outliers::outliers(&session(&args.machine), args),
        Verb::Predict(args) => predict::predict(&session(&args.machine), args),
        Verb::Inspect(args) => inspect::inspect(args),
        Verb::Check(args) => check::check(&session(&args.machine), args),
        Verb::Features(args) => features::features(&session(&args.machine), args),
        Verb::Kernels(args) => list::kernels(args),
        Verb::Demo(args) => demo::demo(&session(&args.machine), args),
        Verb::Doctor(args) => doctor::doctor(&session(&args.machine), args),
        Verb::Completions(args) => {
            let command = Cli::<Verb>::command();
            completions::write(args.shell, command, output::stdout()).map_err(Failure::Print)
        }
    }
}
