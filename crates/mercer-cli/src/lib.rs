//! The parts that the command `mercer` is put together from: flags, pictures, progress and tables
//! on the terminal. The mathematics lives in the library `mercer`; nothing here computes a
//! component.

pub mod args;
pub mod completions;
pub mod demo_data;
pub mod plot;
pub mod progress;
pub mod terminal_table;
