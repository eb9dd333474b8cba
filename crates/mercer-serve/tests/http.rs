//! The server over real sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mercer_serve::http::{Handler, Limits, Request, Response, Server, Stop};

struct Echo;

impl Handler for Echo {
    fn handle(&self, request: &Request) -> Response {
        match request.path.as_str() {
            "/slow" => std::thread::sleep(Duration::from_millis(400)),
            "/panic" => panic!("requested"),
            _ => {}
        }
        Response::ok("text/plain", request.body.clone())
    }
}

struct Running {
    address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(limits: Limits) -> Self {
        let server = Server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, stop) = (server.address(), Stop::default());
        let flag = stop.clone();
        let thread = std::thread::spawn(move || server.run(Arc::new(Echo), limits, &flag).unwrap());
        Self { address, stop, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    /// All that the server says to `bytes` until it closes.
    fn ask(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.set();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn connections_are_kept_alive_and_requests_may_come_at_once() {
    let server = Running::new(Limits::default());
    let answer = server.ask(
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nonPOST / HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nce",
    );
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2);
    assert!(
        answer.contains("connection: keep-alive") && answer.ends_with("\r\n\r\nce"),
        "{answer}"
    );
}

#[test]
fn permission_to_send_is_given() {
    let server = Running::new(Limits::default());
    let mut stream = server.connect();
    stream
        .write_all(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut permission = [0; 25];
    stream.read_exact(&mut permission).unwrap();
    assert_eq!(&permission, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"ok").unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("HTTP/1.1 200 OK") && rest.ends_with("ok"));
}

#[test]
fn limits_hold() {
    let limits = Limits {
        body_bytes: 1000,
        head_time: Duration::from_millis(300),
        body_time: Duration::from_millis(300),
        idle_time: Duration::from_millis(300),
        ..Limits::default()
    };
    let server = Running::new(limits);
    let started = Instant::now();
    assert_eq!(server.ask(b""), "", "a connection that says nothing is closed");
    assert!(server.ask(b"GET / HT").starts_with("HTTP/1.1 408"));
    assert!(
        server.ask(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc").starts_with("HTTP/1.1 408")
    );
    assert!(started.elapsed() < Duration::from_secs(4));
    assert!(
        server.ask(b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n").starts_with("HTTP/1.1 413")
    );
    let mut many = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    (0..200).for_each(|_| many.extend_from_slice(b"8\r\nabcdefgh\r\n"));
    assert!(server.ask(&many).starts_with("HTTP/1.1 413"));
}

#[test]
fn a_slow_sender_is_not_waited_for() {
    let limits = Limits { head_time: Duration::from_millis(500), ..Limits::default() };
    let server = Running::new(limits);
    let (mut stream, started) = (server.connect(), Instant::now());
    let mut is_open = true;
    while is_open && started.elapsed() < Duration::from_secs(8) {
        is_open = stream.write_all(b"x").is_ok();
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!is_open && started.elapsed() < Duration::from_secs(5));
}

#[test]
fn too_many_connections_are_told_so() {
    let server = Running::new(Limits { connections: 4, ..Limits::default() });
    let open: Vec<TcpStream> = (0..4).map(|_| server.connect()).collect();
    std::thread::sleep(Duration::from_millis(200));
    assert!(server.ask(b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 503"));
    drop(open);
    std::thread::sleep(Duration::from_millis(500));
    let answer = server.ask(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "places are free again: {answer}");
}

#[test]
fn a_panic_is_an_answer_and_others_are_served() {
    let server = Running::new(Limits::default());
    assert!(
        server.ask(b"GET /panic HTTP/1.1\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 500")
    );
    assert!(server.ask(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_stop_lets_answers_end() {
    let server = Running::new(Limits::default());
    let address = server.address;
    let asking = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /slow HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let idle = server.connect();
    std::thread::sleep(Duration::from_millis(150));
    let started = Instant::now();
    drop(server);
    assert!(started.elapsed() < Duration::from_secs(3), "an idle connection is not waited for");
    let answer = asking.join().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    assert!(TcpStream::connect(address).is_err());
    drop(idle);
}

/// Random bytes on many connections: the server still answers, and its memory does not grow.
#[test]
fn hostile_bytes_change_nothing() {
    let server =
        Running::new(Limits { head_time: Duration::from_millis(200), ..Limits::default() });
    let mut state = 1_u64;
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let pieces: [&[u8]; 8] = [
        b"POST /predict HTTP/1.1\r\n",
        b"Content-Length: 50\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"\r\n",
        b"\r\n\r\n",
        b"ffffffff\r\n",
        b"{\"rows\": [[1e999]]}",
        b"\0\xff\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    for _ in 0..600 {
        let mut bytes = Vec::new();
        for _ in 0..random() % 8 {
            bytes.extend_from_slice(pieces[random() % pieces.len()]);
        }
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        if random() % 2 == 0 {
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "));
        }
    }
    let answer = server.ask(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
