//! `mercer serve`: predictions and projections of fitted models over HTTP.

mod listen;
mod model;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mercer_serve::http::{Guard, Limits};
use mercer_serve::models::{Service, ServiceOptions, Store};

use self::model::Served;
use super::{Session, Watch};
use crate::args::ServeArgs;
use crate::facts::counted;
use crate::failure::Failure;
use crate::stdout;

use self::listen::token_of;
pub use self::listen::{Listening, random_token};

/// How often model files are looked at.
const RELOAD: Duration = Duration::from_secs(1);

/// Runs `mercer serve`.
pub fn serve(session: &Session, args: &ServeArgs, watch: &Watch) -> Result<(), Failure> {
    let (context, of) = (session.context.clone(), watch.clone());
    let load = move |path: &Path| Served::load(path, &context, &of);
    let store = Store::new(&args.models, Box::new(load))?;
    let listening = Listening::at(args.listen.address())?;
    let token = if args.no_token { None } else { Some(token_of(&args.listen)?) };
    let options = ServiceOptions {
        max_rows: args.max_rows as usize,
        queue: args.queue as usize,
        time: Duration::from_secs(args.timeout.into()),
    };
    let limits = Limits {
        body_bytes: usize::try_from(args.max_body.0).unwrap_or(usize::MAX),
        connections: args.connections as usize,
        stop_time: Duration::from_secs(u64::from(args.timeout).min(10)),
        ..Limits::default()
    };
    let guard = Guard::new(listening.address());
    let url = listening.url(token.as_ref());
    let context = session.context.unwatched();
    let service = Arc::new(Service::new(store, &context, guard, token, options, listening.stop()));
    stdout::print(&format!("{url}\n")).map_err(Failure::Print)?;
    if !session.quiet {
        let models = counted(args.models.len(), "model");
        eprintln!("mercer: serving {models}; Ctrl-C stops the server");
    }
    let reloading = service.clone();
    listening.run(session, service, limits, RELOAD, move || {
        reloading.reload().iter().for_each(|line| eprintln!("mercer: {line}"));
    })
}
