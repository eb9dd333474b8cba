//! Asks a server on this machine: as fast as it answers, for the benchmark, or with random hostile bytes.
//!
//! ```text
//! load answers ADDRESS PATH TOKEN CONNECTIONS SECONDS BODY
//! load hostile ADDRESS PATH TOKEN CONNECTIONS REQUESTS
//! ```
//!
//! Prints a JSON object: requests, seconds, and for answers the quantiles of their times in milliseconds.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "load answers ADDRESS PATH TOKEN CONNECTIONS SECONDS BODY | load hostile ADDRESS PATH TOKEN CONNECTIONS REQUESTS";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["answers", address, path, token, connections, seconds, body] => {
            answers(&Target::new(address, path, token), number(connections), number(seconds), body)
        }
        ["hostile", address, path, token, connections, requests] => {
            hostile(&Target::new(address, path, token), number(connections), number(requests))
        }
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("load: {message}");
            ExitCode::FAILURE
        }
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or(1)
}

/// A server on this machine.
struct Target {
    address: String,
    path: String,
    token: String,
}

impl Target {
    fn new(address: &str, path: &str, token: &str) -> Self {
        Self { address: address.into(), path: path.into(), token: token.into() }
    }

    fn connect(&self) -> std::io::Result<TcpStream> {
        let address: SocketAddr = self.address.parse().map_err(std::io::Error::other)?;
        if !address.ip().is_loopback() {
            return Err(std::io::Error::other("only servers on this machine are asked"));
        }
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(stream)
    }

    fn request(&self, kind: &str, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.address,
            self.token,
            body.len()
        );
        [head.as_bytes(), body].concat()
    }
}

/// Reads one answer: its status; nothing if the connection ended.
fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<u16>> {
    buffer.clear();
    let mut piece = [0_u8; 8192];
    loop {
        if let Some(end) = buffer.windows(4).position(|part| part == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
            if buffer.len() >= end + 4 + length {
                let ends = head.contains("connection: close");
                return Ok(Some(if ends { status + 1000 } else { status }));
            }
        }
        match stream.read(&mut piece) {
            Ok(0) => return Ok(None),
            Ok(count) => buffer.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Runs `work` on `threads` threads.
fn on_threads<R: Send>(
    threads: usize,
    work: impl Fn(usize) -> std::io::Result<R> + Sync,
) -> Result<Vec<R>, String> {
    std::thread::scope(|scope| {
        let work = &work;
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        let joined = all.into_iter().map(|thread| {
            thread.join().map_err(|_| "a thread failed".to_string())?.map_err(|e| e.to_string())
        });
        joined.collect()
    })
}

fn answers(
    target: &Target,
    connections: usize,
    seconds: usize,
    body: &str,
) -> Result<String, String> {
    let request = target.request("application/json", body.as_bytes());
    let started = Instant::now();
    let until = started + Duration::from_secs(seconds.min(60) as u64);
    let times = on_threads(connections.min(128), |_| {
        let (mut stream, mut buffer, mut times) = (target.connect()?, Vec::new(), Vec::new());
        while Instant::now() < until {
            let asked = Instant::now();
            stream.write_all(&request)?;
            match answer(&mut stream, &mut buffer)? {
                Some(200) => times.push(asked.elapsed().as_secs_f64() * 1e3),
                other => {
                    return Err(std::io::Error::other(format!(
                        "status {other:?}: {}",
                        String::from_utf8_lossy(&buffer)
                    )));
                }
            }
        }
        Ok(times)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let mut times = times.concat();
    times.sort_by(f64::total_cmp);
    let quantile = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    Ok(format!(
        "{{\"requests\": {}, \"seconds\": {seconds:.3}, \"rate\": {:.1}, \"p50_ms\": {:.3}, \"p99_ms\": {:.3}, \"max_ms\": {:.3}}}",
        times.len(),
        times.len() as f64 / seconds,
        quantile(0.5),
        quantile(0.99),
        quantile(1.0)
    ))
}

const PIECES: [&[u8]; 20] = [
    b"{\"rows\": ",
    b"[[",
    b"1e308,",
    b"1e999",
    b"null,",
    b"\"\\ud800\"",
    b"]]",
    b"}",
    b"[",
    b"{\"a\": 1}",
    b"NaN",
    b"\0",
    b"\xff\xfe",
    b"1,2\n",
    b"PAR1",
    b"\x93NUMPY\x01\x00\xff\xff",
    b"true",
    b"[1,2,3,4]",
    b"\x1f\x8b\x08",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];
const KINDS: [&str; 7] = [
    "application/json",
    "text/csv",
    "application/vnd.apache.parquet",
    "application/vnd.apache.arrow.stream",
    "application/x-npy",
    "text/tab-separated-values",
    "x/y",
];
const HEADS: [&[u8]; 6] = [
    b"GET / HTTP/1.1\r\n",
    b"POST /predict HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
    b"\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
    b"BREW / HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00",
];

fn hostile(target: &Target, connections: usize, requests: usize) -> Result<String, String> {
    let (connections, started) = (connections.clamp(1, 128), Instant::now());
    let counts = on_threads(connections, |thread| {
        let mut state = thread as u64 + 1;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut stream, mut buffer, mut statuses) = (target.connect()?, Vec::new(), [0_usize; 6]);
        for _ in 0..requests / connections {
            let body: Vec<u8> =
                (0..random(12)).flat_map(|_| PIECES[random(PIECES.len())]).copied().collect();
            let is_broken = random(20) == 0;
            let bytes = match is_broken {
                true => [HEADS[random(HEADS.len())], &body].concat(),
                false => target.request(KINDS[random(KINDS.len())], &body),
            };
            let sent = stream.write_all(&bytes);
            if is_broken {
                let _ = stream.shutdown(std::net::Shutdown::Write);
            }
            let status = match sent {
                Ok(()) => answer(&mut stream, &mut buffer).unwrap_or(None),
                Err(_) => None,
            };
            statuses[status.map_or(0, |status| (status % 1000 / 100) as usize).min(5)] += 1;
            if is_broken || status.is_none_or(|status| status >= 1000) {
                stream = target.connect()?;
            }
        }
        Ok(statuses)
    })?;
    let total = |kind: usize| counts.iter().map(|statuses| statuses[kind]).sum::<usize>();
    Ok(format!(
        "{{\"requests\": {}, \"seconds\": {:.1}, \"without_answer\": {}, \"status_2xx\": {}, \"status_4xx\": {}, \"status_5xx\": {}}}",
        (0..6).map(total).sum::<usize>(),
        started.elapsed().as_secs_f64(),
        total(0),
        total(2),
        total(4),
        total(5)
    ))
}
