//! Files: tables in, tables out, fitted models, and the way outputs appear whole or not at all. Nothing is computed
//! here.
//!
//! A table is read whole into memory first and parsed as bytes, whatever its format and wherever it comes from. That
//! costs the size of the file once, and buys parsers that are pure functions of a byte slice: none can trust a header
//! beyond the bytes that are really there, and standard input, compressed and plain files take one path. A table larger than
//! memory is read in blocks of rows instead (`stream`), with the cells of the table in memory.

#[doc(hidden)]
pub mod append;
#[doc(hidden)]
pub mod atomic;
#[doc(hidden)]
pub mod column;
#[doc(hidden)]
pub mod encoding;
pub mod model_file;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod stream;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod write;

mod arrow;
mod cells;
mod csv;
mod libsvm;
mod libsvm_model;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod queue;
mod rows;
mod select;
mod sparse_column;
mod temporary;

#[doc(hidden)]
pub use atomic::{Staged, write_whole};
pub use column::Column;
#[doc(hidden)]
pub use libsvm_model::stage_libsvm_model;
pub use libsvm_model::{read_libsvm_model, write_libsvm_model};
#[doc(hidden)]
pub use model_file::{LIBSVM_TEXT, from_bytes_within, load_within, stage_model};
pub use model_file::{Model, ModelFile, from_bytes, load, save, to_bytes};
#[doc(hidden)]
pub use model_file::{packet_from_bytes, packet_to_bytes};
#[doc(hidden)]
pub use read::parse as parse_table;
pub use read::{Format, Header, ReadOptions, Source, read_table};
#[doc(hidden)]
pub use sparse_column::SparseColumn;
#[doc(hidden)]
pub use table::Split;
pub use table::Table;
#[doc(hidden)]
pub use write::encode_table;
pub use write::write_table;
#[doc(hidden)]
pub use write::{output_format, stage_table};

#[cfg(test)]
mod tests;
