//! Apache Parquet through the column interface of the `parquet` crate (no Arrow, which would double the build).

mod blocks;
mod cells;
mod claims;
mod read;
mod thrift;
mod write;

pub(super) use blocks::ParquetBlocks;
pub(super) use read::parse;
pub(super) use write::{Groups, write};
