//! Listening until Ctrl-C.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mercer::Error;
use mercer_serve::http::{Handler, Limits, Server, Stop, Token};

use crate::args::ListenArgs;
use crate::failure::Failure;
use crate::run::Session;

/// A bound server.
pub struct Listening {
    server: Server,
    stop: Stop,
}

/// How often it looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

impl Listening {
    /// Listens at `address`.
    pub fn at(address: SocketAddr) -> Result<Self, Failure> {
        let refuse = |error: std::io::Error| {
            let taken = error.kind() == std::io::ErrorKind::AddrInUse;
            let advice = if taken { ": choose another --port, or 0 for any free one" } else { "" };
            Error::Numeric(format!("cannot listen at {address}: {error}{advice}"))
        };
        let server = Server::bind(address).map_err(refuse)?;
        Ok(Self { server, stop: Stop::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Set once it is to stop.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The address of the page.
    pub fn url(&self, token: Option<&Token>) -> String {
        let mut address = self.address();
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let path = token.map_or(String::new(), |token| format!("{}/", token.text()));
        format!("http://{address}/{path}")
    }

    /// Answers requests until Ctrl-C or SIGTERM, and calls `tick` again and again. Requests that are being answered may end.
    pub fn run(
        self,
        session: &Session,
        handler: Arc<dyn Handler>,
        limits: Limits,
        every: Duration,
        tick: impl Fn(),
    ) -> Result<(), Failure> {
        let (stop, server) = (self.stop, self.server);
        let flag = stop.clone();
        let serving = std::thread::spawn(move || server.run(handler, limits, &flag));
        let mut last = Instant::now();
        while !session.stop.is_set() && !serving.is_finished() {
            std::thread::sleep(TICK);
            if last.elapsed() >= every {
                tick();
                last = Instant::now();
            }
        }
        stop.set();
        // The main thread does not end the process meanwhile.
        let ended = session.stop.while_writing(|| serving.join());
        let failed = |error: std::io::Error| Error::Numeric(format!("the server failed: {error}"));
        match ended {
            Ok(result) => Ok(result.map_err(failed)?),
            Err(_) => Err(Error::Numeric("the server ended unexpectedly".into()).into()),
        }
    }
}

/// The token that is given, or a random one.
pub fn token_of(args: &ListenArgs) -> Result<Token, Failure> {
    match &args.token {
        Some(token) => Ok(token.clone()),
        None => random_token(),
    }
}

/// A random token.
pub fn random_token() -> Result<Token, Failure> {
    Token::random().map_err(|error| {
        Error::Numeric(format!("the operating system gives no random numbers: {error}")).into()
    })
}
