//! Tables that are read in blocks of rows, because they exceed the memory budget.

use std::fs;
use std::path::Path;

use mercer::io::stream::{TableStream, is_several, table_files};
use mercer::io::{ReadOptions, Source, Table};
use mercer::{Error, Result};

use super::{InputKind, read_options};
use crate::args::TableArgs;
use crate::run::Session;

/// The table that `args` name, in blocks of rows if it takes more memory than the budget; none if it does not.
pub fn stream(
    session: &Session,
    args: &TableArgs,
    input_kind: &InputKind,
) -> Result<Option<TableStream>> {
    let Source::File(path) = &args.source else { return Ok(None) };
    let budget = session.context.budget();
    if *input_kind == InputKind::Precomputed || !may_exceed(path, budget)? {
        return Ok(None);
    }
    session.progress.begin("reading");
    let stream = TableStream::open(path, &read_options(session, args, input_kind))?;
    Ok((needed(&stream)? > budget).then_some(stream))
}

/// An error of memory with the way out that landmarks are, unless they were asked for.
pub fn by_landmarks(error: Error, are_given: bool) -> Error {
    match are_given {
        true => error,
        false => error.or_hint("fit with --landmarks, which reads a table in blocks"),
    }
}

/// An error of memory with the way out that a file for the results is, unless one was named.
pub fn by_output(error: Error, is_given: bool) -> Error {
    match is_given {
        true => error,
        false => error
            .or_hint("write the results to a file with --output, which reads a table in blocks"),
    }
}

/// Whether `path` stands for several files.
pub fn is_directory(source: &Source) -> Option<&Path> {
    match source {
        Source::File(path) if is_several(path) => Some(path),
        _ => None,
    }
}

/// The rows of all files that `path` stands for, as one table.
pub fn read_all(path: &Path, options: &ReadOptions) -> Result<Table> {
    let mut stream = TableStream::open(path, options)?;
    let budget = options.max_bytes;
    let needed = needed(&stream)?;
    if needed > budget {
        let hint = "use fewer rows or columns, or raise the memory budget";
        return Err(Error::memory("the table", needed, budget, hint));
    }
    let mut all: Option<Table> = None;
    while let Some(table) = stream.next_table()? {
        match &mut all {
            None => all = Some(table),
            Some(all) => all.append(table)?,
        }
    }
    let mut all = all.unwrap_or_default();
    // Lines of several files say nothing.
    all.lines.clear();
    all.path = path.to_owned();
    all.header_is_guess = stream.head().header_is_guess;
    Ok(all)
}

/// Bytes of the table, of a copy as samples and of another one while they are made, and of the files.
fn needed(stream: &TableStream) -> Result<u64> {
    const COPIES: u64 = 3;
    let files = file_bytes(stream.files())?;
    let columns = stream.head().n_columns() as u64;
    Ok(match stream.rows() {
        // Zeros are left out, and an entry takes about as many bytes as in text.
        _ if stream.head().is_sparse() => files.saturating_mul(COPIES),
        Some(rows) => files.saturating_add(COPIES.saturating_mul(8 * rows.saturating_mul(columns))),
        // A number takes about as many bytes of text as in memory; packed, it takes less.
        None => {
            let is_packed = |path: &Path| path.extension().is_some_and(|end| end == "gz");
            let unpacked = if stream.files().iter().any(|path| is_packed(path)) { 4 } else { 1 };
            files.saturating_mul(unpacked).saturating_mul(1 + COPIES)
        }
    })
}

fn file_bytes(files: &[std::path::PathBuf]) -> Result<u64> {
    let size = |path: &std::path::PathBuf| {
        fs::metadata(path).map(|meta| meta.len()).map_err(|error| Error::file(path, error))
    };
    files.iter().map(size).sum()
}

/// Whether a table may exceed the budget, by the size of its files alone: a compressed table is larger in memory.
fn may_exceed(path: &Path, budget: u64) -> Result<bool> {
    const LARGEST: u64 = 64;
    if !path.exists() && !is_several(path) {
        // The reader says what is wrong.
        return Ok(false);
    }
    Ok(file_bytes(&table_files(path)?)?.saturating_mul(LARGEST) > budget)
}
