//! One connection: requests are read within limits and answered, one after the other.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::Limits;
use super::body::Chunks;
use super::head::{self, Head, Length, Refusal};
use super::message::{Method, Request, Response, encode};

/// How often a connection that waits looks whether the server stops.
const TICK: Duration = Duration::from_millis(200);
const BUFFER: usize = 16 << 10;

/// Where bytes come from.
pub(super) trait Source {
    /// Appends bytes that have come to `into`: how many, 0 at the end. Fails with `TimedOut` at `until`.
    fn fill(&mut self, into: &mut Vec<u8>, until: Instant) -> std::io::Result<usize>;
}

/// Why there is no request.
#[derive(Debug, PartialEq)]
pub(super) enum Ended {
    /// The client left, or had nothing more to say.
    Quietly,
    /// The request is refused with a status and a message; the connection ends.
    Refused(u16, &'static str),
}

impl From<Refusal> for Ended {
    fn from((status, message): Refusal) -> Self {
        Ended::Refused(status, message)
    }
}

/// Reads the next request. `buffer` holds bytes that came after the one before; `permit` is called before a body is read that the
/// client asks permission for.
pub(super) fn read(
    source: &mut dyn Source,
    buffer: &mut Vec<u8>,
    limits: &Limits,
    idle_time: Duration,
    permit: &mut dyn FnMut() -> bool,
) -> Result<Request, Ended> {
    let head = read_head(source, buffer, limits, idle_time)?;
    buffer.drain(..head.size);
    let mut request = head.request;
    if head.expects_continue && buffer.is_empty() && !permit() {
        return Err(Ended::Quietly);
    }
    request.body = read_body(source, buffer, head.length, limits)?;
    Ok(request)
}

fn read_head(
    source: &mut dyn Source,
    buffer: &mut Vec<u8>,
    limits: &Limits,
    idle_time: Duration,
) -> Result<Head, Ended> {
    if buffer.is_empty() {
        match source.fill(buffer, Instant::now() + idle_time) {
            Ok(count) if count > 0 => {}
            _ => return Err(Ended::Quietly),
        }
    }
    let until = Instant::now() + limits.head_time;
    loop {
        if let Some(head) = head::parse(buffer, limits)? {
            return Ok(head);
        }
        more(source, buffer, until)?;
    }
}

fn read_body(
    source: &mut dyn Source,
    buffer: &mut Vec<u8>,
    length: Length,
    limits: &Limits,
) -> Result<Vec<u8>, Ended> {
    let until = Instant::now() + limits.body_time;
    let mut chunks = Chunks::default();
    loop {
        match length {
            Length::Bytes(count) if buffer.len() >= count => {
                let rest = buffer.split_off(count);
                return Ok(std::mem::replace(buffer, rest));
            }
            Length::Bytes(_) => {}
            Length::Chunked => {
                if let Some(body) = chunks.take(buffer, limits.body_bytes)? {
                    return Ok(body);
                }
            }
        }
        more(source, buffer, until)?;
    }
}

fn more(source: &mut dyn Source, buffer: &mut Vec<u8>, until: Instant) -> Result<(), Ended> {
    const LATE: Ended = Ended::Refused(408, "the request took too long to arrive");
    // A sender of single bytes never lets a read time out.
    if Instant::now() >= until {
        return Err(LATE);
    }
    match source.fill(buffer, until) {
        Ok(count) if count > 0 => Ok(()),
        Err(error) if error.kind() == ErrorKind::TimedOut => Err(LATE),
        _ => Err(Ended::Quietly),
    }
}

/// A socket whose reads end when the server stops.
pub(super) struct Socket<'a> {
    stream: &'a TcpStream,
    has_stopped: &'a dyn Fn() -> bool,
}

