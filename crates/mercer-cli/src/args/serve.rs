//! The flags of `serve` and `explore`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use mercer::io::Source;
use mercer_serve::http::Token;

use super::groups::{Header, InputFormat, MachineArgs};
use super::values::MemorySize;

const SERVE_EXAMPLES: &str = "\
Examples:
  mercer serve iris.mercer
  mercer serve prices.mercer components.mercer --port 9000
  mercer serve iris.mercer --host 0.0.0.0 --token \"$MERCER_TOKEN\"
  curl --oauth2-bearer \"$MERCER_TOKEN\" --json '{\"rows\": [[5.1, 3.5, 1.4, 0.2]]}' localhost:8000/predict";

/// Where a server listens, and who may use it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub struct ListenArgs {
    /// Address to listen on; 0.0.0.0 means all addresses of this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// The port; 0 is any free one
    #[arg(long, value_name = "PORT", default_value_t = 8000)]
    pub port: u16,
    /// The token that every request must carry, of 8 to 128 letters, digits, `-` and `_`
    /// [default: a random one]
    #[arg(long, value_name = "TOKEN", env = "MERCER_TOKEN", hide_env_values = true, value_parser = token)]
    pub token: Option<Token>,
}

impl ListenArgs {
    /// The address.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }
}

fn token(text: &str) -> Result<Token, String> {
    Token::given(text).map_err(String::from)
}

/// Flags of `mercer serve`.
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArgs {
    /// Model files; each is served under the name of its file without the extension, and read again when the file changes
    #[arg(value_name = "MODEL", required = true, num_args = 1..)]
    pub models: Vec<PathBuf>,
    /// The address.
    #[command(flatten)]
    pub listen: ListenArgs,
    /// Require no token: anyone who can reach the server can use it
    #[arg(long, conflicts_with = "token", help_heading = "Server")]
    pub no_token: bool,
    /// Largest request body
    #[arg(long, value_name = "SIZE", default_value = "8MiB", help_heading = "Limits")]
    pub max_body: MemorySize,
    /// Maximum number of rows in a request
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rows: u32,
    /// Time limit of a request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
    /// Maximum number of waiting requests; further ones are refused with status 503
    #[arg(hide_short_help = true, long, value_name = "COUNT", default_value_t = 1024, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub queue: u32,
    /// Maximum number of simultaneous connections
    #[arg(hide_short_help = true, long, value_name = "COUNT", default_value_t = 256, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: u32,
    /// Print nothing but the address
    #[arg(hide_short_help = true, short, long)]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}

const EXPLORE_EXAMPLES: &str = "\
Examples:
  mercer explore
  mercer explore iris.csv --label species
  mercer explore names.csv --columns name
  mercer explore big.parquet --rows 10000 --no-open
  mercer explore --port 8765 --token my-course-2026";

/// Flags of `mercer explore`.
#[derive(Debug, Args)]
#[command(after_help = EXPLORE_EXAMPLES)]
pub struct ExploreArgs {
    /// A table to explore: CSV, TSV, Parquet, NumPy .npy or LIBSVM text, optionally gzipped; without one, choose
    /// among built-in data sets
    #[arg(value_name = "TABLE", value_parser = OsStringValueParser::new().map(|name| Source::named(PathBuf::from(name))))]
    pub source: Option<Source>,
    /// Format of the table
    #[arg(hide_short_help = true, long, value_enum, default_value_t = InputFormat::Auto, value_name = "FORMAT",
          requires = "source", help_heading = "Input")]
    pub format: InputFormat,
    /// Whether the first line of a text table holds column names
    #[arg(hide_short_help = true, long, value_enum, default_value_t = Header::Auto, value_name = "WHEN", requires = "source",
          help_heading = "Input")]
    pub header: Header,
    /// Columns to use, by name or by position from 1 [default: all columns of numbers but the label; a column of
    /// strings if there are none]
    #[arg(long, value_name = "COLUMNS", requires = "source", help_heading = "Input")]
    pub columns: Option<String>,
    /// The column that colours the points and names classes [default: the first column of text]
    #[arg(long, value_name = "COLUMN", requires = "source", help_heading = "Input")]
    pub label: Option<String>,
    /// Maximum number of rows; a larger table is sampled at random
    #[arg(long, value_name = "COUNT", default_value_t = 5000, requires = "source", help_heading = "Input",
          value_parser = clap::value_parser!(u32).range(2..=20_000))]
    pub rows: u32,
    /// Do not open the page in a browser; its address is printed either way
    #[arg(long, help_heading = "Server")]
    pub no_open: bool,
    /// The port; 0 is any free one
    #[arg(long, value_name = "PORT", default_value_t = 0, help_heading = "Server")]
    pub port: u16,
    /// The token in the address, of 8 to 128 letters, digits, `-` and `_` [default: a random one]
    #[arg(long, value_name = "TOKEN", env = "MERCER_TOKEN", hide_env_values = true, value_parser = token,
          help_heading = "Server")]
    pub token: Option<Token>,
    /// Allow pages of this machine, such as notebooks, to show it in a frame
    #[arg(hide_short_help = true, long, help_heading = "Server")]
    pub frames: bool,
    /// Print nothing but the address
    #[arg(hide_short_help = true, short, long)]
    pub quiet: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}
