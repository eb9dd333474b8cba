//! A place in a table of one or several files: the next rows are read from there.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::FileBlocks;
use super::content::content;
use crate::error::{Error, Result};
use crate::io::read::{Format, ReadOptions};
use crate::io::table::Table;
use crate::io::{arrow, csv, libsvm, npy};

/// The files of a table, and what is known of them before they are read.
#[derive(Clone)]
pub(super) struct Parts {
    pub files: Vec<PathBuf>,
    /// Bytes of each file; none of one that can be read only once.
    pub sizes: Vec<u64>,
    pub options: ReadOptions,
    /// The names of the columns.
    pub names: Option<Vec<String>>,
    pub libsvm: Option<libsvm::Extent>,
    /// Whether they can be read only once.
    pub is_once: bool,
}

impl Parts {
    /// Opens a file. `bytes` counts what is read of it.
    pub fn open(&self, at: usize, bytes: &Arc<AtomicU64>) -> Result<Box<dyn FileBlocks>> {
        let path = &self.files[at];
        let (start, content) = content(path, bytes.clone())?;
        Ok(match self.format(path, &start) {
            format @ (Format::Parquet | Format::Libsvm) if self.is_once => {
                let message = format!(
                    "{format:?} tables need random access, which a pipe does not have: write it to a file first"
                );
                return Err(Error::format(path, message));
            }
            Format::Parquet => {
                drop(content);
                parquet_blocks(path, self.options.max_bytes)?
            }
            Format::Arrow | Format::ArrowStream => {
                Box::new(arrow::ArrowBlocks::open(path, content, self.options.max_bytes)?)
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
                let names = self.names.as_deref().unwrap_or_default();
                let part = (self.files.len() > 1).then_some(names);
                Box::new(csv::CsvBlocks::open(path, content, delimiter, &self.options, part)?)
            }
        })
    }

    /// What all LIBSVM files together hold, which no file says at its beginning.
    pub fn extent(&self) -> Result<Option<libsvm::Extent>> {
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

    fn format(&self, path: &Path, start: &[u8]) -> Format {
        self.options.format.or(Format::of(path)).unwrap_or_else(|| Format::sniff(start))
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

/// A place in a table.
pub(super) struct Cursor {
    parts: Arc<Parts>,
    /// The columns that are read, of all.
    kept: Option<Vec<usize>>,
    /// Rows of a block.
    most: usize,
    /// The next file, and the one that is being read.
    next: usize,
    current: Option<Box<dyn FileBlocks>>,
    /// The first file, if it was opened before.
    opened: Option<Box<dyn FileBlocks>>,
    /// Bytes read so far of the file that is being read.
    bytes: Arc<AtomicU64>,
}

impl Cursor {
    /// Before the first row, for blocks of at most `most` rows with the columns `kept`.
    pub fn new(parts: Arc<Parts>, kept: Option<Vec<usize>>, most: usize) -> Self {
        let (current, opened, bytes) = (None, None, Arc::default());
        Self { parts, kept, most, next: 0, current, opened, bytes }
    }

    /// The same with the first file opened before, whose bytes are counted there.
    pub fn with_first(self, opened: Box<dyn FileBlocks>, bytes: Arc<AtomicU64>) -> Self {
        Self { opened: Some(opened), bytes, ..self }
    }

    /// The next rows, all of one file, with its path; none at the end.
    pub fn next(&mut self) -> Result<Option<Table>> {
        loop {
            let file = match &mut self.current {
                Some(file) => file,
                None if self.next == self.parts.files.len() => return Ok(None),
                None => {
                    let file = self.open_next()?;
                    self.current.insert(file)
                }
            };
            match file.next(self.most)? {
                Some(table) => {
                    let path = self.parts.files[self.next - 1].clone();
                    return Ok(Some(Table { path, ..table }));
                }
                None => self.current = None,
            }
        }
    }

    fn open_next(&mut self) -> Result<Box<dyn FileBlocks>> {
        let mut file = match self.opened.take() {
            Some(file) => file,
            None => self.parts.open(self.next, &self.bytes)?,
        };
        if let Some(kept) = &self.kept {
            file.keep(kept);
        }
        self.next += 1;
        Ok(file)
    }

    /// The share of the table that was read, by bytes.
    pub fn share(&self) -> Option<f64> {
        let sizes = &self.parts.sizes;
        let all: u64 = sizes.iter().sum();
        let before: u64 = sizes.iter().take(self.next.saturating_sub(1)).sum();
        let own = if self.next == 0 { 0 } else { self.bytes.load(Ordering::Relaxed) };
        (all > 0).then(|| ((before + own) as f64 / all as f64).min(1.0))
    }
}
