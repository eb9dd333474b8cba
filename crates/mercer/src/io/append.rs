//! Writing a table piece by piece, as its rows come.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::io::atomic::Staged;
use crate::io::column::Column;
use crate::io::queue::Queue;
use crate::io::read::Format;
use crate::io::stream::table_bytes;
use crate::io::table::Table;
use crate::io::write::output_format;
use crate::io::{arrow, csv, libsvm, npy};
use crate::panics::THREAD;

/// Bytes of rows that are written together as a group of a Parquet file.
#[cfg(feature = "parquet")]
const GROUP: usize = 32 << 20;

/// Prepares a table at `path` of the pieces that `next` gives until it gives none, all with the columns of the first one. They are written by another thread
/// while `next` makes the following ones. Returns the number of rows.
pub fn stage_pieces(
    staged: &mut Staged,
    path: &Path,
    next: impl FnMut() -> Result<Option<Table>>,
) -> Result<u64> {
    let format = output_format(path)?;
    let is_packed = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    if is_packed && matches!(format, Format::Npy) {
        let message = "a compressed NumPy array cannot be written piece by piece: use .npy, .csv.gz or .parquet";
        return Err(Error::format(path, message));
    }
    let is_packed = is_packed && format != Format::Parquet;
    let mut rows = 0;
    staged.add(path, |out| {
        rows = beside(next, |next| write((format, is_packed), path, &mut Steady::new(out), next))?;
        Ok(())
    })?;
    Ok(rows)
}

/// Writes all pieces; returns the number of rows.
fn write(
    (format, is_packed): (Format, bool),
    path: &Path,
    out: &mut Steady<'_>,
    next: Next<'_>,
) -> Result<u64> {
    let explain = |source| Error::file(path, source);
    let Some(first) = next()? else {
        return Err(Error::format(path, "there are no rows to write"));
    };
    if is_packed {
        let mut packed = GzEncoder::new(out, Compression::default());
        let rows = text(format, &mut packed, first, next, &explain)?;
        return packed.finish().map(|_| rows).map_err(explain);
    }
    match format {
        Format::Npy => array(out, first, next, &explain),
        Format::Parquet => groups(out, first, next, &explain),
        Format::Arrow | Format::ArrowStream => {
            batches(out, format == Format::Arrow, first, next, &explain)
        }
        _ => text(format, out, first, next, &explain),
    }
}

/// Bytes of pieces that wait to be written.
const WAITING: u64 = 4 << 20;

/// Calls `next` on this thread, and `write` on another one, which takes what it gives.
fn beside<R: Send>(
    mut next: impl FnMut() -> Result<Option<Table>>,
    write: impl FnOnce(Next<'_>) -> Result<R> + Send,
) -> Result<R> {
    let (queue, write) = (Queue::new(WAITING), Mutex::new(Some(write)));
    let taken = || write.lock().unwrap_or_else(PoisonError::into_inner).take();
    let work = || {
        let _closed = queue.closes();
        // If the queue ends without its closing mark, the producer failed and reports the reason itself.
        taken().map(|write| write(&mut || queue.take().unwrap_or(Err(Error::Interrupted))))
    };
    thread::scope(|scope| {
        let writer = thread::Builder::new().name(format!("{THREAD}-writer"));
        let Ok(writer) = writer.spawn_scoped(scope, work) else {
            // Without another thread, one does both in turn.
            return taken().map_or(Err(Error::Interrupted), |write| write(&mut next));
        };
        let given = give(&queue, &mut next);
        let written = writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        given.and(written.unwrap_or(Err(Error::Interrupted)))
    })
}

/// Puts all pieces into a queue, and their end.
fn give(queue: &Queue<Result<Option<Table>>>, next: Next<'_>) -> Result<()> {
    let _end = queue.ends();
    loop {
        let piece = next()?;
        let (is_last, bytes) = (piece.is_none(), piece.as_ref().map_or(0, table_bytes));
        if !queue.wait_for_room(bytes) {
            return Ok(()); // The one that writes says why.
        }
        queue.put(Ok(piece), bytes);
        if is_last {
            return Ok(());
        }
    }
}

/// Bytes that are written between requests to bring them to the disk, which would otherwise all wait for the end.
const STEP: u64 = 64 << 20;

/// A file whose content reaches the disk while it is written.
struct Steady<'a> {
    out: &'a mut BufWriter<File>,
    waiting: u64,
}

impl<'a> Steady<'a> {
    fn new(out: &'a mut BufWriter<File>) -> Self {
        Self { out, waiting: 0 }
    }
}

impl Write for Steady<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.waiting += count as u64;
        if self.waiting >= STEP {
            self.waiting = 0;
            self.out.flush()?;
            self.out.get_ref().sync_data()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Steady<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
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
fn array(out: &mut Steady<'_>, first: Table, next: Next<'_>, explain: Explain<'_>) -> Result<u64> {
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
fn groups(out: &mut Steady<'_>, first: Table, next: Next<'_>, explain: Explain<'_>) -> Result<u64> {
    let mut groups = crate::io::parquet::Groups::new(out, &first).map_err(explain)?;
    let size = |table: &Table| table.n_rows() * table.n_columns() * size_of::<f64>();
    let (mut rows, mut waiting) = (0, first);
    loop {
        let piece = next()?;
        let is_full = size(&waiting) >= GROUP;
        if piece.is_none() || is_full {
            groups.write(&waiting, 0..waiting.n_rows()).map_err(explain)?;
            rows += waiting.n_rows() as u64;
            waiting.columns.iter_mut().for_each(Column::clear);
        }
        let Some(piece) = piece else { break };
        check_kinds(&waiting, &piece)?;
        waiting.append(piece)?;
    }
    groups.finish().map_err(explain)?;
    Ok(rows)
}

#[cfg(not(feature = "parquet"))]
fn groups(_: &mut Steady<'_>, _: Table, _: Next<'_>, explain: Explain<'_>) -> Result<u64> {
    Err(explain(io::Error::new(io::ErrorKind::Unsupported, "this build has no Parquet support")))
}

fn batches(
    out: &mut Steady<'_>,
    is_file: bool,
    first: Table,
    next: Next<'_>,
    explain: Explain<'_>,
) -> Result<u64> {
    let mut writer = arrow::Writer::new(out, &first, is_file).map_err(explain)?;
    let (mut rows, mut piece) = (0, Some(first));
    while let Some(table) = piece {
        writer.rows(&table).map_err(explain)?;
        rows += table.n_rows() as u64;
        piece = next()?;
    }
    writer.finish().map_err(explain)?;
    Ok(rows)
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
