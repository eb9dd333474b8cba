//! From a Parquet file's bytes to columns.

use std::path::Path;

use bytes::Bytes;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, FileReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::ColumnDescriptor;

use super::cells::{Cells, is_unsigned, scale};
use super::claims::{check_footer, chunk_bytes};
use crate::error::{Error, Result};
use crate::io::read::{check_size, table_size};
use crate::io::table::Table;
use crate::panics::{Panicked, catch_quietly};

/// Parses a flat table. A null is NaN among numbers and empty among text.
pub(in crate::io) fn parse(bytes: Vec<u8>, path: &Path, max_bytes: u64) -> Result<Table> {
    // The crate checks most of what a damaged file can claim, but not all: some claims end in a panic of its own.
    let parsed = catch_quietly(|| {
        let bytes = Bytes::from(bytes);
        check_footer(&bytes)?;
        let file = SerializedFileReader::new(bytes.clone())?;
        let (rows, columns) = shape(&file)?;
        let pages = page_bytes(&bytes, &file)?;
        let needed = table_size(rows, columns.saturating_add(WHOLE), 8)
            .map(|cells| cells.saturating_add(pages));
        Ok::<_, ParquetError>(match check_size(needed, max_bytes) {
            Ok(()) => read_columns(&file, rows, max_bytes - needed.unwrap_or(0), max_bytes)?,
            Err(refused) => Err(refused),
        })
    });
    explained(parsed, path)?
}

/// What reading a file at `path` gave, or why it cannot be read.
pub(super) fn explained<R>(
    parsed: std::result::Result<ParquetResult<R>, Panicked>,
    path: &Path,
) -> Result<R> {
    let damaged = |reason: String| {
        Error::format(path, format!("not a Parquet file, or a damaged one: {reason}"))
    };
    match parsed {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(ParquetError::NYI(reason))) => Err(Error::format(path, reason)),
        Ok(Err(error)) => Err(damaged(error.to_string())),
        Err(_) => Err(damaged("its parts are inconsistent".to_owned())),
    }
}

/// Columns of eight bytes that whole numbers, while they are read, take as much as.
const WHOLE: usize = 4;

/// Bytes of the file itself and of the pages of one column that are held at once.
fn page_bytes(bytes: &[u8], file: &SerializedFileReader<Bytes>) -> ParquetResult<u64> {
    let mut largest = 0;
    for group in file.metadata().row_groups() {
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        for chunk in group.columns() {
            largest = largest.max(chunk_bytes(bytes, chunk, rows)?);
        }
    }
    Ok(largest.saturating_add(bytes.len() as u64))
}

/// Rows and columns that the file claims to hold.
pub(super) fn shape<R: ChunkReader + 'static>(
    file: &SerializedFileReader<R>,
) -> ParquetResult<(usize, usize)> {
    let meta = file.metadata();
    let rows = meta
        .row_groups()
        .iter()
        .try_fold(0usize, |sum, group| sum.checked_add(usize::try_from(group.num_rows()).ok()?));
    let schema = meta.file_metadata().schema_descr();
    if let Some(list) = schema.columns().iter().find(|column| column.max_rep_level() > 0) {
        let message = format!("column {:?} holds lists: flatten it first", list.path().string());
        return Err(ParquetError::NYI(message));
    }
    let rows = rows.ok_or_else(|| ParquetError::General("impossible number of rows".to_owned()))?;
    Ok((rows, schema.num_columns()))
}

fn read_columns(
    file: &SerializedFileReader<Bytes>,
    rows: usize,
    mut left: u64,
    max_bytes: u64,
) -> ParquetResult<Result<Table>> {
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let names = schema.columns().iter().map(|column| column.path().string()).collect();
    let mut columns = Vec::with_capacity(schema.num_columns());
    for index in 0..schema.num_columns() {
        let cells = read_column(file, index, &schema.column(index), left)?;
        left = match cells.left(left) {
            Ok(left) => left,
            Err(more) => {
                return Ok(check_size(Some(max_bytes.saturating_add(more)), max_bytes)
                    .map(|()| Table::default()));
            }
        };
        let column = cells.into_column();
        if column.len() != rows {
            let message = format!("{rows} rows promised, {} found", column.len());
            return Err(ParquetError::General(message));
        }
        columns.push(column);
    }
    Ok(Ok(Table::new(names, columns)))
}

fn read_column(
    file: &SerializedFileReader<Bytes>,
    index: usize,
    column: &ColumnDescriptor,
    left: u64,
) -> ParquetResult<Cells> {
    let mut cells = Cells::for_column(column, left);
    for group in 0..file.num_row_groups() {
        let reader = file.get_row_group(group)?;
        let rows = usize::try_from(reader.metadata().num_rows()).unwrap_or(0);
        read_chunk(&mut reader.get_column_reader(index)?, column, rows, &mut cells)?;
    }
    Ok(cells)
}

