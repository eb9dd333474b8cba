//! LIBSVM text in blocks of rows. No line says how many columns there are: all files are looked through once before.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{Samples, content, lines_with_content, parse_samples};
use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::sparse_column::SparseColumn;
use crate::io::stream::FileBlocks;
use crate::io::table::Table;

/// What all files together hold.
#[derive(Debug, Clone)]
pub(in crate::io) struct Extent {
    /// 0 if an index 0 occurs, else 1.
    first: usize,
    /// One beyond the largest index.
    end: usize,
    pairs: usize,
    rows: usize,
    /// Rows of each file.
    files: Vec<(PathBuf, u64)>,
    /// Whether every label so far is a number.
    has_numbers: bool,
}

impl Default for Extent {
    fn default() -> Self {
        Self { first: 1, end: 1, pairs: 0, rows: 0, files: Vec::new(), has_numbers: true }
    }
}

impl Extent {
    /// Adds a file.
    pub(in crate::io) fn read(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        let before = self.rows;
        let mut lines = Lines { input, path, number: 0 };
        while let Some(text) = lines.next()? {
            let mut samples = Samples { first: 1, end: 1, ..Samples::default() };
            for (_, line) in lines_with_content(&text) {
                let parsed = samples.push(line);
                parsed.map_err(|message| lines.refuse(&message))?;
                self.rows += 1;
            }
            self.first = self.first.min(samples.first);
            self.end = self.end.max(samples.end);
            self.pairs += samples.pairs.len();
            self.has_numbers &= matches!(Column::from_cells(&samples.labels), Column::F64(_));
        }
        self.files.push((path.to_owned(), (self.rows - before) as u64));
        Ok(())
    }

    /// Whether zeros are left out, as they are in a table in memory.
    fn is_sparse(&self) -> bool {
        let full = (self.end - self.first).saturating_mul(self.rows).saturating_mul(8);
        self.pairs.saturating_mul(SparseColumn::ENTRY) < full && u32::try_from(self.rows).is_ok()
    }
}

/// The lines of a file.
struct Lines<'a, R> {
    input: R,
    path: &'a Path,
    number: u64,
}

impl<R: BufRead> Lines<'_, R> {
    /// The next line.
    fn next(&mut self) -> Result<Option<String>> {
        let mut line = String::new();
        self.number += 1;
        match self.input.read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(_) if self.number == 1 => Ok(Some(line.trim_start_matches('\u{feff}').to_owned())),
            Ok(_) => Ok(Some(line)),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                Err(self.refuse("is not UTF-8 text, so this is not a LIBSVM file"))
            }
            Err(error) => Err(Error::file(self.path, error)),
        }
    }

    fn refuse(&self, message: &str) -> Error {
        Error::format(self.path, format!("line {}: {message}", self.number))
    }
}

/// A file and the place in it.
pub(in crate::io) struct LibsvmBlocks {
    path: PathBuf,
    input: BufReader<Box<dyn Read + Send>>,
    extent: Extent,
    kept: Option<Vec<usize>>,
    /// Lines and samples that were read.
    line: u64,
    row: u64,
}

impl LibsvmBlocks {
    /// A file with its content.
    pub(in crate::io) fn open(path: &Path, content: Box<dyn Read + Send>, extent: Extent) -> Self {
        let input = BufReader::new(content);
        Self { path: path.to_owned(), input, extent, kept: None, line: 0, row: 0 }
    }
}

impl FileBlocks for LibsvmBlocks {
    fn head(&self) -> Table {
        let (first, end) = (self.extent.first, self.extent.end);
        let samples = Samples { first, end, ..Samples::default() };
        let mut head = samples.table(self.extent.is_sparse()).unwrap_or_default();
        if !self.extent.has_numbers
            && let Some(label) = head.columns.last_mut()
        {
            *label = Column::Text(Vec::new());
        }
        head
    }

    fn rows(&self) -> Option<u64> {
        self.extent.files.iter().find(|(path, _)| *path == self.path).map(|(_, rows)| *rows)
    }

    fn keep(&mut self, positions: &[usize]) {
        self.kept = Some(positions.to_vec());
    }

    fn next(&mut self, most: usize) -> Result<Option<Table>> {
        let mut lines = Lines { input: &mut self.input, path: &self.path, number: self.line };
        let (mut text, mut numbers) = (String::new(), Vec::new());
        while numbers.len() < most
            && let Some(line) = lines.next()?
        {
            if !content(&line).is_empty() {
                numbers.push(lines.number);
                text.push_str(content(&line));
                text.push('\n');
            }
        }
        self.line = lines.number;
        if numbers.is_empty() {
            return Ok(None);
        }
        // The lines were parsed once without a fault: one now means that the file has changed.
        let samples = parse_samples(&text, &self.path)?;
        let is_inside = samples.first >= self.extent.first && samples.end <= self.extent.end;
        if !is_inside {
            return Err(Error::format(&self.path, "the file has changed while it was read"));
        }
        let (first, end) = (self.extent.first, self.extent.end);
        let labels: Vec<String> = samples.labels.iter().map(|label| label.to_string()).collect();
        let mut table = Samples { first, end, ..samples }.table(self.extent.is_sparse())?;
        if !self.extent.has_numbers
            && let Some(label) = table.columns.last_mut()
        {
            *label = Column::Text(labels);
        }
        let start = self.row;
        self.row += numbers.len() as u64;
        let table = Table { lines: numbers, start, ..table };
        Ok(Some(match &self.kept {
            Some(kept) => table.keep(kept),
            None => table,
        }))
    }
}
