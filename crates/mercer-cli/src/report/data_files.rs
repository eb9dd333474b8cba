//! The files that a run read: name, size, checksum and rows.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mercer::error::bytes;
use mercer::io::{Column, Source, Table};
use mercer::{Context, Error, Result};

use super::html;
use crate::summary::shown;

/// A table that was read, and its rows.
pub type InputFile = (Source, usize);

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// A table of the files, with the size and the CRC-32 checksum of each.
pub fn table(context: &Context, files: &[InputFile]) -> String {
    let described: Vec<(String, String, String)> =
        files.iter().map(|(source, _)| describe(context, source)).collect();
    let column = |of: fn(&(String, String, String)) -> &String| {
        Column::Text(described.iter().map(|file| of(file).clone()).collect())
    };
    let rows = Column::F64(files.iter().map(|(_, rows)| *rows as f64).collect());
    let names = ["file", "size", "CRC-32", "rows"].map(String::from).into();
    let columns =
        vec![column(|file| &file.0), column(|file| &file.1), column(|file| &file.2), rows];
    html::table("", &Table::new(names, columns), files.len())
}

/// Name, size and checksum.
fn describe(context: &Context, source: &Source) -> (String, String, String) {
    let Source::File(path) = source else {
        let none = || "not known".to_string();
        return ("standard input".into(), none(), none());
    };
    match checksum(context, path) {
        Ok((size, sum)) => (shown(path), size_of_file(size), format!("{sum:08x}")),
        Err(error) => (shown(path), "not known".into(), format!("not available: {error}")),
    }
}

fn size_of_file(size: u64) -> String {
    match size {
        0..1024 => format!("{size} bytes"),
        _ => format!("{size} bytes ({})", bytes(size)),
    }
}

/// The size and the CRC-32 checksum of a file.
fn checksum(context: &Context, path: &Path) -> Result<(u64, u32)> {
    let failed = |source| Error::file(path, source);
    let mut file = File::open(path).map_err(failed)?;
    let (mut sum, mut size, mut piece) = (crc32fast::Hasher::new(), 0, vec![0; PIECE]);
    loop {
        let count = file.read(&mut piece).map_err(failed)?;
        if count == 0 {
            return Ok((size, sum.finalize()));
        }
        sum.update(&piece[..count]);
        size += count as u64;
        context.poll()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        let path = std::env::temp_dir().join(format!("mercer-crc-{}", std::process::id()));
        std::fs::write(&path, "123456789").unwrap();
        let found = checksum(&Context::new(1), &path).unwrap();
        std::fs::remove_file(&path).unwrap();
        // The check value of CRC-32 in every table of checksums.
        assert_eq!(found, (9, 0xcbf4_3926));
        assert!(checksum(&Context::new(1), &path).is_err());
    }

    #[test]
    fn standard_input_has_no_checksum() {
        let html = table(&Context::new(1), &[(Source::Stdin, 12)]);
        assert!(html.contains("standard input") && html.contains("not known"), "{html}");
    }
}