impl<'a> Socket<'a> {
    pub fn new(stream: &'a TcpStream, has_stopped: &'a dyn Fn() -> bool) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TICK))?;
        stream.set_write_timeout(Some(TICK))?;
        Ok(Self { stream, has_stopped })
    }

    /// Writes all of `bytes` within `time`.
    pub fn send(&self, mut bytes: &[u8], time: Duration) -> std::io::Result<()> {
        let (until, mut stream) = (Instant::now() + time, self.stream);
        while !bytes.is_empty() {
            match stream.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if is_a_tick(&error) && Instant::now() < until => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Answers `request`; whether the connection stays open.
    pub fn answer(&self, request: &Request, response: &Response, time: Duration) -> bool {
        let keeps_alive = request.keeps_alive && !(self.has_stopped)();
        let bytes = encode(response, request.method == Method::Head, keeps_alive);
        self.send(&bytes, time).is_ok() && keeps_alive
    }

    /// Says why there will be no answer, and ends. What still arrives is read for a moment, so that the client gets to see it.
    pub fn refuse(&self, status: u16, message: &str) {
        let bytes = encode(&Response::error(status, message), false, false);
        if self.send(&bytes, Duration::from_secs(1)).is_err() {
            return;
        }
        let _ = self.stream.shutdown(Shutdown::Write);
        let (mut rest, mut stream) = ([0_u8; BUFFER], self.stream);
        for _ in 0..16 {
            if !matches!(stream.read(&mut rest), Ok(count) if count > 0) {
                return;
            }
        }
    }
}

impl Source for Socket<'_> {
    fn fill(&mut self, into: &mut Vec<u8>, until: Instant) -> std::io::Result<usize> {
        let before = into.len();
        into.resize(before + BUFFER, 0);
        let count = loop {
            match self.stream.read(&mut into[before..]) {
                Err(error) if is_a_tick(&error) => {}
                other => break other,
            }
            if (self.has_stopped)() {
                break Err(ErrorKind::ConnectionAborted.into());
            }
            if Instant::now() >= until {
                break Err(ErrorKind::TimedOut.into());
            }
        };
        into.truncate(before + *count.as_ref().unwrap_or(&0));
        count
    }
}

fn is_a_tick(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes in pieces of one size.
    struct Pieces<'a>(&'a [u8], usize);

    impl Source for Pieces<'_> {
        fn fill(&mut self, into: &mut Vec<u8>, _: Instant) -> std::io::Result<usize> {
            let (piece, rest) = self.0.split_at(self.1.min(self.0.len()));
            into.extend_from_slice(piece);
            self.0 = rest;
            Ok(piece.len())
        }
    }

    fn all(bytes: &[u8], piece: usize) -> (Vec<Request>, Ended) {
        let limits = Limits { head_bytes: 300, headers: 8, body_bytes: 200, ..Limits::default() };
        let (mut source, mut buffer, mut requests) = (Pieces(bytes, piece), Vec::new(), Vec::new());
        loop {
            match read(&mut source, &mut buffer, &limits, limits.idle_time, &mut || true) {
                Ok(request) => requests.push(request),
                Err(ended) => return (requests, ended),
            }
            assert!(buffer.len() <= 300 + 200 + piece, "what is buffered stays within limits");
        }
    }

    #[test]
    fn requests_follow_each_other_in_any_pieces() {
        let bytes = b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\n\
                      POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n";
        let whole = all(bytes, 1000);
        assert_eq!(whole.1, Ended::Quietly);
        let bodies: Vec<&[u8]> = whole.0.iter().map(|request| &request.body[..]).collect();
        assert_eq!(bodies, [&b"abc"[..], b"", b"de"]);
        for piece in 1..60 {
            assert_eq!(all(bytes, piece), whole);
        }
    }

    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let words: [&'static [u8]; 18] = [
            b"GET ",
            b"POST ",
            b"/",
            b"/predict",
            b" HTTP/1.1",
            b"\r\n",
            b"\r\n\r\n",
            b"Content-Length: ",
            b"5",
            b"99999999999",
            b"Transfer-Encoding: chunked",
            b"\0",
            b"\xff\xfe",
            b"0\r\n\r\n",
            b"7fffffff\r\n",
            b"%",
            b": ",
            b"Expect: 100-continue",
        ];
        let word = prop_oneof![
            4 => prop::sample::select(words.to_vec()).prop_map(<[u8]>::to_vec),
            1 => prop::collection::vec(any::<u8>(), 0..40),
        ];
        prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_bytes_break_the_reader(bytes in hostile(), piece in 1_usize..50) {
            let (requests, ended) = all(&bytes, piece);
            prop_assert!(requests.iter().all(|request| request.body.len() <= 200));
            if let Ended::Refused(status, _) = ended {
                prop_assert!((400..506).contains(&status));
            }
            let whole = all(&bytes, bytes.len() + 1);
            prop_assert_eq!(requests, whole.0, "pieces change nothing");
        }
    }
}
