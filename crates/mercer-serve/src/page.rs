//! Files of pages, with the headers that keep them within this server.

use crate::http::Response;

/// Nothing but the page's own files may be loaded, and nothing may be sent elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors ";
/// No page may show it in a frame.
pub(crate) const NO_FRAMES: &str = "'none'";
/// Pages of this machine may, such as notebooks.
pub(crate) const LOCAL_FRAMES: &str = "'self' http://localhost:* http://127.0.0.1:*";

pub(crate) fn html(text: &'static [u8], frames: &str) -> Response {
    Response::ok("text/html; charset=utf-8", text)
        .with("content-security-policy", format!("{POLICY}{frames}"))
}

pub(crate) fn script(text: &'static [u8]) -> Response {
    Response::ok("text/javascript; charset=utf-8", text)
}

pub(crate) fn style(text: &'static [u8]) -> Response {
    Response::ok("text/css; charset=utf-8", text)
}
