//! Encodings: what columns hold, how they become numbers, and that new rows are treated as the training table was.

use super::infer::{ColumnType, infer};
use super::*;
use crate::io::{Column, Table};

fn text(cells: &[&str]) -> Column {
    Column::Text(cells.iter().map(|cell| cell.to_string()).collect())
}

fn table(columns: Vec<(&str, Column)>) -> Table {
    let (names, columns) = columns.into_iter().map(|(n, c)| (n.to_string(), c)).unzip();
    Table::new(names, columns)
}

fn numbers(table: &Table) -> Vec<Vec<f64>> {
    let column = |c: &Column| (0..c.len()).map(|row| c.number(row).unwrap()).collect();
    table.columns.iter().map(column).collect()
}

fn choices() -> Choices {
    Choices::default()
}

#[test]
fn missing_numbers_become_the_median() {
    let raw = table(vec![
        ("a", text(&["1", "", "3", "10"])),
        ("b", Column::F64(vec![1.0, 2.0, f64::NAN, 4.0])),
    ]);
    let encoding = Encoding::learn(&raw, &choices()).unwrap();
    assert!(encoding.is_plain() && encoding.is_sound());
    let (encoded, notes) = encoding.apply(raw).unwrap();
    assert_eq!(numbers(&encoded), [[1.0, 3.0, 3.0, 10.0], [1.0, 2.0, 2.0, 4.0]]);
    assert_eq!(notes.len(), 2);
    assert!(notes[0].contains("\"a\": 1 missing cell filled with 3"), "{notes:?}");
}

#[test]
fn the_most_frequent_value_can_stand_in() {
    let raw = table(vec![("a", text(&["7", "7", "1", "?"]))]);
    let most = Choices { missing: Missing::MostFrequent, ..choices() };
    let (encoded, _) = Encoding::learn(&raw, &most).unwrap().apply(raw).unwrap();
    assert_eq!(numbers(&encoded), [[7.0, 7.0, 1.0, 7.0]]);
}

