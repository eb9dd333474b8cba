//! The verbs.

mod auto;
mod candidate_kernels;
mod check;
mod columns;
mod compare;
mod components;
mod continue_fit;
mod dask;
mod demo;
mod doctor;
mod evaluated_rows;
mod explain;
mod explore;
mod families;
mod features;
mod held_out;
mod held_out_pictures;
mod held_out_rows;
mod input;
mod inspect;
mod inspect_table;
mod kernels;
mod kmeans;
mod krr;
mod libsvm_model;
mod man;
mod model_columns;
mod nested;
mod outliers;
mod pca;
mod plane;
mod predict;
mod predicted_vs_true;
mod prediction;
mod row_numbers;
mod serve;
mod stream;
mod svm;
mod target_kind;
mod transform;
mod unsupervised;
mod validation;

use std::sync::{Arc, Mutex, PoisonError};

use clap::CommandFactory;
use mercer::Context;
use mercer::context::Monitor;
use mercer::io::Source;
use mercer::linalg::simd;

use crate::args::{Cli, MachineArgs, Verb};
use crate::completions;
use crate::failure::Failure;
use crate::progress::{Progress, StopFlag};
use crate::report::{InputFile, Invocation};
use crate::stdout;

pub use columns::Chosen;

/// What every run has: context, progress bar, stop flag and command line.
pub struct Session {
    /// Threads, memory budget and monitor.
    pub context: Context,
    /// The bar.
    pub progress: Arc<Progress>,
    /// The stop flag.
    pub stop: StopFlag,
    /// The command line.
    pub invocation: Arc<Invocation>,
    /// Whether to print no summary.
    pub quiet: bool,
    /// Whether the summary includes the computation and not only its result.
    pub verbose: bool,
    /// The tables that were read.
    files: Mutex<Vec<InputFile>>,
}

impl Session {
    fn new(machine: &MachineArgs, watch: &Watch, verb: &Verb) -> Self {
        let (quiet, verbose) = (verb.quiet(), verb.verbose());
        let (stop, progress) = (watch.stop.clone(), watch.progress.clone());
        let files = Mutex::default();
        let mut context = Context::new(machine.threads.into()).with_monitor(progress.clone());
        if let Some(size) = machine.memory {
            context = context.with_budget(size.0);
        }
        Self {
            context,
            progress,
            stop,
            invocation: watch.invocation.clone(),
            quiet,
            verbose,
            files,
        }
    }
}

impl Session {
    /// Records a table that was read.
    pub fn note_file(&self, source: &Source, rows: usize) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.push((source.clone(), rows));
    }

    /// The tables that were read so far.
    pub fn files(&self) -> Vec<InputFile> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Session {
    /// The same run with another monitor of its computations.
    fn watched_by(&self, monitor: Arc<dyn Monitor>) -> Self {
        Self {
            context: self.context.clone().with_monitor(monitor),
            progress: self.progress.clone(),
            stop: self.stop.clone(),
            invocation: self.invocation.clone(),
            quiet: self.quiet,
            verbose: self.verbose,
            files: Mutex::new(self.files()),
        }
    }

    /// A run within another one that prints nothing, in `context`.
    fn quiet(context: Context, watch: &Watch) -> Self {
        Self {
            context,
            progress: watch.progress.clone(),
            stop: watch.stop.clone(),
            invocation: watch.invocation.clone(),
            quiet: true,
            verbose: false,
            files: Mutex::default(),
        }
    }

    /// The same run without notes on standard error.
    fn silent(&self) -> Self {
        Self { quiet: true, ..self.watched_by(self.progress.clone()) }
    }
}

/// The progress bar and the stop flag, shared with the waiting thread.
#[derive(Clone)]
pub struct Watch {
    /// The stop flag.
    pub stop: StopFlag,
    /// The bar.
    pub progress: Arc<Progress>,
    /// The command line.
    pub invocation: Arc<Invocation>,
}

/// Panics if a test requests it; in debug builds only.
fn panic_if_requested() {
    if cfg!(debug_assertions) && std::env::var_os("MERCER_TEST_PANIC").is_some() {
        Context::new(2).install(|| panic!("MERCER_TEST_PANIC is set"));
    }
}

/// Runs `verb`.
pub fn run(verb: &Verb, watch: &Watch) -> Result<(), Failure> {
    // An invalid value of MERCER_SIMD is reported before anything is read.
    simd::chosen()?;
    panic_if_requested();
    verb.check_files()?;
    if verb.is_for_cluster() {
        return dask::run(std::env::args_os().skip(1));
    }
    let session = |machine| Session::new(machine, watch, verb);
    match verb {
        Verb::Pca(args) => pca::pca(&session(&args.machine), args),
        Verb::Kpca(args) => pca::kpca(&session(&args.machine), args),
        Verb::Transform(args) => transform::transform(&session(&args.machine), args),
        Verb::Krr(args) => krr::krr(&session(&args.machine), args),
        Verb::Svc(args) => svm::svc(&session(&args.machine), args),
        Verb::Svr(args) => svm::svr(&session(&args.machine), args),
        Verb::Oneclass(args) => svm::oneclass(&session(&args.machine), args),
        Verb::Search(args) => svm::search(&session(&args.machine), args),
        Verb::Auto(args) => auto::auto(&session(&args.machine), args),
        Verb::Kmeans(args) => kmeans::kmeans(&session(&args.machine), args),
        Verb::Outliers(args) => outliers::outliers(&session(&args.machine), args),
        Verb::Compare(args) => compare::compare(&session(&args.machine), args),
        Verb::Predict(args) => predict::predict(&session(&args.machine), args),
        Verb::Continue(args) => continue_fit::continue_fit(&session(&args.machine), args),
        Verb::Inspect(args) => inspect::inspect(args),
        Verb::Check(args) => check::check(&session(&args.machine), args),
        Verb::Features(args) => features::features(&session(&args.machine), args),
        Verb::Kernels(args) => kernels::kernels(args),
        Verb::Demo(args) => demo::demo(&session(&args.machine), args),
        Verb::Doctor(args) => doctor::doctor(&session(&args.machine), args),
        Verb::Explore(args) => explore::explore(&session(&args.machine), args),
        Verb::Serve(args) => serve::serve(&session(&args.machine), args, watch),
        Verb::Man(args) => man::man(args),
        Verb::Completions(args) => {
            let command = Cli::<Verb>::command();
            completions::write(args.shell, command, stdout::handle()).map_err(Failure::Print)
        }
    }
}
