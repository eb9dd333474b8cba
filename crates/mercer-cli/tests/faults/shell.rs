//! Runs of the command within a shell, which can do to it what a test wants.

use std::process::{Command, Stdio};

use crate::folder::{Folder, Run};

/// Runs `script` in the folder; `$MERCER` is the command.
pub fn sh(folder: &Folder, script: &str) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder.path()).stdin(Stdio::null());
    command.env("MERCER", env!("CARGO_BIN_EXE_mercer")).env_remove("RUST_BACKTRACE");
    Run::of(command.output().expect("a shell"))
}

/// Whether the machine allows `script`; if not, the test says that it is skipped.
pub fn allows(folder: &Folder, script: &str) -> bool {
    let allowed = sh(folder, script).code == Some(0);
    if !allowed {
        eprintln!("skipped: this machine does not allow `{script}`");
    }
    allowed
}

/// Whether the long variants are wanted.
pub fn is_long() -> bool {
    std::env::var("MERCER_FAULTS").is_ok_and(|value| value == "long")
}

/// The run ended by itself, with the exit code for failed work and one line that has all `parts`.
pub fn failed(run: &Run, parts: &[&str]) {
    assert_eq!(run.code, Some(1), "{}", run.err);
    for part in parts {
        assert!(run.err.contains(part), "no {part:?} in: {}", run.err);
    }
}
