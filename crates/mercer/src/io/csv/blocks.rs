//! A text table in blocks of rows. Columns are numbers or texts by the cells of each block; numbers with thousands separators or decimal commas stay texts, since
//! one block does not say in which style a column is written.

use std::io::Read;
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord};

use super::guess::{self, Guess};
use super::{explain, header_of, names_of, sniff_delimiter};
use crate::error::{Error, Result};
use crate::io::column::{Column, exact_number};
use crate::io::read::{Header, ReadOptions};
use crate::io::stream::{FileBlocks, Start};
use crate::io::table::Table;

/// A text table and the place in it.
pub(in crate::io) struct CsvBlocks {
    path: PathBuf,
    reader: Reader<Box<dyn Read + Send>>,
    delimiter: u8,
    as_written: bool,
    names: Option<Vec<String>>,
    header_is_guess: bool,
    /// Records that were read to look at them.
    waiting: Vec<StringRecord>,
    /// Bytes of the last record: the next one will be about as long.
    size: usize,
    kept: Vec<usize>,
    rows: u64,
}

impl CsvBlocks {
    /// A table with its first bytes and all of its content. One of several files may have a header and no rows; `part` are the names of the files before
    /// it, none before the first.
    pub(in crate::io) fn open(
        path: &Path,
        (start, mut content): (&Start, Box<dyn Read + Send>),
        delimiter: Option<u8>,
        options: &ReadOptions,
        part: Option<&[String]>,
    ) -> Result<Self> {
        let mark = b"\xef\xbb\xbf";
        if start.starts_with(mark) {
            let skipped = content.read_exact(&mut [0; 3]);
            skipped.map_err(|error| Error::file(path, error))?;
        }
        let bytes = start.strip_prefix(mark).unwrap_or(start);
        let delimiter = delimiter.unwrap_or_else(|| sniff_delimiter(bytes));
        let reader =
            ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(content);
        let mut blocks = Self {
            path: path.to_owned(),
            reader,
            delimiter,
            as_written: options.as_written,
            names: None,
            header_is_guess: false,
            waiting: Vec::new(),
            size: 0,
            kept: Vec::new(),
            rows: 0,
        };
        let mut first: Vec<StringRecord> = Vec::new();
        while first.len() < 2
            && let Some(record) = blocks.record()?
        {
            first.push(record);
        }
        let bytes: Vec<ByteRecord> = first.iter().map(|one| one.as_byte_record().clone()).collect();
        let is_header = match (part, bytes.as_slice()) {
            (Some(names), [header, ..]) if names_of(header) == names => true,
            (Some([]), [header]) => is_header_alone(header, options.header, delimiter),
            _ => false,
        };
        let (names, skip, is_guess) = match is_header {
            true => (Some(names_of(&bytes[0])), 1, false),
            false => header_of(&bytes, options.header, path, delimiter)?,
        };
        (blocks.names, blocks.header_is_guess) = (names, is_guess);
        blocks.kept = (0..first[0].len()).collect();
        blocks.waiting = first.drain(skip..).rev().collect();
        Ok(blocks)
    }

    /// The next record, which is text. It is looked through once, and its cells are not again.
    fn record(&mut self) -> Result<Option<StringRecord>> {
        if let Some(record) = self.waiting.pop() {
            return Ok(Some(record));
        }
        let mut record = ByteRecord::with_capacity(self.size + self.size / 8, self.kept.len());
        let found = self.reader.read_byte_record(&mut record);
        if !found.map_err(|error| explain(&error, &self.path, self.delimiter))? {
            return Ok(None);
        }
        self.size = record.as_slice().len();
        let line = line(&record);
        let fault = match StringRecord::from_byte_record(record) {
            Err(_) => "is not UTF-8 text: convert the file to UTF-8 first",
            Ok(record) if record.as_slice().contains('\0') => {
                "holds a zero byte, so this is not a text table"
            }
            Ok(record) => return Ok(Some(record)),
        };
        Err(Error::format(&self.path, format!("line {line} {fault}")))
    }

    fn column(&self, records: &[StringRecord], index: usize) -> Column {
        let cells = || records.iter().map(|record| &record[index]);
        let numbers = || cells().map(exact_number).collect::<Option<Vec<f64>>>();
        match (!self.as_written).then(numbers).flatten() {
            Some(values) => Column::F64(values),
            None => Column::Text(cells().map(str::to_owned).collect()),
        }
    }
}

/// Whether the only line of the first of several files holds names.
fn is_header_alone(line: &ByteRecord, header: Header, delimiter: u8) -> bool {
    match header {
        Header::Present => true,
        Header::Absent => false,
        Header::Auto => {
            matches!(guess::header(line, None, delimiter), Guess::Names | Guess::PerhapsNames)
        }
    }
}

fn line(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

impl FileBlocks for CsvBlocks {
    fn head(&self) -> Table {
        let first = self.waiting.last().map(std::slice::from_ref).unwrap_or_default();
        let empty = |index: usize| match self.column(first, index) {
            Column::Text(_) if self.as_written => Column::Text(Vec::new()),
            // A missing number is text, too: only the rows can tell.
            _ => Column::F64(Vec::new()),
        };
        let columns = (0..self.kept.len()).map(empty).collect();
        let (names, header_is_guess) = (self.names.clone(), self.header_is_guess);
        Table { names, columns, header_is_guess, ..Table::default() }
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn is_empty(&self) -> bool {
        self.rows == 0 && self.waiting.is_empty()
    }

    fn keep(&mut self, positions: &[usize]) {
        self.kept = positions.to_vec();
    }

    fn next(&mut self, most: usize) -> Result<Option<Table>> {
        let mut records = Vec::new();
        while records.len() < most
            && let Some(record) = self.record()?
        {
            records.push(record);
        }
        if records.is_empty() {
            return Ok(None);
        }
        let columns = self.kept.iter().map(|&index| self.column(&records, index)).collect();
        let lines = records.iter().map(|record| line(record.as_byte_record())).collect();
        let start = self.rows;
        self.rows += records.len() as u64;
        Ok(Some(Table { columns, lines, start, ..Table::default() }))
    }
}
