//! The command line of a run, flag by flag.

use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// The command line of a run.
#[derive(Debug, Clone, Default)]
pub struct Invocation {
    /// The command, quoted for a shell.
    pub command: String,
    /// Every flag and argument of the verb.
    pub settings: Vec<Setting>,
}

/// A flag or argument with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `--kernel`, or `TABLE` for an argument without a flag.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it was given, rather than the default.
    pub is_given: bool,
    /// Its help text.
    pub meaning: String,
}

impl Invocation {
    /// From `words`, the first of which is the program, and the `matches` that `command` found in them.
    pub fn of<W: AsRef<OsStr>>(words: &[W], command: &Command, matches: &ArgMatches) -> Self {
        let quoted: Vec<String> =
            words.iter().skip(1).map(|word| quoted(&word.as_ref().to_string_lossy())).collect();
        let settings = matches.subcommand().and_then(|(verb, found)| {
            let verb = command.find_subcommand(verb)?;
            Some(verb.get_arguments().filter_map(|arg| setting(arg, found)).collect())
        });
        Self {
            command: format!("mercer {}", quoted.join(" ")),
            settings: settings.unwrap_or_default(),
        }
    }
}

fn setting(arg: &Arg, found: &ArgMatches) -> Option<Setting> {
    let id = arg.get_id().as_str();
    if matches!(id, "help" | "version") {
        return None;
    }
    let name = match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => arg.get_value_names().map_or(id.into(), |names| names[0].to_string()),
    };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let (meaning, default) = split_default(&help);
    let values: Vec<String> = found
        .get_raw(id)
        .map(|values| values.map(|value| value.to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    let value = match (values.is_empty(), arg.get_action().takes_values()) {
        (true, _) => default.unwrap_or_else(|| "none".into()),
        (false, true) => values.join(", "),
        (false, false) => if values[0] == "true" { "yes" } else { "no" }.into(),
    };
    let is_given = found.value_source(id) == Some(ValueSource::CommandLine);
    Some(Setting { name, value, is_given, meaning })
}

/// A help text, and the default at its end.
fn split_default(help: &str) -> (String, Option<String>) {
    match help.split_once("[default: ") {
        Some((meaning, rest)) => {
            let default = rest.trim_end().trim_end_matches(']').to_string();
            (meaning.trim_end().into(), Some(default))
        }
        None => (help.into(), None),
    }
}

/// A word quoted for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{Cli, Verb};

    fn invocation(words: &[&str]) -> Invocation {
        let command = Cli::<Verb>::command();
        let matches = command.clone().try_get_matches_from(words).unwrap();
        Invocation::of(words, &command, &matches)
    }

    #[test]
    fn the_command_is_quoted_for_a_shell() {
        let words = ["/bin/mercer", "kpca", "it's.csv", "--kernel", "rbf(gamma=1)", "-k", "2"];
        assert_eq!(
            invocation(&words).command,
            r"mercer kpca 'it'\''s.csv' --kernel 'rbf(gamma=1)' -k 2"
        );
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn settings_have_values_and_defaults() {
        let invocation =
            invocation(&["mercer", "kpca", "a.csv", "--kernel", "linear", "--no-center"]);
        let of = |name: &str| invocation.settings.iter().find(|s| s.name == name).unwrap();
        assert_eq!((of("--kernel").value.as_str(), of("--kernel").is_given), ("linear", true));
        assert_eq!((of("--components").value.as_str(), of("--components").is_given), ("2", false));
        assert_eq!((of("--no-center").value.as_str(), of("--no-center").is_given), ("yes", true));
        assert_eq!(of("--inverse").value, "no");
        assert_eq!(of("--memory").value, "the free memory");
        assert!(!of("--memory").meaning.contains("default"));
        assert_eq!(of("--label").value, "none");
        assert_eq!(of("TABLE").value, "a.csv");
        assert!(invocation.settings.iter().all(|setting| setting.name != "--help"));
    }
}
