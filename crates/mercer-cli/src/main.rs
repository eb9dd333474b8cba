//! The command `mercer`: parses the command line, waits for the run, returns the exit code.

#[cfg(unix)]
mod start;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches};
use mercer::panics;
use mercer_cli::args::{Cli, Verb};
use mercer_cli::completions;
use mercer_cli::failure::Failure;
use mercer_cli::from_model;
use mercer_cli::progress::{Progress, StopFlag};
use mercer_cli::report::Invocation;
use mercer_cli::run::{Watch, run};
use mercer_cli::stdout;

fn main() -> ExitCode {
    mercer_cuda::provide();
    // A wrong command line ends here with exit code 2.
    let (command, words) = (Cli::<Verb>::command(), std::env::args_os().collect::<Vec<_>>());
    if let Some(lines) = completions::requested(&command, &words) {
        let _ = stdout::print(&lines);
        return ExitCode::SUCCESS;
    }
    let matches = match command.clone().try_get_matches_from(&words) {
        Ok(matches) => matches,
        // Help and version are printed, and lost where there is no standard output.
        Err(error) if !error.use_stderr() && stdout::is_closed() => {
            return ExitCode::from(Failure::Print(stdout::closed()).report());
        }
        Err(error) => error.exit(),
    };
    let matches = match from_model::expanded(&matches, &words) {
        Ok(None) => matches,
        Ok(Some(words)) => command.clone().get_matches_from(words),
        Err(error) => return ExitCode::from(Failure::from(error).report()),
    };
    let parsed = Cli::<Verb>::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let invocation = Invocation::of(&words, &command, &matches);
    let code = match watched(parsed.verb, invocation) {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    };
    ExitCode::from(code)
}

/// Runs `verb` on a separate thread, so that Ctrl-C takes effect even within a long step.
fn watched(verb: Verb, invocation: Invocation) -> Result<(), Failure> {
    let stop = StopFlag::on_ctrl_c()?;
    let progress = Arc::new(Progress::new(stop.clone(), verb.quiet()));
    let invocation = Arc::new(invocation);
    let watch = Watch { stop: stop.clone(), progress: progress.clone(), invocation };
    let ended = stop.watch(move || Ok(panics::catch(|| run(&verb, &watch))));
    progress.clear();
    ended?.unwrap_or_else(|panicked| Err(Failure::Bug(panicked)))
}
