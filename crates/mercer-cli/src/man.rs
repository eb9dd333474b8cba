//! Man pages, made from the definition of the flags: one for mercer and one for each verb.

use clap::Command;
use clap_mangen::Man;

/// A man page of section 1.
pub struct Page {
    /// `mercer` or `mercer-VERB`.
    pub name: String,
    /// The page in roff.
    pub text: Vec<u8>,
}

impl Page {
    /// `mercer-kpca.1`.
    pub fn file_name(&self) -> String {
        format!("{}.1", self.name)
    }
}

/// The pages of `command` and of its visible subcommands.
pub fn pages(command: Command) -> Vec<Page> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let verbs: Vec<Page> =
        verbs.map(|verb| page(verb.get_display_name().unwrap_or_default().into(), verb)).collect();
    std::iter::once(page(command.get_name().into(), command)).chain(verbs).collect()
}

fn page(name: String, command: Command) -> Page {
    let mut text = Vec::new();
    // The generator leaves out the help of flags that the short help hides.
    let command = command.mut_args(|flag| flag.hide_short_help(false));
    let man = Man::new(command).title(name.clone()).manual("mercer");
    man.render(&mut text).expect("memory takes every write");
    Page { name, text }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{Cli, Verb};

    #[test]
    fn every_verb_has_a_page_that_names_its_flags() {
        let pages = pages(Cli::<Verb>::command());
        let mut command = Cli::<Verb>::command();
        command.build();
        for verb in command.get_subcommands().filter(|v| !v.is_hide_set() && v.get_name() != "help")
        {
            let name = format!("mercer-{}", verb.get_name());
            let page = pages.iter().find(|page| page.name == name).expect(&name);
            let text = String::from_utf8(page.text.clone()).unwrap().replace('\\', "");
            for flag in verb.get_arguments().filter(|flag| !flag.is_hide_set()) {
                let long = flag.get_long().map(|long| format!("--{long}"));
                assert!(long.is_none_or(|long| text.contains(&long)), "{name}: {flag}");
                let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
                let beginning: String = help.chars().take(15).collect();
                assert!(!help.is_empty() && text.contains(&beginning), "{name}: {flag}: {help}");
            }
            assert!(text.contains(".TH mercer-") && text.contains("Examples:"), "{name}");
        }
        assert_eq!(pages[0].name, "mercer");
    }
}
