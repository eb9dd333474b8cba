//! The rows of a table as blocks of samples.

use super::TableStream;
use crate::error::Result;
use crate::io::table::Table;
use crate::model::landmarks::{RowBlock, RowBlocks};

/// A table whose blocks a function turns into samples, with their targets and weights. Blocks of no rows are passed over.
pub struct StreamRows<F> {
    stream: TableStream,
    convert: F,
    /// Whether every row of the table becomes a sample.
    is_whole: bool,
}

impl<F: FnMut(Table) -> Result<Option<RowBlock<'static>>>> StreamRows<F> {
    /// The blocks of `stream`, turned into samples by `convert`; `is_whole` says whether it keeps every row.
    pub fn new(stream: TableStream, is_whole: bool, convert: F) -> Self {
        Self { stream, convert, is_whole }
    }

    /// The table.
    pub fn into_stream(self) -> TableStream {
        self.stream
    }
}

impl<F: FnMut(Table) -> Result<Option<RowBlock<'static>>>> RowBlocks for StreamRows<F> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        self.stream.check_passes(passes)?;
        self.stream.rewind();
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        while let Some(table) = self.stream.next_table()? {
            let block = (self.convert)(table)?;
            if block.as_ref().is_some_and(|block| block.samples.n() > 0) {
                return Ok(block);
            }
        }
        Ok(None)
    }

    fn rows(&self) -> Option<u64> {
        self.stream.rows().filter(|_| self.is_whole)
    }

    fn share(&self) -> Option<f64> {
        self.stream.share()
    }

    fn is_once(&self) -> bool {
        self.stream.is_once()
    }
}
