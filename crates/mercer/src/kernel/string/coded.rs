//! The texts of two spans as sequences of symbols with one numbering.

use crate::points::{Merged, Sequences, Span, Strings, Unit};

/// Sequences of symbols.
pub(super) struct Coded {
    symbols: Vec<u32>,
    starts: Vec<usize>, // n + 1
    /// How many symbols there are in both spans' sets.
    pub alphabet: usize,
}

impl Coded {
    /// The texts of both spans; equal numbers mean equal symbols.
    pub(super) fn pair(
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        unit: Unit,
    ) -> (Coded, Coded) {
        let merged = Merged::of(rows.points, cols.points, unit);
        let left = Self::new(rows, unit, merged.alphabet, |symbol| merged.left(symbol));
        (left, Self::new(cols, unit, merged.alphabet, |symbol| merged.right(symbol)))
    }

    /// The texts of one span.
    pub(super) fn one(points: Span<'_, Strings>, unit: Unit) -> Coded {
        let alphabet = Sequences::of(points.points, unit).alphabet();
        Self::new(points, unit, alphabet, |symbol| symbol)
    }

    fn new(
        points: Span<'_, Strings>,
        unit: Unit,
        alphabet: usize,
        number: impl Fn(u32) -> u32,
    ) -> Coded {
        let sequences = Sequences::of(points.points, unit);
        let starts = &sequences.starts()[points.start..points.end + 1];
        let own = &sequences.symbols()[starts[0]..starts[points.len()]];
        Coded {
            symbols: own.iter().map(|&symbol| number(symbol)).collect(),
            starts: starts.iter().map(|start| start - starts[0]).collect(),
            alphabet,
        }
    }

    /// How many sequences there are.
    pub(super) fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// Sequence i.
    pub(super) fn get(&self, i: usize) -> &[u32] {
        &self.symbols[self.starts[i]..self.starts[i + 1]]
    }

    /// The sequences by length, shortest first, so that neighbours can be worked on together.
    pub(super) fn by_length(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.n()).collect();
        order.sort_by_key(|&i| self.get(i).len());
        order
    }
}

/// A numbering of the symbols of one text alone, 0, 1, 2, …, so that tables for it are small.
pub(super) struct Local {
    numbers: Vec<u32>, // of each symbol, and of one beyond
    count: u32,
}

/// No number yet; larger than every number.
const NONE: u32 = u32::MAX;

impl Local {
    /// For texts over the symbols 0, …, `alphabet - 1`. The symbol `alphabet`, which marks the end of a text, occurs in none.
    pub(super) fn new(alphabet: usize) -> Self {
        Self { numbers: vec![NONE; alphabet + 1], count: 0 }
    }

    /// Numbers the symbols of `text`; returns it so numbered, and how many symbols it has.
    pub(super) fn take(&mut self, text: &[u32]) -> (Vec<u32>, usize) {
        self.numbers.fill(NONE);
        self.count = 0;
        let number = |&symbol: &u32| {
            let number = &mut self.numbers[symbol as usize];
            if *number == NONE {
                *number = self.count;
                self.count += 1;
            }
            *number
        };
        (text.iter().map(number).collect(), self.count as usize)
    }

    /// The number of `symbol`; the number of symbols if the text does not have it.
    #[inline(always)]
    pub(super) fn number(&self, symbol: u32) -> u32 {
        self.numbers[symbol as usize].min(self.count)
    }
}
