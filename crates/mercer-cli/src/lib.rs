//! The command line `mercer`: flags, tables, verbs, plots, reports and progress. All mathematics is in the
//! library `mercer`.

pub mod args;
pub mod completions;
pub mod demo_data;
pub mod failure;
pub mod from_model;
mod machine;
pub mod man;
pub mod progress;
pub mod report;
pub mod run;
pub mod sample_tables;
pub mod stdout;
pub mod terminal_table;

use mercer_plot as plot;

mod data;
mod describe;
mod explain;
mod facts;
mod output_files;
mod prediction;
mod results;
mod scores;
mod summary;
