//! From columns to an Arrow file, or a stream.

use std::io::{self, ErrorKind, Write};
use std::ops::Range;

use super::build::{Build, Slot};
use super::{MAGIC, MESSAGE, ROWS, SCHEMA};
use crate::io::column::Column;
use crate::io::table::Table;

/// Rows of a batch.
const BATCH: usize = 1 << 16;
/// The version of the metadata that is written: 1.0 of the format.
const VERSION: Slot = Slot::I16(4);

/// Writes a table: a file with an index at its end, or a stream.
pub(in crate::io) fn write(table: &Table, is_file: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::new(out, table, is_file)?;
    writer.rows(table)?;
    writer.finish()
}

/// A file that rows are written to, piece by piece.
pub(in crate::io) struct Writer<W: Write> {
    out: W,
    written: i64,
    is_file: bool,
    columns: Vec<(String, Kind)>,
    /// Place, length of metadata and length of body of each batch.
    batches: Vec<[i64; 3]>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Single,
    Double,
    Text,
}

impl<W: Write> Writer<W> {
    /// A file with the columns of `table`.
    pub fn new(out: W, table: &Table, is_file: bool) -> io::Result<Self> {
        let kind = |column: &Column| match column {
            Column::F64(_) | Column::Sparse(_) => Kind::Double,
            Column::F32(_) => Kind::Single,
            Column::Text(_) => Kind::Text,
        };
        let columns = table.columns.iter().enumerate();
        let columns = columns.map(|(i, column)| (table.name(i), kind(column))).collect();
        let mut writer = Self { out, written: 0, is_file, columns, batches: Vec::new() };
        if is_file {
            writer.put(MAGIC)?;
            writer.put(&[0; 2])?;
        }
        let (mut build, root) = Build::new(&message(SCHEMA, 0));
        writer.schema(&mut build, root.slot(2));
        writer.message(build, &[])?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as i64;
        self.out.write_all(bytes)
    }

    /// A message with its body: the length of the first part.
    fn message(&mut self, build: Build, body: &[u8]) -> io::Result<usize> {
        let metadata = build.finish();
        self.put(&MESSAGE)?;
        self.put(&(metadata.len() as u32).to_le_bytes())?;
        self.put(&metadata)?;
        self.put(body)?;
        Ok(8 + metadata.len())
    }

    /// The schema, to which `from` points.
    fn schema(&self, build: &mut Build, from: usize) {
        let schema = build.table(from, &[Slot::I16(0), Slot::Offset]);
        let places = build.tables(schema.slot(1), self.columns.len());
        for (place, (name, kind)) in places.into_iter().zip(&self.columns) {
            let number = if *kind == Kind::Text { 5 } else { 3 };
            let slots = [
                Slot::Offset,
                Slot::U8(1),
                Slot::U8(number),
                Slot::Offset,
                Slot::None,
                Slot::Offset,
            ];
            let field = build.table(place, &slots);
            build.text(field.slot(0), name);
            build.table(
                field.slot(3),
                match kind {
                    Kind::Text => &[],
                    Kind::Single => &[Slot::I16(1)],
                    Kind::Double => &[Slot::I16(2)],
                },
            );
            build.tables(field.slot(5), 0);
        }
    }

    /// Writes the rows of a table with the same columns.
    pub fn rows(&mut self, table: &Table) -> io::Result<()> {
        for start in (0..table.n_rows()).step_by(BATCH) {
            self.batch(table, start..table.n_rows().min(start + BATCH))?;
        }
        Ok(())
    }

    fn batch(&mut self, table: &Table, rows: Range<usize>) -> io::Result<()> {
        let (mut body, mut buffers) = (Vec::new(), Vec::new());
        for ((name, kind), column) in self.columns.iter().zip(&table.columns) {
            // No bits of what is missing: numbers say so themselves, and empty texts stay empty.
            buffers.push([body.len() as i64, 0]);
            match kind {
                Kind::Text => texts(column, rows.clone(), &mut body, &mut buffers)?,
                kind => {
                    let is_single = *kind == Kind::Single;
                    let cell = |row| number(column, row, name);
                    buffer(&mut body, &mut buffers, |body| {
                        rows.clone().try_for_each(|row| {
                            match is_single {
                                true => body.extend((cell(row)? as f32).to_le_bytes()),
                                false => body.extend(cell(row)?.to_le_bytes()),
                            }
                            Ok(())
                        })
                    })?;
                }
            }
        }
        let (mut build, root) = Build::new(&message(ROWS, body.len() as i64));
        let count = rows.len() as i64;
        let batch = build.table(root.slot(2), &[Slot::I64(count), Slot::Offset, Slot::Offset]);
        build.structs(batch.slot(1), &vec![[count, 0]; self.columns.len()]);
        build.structs(batch.slot(2), &buffers);
        let start = self.written;
        let length = self.message(build, &body)?;
        self.batches.push([start, length as i64, body.len() as i64]);
        Ok(())
    }

    /// Marks the end.
    pub fn finish(mut self) -> io::Result<()> {
        self.put(&MESSAGE)?;
        self.put(&[0; 4])?;
        if self.is_file {
            let slots = [VERSION, Slot::Offset, Slot::Offset, Slot::Offset];
            let (mut build, root) = Build::new(&slots);
            self.schema(&mut build, root.slot(1));
            build.structs::<3>(root.slot(2), &[]);
            build.structs(root.slot(3), &self.batches);
            let footer = build.finish();
            self.put(&footer)?;
            self.put(&(footer.len() as u32).to_le_bytes())?;
            self.put(MAGIC)?;
        }
        self.out.flush()
    }
}

/// The fields of a message.
fn message(kind: u8, body: i64) -> [Slot; 4] {
    [VERSION, Slot::U8(kind), Slot::Offset, Slot::I64(body)]
}

fn number(column: &Column, row: usize, name: &str) -> io::Result<f64> {
    column.number(row).ok_or_else(|| {
        let message = format!(
            "column {name:?} holds numbers in the first rows and text in later ones: write .csv"
        );
        io::Error::new(ErrorKind::InvalidData, message)
    })
}

/// Appends a buffer that `fill` writes, and notes its place.
fn buffer(
    body: &mut Vec<u8>,
    buffers: &mut Vec<[i64; 2]>,
    fill: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> io::Result<()> {
    let start = body.len();
    fill(body)?;
    buffers.push([start as i64, (body.len() - start) as i64]);
    body.resize(body.len().next_multiple_of(8), 0);
    Ok(())
}

/// The places of texts, and their letters.
fn texts(
    column: &Column,
    rows: Range<usize>,
    body: &mut Vec<u8>,
    buffers: &mut Vec<[i64; 2]>,
) -> io::Result<()> {
    let mut letters = String::new();
    buffer(body, buffers, |body| {
        body.extend(0_i32.to_le_bytes());
        for row in rows {
            column.push_text(row, &mut letters);
            let end = i32::try_from(letters.len()).map_err(|_| {
                io::Error::new(
                    ErrorKind::InvalidData,
                    "the texts are too long for an Arrow table: write .csv",
                )
            })?;
            body.extend(end.to_le_bytes());
        }
        Ok(())
    })?;
    buffer(body, buffers, |body| {
        body.extend(letters.as_bytes());
        Ok(())
    })
}
