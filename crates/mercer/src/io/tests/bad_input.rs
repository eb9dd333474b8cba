//! Bad files, and the words that their messages must hold.

use std::path::{Path, PathBuf};

use super::{npy_header, options, read};
use crate::io::{Header, ReadOptions, Source, Table, read_table};

/// Reads, takes all numbers out, and looks for `parts` in the message that this must end in.
fn check(name: &str, bytes: &[u8], parts: &[&str]) {
    let refused =
        read(name, bytes).and_then(|table| table.split(None, None)?.features.matrix::<f64>());
    let message =
        refused.expect_err(&format!("{name}: {:?}", bytes.escape_ascii().to_string())).to_string();
    for part in [name].iter().chain(parts) {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
}

#[test]
fn text() {
    check("x.csv", b"", &["empty"]);
    check("x.csv", b"\n\n", &["blank"]);
    check("x.csv", b"a,b\n", &["header but no rows"]);
    check("x.csv", b"a,b\n1,2\n3\n", &["line 3", "1 cells", "have 2"]);
    check("x.csv", b"a,b\n1,2\n3,4,5\n", &["line 3", "3 cells"]);
    check(
        "x.csv",
        b"a,b\n1,2\n3,\n",
        &["line 3", "column \"b\"", "missing", "leave the column out"],
    );
    for missing in ["NA", "NaN", "nan", "null", "?", "N/A", "-", "#N/A", "None"] {
        let text = format!("a,b\n1,2\n3,{missing}\n");
        check("x.csv", text.as_bytes(), &["line 3", "column \"b\"", "missing", missing]);
    }
    check("x.csv", b"a,b\n1,2\n3,inf\n", &["line 3", "column \"b\"", "infinite"]);
    check(
        "x.csv",
        b"a,b\n1,red\n2,blue\n",
        &["line 2", "column \"b\"", "\"red\"", "use it as the label"],
    );
    check("x.csv", b"1,red\n2,blue\n", &["line 1", "column 2", "\"red\""]);
    check("x.csv", b"a,b\n\"1\n\",2\n3,x\n", &["line 4", "\"x\""]);
    check("x.csv", b"a,b\n1,\xff\n", &["line 2", "UTF-8"]);
    check("x.csv", b"a,b\n1,\x00\n", &["line 2", "zero byte"]);
    check("x.gz", b"\x1f\x8b\x08\x00garbage", &["gzip"]);
}

#[test]
fn libsvm() {
    check("x.libsvm", b"# nothing\n", &["no rows"]);
    check("x.libsvm", b"1 1:2\n1 qid:3 1:2\n", &["line 2", "qid"]);
    check("x.libsvm", b"1 1:2\n1:2 2:3\n", &["line 2", "label"]);
    check("x.libsvm", b"1 1:2\n1 x:2\n", &["line 2", "\"x:2\"", "index:value"]);
    check("x.libsvm", b"1 1:2\n1 2:nan\n", &["line 2", "\"2:nan\""]);
    check("x.libsvm", b"1 1:2\n1 2:inf\n", &["line 2", "finite"]);
    check("x.libsvm", b"1 2:2 1:2\n", &["line 1", "ascending"]);
    check("x.libsvm", b"1\n2\n", &["no feature column is left"]);
    check("x.libsvm", b"\xff", &["line 1", "UTF-8"]);
}

#[test]
fn npy() {
    check("x.npy", b"not at all", &["does not start like a NumPy array"]);
    check("x.npy", b"\x93NUMPY", &["cut off"]);
    check("x.npy", b"\x93NUMPY\x01\x00\xff\xff{}", &["cut off"]);
    check("x.npy", b"\x93NUMPY\x09\x00\x02\x00{}", &["version 9"]);
    check("x.npy", b"\x93NUMPY\x01\x00\x02\x00{}", &["descr"]);
    check("x.npy", &npy_header("<f8", "(2, 2)"), &["2 × 2", "cut off"]);
    check("x.npy", &npy_header("<f8", "(18446744073709551615, 9)"), &["cut off"]);
    check("x.npy", &npy_header("<f8", "(99999999999999999999999,)"), &["shape"]);
    check("x.npy", &npy_header("<f8", "(0, 5)"), &["no rows"]);
    check("x.npy", &npy_header("<f8", "(5, 0)"), &["no columns"]);
    check("x.npy", &npy_header("<f8", "()"), &["0 dimensions"]);
    check("x.npy", &npy_header("<f8", "(1, 2, 3)"), &["3 dimensions", "reshape"]);
    check("x.npy", &npy_header("<c16", "(1, 2)"), &["<c16", "astype"]);
    let nan = [npy_header("<f8", "(1, 1)"), f64::NAN.to_le_bytes().to_vec()].concat();
    check("x.npy", &nan, &["row 1", "column 1", "missing"]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet() {
    check("x.parquet", b"PAR1", &["not a Parquet file"]);
    check("x.parquet", b"PAR1\x00\x00\x00\xff\xff\xff\x7fPAR1", &["not a Parquet file"]);
}

#[test]
fn places() {
    let read = |path: &Path| read_table(&Source::named(path), &options()).unwrap_err().to_string();
    let folder = std::env::temp_dir();
    assert!(read(&folder).contains("is a directory"));
    let absent: PathBuf = folder.join("mercer-no-such-table.csv");
    assert!(read(&absent).contains("mercer-no-such-table.csv: No such file"));
    assert_eq!(Source::named("-"), Source::Stdin);
}

#[test]
fn a_header_can_be_forced() {
    let read = |header| -> Table {
        let options = ReadOptions { header, ..options() };
        crate::io::read::parse(b"1,2\n3,4\n".to_vec(), Path::new("x.csv"), &options).unwrap()
    };
    assert_eq!(read(Header::Absent).n_rows(), 2);
    assert_eq!(read(Header::Present).n_rows(), 1);
    assert_eq!(read(Header::Present).names, Some(vec!["1".to_owned(), "2".to_owned()]));
}

#[test]
fn beyond_single_precision() {
    let table = read("x.csv", b"a\n1e300\n").unwrap();
    let message = table.matrix::<f32>().unwrap_err().to_string();
    assert!(message.contains("beyond the range of single precision"), "{message}");
}
