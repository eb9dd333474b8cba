//! Writing a table piece by piece, as its rows come.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::io::atomic::Staged;
use crate::io::column::Column;
use crate::io::read::Format;
use crate::io::table::Table;
use crate::io::write::output_format;
use crate::io::{csv, libsvm, npy};

/// Bytes of rows that are written together as a group of a Parquet file.
#[cfg(feature = "parquet")]
const GROUP: usize = 32 << 20;

/// Prepares a table at `path` of the pieces that `next` gives until it gives none, all with the columns of the first one. Returns the number of rows.
pub fn stage_pieces(
    staged: &mut Staged,
    path: &Path,
    mut next: impl FnMut() -> Result<Option<Table>>,
) -> Result<u64> {
    let format = output_format(path)?;
    let is_packed = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    if is_packed && matches!(format, Format::Npy) {
        let message = "a compressed NumPy array cannot be written piece by piece: use .npy, .csv.gz or .parquet";
        return Err(Error::format(path, message));
    }
    let explain = |source| Error::file(path, source);
    let mut rows = 0;
    staged.add(path, |out| {
        let first = next()?;
        let Some(first) = first else {
            return Err(Error::format(path, "there are no rows to write"));
        };
        if is_packed && format != Format::Parquet {
            let mut packed = GzEncoder::new(out, Compression::default());
            rows = text(format, &mut packed, first, &mut next, &explain)?;
            return packed.finish().map(drop).map_err(explain);
        }
        rows = match format {
            Format::Npy => array(out, first, &mut next, &explain)?,
            Format::Parquet => groups(out, first, &mut next, &explain)?,
            _ => text(format, out, first, &mut next, &explain)?,
        };
        Ok(())
    })?;
    Ok(rows)
}

type Next<'a> = &'a mut dyn FnMut() -> Result<Option<Table>>;
type Explain<'a> = &'a dyn Fn(io::Error) -> Error;

fn text(
    format: Format,
    out: &mut dyn Write,
    first: Table,
    next: Next<'_>,
    explain: Explain<'_>,
) -> Result<u64> {
    let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
    if format != Format::Libsvm {
        csv::write_header(&first, delimiter, out).map_err(explain)?;
    }
    let (mut rows, mut piece) = (0, Some(first));
    while let Some(table) = piece {
        match format {
            Format::Libsvm => libsvm::write(&table, out).map_err(explain)?,
            _ => csv::write_rows(&table, delimiter, out).map_err(explain)?,
        }
        rows += table.n_rows() as u64;
        piece = next()?;
    }
    Ok(rows)
}

/// An array, whose header is written last: it says how many rows there are.
fn array(
    out: &mut BufWriter<File>,
    first: Table,
    next: Next<'_>,
    explain: Explain<'_>,
) -> Result<u64> {
    // Room for the largest number of rows.
    let room = npy::write_header(&first, u64::MAX, 0, out).map_err(explain)?;
    let head = Table { columns: emptied(&first), ..Table::default() };
    let (mut rows, mut piece) = (0, Some(first));
    while let Some(table) = piece {
        npy::write_rows(&table, out).map_err(explain)?;
        rows += table.n_rows() as u64;
        piece = next()?;
    }
    out.seek(SeekFrom::Start(0)).map_err(explain)?;
    npy::write_header(&head, rows, room, out).map_err(explain)?;
    out.seek(SeekFrom::End(0)).map_err(explain)?;
    Ok(rows)
}

/// Columns of the same kinds without cells.
fn emptied(table: &Table) -> Vec<Column> {
    let empty = |column: &Column| match column {
        Column::F32(_) => Column::F32(Vec::new()),
        Column::Text(_) => Column::Text(Vec::new()),
        Column::F64(_) | Column::Sparse(_) => Column::F64(Vec::new()),
    };
    table.columns.iter().map(empty).collect()
}

#[cfg(feature = "parquet")]
fn groups(
    out: &mut BufWriter<File>,
    first: Table,
    next: Next<'_>,
    explain: Explain<'_>,
) -> Result<u64> {
    let mut groups = crate::io::parquet::Groups::new(out, &first).map_err(explain)?;
    let size = |table: &Table| table.n_rows() * table.n_columns() * size_of::<f64>();
    let (mut rows, mut waiting) = (0, first);
    loop {
        let piece = next()?;
        let is_full = size(&waiting) >= GROUP;
        if piece.is_none() || is_full {
            groups.write(&waiting, 0..waiting.n_rows()).map_err(explain)?;
            rows += waiting.n_rows() as u64;
            waiting.columns = emptied(&waiting);
        }
        let Some(piece) = piece else { break };
        check_kinds(&waiting, &piece)?;
        waiting.append(piece)?;
    }
    groups.finish().map_err(explain)?;
    Ok(rows)
}

#[cfg(not(feature = "parquet"))]
fn groups(_: &mut BufWriter<File>, _: Table, _: Next<'_>, explain: Explain<'_>) -> Result<u64> {
    Err(explain(io::Error::new(io::ErrorKind::Unsupported, "this build has no Parquet support")))
}

/// Refuses text after numbers: the file says once what a column holds.
#[cfg(feature = "parquet")]
fn check_kinds(before: &Table, piece: &Table) -> Result<()> {
    let is_text = |column: &Column| matches!(column, Column::Text(_));
    for i in 0..before.n_columns().min(piece.n_columns()) {
        if is_text(&piece.columns[i]) && !is_text(&before.columns[i]) {
            let message = format!(
                "column {:?} holds numbers in the first rows and text in later ones: write .csv",
                before.name(i)
            );
            return Err(Error::Shape(message));
        }
    }
    Ok(())
}
