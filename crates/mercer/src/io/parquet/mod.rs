//! Apache Parquet through the column interface of the `parquet` crate (no Arrow, which would double the build).

mod cells;
mod read;
mod write;

pub(super) use read::parse;
pub(super) use write::write;
