//! Strings as sequences of symbols.

use std::collections::HashMap;
use std::sync::Arc;

use super::memo::Derived;
use super::strings::Strings;

/// What one symbol of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A Unicode scalar value.
    Chars,
    /// A byte of UTF-8.
    Bytes,
    /// What stands between Unicode white space.
    Words,
}

impl Unit {
    /// The names in the text form.
    pub const NAMES: [&'static str; 3] = ["chars", "bytes", "words"];

    /// The unit called `name`.
    pub fn named(name: &str) -> Option<Self> {
        let units = [Unit::Chars, Unit::Bytes, Unit::Words];
        units.into_iter().zip(Self::NAMES).find(|(_, own)| *own == name).map(|(unit, _)| unit)
    }

    /// Calls `f` with every symbol of `text`, as the bytes that spell it.
    fn each<'t>(self, text: &'t str, mut f: impl FnMut(&'t [u8])) {
        match self {
            Unit::Bytes => text.as_bytes().chunks_exact(1).for_each(f),
            Unit::Words => text.split_whitespace().for_each(|word| f(word.as_bytes())),
            Unit::Chars => {
                for (at, c) in text.char_indices() {
                    f(&text.as_bytes()[at..at + c.len_utf8()]);
                }
            }
        }
    }
}

/// All texts of a set as sequences of symbols 0, 1, 2, …, numbered in the order of the bytes that spell them.
///
/// Symbols are compared by their spelling, never by a hash alone, so equal numbers mean equal symbols. Two sets have
/// numberings of their own, but in the same order; [`Merged`] brings them together.
#[derive(Debug)]
pub struct Sequences {
    symbols: Vec<u32>,
    starts: Vec<usize>, // n + 1
    alphabet: Arc<Vec<Box<[u8]>>>,
}

impl Sequences {
    /// The sequences of `strings`, worked out once and kept in the set.
    pub fn of(strings: &Strings, unit: Unit) -> Arc<Self> {
        strings.derive(unit as u64, || Self::new(strings, unit))
    }

    fn new(strings: &Strings, unit: Unit) -> Self {
        let mut numbers = Numbers::new();
        let (mut symbols, mut starts) = (Vec::new(), vec![0]);
        for text in strings.iter() {
            unit.each(text, |symbol| symbols.push(numbers.number(symbol)));
            starts.push(symbols.len());
        }
        let mut order: Vec<u32> = (0..numbers.names.len() as u32).collect();
        order.sort_unstable_by_key(|&number| numbers.names[number as usize]);
        let alphabet = order.iter().map(|&number| numbers.names[number as usize].into()).collect();
        let mut rank = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&number, place)| rank[number as usize] = place);
        symbols.iter_mut().for_each(|symbol| *symbol = rank[*symbol as usize]);
        Self { symbols, starts, alphabet: Arc::new(alphabet) }
    }

    /// How many texts there are.
    pub fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// The symbols of text i.
    pub fn get(&self, i: usize) -> &[u32] {
        &self.symbols[self.starts[i]..self.starts[i + 1]]
    }

    /// The symbols of all texts, one text after the other.
    pub fn symbols(&self) -> &[u32] {
        &self.symbols
    }

    /// Where each text begins among the symbols, and where the last ends: n + 1 places.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// One more than the largest number a symbol can have.
    pub fn alphabet(&self) -> usize {
        self.alphabet.len()
    }

    /// The bytes that spell a symbol.
    pub fn spelling(&self, symbol: u32) -> &[u8] {
        &self.alphabet[symbol as usize]
    }

    /// The symbols of the longest text.
    pub fn longest(&self) -> usize {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }
}

impl Derived for Sequences {
    fn select(&self, idx: &[usize]) -> Option<Arc<dyn Derived>> {
        let (mut symbols, mut starts) = (Vec::new(), vec![0]);
        for &i in idx {
            symbols.extend_from_slice(self.get(i));
            starts.push(symbols.len());
        }
        Some(Arc::new(Self { symbols, starts, alphabet: Arc::clone(&self.alphabet) }))
    }
}

/// How many different symbols occur in `strings`.
pub fn distinct_symbols(strings: &Strings, unit: Unit) -> usize {
    let sequences = Sequences::of(strings, unit);
    // A selection shares the alphabet of the whole set and need not use all of it.
    let mut occurs = vec![false; sequences.alphabet()];
    sequences.symbols().iter().for_each(|&symbol| occurs[symbol as usize] = true);
    occurs.into_iter().filter(|&occurs| occurs).count()
}

/// Numbers symbols in the order in which they are met.
struct Numbers<'t> {
    bytes: [u32; 256], // of symbols that are one byte, the common case
    others: HashMap<&'t [u8], u32>,
    names: Vec<&'t [u8]>,
}

const NONE: u32 = u32::MAX;

impl<'t> Numbers<'t> {
    fn new() -> Self {
        Self { bytes: [NONE; 256], others: HashMap::new(), names: Vec::new() }
    }

