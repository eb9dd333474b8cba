//! Tests of the module: what is written is read back, bad input gets a message that helps, hostile bytes do no harm.

mod bad_input;
mod golden;
mod hostile;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet_types;
mod round_trip;
mod samples;
mod selection;
mod streams;

use std::path::Path;

use crate::error::Result;
use crate::io::read::parse;
use crate::io::{Format, ReadOptions, Table, encode_table};

/// Room for small tables, far below what a hostile header may claim.
const MAX_BYTES: u64 = 1 << 26;

fn options() -> ReadOptions {
    ReadOptions { max_bytes: MAX_BYTES, ..ReadOptions::default() }
}

/// Reads bytes as if they were the content of a file called `name`.
fn read(name: &str, bytes: &[u8]) -> Result<Table> {
    parse(bytes.to_vec(), Path::new(name), &options())
}

fn encode(format: Format, table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_table(format, table, &mut bytes).expect("writing to memory");
    bytes
}

/// A `.npy` header with nothing behind it.
fn npy_header(descr: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}
