//! Tables as samples: texts as they are written, rows without their zeros.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{options, read};
use crate::error::Result;
use crate::io::read::parse;
use crate::io::{Column, ReadOptions, SparseColumn, Table};

/// LIBSVM text of the numbers that are not zero.
fn libsvm(rows: &[Vec<f64>]) -> String {
    let line = |row: &Vec<f64>| {
        let pairs = row.iter().enumerate().filter(|(_, v)| **v != 0.0);
        let pairs: Vec<String> = pairs.map(|(j, v)| format!("{}:{v}", j + 1)).collect();
        format!("1 {}\n", pairs.join(" "))
    };
    rows.iter().map(line).collect()
}

fn features(text: &str) -> Table {
    let table = read("t.libsvm", text.as_bytes()).unwrap();
    let last = table.n_columns() - 1;
    table.keep(&(0..last).collect::<Vec<_>>())
}

#[test]
fn zeros_are_left_out_where_that_saves_room() {
    let mut rows = vec![vec![0.0; 40]; 60];
    (0..60).for_each(|i| rows[i][i % 40] = 1.5);
    assert!(features(&libsvm(&rows)).is_sparse());
    let full: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|v| v + 1.0).collect()).collect();
    assert!(!features(&libsvm(&full)).is_sparse());
}

proptest! {
    #[test]
    fn numbers_are_the_same_with_and_without_their_zeros(
        cells in vec(prop_oneof![9 => Just(0.0), 1 => -9.0..9.0f64], 40 * 30)
    ) {
        let mut rows: Vec<Vec<f64>> = cells.chunks(30).map(<[f64]>::to_vec).collect();
        rows[0][29] = 2.0;
        let table = features(&libsvm(&rows));
        prop_assert!(table.is_sparse());
        let flat: Vec<f64> = rows.concat();
        prop_assert_eq!(&table.matrix::<f64>().unwrap(), &flat);
        let full = table.sparse_rows::<f64>().unwrap().to_dense().unwrap();
        prop_assert_eq!(full.data(), &flat[..]);
    }
}

#[test]
fn a_sparse_column_knows_its_numbers() {
    let mut column = SparseColumn::zeros(5);
    [(1, 2.0), (2, 0.0), (4, -3.0)].into_iter().for_each(|(row, value)| column.push(row, value));
    column.stretch(2.0);
    assert_eq!(
        (0..5).map(|row| column.number(row)).collect::<Vec<_>>(),
        [0.0, 4.0, 0.0, 0.0, -6.0]
    );
    assert_eq!(column.entries().collect::<Vec<_>>(), [(1, 4.0), (4, -6.0)]);
    let column = Column::Sparse(column);
    assert_eq!((column.len(), column.text(0), column.text(4)), (5, "0".into(), "-6".into()));
}

#[test]
fn cells_stay_as_they_are_written_if_asked_for() {
    let options = ReadOptions { as_written: true, ..options() };
    let table = parse(b"a,b\n1.50,x\n007,y\n".to_vec(), "t.csv".as_ref(), &options).unwrap();
    assert_eq!(table.columns[0], Column::Text(vec!["1.50".into(), "007".into()]));
    assert_eq!(table.keep(&[0]).matrix::<f64>().unwrap(), [1.5, 7.0]);
}

#[test]
fn faults_have_their_place() {
    fn check<T: std::fmt::Debug>(result: Result<T>, parts: &[&str]) {
        let text = result.unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(text.contains(part), "no {part:?} in {text}"));
    }
    let table = |text: &str| read("t.csv", text.as_bytes()).unwrap();
    check(table("a,b\nx,1\n\"\",2\n").texts(0), &["line 3", "\"a\"", "missing a string"]);
    check(table("a,b\n1,2\n3,-4\n").check_not_negative(), &["line 3", "\"b\"", "-4"]);
    check(table("a,b\n1,2\n3,4\n").named("c"), &["no column \"c\"", "a, b"]);
    check(table("a,a\n1,2\n3,4\n").named("a"), &["both named"]);
    assert_eq!(table("1,2\n3,4\n").named("x1").unwrap(), 1);
    check(read("t.csv", b"a,b\n1,2\n3,\xff\n"), &["line 3, column 2", "\"b\"", "not UTF-8"]);
    let mut rows = vec![vec![0.0; 40]; 60];
    (0..60).for_each(|i| rows[i][i % 40] = if i == 7 { -1.0 } else { 1.0 });
    check(features(&libsvm(&rows)).check_not_negative(), &["line 8", "\"x8\"", "-1"]);
}
