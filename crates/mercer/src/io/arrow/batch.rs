//! Cells of some rows, from buffers to columns. A null is NaN among numbers and empty among texts.

use std::borrow::Cow;
use std::io::Read;

use super::flat::{Flat, List};
use super::schema::{Field, Kind};
use super::{Fault, Found, check};
use crate::io::cells::{half, moment};
use crate::io::column::Column;

/// Bytes that a number takes while tables are put together, and that a text takes beside its letters.
const NUMBER: u64 = 16;
const TEXT: u64 = 48;

/// The rows of a message.
pub(super) struct Batch<'a> {
    pub rows: usize,
    nodes: List<'a>,
    buffers: List<'a>,
    views: List<'a>,
    /// How buffers are compressed.
    codec: Option<u8>,
    body: &'a [u8],
    /// The next column, buffer, and column of views.
    at: (usize, usize, usize),
}

/// One column of a message.
pub(super) struct Part<'a> {
    rows: usize,
    has_nulls: bool,
    buffers: Vec<&'a [u8]>,
}

/// What reading may still take.
pub(super) struct Budget {
    pub used: u64,
    pub most: u64,
}

impl Budget {
    pub fn take(&mut self, bytes: u64) -> Found<()> {
        self.used = self.used.saturating_add(bytes);
        check(self.used, self.most)
    }
}

impl<'a> Batch<'a> {
    /// The batch that the metadata `head` describes.
    pub fn new(head: &Flat<'a>, body: &'a [u8]) -> Option<Self> {
        let codec = match head.table(3)? {
            None => None,
            Some(about) => Some(about.u8(0)?),
        };
        let (nodes, buffers, views) = (head.list(1, 16)?, head.list(2, 16)?, head.list(4, 8)?);
        Some(Self { rows: head.size(0)?, nodes, buffers, views, codec, body, at: (0, 0, 0) })
    }

