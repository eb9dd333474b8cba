//! Model files across versions and processes.

mod golden;
mod results;
mod samples;
mod second_process;
