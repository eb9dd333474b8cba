//! How a run can end badly, in which words and with which exit code.

use std::io::Write;

use mercer::Error;
use mercer::panics::Panicked;

use crate::progress::is_terminated;

/// Why a run ended before its work was done.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something that cannot be.
    Usage(clap::Error),
    /// The library refused or could not finish the work.
    Work(Error),
    /// Standard output could not be written.
    Print(std::io::Error),
    /// What was checked is no kernel, and that has been said.
    NotAKernel,
    /// A self-test failed, and that has been said.
    Unhealthy,
    /// A bug of ours.
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
    /// Tells the user on standard error, and returns the exit code.
    pub fn report(self) -> u8 {
        match self {
            Failure::Usage(error) => {
                let _ = error.print();
                2
            }
            Failure::Work(Error::Interrupted) => {
                say("interrupted: nothing was written");
                if is_terminated() { 143 } else { 130 }
            }
            Failure::NotAKernel | Failure::Unhealthy => 1,
            Failure::Bug(panicked) => {
                say(&bug(&panicked));
                70
            }
            Failure::Work(error) => {
                say(&in_words_of_flags(&error));
                1
            }
            // A reader that has seen enough, such as `head`, is no failure.
            Failure::Print(error) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
            Failure::Print(error) => {
                say(&format!("standard output: {error}"));
                1
            }
        }
    }
}

/// Prints a line on standard error; where that is closed there is nobody to tell.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "mercer: {message}");
}

/// What is to be known of a bug, and what to do about it.
fn bug(panicked: &Panicked) -> String {
    let place = panicked.place.as_deref().unwrap_or("an unknown place");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "this is a bug in mercer {version}: {} (at {place})\nNothing is wrong with the command line. Please report \
         these lines with the command, its data if you can share them, and what `mercer doctor` prints;\nwith \
         RUST_BACKTRACE=1 the same command tells more.",
        panicked.message
    )
}

/// The error's text, with the library's names of parameters replaced by the flags that set them.
fn in_words_of_flags(error: &Error) -> String {
    match error {
        Error::Parameter { name, message } => {
            let flag = match *name {
                "n_components" => "--components",
                "n_clusters" | "clusters" => "--clusters",
                "init" => "--init",
                "n_init" | "starts" => "--n-init",
                "contamination" => "--contamination",
                "tolerance" | "tol" => "--tolerance",
                "alpha" | "alphas" => "--alpha",
                "inverse_alpha" => "--inverse-alpha",
                "sample_weight" => "--weights",
                "folds" => "--folds",
                "return_std" => "--std",
                "fit_inverse_transform" => "--inverse",
                "kernel" => "--kernel",
                "c" | "C" => "--cost",
                "nu" => "--nu",
                "epsilon" => "--epsilon",
                "class_weight" => "--class-weight",
                "max_iter" | "max_iterations" => "--max-iter",
                "max_time" | "max_seconds" => "--max-time",
                "cache" | "cache_size" => "--cache",
                other => other,
            };
            format!("{flag}: {message}")
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
        let error = Error::parameter("n_components", "must be at least 1");
        assert_eq!(in_words_of_flags(&error), "--components: must be at least 1");
        let error = Error::parameter("sample_weight", "all weights are zero");
        assert_eq!(in_words_of_flags(&error), "--weights: all weights are zero");
    }

    #[test]
    fn exit_codes_are_those_of_the_help() {
        let print = |kind: std::io::ErrorKind| Failure::Print(kind.into()).report();
        assert_eq!(Failure::Work(Error::Interrupted).report(), 130);
        let panicked = Panicked { message: "index 3".into(), place: Some("a.rs:7:1".into()) };
        assert!(bug(&panicked).contains("a bug in mercer"));
        assert_eq!(Failure::Bug(panicked).report(), 70);
        assert_eq!(Failure::Work(Error::Shape("no".into())).report(), 1);
        assert_eq!(print(std::io::ErrorKind::BrokenPipe), 0);
        assert_eq!(print(std::io::ErrorKind::StorageFull), 1);
    }
}
