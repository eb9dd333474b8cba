//! Results as JSON or CSV.

use mercer::io::{Column, Format, Table, encode_table};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use crate::http::{Request, Response};

/// The results of a request.
#[derive(Serialize)]
struct Answer<'a> {
    model: &'a str,
    version: u64,
    columns: &'a [String],
    rows: Rows<'a>,
}

struct Rows<'a>(&'a Table);

struct Row<'a>(&'a Table, usize);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.n_rows()))?;
        (0..self.0.n_rows()).try_for_each(|row| rows.serialize_element(&Row(self.0, row)))?;
        rows.end()
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut cells = serializer.serialize_seq(Some(self.0.n_columns()))?;
        for column in &self.0.columns {
            match column {
                Column::Text(texts) => cells.serialize_element(&texts[self.1])?,
                // The shortest digits that read back as the same number in single precision.
                Column::F32(values) => cells.serialize_element(&values[self.1])?,
                column => cells.serialize_element(&column.number(self.1))?,
            }
        }
        cells.end()
    }
}

/// The response to `request`: CSV if it asks for that, else JSON.
pub(super) fn response(request: &Request, model: &str, version: u64, table: &Table) -> Response {
    let accepted = request.header("accept").unwrap_or_default();
    if accepted.split(',').any(|kind| kind.trim().starts_with("text/csv")) {
        let mut text = Vec::new();
        return match encode_table(Format::Csv, table, &mut text) {
            Ok(()) => Response::ok("text/csv; charset=utf-8", text),
            Err(error) => Response::error(500, &error.to_string()),
        };
    }
    let columns = table.names.as_deref().unwrap_or_default();
    Response::json(&Answer { model, version, columns, rows: Rows(table) })
}