    fn number(&mut self, symbol: &'t [u8]) -> u32 {
        let place = match *symbol {
            [byte] => &mut self.bytes[byte as usize],
            _ => self.others.entry(symbol).or_insert(NONE),
        };
        if *place == NONE {
            *place = self.names.len() as u32;
            self.names.push(symbol);
        }
        *place
    }
}

/// One numbering for the symbols of two sets, in the order of both.
#[derive(Debug)]
pub struct Merged {
    /// The common number of each symbol of the first set; none where both have one numbering.
    left: Option<Vec<u32>>,
    /// The common number of each symbol of the second set.
    right: Option<Vec<u32>>,
    /// How many symbols there are.
    pub alphabet: usize,
}

impl Merged {
    /// The numbering of the symbols of `left` and `right`, worked out once and kept in `left`.
    pub fn of(left: &Strings, right: &Strings, unit: Unit) -> Arc<Self> {
        let (a, b) = (Sequences::of(left, unit), Sequences::of(right, unit));
        left.derive_with(right, unit as u64, || Self::new(&a, &b))
    }

    /// Brings two sets together.
    pub fn new(left: &Sequences, right: &Sequences) -> Self {
        if Arc::ptr_eq(&left.alphabet, &right.alphabet) {
            return Self { left: None, right: None, alphabet: left.alphabet() };
        }
        let (a, b) = (&left.alphabet, &right.alphabet);
        let (mut of_a, mut of_b) = (Vec::with_capacity(a.len()), Vec::with_capacity(b.len()));
        let mut next = 0;
        while of_a.len() < a.len() || of_b.len() < b.len() {
            let (x, y) = (a.get(of_a.len()), b.get(of_b.len()));
            // None, the end of a list, is not smaller than a name here: it comes last.
            let from_a = x.is_some() && (y.is_none() || x <= y);
            let from_b = y.is_some() && (x.is_none() || y <= x);
            of_a.extend(from_a.then_some(next));
            of_b.extend(from_b.then_some(next));
            next += 1;
        }
        Self { left: Some(of_a), right: Some(of_b), alphabet: next as usize }
    }

    /// The common number of a symbol of the first set.
    pub fn left(&self, symbol: u32) -> u32 {
        self.left.as_ref().map_or(symbol, |numbers| numbers[symbol as usize])
    }

    /// The common number of a symbol of the second set.
    pub fn right(&self, symbol: u32) -> u32 {
        self.right.as_ref().map_or(symbol, |numbers| numbers[symbol as usize])
    }
}

impl Derived for Merged {
    fn select(&self, _: &[usize]) -> Option<Arc<dyn Derived>> {
        None // it belongs to two sets, one of which the selection is not
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;

    fn sequences(texts: &[&str], unit: Unit) -> Vec<Vec<u32>> {
        let sequences = Sequences::of(&Strings::new(texts).unwrap(), unit);
        (0..sequences.n()).map(|i| sequences.get(i).to_vec()).collect()
    }

    #[test]
    fn units_cut_texts_into_symbols() {
        let texts = ["bé b", "", "éa"];
        let chars: [&[u32]; 3] = [&[2, 3, 0, 2], &[], &[3, 1]];
        assert_eq!(sequences(&texts, Unit::Chars), chars);
        // é is the bytes c3 a9: five different bytes in all.
        let bytes: [&[u32]; 3] = [&[2, 4, 3, 0, 2], &[], &[4, 3, 1]];
        assert_eq!(sequences(&texts, Unit::Bytes), bytes);
        // U+2003 and U+3000 are spaces too; words that only begin alike differ.
        let words: [&[u32]; 3] = [&[1, 0], &[2, 1], &[]];
        assert_eq!(sequences(&["bb\u{2003}b ", " bbb\u{3000}bb\n", " \t"], Unit::Words), words);
    }

    #[test]
    fn numberings_of_two_sets_come_together() {
        let (a, b) = (Strings::new(["bd"]).unwrap(), Strings::new(["abc", "e"]).unwrap());
        let (left, right) = (Sequences::of(&a, Unit::Chars), Sequences::of(&b, Unit::Chars));
        let merged = Merged::new(&left, &right);
        assert_eq!(merged.alphabet, 5);
        assert_eq!([0, 1].map(|symbol| merged.left(symbol)), [1, 3]);
        assert_eq!([0, 1, 2, 3].map(|symbol| merged.right(symbol)), [0, 1, 2, 4]);
        let part = Sequences::of(&b.select(&[1]), Unit::Chars);
        let same = Merged::new(&right, &part);
        assert_eq!((same.right(3), same.alphabet), (3, 4));
        assert_eq!((part.get(0), part.longest()), (&[3][..], 1));
        assert_eq!(distinct_symbols(&b.select(&[1]), Unit::Chars), 1);
        assert_eq!(distinct_symbols(&b, Unit::Words), 2);
    }
}
