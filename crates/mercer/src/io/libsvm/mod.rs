//! LIBSVM text: `label index:value index:value …`, one sample a line, zeros left out, `#` before a comment.

mod blocks;

use std::io::{self, Write};
use std::path::Path;

pub(super) use blocks::{Extent, LibsvmBlocks};

use crate::error::{Error, Result};
use crate::io::column::{Column, parse_number};
use crate::io::read::{check_size, table_size};
use crate::io::sparse_column::SparseColumn;
use crate::io::table::Table;
use crate::linalg::alloc;

/// Whether the first line with content reads like a sample with at least one value.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n').filter_map(|line| {
        let line = content(std::str::from_utf8(line).ok()?);
        (!line.is_empty()).then_some(line)
    });
    let Some(line) = lines.next() else {
        return false;
    };
    let mut pairs = line.split_ascii_whitespace().skip(1).peekable();
    let sample = |pair: &str| pair.starts_with("qid:") || parse_pair(pair).is_some();
    !line.contains(',') && pairs.peek().is_some() && pairs.all(sample)
}

/// Parses samples into columns `x1`, `x2`, … (`x0`, … where an index 0 occurs) and a last column `label`. Zeros are written
/// out only where that takes no more room than to leave them out.
pub(super) fn parse(bytes: &[u8], path: &Path, max_bytes: u64) -> Result<Table> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::format(path, format!("line {line} is not UTF-8 text, so this is not a LIBSVM file"))
    })?;
    let samples = parse_samples(text.strip_prefix('\u{feff}').unwrap_or(text), path)?;
    let read = (bytes.len() as u64).saturating_add(samples.bytes());
    let is_sparse = samples.check_size(read, max_bytes)?;
    samples.table(is_sparse)
}

/// Bytes that a column takes beside its numbers, with its name.
const COLUMN: usize = size_of::<Column>() + size_of::<String>() + 48;

/// All samples, sparse, as they stand in the text.
#[derive(Default)]
struct Samples<'a> {
    labels: Vec<&'a str>,
    /// The line of each sample.
    lines: Vec<u64>,
    /// Index and value, sample after sample.
    pairs: Vec<(usize, f64)>,
    /// Where each sample ends in `pairs`.
    ends: Vec<usize>,
    /// 0 if an index 0 occurs, else 1.
    first: usize,
    /// One beyond the largest index.
    end: usize,
}

fn parse_samples<'a>(text: &'a str, path: &Path) -> Result<Samples<'a>> {
    let mut samples = Samples { first: 1, end: 1, ..Samples::default() };
    for (number, line) in lines_with_content(text) {
        let parsed = samples.push(line);
        parsed.map_err(|message| Error::format(path, format!("line {number}: {message}")))?;
        samples.lines.push(number);
    }
    Ok(samples)
}

impl<'a> Samples<'a> {
    /// Bytes of what was read.
    fn bytes(&self) -> u64 {
        let each = size_of::<&str>() + size_of::<u64>() + size_of::<usize>();
        (self.pairs.len() * size_of::<(usize, f64)>() + self.lines.len() * each) as u64
    }

    /// Refuses what does not fit into `max_bytes` together with the bytes `read`; returns whether zeros are left out.
    fn check_size(&self, read: u64, max_bytes: u64) -> Result<bool> {
        let (rows, width) = (self.lines.len(), self.end - self.first);
        let full = rows.checked_mul(size_of::<f64>()).and_then(|each| each.checked_add(COLUMN));
        let full = full.and_then(|each| table_size(width, 1, each));
        let entries = table_size(self.pairs.len(), 1, SparseColumn::ENTRY);
        let sparse = table_size(width, 1, COLUMN).zip(entries).map(|(a, b)| a.saturating_add(b));
        // Rows are counted in 32 bits where zeros are left out.
        let is_less = sparse.is_some_and(|bytes| bytes < full.unwrap_or(u64::MAX));
        let is_sparse = is_less && u32::try_from(rows).is_ok();
        let needed = if is_sparse { sparse } else { full };
        check_size(needed.map(|needed| needed.saturating_add(read)), max_bytes)?;
        Ok(is_sparse)
    }

