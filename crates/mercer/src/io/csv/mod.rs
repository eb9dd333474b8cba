//! CSV and TSV.
//!
//! A column is numbers until a cell says otherwise. Most tables never do, and are parsed once without keeping a
//! string; where some cell does, a second pass over the same bytes collects that column's cells as written.

mod blocks;
mod guess;
mod write;

use std::io::ErrorKind;
use std::path::Path;

pub(super) use blocks::CsvBlocks;
use csv::{ByteRecord, ReaderBuilder};
use guess::{Guess, has_decimal_commas, plain_numbers, sniff_delimiter, without_groups};
pub(super) use write::{write, write_header, write_rows};

use crate::error::{Error, Param, Result};
use crate::io::column::{Column, exact_number};
use crate::io::read::{Header, ReadOptions, check_size, table_size};
use crate::io::table::Table;

/// Parses a text table. The separator is sniffed if none is given.
pub(super) fn parse(
    bytes: &[u8],
    path: &Path,
    delimiter: Option<u8>,
    options: &ReadOptions,
) -> Result<Table> {
    let text = Text::new(bytes, path, delimiter)?;
    let (width, most_rows) = text.shape();
    let read =
        (bytes.len() as u64).saturating_add(table_size(width, 1, COLUMN).unwrap_or(u64::MAX));
    let fits = |cells: Option<u64>| {
        check_size(cells.map(|cells| cells.saturating_add(read)), options.max_bytes)
    };
    fits(table_size(width, most_rows, size_of::<f64>()))?;
    let (names, skip, header_is_guess) = text.header(options.header)?;
    let (numbers, lines) = text.numbers(skip, options.as_written, most_rows)?;
    let rows = lines.len();
    let texts = numbers.iter().filter(|column| column.is_none()).count();
    fits(table_size(rows, texts, TEXT_CELL))?;
    let cells = if texts > 0 { text.cells(skip, &numbers, rows)? } else { Vec::new() };
    // In a table with decimal commas a point groups thousands, in columns too that could be read as they are.
    let has_commas = text.delimiter != b',' && cells.iter().any(|cells| has_decimal_commas(cells));
    let grouped = match has_commas && !options.as_written {
        true => {
            fits(table_size(rows, numbers.len(), TEXT_CELL))?;
            text.cells(skip, &vec![None; numbers.len()], rows)?
        }
        false => Vec::new(),
    };
    let mut cells = cells.into_iter();
    let columns = numbers.into_iter().enumerate().map(|(i, column)| match column {
        Some(values) => {
            grouped.get(i).and_then(|cells| without_points(cells)).unwrap_or(Column::F64(values))
        }
        None if options.as_written => Column::Text(cells.next().unwrap_or_default()),
        None => text_column(cells.next().unwrap_or_default(), text.delimiter, has_commas),
    });
    Ok(Table { names, columns: columns.collect(), lines, header_is_guess, ..Table::default() })
}

/// A column of texts, or of numbers that are written in another style.
fn text_column(cells: Vec<String>, delimiter: u8, has_commas: bool) -> Column {
    match plain_numbers(&cells, delimiter, has_commas) {
        None => Column::Text(cells),
        Some(plain) => Column::from_cells(&plain.iter().map(String::as_str).collect::<Vec<_>>()),
    }
}

