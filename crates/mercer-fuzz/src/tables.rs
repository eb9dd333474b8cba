//! Bytes as a table: a rectangle within the budget, or an error.

use std::path::Path;

use mercer::io::{Format, Header, ReadOptions, Table, encode_table, parse_table};

use crate::BUDGET;

/// The budget is given: the default asks the system for the memory that is free, which takes longer than most inputs.
fn options(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        header: Header::Auto,
        delimiter: None,
        as_written: false,
        max_bytes: BUDGET,
    }
}

fn read(data: &[u8], options: &ReadOptions) -> Option<Table> {
    let table = parse_table(data.to_vec(), Path::new("input"), options).ok()?;
    assert!(table.n_rows() > 0 && table.n_columns() > 0);
    assert!(table.columns.iter().all(|column| column.len() == table.n_rows()));
    let _ = table.matrix::<f64>();
    let _ = table.clone().split(Some("0"), Some("1"));
    Some(table)
}

/// A table of comma-separated values. Written again, it has the same cells.
pub fn csv(data: &[u8]) {
    let as_written = ReadOptions { as_written: true, ..options(Format::Csv) };
    read(data, &as_written);
    let Some(table) = read(data, &options(Format::Csv)) else { return };
    let mut text = Vec::new();
    encode_table(Format::Csv, &table, &mut text).expect("a table that was read can be written");
    let known = ReadOptions {
        header: Header::Present,
        delimiter: Some(b','),
        // Numbers may have more digits than they came with.
        max_bytes: 64 * BUDGET,
        ..options(Format::Csv)
    };
    let again = read(&text, &known).expect("a table that was written can be read");
    assert_eq!((table.n_rows(), table.n_columns()), (again.n_rows(), again.n_columns()));
}

/// An array of NumPy.
pub fn npy(data: &[u8]) {
    read(data, &options(Format::Npy));
}

/// A table of Apache Parquet.
pub fn parquet(data: &[u8]) {
    read(data, &options(Format::Parquet));
}

/// A file or a stream of Apache Arrow. Written again, it has as many cells.
pub fn arrow(data: &[u8]) {
    let Some(table) = read(data, &options(Format::Arrow)) else { return };
    let mut bytes = Vec::new();
    encode_table(Format::ArrowStream, &table, &mut bytes)
        .expect("a table that was read can be written");
    let roomy = ReadOptions { max_bytes: 64 * BUDGET, ..options(Format::Arrow) };
    let again = read(&bytes, &roomy).expect("a table that was written can be read");
    assert_eq!((table.n_rows(), table.n_columns()), (again.n_rows(), again.n_columns()));
}

/// LIBSVM text.
pub fn libsvm_text(data: &[u8]) {
    read(data, &options(Format::Libsvm));
}
