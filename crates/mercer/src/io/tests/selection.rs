//! Choosing columns and taking the label out.

use super::read;
use crate::io::{Column, Table};

fn table() -> Table {
    read("x.csv", b"id,age,size,3,kind\n1,2,3,4,red\n5,6,7,8,blue\n").unwrap()
}

#[test]
fn choices() {
    let check = |which: &str, expected: &[usize]| {
        assert_eq!(table().choose(which).unwrap(), expected, "{which}");
    };
    check("age", &[1]);
    check("size, age", &[2, 1]);
    check("1-3", &[0, 1, 2]);
    check("3-", &[2, 3, 4]);
    check("1,5", &[0, 4]);
    check("^id", &[1, 2, 3, 4]);
    check("^id,^kind", &[1, 2, 3]);
    check("1-4,^age", &[0, 2, 3]);
    // A name goes before a position.
    check("3", &[3]);
    check("5,3", &[4, 3]);
}

#[test]
fn refusals() {
    let check = |which: &str, part: &str| {
        let message = table().choose(which).unwrap_err().to_string();
        assert!(message.contains(part), "no {part:?} in: {message}");
    };
    check("weight", "the columns are id, age, size, 3, kind");
    check("9", "columns 1 to 5");
    check("0", "columns 1 to 5");
    check("2-9", "columns 1 to 5");
    check("agee", "did you mean \"age\"?");
    check("2-1", "out of range");
    check("age,1-3", "selects a column twice");
    check("^1-5", "no column");
    check("", "no column \"\"");
    let twins = read("x.csv", b"a,a\n1,2\n").unwrap();
    assert!(twins.choose("a").unwrap_err().to_string().contains("both named"));
    assert!(table().find("1-2").unwrap_err().to_string().contains("several"));
    let bare = read("x.csv", b"1,2\n").unwrap();
    assert!(bare.choose("a").unwrap_err().to_string().contains("no header"));
}

#[test]
fn splits() {
    let split = table().split(None, Some("kind")).unwrap();
    let words = vec!["red".to_owned(), "blue".to_owned()];
    assert_eq!(split.label, Some(("kind".to_owned(), Column::Text(words))));
    assert_eq!(split.features.matrix::<f64>().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    // Positions are those of the whole table, and the label is never a feature.
    let split = table().split(Some("1-3"), Some("2")).unwrap();
    assert_eq!(split.features.names, Some(vec!["id".to_owned(), "size".to_owned()]));
    assert_eq!(split.label.unwrap().0, "age");
    // LIBSVM text marks its own label.
    let split = read("x.svm", b"1 1:5\n0 1:6\n").unwrap().split(None, None).unwrap();
    assert_eq!(split.label, Some(("label".to_owned(), Column::F64(vec![1.0, 0.0]))));
    assert_eq!(split.features.matrix::<f32>().unwrap(), [5.0, 6.0]);
}

#[test]
fn a_column_may_be_kept_twice() {
    let kept = table().keep(&[1, 0, 1]);
    assert_eq!(kept.matrix::<f64>().unwrap(), [2.0, 1.0, 2.0, 6.0, 5.0, 6.0]);
}
