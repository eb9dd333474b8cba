//! What can happen to a run from outside: kills, full disks, limits, closed descriptors, pipes, folders that vanish.
//! Whatever happens, an output is whole or is not there, and nothing else stays behind.
//!
//! `MERCER_FAULTS=long` tries many more moments. What this machine does not allow is skipped, and output.
#![cfg(unix)]

mod bugs;
mod descriptors;
mod disks;
#[path = "../command/folder.rs"]
#[allow(dead_code)]
mod folder;
mod kills;
mod limits;
mod pipes;
mod shell;
mod verbs;
