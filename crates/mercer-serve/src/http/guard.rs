//! Who may ask: the token of the address, the name of this machine, and the origin of a page.

use super::message::{Request, Response};

/// A secret that a request must know.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// 128 random bits from the operating system.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// A given one, which can stand in an address: 8 to 128 letters, digits, `-` and `_`.
    pub fn given(text: &str) -> Result<Self, &'static str> {
        let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        match is_plain && (8..=128).contains(&text.len()) {
            true => Ok(Self(text.into())),
            false => Err("must be 8 to 128 letters, digits, - and _"),
        }
    }

    /// Its text, for an address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether `text` is the token. Takes as long for any text of this length.
    pub fn is(&self, text: &str) -> bool {
        let differing = self.0.bytes().zip(text.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        self.0.len() == text.len() && std::hint::black_box(differing) == 0
    }
}

/// Checks of every request beside the token.
#[derive(Debug, Clone)]
pub struct Guard {
    /// What the `Host` header may be; anything if empty.
    hosts: Vec<String>,
}

impl Guard {
    /// For a server at `address`. On a loopback address only its own names are accepted: a page elsewhere whose name was made to
    /// point here (DNS rebinding) comes with another.
    pub fn new(address: std::net::SocketAddr) -> Self {
        let port = address.port();
        let names = ["localhost", "127.0.0.1", "[::1]"];
        let hosts = match address.ip().is_loopback() {
            true => names.iter().map(|name| format!("{name}:{port}")).collect(),
            false => Vec::new(),
        };
        Self { hosts }
    }

    /// A refusal of a request from elsewhere.
    pub fn refusal(&self, request: &Request) -> Option<Response> {
        let host = request.header("host").unwrap_or_default();
        let is_known = |host: &str| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        if !self.hosts.is_empty() && !is_known(host) {
            return Some(Response::error(421, "this server answers requests to localhost only"));
        }
        let is_own = |origin: &str| {
            origin.strip_prefix("http://").is_some_and(|name| name.eq_ignore_ascii_case(host))
        };
        match request.header("origin") {
            Some(origin) if !is_own(origin) => {
                Some(Response::error(403, "pages of other origins may not use this server"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Method;

    fn request(headers: &[(&str, &str)]) -> Request {
        let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Request {
            method: Method::Get,
            path: "/".into(),
            query: Vec::new(),
            headers: headers.iter().map(own).collect(),
            body: Vec::new(),
            keeps_alive: true,
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        let token = Token::given("abcd-efgh").unwrap();
        assert!(token.is("abcd-efgh"));
        assert!(!token.is("abcd-efg") && !token.is("abcd-efgi") && !token.is("abcd-efghi"));
        assert!(Token::given("short").is_err() && Token::given("with/slash").is_err());
        assert_ne!(Token::random().unwrap().text(), Token::random().unwrap().text());
        assert_eq!(format!("{token:?}"), "Token(…)");
    }

    #[test]
    fn strangers_are_refused() {
        let guard = Guard::new("127.0.0.1:80".parse().unwrap());
        let status = |headers: &[(&str, &str)]| guard.refusal(&request(headers)).map(|r| r.status);
        assert_eq!(status(&[("host", "127.0.0.1:80")]), None);
        assert_eq!(status(&[("host", "localhost:80"), ("origin", "http://localhost:80")]), None);
        assert_eq!(status(&[]), Some(421));
        assert_eq!(status(&[("host", "evil.example:80")]), Some(421));
        assert_eq!(
            status(&[("host", "localhost:80"), ("origin", "http://evil.example")]),
            Some(403)
        );
        assert_eq!(status(&[("host", "localhost:80"), ("origin", "null")]), Some(403));
        let open = Guard::new("0.0.0.0:80".parse().unwrap());
        assert!(open.refusal(&request(&[("host", "service.internal")])).is_none());
    }
}
