//! The header of a NumPy array.

use super::MAGIC;

/// What the header says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    /// Type code and bytes per number: `('f', 8)`.
    pub(super) kind: (u8, usize),
    pub(super) big_endian: bool,
    pub(super) fortran: bool,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The header's text and the numbers behind it.
pub(super) fn split_header(bytes: &[u8]) -> std::result::Result<(&str, &[u8]), String> {
    let cut_off = || "the file ends within the header: it is cut off".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or("the file does not start like a NumPy array")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut_off)?;
    let (length, rest) = match version[0] {
        1 => rest.split_first_chunk().map(|(n, rest)| (u32::from(u16::from_le_bytes(*n)), rest)),
        2 | 3 => rest.split_first_chunk().map(|(n, rest)| (u32::from_le_bytes(*n), rest)),
        other => {
            return Err(format!("version {other} of the .npy format is not supported"));
        }
    }
    .ok_or_else(cut_off)?;
    let length = usize::try_from(length).map_err(|_| cut_off())?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(cut_off)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text".to_owned())?;
    Ok((header, data))
}

/// What the header's text says.
pub(super) fn parse_head(text: &str) -> std::result::Result<Head, String> {
    let descr = value_of(text, "descr").ok_or("the header has no 'descr'")?;
    let order = value_of(text, "fortran_order").ok_or("the header has no 'fortran_order'")?;
    let shape = value_of(text, "shape").ok_or("the header has no 'shape'")?;
    let (kind, big_endian) = parse_descr(descr)?;
    let fortran = match order.trim_end() {
        _ if order.starts_with("True") => true,
        _ if order.starts_with("False") => false,
        other => {
            return Err(format!("fortran_order is neither True nor False: {other:.20}"));
        }
    };
    let (rows, columns) = parse_shape(shape)?;
    Ok(Head { kind, big_endian, fortran, rows, columns })
}

/// What follows `'key':` in the dictionary.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let after =
        |quote: char| text.split_once(&format!("{quote}{key}{quote}")).map(|(_, rest)| rest);
    Some(after('\'').or_else(|| after('"'))?.trim_start().strip_prefix(':')?.trim_start())
}

/// `'<f8'` and its like.
fn parse_descr(text: &str) -> std::result::Result<((u8, usize), bool), String> {
    let quoted = text.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next());
    let Some(descr) = quoted else {
        return Err("the array holds records: save one plain array of numbers".to_owned());
    };
    let (order, kind) = match descr.as_bytes() {
        [order @ (b'<' | b'>' | b'|' | b'='), kind @ ..] => (*order, kind),
        kind => (b'|', kind),
    };
    let kind = match kind {
        b"f4" | b"f8" | b"i1" | b"i2" | b"i4" | b"i8" | b"u1" | b"u2" | b"u4" | b"u8" | b"b1" => {
            (kind[0], usize::from(kind[1] - b'0'))
        }
        _ => {
            return Err(format!(
                "the array holds numbers of type {descr:?}: convert it with .astype(\"float64\") first"
            ));
        }
    };
    Ok((kind, order == b'>'))
}

/// `(3,)` or `(3, 4)`.
fn parse_shape(text: &str) -> std::result::Result<(usize, usize), String> {
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (inner, _) = inner.ok_or("the header's shape is not a tuple")?;
    let sizes: Option<Vec<usize>> = inner
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.trim_end_matches('L').parse().ok())
        .collect();
    match sizes.as_deref() {
        Some(&[rows]) => Ok((rows, 1)),
        Some(&[rows, columns]) => Ok((rows, columns)),
        Some(sizes) => Err(format!(
            "the array has {} dimensions, but rows and columns are needed: reshape it to two dimensions",
            sizes.len()
        )),
        None => Err(format!("the header's shape cannot be read: ({inner:.40})")),
    }
}
