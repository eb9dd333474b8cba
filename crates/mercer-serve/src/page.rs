//! Files of pages, with the headers that keep them within this server.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::http::Response;

/// A file of a page as the binary holds it: compressed by `build.rs`.
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name)).as_slice()
    };
}
pub(crate) use packed;

/// Nothing but the page's own files may be loaded, and nothing may be sent elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors ";
/// No page may show it in a frame.
pub(crate) const NO_FRAMES: &str = "'none'";
/// Pages of this machine may, such as notebooks.
pub(crate) const LOCAL_FRAMES: &str = "'self' http://localhost:* http://127.0.0.1:*";

pub(crate) fn html(packed: &[u8], frames: &str) -> Response {
    unpacked("text/html; charset=utf-8", packed)
        .with("content-security-policy", format!("{POLICY}{frames}"))
}

pub(crate) fn script(packed: &[u8]) -> Response {
    unpacked("text/javascript; charset=utf-8", packed)
}

pub(crate) fn style(packed: &[u8]) -> Response {
    unpacked("text/css; charset=utf-8", packed)
}

fn unpacked(content_type: &'static str, packed: &[u8]) -> Response {
    let mut text = Vec::new();
    match ZlibDecoder::new(packed).read_to_end(&mut text) {
        Ok(_) => Response::ok(content_type, text),
        Err(error) => Response::error(500, &error.to_string()),
    }
}