    /// The next column, whose cells are of `kind`.
    pub fn part(&mut self, kind: Kind) -> Option<Part<'a>> {
        let (rows, nulls) = self.nodes.pair(self.at.0)?;
        let mut count = kind.buffers();
        if kind == Kind::View {
            count = count.checked_add(self.views.size(self.at.2)?)?;
            self.at.2 += 1;
        }
        // No more than there are, whatever is claimed.
        let end = self.at.1.checked_add(count).filter(|end| *end <= self.buffers.count)?;
        let buffer = |i: usize| {
            let (start, length) = self.buffers.pair(i)?;
            self.body.get(start..start.checked_add(length)?)
        };
        let buffers = (self.at.1..end).map(buffer).collect::<Option<Vec<_>>>()?;
        (self.at.0, self.at.1) = (self.at.0 + 1, end);
        (rows == self.rows).then_some(Part { rows, has_nulls: nulls > 0, buffers })
    }

    /// The cells of a column.
    pub fn column(&self, part: &Part<'a>, kind: Kind, budget: &mut Budget) -> Found<Column> {
        let unpacked = part.buffers.iter().map(|buffer| unpack(buffer, self.codec, budget));
        let buffers = unpacked.collect::<Result<Vec<_>, _>>()?;
        let valid = Valid::new(part, &buffers).ok_or(Fault::Damaged)?;
        let (rows, fixed) = (part.rows, |width| cells(&buffers, part.rows, width));
        budget.take(NUMBER.saturating_mul(rows as u64))?;
        Ok(match kind {
            Kind::Null => Column::F64(vec![f64::NAN; rows]),
            Kind::Double => {
                Column::F64(valid.apply(f64::NAN, fixed(8)?, |c| f64::from_le_bytes(le(c))))
            }
            Kind::Single => {
                Column::F32(valid.apply(f32::NAN, fixed(4)?, |c| f32::from_le_bytes(le(c))))
            }
            Kind::Half => Column::F32(valid.apply(f32::NAN, fixed(2)?, half)),
            Kind::Bool => {
                let bits = bits(&buffers, rows).ok_or(Fault::Damaged)?;
                let bit = |i: usize| f64::from(bits[i / 8] >> (i % 8) & 1);
                Column::F64(
                    (0..rows).map(|i| if valid.at(i) { bit(i) } else { f64::NAN }).collect(),
                )
            }
            Kind::Whole { bytes, is_signed } => {
                let exact = |cell: &[u8]| {
                    Some(whole(cell, is_signed) as f64)
                        .filter(|value| *value as i128 == whole(cell, is_signed))
                };
                let numbers = valid.apply(Some(f64::NAN), fixed(bytes)?, exact);
                match numbers.into_iter().collect() {
                    Some(numbers) => Column::F64(numbers),
                    // Digits that f64 would lose.
                    None => {
                        budget.take(2 * TEXT * rows as u64)?;
                        let text = |cell: &[u8]| whole(cell, is_signed).to_string();
                        Column::Text(valid.apply(String::new(), fixed(bytes)?, text))
                    }
                }
            }
            Kind::Decimal { bytes, scale } => {
                let read = |cell: &[u8]| whole(cell, true) as f64 / 10_f64.powi(scale);
                Column::F64(valid.apply(f64::NAN, fixed(bytes)?, read))
            }
            Kind::Moment { bytes, step } => {
                budget.take(2 * TEXT * rows as u64)?;
                let read = |cell: &[u8]| moment(whole(cell, true), step, Kind::is_day(step));
                Column::Text(valid.apply(String::new(), fixed(bytes)?, read))
            }
            Kind::Text { bytes } => texts(&valid, rows, budget, |i| letters(&buffers, bytes, i))?,
            Kind::View => texts(&valid, rows, budget, |i| viewed(&buffers, i))?,
        })
    }

    /// The cells of a column of places in a dictionary.
    pub fn looked_up(
        &self,
        part: &Part<'a>,
        places: Kind,
        values: &Column,
        budget: &mut Budget,
    ) -> Found<Column> {
        let places = self.column(part, places, budget)?;
        let place = |row: usize| match places.number(row) {
            Some(place) if place.is_nan() => Ok(None),
            Some(place) if place >= 0.0 && place < values.len() as f64 => Ok(Some(place as usize)),
            _ => Err(Fault::Damaged),
        };
        let places = (0..part.rows).map(place).collect::<Result<Vec<_>, _>>()?;
        let number = |place: &Option<usize>| place.map_or(Some(f64::NAN), |at| values.number(at));
        match values {
            Column::Text(cells) => {
                let letters = places.iter().flatten().map(|&at| cells[at].len() as u64);
                budget.take(letters.sum::<u64>().saturating_add(TEXT * part.rows as u64))?;
                let text =
                    |place: &Option<usize>| place.map_or_else(String::new, |at| cells[at].clone());
                Ok(Column::Text(places.iter().map(text).collect()))
            }
            _ => Ok(Column::F64(places.iter().filter_map(number).collect())),
        }
    }
}

/// Which cells are there.
struct Valid<'a>(Option<&'a [u8]>);

impl<'a> Valid<'a> {
    fn new(part: &Part<'_>, buffers: &'a [Cow<'_, [u8]>]) -> Option<Self> {
        match buffers.first() {
            Some(bits) if part.has_nulls && !bits.is_empty() => {
                bits.get(..part.rows.div_ceil(8)).map(|bits| Self(Some(bits)))
            }
            _ => Some(Self(None)),
        }
    }

    fn at(&self, row: usize) -> bool {
        self.0.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1)
    }

    fn apply<'c, T: Clone>(
        &self,
        missing: T,
        cells: impl Iterator<Item = &'c [u8]>,
        read: impl Fn(&[u8]) -> T,
    ) -> Vec<T> {
        let one = |(row, cell)| if self.at(row) { read(cell) } else { missing.clone() };
        cells.enumerate().map(one).collect()
    }
}

/// A buffer as it was before it was compressed.
fn unpack<'a>(bytes: &'a [u8], codec: Option<u8>, budget: &mut Budget) -> Found<Cow<'a, [u8]>> {
    let (Some(codec), false) = (codec, bytes.is_empty()) else { return Ok(bytes.into()) };
    let (size, packed) = bytes.split_first_chunk::<8>().ok_or(Fault::Damaged)?;
    let size = i64::from_le_bytes(*size);
    if size == -1 {
        return Ok(packed.into());
    }
    let size = u64::try_from(size).map_err(|_| Fault::Damaged)?;
    budget.take(size)?;
    let mut plain = Vec::new();
    let read = unpacking(packed, codec)?.take(size).read_to_end(&mut plain);
    match read {
        Ok(count) if count as u64 == size => Ok(plain.into()),
        _ => Err(Fault::Damaged),
    }
}

