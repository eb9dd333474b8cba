//! What a text table does not say about itself: its separator, whether it has a header, and how its numbers are written.

use csv::ByteRecord;

use super::cell_text;
use crate::io::column::{is_missing, parse_number};

/// Whether the first row of a table holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    Names,
    Data,
    /// A name of a column of texts, which may be a text of that column all the same.
    PerhapsNames,
    /// Texts and the numbers 0, 1, 2, …: names of columns as often as data.
    Unknown,
}

/// What the first row holds: see [`Header::Auto`](crate::io::Header::Auto).
pub(super) fn header(first: &ByteRecord, second: Option<&ByteRecord>, delimiter: u8) -> Guess {
    let number = |cell: &[u8]| {
        let text = cell_text(cell).trim();
        let is_comma = delimiter != b',' && plain_number(text, Style::DecimalComma).is_some();
        parse_number(text).is_some() || is_comma
    };
    let text = |cell: &[u8]| !number(cell) && !is_missing(cell_text(cell));
    let Some(second) = second else {
        return if first.iter().any(number) { Guess::Data } else { Guess::Names };
    };
    let above_number = first.iter().zip(second).any(|(a, b)| text(a) && number(b));
    match (above_number, first.iter().any(number)) {
        (true, _) => Guess::Names,
        (false, true) if first.iter().any(text) && is_numbered(first, second) => Guess::Unknown,
        (false, true) => Guess::Data,
        // A list of texts has a name above it or has not; several columns have names more often than not.
        (false, false) if first.len() == 1 => Guess::PerhapsNames,
        (false, false) => Guess::Names,
    }
}

/// Whether the numbers of the first row count columns (`species,0,1,2`), and those of the second do not.
fn is_numbered(first: &ByteRecord, second: &ByteRecord) -> bool {
    let counted = |record: &ByteRecord| {
        let numbers: Vec<f64> =
            record.iter().filter_map(|cell| parse_number(cell_text(cell))).collect();
        let start = numbers.first().copied().unwrap_or(f64::NAN);
        let is_count = |(place, value): (usize, &f64)| *value == start + place as f64;
        numbers.len() >= 2
            && (start == 0.0 || start == 1.0)
            && numbers.iter().enumerate().all(is_count)
    };
    counted(first) && !counted(second)
}

/// Bytes and lines that are looked at.
const SAMPLE: usize = 1 << 16;
const LINES: usize = 20;

/// The separator: one that every one of the first lines has equally often, or else the one that the first line has most,
/// outside quotes. A comma comes last, because it may stand within numbers.
pub(super) fn sniff_delimiter(bytes: &[u8]) -> u8 {
    const CANDIDATES: [u8; 4] = *b"\t;|,";
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let widths = |delimiter: u8| widths(sample, delimiter, bytes.len() > sample.len());
    let is_regular = |delimiter: &u8| {
        let widths = widths(*delimiter);
        widths.len() > 1 && widths[0] > 1 && widths.iter().all(|width| *width == widths[0])
    };
    if let Some(found) = CANDIDATES.into_iter().find(is_regular) {
        return found;
    }
    let first = |delimiter: &u8| widths(*delimiter).first().copied().unwrap_or(0);
    // Of equal ones the last, which is the comma.
    CANDIDATES.into_iter().max_by_key(first).unwrap_or(b',')
}

/// The number of cells of each of the first lines. What stands in quotes separates nothing.
fn widths(sample: &[u8], delimiter: u8, is_cut: bool) -> Vec<usize> {
    let (mut widths, mut width, mut quoted, mut is_blank) = (Vec::new(), 1, false, true);
    for &byte in sample {
        match byte {
            b'\n' | b'\r' if !quoted => {
                if !is_blank {
                    widths.push(width);
                }
                (width, is_blank) = (1, true);
                if widths.len() == LINES {
                    return widths;
                }
                continue;
            }
            b'"' => quoted = !quoted,
            byte if byte == delimiter && !quoted => width += 1,
            _ => {}
        }
        is_blank = false;
    }
    // The last line of a sample may be cut off.
    if !is_blank && (!is_cut || widths.is_empty()) {
        widths.push(width);
    }
    widths
}

/// How numbers are written beside the plain way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `1,234,567.5`.
    CommaThousands,
    /// `1.234.567,5` and `0,5`.
    DecimalComma,
    /// `1 234 567.5` and `1'234'567.5`.
    SpacedThousands,
}

/// The cells of a column as plain numbers, if all that are not missing are numbers in another style of writing. Cells that
/// can be read as they are, such as `1.234` beside missing ones, are in another style only in a table with decimal commas.
pub(super) fn plain_numbers(
    cells: &[String],
    delimiter: u8,
    has_commas: bool,
) -> Option<Vec<String>> {
    let is_plain = |cell: &String| is_missing(cell) || parse_number(cell).is_some();
    if cells.iter().all(is_plain) {
        return if has_commas { without_groups(cells) } else { None };
    }
    let styles = match delimiter {
        b',' => [Style::CommaThousands, Style::SpacedThousands, Style::DecimalComma],
        _ => [Style::DecimalComma, Style::SpacedThousands, Style::CommaThousands],
    };
    styles.into_iter().find_map(|style| in_style(cells, style))
}

/// Whether all cells of a column that are not missing are numbers, some of them with a decimal comma.
pub(super) fn has_decimal_commas(cells: &[String]) -> bool {
    cells.iter().any(|cell| cell.contains(',')) && in_style(cells, Style::DecimalComma).is_some()
}

/// Numbers such as `950` and `1.234` as in a table with decimal commas: `950` and `1234`. None where a point cannot group
/// thousands, as in `0.063`.
pub(super) fn without_groups(cells: &[String]) -> Option<Vec<String>> {
    in_style(cells, Style::DecimalComma)
}

fn in_style(cells: &[String], style: Style) -> Option<Vec<String>> {
    let mut is_special = false;
    let plain = |cell: &String| -> Option<String> {
        if is_missing(cell) {
            return Some(cell.clone());
        }
        let plain = plain_number(cell.trim(), style)?;
        is_special |= plain != cell.trim();
        Some(plain)
    };
    let plain: Option<Vec<String>> = cells.iter().map(plain).collect();
    plain.filter(|_| is_special)
}

/// `1.234,5` as `1234.5`, if `text` is a number in that style.
fn plain_number(text: &str, style: Style) -> Option<String> {
    let (is_group, point): (fn(char) -> bool, char) = match style {
        Style::CommaThousands => (|c| c == ',', '.'),
        Style::DecimalComma => (|c| c == '.', ','),
        Style::SpacedThousands => (|c| matches!(c, ' ' | '\'' | '\u{a0}' | '\u{202f}' | '’'), '.'),
    };
    let (whole, fraction) = match text.split_once(point) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    if fraction.is_some_and(|f| f.is_empty() || f.contains(is_group) || f.contains(point)) {
        return None;
    }
    let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let mut groups = unsigned.split(is_group);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_grouped = rest.iter().all(|group| group.len() == 3 && is_digits(group));
    let is_led = rest.is_empty() || (first.len() <= 3 && !first.starts_with('0'));
    if !is_digits(first) || !is_grouped || !is_led {
        return None;
    }
    let sign = if whole.starts_with('-') { "-" } else { "" };
    let plain = match fraction {
        Some(fraction) => format!("{sign}{first}{}.{fraction}", rest.concat()),
        None => format!("{sign}{first}{}", rest.concat()),
    };
    parse_number(&plain).map(|_| plain)
}