    /// The samples as a table.
    fn table(self, is_sparse: bool) -> Result<Table> {
        let width = self.end - self.first;
        let mut columns = self.columns(is_sparse)?;
        columns.push(Column::from_cells(&self.labels));
        let mut names = alloc::with_capacity(width + 1)?;
        names.extend((self.first..self.end).map(|i| format!("x{i}")));
        names.push("label".to_owned());
        let (names, label) = (Some(names), Some(width));
        Ok(Table { names, label, columns, lines: self.lines, ..Table::default() })
    }

    /// One column for every index, with room for one more.
    fn columns(&self, is_sparse: bool) -> Result<Vec<Column>> {
        let (rows, width) = (self.lines.len(), self.end - self.first);
        let mut columns = alloc::with_capacity(width.saturating_add(1))?;
        let empty = || match is_sparse {
            true => Column::Sparse(SparseColumn::zeros(rows)),
            false => Column::F64(vec![0.0; rows]),
        };
        columns.resize_with(width, empty);
        self.for_each_pair(|row, column, value| match &mut columns[column] {
            Column::Sparse(column) => column.push(row as u32, value),
            Column::F64(values) => values[row] = value,
            _ => unreachable!("columns of numbers"),
        });
        Ok(columns)
    }

    fn for_each_pair(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            for &(index, value) in &self.pairs[start..end] {
                visit(row, index - self.first, value);
            }
            start = end;
        }
    }

    /// Adds the sample on `line`, or says what is wrong with it.
    fn push(&mut self, line: &'a str) -> std::result::Result<(), String> {
        let mut tokens = line.split_ascii_whitespace();
        let label = tokens.next().unwrap_or_default();
        if label.contains(':') {
            return Err(format!("starts with {label:?} instead of a label"));
        }
        self.labels.push(label);
        let mut before = None;
        for token in tokens {
            let (index, value) = parse_pair(token).ok_or_else(|| explain(token))?;
            if !value.is_finite() {
                return Err(format!("{token:?} is not a finite number"));
            }
            if before.is_some_and(|before| index <= before) {
                return Err(format!("{token:?} breaks the ascending order of indices"));
            }
            before = Some(index);
            self.pairs.push((index, value));
            self.first = self.first.min(index);
            // An index beyond counting saturates here and is refused for its size by the caller.
            self.end = self.end.max(index.saturating_add(1));
        }
        self.ends.push(self.pairs.len());
        Ok(())
    }
}

fn explain(token: &str) -> String {
    if token.starts_with("qid:") {
        return "query groups (qid) are for ranking, which is not supported: remove them"
            .to_owned();
    }
    let shown: String = token.chars().take(40).collect();
    format!("{shown:?} is not index:value (an integer, a colon, a number)")
}

/// The lines with content, numbered from 1, comments removed.
fn lines_with_content(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines().map(content)).filter(|(_, line)| !line.is_empty())
}

fn content(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn parse_pair(token: &str) -> Option<(usize, f64)> {
    let (index, value) = token.split_once(':')?;
    Some((index.parse().ok()?, parse_number(value)?))
}

/// Writes the numbers of a table, zeros left out; the label is the column so marked or named `label`, else 0.
pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let label = table.label.or_else(|| (0..table.n_columns()).find(|&i| table.name(i) == "label"));
    let features: Vec<&Column> =
        (0..table.n_columns()).filter(|&i| Some(i) != label).map(|i| &table.columns[i]).collect();
    let mut line = String::new();
    for row in 0..table.n_rows() {
        line.clear();
        match label {
            Some(label) => table.columns[label].push_text(row, &mut line),
            None => line.push('0'),
        }
        if line.is_empty() || line.contains([':', '#']) || line.contains(char::is_whitespace) {
            return Err(refuse(row, &format!("the label {line:?}")));
        }
        for (index, column) in (1..).zip(&features) {
            push_pair(&mut line, index, column, row)?;
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn push_pair(line: &mut String, index: usize, column: &Column, row: usize) -> io::Result<()> {
    match column.number(row) {
        Some(0.0) => return Ok(()),
        Some(value) if value.is_finite() => {}
        _ => return Err(refuse(row, &format!("{:?}", column.text(row)))),
    }
    line.push_str(&format!(" {index}:"));
    column.push_text(row, line);
    Ok(())
}

fn refuse(row: usize, what: &str) -> io::Error {
    let message = format!("row {row}: LIBSVM text cannot hold {what}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}
