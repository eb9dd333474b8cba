//! The types that Parquet knows, and what each becomes in a table.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::schema::types::ColumnDescriptor;

use crate::io::cells::{half, moment};
use crate::io::column::Column;

/// Cells on their way from a file to a column.
pub(super) enum Cells {
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Integers stay whole until it is known whether f64 can hold them all.
    Whole(Vec<Option<i128>>),
    Text(Texts),
    /// Moments in time, counted from 1970 in steps of so many nanoseconds; they become texts, never large numbers.
    Dates(Texts, i128),
}

/// Texts, as long as there is memory for them: a few bytes of a file can stand for very many.
pub(super) struct Texts {
    cells: Vec<String>,
    left: u64,
    /// Bytes for which there was none.
    refused: u64,
}

/// Bytes that a text takes beside its letters.
const TEXT: u64 = 48;

impl Texts {
    fn push(&mut self, letters: &[u8]) {
        let bytes = TEXT + letters.len() as u64;
        if self.refused > 0 || bytes > self.left {
            self.refused += bytes;
            return self.cells.push(String::new());
        }
        self.left -= bytes;
        self.cells.push(String::from_utf8_lossy(letters).into_owned());
    }
}

impl Cells {
    /// No cell yet, in the form that the column's type needs.
    pub(super) fn for_column(column: &ColumnDescriptor, left: u64) -> Self {
        let decimal = scale(column).is_some();
        let texts = Texts { cells: Vec::new(), left, refused: 0 };
        if let Some(step) = date_step(column) {
            return Cells::Dates(texts, step);
        }
        match column.physical_type() {
            Physical::FLOAT => Cells::F32(Vec::new()),
            Physical::DOUBLE => Cells::F64(Vec::new()),
            _ if decimal => Cells::F64(Vec::new()),
            Physical::BOOLEAN | Physical::INT32 | Physical::INT64 | Physical::INT96 => {
                Cells::Whole(Vec::new())
            }
            Physical::FIXED_LEN_BYTE_ARRAY if is_half(column) => Cells::F32(Vec::new()),
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => Cells::Text(texts),
        }
    }

    /// The finished column.
    pub(super) fn into_column(self) -> Column {
        let exact = |whole: &Option<i128>| match *whole {
            Some(whole) => (whole as f64 as i128 == whole).then_some(whole as f64),
            None => Some(f64::NAN),
        };
        match self {
            Cells::F32(values) => Column::F32(values),
            Cells::F64(values) => Column::F64(values),
            Cells::Text(texts) | Cells::Dates(texts, _) => Column::Text(texts.cells),
            Cells::Whole(cells) => match cells.iter().map(exact).collect() {
                Some(values) => Column::F64(values),
                None => Column::Text(
                    cells.iter().map(|c| c.map_or_else(String::new, |c| c.to_string())).collect(),
                ),
            },
        }
    }

    /// Bytes of texts that are left, or as an error those for which there was no memory.
    pub(super) fn left(&self, before: u64) -> Result<u64, u64> {
        match self {
            Cells::Text(Texts { refused: 0, left, .. })
            | Cells::Dates(Texts { refused: 0, left, .. }, _) => Ok(*left),
            Cells::Text(texts) | Cells::Dates(texts, _) => Err(texts.refused),
            _ => Ok(before),
        }
    }

    pub(super) fn push_f32(&mut self, value: Option<f32>) {
        if let Cells::F32(values) = self {
            values.push(value.unwrap_or(f32::NAN));
        }
    }

    pub(super) fn push_f64(&mut self, value: Option<f64>) {
        if let Cells::F64(values) = self {
            values.push(value.unwrap_or(f64::NAN));
        }
    }

    /// An integer, or a decimal number whose digits it is.
    pub(super) fn push_whole(&mut self, value: Option<i128>, scale: Option<i32>) {
        match self {
            Cells::Whole(values) => values.push(value),
            Cells::Dates(texts, step) => {
                let text = |count| moment(count, *step, *step == DAY);
                texts.push(value.map_or_else(String::new, text).as_bytes());
            }
            _ => self.push_f64(value.map(|v| v as f64 / 10f64.powi(scale.unwrap_or(0)))),
        }
    }

    /// Bytes: text, a half-precision number, or the digits of a decimal number, highest byte first.
    pub(super) fn push_bytes(&mut self, value: Option<&[u8]>, scale: Option<i32>) {
        match self {
            Cells::Text(texts) => texts.push(value.unwrap_or_default()),
            Cells::F32(_) => self.push_f32(value.map(half)),
            _ => self.push_whole(value.map(signed_big_endian), scale),
        }
    }
}

/// The digits behind the point, if the column holds decimal numbers.
pub(super) fn scale(column: &ColumnDescriptor) -> Option<i32> {
    let logical = matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }));
    let decimal = logical || column.converted_type() == ConvertedType::DECIMAL;
    decimal.then(|| column.type_scale())
}

/// Nanoseconds that one step of a column of dates or moments stands for.
fn date_step(column: &ColumnDescriptor) -> Option<i128> {
    match (column.physical_type(), column.logical_type_ref(), column.converted_type()) {
        (Physical::INT32, Some(LogicalType::Date), _)
        | (Physical::INT32, _, ConvertedType::DATE) => Some(DAY),
        // The old form of a moment in time is read as milliseconds.
        (Physical::INT96, ..) => Some(1_000_000),
        (Physical::INT64, Some(LogicalType::Timestamp(kind)), _) => Some(match kind.unit {
            TimeUnit::MILLIS => 1_000_000,
            TimeUnit::MICROS => 1000,
            TimeUnit::NANOS => 1,
        }),
        (Physical::INT64, _, ConvertedType::TIMESTAMP_MILLIS) => Some(1_000_000),
        (Physical::INT64, _, ConvertedType::TIMESTAMP_MICROS) => Some(1000),
        _ => None,
    }
}

const DAY: i128 = 86_400 * 1_000_000_000;

fn is_half(column: &ColumnDescriptor) -> bool {
    matches!(column.logical_type_ref(), Some(LogicalType::Float16))
}

pub(super) fn is_unsigned(column: &ColumnDescriptor) -> bool {
    use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
    matches!(column.converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64)
}

fn signed_big_endian(bytes: &[u8]) -> i128 {
    let start = if bytes.first().is_some_and(|&byte| byte >= 128) { -1 } else { 0 };
    bytes.iter().fold(start, |digits: i128, &byte| digits << 8 | i128::from(byte))
}
