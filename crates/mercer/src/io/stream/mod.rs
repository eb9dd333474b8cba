//! Tables that are read in blocks of rows, from one file or several, as often as needed: never whole.

mod files;
mod rows;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

    /// Whether a file that was just opened is known to have no rows.
    fn is_empty(&self) -> bool {
        self.rows() == Some(0)
    }

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
    /// Bytes of each file, and of those read so far of the one that is being read.
    sizes: Vec<u64>,
    bytes: Arc<AtomicU64>,
    /// Of a source that can be read only once: whether that was begun, and the file, whose beginning was read when it was opened.
    once: Option<bool>,
    waiting: Option<Box<dyn FileBlocks>>,
}

impl TableStream {
    /// Opens the table at `path`: a file, a directory of files of one format, or a pattern such as `dir/*.parquet`. All files are opened once, so that what
    /// cannot be read, and columns that differ, are found before the first row is.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::of_files(table_files(path)?, options)
    }

    /// Opens the table that consists of these files, in this order.
    pub fn of_files(files: Vec<PathBuf>, options: &ReadOptions) -> Result<Self> {
        let sizes = files.iter().map(|path| size(path)).collect::<Result<Vec<Option<u64>>>>()?;
        if let (Some(at), true) = (sizes.iter().position(Option::is_none), files.len() > 1) {
            let message = "is no regular file and can be read only once: give it alone";
            return Err(Error::format(&files[at], message));
        }
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
            once: sizes.contains(&None).then_some(false),
            sizes: sizes.into_iter().flatten().collect(),
            bytes: Arc::default(),
            waiting: None,
        };
        if stream.once.is_none() {
            stream.libsvm = stream.extent()?;
        }
        stream.look()?;
        Ok(stream)
    }

    /// Looks at the heads of all files.
    fn look(&mut self) -> Result<()> {
        let mut known: Option<bool> = None;
        for at in 0..self.files.len() {
            let file = self.open_file(at)?;
            self.rows = self.rows.zip(file.rows()).map(|(all, own)| all + own);
            let head = Table { path: self.files[at].clone(), ..file.head() };
            let is_empty = file.is_empty();
            if let Some(has_rows) = known {
                // Without rows, nothing tells what columns hold.
                check_columns(&self.head, &head, has_rows && !is_empty)?;
            }
            if known.is_none_or(|has_rows| !has_rows && !is_empty) {
                (self.head, known) = (head, Some(!is_empty));
            }
            if self.once.is_some() {
                self.waiting = Some(file);
            }
        }
        match known {
            Some(true) => Ok(()),
            _ => Err(Error::format(&self.files[0], "the table has no rows")),
        }
    }

    /// Whether the table can be read only once, as a pipe can.
    pub fn is_once(&self) -> bool {
        self.once.is_some()
    }

    /// Refuses more passes than the table allows.
    pub fn check_passes(&self, passes: usize) -> Result<()> {
        match self.once {
            Some(begun) if begun || passes > 1 => Err(read_once(&self.files[0])),
            _ => Ok(()),
        }
    }

    /// The share of the table that was read since the last rewind, by bytes.
    pub fn share(&self) -> Option<f64> {
        let all: u64 = self.sizes.iter().sum();
        let before: u64 = self.sizes.iter().take(self.next.saturating_sub(1)).sum();
        let own = if self.next == 0 { 0 } else { self.bytes.load(Ordering::Relaxed) };
        (all > 0).then(|| ((before + own) as f64 / all as f64).min(1.0))
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
                let mut file = self.first_or_next()?;
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

    /// The next file; one that can be read only once was opened before.
    fn first_or_next(&mut self) -> Result<Box<dyn FileBlocks>> {
        match self.once {
            None => self.open_file(self.next),
            Some(false) => {
                self.once = Some(true);
                self.waiting.take().ok_or_else(|| read_once(&self.files[0]))
            }
            Some(true) => Err(read_once(&self.files[0])),
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
            let (start, content) = content(path, Arc::default())?;
            if self.format(path, &start) != Format::Libsvm {
                return Ok(None);
            }
            extent.read(BufReader::new(content), path)?;
        }
        Ok(Some(extent))
    }

    fn open_file(&self, at: usize) -> Result<Box<dyn FileBlocks>> {
        let path = &self.files[at];
        let (start, content) = content(path, self.bytes.clone())?;
        Ok(match self.format(path, &start) {
            format @ (Format::Parquet | Format::Libsvm) if self.once.is_some() => {
                let message = format!(
                    "{format:?} tables are read in several places, which a pipe cannot be: write it to a file first"
                );
                return Err(Error::format(path, message));
            }
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
                let content = (&start, content);
                let names = self.head.names.as_deref().unwrap_or_default();
                let part = (self.files.len() > 1).then_some(names);
                Box::new(csv::CsvBlocks::open(path, content, delimiter, &self.options, part)?)
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

/// The bytes of a file; none of what can be read only once, as a pipe can.
fn size(path: &Path) -> Result<Option<u64>> {
    let meta = std::fs::metadata(path).map_err(|error| Error::file(path, error))?;
    Ok(meta.is_file().then_some(meta.len()))
}

fn read_once(path: &Path) -> Error {
    Error::format(
        path,
        "can be read only once, but is read several times: write it to a file first",
    )
}

/// A file whose bytes are counted as they are read.
struct Counted {
    file: File,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// The content of a file from its beginning, unpacked, with its first bytes. `bytes` counts what was read of it.
fn content(path: &Path, bytes: Arc<AtomicU64>) -> Result<(Start, Box<dyn Read + Send>)> {
    let failed = |error: io::Error| Error::file(path, error);
    bytes.store(0, Ordering::Relaxed);
    let file = File::open(path).map_err(failed)?;
    let file = Counted { file, bytes };
    let (magic, rest) = peeked(BufReader::new(file), GZIP_MAGIC.len() as u64).map_err(failed)?;
    if magic.is_empty() {
        return Err(Error::format(path, "the file is empty: remove it if it is to hold no rows"));
    }
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

/// Refuses a file whose columns are not those of the first one; where both have rows, what they hold too.
fn check_columns(first: &Table, other: &Table, have_rows: bool) -> Result<()> {
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
        if have_rows && kind != expected {
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