/// Reads at most `rows` more cells of a column within a group of rows; returns how many there were.
pub(super) fn read_chunk(
    reader: &mut ColumnReader,
    column: &ColumnDescriptor,
    rows: usize,
    cells: &mut Cells,
) -> ParquetResult<usize> {
    use ColumnReader as R;
    let (deepest, scale, unsigned) = (column.max_def_level(), scale(column), is_unsigned(column));
    let word = |v: &i32| {
        if unsigned { i128::from(*v as u32) } else { i128::from(*v) }
    };
    let long = |v: &i64| {
        if unsigned { i128::from(*v as u64) } else { i128::from(*v) }
    };
    let each = Chunk { rows, deepest };
    match reader {
        R::FloatColumnReader(r) => match cells {
            Cells::F32(values) => each.append(r, values, f32::NAN),
            _ => each.visit(r, |v| cells.push_f32(v.copied())),
        },
        R::DoubleColumnReader(r) => match cells {
            Cells::F64(values) => each.append(r, values, f64::NAN),
            _ => each.visit(r, |v| cells.push_f64(v.copied())),
        },
        R::BoolColumnReader(r) => each.visit(r, |v| cells.push_whole(v.map(|&b| b.into()), scale)),
        R::Int32ColumnReader(r) => each.visit(r, |v| cells.push_whole(v.map(word), scale)),
        R::Int64ColumnReader(r) => each.visit(r, |v| cells.push_whole(v.map(long), scale)),
        // The old form of a moment in time, in milliseconds since 1970.
        R::Int96ColumnReader(r) => {
            each.visit(r, |v| cells.push_whole(v.map(|t| t.to_millis().into()), scale))
        }
        R::ByteArrayColumnReader(r) => {
            each.visit(r, |v: Option<&ByteArray>| cells.push_bytes(v.map(ByteArray::data), scale))
        }
        R::FixedLenByteArrayColumnReader(r) => each
            .visit(r, |v: Option<&FixedLenByteArray>| cells.push_bytes(v.map(|b| b.data()), scale)),
    }
}

/// The extent of one column within one group of rows.
struct Chunk {
    rows: usize,
    /// The definition level of a cell that is there; one below it is null.
    deepest: i16,
}

/// Cells that are read at a time, so that memory grows with what is found and not with what is claimed.
const BATCH: usize = 8192;

impl Chunk {
    /// Appends every cell to `out`, `missing` in the place of a null.
    fn append<D: DataType<T: Copy>>(
        &self,
        reader: &mut ColumnReaderImpl<D>,
        out: &mut Vec<D::T>,
        missing: D::T,
    ) -> ParquetResult<usize> {
        let (mut left, mut levels) = (self.rows, Vec::new());
        while left > 0 {
            levels.clear();
            let start = out.len();
            let (records, ..) =
                reader.read_records(left.min(BATCH), Some(&mut levels), None, out)?;
            if records == 0 {
                break;
            }
            if self.deepest > 0 {
                self.spread(&levels, out, start, missing);
            }
            left = left.saturating_sub(records);
        }
        Ok(self.rows - left)
    }

    /// Moves the values from `start` on, which stand one after another, to the places of the cells that are there.
    fn spread<T: Copy>(&self, levels: &[i16], out: &mut Vec<T>, start: usize, missing: T) {
        let mut present = out.len();
        if present - start == levels.len() {
            return;
        }
        out.resize(start + levels.len(), missing);
        for (place, &level) in levels.iter().enumerate().rev() {
            let value = if level == self.deepest && present > start {
                present -= 1;
                out[present]
            } else {
                missing
            };
            out[start + place] = value;
        }
    }

    /// Calls `push` for every cell.
    fn visit<D: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<D>,
        mut push: impl FnMut(Option<&D::T>),
    ) -> ParquetResult<usize> {
        let mut left = self.rows;
        while left > 0 {
            let (mut values, mut levels) = (Vec::new(), Vec::new());
            let (records, ..) =
                reader.read_records(left.min(BATCH), Some(&mut levels), None, &mut values)?;
            if records == 0 {
                break;
            }
            if self.deepest == 0 {
                values.iter().for_each(|value| push(Some(value)));
            } else {
                let mut present = values.iter();
                for &level in &levels {
                    push(if level == self.deepest { present.next() } else { None });
                }
            }
            left = left.saturating_sub(records);
        }
        Ok(self.rows - left)
    }
}
