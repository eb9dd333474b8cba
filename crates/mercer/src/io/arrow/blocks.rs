//! An Arrow file or stream in blocks of rows, across its batches.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::Reader;
use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::stream::FileBlocks;
use crate::io::table::Table;

/// A file and the place in it.
pub(in crate::io) struct ArrowBlocks {
    path: PathBuf,
    reader: Reader<Box<dyn Read + Send>>,
    /// Bytes that are taken whatever rows are read: the columns' names.
    fixed: u64,
    kept: Option<Vec<usize>>,
    /// Rows of the last batch, and how many of them were given.
    batch: Option<Table>,
    given: usize,
    read: u64,
}

impl ArrowBlocks {
    /// A file with its content.
    pub(in crate::io) fn open(
        path: &Path,
        content: Box<dyn Read + Send>,
        max_bytes: u64,
    ) -> Result<Self> {
        let reader = Reader::open(content, max_bytes).map_err(|fault| fault.about(path))?;
        if reader.fields.is_empty() {
            return Err(Error::format(path, "the table has no columns"));
        }
        let (fixed, path) = (reader.budget.used, path.to_owned());
        Ok(Self { path, reader, fixed, kept: None, batch: None, given: 0, read: 0 })
    }

    fn named(&self, columns: Vec<Column>) -> Table {
        let name = |&i: &usize| self.reader.fields[i].name.clone();
        let all: Vec<usize> = (0..self.reader.fields.len()).collect();
        let names = self.kept.as_ref().unwrap_or(&all).iter().map(name).collect();
        Table { path: self.path.clone(), ..Table::new(names, columns) }
    }

    /// Reads the next batch if all rows of the last one were given; whether there is one.
    fn advance(&mut self) -> Result<bool> {
        while self.batch.as_ref().is_none_or(|batch| batch.n_rows() == self.given) {
            self.reader.budget.used = self.fixed;
            let next = self.reader.next(self.kept.as_deref());
            match next.map_err(|fault| fault.about(&self.path))? {
                None => return Ok(false),
                Some(columns) => (self.batch, self.given) = (Some(self.named(columns)), 0),
            }
        }
        Ok(true)
    }
}

impl FileBlocks for ArrowBlocks {
    fn head(&self) -> Table {
        let names = self.reader.fields.iter().map(|field| field.name.clone()).collect();
        Table::new(names, self.reader.empty())
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn keep(&mut self, positions: &[usize]) {
        self.kept = Some(positions.to_vec());
    }

    fn next(&mut self, most: usize) -> Result<Option<Table>> {
        let (mut block, start): (Option<Table>, u64) = (None, self.read);
        let mut left = most;
        while left > 0 && self.advance()? {
            let Some(batch) = &self.batch else { break };
            let rows: Vec<usize> = (self.given..batch.n_rows().min(self.given + left)).collect();
            let piece = batch.take_rows(&rows);
            (self.given, left) = (self.given + rows.len(), left - rows.len());
            match &mut block {
                None => block = Some(piece),
                Some(block) => block.append(piece)?,
            }
        }
        self.read += (most - left) as u64;
        Ok(block.map(|block| Table { start, ..block }))
    }
}
