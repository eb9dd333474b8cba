//! Files: tables in, tables out, fitted models, and the way outputs appear whole or not at all. Nothing is computed
//! here.
//!
//! A table is read whole into memory first and parsed as bytes, whatever its format and wherever it comes from. That
//! costs the size of the file once, and buys parsers that are pure functions of a byte slice: none can trust a header
//! beyond the bytes that are really there, and standard input, compressed and plain files take one path.

pub mod atomic;
pub mod column;
pub mod model_file;
pub mod read;
pub mod table;
pub mod write;

mod csv;
mod libsvm;
mod libsvm_model;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod select;
mod sparse_column;
mod temporary;

pub use atomic::{Staged, write_whole};
pub use column::Column;
pub use libsvm_model::{read_libsvm_model, stage_libsvm_model, write_libsvm_model};
pub use model_file::{
    LIBSVM_TEXT, Model, ModelFile, from_bytes, from_bytes_within, load, load_within, save,
    stage_model, to_bytes,
};
pub use read::{Format, Header, ReadOptions, Source, parse as parse_table, read_table};
pub use sparse_column::SparseColumn;
pub use table::{Split, Table};
pub use write::{encode_table, output_format, stage_table, write_table};

#[cfg(test)]
mod tests;
