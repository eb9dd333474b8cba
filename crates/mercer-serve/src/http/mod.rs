//! A small HTTP/1.1 server: requests are read within limits, answered by a [`Handler`], and connections kept alive.

mod body;
mod connection;
mod guard;
mod head;
mod message;
mod server;

pub use guard::{Guard, Token};
pub use message::{Body, Method, Request, Response};
pub use server::{Handler, Server, Stop};

use std::time::Duration;

/// What a request and all connections together may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the request line and all headers.
    pub head_bytes: usize,
    /// Headers.
    pub headers: usize,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// From the first byte of a request to the end of its headers.
    pub head_time: Duration,
    /// From the end of the headers to the end of the body.
    pub body_time: Duration,
    /// How long an answer may take to be received.
    pub write_time: Duration,
    /// How long a connection may wait for its next request.
    pub idle_time: Duration,
    /// How long requests that are being answered may take to end when the server stops.
    pub stop_time: Duration,
    /// Connections at the same time.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_bytes: 16 << 10,
            headers: 64,
            body_bytes: 8 << 20,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            idle_time: Duration::from_secs(60),
            stop_time: Duration::from_secs(10),
            connections: 256,
        }
    }
}
