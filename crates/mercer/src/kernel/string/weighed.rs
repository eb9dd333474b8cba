//! Kernels that count common substrings of all lengths, each with a weight that depends on its length.

use super::automaton::Automaton;
use super::batch::lanes;
use super::coded::{Coded, Local};
use crate::error::Result;
use crate::kernel::Tile;
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

/// What a common substring counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Weight {
    /// decay^length.
    Power(f64),
    /// 1 up to a length, and 0 beyond.
    Upto(usize),
}

impl Weight {
    fn of(self, length: usize) -> f64 {
        match self {
            Weight::Power(decay) => decay.powi(length.min(i32::MAX as usize) as i32),
            Weight::Upto(longest) => f64::from(u8::from(length <= longest)),
        }
    }
}

/// Such a kernel.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    pub weight: Weight,
    pub unit: Unit,
}

/// Columns that are read at once: each waits for its automaton's next state most of the time.
const LANES: usize = 8;

impl Weighed {
    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let (rows, cols) = Coded::pair(rows, cols, self.unit);
        let order = cols.by_length();
        let end = cols.alphabet as u32;
        let batches: Vec<(&[usize], Vec<[u32; LANES]>)> = order
            .chunks(LANES)
            .map(|together| (together, lanes(&cols, together, end, |symbol| symbol)))
            .collect();
        let mut local = Local::new(rows.alphabet);
        for i in 0..rows.n() {
            let reader = self.reader(rows.get(i), &mut local);
            for (together, symbols) in &batches {
                let sums = reader.read(symbols);
                together.iter().zip(sums).for_each(|(&j, sum)| out.row(i)[j] = T::from_f64(sum));
            }
        }
        Ok(())
    }

    pub(super) fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        let texts = Coded::one(points, self.unit);
        let mut local = Local::new(texts.alphabet);
        for (i, value) in out.iter_mut().enumerate() {
            let own: Vec<[u32; 1]> = texts.get(i).iter().map(|&symbol| [symbol]).collect();
            *value = T::from_f64(self.reader(texts.get(i), &mut local).read(&own)[0]);
        }
        Ok(())
    }

    fn reader<'l>(&self, text: &[u32], local: &'l mut Local) -> Reader<'l> {
        let (own, alphabet) = local.take(text);
        let mut total = 0.0;
        let weights = (0..=text.len()).map(|length| {
            total += if length == 0 { 0.0 } else { self.weight.of(length) };
            total
        });
        let weights: Vec<f64> = weights.collect();
        let automaton = Automaton::new(&own, alphabet);
        Reader { sums: automaton.sums(&weights), automaton, weights, local }
    }
}

/// A text that others are compared with.
struct Reader<'l> {
    automaton: Automaton,
    sums: Vec<(f64, f64)>, // of each state
    weights: Vec<f64>,     // of all lengths up to each
    local: &'l Local,
}

impl Reader<'_> {
    /// The values of the texts in the lanes.
    fn read<const LANES: usize>(&self, texts: &[[u32; LANES]]) -> [f64; LANES] {
        let (mut states, mut matched) = ([0; LANES], [0; LANES]);
        let mut totals = [0.0; LANES];
        for symbols in texts {
            for lane in 0..LANES {
                let symbol = self.local.number(symbols[lane]);
                let step = self.automaton.step(states[lane], symbol);
                states[lane] = step.state;
                matched[lane] = step.keep.min(matched[lane]) + 1;
                let (a, b) = self.sums[step.state as usize];
                totals[lane] += a + b * self.weights[matched[lane] as usize];
            }
        }
        totals
    }
}
