//! The command `mercer`: parses the command line, does the work, owns the exit codes.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use mercer_cli::args::{Cli, CompletionsArgs};
use mercer_cli::completions;

/// What the command can do.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Print a script that completes commands in a shell
    Completions(CompletionsArgs),
}

fn main() -> ExitCode {
    // A wrong command line ends here with exit code 2.
    let cli = Cli::<Verb>::parse();
    match run(cli.verb) {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough, such as `head`, is no failure.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mercer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(verb: Verb) -> std::io::Result<()> {
    match verb {
        Verb::Completions(args) => {
            completions::write(args.shell, Cli::<Verb>::command(), std::io::stdout().lock())
        }
    }
}