#[test]
fn categories_become_zeros_and_ones() {
    let raw = table(vec![
        ("colour", text(&["red", "blue", "red", "green", "blue", "green"])),
        ("smoker", text(&["yes", "no", "NA", "no", "no", "yes"])),
    ]);
    let encoding = Encoding::learn(&raw, &choices()).unwrap();
    let (encoded, notes) = encoding.apply(raw).unwrap();
    assert_eq!(
        encoded.names.clone().unwrap(),
        ["colour=blue", "colour=green", "colour=red", "smoker=yes"]
    );
    assert_eq!(encoded.indicators, [0, 1, 2, 3]);
    assert_eq!(numbers(&encoded)[0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(numbers(&encoded)[3], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(notes, ["column \"smoker\": 1 missing cell filled with \"no\""]);
}

#[test]
fn unknown_categories_are_told_and_equal_none() {
    let raw = table(vec![("colour", text(&["red", "blue", "red", "blue", "green", "green"]))]);
    for codes in [false, true] {
        let encoding = Encoding::learn(&raw, &Choices { codes, ..choices() }).unwrap();
        let new = table(vec![("colour", text(&["blue", "pink", "grey"]))]);
        let (encoded, notes) = encoding.apply(new).unwrap();
        assert!(
            notes[0].contains("2 rows have a category") && notes[0].contains("\"pink\""),
            "{notes:?}"
        );
        let columns = numbers(&encoded);
        match codes {
            false => {
                assert!(columns.iter().all(|c| c[1] == 0.0 && c[2] == 0.0) && columns[0][0] == 1.0)
            }
            true => assert!(
                columns[0][0] == 0.0 && columns[0][1] >= 4.0 && columns[0][1] != columns[0][2]
            ),
        }
    }
}

#[test]
fn codes_and_ranges_for_kernels_that_compare_categories() {
    let raw = table(vec![
        ("colour", text(&["red", "blue", "red", "blue"])),
        ("size", Column::F64(vec![10.0, 20.0, 15.0, 30.0])),
    ]);
    let encoding = Encoding::learn(&raw, &Choices { codes: true, ..choices() }).unwrap();
    let (encoded, _) = encoding.apply(raw).unwrap();
    assert_eq!(numbers(&encoded), [[1.0, 0.0, 1.0, 0.0], [0.0, 0.5, 0.25, 1.0]]);
    assert!(encoded.indicators.is_empty());
}

#[test]
fn signs_are_categories_where_both_are_found() {
    let of = |cells: &[&str]| infer(&text(cells)).column_type;
    let signs = ColumnType::Category(vec!["+".into(), "-".into()]);
    assert_eq!(of(&["+", "-", "", "+"]), signs);
    assert_eq!(of(&["-", "-", ""]), ColumnType::Empty);
    assert_eq!(of(&["none", "None"]), ColumnType::Empty);
    assert_eq!(of(&["-", "1", "2"]), ColumnType::Number);
}

#[test]
fn every_column_that_cannot_be_used_is_named_at_once() {
    let raw = table(vec![
        ("id", text(&["k1", "k2", "k3", "k4", "k5", "k6"])),
        ("price", text(&["1", "2", "3x", "4", "5", "6"])),
        ("day", text(&["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "", "2024-01-06"])),
        ("nothing", text(&["", "", "", "", "", ""])),
        ("fine", Column::F64(vec![1.0; 6])),
    ]);
    let faults = Encoding::learn(&raw, &choices()).unwrap_err();
    let expected = [Reason::FreeText(6), Reason::Texts(vec![2]), Reason::Dates, Reason::Empty];
    assert_eq!(faults.iter().map(|f| f.reason.clone()).collect::<Vec<_>>(), expected);
    assert_eq!(faults.iter().map(|f| f.column).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let expand = Choices { dates: Dates::Expand, ..choices() };
    let faults = Encoding::learn(&raw, &expand).unwrap_err();
    assert_eq!(faults[2].reason, Reason::MissingDates(vec![4]));
    let refuse = Choices { missing: Missing::Refuse, ..choices() };
    let faults = Encoding::learn(&table(vec![("a", text(&["1", "", "2"]))]), &refuse).unwrap_err();
    assert_eq!(faults[0].reason, Reason::Missing(vec![1]));
}

#[test]
fn dates_become_their_parts() {
    let raw = table(vec![("day", text(&["2024-02-29", "1999-12-31"]))]);
    let expand = Choices { dates: Dates::Expand, ..choices() };
    let encoding = Encoding::learn(&raw, &expand).unwrap();
    let (encoded, _) = encoding.apply(raw).unwrap();
    assert_eq!(numbers(&encoded), [[2024.0, 1999.0], [2.0, 12.0], [29.0, 31.0], [4.0, 5.0]]);
    assert_eq!(encoded.names.unwrap()[3], "day_weekday");
    let wrong = encoding.apply(table(vec![("day", text(&["tomorrow"]))])).unwrap_err();
    assert!(wrong.to_string().contains("\"tomorrow\" where a date is needed"), "{wrong}");
}

#[test]
fn numbers_are_categories_where_the_user_says_so() {
    let raw = table(vec![("zone", Column::F64(vec![10.0, 2.0, 10.0, 30.0]))]);
    let forced = Choices {
        categories: CategoryColumns { unordered: vec![0], ..Default::default() },
        ..choices()
    };
    let encoding = Encoding::learn(&raw, &forced).unwrap();
    let (encoded, _) = encoding.apply(raw).unwrap();
    assert_eq!(encoded.names.unwrap(), ["zone=2", "zone=10", "zone=30"]);
}

fn ranked(unit: bool) -> Encoding {
    let levels = ["small", "medium", "large"].map(String::from).to_vec();
    let values = Values::Ordered { levels, fill: Some(1), unit };
    Encoding { columns: vec![EncodedColumn { name: "size".into(), values, missing: 0 }] }
}

#[test]
fn ordered_categories_become_their_ranks() {
    let raw = || table(vec![("size", text(&["large", "small", "NA"]))]);
    assert_eq!(numbers(&ranked(false).apply(raw()).unwrap().0), [[2.0, 0.0, 1.0]]);
    assert_eq!(numbers(&ranked(true).apply(raw()).unwrap().0), [[1.0, 0.0, 0.5]]);
    let unknown = || table(vec![("size", text(&["huge", "large"]))]);
    let (encoded, notes) = ranked(false).apply(unknown()).unwrap();
    assert_eq!(numbers(&encoded), [[1.0, 2.0]], "it has no rank and is treated as missing");
    assert!(notes[0].contains("huge"), "{notes:?}");
    let (encoded, notes) = ranked(true).apply(unknown()).unwrap();
    assert_eq!(numbers(&encoded), [[4.0, 1.0]], "it differs from all others");
    assert!(notes[0].contains("huge"), "{notes:?}");
    let json = serde_json::to_string(&ranked(true)).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&json).unwrap(), ranked(true));
}

#[test]
fn an_encoding_survives_json_and_a_file_is_not_believed() {
    let raw = table(vec![
        ("colour", text(&["red", "blue", "red", "blue"])),
        ("size", text(&["1", "", "2", "3"])),
    ]);
    for codes in [false, true] {
        let encoding = Encoding::learn(&raw, &Choices { codes, ..choices() }).unwrap();
        let json = serde_json::to_string(&encoding).unwrap();
        assert_eq!(serde_json::from_str::<Encoding>(&json).unwrap(), encoding);
    }
    let wild: Encoding =
        serde_json::from_str(r#"{"columns":[{"name":"a","type":"code","levels":["x"],"fill":3}]}"#)
            .unwrap();
    assert!(!wild.is_sound());
}

#[test]
fn rows_with_missing_cells_can_be_dropped() {
    let raw = table(vec![("a", text(&["1", "", "2"])), ("b", text(&["x", "y", "NA"]))]);
    assert_eq!(rows_without_missing(&raw, &[0, 1]), [0]);
    assert_eq!(rows_without_missing(&raw, &[0]), [0, 2]);
    assert_eq!(raw.take_rows(&[2, 0]).columns[0], text(&["2", "1"]));
}

#[test]
fn ordered_categories_become_ranks() {
    let raw = table(vec![("size", text(&["large", "small", "", "medium", "small"]))]);
    let order = ["small", "medium", "large"].map(String::from).to_vec();
    let categories = CategoryColumns { ordered: vec![(0, order)], ..Default::default() };
    for (missing, codes, expected) in [
        (Missing::Median, false, [2.0, 0.0, 0.0, 1.0, 0.0]),
        (Missing::MostFrequent, true, [1.0, 0.0, 0.0, 0.5, 0.0]),
    ] {
        let choices = Choices { missing, codes, categories: categories.clone(), ..choices() };
        let encoding = Encoding::learn(&raw, &choices).unwrap();
        assert!(encoding.is_sound());
        assert_eq!(encoding.columns[0].missing, 1);
        let (encoded, notes) = encoding.apply(raw.clone()).unwrap();
        assert_eq!(numbers(&encoded), [expected]);
        assert_eq!(notes, ["column \"size\": 1 missing cell filled with \"small\""]);
        let text = serde_json::to_string(&encoding).unwrap();
        assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), encoding);
    }
    let refuse = Choices { missing: Missing::Refuse, categories, ..choices() };
    let faults = Encoding::learn(&raw, &refuse).unwrap_err();
    assert_eq!(faults, [ColumnFault { column: 0, reason: Reason::Missing(vec![2]) }]);
}

#[test]
fn values_outside_an_order_are_faults() {
    let raw = table(vec![("size", text(&["large", "small", "tiny", "tiny"]))]);
    let order = ["small", "large"].map(String::from).to_vec();
    let categories = CategoryColumns { ordered: vec![(0, order)], ..Default::default() };
    let faults = Encoding::learn(&raw, &Choices { categories, ..choices() }).unwrap_err();
    assert_eq!(faults, [ColumnFault { column: 0, reason: Reason::NotInOrder(vec![2, 3]) }]);
}
