//! Rows of a request: JSON, CSV, Arrow, Parquet or NumPy, as a table with the columns that a model needs.

use std::fmt;
use std::path::Path;

use mercer::io::{Column, Format, ReadOptions, Table, parse_table};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::{CellKind, ModelFacts};

/// The types of Arrow tables.
pub(super) const ARROW_STREAM: &str = "application/vnd.apache.arrow.stream";
pub(super) const ARROW_FILE: &str = "application/vnd.apache.arrow.file";

/// Why rows are refused: a status code and what is wrong.
pub(super) type Refusal = (u16, String);

/// The table in `body`, which is of `content_type`. `as_written` says that cells of texts stay as they are, numbers too.
pub(super) fn read(
    content_type: &str,
    body: &[u8],
    max_rows: usize,
    as_written: bool,
) -> Result<Table, Refusal> {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let table = match kind.as_str() {
        "" | "application/json" => from_json(body, max_rows)?,
        "text/csv" => parsed(body, Format::Csv, "body.csv", as_written)?,
        "text/tab-separated-values" => parsed(body, Format::Tsv, "body.tsv", as_written)?,
        ARROW_STREAM | ARROW_FILE => parsed(body, Format::ArrowStream, "body.arrows", false)?,
        "application/vnd.apache.parquet" => parsed(body, Format::Parquet, "body.parquet", false)?,
        "application/x-npy" => parsed(body, Format::Npy, "body.npy", false)?,
        _ => {
            let message = "use application/json, text/csv, text/tab-separated-values, application/vnd.apache.arrow.stream, \
                           application/vnd.apache.parquet or application/x-npy";
            return Err((415, message.into()));
        }
    };
    match table.n_rows() {
        0 => Err((422, "there are no rows".into())),
        rows if rows > max_rows => {
            Err((413, format!("the request has {rows} rows, more than the limit of {max_rows}")))
        }
        _ => Ok(table),
    }
}

/// Bytes that a table may take in memory per byte of the body, and at least.
const GROWTH: u64 = 64;
const LEAST: u64 = 64 << 20;

fn parsed(body: &[u8], format: Format, name: &str, as_written: bool) -> Result<Table, Refusal> {
    let options = ReadOptions {
        format: Some(format),
        as_written,
        max_bytes: (body.len() as u64 * GROWTH).max(LEAST),
        ..ReadOptions::default()
    };
    parse_table(body.to_vec(), Path::new(name), &options).map_err(|error| (422, error.to_string()))
}

/// A cell of JSON.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Missing,
    Number(f64),
    Text(String),
}

/// A row of JSON.
#[derive(Debug)]
enum Row {
    Cells(Vec<Cell>),
    Named(Vec<(String, Cell)>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    rows: Vec<Row>,
}

fn from_json(body: &[u8], max_rows: usize) -> Result<Table, Refusal> {
    let Rows { rows } = serde_json::from_slice(body).map_err(|error| {
        (400, format!("{error}; the body must be like {{\"rows\": [[1, 2], [3, 4]]}} or {{\"rows\": [{{\"x\": 1, \"y\": 2}}]}}"))
    })?;
    if rows.len() > max_rows {
        return Err((
            413,
            format!("the request has {} rows, more than the limit of {max_rows}", rows.len()),
        ));
    }
    match rows.first() {
        None => Err((422, "there are no rows".into())),
        Some(Row::Cells(_)) => by_position(rows),
        Some(Row::Named(_)) => by_name(rows),
    }
}

const MIXED: &str = "rows are either all arrays or all objects";

fn by_position(rows: Vec<Row>) -> Result<Table, Refusal> {
    let mut columns: Vec<Vec<Cell>> = Vec::new();
    for (place, row) in rows.into_iter().enumerate() {
        let Row::Cells(cells) = row else { return Err((422, MIXED.into())) };
        if place == 0 {
            columns.resize_with(cells.len(), Vec::new);
        }
        if cells.len() != columns.len() {
            let (found, first) = (cells.len(), columns.len());
            return Err((
                422,
                format!("row {} has {found} cells, but row 1 has {first}", place + 1),
            ));
        }
        columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
    }
    Ok(Table { columns: columns.into_iter().map(column).collect(), ..Table::default() })
}

fn by_name(rows: Vec<Row>) -> Result<Table, Refusal> {
    let count = rows.len();
    let (mut names, mut columns): (Vec<String>, Vec<Vec<Cell>>) = Default::default();
    let mut places = std::collections::HashMap::new();
    for (row, cells) in rows.into_iter().enumerate() {
        let Row::Named(cells) = cells else { return Err((422, MIXED.into())) };
        for (name, cell) in cells {
            let place = *places.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                columns.push(Vec::with_capacity(count));
                columns.len() - 1
            });
            // Keys that a row leaves out are missing; of equal keys the last counts.
            let column = &mut columns[place];
            column.resize(row, Cell::Missing);
            column.push(cell);
            column.truncate(row + 1);
        }
    }
    columns.iter_mut().for_each(|column| column.resize(count, Cell::Missing));
    Ok(Table::new(names, columns.into_iter().map(column).collect()))
}