#[cfg(feature = "parquet")]
fn unpacking(packed: &[u8], codec: u8) -> Found<Box<dyn Read + '_>> {
    match codec {
        0 => Ok(Box::new(lz4_flex::frame::FrameDecoder::new(packed))),
        1 => match zstd::stream::read::Decoder::with_buffer(packed) {
            Ok(decoder) => Ok(Box::new(decoder)),
            Err(_) => Err(Fault::Damaged),
        },
        _ => Err(Fault::Damaged),
    }
}

#[cfg(not(feature = "parquet"))]
fn unpacking(_: &[u8], _: u8) -> Found<Box<dyn Read>> {
    Err(Fault::Unknown(
        "this build reads no compressed Arrow data: write it without compression".into(),
    ))
}

/// The cells of a buffer of equally wide ones.
fn cells<'b>(
    buffers: &'b [Cow<'_, [u8]>],
    rows: usize,
    width: usize,
) -> Found<impl Iterator<Item = &'b [u8]>> {
    let bytes = rows.checked_mul(width).and_then(|bytes| buffers.get(1)?.get(..bytes));
    bytes.map(|bytes| bytes.chunks_exact(width)).ok_or(Fault::Damaged)
}

fn bits<'b>(buffers: &'b [Cow<'_, [u8]>], rows: usize) -> Option<&'b [u8]> {
    buffers.get(1)?.get(..rows.div_ceil(8))
}

fn le<const N: usize>(cell: &[u8]) -> [u8; N] {
    cell.try_into().expect("cells of this width")
}

/// An integer, lowest byte first.
fn whole(cell: &[u8], is_signed: bool) -> i128 {
    let is_negative = is_signed && cell.last().is_some_and(|byte| byte >> 7 == 1);
    let mut wide = [if is_negative { 255 } else { 0 }; 16];
    wide[..cell.len()].copy_from_slice(cell);
    i128::from_le_bytes(wide)
}

/// Texts; their letters are counted before any of them is copied.
fn texts<'b>(
    valid: &Valid<'_>,
    rows: usize,
    budget: &mut Budget,
    letters: impl Fn(usize) -> Option<&'b [u8]>,
) -> Found<Column> {
    let cell = |row: usize| if valid.at(row) { letters(row) } else { Some(&[][..]) };
    let mut found = Vec::with_capacity(rows);
    for row in 0..rows {
        let letters = cell(row).ok_or(Fault::Damaged)?;
        budget.take(TEXT + letters.len() as u64)?;
        found.push(String::from_utf8_lossy(letters).into_owned());
    }
    Ok(Column::Text(found))
}

/// The letters of row `i` between two places of `width` bytes.
fn letters<'b>(buffers: &'b [Cow<'_, [u8]>], width: usize, i: usize) -> Option<&'b [u8]> {
    let place = |i: usize| {
        let cell = buffers.get(1)?.get(i * width..(i + 1) * width)?;
        usize::try_from(whole(cell, true)).ok()
    };
    buffers.get(2)?.get(place(i)?..place(i + 1)?)
}

/// The letters that view `i` holds or points to.
fn viewed<'b>(buffers: &'b [Cow<'_, [u8]>], i: usize) -> Option<&'b [u8]> {
    let view = buffers.get(1)?.get(i * 16..(i + 1) * 16)?;
    let number = |at: usize| usize::try_from(whole(&view[at..at + 4], true)).ok();
    let length = number(0)?;
    if length <= 12 {
        return Some(&view[4..4 + length]);
    }
    let start = number(12)?;
    buffers.get(2..)?.get(number(8)?)?.get(start..start.checked_add(length)?)
}

/// A column without cells that has the type of `field`.
pub(super) fn empty(field: &Field) -> Column {
    match field.kind {
        kind if kind.is_text() => Column::Text(Vec::new()),
        Kind::Single | Kind::Half if field.dictionary.is_none() => Column::F32(Vec::new()),
        _ => Column::F64(Vec::new()),
    }
}
