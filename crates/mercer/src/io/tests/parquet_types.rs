//! Parquet files with types, nulls and codecs that this library does not write itself.

use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::read;
use crate::io::Column;

/// Values and, where some are null, the level of each cell.
type Group<'a, V> = (&'a [V], Option<&'a [i16]>);

/// A file of one column that is declared by `field`, with the given groups of rows.
fn file<D: DataType>(field: &str, groups: &[Group<'_, D::T>], codec: Compression) -> Vec<u8> {
    let schema = parse_message_type(&format!("message table {{ {field}; }}")).unwrap();
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut bytes = Vec::new();
    let mut file =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    for (values, levels) in groups {
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<D>().write_batch(values, *levels, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    file.close().unwrap();
    bytes
}

fn check<D: DataType>(field: &str, values: &[D::T], expected: Column) {
    let bytes = file::<D>(field, &[(values, None)], Compression::UNCOMPRESSED);
    assert_eq!(read("x", &bytes).unwrap().columns, [expected], "{field}");
}

#[test]
fn types() {
    let f64s = |values: &[f64]| Column::F64(values.to_vec());
    check::<BoolType>("required boolean a", &[true, false], f64s(&[1.0, 0.0]));
    check::<Int32Type>("required int32 a", &[-1, 7], f64s(&[-1.0, 7.0]));
    check::<Int32Type>("required int32 a (uint_32)", &[-1, 7], f64s(&[4294967295.0, 7.0]));
    check::<Int64Type>("required int64 a", &[-1, 7], f64s(&[-1.0, 7.0]));
    let exact = vec![i64::MAX.to_string(), "7".to_owned()];
    check::<Int64Type>("required int64 a", &[i64::MAX, 7], Column::Text(exact));
    check::<Int32Type>("required int32 a (decimal(9, 2))", &[-150, 725], f64s(&[-1.5, 7.25]));
    let digits = [vec![0xff, 0x6a].into(), vec![2, 0xd5].into()];
    let field = "required fixed_len_byte_array(2) a (decimal(4, 2))";
    check::<FixedLenByteArrayType>(field, &digits, f64s(&[-1.5, 7.25]));
    let halves = [[0x00, 0x3c], [0x00, 0xc1], [0x01, 0x00], [0xff, 0x7b]];
    let halves = halves.map(|bytes| bytes.to_vec().into());
    let singles = Column::F32(vec![1.0, -2.5, 2f32.powi(-24), 65504.0]);
    check::<FixedLenByteArrayType>(
        "required fixed_len_byte_array(2) a (float16)",
        &halves,
        singles,
    );
    let words: [ByteArray; 2] = ["red".into(), "blue".into()];
    let text = Column::Text(vec!["red".to_owned(), "blue".to_owned()]);
    check::<ByteArrayType>("required byte_array a (string)", &words, text);
}

#[test]
fn nulls_are_missing_values() {
    let levels: &[i16] = &[1, 0, 1];
    let uncompressed = Compression::UNCOMPRESSED;
    let field = "optional int64 a";
    let bytes =
        file::<Int64Type>(field, &[(&[5, 6], Some(levels)), (&[7], Some(&[1]))], uncompressed);
    let table = read("x.parquet", &bytes).unwrap();
    assert_eq!(table.columns[0].number(2), Some(6.0));
    assert_eq!(table.columns[0].number(3), Some(7.0));
    let message = table.matrix::<f64>().unwrap_err().to_string();
    assert!(message.contains("row 2") && message.contains("column \"a\" is missing"), "{message}");
    let words: [ByteArray; 2] = ["a".into(), "b".into()];
    let field = "optional byte_array a (string)";
    let bytes = file::<ByteArrayType>(field, &[(&words, Some(levels))], uncompressed);
    let text = ["a", "", "b"].map(String::from).to_vec();
    assert_eq!(read("x.parquet", &bytes).unwrap().columns, [Column::Text(text)]);
}

#[test]
fn codecs() {
    let values: Vec<i32> = (0..10_000).map(|i| i % 100).collect();
    let codecs = [
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::LZ4,
    ];
    for codec in codecs {
        let bytes = file::<Int32Type>("required int32 a", &[(&values, None)], codec);
        let expected = values.iter().map(|&value| f64::from(value)).collect();
        assert_eq!(read("x", &bytes).unwrap().columns, [Column::F64(expected)], "{codec}");
    }
}

#[test]
fn lists_are_refused_by_name() {
    let schema = parse_message_type("message table { repeated int32 many; }").unwrap();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut bytes = Vec::new();
    SerializedFileWriter::new(&mut bytes, Arc::new(schema), properties).unwrap().close().unwrap();
    let message = read("x.parquet", &bytes).unwrap_err().to_string();
    assert!(message.contains("\"many\" holds lists"), "{message}");
}

/// A few repeated numbers stand for many cells; the budget is asked before they unfold.
#[test]
fn many_cells_in_few_bytes() {
    let groups: Vec<Group<'_, i32>> = vec![(&[0; 1 << 20], None); 9];
    let bytes = file::<Int32Type>("required int32 a", &groups, Compression::UNCOMPRESSED);
    assert!(bytes.len() < 1 << 16, "{} bytes", bytes.len());
    let refused = read("x.parquet", &bytes);
    assert!(matches!(refused, Err(crate::Error::Memory { .. })), "{refused:?}");
}

/// One text of a dictionary stands for many cells.
#[test]
fn many_texts_in_few_bytes() {
    let cells = vec![ByteArray::from(vec![b'a'; 4096]); 1 << 15];
    let groups: Vec<Group<'_, ByteArray>> = vec![(&cells, None)];
    let bytes =
        file::<ByteArrayType>("required binary a (UTF8)", &groups, Compression::UNCOMPRESSED);
    assert!(bytes.len() < 1 << 16, "{} bytes", bytes.len());
    let refused = read("x.parquet", &bytes);
    assert!(matches!(refused, Err(crate::Error::Memory { .. })), "{refused:?}");
}