/// A column of numbers whose points group thousands, if they can do nothing else.
fn without_points(cells: &[String]) -> Option<Column> {
    let plain = without_groups(cells)?;
    Some(Column::from_cells(&plain.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// A column's numbers, as long as all its cells are.
type Numbers = Option<Vec<f64>>;

/// What a short cell of text takes in memory, with its share of the heap.
const TEXT_CELL: usize = 48;

/// Bytes that a column takes beside its cells, while a line is read and in the table.
const COLUMN: usize = 160;

/// The bytes of a text table with all that is needed to go through them again.
struct Text<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    delimiter: u8,
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8], path: &'a Path, delimiter: Option<u8>) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let delimiter = delimiter.unwrap_or_else(|| sniff_delimiter(bytes));
        let text = Self { bytes, path, delimiter };
        text.check()?;
        Ok(text)
    }

    /// Cells of the first line, and the rows that there may be at most: as many as lines, and as many as its separators make.
    fn shape(&self) -> (usize, usize) {
        let mut quoted = false;
        let mut width = 1;
        for &byte in self.bytes {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if !quoted && width > 1 => break,
                byte if byte == self.delimiter && !quoted => width += 1,
                _ => {}
            }
        }
        let ends = self.bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count() + 1;
        let cells = self.bytes.iter().filter(|&&byte| byte == self.delimiter).count() + ends;
        (width, ends.min(cells / width + 1))
    }

    /// Calls `visit` with the index of every row, its first line in the file and its cells. All rows are equally long.
    fn for_each_row(&self, mut visit: impl FnMut(usize, u64, &ByteRecord) -> bool) -> Result<()> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .delimiter(self.delimiter)
            .from_reader(self.bytes);
        let mut record = ByteRecord::new();
        let mut index = 0;
        while reader
            .read_byte_record(&mut record)
            .map_err(|error| explain(&error, self.path, self.delimiter))?
        {
            let line = record.position().map_or(0, csv::Position::line);
            if !visit(index, line, &record) {
                break;
            }
            index += 1;
        }
        Ok(())
    }

    /// Refuses what is no text.
    fn check(&self) -> Result<()> {
        if let Some(place) = self.bytes.iter().position(|&byte| byte == 0) {
            let line = self.line(place);
            let message = format!(
                "line {line} holds a zero byte, so this is not a text table: tables are .csv, .tsv, .npy, .parquet or \
                 .libsvm"
            );
            return Err(Error::format(self.path, message));
        }
        match std::str::from_utf8(self.bytes) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.not_text(error.valid_up_to())),
        }
    }

    /// The line of a byte, counted from 1.
    fn line(&self, place: usize) -> usize {
        self.bytes[..place].iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    /// Says in which cell the byte at `place` stands, which is no UTF-8.
    fn not_text(&self, place: usize) -> Error {
        let mut names: Vec<String> = Vec::new();
        let mut found = None;
        let is_wrong = |cell: &[u8]| std::str::from_utf8(cell).is_err();
        // A row that cannot be read has no cells to look at; the line is known all the same.
        let _ = self.for_each_row(|index, _, record| {
            if index == 0 {
                names = record.iter().map(|name| String::from_utf8_lossy(name).into()).collect();
            }
            found = record.iter().position(is_wrong).map(|column| (index, column));
            found.is_none()
        });
        let column = match found {
            None => String::new(),
            Some((0, column)) => format!(", column {}", column + 1),
            Some((_, column)) => format!(", column {} ({:?})", column + 1, names[column]),
        };
        let line = self.line(place);
        let message =
            format!("line {line}{column} is not UTF-8 text: convert the file to UTF-8 first");
        Error::format(self.path, message)
    }

    /// The names, if the first row holds them, the number of rows to pass over, and whether that may be wrong.
    fn header(&self, header: Header) -> Result<(Option<Vec<String>>, usize, bool)> {
        let mut rows: Vec<ByteRecord> = Vec::new();
        self.for_each_row(|_, _, record| {
            rows.push(record.clone());
            rows.len() < 2
        })?;
        header_of(&rows, header, self.path, self.delimiter)
    }

    /// The columns that hold nothing but numbers, `None` for the others, and the line of every row. With `as_written`
    /// there are no such columns.
    fn numbers(
        &self,
        skip: usize,
        as_written: bool,
        most_rows: usize,
    ) -> Result<(Vec<Numbers>, Vec<u64>)> {
        let mut columns: Vec<Numbers> = Vec::new();
        let mut lines = Vec::new();
        self.for_each_row(|index, line, record| {
            if index < skip {
                return true;
            }
            columns
                .resize_with(record.len(), || (!as_written).then(|| Vec::with_capacity(most_rows)));
            lines.push(line);
            for (column, cell) in columns.iter_mut().zip(record) {
                let Some(values) = column else { continue };
                match exact_number(cell_text(cell)) {
                    Some(value) => values.push(value),
                    None => *column = None,
                }
            }
            true
        })?;
        Ok((columns, lines))
    }

    /// The cells, as written, of the columns that are not numbers.
    fn cells(&self, skip: usize, numbers: &[Numbers], rows: usize) -> Result<Vec<Vec<String>>> {
        let texts: Vec<usize> = (0..numbers.len()).filter(|&i| numbers[i].is_none()).collect();
        let mut cells: Vec<Vec<String>> = texts.iter().map(|_| Vec::with_capacity(rows)).collect();
        self.for_each_row(|index, _, record| {
            if index >= skip {
                for (column, &i) in cells.iter_mut().zip(&texts) {
                    column.push(cell_text(&record[i]).to_owned());
                }
            }
            true
        })?;
        Ok(cells)
    }
}

/// As [`Text::header`], given the first two rows of the file at `path`.
fn header_of(
    rows: &[ByteRecord],
    header: Header,
    path: &Path,
    delimiter: u8,
) -> Result<(Option<Vec<String>>, usize, bool)> {
    let Some(first) = rows.first() else {
        return Err(Error::format(path, "the file has only blank lines"));
    };
    let guess = match header {
        Header::Present => Guess::Names,
        Header::Absent => Guess::Data,
        Header::Auto => guess::header(first, rows.get(1), delimiter),
    };
    if guess == Guess::Unknown {
        let cells: Vec<&str> = first.iter().take(6).map(cell_text).collect();
        let message = format!(
            "the first line of {} ({}) may hold column names or data: say which (yes or no)",
            path.display(),
            cells.join(",")
        );
        return Err(Error::parameter(Param::Header, message));
    }
    if guess == Guess::Data {
        return Ok((None, 0, false));
    }
    if rows.len() < 2 {
        return Err(Error::format(path, "the file has a header but no rows below it"));
    }
    Ok((Some(names_of(first)), 1, guess == Guess::PerhapsNames))
}

/// The cells of a header.
fn names_of(header: &ByteRecord) -> Vec<String> {
    header.iter().map(|name| cell_text(name).trim().to_owned()).collect()
}

/// What is wrong with a row of the file at `path`.
fn explain(error: &csv::Error, path: &Path, delimiter: u8) -> Error {
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!(
                "line {line} has {len} cells, but the lines before have {expected_len}: correct the line, or \
                 check the separator (taken to be {:?})",
                char::from(delimiter)
            )
        }
        // What decompression says.
        csv::ErrorKind::Io(cause)
            if matches!(
                cause.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData
            ) =>
        {
            format!("the compressed data is damaged or cut off: {cause}")
        }
        _ => error.to_string(),
    };
    Error::format(path, message)
}

/// The text was checked as a whole, so a cell (quotes removed) is text too.
fn cell_text(cell: &[u8]) -> &str {
    std::str::from_utf8(cell).unwrap_or_default()
}
