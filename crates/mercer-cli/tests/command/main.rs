//! The built command, run as a user runs it.

mod bad_input;
mod demo;
mod examples;
mod fit;
mod folder;
#[cfg(unix)]
mod interrupt;
mod krr;
mod predict;
mod transform;
mod usage;
