//! Write, read, compare: names, cells and precision come back unchanged.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{encode, read};
use crate::io::{Column, Format, Table};

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite())
}

fn finite_f32() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |value| value.is_finite())
}

/// Text that cannot be mistaken for a number or for a missing value.
fn word() -> impl Strategy<Value = String> {
    "[a-z][ \"',;\t\n\r#éß]{0,4}[a-z]{4,6}"
}

fn numbers(rows: usize) -> BoxedStrategy<Column> {
    vec(finite(), rows).prop_map(Column::F64).boxed()
}

fn singles(rows: usize) -> BoxedStrategy<Column> {
    vec(finite_f32(), rows).prop_map(Column::F32).boxed()
}

fn texts(rows: usize) -> BoxedStrategy<Column> {
    vec(word(), rows).prop_map(Column::Text).boxed()
}

/// Tables of 1 to 8 rows and 1 to 4 columns of the given kinds.
fn tables(kinds: &'static [fn(usize) -> BoxedStrategy<Column>]) -> impl Strategy<Value = Table> {
    (1usize..9, 1usize..5).prop_flat_map(move |(rows, columns)| {
        let column = (0..kinds.len()).prop_flat_map(move |kind| kinds[kind](rows));
        (vec(word(), columns), vec(column, columns))
            .prop_map(|(names, columns)| Table::new(names, columns))
    })
}

/// Whether all cells agree to the bit (so that −0 and 0 differ).
fn same_cells(a: &Column, b: &Column) -> bool {
    match (a, b) {
        (Column::F64(a), Column::F64(b)) => {
            a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
        }
        (Column::F32(a), Column::F32(b)) => {
            a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
        }
        _ => a == b,
    }
}

fn assert_same(read: &Table, written: &Table) {
    assert_eq!(read.n_rows(), written.n_rows());
    assert_eq!(read.n_columns(), written.n_columns());
    for (index, (a, b)) in read.columns.iter().zip(&written.columns).enumerate() {
        assert!(same_cells(a, b), "column {index}: {a:?} instead of {b:?}");
    }
}

proptest! {
    #[test]
    fn csv(table in tables(&[numbers, texts])) {
        let back = read("t.csv", &encode(Format::Csv, &table)).unwrap();
        prop_assert_eq!(&back.names, &table.names);
        assert_same(&back, &table);
    }

    #[test]
    fn tsv(table in tables(&[numbers, texts])) {
        let back = read("t.tsv", &encode(Format::Tsv, &table)).unwrap();
        prop_assert_eq!(&back.names, &table.names);
        assert_same(&back, &table);
    }

    #[test]
    fn single_precision_survives_text(table in tables(&[singles])) {
        let back = read("t.csv", &encode(Format::Csv, &table)).unwrap();
        prop_assert_eq!(back.matrix::<f32>().unwrap(), table.matrix::<f32>().unwrap());
    }

    #[test]
    fn npy_double(table in tables(&[numbers])) {
        assert_same(&read("t.npy", &encode(Format::Npy, &table)).unwrap(), &table);
    }

    #[test]
    fn npy_single(table in tables(&[singles])) {
        let back = read("t.npy", &encode(Format::Npy, &table)).unwrap();
        prop_assert!(back.is_f32());
        assert_same(&back, &table);
    }

    #[test]
    fn libsvm(table in tables(&[numbers]), labels in vec(-3i8..3, 8)) {
        let mut table = table;
        let labels = labels[..table.n_rows()].iter().map(|&label| f64::from(label));
        table.columns.push(Column::F64(labels.collect()));
        table.label = Some(table.n_columns() - 1);
        table.names = None;
        let back = read("t.libsvm", &encode(Format::Libsvm, &table)).unwrap();
        let label = back.label.expect("LIBSVM text has a label");
        prop_assert_eq!(&back.columns[label], &table.columns[table.n_columns() - 1]);
        // A last column of zeros leaves no trace in the text, and −0 is a zero like any other.
        for (index, column) in table.columns[..table.n_columns() - 1].iter().enumerate() {
            for row in 0..table.n_rows() {
                let found = if index < label { back.columns[index].number(row) } else { Some(0.0) };
                prop_assert_eq!(found, column.number(row));
            }
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet(table in tables(&[numbers, singles, texts])) {
        let back = read("t.parquet", &encode(Format::Parquet, &table)).unwrap();
        prop_assert_eq!(&back.names, &table.names);
        assert_same(&back, &table);
    }

    #[test]
    fn arrow(table in tables(&[numbers, singles, texts])) {
        for (name, format) in [("t.arrow", Format::Arrow), ("t.arrows", Format::ArrowStream)] {
            let bytes = encode(format, &table);
            let back = read(name, &bytes).unwrap();
            prop_assert_eq!(&back.names, &table.names);
            assert_same(&back, &table);
            assert_same(&read("by the first bytes", &bytes).unwrap(), &table);
        }
    }

    #[test]
    fn matrix_is_row_major(rows in 1usize..200, columns in 1usize..5) {
        let column = |j: usize| Column::F64((0..rows).map(|i| (i * columns + j) as f64).collect());
        let table = Table::new(vec![String::new(); columns], (0..columns).map(column).collect());
        let expected: Vec<f64> = (0..rows * columns).map(|value| value as f64).collect();
        prop_assert_eq!(table.matrix::<f64>().unwrap(), expected);
    }
}
