//! Output files. A path is checked when it is parsed: its extension is known, it is not a directory, and
//! its directory exists.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use mercer::io::Format;

/// A table to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// The file.
    pub path: PathBuf,
    /// Its format, from the file extension.
    pub format: Format,
}

/// A picture to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub path: PathBuf,
    /// Its format, from the file extension.
    pub format: PictureFormat,
}

/// Formats in which pictures are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
    /// Characters on standard output; the path is `-`.
    Terminal,
}

/// A report to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// The file.
    pub path: PathBuf,
}

/// A model file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// The file.
    pub path: PathBuf,
}

impl TryFrom<OsString> for TableFile {
    type Error = String;

    fn try_from(text: OsString) -> Result<Self, String> {
        let path = writable(text)?;
        let format = Format::of(&path).ok_or(
            "the file extension must be .csv, .tsv, .parquet, .arrow, .npy or .libsvm, optionally followed by .gz",
        )?;
        Ok(Self { path, format })
    }
}

impl Picture {
    /// Whether it is printed, and not written to a file.
    pub fn is_printed(&self) -> bool {
        self.format == PictureFormat::Terminal
    }
}

impl TryFrom<OsString> for Picture {
    type Error = String;

    fn try_from(text: OsString) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self { path: "-".into(), format: PictureFormat::Terminal });
        }
        let path = writable(text)?;
        let format = match ending(&path).as_str() {
            "svg" => PictureFormat::Svg,
            "png" => PictureFormat::Png,
            _ => {
                return Err(
                    "the file extension must be .svg or .png; use - for the terminal".into()
                );
            }
        };
        Ok(Self { path, format })
    }
}

impl TryFrom<OsString> for PageFile {
    type Error = String;

    fn try_from(text: OsString) -> Result<Self, String> {
        let path = writable(text)?;
        match ending(&path).as_str() {
            "html" | "htm" => Ok(Self { path }),
            _ => Err("the file extension must be .html".into()),
        }
    }
}

impl TryFrom<OsString> for ModelFile {
    type Error = String;

    fn try_from(text: OsString) -> Result<Self, String> {
        if text == "-" {
            return Err("a model cannot be printed: name a file".into());
        }
        Ok(Self { path: writable(text)? })
    }
}

fn ending(path: &Path) -> String {
    path.extension().map_or(String::new(), |e| e.to_string_lossy().to_ascii_lowercase())
}

/// The path, if it looks writable; nothing is written to find out.
fn writable(text: OsString) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        return Err("this is a directory; a file name is required".into());
    }
    if path.file_name().is_none() {
        return Err("this is not a file name".into());
    }
    let directory = directory_of(&path);
    if !directory.is_dir() {
        return Err(format!("the directory {} does not exist", directory.display()));
    }
    Ok(path)
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

/// Whether two paths name one file, even through links and dots in directory names.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    let canonical = |path: &Path| {
        let directory = directory_of(path).canonicalize().ok()?;
        Some(directory.join(path.file_name()?))
    };
    canonical(a).is_some() && canonical(a) == canonical(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_decide_the_format() {
        let table = |name: &str| TableFile::try_from(OsString::from(name)).map(|file| file.format);
        assert_eq!(table("out.CSV"), Ok(Format::Csv));
        assert_eq!(table("out.parquet"), Ok(Format::Parquet));
        assert_eq!(table("out.tsv.gz"), Ok(Format::Tsv));
        assert!(table("out").unwrap_err().contains(".npy"));
        let picture = Picture::try_from(OsString::from("a.png")).unwrap();
        assert_eq!(picture.format, PictureFormat::Png);
        assert!(Picture::try_from(OsString::from("a.jpg")).is_err());
        assert!(
            Picture::try_from(OsString::from("-")).unwrap().is_printed() && !picture.is_printed()
        );
        let page = |name: &str| PageFile::try_from(OsString::from(name));
        assert!(page("a.html").is_ok() && page("a.HTM").is_ok());
        assert!(page("a.pdf").unwrap_err().contains(".html"));
    }

    #[test]
    fn directories_are_refused_and_must_exist() {
        assert!(writable(".".into()).unwrap_err().contains("directory"));
        assert!(writable("no/such/a.csv".into()).unwrap_err().contains("does not exist"));
        assert!(writable("".into()).is_err());
    }

    #[test]
    fn dots_do_not_make_another_file() {
        assert!(same_file(Path::new("a.csv"), Path::new("./a.csv")));
        assert!(!same_file(Path::new("a.csv"), Path::new("b.csv")));
    }
}
