//! Edit distances: the fewest symbols to change, add or remove to turn one sequence into another.
//!
//! Neighbouring numbers of the table of distances differ by at most 1, so 64 of its rows are two words of bits, those where it
//! rises and those where it falls, and a column follows from the one before by a dozen operations (Myers, 1999; several words and
//! carries between them as in Hyyrö, 2003). Eight sequences are compared with the pattern at once, one in each lane.

use super::simd::dispatch;
use crate::real::Real;

/// Sequences that are compared at once.
pub const LANES: usize = 8;

/// Rows of the table in one word.
const BITS: usize = 64;

/// The sequence that others are compared with.
#[derive(Debug)]
pub struct Pattern {
    length: usize,
    words: usize,
    /// For each symbol, and for none, the places where the pattern has it: `words` words each.
    places: Vec<u64>,
}

impl Pattern {
    /// A sequence of the symbols 0, …, `alphabet - 1`.
    pub fn new(sequence: &[u32], alphabet: usize) -> Self {
        let words = sequence.len().div_ceil(BITS);
        let mut places = vec![0; (alphabet + 1) * words];
        for (at, &symbol) in sequence.iter().enumerate() {
            places[symbol as usize * words + at / BITS] |= 1 << (at % BITS);
        }
        Self { length: sequence.len(), words, places }
    }

    /// The distances to the sequences in the lanes of `texts`, of the given lengths. The symbol `alphabet` is one that the pattern
    /// does not have.
    pub fn distances(&self, texts: &[[u32; LANES]], lengths: &[usize; LANES]) -> [usize; LANES] {
        let mut out = *lengths;
        if self.length > 0 {
            fill::<f64>(self, texts, lengths, &mut out);
        }
        out
    }
}

dispatch! {
    fn fill<T: Real>(
        pattern: &Pattern, texts: &[[u32; LANES]], lengths: &[usize; LANES], out: &mut [usize; LANES],
    ) = fill_body: avx512 [], avx2 [], base [];
}

/// Words of as many tables.
type Words = [u64; LANES];

/// Where the tables of all lanes rise and fall, and what is carried from one word to the next.
#[derive(Clone, Copy)]
struct Column {
    rises: Words,
    falls: Words,
}

#[inline(always)]
fn fill_body(
    pattern: &Pattern,
    texts: &[[u32; LANES]],
    lengths: &[usize; LANES],
    out: &mut [usize; LANES],
) {
    // The first column of the table is 0, 1, 2, …: it rises everywhere.
    let mut table = vec![Column { rises: [u64::MAX; LANES], falls: [0; LANES] }; pattern.words];
    let last = (pattern.length - 1) % BITS;
    let mut distances = [pattern.length as u64; LANES];
    for (j, symbols) in texts.iter().enumerate() {
        // Its first row is 0, 1, 2, … too.
        let mut carried = Column { rises: [1; LANES], falls: [0; LANES] };
        let mut along = carried;
        for (word, column) in table.iter_mut().enumerate() {
            let mut equal = [0; LANES];
            for lane in 0..LANES {
                equal[lane] = pattern.places[symbols[lane] as usize * pattern.words + word];
            }
            along = step(column, equal, &mut carried);
        }
        for lane in 0..LANES {
            let counts = u64::from(j < lengths[lane]);
            let change =
                (along.rises[lane] >> last & 1).wrapping_sub(along.falls[lane] >> last & 1);
            distances[lane] = distances[lane].wrapping_add(change.wrapping_mul(counts));
        }
    }
    *out = distances.map(|distance| distance as usize);
}

/// Takes one word of the tables to the next column. Returns where the rows rise and fall from column to column.
#[inline(always)]
fn step(column: &mut Column, equal: Words, carried: &mut Column) -> Column {
    let mut along = Column { rises: [0; LANES], falls: [0; LANES] };
    for lane in 0..LANES {
        let (rises, falls) = (column.rises[lane], column.falls[lane]);
        let own = equal[lane] | carried.falls[lane];
        let diagonal = ((own & rises).wrapping_add(rises) ^ rises) | own;
        let (up, down) = (falls | !(diagonal | rises), rises & diagonal);
        (along.rises[lane], along.falls[lane]) = (up, down);
        let (shifted_up, shifted_down) =
            (up << 1 | carried.rises[lane], down << 1 | carried.falls[lane]);
        (carried.rises[lane], carried.falls[lane]) = (up >> (BITS - 1), down >> (BITS - 1));
        let still = equal[lane] | falls;
        column.rises[lane] = shifted_down | !(still | shifted_up);
        column.falls[lane] = shifted_up & still;
    }
    along
}
