//! `mercer serve` and `mercer explore`, asked as a program asks them.
#![cfg(unix)]

mod client;
mod explore;
#[path = "../command/folder.rs"]
#[allow(dead_code)]
mod folder;
mod serve;
