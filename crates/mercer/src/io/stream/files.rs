//! Which files a table consists of: one, those of a directory, or those that a pattern matches; in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::io::read::Format;

/// Whether `path` stands for several files: a directory, or a pattern with `*` or `?` that is no file itself.
pub fn is_several(path: &Path) -> bool {
    path.is_dir() || (is_pattern(path) && !path.exists())
}

fn is_pattern(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.contains(['*', '?']))
}

/// The files that `path` stands for.
pub fn table_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !is_several(path) {
        return Ok(vec![path.to_owned()]);
    }
    let (directory, pattern) = match path.is_dir() {
        true => (path, None),
        false => (
            path.parent().unwrap_or(Path::new("")),
            path.file_name().and_then(|name| name.to_str()),
        ),
    };
    let found = match pattern {
        Some(pattern) => named(directory, |name| matches(pattern.as_bytes(), name.as_bytes()))?,
        // Names that start with a dot or an underscore are those of notes about the table.
        None => named(directory, |name| {
            !name.starts_with(['.', '_']) && Format::of(Path::new(name)).is_some()
        })?,
    };
    if found.is_empty() {
        let what =
            if pattern.is_some() { "no file matches" } else { "the directory holds no table" };
        return Err(Error::format(path, what));
    }
    check_formats(path, &found)?;
    Ok(found)
}

/// The files of a directory whose names are `wanted`, sorted by name.
fn named(directory: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let place = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let failed = |error| Error::file(place, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(place).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if wanted(&name.to_string_lossy()) && !entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names.iter().map(|name| directory.join(name)).collect())
}

/// Refuses files of several formats.
fn check_formats(path: &Path, files: &[PathBuf]) -> Result<()> {
    let first = Format::of(&files[0]);
    match files.iter().find(|file| Format::of(file) != first) {
        None => Ok(()),
        Some(other) => {
            let name =
                |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let message = format!(
                "holds tables of several formats ({} and {}): give a pattern, such as '*.parquet'",
                name(&files[0]),
                name(other)
            );
            Err(Error::format(path, message))
        }
    }
}

/// Whether `name` matches a pattern, in which `*` stands for any text and `?` for one character.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            matches(rest, name) || (!name.is_empty() && matches(pattern, &name[1..]))
        }
        (Some((b'?', rest)), Some((_, after))) => matches(rest, after),
        (Some((a, rest)), Some((b, after))) => a == b && matches(rest, after),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name) in [("*.parquet", "a.parquet"), ("part-?.csv", "part-1.csv"), ("*", "")]
        {
            assert!(matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
        for (pattern, name) in [("*.parquet", "a.csv"), ("part-?.csv", "part-.csv"), ("a*b", "ac")]
        {
            assert!(!matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
    }
}
