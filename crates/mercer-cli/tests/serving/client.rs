//! A running server, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::{Folder, Run};

/// Runs `mercer` with `arguments` to its end.
pub fn run(folder: &Folder, arguments: &[&str]) -> Run {
    folder.run(&arguments.join(" "))
}

/// A server that ends with the value.
pub struct Server {
    pub child: Child,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// The path with the token, or nothing.
    pub base: String,
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

impl Server {
    /// Starts `mercer` with `arguments` in `folder`, and waits for its address.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
        command
            .current_dir(folder)
            .args(arguments)
            .args(["--port", "0"])
            .env_remove("MERCER_TOKEN");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let rest =
            line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("no address: {line:?}"));
        let (host, base) = rest.split_once('/').unwrap();
        let base = if base.is_empty() {
            String::new()
        } else {
            format!("/{}", base.trim_end_matches('/'))
        };
        Self { host: host.into(), base, child }
    }

    pub fn token(&self) -> &str {
        &self.base[1..]
    }

    /// A request with all its bytes as they are.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let start = answer.windows(4).position(|part| part == b"\r\n\r\n");
        let bytes = start.map_or_else(Vec::new, |start| answer[start + 4..].to_vec());
        Answer { status, head: head.into(), body: body.into(), bytes }
    }

    /// A request with headers and a body.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.host));
        }
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        text.push_str("\r\n");
        self.raw(&[text.as_bytes(), body].concat())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", &format!("{}{path}", self.base), &[], b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let headers = [("Content-Type", "application/json")];
        self.request("POST", &format!("{}{path}", self.base), &headers, body.as_bytes())
    }

    /// Asks again until `is_so`, for at most half a minute.
    pub fn wait(&self, is_so: impl Fn(&Self) -> bool) {
        let until = Instant::now() + Duration::from_secs(30);
        while !is_so(self) {
            assert!(Instant::now() < until, "it did not happen");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sends a signal: the exit code, and what was printed on standard error.
    pub fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let status = self.child.wait().unwrap();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (status.code(), errors)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
