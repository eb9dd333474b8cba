//! What a file claims about its parts, looked at before the `parquet` crate allocates or loops for it.
//!
//! The crate believes the sizes in page headers, the entries of a dictionary and the lengths of lists in the footer. A few
//! bytes can so ask for gigabytes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;

use super::thrift::{Compact, Shape};

/// Refuses a footer whose fields have other types than the format says, or a list that is longer than the footer.
pub(super) fn check_footer(file: &[u8]) -> ParquetResult<()> {
    let Some((rest, [a, b, c, d, b'P', b'A', b'R', b'1'])) = file.split_last_chunk() else {
        return Ok(()); // No Parquet file: the crate says so.
    };
    let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
    let Some(start) = rest.len().checked_sub(length) else { return Ok(()) };
    Compact(&rest[start..]).check_struct(FOOTER).ok_or_else(|| damaged("the footer"))
}

/// Bytes that reading a column chunk of `rows` rows takes at once: its dictionary as a page and as values, and its largest
/// page. Pages behind the last row are not read.
pub(super) fn chunk_bytes(
    file: &[u8],
    chunk: &ColumnChunkMetaData,
    rows: u64,
) -> ParquetResult<u64> {
    let page_header = || damaged("a page header");
    let (start, length) = chunk.byte_range();
    let end = usize::try_from(start.saturating_add(length)).ok();
    let content =
        usize::try_from(start).ok().zip(end).and_then(|(start, end)| file.get(start..end));
    let mut content = Compact(content.ok_or_else(|| damaged("the place of a column"))?);
    let mut pages = Pages { left: rows, ..Pages::default() };
    while pages.left > 0 && !content.0.is_empty() {
        let page = Page::read(&mut content).ok_or_else(page_header)?;
        content.take(page.compressed).ok_or_else(page_header)?;
        pages.note(&page)?;
    }
    Ok(pages.bytes())
}

/// As [`chunk_bytes`], for a file that is not in memory: only page headers are read.
pub(super) fn chunk_bytes_in(
    file: &File,
    chunk: &ColumnChunkMetaData,
    rows: u64,
) -> ParquetResult<u64> {
    let (start, length) = chunk.byte_range();
    let end = start.checked_add(length).ok_or_else(|| damaged("the place of a column"))?;
    let mut pages = Pages { left: rows, ..Pages::default() };
    let mut place = start;
    while pages.left > 0 && place < end {
        let (page, header) = page_at(file, place, end - place)?;
        let compressed = size(page.compressed)?;
        place = place.saturating_add(header).saturating_add(compressed);
        if place > end {
            return Err(damaged("a page header"));
        }
        pages.note(&page)?;
    }
    Ok(pages.bytes())
}

/// Bytes of a page header that are read at first; statistics can make it longer.
const HEADER: u64 = 1 << 12;
const LONGEST_HEADER: u64 = 1 << 24;

/// The page header at `place`, before which `left` bytes follow, and its length.
fn page_at(file: &File, place: u64, left: u64) -> ParquetResult<(Page, u64)> {
    for window in [HEADER, LONGEST_HEADER] {
        let bytes = bytes_at(file, place, window.min(left))?;
        let mut content = Compact(&bytes);
        if let Some(page) = Page::read(&mut content) {
            return Ok((page, (bytes.len() - content.0.len()) as u64));
        }
    }
    Err(damaged("a page header"))
}

