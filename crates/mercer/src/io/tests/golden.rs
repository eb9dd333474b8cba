//! Bytes as other programs write them.

use super::read;
use crate::io::Column;

/// A header as NumPy writes it, padded so that the numbers start at byte 128.
fn npy(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let size = if version == 1 { 2 } else { 4 };
    let length = 128 - bytes.len() - size;
    bytes.extend(&(length as u32).to_le_bytes()[..size]);
    bytes.extend(format!("{header:<width$}\n", width = length - 1).bytes());
    bytes.extend(data);
    bytes
}

fn check(version: u8, header: &str, data: &[u8], expected: &[Column]) {
    let table = read("x.npy", &npy(version, header, data)).expect(header);
    assert_eq!(table.columns, expected, "{header}");
}

/// `np.save` of `np.array([[1.5, -2.0]])`, byte for byte.
#[test]
fn a_whole_file() {
    let bytes =
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\
        \x20                                                         \n\
        \x00\x00\x00\x00\x00\x00\xf8?\x00\x00\x00\x00\x00\x00\x00\xc0";
    assert_eq!(bytes.len(), 128 + 16);
    let table = read("x.npy", bytes).unwrap();
    assert_eq!(table.columns, [Column::F64(vec![1.5]), Column::F64(vec![-2.0])]);
    assert_eq!(super::encode(crate::io::Format::Npy, &table), bytes);
}

#[test]
fn every_type_and_order() {
    let f64s = |values: &[f64]| Column::F64(values.to_vec());
    let h = |descr: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
    };
    check(1, &h("|b1", "False", "(2,)"), &[0, 1], &[f64s(&[0.0, 1.0])]);
    check(1, &h("|i1", "False", "(2,)"), &[0xff, 1], &[f64s(&[-1.0, 1.0])]);
    check(1, &h("|u1", "False", "(2,)"), &[0xff, 1], &[f64s(&[255.0, 1.0])]);
    check(2, &h("<i2", "False", "(1,)"), &[0xfe, 0xff], &[f64s(&[-2.0])]);
    check(2, &h(">i2", "False", "(1,)"), &[0xff, 0xfe], &[f64s(&[-2.0])]);
    check(3, &h("<u4", "False", "(1, 1)"), &[1, 0, 0, 0x80], &[f64s(&[2147483649.0])]);
    check(1, &h(">f4", "False", "(1,)"), &1.5f32.to_be_bytes(), &[Column::F32(vec![1.5])]);
    check(1, &h("<i8", "False", "(1,)"), &(-7i64).to_le_bytes(), &[f64s(&[-7.0])]);
    let huge = Column::Text(vec![u64::MAX.to_string()]);
    check(1, &h("<u8", "False", "(1,)"), &[0xff; 8], &[huge]);
    let six = [1, 2, 3, 4, 5, 6];
    let by_rows = [f64s(&[1.0, 4.0]), f64s(&[2.0, 5.0]), f64s(&[3.0, 6.0])];
    check(1, &h("|u1", "False", "(2, 3)"), &six, &by_rows);
    let by_columns = [f64s(&[1.0, 2.0]), f64s(&[3.0, 4.0]), f64s(&[5.0, 6.0])];
    check(1, &h("|u1", "True", "(2, 3)"), &six, &by_columns);
}

#[test]
fn text_tables() {
    let check = |bytes: &[u8], names: Option<&[&str]>, first_row: &[&str]| {
        let table = read("x", bytes).unwrap();
        let expected = names.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(table.names, expected);
        let row: Vec<String> = table.columns.iter().map(|column| column.text(0)).collect();
        assert_eq!(row, first_row);
    };
    check(b"a,b\n1,2\n", Some(&["a", "b"]), &["1", "2"]);
    check(b"\xef\xbb\xbfa;b\r\n1;2\r\n", Some(&["a", "b"]), &["1", "2"]);
    check(b"a\tb\n1\t2", Some(&["a", "b"]), &["1", "2"]);
    check(b"1,2\n3,4\n", None, &["1", "2"]);
    check(b"5.1,3.5,setosa\n4.9,3.0,setosa\n", None, &["5.1", "3.5", "setosa"]);
    check(b"a|b\n1|2\n", Some(&["a", "b"]), &["1", "2"]);
    check(b"a;b\n1,5;2\n0,25;3\n", Some(&["a", "b"]), &["1.5", "2"]);
    check(b"1,5;2,5\n0,25;3,5\n", None, &["1.5", "2.5"]);
    check(b"a;b\n1.234,5;x\n-0,5;y\n", Some(&["a", "b"]), &["1234.5", "x"]);
    check(b"a,b\n\"1,234.5\",2\n\"12,000\",3\n", Some(&["a", "b"]), &["1234.5", "2"]);
    check(b"a;b\n1 234.5;2\n12'000;3\n", Some(&["a", "b"]), &["1234.5", "2"]);
    check(b"a;b\n1,5;2\n;3\n", Some(&["a", "b"]), &["1.5", "2"]);
    check(b"a;b\n1,5;2\nlow;3\n", Some(&["a", "b"]), &["1,5", "2"]);
    check(b"a,b\n\"two\nlines\",2\nx,3\n", Some(&["a", "b"]), &["two\nlines", "2"]);
    check(b"year,2019\n1,2\n", Some(&["year", "2019"]), &["1", "2"]);
    check(b"\"a,b\",\"say \"\"c\"\"\"\n1,2\n", Some(&["a,b", "say \"c\""]), &["1", "2"]);
    check(b"id,x\n007,1\n12345678901234567891,1e3\n", Some(&["id", "x"]), &["007", "1"]);
    check(b"one\n1.5\n2.5\n", Some(&["one"]), &["1.5"]);
    check(
        b"+1 1:0.5 3:2 # note\n-1 2:1\n",
        Some(&["x1", "x2", "x3", "label"]),
        &["0.5", "0", "2", "1"],
    );
    check(b"cat 0:0.5\ndog 1:1\n", Some(&["x0", "x1", "label"]), &["0.5", "0", "cat"]);
}

#[test]
fn a_header_that_may_be_data_is_asked_for() {
    let numbered = b"species,0,1,2\nsetosa,5.1,3.5,1.4\n";
    let message = read("x.csv", numbered).unwrap_err().to_string();
    assert!(message.contains("header") && message.contains("species,0,1,2"), "{message}");
    // Nothing but texts: taken for names, and marked as a guess if it is a list.
    assert!(read("x.csv", b"emil\nanna\nkurt\n").unwrap().header_is_guess);
    assert!(!read("x.csv", b"name,town\nanna,bonn\n").unwrap().header_is_guess);
    assert!(!read("x.csv", b"a\n1\n2\n").unwrap().header_is_guess);
}
