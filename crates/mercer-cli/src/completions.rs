//! Completion of commands in a shell: scripts made from the definition of the flags, and the values that those scripts
//! ask the command for, because they depend on the table: `mercer __complete INDEX WORD…`.

mod script;
mod values;

use std::ffi::OsString;
use std::io::Write;

use clap::Command;
use clap_complete::Shell;

use script::with_values;

/// The first argument of a request for values.
const REQUEST: &str = "__complete";

/// The kind of values that a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Columns of the table.
    Columns,
    /// A column and its categories in order.
    Order,
    /// A kernel.
    Kernel,
}

/// The name of the value of a flag that takes a column with its categories.
const ORDER: &str = "COLUMN=A,B,…";

impl Kind {
    /// The kind of `flag`, by the name of its value in the help.
    fn of(flag: &clap::Arg) -> Option<Self> {
        match flag.get_value_names()?.first()?.as_str() {
            "COLUMN" | "COLUMNS" => Some(Kind::Columns),
            ORDER => Some(Kind::Order),
            "SPEC" => Some(Kind::Kernel),
            _ => None,
        }
    }
}

/// Writes the completion script of `command` for `shell`.
pub fn write(shell: Shell, mut command: Command, mut output: impl Write) -> std::io::Result<()> {
    // Made in memory first: the generator panics when its output fails, as a closed pipe does.
    let mut script = Vec::new();
    let name = command.get_name().to_string();
    clap_complete::generate(shell, &mut command, name, &mut script);
    let script = with_values(shell, &command, &String::from_utf8_lossy(&script));
    output.write_all(script.as_bytes())?;
    output.flush()
}

/// The lines to print if `words` are a request of a script for values, else nothing. What is wrong with the command line
/// or the table gives no values: a shell has no place for messages while a line is being typed.
pub fn requested(command: &Command, words: &[OsString]) -> Option<String> {
    let [_, request, index, line @ ..] = words else { return None };
    if request != REQUEST {
        return None;
    }
    let line: Vec<String> = line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let index: usize = index.to_str()?.parse().unwrap_or(usize::MAX);
    let found = values::values(command, &line, index).unwrap_or_default();
    Some(found.into_iter().map(|value| value + "\n").collect())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{Cli, Verb};

    #[test]
    fn every_shell_learns_every_verb() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let mut script = Vec::new();
            write(shell, Cli::<Verb>::command(), &mut script).unwrap();
            let script = String::from_utf8(script).unwrap();
            for word in ["kpca", "transform", "inspect", "inverse-kernel"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
            let is_asking = matches!(shell, Shell::Bash | Shell::Zsh | Shell::Fish);
            assert_eq!(script.contains(REQUEST), is_asking, "{shell}");
        }
    }
}
