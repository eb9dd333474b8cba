//! Errors of a run: messages and exit codes.

use std::io::Write;

use mercer::Error;
use mercer::error::Param;
use mercer::panics::Panicked;

use crate::progress::is_terminated;

/// Why a run failed.
#[derive(Debug)]
pub enum Failure {
    /// Invalid command line.
    Usage(clap::Error),
    /// An error of the library.
    Work(Error),
    /// Standard output could not be written.
    Print(std::io::Error),
    /// The checked kernel is not positive semi-definite; already printed.
    NotAKernel,
    /// A self-test failed; already printed.
    Unhealthy,
    /// Another program failed with this exit code; already printed.
    Elsewhere(u8),
    /// A bug in mercer.
    Bug(Panicked),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Work(error)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Failure::Usage(error)
    }
}

impl Failure {
    /// Prints the error on standard error, and returns the exit code.
    pub fn report(self) -> u8 {
        match self {
            Failure::Usage(error) => {
                let _ = error.print();
                2
            }
            Failure::Work(Error::Interrupted) => {
                print_error("interrupted: nothing was written");
                if is_terminated() { 143 } else { 130 }
            }
            Failure::NotAKernel | Failure::Unhealthy => 1,
            Failure::Elsewhere(code) => code,
            Failure::Bug(panicked) => {
                print_error(&bug(&panicked));
                70
            }
            Failure::Work(error) => {
                print_error(&with_flag_names(&error));
                if names_flag(&error) { 2 } else { 1 }
            }
            // A closed pipe, as with `head`, is not a failure.
            Failure::Print(error) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
            Failure::Print(error) => {
                print_error(&format!("standard output: {error}"));
                1
            }
        }
    }
}

/// Prints a line on standard error, if that is open.
fn print_error(message: &str) {
    let _ = writeln!(std::io::stderr(), "mercer: {message}");
}

/// The message for a bug.
fn bug(panicked: &Panicked) -> String {
    let place = panicked.place.as_deref().unwrap_or("unknown location");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "this is a bug in mercer {version}: {} (at {place})\nThe command line is not at fault. Please report \
         this message with the command, its data if you can share them, and the output of `mercer doctor`.\nSet \
         RUST_BACKTRACE=1 for a backtrace.",
        panicked.message
    )
}

/// Whether the error is one of the command line, even if only the table shows it.
fn names_flag(error: &Error) -> bool {
    matches!(error, Error::Parameter { name, .. } if flag(*name).starts_with("--"))
}

/// The flag that sets a parameter of the library; the name of the parameter if there is none.
fn flag(name: Param) -> &'static str {
    match name {
        Param::Components => "--components",
        Param::Clusters => "--clusters",
        Param::Init => "--init",
        Param::Starts => "--n-init",
        Param::Contamination => "--contamination",
        Param::Tolerance => "--tolerance",
        Param::Alpha | Param::Alphas => "--alpha",
        Param::InverseAlpha => "--inverse-alpha",
        Param::SampleWeights => "--weights",
        Param::Folds => "--folds",
        Param::Header => "--header",
        Param::StandardDeviations => "--std",
        Param::InverseMap => "--inverse",
        Param::Kernel => "--kernel",
        Param::Landmarks => "--landmarks",
        Param::Polish => "--polish",
        Param::Approximation => "--approximation",
        Param::Cells => "--cells",
        Param::C => "--cost",
        Param::Cs => "--costs",
        Param::Nu => "--nu",
        Param::Epsilon => "--epsilon",
        Param::ClassWeights => "--class-weight",
        Param::MaxRounds => "--max-iter",
        Param::MaxSeconds => "--max-time",
        Param::Named("metric") => "--metric",
        Param::Named("criterion") => "--choose",
        other => other.name(),
    }
}

/// The error message, with the library's parameter names replaced by command-line flags.
fn with_flag_names(error: &Error) -> String {
    match error {
        Error::Parameter { name, message } => format!("{}: {message}", flag(*name)),
        Error::Cell { path, message, is_text, .. } => {
            let advice = match is_text {
                true => {
                    "exclude the column with --columns, use it as --label, or use a string kernel"
                }
                false => "impute it or remove the row first, or exclude the column with --columns",
            };
            format!("{}: {message}: {advice}", path.display())
        }
        error if error.is_memory() => format!("{error} (--memory sets the budget)"),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_named_by_their_flags() {
        let error = Error::parameter(Param::Components, "must be at least 1");
        assert_eq!(with_flag_names(&error), "--components: must be at least 1");
        let error = Error::parameter(Param::SampleWeights, "all weights are zero");
        assert_eq!(with_flag_names(&error), "--weights: all weights are zero");
        let error = Error::memory("the solver", 9, 5, "use at most 3 landmarks");
        assert!(with_flag_names(&error).ends_with("3 landmarks (--memory sets the budget)"));
        let error = Error::parameter("metric", "accuracy does not score values");
        assert_eq!(with_flag_names(&error), "--metric: accuracy does not score values");
    }

    #[test]
    fn exit_codes_are_those_of_the_help() {
        let print = |kind: std::io::ErrorKind| Failure::Print(kind.into()).report();
        assert_eq!(Failure::Work(Error::Interrupted).report(), 130);
        let panicked = Panicked { message: "index 3".into(), place: Some("a.rs:7:1".into()) };
        assert!(bug(&panicked).contains("a bug in mercer"));
        assert_eq!(Failure::Bug(panicked).report(), 70);
        assert_eq!(Failure::Work(Error::Shape("no".into())).report(), 1);
        assert_eq!(Failure::Work(Error::parameter("--target", "choose one")).report(), 2);
        assert_eq!(Failure::Work(Error::parameter("MERCER_SIMD", "unknown")).report(), 1);
        assert_eq!(print(std::io::ErrorKind::BrokenPipe), 0);
        assert_eq!(print(std::io::ErrorKind::StorageFull), 1);
    }
}
