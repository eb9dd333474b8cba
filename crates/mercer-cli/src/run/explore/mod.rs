//! `mercer explore`: a page on which to play with kernels.

mod browser;
mod samples;
mod table;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use mercer_serve::explore::{DataSet, Explorer, ExplorerOptions};
use mercer_serve::http::{Guard, Limits, Token};

use super::Session;
use super::serve::{Listening, random_token};
use crate::args::ExploreArgs;
use crate::failure::Failure;
use crate::stdout;

/// Time for one question of the page.
const TIME: Duration = Duration::from_secs(20);

/// Runs `mercer explore`.
pub fn explore(session: &Session, args: &ExploreArgs) -> Result<(), Failure> {
    let sets = data_sets(session, args)?;
    let listening = Listening::at(SocketAddr::from((Ipv4Addr::LOCALHOST, args.port)))?;
    let token: Token = args.token.clone().map_or_else(random_token, Ok)?;
    let url = listening.url(Some(&token));
    let options = ExplorerOptions { time: TIME, frames: args.frames };
    let guard = Guard::new(listening.address());
    let context = session.context.unwatched();
    let explorer = Explorer::new(sets, &context, guard, token, options, listening.stop());
    stdout::print(&format!("{url}\n")).map_err(Failure::Print)?;
    session.progress.clear();
    if !session.quiet {
        eprintln!("mercer: open this address in a browser; Ctrl-C stops the server");
    }
    if !args.no_open {
        browser::open(&url, session.quiet);
    }
    let limits = Limits { connections: 64, stop_time: Duration::from_secs(2), ..Limits::default() };
    listening.run(session, Arc::new(explorer), limits, TIME, || {})
}

/// The table first, if there is one; then those of lectures.
fn data_sets(session: &Session, args: &ExploreArgs) -> Result<Vec<DataSet>, Failure> {
    let mut sets = samples::all()?;
    if let Some(source) = &args.source {
        sets.insert(0, table::read(session, args, source)?);
    }
    Ok(sets)
}