fn bytes_at(mut file: &File, place: u64, length: u64) -> ParquetResult<Vec<u8>> {
    file.seek(SeekFrom::Start(place))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a footer as [`check_footer`] does, of a file that is not in memory.
pub(super) fn check_footer_of(file: &File) -> ParquetResult<()> {
    let size = file.metadata()?.len();
    let end = bytes_at(file, size.saturating_sub(8), 8)?;
    let Some(length) = end.first_chunk::<4>() else { return Ok(()) };
    let length = u64::from(u32::from_le_bytes(*length)).saturating_add(8);
    if length > size {
        return Err(damaged("the length of the footer"));
    }
    check_footer(&bytes_at(file, size - length, length)?)
}

/// What the pages of a column chunk take in memory, as their headers come.
#[derive(Default)]
struct Pages {
    dictionary: u64,
    largest: u64,
    /// Rows that no page was seen of.
    left: u64,
}

impl Pages {
    fn note(&mut self, page: &Page) -> ParquetResult<()> {
        let (uncompressed, values) = (size(page.uncompressed)?, size(page.values)?);
        if page.kind == DICTIONARY {
            // Every value takes bytes of its own.
            if values > uncompressed {
                return Err(damaged("the length of a dictionary"));
            }
            let held = uncompressed.saturating_add(values.saturating_mul(VALUE));
            self.dictionary = self.dictionary.saturating_add(held);
        } else {
            self.largest = self.largest.max(uncompressed);
            self.left = self.left.saturating_sub(values);
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.dictionary.saturating_add(self.largest)
    }
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} cannot be right"))
}

fn size(claimed: i64) -> ParquetResult<u64> {
    u64::try_from(claimed).map_err(|_| damaged("a negative size"))
}

/// Bytes of a dictionary's entry in memory, at most.
const VALUE: u64 = 40;

/// The page that holds the dictionary, among kinds of pages.
const DICTIONARY: i64 = 2;

/// What a page header says.
#[derive(Default)]
struct Page {
    kind: i64,
    uncompressed: i64,
    compressed: i64,
    values: i64,
}

impl Page {
    fn read(input: &mut Compact<'_>) -> Option<Self> {
        let mut page = Self::default();
        Compact(input.0).check_struct(PAGE_HEADER)?;
        input.fields(|input, id, kind| {
            match id {
                1 => page.kind = input.integer()?,
                2 => page.uncompressed = input.integer()?,
                3 => page.compressed = input.integer()?,
                // The header of a data page, a dictionary or a data page of the second version.
                5 | 7 | 8 => input.fields(|input, id, kind| match id {
                    1 => input.integer().map(|values| page.values = values),
                    _ => input.skip(kind),
                })?,
                _ => input.skip(kind)?,
            }
            Some(())
        })?;
        Some(page)
    }
}

// --- the fields of the format, which the crate reads by their numbers, whatever types they come with ---------------------

use Shape::{Bool, Byte, Double, I16, I32, I64, List, Struct, Text};

type Fields = &'static [(i64, Shape)];

const FOOTER: Fields = &[
    (1, I32),
    (2, List(&Struct(SCHEMA_ELEMENT))),
    (3, I64),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&Struct(KEY_VALUE))),
    (6, Text),
    (7, List(&Struct(UNION))),
    (9, Text),
];
const KEY_VALUE: Fields = &[(1, Text), (2, Text)];
/// One of several structs without fields.
const UNION: Fields = &[(1, Struct(&[])), (2, Struct(&[])), (3, Struct(&[]))];
const SCHEMA_ELEMENT: Fields = &[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, Text),
    (5, I32),
    (6, I32),
    (7, I32),
    (8, I32),
    (9, I32),
    (10, Struct(LOGICAL_TYPE)),
];
const LOGICAL_TYPE: Fields = &[
    (5, Struct(&[(1, I32), (2, I32)])),
    (7, Struct(TIME)),
    (8, Struct(TIME)),
    (10, Struct(&[(1, Byte), (2, Bool)])),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Text)])),
    (18, Struct(&[(1, Text), (2, I32)])),
];
const TIME: Fields = &[(1, Bool), (2, Struct(UNION))];
const ROW_GROUP: Fields = &[
    (1, List(&Struct(COLUMN_CHUNK))),
    (2, I64),
    (3, I64),
    (4, List(&Struct(&[(1, I32), (2, Bool), (3, Bool)]))),
    (5, I64),
    (6, I64),
    (7, I16),
];
const COLUMN_CHUNK: Fields =
    &[(1, Text), (2, I64), (3, Struct(COLUMN)), (4, I64), (5, I32), (6, I64), (7, I32), (9, Text)];
const COLUMN: Fields = &[
    (1, I32),
    (2, List(&I32)),
    (3, List(&Text)),
    (4, I32),
    (5, I64),
    (6, I64),
    (7, I64),
    (8, List(&Struct(KEY_VALUE))),
    (9, I64),
    (10, I64),
    (11, I64),
    (12, Struct(STATISTICS)),
    (13, List(&Struct(&[(1, I32), (2, I32), (3, I32)]))),
    (14, I64),
    (15, I32),
    (16, Struct(&[(1, I64), (2, List(&I64)), (3, List(&I64))])),
    (17, Struct(&[(1, Struct(BOX)), (2, List(&I32))])),
];
const STATISTICS: Fields = &[
    (1, Text),
    (2, Text),
    (3, I64),
    (4, I64),
    (5, Text),
    (6, Text),
    (7, Bool),
    (8, Bool),
    (9, I64),
];
const BOX: Fields = &[
    (1, Double),
    (2, Double),
    (3, Double),
    (4, Double),
    (5, Double),
    (6, Double),
    (7, Double),
    (8, Double),
];
const PAGE_HEADER: Fields = &[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, I32),
    (5, Struct(&[(1, I32), (2, I32), (3, I32), (4, I32), (5, Struct(STATISTICS))])),
    (6, Struct(&[])),
    (7, Struct(&[(1, I32), (2, I32), (3, Bool)])),
    (
        8,
        Struct(&[
            (1, I32),
            (2, I32),
            (3, I32),
            (4, I32),
            (5, I32),
            (6, I32),
            (7, Bool),
            (8, Struct(STATISTICS)),
        ]),
    ),
];
