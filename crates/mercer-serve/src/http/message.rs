//! Requests and responses.

use std::borrow::Cow;

/// The methods that are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// GET.
    Get,
    /// HEAD: as GET, without the body.
    Head,
    /// POST.
    Post,
}

/// A request that was read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path, percent-decoded, without the query.
    pub path: String,
    /// Names and values of the query, percent-decoded.
    pub query: Vec<(String, String)>,
    /// Headers: names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the connection stays open after the answer.
    pub keeps_alive: bool,
}

impl Request {
    /// The first header called `name`, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The first value of `name` in the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The content of a response.
pub type Body = Cow<'static, [u8]>;

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Its type.
    pub content_type: &'static str,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Body,
}

impl Response {
    /// A response with status 200.
    pub fn ok(content_type: &'static str, body: impl Into<Body>) -> Self {
        Self { status: 200, content_type, headers: Vec::new(), body: body.into() }
    }

    /// JSON with status 200.
    pub fn json(value: &impl serde::Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(text) => Self::ok("application/json", text),
            Err(error) => Self::error(500, &error.to_string()),
        }
    }

    /// A JSON object with the error `message`.
    pub fn error(status: u16, message: &str) -> Self {
        let text = serde_json::json!({ "error": message }).to_string().into_bytes();
        Self { status, ..Self::ok("application/json", text) }
    }

    /// The same with a header.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// The reason phrase of a status code.
pub(super) fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Unknown",
    }
}

/// The bytes of a response; without its body for HEAD.
pub(super) fn encode(response: &Response, is_head: bool, keeps_alive: bool) -> Vec<u8> {
    let mut text = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: {}\r\n\
         x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\ncross-origin-resource-policy: same-origin\r\n",
        response.status,
        reason(response.status),
        response.content_type,
        response.body.len(),
        if keeps_alive { "keep-alive" } else { "close" },
    );
    for (name, value) in &response.headers {
        let clean: String = value.chars().filter(|c| !c.is_control()).collect();
        text.push_str(&format!("{name}: {clean}\r\n"));
    }
    if !response.headers.iter().any(|(name, _)| *name == "cache-control") {
        text.push_str("cache-control: no-store\r\n");
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    if !is_head {
        bytes.extend_from_slice(&response.body);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_cannot_end_early() {
        let response = Response::ok("text/plain", &b"hi"[..]).with("x-a", "1\r\nx-b: 2");
        let text = String::from_utf8(encode(&response, false, true)).unwrap();
        assert!(text.contains("x-a: 1x-b: 2\r\n") && text.ends_with("\r\n\r\nhi"));
        assert!(!encode(&response, true, true).ends_with(b"hi"));
    }
}
