//! Writing CSV and TSV.

use std::io::{self, Write};

use crate::io::table::Table;

/// Writes a table with a header.
pub(in crate::io) fn write(table: &Table, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    write_header(table, delimiter, out)?;
    write_rows(table, delimiter, out)
}

/// Writes the names of the columns.
pub(in crate::io) fn write_header(
    table: &Table,
    delimiter: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    for column in 0..table.n_columns() {
        push_cell(&mut line, delimiter, |line| line.push_str(&table.name(column)));
    }
    end_line(&mut line, out)
}

/// Writes the rows.
pub(in crate::io) fn write_rows(
    table: &Table,
    delimiter: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    for row in 0..table.n_rows() {
        for column in &table.columns {
            push_cell(&mut line, delimiter, |line| column.push_text(row, line));
        }
        end_line(&mut line, out)?;
    }
    Ok(())
}

/// Appends one cell and the separator behind it.
///
/// A cell is quoted if any separator is in it, not only the one in use: so a reader that guesses the separator, as this
/// one does, guesses right.
fn push_cell(line: &mut String, delimiter: u8, push: impl FnOnce(&mut String)) {
    let start = line.len();
    push(line);
    let cell = &line[start..];
    let special = |byte: &u8| matches!(byte, b',' | b';' | b'\t' | b'"' | b'\n' | b'\r');
    // Unquoted, at the beginning of the file, it would be read as the file's byte order mark.
    let marked = cell.starts_with('\u{feff}');
    if cell.is_empty() || marked || cell.as_bytes().iter().any(special) {
        let quoted = format!("\"{}\"", cell.replace('"', "\"\""));
        line.replace_range(start.., &quoted);
    }
    line.push(char::from(delimiter));
}

/// Writes the line without its last separator, and empties it.
fn end_line(line: &mut String, out: &mut dyn Write) -> io::Result<()> {
    line.pop();
    line.push('\n');
    out.write_all(line.as_bytes())?;
    line.clear();
    Ok(())
}
