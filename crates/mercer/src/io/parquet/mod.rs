//! Apache Parquet through the column interface of the `parquet` crate (no Arrow, which would double the build).

mod cells;
mod claims;
mod read;
mod thrift;
mod write;

pub(super) use read::parse;
pub(super) use write::write;
