//! Tables that are read in blocks of rows, from one file or several, as often as needed: never whole.

mod ahead;
mod content;
mod cursor;
mod files;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub(in crate::io) use ahead::table_bytes;
pub(in crate::io) use content::Start;
pub use files::{is_several, table_files};
pub use rows::StreamRows;

use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::read::ReadOptions;
use crate::io::table::Table;
use ahead::Ahead;
use content::size;
use cursor::{Cursor, Parts};

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

/// A table in one or several files, in blocks of rows. While one is worked on, the next ones are read.
pub struct TableStream {
    parts: Arc<Parts>,
    head: Table,
    /// The columns that are read, of all.
    kept: Option<Vec<usize>>,
    rows: Option<u64>,
    /// Rows since the start, and the share of the table that they are.
    read: u64,
    share: Option<f64>,
    block_rows: Option<usize>,
    /// Columns that results of a block have.
    results: usize,
    /// Of a source that can be read only once: whether that was begun.
    once: Option<bool>,
    /// Its file, whose beginning was read when it was opened, and the bytes that were read of it.
    waiting: Option<Opened>,
    /// The place in the table; none before the first row.
    pass: Option<Pass>,
}

/// An open file, and the bytes that were read of it.
type Opened = (Box<dyn FileBlocks>, Arc<AtomicU64>);

/// A place in a table: on this thread, or on one that reads ahead.
enum Pass {
    Here(Box<Cursor>),
    Ahead(Ahead),
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
            let message = "is not a regular file and can be read only once: pass it alone";
            return Err(Error::format(&files[at], message));
        }
        let mut parts = Parts {
            files,
            is_once: sizes.contains(&None),
            sizes: sizes.into_iter().flatten().collect(),
            options: options.clone(),
            names: None,
            libsvm: None,
        };
        if !parts.is_once {
            parts.libsvm = parts.extent()?;
        }
        let Heads { head, rows, last } = Heads::of(&mut parts)?;
        let once = parts.is_once.then_some(false);
        let mut stream = Self {
            parts: Arc::new(parts),
            head,
            kept: None,
            rows,
            read: 0,
            share: None,
            block_rows: None,
            results: 0,
            once,
            waiting: last.filter(|_| once.is_some()),
            pass: None,
        };
        stream.rewind();
        Ok(stream)
    }

    /// Whether the table can be read only once, as a pipe can.
    pub fn is_once(&self) -> bool {
        self.once.is_some()
    }

    /// Refuses more passes than the table allows.
    pub fn check_passes(&self, passes: usize) -> Result<()> {
        match self.once {
            Some(begun) if begun || passes > 1 => Err(read_once(&self.parts.files[0])),
            _ => Ok(()),
        }
    }

    /// The share of the table that was read since the last rewind, by bytes.
    pub fn share(&self) -> Option<f64> {
        self.share
    }

    /// A table without rows that has the columns of all files, those that are not kept too.
    pub fn head(&self) -> &Table {
        &self.head
    }

    /// The files, in order.
    pub fn files(&self) -> &[PathBuf] {
        &self.parts.files
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

    /// Has blocks of so many rows, for a test or a caller who knows better. The stream starts again.
    pub fn set_block_rows(&mut self, rows: usize) {
        self.block_rows = Some(rows.max(1));
        self.rewind();
    }

    /// Has blocks that are small enough for results of so many columns. The stream starts again.
    pub fn set_results(&mut self, columns: usize) {
        self.results = columns;
        self.rewind();
    }

    /// Rows of a block.
    pub fn block_rows(&self) -> usize {
        let columns = self.columns().max(self.results).max(1);
        let rows = BLOCK / (8 * columns) / CHUNK * CHUNK;
        self.block_rows.unwrap_or(rows.clamp(CHUNK, MOST_ROWS))
    }

    /// How many columns are read.
    fn columns(&self) -> usize {
        self.kept.as_ref().map_or(self.head.n_columns(), Vec::len)
    }

    /// Goes back to the first row.
    pub fn rewind(&mut self) {
        (self.pass, self.read) = (None, 0);
        self.share = (self.parts.sizes.iter().sum::<u64>() > 0).then_some(0.0);
    }

    /// The next rows, all of one file; none at the end.
    pub fn next_table(&mut self) -> Result<Option<Table>> {
        if self.pass.is_none() {
            self.pass = Some(self.begin()?);
        }
        let found = match &mut self.pass {
            None => None,
            Some(Pass::Here(cursor)) => cursor.next()?.map(|table| (table, cursor.share())),
            Some(Pass::Ahead(ahead)) => ahead.next()?,
        };
        let Some((table, share)) = found else {
            self.rows.get_or_insert(self.read);
            self.share = self.share.map(|_| 1.0);
            return Ok(None);
        };
        self.read += table.n_rows() as u64;
        self.share = share;
        Ok(Some(Table { names: self.names(), ..table }))
    }

    /// Begins at the first row.
    fn begin(&mut self) -> Result<Pass> {
        let (parts, kept, rows) = (self.parts.clone(), self.kept.clone(), self.block_rows());
        let cursor = move || Cursor::new(parts, kept, rows);
        match self.once {
            None if self.rows.is_some_and(|all| all <= rows as u64) => {}
            None => {
                let bytes = (rows as u64).saturating_mul(8 * self.columns() as u64);
                if let Some(ahead) = Ahead::begin(cursor.clone(), bytes) {
                    return Ok(Pass::Ahead(ahead));
                }
            }
            Some(false) => {
                self.once = Some(true);
                let waiting = self.waiting.take();
                let (file, bytes) = waiting.ok_or_else(|| read_once(&self.parts.files[0]))?;
                return Ok(Pass::Here(Box::new(cursor().with_first(file, bytes))));
            }
            Some(true) => return Err(read_once(&self.parts.files[0])),
        }
        Ok(Pass::Here(Box::new(cursor())))
    }

    /// The names of the columns that are read.
    fn names(&self) -> Option<Vec<String>> {
        let names = self.head.names.as_ref()?;
        Some(match &self.kept {
            Some(kept) => kept.iter().map(|&i| names[i].clone()).collect(),
            None => names.clone(),
        })
    }
}

/// What the beginnings of all files say.
struct Heads {
    head: Table,
    rows: Option<u64>,
    /// The last file as it was opened.
    last: Option<Opened>,
}

impl Heads {
    fn of(parts: &mut Parts) -> Result<Self> {
        let mut found = Self { head: Table::default(), rows: Some(0), last: None };
        let mut known: Option<bool> = None;
        for at in 0..parts.files.len() {
            let bytes = Arc::default();
            let file = parts.open(at, &bytes)?;
            found.rows = found.rows.zip(file.rows()).map(|(all, own)| all + own);
            let head = Table { path: parts.files[at].clone(), ..file.head() };
            let is_empty = file.is_empty();
            if let Some(has_rows) = known {
                // Without rows, the types of columns are unknown.
                check_columns(&found.head, &head, has_rows && !is_empty)?;
            }
            if known.is_none_or(|has_rows| !has_rows && !is_empty) {
                (found.head, known) = (head, Some(!is_empty));
                parts.names.clone_from(&found.head.names);
            }
            found.last = Some((file, bytes));
        }
        match known {
            Some(true) => Ok(found),
            _ => Err(Error::format(&parts.files[0], "the table has no rows")),
        }
    }
}

fn read_once(path: &Path) -> Error {
    Error::format(
        path,
        "can be read only once, but is read several times: write it to a file first",
    )
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
