//! Writing a table, in the format that the file's name promises.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::io::atomic::Staged;
use crate::io::read::Format;
use crate::io::table::Table;
use crate::io::{arrow, csv, libsvm, npy};

/// Writes a table whole, in the format of the file's name (`.csv`, `.tsv`, `.npy`, `.parquet`, `.arrow`, `.libsvm`); a final
/// `.gz` compresses it.
pub fn write_table(path: &Path, table: &Table) -> Result<()> {
    let mut staged = Staged::new();
    stage_table(&mut staged, path, table)?;
    staged.commit()
}

/// Prepares a table to appear together with other outputs.
pub fn stage_table(staged: &mut Staged, path: &Path, table: &Table) -> Result<()> {
    let format = output_format(path)?;
    let explain = |source| Error::file(path, source);
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        return staged.add(path, |out| encode_table(format, table, out).map_err(explain));
    }
    staged.add(path, |out| {
        let mut packed = GzEncoder::new(out, Compression::default());
        encode_table(format, table, &mut packed).map_err(explain)?;
        packed.finish().map(drop).map_err(explain)
    })
}

/// The format in which a table would be written to `path`; worth asking before the work starts.
pub fn output_format(path: &Path) -> Result<Format> {
    let format = Format::of(path).ok_or_else(|| {
        let message =
            "the file name has no known extension: use .csv, .tsv, .npy, .parquet, .arrow or .libsvm";
        Error::format(path, message)
    })?;
    if format == Format::Parquet && !cfg!(feature = "parquet") {
        return Err(Error::format(path, "this build has no Parquet support: use .csv or .npy"));
    }
    Ok(format)
}

/// Writes a table to any stream.
pub fn encode_table(format: Format, table: &Table, out: &mut (dyn Write + Send)) -> io::Result<()> {
    check_rectangle(table)?;
    match format {
        Format::Csv => csv::write(table, b',', out),
        Format::Tsv => csv::write(table, b'\t', out),
        Format::Npy => npy::write(table, out),
        Format::Libsvm => libsvm::write(table, out),
        Format::Parquet => encode_parquet(table, out),
        Format::Arrow | Format::ArrowStream => arrow::write(table, format == Format::Arrow, out),
    }
}

fn check_rectangle(table: &Table) -> io::Result<()> {
    let invalid = |text: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, text.to_owned()));
    if table.columns.iter().any(|column| column.len() != table.n_rows()) {
        return invalid("the columns of the table differ in length");
    }
    if table.names.as_ref().is_some_and(|names| names.len() != table.n_columns()) {
        return invalid("the table has different numbers of names and columns");
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn encode_parquet(table: &Table, out: &mut (dyn Write + Send)) -> io::Result<()> {
    crate::io::parquet::write(table, out)
}

#[cfg(not(feature = "parquet"))]
fn encode_parquet(_: &Table, _: &mut (dyn Write + Send)) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this build has no Parquet support"))
}
