//! Tables that are read in blocks of rows, from one file or several, as often as needed: never whole.

mod files;
mod rows;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

pub use files::{is_several, table_files};
pub use rows::StreamRows;

use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::read::{Format, GZIP_MAGIC, ReadOptions};
use crate::io::table::Table;
use crate::io::{csv, libsvm, npy};

/// Bytes of numbers that a block has at most, and rows: a multiple of 1,024 that depends on the number of columns alone.
const BLOCK: usize = 2 << 20;
const CHUNK: usize = 1024;
const MOST_ROWS: usize = 64 * CHUNK;

/// A file that is read block by block, once.
pub(super) trait FileBlocks: Send {
    /// A table without rows that has the columns of the file.
    fn head(&self) -> Table;

    /// How many rows there are, if the file says so.
    fn rows(&self) -> Option<u64>;

    /// Reads only the columns at `positions` from now on, in that order.
    fn keep(&mut self, positions: &[usize]);

    /// The next rows, `most` at most; none at the end.
    fn next(&mut self, most: usize) -> Result<Option<Table>>;
}

/// A table in one or several files, in blocks of rows.
pub struct TableStream {
    files: Vec<PathBuf>,
    options: ReadOptions,
    head: Table,
    /// The columns that are read, of all.
    kept: Option<Vec<usize>>,
    rows: Option<u64>,
    /// Rows since the start.
    read: u64,
    libsvm: Option<libsvm::Extent>,
    /// The next file, and the one that is being read.
    next: usize,
    current: Option<Box<dyn FileBlocks>>,
    block_rows: Option<usize>,
}

impl TableStream {
    /// Opens the table at `path`: a file, a directory of files of one format, or a pattern such as `dir/*.parquet`. All files are opened once, so that what
    /// cannot be read, and columns that differ, are found before the first row is.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::of_files(table_files(path)?, options)
    }

    /// Opens the table that consists of these files, in this order.
    pub fn of_files(files: Vec<PathBuf>, options: &ReadOptions) -> Result<Self> {
        let mut stream = Self {
            files,
            options: options.clone(),
            head: Table::default(),
            kept: None,
            rows: Some(0),
            read: 0,
            libsvm: None,
            next: 0,
            current: None,
            block_rows: None,
        };
        stream.libsvm = stream.extent()?;
        for at in 0..stream.files.len() {
            let file = stream.open_file(at)?;
            stream.rows = stream.rows.zip(file.rows()).map(|(all, own)| all + own);
            let head = Table { path: stream.files[at].clone(), ..file.head() };
            match at {
                0 => stream.head = head,
                _ => check_columns(&stream.head, &head)?,
            }
        }
        if stream.rows == Some(0) {
            return Err(Error::format(&stream.files[0], "the table has no rows"));
        }
        Ok(stream)
    }

    /// A table without rows that has the columns of all files, those that are not kept too.
    pub fn head(&self) -> &Table {
        &self.head
    }

    /// The files, in order.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// How many rows there are: known from the files, or after all were read once.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// Reads only the columns at `positions`, in that order. The stream starts again.
    pub fn keep(&mut self, positions: &[usize]) {
        self.kept = Some(positions.to_vec());
        self.rewind();
    }

    /// Has blocks of so many rows, for a test or a caller who knows better.
    pub fn set_block_rows(&mut self, rows: usize) {
        self.block_rows = Some(rows.max(1));
    }

    /// Rows of a block.
    pub fn block_rows(&self) -> usize {
        let columns = self.kept.as_ref().map_or(self.head.n_columns(), Vec::len);
        let rows = BLOCK / (8 * columns.max(1)) / CHUNK * CHUNK;
        self.block_rows.unwrap_or(rows.clamp(CHUNK, MOST_ROWS))
    }

    /// Goes back to the first row.
    pub fn rewind(&mut self) {
        (self.next, self.current, self.read) = (0, None, 0);
    }

    /// The next rows, all of one file; none at the end.
    pub fn next_table(&mut self) -> Result<Option<Table>> {
        loop {
            if self.current.is_none() {
                if self.next == self.files.len() {
                    self.rows.get_or_insert(self.read);
                    return Ok(None);
                }
                let mut file = self.open_file(self.next)?;
                if let Some(kept) = &self.kept {
                    file.keep(kept);
                }
                (self.current, self.next) = (Some(file), self.next + 1);
            }
            let most = self.block_rows();
            let Some(file) = &mut self.current else { continue };
            match file.next(most)? {
                Some(table) => {
                    self.read += table.n_rows() as u64;
                    let path = self.files[self.next - 1].clone();
                    return Ok(Some(Table { path, names: self.names(), ..table }));
                }
                None => self.current = None,
            }
        }
    }

    /// The names of the columns that are read.
    fn names(&self) -> Option<Vec<String>> {
        let names = self.head.names.as_ref()?;
        Some(match &self.kept {
            Some(kept) => kept.iter().map(|&i| names[i].clone()).collect(),
            None => names.clone(),
        })
    }

    fn format(&self, path: &Path, start: &[u8]) -> Format {
        self.options.format.or(Format::of(path)).unwrap_or_else(|| Format::sniff(start))
    }

    /// What all LIBSVM files together hold, which no file says at its beginning.
    fn extent(&self) -> Result<Option<libsvm::Extent>> {
        let mut extent = libsvm::Extent::default();
        for path in &self.files {
            let (start, content) = content(path)?;
            if self.format(path, &start) != Format::Libsvm {
                return Ok(None);
            }
            extent.read(BufReader::new(content), path)?;
        }
        Ok(Some(extent))
    }

    fn open_file(&self, at: usize) -> Result<Box<dyn FileBlocks>> {
        let path = &self.files[at];
        let (start, content) = content(path)?;
        Ok(match self.format(path, &start) {
            Format::Parquet => {
                drop(content);
                parquet_blocks(path, self.options.max_bytes)?
            }
            Format::Npy => Box::new(npy::NpyBlocks::open(path, content, start.is_gzip)?),
            Format::Libsvm => {
                let extent = self.libsvm.clone().unwrap_or_default();
                Box::new(libsvm::LibsvmBlocks::open(path, content, extent))
            }
            format => {
                let is_tabs = format == Format::Tsv;
                let delimiter = self.options.delimiter.or(is_tabs.then_some(b'\t'));
                Box::new(csv::CsvBlocks::open(path, (&start, content), delimiter, &self.options)?)
            }
        })
    }
}

