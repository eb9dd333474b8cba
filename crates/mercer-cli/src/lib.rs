//! The parts that the command `mercer` is put together from: flags, tables, verbs, pictures and
//! progress. The mathematics lives in the library `mercer`; nothing here computes a component.

pub mod args;
pub mod completions;
pub mod demo_data;
pub mod failure;
pub mod output;
pub mod plot;
pub mod progress;
pub mod report;
pub mod run;
pub mod terminal_table;

mod data;
mod deliver;
mod describe;
mod facts;
mod machine;
mod results;
mod said;
mod scores;
mod summary;
