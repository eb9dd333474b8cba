//! A NumPy array in blocks of rows. One in row order is read from front to back; of one in column order, a piece of every column.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::head::{Head, parse_head};
use super::{COLUMN_MAJOR_GZIP, MAGIC};
use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::read::table_size;
use crate::io::stream::FileBlocks;
use crate::io::table::Table;
use crate::linalg::alloc;

/// An array and the place in it.
pub(in crate::io) struct NpyBlocks {
    path: PathBuf,
    head: Head,
    content: Box<dyn Read + Send>,
    /// The file itself, with the place of its numbers, for an array in column order.
    file: Option<(File, u64)>,
    kept: Option<Vec<usize>>,
    row: usize,
}

impl NpyBlocks {
    /// An array with its content.
    pub(in crate::io) fn open(
        path: &Path,
        mut content: Box<dyn Read + Send>,
        is_gzip: bool,
    ) -> Result<Self> {
        let (text, length) =
            header(&mut content).map_err(|message| Error::format(path, message))?;
        let head = parse_head(&text).map_err(|message| Error::format(path, message))?;
        if head.rows == 0 {
            return Err(Error::format(path, "the array has no rows"));
        }
        let promised = table_size(head.rows, head.columns, head.kind.1);
        let mut file = None;
        if !is_gzip {
            let plain = File::open(path).map_err(|error| Error::file(path, error))?;
            let size = plain.metadata().map_err(|error| Error::file(path, error))?.len();
            if promised != Some(size.saturating_sub(length)) {
                return Err(Error::format(path, head.wrong_size(size.saturating_sub(length))));
            }
            file = head.fortran.then_some((plain, length));
        } else if head.fortran {
            return Err(Error::format(path, COLUMN_MAJOR_GZIP));
        }
        Ok(Self { path: path.to_owned(), head, content, file, kept: None, row: 0 })
    }

    /// The bytes of the next `rows` rows, in the order of the file.
    fn bytes(&mut self, rows: usize) -> Result<Vec<u8>> {
        let Head { rows: all, columns, kind: (_, width), .. } = self.head;
        let mut bytes = alloc::with_capacity(rows * columns * width)?;
        let read = match &mut self.file {
            None => {
                let wanted = (rows * columns * width) as u64;
                self.content.by_ref().take(wanted).read_to_end(&mut bytes).map(drop)
            }
            Some((file, start)) => (0..columns).try_for_each(|column| {
                let place = *start + ((column * all + self.row) * width) as u64;
                file.seek(SeekFrom::Start(place))?;
                file.take((rows * width) as u64).read_to_end(&mut bytes).map(drop)
            }),
        };
        read.map_err(|error| Error::file(&self.path, error))?;
        match bytes.len() == rows * columns * width {
            true => Ok(bytes),
            false => {
                let message = format!(
                    "the array ends before the {all} rows that its header promises: the file is cut off or damaged"
                );
                Err(Error::format(&self.path, message))
            }
        }
    }
}

/// The text of the header, and the bytes up to the numbers.
fn header(content: &mut dyn Read) -> std::result::Result<(String, u64), String> {
    const CUT: &str = "the file ends within its header";
    let mut read = |length: usize| {
        let mut bytes = Vec::new();
        let found = content.take(length as u64).read_to_end(&mut bytes);
        found.map_err(|error| error.to_string())?;
        if bytes.len() == length { Ok(bytes) } else { Err(CUT.to_owned()) }
    };
    let start = read(MAGIC.len() + 2)?;
    let width = if start[MAGIC.len()] == 1 { 2 } else { 4 };
    let bytes = read(width)?;
    let length = bytes.iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    let text = read(length)?;
    let whole = [start, bytes, text].concat();
    let (text, _) = super::split_header(&whole)?;
    Ok((text.to_owned(), whole.len() as u64))
}

impl FileBlocks for NpyBlocks {
    fn head(&self) -> Table {
        let single = self.head.kind == (b'f', 4);
        let empty = || if single { Column::F32(Vec::new()) } else { Column::F64(Vec::new()) };
        let columns = (0..self.head.columns).map(|_| empty()).collect();
        Table { columns, ..Table::default() }
    }

    fn rows(&self) -> Option<u64> {
        Some(self.head.rows as u64)
    }

    fn keep(&mut self, positions: &[usize]) {
        self.kept = Some(positions.to_vec());
    }

    fn next(&mut self, most: usize) -> Result<Option<Table>> {
        let rows = most.min(self.head.rows - self.row);
        if rows == 0 {
            return Ok(None);
        }
        let bytes = self.bytes(rows)?;
        let columns = Head { rows, ..self.head.clone() }.columns_of(&bytes);
        let table = Table { columns, start: self.row as u64, ..Table::default() };
        self.row += rows;
        Ok(Some(match &self.kept {
            Some(kept) => table.keep(kept),
            None => table,
        }))
    }
}
