//! The request line and the headers.

use super::Limits;
use super::message::{Method, Request};

/// How long the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// As many bytes.
    Bytes(usize),
    /// In chunks, until an empty one.
    Chunked,
}

/// A parsed head.
#[derive(Debug)]
pub(super) struct Head {
    /// The request, without its body.
    pub request: Request,
    /// The length of the body.
    pub length: Length,
    /// Whether the client waits for permission to send the body.
    pub expects_continue: bool,
    /// Bytes of the head.
    pub size: usize,
}

/// Why a request is refused: a status code and what is wrong.
pub(super) type Refusal = (u16, &'static str);

/// The head at the start of `bytes`; nothing if it has not ended yet.
pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Option<Head>, Refusal> {
    let mut headers = vec![httparse::EMPTY_HEADER; limits.headers];
    let mut parsed = httparse::Request::new(&mut headers);
    let size = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(size)) if size <= limits.head_bytes => size,
        Ok(httparse::Status::Partial) if bytes.len() < limits.head_bytes => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => {
            return Err((431, "the headers are too long"));
        }
        Err(httparse::Error::Version) => {
            return Err((505, "only HTTP/1.0 and HTTP/1.1 are supported"));
        }
        Err(_) => return Err((400, "the request is not HTTP/1.1")),
    };
    let method = match parsed.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        Some("POST") => Method::Post,
        _ => return Err((405, "only GET, HEAD and POST are allowed")),
    };
    let (path, query) = target(parsed.path.unwrap_or_default())?;
    let headers = texts(parsed.headers)?;
    let keeps_alive = keeps_alive(parsed.version, &headers);
    let request = Request { method, path, query, headers, body: Vec::new(), keeps_alive };
    let length = length(&request, limits)?;
    let expects_continue = match request.header("expect") {
        None => false,
        Some(value) if value.eq_ignore_ascii_case("100-continue") => true,
        Some(_) => return Err((417, "this value of the Expect header is not supported")),
    };
    Ok(Some(Head { request, length, expects_continue, size }))
}

fn texts(headers: &[httparse::Header<'_>]) -> Result<Vec<(String, String)>, Refusal> {
    let text = |header: &httparse::Header<'_>| {
        let value =
            std::str::from_utf8(header.value).map_err(|_| (400, "a header is not UTF-8"))?;
        Ok((header.name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    headers.iter().map(text).collect()
}

fn keeps_alive(version: Option<u8>, headers: &[(String, String)]) -> bool {
    let says = |word: &str| {
        let values = headers.iter().filter(|(name, _)| name == "connection");
        values
            .flat_map(|(_, value)| value.split(','))
            .any(|item| item.trim().eq_ignore_ascii_case(word))
    };
    if version == Some(1) { !says("close") } else { says("keep-alive") }
}

/// The length of the body. A request that gives two is refused: another program on the way could see another end of it.
fn length(request: &Request, limits: &Limits) -> Result<Length, Refusal> {
    let all = |wanted: &str| {
        let values = request.headers.iter().filter(|(name, _)| name == wanted);
        values.map(|(_, value)| value.as_str()).collect::<Vec<&str>>()
    };
    match (&all("transfer-encoding")[..], &all("content-length")[..]) {
        ([], []) => Ok(Length::Bytes(0)),
        ([coding], []) if coding.eq_ignore_ascii_case("chunked") => Ok(Length::Chunked),
        ([], [text]) => {
            if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err((400, "content-length is not a number"));
            }
            let bytes = text.parse().unwrap_or(usize::MAX);
            if bytes > limits.body_bytes { Err(TOO_LARGE) } else { Ok(Length::Bytes(bytes)) }
        }
        ([_], []) => Err((501, "only the transfer coding `chunked` is supported")),
        _ => Err((400, "the length of the body is given twice")),
    }
}

/// The body exceeds its limit.
pub(super) const TOO_LARGE: Refusal = (413, "the body is larger than the limit of this server");

/// The path and the query of a request target.
fn target(text: &str) -> Result<(String, Vec<(String, String)>), Refusal> {
    let origin = text.starts_with('/').then_some(text);
    // A full address is allowed too; the Host header says the same.
    let full =
        || text.strip_prefix("http://").map(|rest| rest.find('/').map_or("/", |at| &rest[at..]));
    let text = origin.or_else(full).ok_or((400, "the request target is not a path"))?;
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = decoded(path, false).ok_or((400, "the path is not percent-encoded UTF-8"))?;
    let mut pairs = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let text =
            |part| decoded(part, true).ok_or((400, "the query is not percent-encoded UTF-8"));
        pairs.push((text(name)?, text(value)?));
    }
    Ok((path, pairs))
}

/// Percent-decoded text; in a query a plus sign is a space.
fn decoded(text: &str, is_query: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                bytes.push((high * 16 + low) as u8);
            }
            b'+' if is_query => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Head, Refusal> {
        let bytes = text.replace('\n', "\r\n");
        parse(bytes.as_bytes(), &Limits::default()).map(|head| head.expect("a whole head"))
    }

    #[test]
    fn targets_are_decoded() {
        let head = head("GET /a%20b/c?x=1+2&y=%C3%A4&flag HTTP/1.1\nHost: h\n\n").unwrap();
        assert_eq!((head.request.path.as_str(), head.length), ("/a b/c", Length::Bytes(0)));
        assert_eq!(head.request.query("x"), Some("1 2"));
        assert_eq!((head.request.query("y"), head.request.query("flag")), (Some("ä"), Some("")));
        assert!(head.request.keeps_alive && head.request.header("host") == Some("h"));
    }

    #[test]
    fn what_is_wrong_has_its_status() {
        let status = |text: &str| head(text).unwrap_err().0;
        assert_eq!(status("BREW / HTTP/1.1\n\n"), 405);
        assert_eq!(status("GET / HTTP/3.7\n\n"), 505);
        assert_eq!(status("GET x HTTP/1.1\n\n"), 400);
        assert_eq!(status("GET /%zz HTTP/1.1\n\n"), 400);
        assert_eq!(status("GET /%00 HTTP/1.1\n\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\nContent-Length: 99999999999999999999\n\n"), 413);
        assert_eq!(status("POST / HTTP/1.1\nContent-Length: +3\n\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\nContent-Length: 3\nContent-Length: 3\n\n"), 400);
        let both = "POST / HTTP/1.1\nContent-Length: 3\nTransfer-Encoding: chunked\n\n";
        assert_eq!(status(both), 400);
        assert_eq!(status("POST / HTTP/1.1\nTransfer-Encoding: gzip\n\n"), 501);
        assert_eq!(status(&format!("GET / HTTP/1.1\n{}\n", "a: b\n".repeat(65))), 431);
        assert_eq!(status(&format!("GET /{} HTTP/1.1\n\n", "a".repeat(20_000))), 431);
    }

    #[test]
    fn a_part_of_a_head_is_not_one_yet() {
        let whole = b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
        for end in 0..whole.len() {
            assert!(parse(&whole[..end], &Limits::default()).unwrap().is_none());
        }
        let head = parse(whole, &Limits::default()).unwrap().unwrap();
        assert!(head.request.keeps_alive && head.size == whole.len());
    }
}
