//! `mercer man`: man pages.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind;
use mercer::Error;
use mercer::io::Staged;

use crate::args::{Cli, ManArgs, Verb};
use crate::failure::Failure;
use crate::man::{Page, pages};
use crate::stdout;

/// Runs `mercer man`.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let pages = pages(Cli::<Verb>::command());
    match &args.out {
        Some(directory) => write(directory, &pages),
        None => print(args.verb.as_deref(), &pages),
    }
}

/// Prints the page of `verb`.
fn print(verb: Option<&str>, pages: &[Page]) -> Result<(), Failure> {
    let name = verb.map_or("mercer".into(), |verb| format!("mercer-{verb}"));
    let page = pages.iter().find(|page| page.name == name).ok_or_else(|| {
        let verbs: Vec<&str> =
            pages.iter().filter_map(|p| p.name.strip_prefix("mercer-")).collect();
        let message = format!(
            "there is no subcommand '{}'; the subcommands are {}",
            verb.unwrap_or_default(),
            verbs.join(", ")
        );
        Cli::<Verb>::command().error(ErrorKind::InvalidValue, message)
    })?;
    let mut output = stdout::handle();
    output.write_all(&page.text).and_then(|()| output.flush()).map_err(Failure::Print)
}

/// Writes all pages, or none.
fn write(directory: &Path, pages: &[Page]) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|source| Error::file(directory, source))?;
    let mut staged = Staged::new();
    for page in pages {
        let path = directory.join(page.file_name());
        staged.add(&path, |out| {
            out.write_all(&page.text).map_err(|source| Error::file(&path, source))
        })?;
    }
    staged.commit()?;
    let text = format!("{} man pages written to {}\n", pages.len(), directory.display());
    stdout::print(&text).map_err(Failure::Print)
}