/// Numbers if no cell is text.
fn column(cells: Vec<Cell>) -> Column {
    let number = |cell: &Cell| match cell {
        Cell::Missing => Some(f64::NAN),
        Cell::Number(number) => Some(*number),
        Cell::Text(_) => None,
    };
    if let Some(numbers) = cells.iter().map(number).collect() {
        return Column::F64(numbers);
    }
    let text = |cell: Cell| match cell {
        Cell::Missing => String::new(),
        Cell::Number(number) => Column::F64(vec![number]).text(0),
        Cell::Text(text) => text,
    };
    Column::Text(cells.into_iter().map(text).collect())
}

/// The columns of `table` that a model with `facts` needs, in its order.
pub(super) fn matched(table: Table, facts: &ModelFacts) -> Result<Table, Refusal> {
    let needed = &facts.columns;
    let table = match &table.names {
        Some(names) if facts.has_names => {
            let find = |wanted: &super::ColumnFacts| {
                let place = names.iter().position(|name| *name == wanted.name);
                place.ok_or_else(|| {
                    (422, format!("column {:?} is missing; {}", wanted.name, listed(facts)))
                })
            };
            let places = needed.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            table.keep(&places)
        }
        _ if table.n_columns() != needed.len() => {
            let found = table.n_columns();
            return Err((422, format!("the rows have {found} columns; {}", listed(facts))));
        }
        _ => table,
    };
    needed.iter().zip(&table.columns).try_for_each(|(needed, cells)| check(needed, cells))?;
    let names = facts.has_names.then(|| needed.iter().map(|column| column.name.clone()).collect());
    Ok(Table { names, columns: table.columns, ..Table::default() })
}

fn check(needed: &super::ColumnFacts, cells: &Column) -> Result<(), Refusal> {
    let may_be_missing = match needed.kind {
        CellKind::Number => false,
        CellKind::NumberOrMissing => true,
        CellKind::String | CellKind::Encoded => return Ok(()),
    };
    let is_number = |row: &usize| {
        let number = cells.number(*row);
        number.is_some_and(|number| number.is_finite() || may_be_missing && number.is_nan())
    };
    match (0..cells.len()).find(|row| !is_number(row)) {
        None => Ok(()),
        Some(row) => {
            let cell: String = match cells {
                Column::Text(texts) => {
                    format!("{:?}", texts[row].chars().take(40).collect::<String>())
                }
                _ => "missing".into(),
            };
            Err((
                422,
                format!("row {}, column {:?}: {cell}; a number is required", row + 1, needed.name),
            ))
        }
    }
}