#[cfg(feature = "parquet")]
fn parquet_blocks(path: &Path, max_bytes: u64) -> Result<Box<dyn FileBlocks>> {
    Ok(Box::new(crate::io::parquet::ParquetBlocks::open(path, max_bytes)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet_blocks(path: &Path, _: u64) -> Result<Box<dyn FileBlocks>> {
    Err(Error::format(path, "this build has no Parquet support: convert the table to .csv or .npy"))
}

/// The first bytes of a file's content, as far as guesses about it need them.
pub(super) struct Start {
    bytes: Vec<u8>,
    /// Whether the file is compressed.
    is_gzip: bool,
}

impl std::ops::Deref for Start {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes that are looked at for the format, the separator and the header.
const START: u64 = 1 << 16;

/// The content of a file from its beginning, unpacked, with its first bytes.
fn content(path: &Path) -> Result<(Start, Box<dyn Read + Send>)> {
    let failed = |error: io::Error| Error::file(path, error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() == 0 {
        return Err(Error::format(path, "the file is empty"));
    }
    let (magic, rest) = peeked(BufReader::new(file), GZIP_MAGIC.len() as u64).map_err(failed)?;
    if magic != GZIP_MAGIC {
        let (bytes, all) = peeked(rest, START).map_err(failed)?;
        return Ok((Start { bytes, is_gzip: false }, Box::new(all)));
    }
    let unpacked = BufReader::new(flate2::read::MultiGzDecoder::new(rest));
    let (bytes, all) = peeked(unpacked, START).map_err(|error| damaged_gzip(path, &error))?;
    Ok((Start { bytes, is_gzip: true }, Box::new(all)))
}

/// Why compressed content cannot be read.
pub(super) fn damaged_gzip(path: &Path, error: &io::Error) -> Error {
    Error::format(path, format!("the gzip data is damaged or cut off: {error}"))
}

/// The first bytes of `input`, and all of it.
fn peeked<R: Read + Send + 'static>(
    mut input: R,
    count: u64,
) -> io::Result<(Vec<u8>, impl Read + Send + 'static)> {
    let mut bytes = Vec::new();
    input.by_ref().take(count).read_to_end(&mut bytes)?;
    Ok((bytes.clone(), io::Cursor::new(bytes).chain(input)))
}

/// Refuses a file whose columns are not those of the first one.
fn check_columns(first: &Table, other: &Table) -> Result<()> {
    let before = first.path.display();
    let wrong = |message: String| Err(Error::format(&other.path, message));
    if first.n_columns() != other.n_columns() {
        return wrong(format!(
            "the file has {} columns, but {before} has {}",
            other.n_columns(),
            first.n_columns()
        ));
    }
    for i in 0..first.n_columns() {
        let (name, expected) = (other.name(i), first.name(i));
        if name != expected {
            return wrong(format!("column {} is {name:?}, but {expected:?} in {before}", i + 1));
        }
        let (kind, expected) = (kind(&other.columns[i]), kind(&first.columns[i]));
        if kind != expected {
            return wrong(format!("column {name:?} holds {kind}, but {expected} in {before}"));
        }
    }
    Ok(())
}

/// What a column holds, for messages.
fn kind(column: &Column) -> &'static str {
    match column {
        Column::Text(_) => "text",
        Column::F32(_) => "numbers in single precision",
        Column::F64(_) | Column::Sparse(_) => "numbers",
    }
}
