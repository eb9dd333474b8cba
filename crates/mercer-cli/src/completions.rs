//! Scripts that complete commands in a shell, made from the definition of the flags.

use std::io::Write;

use clap::Command;
use clap_complete::Shell;

/// Writes the completion script of `command` for `shell`.
pub fn write(shell: Shell, mut command: Command, mut output: impl Write) -> std::io::Result<()> {
    // Made in memory first: the generator panics when its output fails, as a closed pipe does.
    let mut script = Vec::new();
    let name = command.get_name().to_string();
    clap_complete::generate(shell, &mut command, name, &mut script);
    output.write_all(&script)?;
    output.flush()
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
        }
    }
}
