//! What a text table does not say about itself: its separator, and whether it has a header.

use csv::ByteRecord;

use super::cell_text;
use crate::io::column::{is_missing, parse_number};

/// Whether the first row holds names: see [`Header::Auto`](crate::io::Header::Auto).
pub(super) fn looks_like_header(first: &ByteRecord, second: Option<&ByteRecord>) -> bool {
    let number = |cell: &[u8]| parse_number(cell_text(cell)).is_some();
    let text = |cell: &[u8]| !number(cell) && !is_missing(cell_text(cell));
    let above_number =
        second.is_some_and(|second| first.iter().zip(second).any(|(a, b)| text(a) && number(b)));
    above_number || !first.iter().any(number)
}

/// The separator that occurs most in the first line, outside quotes.
pub(super) fn sniff_delimiter(bytes: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0)];
    let mut quoted = false;
    let blank = bytes.iter().take_while(|&&byte| byte == b'\n' || byte == b'\r').count();
    for &byte in &bytes[blank..] {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if !quoted => {
                counts.iter_mut().filter(|(c, _)| *c == byte).for_each(|(_, count)| *count += 1);
            }
            _ => {}
        }
    }
    let best = counts.iter().map(|&(_, count)| count).max().unwrap_or(0);
    counts.iter().find(|&&(_, count)| count == best).map_or(b',', |&(delimiter, _)| delimiter)
}
