//! NumPy arrays, `.npy` of format versions 1, 2 and 3: magic, version, length of the header, a Python dictionary as the
//! header, then the plain numbers.

mod blocks;
mod head;

use std::io::{self, Write};
use std::path::Path;

pub(super) use blocks::NpyBlocks;
use head::{Head, parse_head, split_header};

use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::read::{check_size, table_size};
use crate::io::table::Table;

/// Why a compressed array in column order is not read in blocks.
const COLUMN_MAJOR_GZIP: &str =
    "a compressed array in column order cannot be read in blocks: unpack it first";

/// Bytes that a column takes beside its numbers.
const COLUMN: usize = 96;

/// The bytes that every `.npy` file starts with.
pub(in crate::io) const MAGIC: &[u8] = b"\x93NUMPY";

/// Parses an array of one dimension (one column) or two.
pub(super) fn parse(bytes: &[u8], path: &Path, max_bytes: u64) -> Result<Table> {
    let refuse = |message: String| Error::format(path, message);
    let (head, data) = split_header(bytes)
        .and_then(|(text, data)| Ok((parse_head(text)?, data)))
        .map_err(refuse)?;
    let needed = table_size(head.rows, head.columns, head.kind.1);
    if needed != Some(data.len() as u64) {
        let message = head.wrong_size(data.len() as u64);
        return Err(Error::format(path, message));
    }
    let cells = head.rows.checked_mul(size_of::<f64>()).and_then(|each| each.checked_add(COLUMN));
    let table = cells.and_then(|each| table_size(head.columns, 1, each));
    check_size(table.map(|table| table.saturating_add(bytes.len() as u64)), max_bytes)?;
    if head.rows == 0 {
        return Err(Error::format(path, "the array has no rows"));
    }
    Ok(Table { columns: head.columns_of(data), ..Table::default() })
}

impl Head {
    /// What is wrong with a file in which `found` bytes follow the header.
    fn wrong_size(&self, found: u64) -> String {
        format!(
            "the header promises {} × {} numbers of {} bytes, but {found} bytes follow: the file is cut off or damaged",
            self.rows, self.columns, self.kind.1
        )
    }

    /// All columns.
    fn columns_of(&self, data: &[u8]) -> Vec<Column> {
        /// From here on f64 does not count every integer.
        const INEXACT: f64 = (1u64 << 53) as f64;
        if self.kind == (b'f', 4) {
            let columns = self.gather(data, |cell| f32::from_bits(self.bits(cell) as u32));
            return columns.into_iter().map(Column::F32).collect();
        }
        let columns = self.gather(data, |cell| self.number(cell));
        let integers = self.kind.0 != b'f';
        let column = |(index, values): (usize, Vec<f64>)| {
            let inexact = integers && values.iter().any(|value| value.abs() >= INEXACT);
            if inexact { self.long_integers(data, index) } else { Column::F64(values) }
        };
        columns.into_iter().enumerate().map(column).collect()
    }

    /// The bytes of one number.
    fn cell<'a>(&self, data: &'a [u8], row: usize, column: usize) -> &'a [u8] {
        let place =
            if self.fortran { column * self.rows + row } else { row * self.columns + column };
        &data[place * self.kind.1..][..self.kind.1]
    }

    /// Every cell, column by column. Going by blocks of rows touches few pages of memory at a time.
    fn gather<T>(&self, data: &[u8], convert: impl Fn(&[u8]) -> T) -> Vec<Vec<T>> {
        const BLOCK: usize = 64;
        let mut columns: Vec<Vec<T>> =
            (0..self.columns).map(|_| Vec::with_capacity(self.rows)).collect();
        for start in (0..self.rows).step_by(BLOCK) {
            let end = self.rows.min(start + BLOCK);
            for (index, column) in columns.iter_mut().enumerate() {
                column.extend((start..end).map(|row| convert(self.cell(data, row, index))));
            }
        }
        columns
    }

    /// The cell's bits as the low end of an integer.
    fn bits(&self, cell: &[u8]) -> u64 {
        let bits = match *cell {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => unreachable!("numbers take 1, 2, 4 or 8 bytes"),
        };
        let unused = 64 - 8 * cell.len() as u32;
        if self.big_endian { bits.swap_bytes() >> unused } else { bits }
    }

    fn integer(&self, cell: &[u8]) -> i128 {
        let bits = self.bits(cell);
        let unused = 64 - 8 * self.kind.1 as u32;
        match self.kind.0 {
            b'i' => i128::from((bits << unused) as i64 >> unused),
            b'b' => i128::from(bits != 0),
            _ => i128::from(bits),
        }
    }

    fn number(&self, cell: &[u8]) -> f64 {
        if self.kind.0 == b'f' {
            f64::from_bits(self.bits(cell))
        } else {
            self.integer(cell) as f64
        }
    }

    /// A column of integers that may be too long for f64: numbers if all fit, else text.
    fn long_integers(&self, data: &[u8], column: usize) -> Column {
        let whole = |row| self.integer(self.cell(data, row, column));
        let exact = |row| {
            let whole: i128 = whole(row);
            (whole as f64 as i128 == whole).then_some(whole as f64)
        };
        match (0..self.rows).map(exact).collect() {
            Some(values) => Column::F64(values),
            None => Column::Text((0..self.rows).map(|row| whole(row).to_string()).collect()),
        }
    }
}

/// Writes an array of n × d numbers: single precision if every column is, else double. A missing value becomes NaN.
pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    write_header(table, table.n_rows() as u64, 0, out)?;
    write_rows(table, out)
}

/// Writes the header of an array of `rows` rows with the columns of `table`, `least` bytes long or longer; returns its length.
pub(super) fn write_header(
    table: &Table,
    rows: u64,
    least: usize,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let kind = if table.is_f32() { "<f4" } else { "<f8" };
    let shape = (rows, table.n_columns());
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape:?}, }}");
    header.push_str(&" ".repeat(least.saturating_sub(MAGIC.len() + 5 + header.len())));
    // The numbers start at a multiple of 64 bytes; the header ends in a newline.
    let padding = 63 - (MAGIC.len() + 4 + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    // Two sizes of at most twenty digits keep the header far below the 64 KiB that version 1 can count.
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    Ok(MAGIC.len() + 4 + header.len())
}

/// Writes the numbers, row by row.
pub(super) fn write_rows(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let width = if table.is_f32() { 4 } else { 8 };
    let mut line = Vec::with_capacity(width * table.n_columns());
    for row in 0..table.n_rows() {
        line.clear();
        for (index, column) in table.columns.iter().enumerate() {
            let value = column.number(row).ok_or_else(|| refuse_text(table, index))?;
            match width {
                4 => line.extend((value as f32).to_le_bytes()),
                _ => line.extend(value.to_le_bytes()),
            }
        }
        out.write_all(&line)?;
    }
    Ok(())
}

fn refuse_text(table: &Table, column: usize) -> io::Error {
    let message = format!(
        "a NumPy array holds only numbers, but column {:?} holds strings: write .csv or .parquet, or drop the column",
        table.name(column)
    );
    io::Error::new(io::ErrorKind::InvalidData, message)
}
