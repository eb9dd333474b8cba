//! A Parquet file, read in blocks of rows: as many as are asked for, across its groups of rows.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::column::reader::ColumnReader;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use super::cells::Cells;
use super::claims::{check_footer_of, chunk_bytes_in};
use super::read::{explained, read_chunk, shape};
use crate::error::{Error, Result};
use crate::io::read::check_size;
use crate::io::stream::FileBlocks;
use crate::io::table::Table;
use crate::panics::catch_quietly;

/// A file and the place in it. Memory holds a page of each column, not a group of rows.
pub(in crate::io) struct ParquetBlocks {
    path: PathBuf,
    /// The file, open twice: page headers are looked at before the reader sees them.
    plain: File,
    file: SerializedFileReader<File>,
    /// The columns that are read.
    wanted: Vec<usize>,
    rows: u64,
    /// Rows that were read.
    read: u64,
    /// The next group of rows.
    group: usize,
    /// Readers of the wanted columns in the group before that, and the rows left in it.
    readers: Vec<ColumnReader>,
    left: usize,
    max_bytes: u64,
}

impl ParquetBlocks {
    /// Opens a file.
    pub(in crate::io) fn open(path: &Path, max_bytes: u64) -> Result<Self> {
        let open = || File::open(path).map_err(|error| Error::file(path, error));
        let (plain, other) = (open()?, open()?);
        let opened = catch_quietly(|| {
            check_footer_of(&plain)?;
            let file = SerializedFileReader::new(other)?;
            let (rows, columns) = shape(&file)?;
            Ok((file, rows as u64, columns))
        });
        let (file, rows, columns) = explained(opened, path)?;
        Ok(Self {
            path: path.to_owned(),
            plain,
            file,
            wanted: (0..columns).collect(),
            rows,
            read: 0,
            group: 0,
            readers: Vec::new(),
            left: 0,
            max_bytes,
        })
    }

    /// Opens the next group of rows; whether there is one.
    fn next_group(&mut self) -> ParquetResult<Result<bool>> {
        if self.group == self.file.num_row_groups() {
            return Ok(Ok(false));
        }
        let reader = self.file.get_row_group(self.group)?;
        let meta = reader.metadata();
        let rows = usize::try_from(meta.num_rows()).unwrap_or(0);
        let mut pages = 0_u64;
        for &column in &self.wanted {
            let bytes = chunk_bytes_in(&self.plain, meta.column(column), rows as u64)?;
            pages = pages.saturating_add(bytes);
        }
        if let Err(refused) = check_size(Some(pages), self.max_bytes) {
            return Ok(Err(refused));
        }
        let readers = self.wanted.iter().map(|&column| reader.get_column_reader(column));
        self.readers = readers.collect::<ParquetResult<_>>()?;
        (self.left, self.group) = (rows, self.group + 1);
        Ok(Ok(true))
    }

    fn read(&mut self, most: usize) -> ParquetResult<Result<Vec<Cells>>> {
        let schema = self.file.metadata().file_metadata().schema_descr_ptr();
        let columns: Vec<_> = self.wanted.iter().map(|&i| schema.column(i)).collect();
        let new = |column| Cells::for_column(column, self.max_bytes);
        let mut cells: Vec<Cells> = columns.iter().map(|column| new(column)).collect();
        let mut wanted = most;
        while wanted > 0 {
            if self.left == 0 {
                match self.next_group()? {
                    Ok(true) => continue,
                    Ok(false) => break,
                    Err(refused) => return Ok(Err(refused)),
                }
            }
            let rows = wanted.min(self.left);
            for ((reader, column), cells) in self.readers.iter_mut().zip(&columns).zip(&mut cells) {
                let found = read_chunk(reader, column, rows, cells)?;
                if found != rows {
                    let message = format!(
                        "column {:?} ends before the {} rows that were promised",
                        column.path().string(),
                        self.rows
                    );
                    return Err(ParquetError::General(message));
                }
            }
            (wanted, self.left) = (wanted - rows, self.left - rows);
        }
        Ok(Ok(cells))
    }
}

impl FileBlocks for ParquetBlocks {
    fn head(&self) -> Table {
        let schema = self.file.metadata().file_metadata().schema_descr_ptr();
        let columns = schema.columns();
        let names = columns.iter().map(|column| column.path().string()).collect();
        let empty = columns.iter().map(|column| Cells::for_column(column, 0).into_column());
        Table::new(names, empty.collect())
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn keep(&mut self, positions: &[usize]) {
        self.wanted = positions.to_vec();
    }

    fn next(&mut self, most: usize) -> Result<Option<Table>> {
        let schema = self.file.metadata().file_metadata().schema_descr_ptr();
        let path = self.path.clone();
        let cells = explained(catch_quietly(|| self.read(most)), &path)??;
        for cells in &cells {
            if let Err(more) = cells.left(0) {
                check_size(Some(self.max_bytes.saturating_add(more)), self.max_bytes)?;
            }
        }
        let columns: Vec<_> = cells.into_iter().map(Cells::into_column).collect();
        let names = self.wanted.iter().map(|&i| schema.column(i).path().string()).collect();
        let table = Table { path, start: self.read, ..Table::new(names, columns) };
        self.read += table.n_rows() as u64;
        Ok((table.n_rows() > 0).then_some(table))
    }
}
