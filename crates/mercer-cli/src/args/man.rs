//! The flags of `mercer man`.

use std::path::PathBuf;

use clap::Args;

const MAN_EXAMPLES: &str = "\
Examples:
  mercer man kpca > mercer-kpca.1
  mercer man --out ~/.local/share/man/man1";

/// Flags of `mercer man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// Print the page of this subcommand [default: the page of mercer itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub verb: Option<String>,
    /// Write all pages into this directory, which is created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
