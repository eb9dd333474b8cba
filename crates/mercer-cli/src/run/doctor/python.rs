//! The Python interpreter of the shell, and its packages.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Packages that matter: mercer itself, what it needs, and what it works with.
pub const PACKAGES: [&str; 6] =
    ["mercer", "numpy", "scipy", "scikit-learn", "matplotlib", "pandas"];

/// How long an interpreter may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// An interpreter.
#[derive(Debug, Serialize, Deserialize)]
pub struct Python {
    /// The interpreter.
    pub path: String,
    /// Its version.
    pub version: String,
    /// The version of each package; null if it is missing.
    pub packages: BTreeMap<String, Option<String>>,
}

/// The first of the usual interpreters that answers.
pub fn look() -> Option<Python> {
    let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let active =
        std::env::var_os("VIRTUAL_ENV").map(|directory| PathBuf::from(directory).join(inside));
    let usual = ["python3", "python"].map(PathBuf::from);
    active.into_iter().chain(usual).find_map(|interpreter| ask(&interpreter))
}

fn ask(interpreter: &PathBuf) -> Option<Python> {
    let question = format!(
        "import importlib.metadata as m, json, platform, sys\n\
         def version(name):\n    try:\n        return m.version(name)\n    except m.PackageNotFoundError:\n        return None\n\
         print(json.dumps({{'path': sys.executable, 'version': platform.python_version(), \
         'packages': {{name: version(name) for name in {PACKAGES:?}}}}}))"
    );
    let mut child = Command::new(interpreter)
        .args(["-c", &question])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let begun = Instant::now();
    // The answer is far smaller than a pipe holds, so that the interpreter ends without being read.
    while child.try_wait().ok()?.is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().ok()?;
            child.wait().ok()?;
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    serde_json::from_slice(&child.wait_with_output().ok()?.stdout).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_interpreter_does_not_answer() {
        assert!(ask(&PathBuf::from("/no/such/python")).is_none());
        assert!(ask(&PathBuf::from("true")).is_none());
    }
}
