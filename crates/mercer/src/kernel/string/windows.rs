//! All windows of a given length in the texts of a set, numbered.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use crate::points::Sequences;

/// Marks a place where no window of the length begins.
pub(super) const NONE: u32 = u32::MAX;

/// The windows of one length. Equal windows have equal numbers, and numbers are in the order of the symbols.
pub(super) struct Windows {
    /// The number of the window that begins at each place of the symbols.
    pub numbers: Vec<u32>,
    /// A place where each window begins.
    pub places: Vec<u32>,
}

impl Windows {
    /// The windows of `length` ≥ 1 symbols.
    pub(super) fn new(sequences: &Sequences, length: usize) -> Self {
        let largest = sequences.alphabet().saturating_sub(1);
        let bits = (usize::BITS - largest.leading_zeros()).max(1) as usize;
        match length.checked_mul(bits) {
            Some(needed) if needed <= 64 => Self::packed(sequences, length, bits),
            _ if length > sequences.longest() => Self::none(sequences),
            _ => Self::joined(sequences, length),
        }
    }

    /// No window at all.
    fn none(sequences: &Sequences) -> Self {
        Self { numbers: vec![NONE; sequences.symbols().len()], places: Vec::new() }
    }

    /// Windows that fit into a number of 64 bits.
    fn packed(sequences: &Sequences, length: usize, bits: usize) -> Self {
        let mask = u64::MAX >> (64 - length * bits);
        Self::number(sequences, length, |ends| {
            let mut key = 0_u64;
            sequences.symbols()[ends].iter().map(move |&symbol| {
                key = ((key << bits) | u64::from(symbol)) & mask;
                key
            })
        })
    }

    /// Windows as two shorter ones, which may overlap: the first and the last half, whose numbers compare as the whole does.
    fn joined(sequences: &Sequences, length: usize) -> Self {
        let half = length.div_ceil(2);
        let halves = Self::new(sequences, half).numbers;
        Self::number(sequences, length, |ends| {
            // The window that ends at a place begins `length` before, and its last half `half` before.
            let (start, numbers) = (ends.start, &halves);
            ends.map(move |end| {
                let last = (end + 1).wrapping_sub(half);
                let first = (end + 1).wrapping_sub(length);
                match end + 1 >= start + length {
                    true => (u64::from(numbers[first]) << 32) | u64::from(numbers[last]),
                    false => 0,
                }
            })
        })
    }

    /// Numbers the windows by their keys. For the symbols of a text, `keys` gives a key at each, that of the window which ends
    /// there; those of the first `length - 1` do not count.
    fn number<I: Iterator<Item = u64>>(
        sequences: &Sequences,
        length: usize,
        keys: impl Fn(std::ops::Range<usize>) -> I,
    ) -> Self {
        let mut windows = Self::none(sequences);
        let mut known: HashMap<u64, u32, Mixing> = HashMap::with_hasher(Mixing::new());
        let mut found: Vec<u64> = Vec::new();
        for ends in sequences.starts().windows(2) {
            let places = ends[0]..;
            for (place, key) in places.zip(keys(ends[0]..ends[1]).skip(length - 1)) {
                let number = *known.entry(key).or_insert_with(|| {
                    found.push(key);
                    windows.places.push(place as u32);
                    (found.len() - 1) as u32
                });
                windows.numbers[place] = number;
            }
        }
        drop(known);
        windows.sort(&found);
        windows
    }

    /// Numbers windows, so far in the order in which they were met, in the order of their keys.
    fn sort(&mut self, keys: &[u64]) {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&number| keys[number as usize]);
        let mut rank = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&number, place)| rank[number as usize] = place);
        self.places = order.iter().map(|&number| self.places[number as usize]).collect();
        for number in self.numbers.iter_mut().filter(|number| **number != NONE) {
            *number = rank[*number as usize];
        }
    }
}

/// Spreads keys over a table by one multiplication. The factor differs from table to table, so that no text can be made whose
/// keys collide; the numbering does not depend on it.
#[derive(Clone)]
struct Mixing {
    factor: u64,
    mixed: u64,
}

impl Mixing {
    fn new() -> Self {
        Self { factor: RandomState::new().hash_one(0) | 1, mixed: 0 }
    }
}

impl BuildHasher for Mixing {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        self.clone()
    }
}

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.mixed
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, key: u64) {
        let product =
            u128::from(key ^ self.mixed ^ 0x9E37_79B9_7F4A_7C15) * u128::from(self.factor);
        self.mixed = product as u64 ^ (product >> 64) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::{Strings, Unit};

    /// Windows of every length are numbered in order, whichever way they are found.
    #[test]
    fn numbers_are_ranks() {
        let texts =
            ["abracadabra", "", "cadabrac", "zz", "日本語日本語日本", "aaaaaaaaaaaaaaaaaaaaaa"];
        let strings = Strings::new(texts).unwrap();
        let sequences = Sequences::of(&strings, Unit::Chars);
        for length in 1..24 {
            let windows = Windows::new(&sequences, length);
            let of_text = |i: usize| sequences.get(i).windows(length);
            let mut all: Vec<&[u32]> = (0..texts.len()).flat_map(of_text).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(windows.places.len(), all.len(), "{length}");
            for (window, &place) in all.iter().zip(&windows.places) {
                assert_eq!(*window, &sequences.symbols()[place as usize..][..length]);
            }
            for i in 0..texts.len() {
                let start = sequences.starts()[i];
                for (at, &symbol) in sequences.get(i).iter().enumerate() {
                    let window = sequences.get(i).get(at..at + length);
                    let rank = window.map(|window| all.binary_search(&window).unwrap() as u32);
                    assert_eq!(windows.numbers[start + at], rank.unwrap_or(NONE), "{symbol}");
                }
            }
        }
    }
}
