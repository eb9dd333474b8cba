//! Reading a table: where it lies, which format it has, and the path from bytes to columns.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::context::available_memory;
use crate::error::{Error, Result};
use crate::io::table::Table;
use crate::io::{arrow, csv, libsvm, npy};

/// Where a table comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// The source a user names: `-` is standard input, everything else a file.
    #[doc(hidden)]
    pub fn named(name: impl Into<PathBuf>) -> Self {
        let path = name.into();
        if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) }
    }

    /// The source as it appears in messages.
    #[doc(hidden)]
    pub fn path(&self) -> &Path {
        match self {
            Source::File(path) => path,
            Source::Stdin => Path::new("standard input"),
        }
    }
}

/// The formats of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Cells separated by commas, semicolons or tabs.
    Csv,
    /// Cells separated by tabs.
    Tsv,
    /// A NumPy array.
    Npy,
    /// `label index:value …`, one sample a line.
    Libsvm,
    /// Apache Parquet.
    Parquet,
    /// An Apache Arrow file, as Feather is one too. Reading takes streams as well.
    Arrow,
    /// An Apache Arrow stream. Reading takes files as well.
    ArrowStream,
}

impl Format {
    /// The format that a file's name promises; a final `.gz` is passed over.
    #[doc(hidden)]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (_, extension) = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?;
        match extension {
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "npy" => Some(Format::Npy),
            "libsvm" | "svm" | "svmlight" => Some(Format::Libsvm),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "feather" => Some(Format::Arrow),
            "arrows" => Some(Format::ArrowStream),
            _ => None,
        }
    }

    /// The format that the content looks like.
    pub(super) fn sniff(bytes: &[u8]) -> Self {
        if bytes.starts_with(npy::MAGIC) {
            Format::Npy
        } else if bytes.starts_with(b"PAR1") {
            Format::Parquet
        } else if bytes.starts_with(arrow::MAGIC) || bytes.starts_with(&arrow::MESSAGE) {
            Format::Arrow
        } else if libsvm::looks_like(bytes) {
            Format::Libsvm
        } else {
            Format::Csv
        }
    }
}

/// Whether the first row of a text table holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Decided by the content: the first row holds names if one of its texts stands above a number, or if it has no
    /// number at all. So a first sample with a text label (`5.1,3.5,setosa`) is not lost as a header.
    #[default]
    Auto,
    /// It does.
    Present,
    /// It does not.
    Absent,
}

/// How to read a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The format; by default that of the file's name, or else what the content looks like.
    pub format: Option<Format>,
    /// For CSV and TSV.
    pub header: Header,
    /// The separator of CSV cells; by default the one that the first line uses most.
    pub delimiter: Option<u8>,
    /// Whether the cells of CSV and TSV stay texts just as they are written, numbers too; for texts that a kernel compares.
    pub as_written: bool,
    /// Bytes that the file's content and the table may take together.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    /// Everything guessed, within the memory that is free now.
    fn default() -> Self {
        Self {
            format: None,
            header: Header::Auto,
            delimiter: None,
            as_written: false,
            max_bytes: available_memory(),
        }
    }
}

/// Reads a table. It has at least one row and one column.
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table> {
    let bytes = content(source, options.max_bytes)?;
    parse(bytes, source.path(), options)
}

/// Parses the content of a file, which may be compressed; `path` is for messages and the format.
pub fn parse(bytes: Vec<u8>, path: &Path, options: &ReadOptions) -> Result<Table> {
    let bytes = if bytes.starts_with(&GZIP_MAGIC) { gunzip(&bytes, path, options)? } else { bytes };
    if bytes.is_empty() {
        return Err(Error::format(path, "the file is empty"));
    }
    let named = Format::of(path);
    let mut table = match options.format.or(named).unwrap_or_else(|| Format::sniff(&bytes)) {
        Format::Csv => csv::parse(&bytes, path, options.delimiter, options)?,
        Format::Tsv => csv::parse(&bytes, path, Some(options.delimiter.unwrap_or(b'\t')), options)?,
        Format::Npy => npy::parse(&bytes, path, options.max_bytes)?,
        Format::Libsvm => libsvm::parse(&bytes, path, options.max_bytes)?,
        Format::Parquet => parse_parquet(bytes, path, options.max_bytes)?,
        Format::Arrow | Format::ArrowStream => arrow::parse(&bytes, path, options.max_bytes)?,
    };
    table.path = path.to_owned();
    match (table.n_rows(), table.n_columns()) {
        (_, 0) => Err(Error::format(path, "the table has no columns")),
        (0, _) => Err(Error::format(path, "the table has no rows")),
        _ => Ok(table),
    }
}

#[cfg(feature = "parquet")]
fn parse_parquet(bytes: Vec<u8>, path: &Path, max_bytes: u64) -> Result<Table> {
    crate::io::parquet::parse(bytes, path, max_bytes)
}

#[cfg(not(feature = "parquet"))]
fn parse_parquet(_: Vec<u8>, path: &Path, _: u64) -> Result<Table> {
    Err(Error::format(path, "this build has no Parquet support: convert the table to .csv or .npy"))
}

/// Refuses a table that would take more than `max_bytes`; `None` stands for a size beyond counting.
pub(crate) fn check_size(needed: Option<u64>, max_bytes: u64) -> Result<()> {
    let needed = needed.unwrap_or(u64::MAX);
    if needed > max_bytes {
        let hint = "use fewer rows or columns, or raise the memory budget";
        return Err(Error::memory("the table", needed, max_bytes, hint));
    }
    Ok(())
}

/// Bytes of `rows` × `columns` numbers of `width` bytes each.
pub(crate) fn table_size(rows: usize, columns: usize, width: usize) -> Option<u64> {
    u64::try_from(rows.checked_mul(columns)?.checked_mul(width)?).ok()
}

pub(super) const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

fn gunzip(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<Vec<u8>> {
    let decoder = flate2::read::MultiGzDecoder::new(bytes);
    read_within(decoder, options.max_bytes, 0)?.map_err(|error| {
        Error::format(path, format!("the gzip data is damaged or cut off: {error}"))
    })
}

fn content(source: &Source, max_bytes: u64) -> Result<Vec<u8>> {
    let path = source.path();
    let read = match source {
        Source::Stdin => read_within(io::stdin().lock(), max_bytes, 0)?,
        Source::File(name) => {
            let (file, size) = open(name).map_err(|error| Error::file(path, error))?;
            read_within(file, max_bytes, size)?
        }
    };
    read.map_err(|error| Error::file(path, error))
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        let text = "is a directory: give the name of a table in it";
        return Err(io::Error::new(ErrorKind::IsADirectory, text));
    }
    Ok((file, meta.len()))
}

/// Everything that `input` gives, if that is at most `max_bytes`. `expected` is a hint of the size.
fn read_within(input: impl Read, max_bytes: u64, expected: u64) -> Result<io::Result<Vec<u8>>> {
    check_size(Some(expected), max_bytes)?;
    let mut bytes = Vec::new();
    // One byte more than expected, so that the end of the file is met without growing.
    if bytes
        .try_reserve_exact(usize::try_from(expected).unwrap_or(usize::MAX).saturating_add(1))
        .is_err()
    {
        check_size(None, max_bytes)?;
    }
    let read = input.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes);
    check_size(Some(bytes.len() as u64), max_bytes)?;
    Ok(read.map(|_| bytes))
}
