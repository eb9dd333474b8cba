//! An HTTP service of fitted models, and a page on which kernels can be explored.
//!
//! [`http`] is a small blocking server of HTTP/1.1: one thread for each connection, at most as many as a limit, and strict limits on
//! sizes and times. An asynchronous server would carry more idle connections; the work here is computing, which threads do as well,
//! and the binary stays small. [`models`] serves predictions of fitted models, [`explore`] computes what its page draws.

pub mod explore;
pub mod http;
pub mod models;

mod page;
