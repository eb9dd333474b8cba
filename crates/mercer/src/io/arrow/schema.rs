//! The columns of an Arrow table: what their cells are.

use super::flat::Flat;
use super::{Fault, Found};

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub name: String,
    pub kind: Kind,
    /// Where cells are places in a dictionary: its number, and what the places are.
    pub dictionary: Option<(i64, Kind)>,
}

/// What cells are, and how many bytes each takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool,
    Whole {
        bytes: usize,
        is_signed: bool,
    },
    Half,
    Single,
    Double,
    /// Moments in time, counted from 1970 in steps of so many nanoseconds.
    Moment {
        bytes: usize,
        step: i128,
    },
    /// Integers of which so many digits stand behind the point.
    Decimal {
        bytes: usize,
        scale: i32,
    },
    /// Letters behind each other, with places of 4 or 8 bytes.
    Text {
        bytes: usize,
    },
    /// Views of letters.
    View,
}

const DAY: i128 = 86_400 * 1_000_000_000;

impl Kind {
    /// Buffers of a column, without those that views point to.
    pub fn buffers(self) -> usize {
        match self {
            Kind::Null => 0,
            Kind::Text { .. } => 3,
            _ => 2,
        }
    }

    /// Whether cells become text.
    pub fn is_text(self) -> bool {
        matches!(self, Kind::Text { .. } | Kind::View | Kind::Moment { .. })
    }

    /// Whether a moment is a day.
    pub fn is_day(step: i128) -> bool {
        step == DAY
    }

    fn of(field: &Flat<'_>, name: &str) -> Found<Self> {
        let about = field.table(3).flatten().ok_or(Fault::Damaged)?;
        let kind = field.u8(2).ok_or(Fault::Damaged)?;
        let found = match kind {
            1 => Some(Kind::Null),
            2 => whole(&about),
            3 => match about.i16(0, 0) {
                Some(0) => Some(Kind::Half),
                Some(1) => Some(Kind::Single),
                Some(2) => Some(Kind::Double),
                _ => None,
            },
            4 | 5 => Some(Kind::Text { bytes: 4 }),
            6 => Some(Kind::Bool),
            7 => decimal(&about),
            8 => match about.i16(0, 1) {
                Some(0) => Some(Kind::Moment { bytes: 4, step: DAY }),
                Some(1) => Some(Kind::Moment { bytes: 8, step: 1_000_000 }),
                _ => None,
            },
            10 => about.i16(0, 0).and_then(|unit| {
                let step = 1000_i128.checked_pow(3_u32.checked_sub(u32::try_from(unit).ok()?)?)?;
                Some(Kind::Moment { bytes: 8, step })
            }),
            19 | 20 => Some(Kind::Text { bytes: 8 }),
            23 | 24 => Some(Kind::View),
            _ => None,
        };
        let is_nested = field.list(5, 4).is_none_or(|children| children.count > 0);
        found.filter(|_| !is_nested).ok_or_else(|| {
            Fault::Unknown(format!(
                "column {name:?} has a type that is not read: use numbers, booleans, strings, dates or times, or categories of these"
            ))
        })
    }
}

fn whole(about: &Flat<'_>) -> Option<Kind> {
    let bytes = usize::try_from(about.i32(0, 0)?).ok()? / 8;
    let is_signed = about.u8(1)? != 0;
    matches!(bytes, 1 | 2 | 4 | 8).then_some(Kind::Whole { bytes, is_signed })
}

fn decimal(about: &Flat<'_>) -> Option<Kind> {
    let bytes = usize::try_from(about.i32(2, 128)?).ok()? / 8;
    matches!(bytes, 4 | 8 | 16).then_some(Kind::Decimal { bytes, scale: about.i32(1, 0)? })
}

/// Bytes that a column takes beside its cells.
const COLUMN: u64 = 128;

/// The columns that a schema lists, and the bytes that their names take: many can point to one long name.
pub(super) fn fields(schema: &Flat<'_>, most: u64) -> Found<(Vec<Field>, u64)> {
    if schema.i16(0, 0) != Some(0) {
        return Err(Fault::Unknown("the numbers are big-endian, which is not read".into()));
    }
    let list = schema.list(1, 4).ok_or(Fault::Damaged)?;
    let (mut fields, mut bytes) = (Vec::new(), 0);
    for i in 0..list.count {
        let field = list.table(i).ok_or(Fault::Damaged)?;
        let name = field.text(0).ok_or(Fault::Damaged)?;
        bytes += COLUMN + name.len() as u64;
        super::check(bytes, most)?;
        let kind = Kind::of(&field, name)?;
        let dictionary = match field.table(4).ok_or(Fault::Damaged)? {
            None => None,
            Some(about) => Some(dictionary(&about).ok_or(Fault::Damaged)?),
        };
        fields.push(Field { name: name.into(), kind, dictionary });
    }
    Ok((fields, bytes))
}

fn dictionary(about: &Flat<'_>) -> Option<(i64, Kind)> {
    let places = match about.table(1)? {
        Some(places) => whole(&places)?,
        None => Kind::Whole { bytes: 4, is_signed: true },
    };
    Some((about.i64(0)?, places))
}
