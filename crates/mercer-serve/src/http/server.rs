//! The server: accepts connections, each on a thread, until it is stopped.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mercer::panics;

use super::Limits;
use super::connection::{self, Ended, Socket};
use super::message::{Request, Response};

/// Answers requests; called on many threads at once.
pub trait Handler: Send + Sync {
    /// The answer to `request`.
    fn handle(&self, request: &Request) -> Response;
}

/// Whether the server is to stop. Clones are one flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the server.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A bound socket.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// What all connections share.
struct Shared {
    handler: Arc<dyn Handler>,
    limits: Limits,
    stop: Stop,
    open: AtomicUsize,
}

/// Connections of a thread each need little; evaluating models happens on other threads, or in small pieces.
const STACK: usize = 2 << 20;
/// How long a connection may be idle where most of the connections are taken.
const IDLE_WHEN_BUSY: Duration = Duration::from_secs(1);

impl Server {
    /// Listens at `address`; port 0 is any free one.
    pub fn bind(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` is set; then those that are being answered have `limits.stop_time` to end.
    pub fn run(
        self,
        handler: Arc<dyn Handler>,
        limits: Limits,
        stop: &Stop,
    ) -> std::io::Result<()> {
        let shared =
            Arc::new(Shared { handler, limits, stop: stop.clone(), open: AtomicUsize::new(0) });
        let (accepting, address) = (shared.clone(), self.address);
        let thread = std::thread::Builder::new().name(panics::THREAD.into());
        let accept = thread.spawn(move || accept(&self.listener, &accepting))?;
        while !stop.is_set() {
            std::thread::sleep(Duration::from_millis(20));
        }
        wake(address);
        let _ = accept.join();
        let until = Instant::now() + limits.stop_time;
        while shared.open.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// A connection that ends a wait for one.
fn wake(mut address: SocketAddr) {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1));
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.stop.is_set() {
        match listener.accept() {
            Ok(_) if shared.stop.is_set() => return,
            Ok((stream, _)) => open(stream, shared),
            // Too many open files, or a client that left again.
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Answers the requests of `stream` on a thread.
fn open(stream: TcpStream, shared: &Arc<Shared>) {
    let open = Open::new(shared.clone());
    let is_too_many = shared.open.load(Ordering::SeqCst) > shared.limits.connections;
    // What is refused is refused elsewhere too: writing must not hold up others. Far too many are dropped.
    if shared.open.load(Ordering::SeqCst) > 2 * shared.limits.connections {
        return;
    }
    let thread = std::thread::Builder::new().name(panics::THREAD.into()).stack_size(STACK);
    let serve = move || {
        let shared = &open.0;
        match is_too_many {
            true => refuse(&stream, shared),
            false => converse(&stream, shared),
        }
    };
    // Where no thread can be had the connection is closed.
    let _ = thread.spawn(serve);
}

/// Counts a connection as long as it lives.
struct Open(Arc<Shared>);

impl Open {
    fn new(shared: Arc<Shared>) -> Self {
        shared.open.fetch_add(1, Ordering::SeqCst);
        Self(shared)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

fn refuse(stream: &TcpStream, shared: &Shared) {
    let has_stopped = || shared.stop.is_set();
    if let Ok(socket) = Socket::new(stream, &has_stopped) {
        socket.refuse(503, "too many connections");
    }
}

fn converse(stream: &TcpStream, shared: &Shared) {
    let has_stopped = || shared.stop.is_set();
    let Ok(mut socket) = Socket::new(stream, &has_stopped) else { return };
    let (limits, mut buffer) = (&shared.limits, Vec::new());
    loop {
        let permit = &mut || {
            let permission = b"HTTP/1.1 100 Continue\r\n\r\n";
            Socket::new(stream, &has_stopped)
                .is_ok_and(|s| s.send(permission, limits.write_time).is_ok())
        };
        match connection::read(&mut socket, &mut buffer, limits, shared.idle_time(), permit) {
            Ok(request) => {
                let response = shared.answer(&request);
                if !socket.answer(&request, &response, limits.write_time) {
                    return;
                }
            }
            Err(Ended::Refused(status, message)) => return socket.refuse(status, message),
            Err(Ended::Quietly) => return,
        }
        if buffer.is_empty() {
            buffer.shrink_to(64 << 10);
        }
    }
}

impl Shared {
    /// Connections that wait give way where there are many.
    fn idle_time(&self) -> Duration {
        let is_busy = self.open.load(Ordering::Relaxed) * 4 > self.limits.connections * 3;
        if is_busy { IDLE_WHEN_BUSY.min(self.limits.idle_time) } else { self.limits.idle_time }
    }

    /// The answer; a panic is one too.
    fn answer(&self, request: &Request) -> Response {
        panics::catch(|| self.handler.handle(request)).unwrap_or_else(|panicked| {
            let place = panicked.place.as_deref().unwrap_or("unknown location");
            eprintln!("mercer: this is a bug in mercer: {} (at {place})", panicked.message);
            Response::error(
                500,
                "this is a bug in mercer; the message is on the server's standard error",
            )
        })
    }
}