fn listed(facts: &ModelFacts) -> String {
    const SHOWN: usize = 20;
    let names = facts.columns.iter().take(SHOWN).map(|column| column.name.as_str());
    let more = if facts.columns.len() > SHOWN { ", …" } else { "" };
    let (count, names) = (facts.columns.len(), names.collect::<Vec<_>>().join(", "));
    format!("the model needs {count} columns: {names}{more}")
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Cell;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a string, true, false or null")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Cell, E> {
                Ok(Cell::Number(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Cell, E> {
                Ok(Cell::Number(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Cell, E> {
                Ok(Cell::Number(value as f64))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Cell, E> {
                Ok(Cell::Text(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Cell, E> {
                Ok(Cell::Text(value.to_owned()))
            }
            fn visit_unit<E>(self) -> Result<Cell, E> {
                Ok(Cell::Missing)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Row;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of cells, or an object with a cell for each column")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<Row, A::Error> {
                let mut row = Vec::new();
                while let Some(cell) = cells.next_element()? {
                    row.push(cell);
                }
                Ok(Row::Cells(row))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut cells: A) -> Result<Row, A::Error> {
                let mut row = Vec::new();
                while let Some(cell) = cells.next_entry()? {
                    row.push(cell);
                }
                Ok(Row::Named(row))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{ColumnFacts, Operation};
    use super::*;

    fn facts(kinds: &[CellKind], has_names: bool) -> ModelFacts {
        let column =
            |(i, kind): (usize, &CellKind)| ColumnFacts { name: format!("c{i}"), kind: *kind };
        ModelFacts {
            operation: Operation::Predict,
            estimator: "svm",
            method: "SVC",
            kernel: None,
            training_rows: 3,
            columns: kinds.iter().enumerate().map(column).collect(),
            has_names,
            classes: None,
        }
    }

    fn json(text: &str) -> Result<Table, Refusal> {
        read("application/json", text.as_bytes(), 3, false)
    }

    #[test]
    fn rows_come_as_arrays_or_objects() {
        let by_name =
            json(r#"{"rows": [{"c1": 2, "x": "a", "c0": 1}, {"c0": 3, "c1": 4.5}]}"#).unwrap();
        let two = facts(&[CellKind::Number; 2], true);
        let found = matched(by_name, &two).unwrap();
        let expected = [Column::F64(vec![1.0, 3.0]), Column::F64(vec![2.0, 4.5])];
        assert_eq!(found.columns, expected);
        let by_place = json(r#"{"rows": [[1, 2], [3, 4.5]]}"#).unwrap();
        assert_eq!(matched(by_place, &two).unwrap().columns, expected);
        let csv = read("text/csv; charset=utf-8", b"c1,c0\n2,1\n4.5,3\n", 9, false).unwrap();
        assert_eq!(matched(csv, &two).unwrap(), found);
        let equal_keys = json(r#"{"rows": [{"a": 1, "a": 2}]}"#).unwrap();
        assert_eq!(equal_keys.columns, [Column::F64(vec![2.0])]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let refused = |text: &str| json(text).unwrap_err();
        assert_eq!(refused("{}").0, 400);
        assert_eq!(refused(r#"{"rows": [[1e999]]}"#).0, 400);
        assert_eq!(refused(r#"{"rows": [], "more": 1}"#).0, 400);
        assert_eq!(refused(r#"{"rows": []}"#), (422, "there are no rows".into()));
        assert_eq!(refused(r#"{"rows": [[1], [1, 2]]}"#).1, "row 2 has 2 cells, but row 1 has 1");
        assert_eq!(refused(r#"{"rows": [[1], {"a": 1}]}"#).1, MIXED);
        assert_eq!(refused(r#"{"rows": [[1], [1], [1], [1]]}"#).0, 413);
        assert_eq!(read("text/xml", b"", 3, false).unwrap_err().0, 415);
        let two = facts(&[CellKind::Number; 2], true);
        let fault = |text: &str| matched(json(text).unwrap(), &two).unwrap_err().1;
        assert_eq!(
            fault(r#"{"rows": [[1]]}"#),
            "the rows have 1 columns; the model needs 2 columns: c0, c1"
        );
        assert!(fault(r#"{"rows": [{"c0": 1}]}"#).starts_with("column \"c1\" is missing"));
        let expected = "row 1, column \"c1\": \"x\"; a number is required";
        assert_eq!(fault(r#"{"rows": [[1, "x"]]}"#), expected);
        assert_eq!(
            fault(r#"{"rows": [[null, 1]]}"#),
            "row 1, column \"c0\": missing; a number is required"
        );
    }

    #[test]
    fn texts_and_encoded_columns_pass() {
        let facts = facts(&[CellKind::String, CellKind::Encoded], false);
        let table =
            matched(json(r#"{"rows": [["a", null], [1.5, true]]}"#).unwrap(), &facts).unwrap();
        let texts = |cells: [&str; 2]| Column::Text(cells.map(String::from).to_vec());
        assert_eq!(table.columns, [texts(["a", "1.5"]), texts(["", "true"])]);
        assert_eq!(table.names, None);
    }

    #[test]
    fn numbers_that_are_filled_may_be_missing() {
        let facts = facts(&[CellKind::NumberOrMissing], true);
        let table = matched(json(r#"{"rows": [[null], [1.5]]}"#).unwrap(), &facts).unwrap();
        assert!(table.columns[0].number(0).unwrap().is_nan());
        let refused = matched(json(r#"{"rows": [["wide"]]}"#).unwrap(), &facts).unwrap_err();
        assert_eq!(refused.1, "row 1, column \"c0\": \"wide\"; a number is required");
    }

    proptest! {
        #[test]
        fn no_body_breaks_the_reader(body in prop::collection::vec(any::<u8>(), 0..300), kind in 0_usize..6) {
            let kinds = ["application/json", "text/csv", "text/tab-separated-values", "application/vnd.apache.parquet",
                "application/x-npy", ARROW_STREAM];
            if let Ok(table) = read(kinds[kind], &body, 1000, body.len() % 2 == 0) {
                prop_assert!(table.n_rows() > 0);
                let _ = matched(table, &facts(&[CellKind::Number, CellKind::Encoded], true));
            }
        }
    }
}
