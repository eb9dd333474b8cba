//! Results as JSON, CSV or Arrow.

use mercer::io::{Column, Format, Table, encode_table};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::rows::{ARROW_FILE, ARROW_STREAM};
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

/// What a request may ask for instead of JSON.
const FORMATS: [(&str, &str, Format); 3] = [
    ("text/csv", "text/csv; charset=utf-8", Format::Csv),
    (ARROW_STREAM, ARROW_STREAM, Format::ArrowStream),
    (ARROW_FILE, ARROW_FILE, Format::Arrow),
];

/// The response to `request`: as it asks for, JSON if it says nothing that is known.
pub(super) fn response(request: &Request, model: &str, version: u64, table: &Table) -> Response {
    let accepted = request.header("accept").unwrap_or_default();
    let wanted = accepted.split(',').map(|kind| kind.split(';').next().unwrap_or_default().trim());
    let known = |kind: &str| FORMATS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(kind));
    if let Some((_, content_type, format)) = wanted.filter_map(known).next() {
        let mut bytes = Vec::new();
        return match encode_table(*format, table, &mut bytes) {
            Ok(()) => Response::ok(content_type, bytes),
            Err(error) => Response::error(500, &error.to_string()),
        };
    }
    let columns = table.names.as_deref().unwrap_or_default();
    Response::json(&Answer { model, version, columns, rows: Rows(table) })
}
