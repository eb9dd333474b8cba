//! Arbitrary and damaged bytes: an error or a table, never a panic, never memory beyond the budget.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{encode, read};
use crate::error::Error;
use crate::io::read::parse;
use crate::io::{Column, Format, ReadOptions, Table};

const NAMES: [&str; 7] = ["x", "x.csv", "x.tsv", "x.npy", "x.libsvm", "x.parquet", "x.arrow"];

/// Whatever comes out, it is a rectangle.
fn survive(name: &str, bytes: &[u8]) {
    if let Ok(table) = read(name, bytes) {
        assert!(table.n_rows() > 0);
        assert!(table.columns.iter().all(|column| column.len() == table.n_rows()));
        let _ = table.matrix::<f64>();
        let _ = table.clone().split(Some("0"), Some("1"));
    }
}

/// A small valid file, to be damaged.
fn valid(format: Format) -> Vec<u8> {
    let values = |shift: i32| (0..40).map(|i| f64::from(i % 7 + shift) / 3.0).collect();
    let words = (0..40).map(|i| format!("w{}", i % 5)).collect();
    let mut table = Table::new(
        ["a", "b", "label"].map(String::from).to_vec(),
        vec![Column::F64(values(0)), Column::F64(values(1)), Column::Text(words)],
    );
    if format == Format::Npy {
        table = table.keep(&[0, 1]);
    }
    encode(format, &table)
}

/// Overwrites, cuts and repeats.
fn damage(
    mut bytes: Vec<u8>,
    edits: &[(prop::sample::Index, u8)],
    end: prop::sample::Index,
) -> Vec<u8> {
    for (place, value) in edits {
        let place = place.index(bytes.len());
        bytes[place] = *value;
    }
    if edits.len() % 4 == 3 {
        bytes.truncate(end.index(bytes.len()));
    }
    bytes
}

type Edits = Vec<(prop::sample::Index, u8)>;

fn edits() -> impl Strategy<Value = (Edits, prop::sample::Index)> {
    (vec(any::<(prop::sample::Index, u8)>(), 1..6), any::<prop::sample::Index>())
}

fn npy_headers() -> impl Strategy<Value = String> {
    let (kind, size) = ("[<>|][fiub][0-9]{1,2}", "[0-9]{0,20}");
    (kind, any::<bool>(), size, size).prop_map(|(kind, fortran, rows, columns)| {
        let order = if fortran { "True" } else { "False" };
        format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({rows}, {columns})}}")
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in vec(any::<u8>(), 0..200)) {
        NAMES.iter().for_each(|name| survive(name, &bytes));
    }

    #[test]
    fn arbitrary_text(text in "[-0-9a-z.,;:\t\n\r\"# é]{0,80}") {
        NAMES.iter().for_each(|name| survive(name, text.as_bytes()));
    }

    #[test]
    fn arbitrary_npy_header(header in npy_headers(), data in vec(any::<u8>(), 0..64)) {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        survive("x.npy", &bytes);
    }

    #[test]
    fn damaged_text((edits, end) in edits()) {
        survive("x.csv", &damage(valid(Format::Csv), &edits, end));
        survive("x.libsvm", &damage(valid(Format::Libsvm), &edits, end));
    }

    #[test]
    fn damaged_npy((edits, end) in edits()) {
        survive("x.npy", &damage(valid(Format::Npy), &edits, end));
    }

    #[test]
    fn damaged_arrow((edits, end) in edits()) {
        survive("x.arrow", &damage(valid(Format::Arrow), &edits, end));
        survive("x.arrows", &damage(valid(Format::ArrowStream), &edits, end));
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn damaged_parquet((edits, end) in edits()) {
        survive("x.parquet", &damage(valid(Format::Parquet), &edits, end));
    }
}

/// What a text of a few bytes can claim is refused before memory is taken for it.
#[test]
fn claims_beyond_the_budget() {
    let refused = |name: &str, bytes: &[u8]| match read(name, bytes) {
        Err(Error::Memory { needed, .. }) => needed,
        other => panic!("{name}: {other:?}"),
    };
    assert!(refused("x.libsvm", b"1 4000000000:1\n2 1:3\n") > 64_000_000_000);
    let commas = [b",".repeat(1 << 20), b"\n1\n".to_vec()].concat();
    assert!(refused("x.csv", &commas) > 100 << 20);
    assert_eq!(refused("x.libsvm", b"1 18446744073709551615:1\n2 1:3\n"), u64::MAX);
}

/// A few compressed bytes that would unfold beyond the budget.
#[test]
fn compressed_bomb() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packed, &vec![b'1'; 1 << 20]).unwrap();
    let options = ReadOptions { max_bytes: 1 << 16, ..ReadOptions::default() };
    let read = parse(packed.finish().unwrap(), Path::new("x.csv.gz"), &options);
    assert!(matches!(read, Err(Error::Memory { .. })), "{read:?}");
}
