//! What stands in for missing numbers of a table that is read in blocks: the medians of its columns, those of the whole column to the last bit.
//!
//! Numbers are compared by the order of their bits. Each pass over the rows counts those that agree with the wanted ones in the bits known so far by their next bits, and so
//! finds these; where few such numbers are left, they are collected.

use super::learn::middle_of;
use super::{EncodedColumn, Encoding, Values};
use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::table::Table;

/// Bits of a number.
const BITS: u32 = 64;
/// Bits that a pass finds at most, and at least.
const STEP: (u32, u32) = (16, 4);
/// Bytes that counters take at most, if the budget allows, and numbers that are collected for each.
const COUNTERS: u64 = 64 << 20;
const FEW: u64 = 4096;

/// The medians of the columns of a table, pass by pass.
pub struct Medians {
    columns: Vec<Median>,
    /// Bits that a pass finds.
    step: u32,
    _reservation: Reservation,
}

/// The middle of a column: the numbers of two ranks, which are one where there is an odd number of them.
struct Median {
    /// Cells that are missing, counted in the first pass.
    missing: usize,
    wanted: [Wanted; 2],
}

/// The number of some rank among those whose first bits are known.
struct Wanted {
    rank: u64,
    /// Its first bits, and how many.
    prefix: u64,
    known: u32,
    seen: Seen,
}

/// What a pass sees of the numbers with these first bits.
enum Seen {
    /// How many have each of the next bits.
    Counts(Vec<u64>),
    /// All of them.
    Keys(Vec<u64>),
    /// Nothing: the number is known.
    Done,
}

/// A number as one that is ordered as `f64::total_cmp` does.
fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

impl Medians {
    /// Of so many columns.
    pub fn new(ctx: &Context, columns: usize) -> Result<Self> {
        let room = COUNTERS.min(ctx.budget() / 4) / (16 * columns.max(1) as u64);
        let step = room.max(1).ilog2().clamp(STEP.1, STEP.0);
        let each = 16 * (1_u64 << step).max(FEW);
        let bytes = each.saturating_mul(columns as u64);
        let hint = "leave rows with missing values out with --missing drop, use fewer columns, or raise the memory budget";
        let _reservation = ctx.reserve("the medians of the columns", bytes, hint)?;
        let wanted = || Wanted { rank: 0, prefix: 0, known: 0, seen: counters(step) };
        let column = |_| Median { missing: 0, wanted: [wanted(), wanted()] };
        Ok(Self { columns: (0..columns).map(column).collect(), step, _reservation })
    }

    /// Whether another pass over the rows is needed.
    pub fn needs_pass(&self) -> bool {
        let is_open = |one: &Wanted| !matches!(one.seen, Seen::Done);
        self.columns.iter().any(|column| column.wanted.iter().any(is_open))
    }

    /// Adds the rows of a block. Text that is no number is refused with its place.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        for (index, (column, cells)) in self.columns.iter_mut().zip(&table.columns).enumerate() {
            let is_first = column.wanted[0].known == 0;
            for row in 0..cells.len() {
                let number = cells.number(row).ok_or_else(|| table.refuse(row, index))?;
                column.missing += usize::from(is_first && number.is_nan());
                if number.is_finite() {
                    column.wanted.iter_mut().for_each(|one| one.see(key(number), self.step));
                }
            }
        }
        Ok(())
    }

    /// Ends a pass.
    pub fn end_pass(&mut self) {
        for column in &mut self.columns {
            if column.wanted[0].known == 0 {
                column.begin();
            }
            column.wanted.iter_mut().for_each(|one| one.end_pass(self.step));
        }
    }

    /// How the columns of `head` are filled.
    pub fn finish(self, head: &Table) -> Result<Encoding> {
        let encoded = |(i, column): (usize, Median)| {
            let [lower, upper] = &column.wanted;
            let fill = match upper.known {
                0 => {
                    let message = format!(
                        "column {:?} has no values: leave it out with --columns '^{}'",
                        head.name(i),
                        head.name(i)
                    );
                    return Err(Error::format(&head.path, message));
                }
                _ if lower.rank_is(upper) => value(upper.prefix),
                _ => middle_of(value(lower.prefix), value(upper.prefix)),
            };
            // Cells that are left out of a sparse column are zeros.
            let is_sparse = matches!(head.columns[i], Column::Sparse(_));
            let values = Values::Number { fill: (!is_sparse).then_some(fill) };
            Ok(EncodedColumn { name: head.name(i), values, missing: column.missing })
        };
        let columns = self.columns.into_iter().enumerate().map(encoded);
        Ok(Encoding { columns: columns.collect::<Result<_>>()? })
    }
}

impl Median {
    /// Sets the ranks, now that it is known how many numbers there are.
    fn begin(&mut self) {
        let count = match &self.wanted[0].seen {
            Seen::Counts(counts) => counts.iter().sum::<u64>(),
            _ => 0,
        };
        let ranks = [count.saturating_sub(1) / 2, count / 2];
        for (one, rank) in self.wanted.iter_mut().zip(ranks) {
            one.rank = rank;
            if count == 0 {
                one.seen = Seen::Done;
            }
        }
    }
}

impl Wanted {
    /// Whether two are the same number.
    fn rank_is(&self, other: &Self) -> bool {
        self.prefix == other.prefix
    }

    fn see(&mut self, key: u64, step: u32) {
        if self.known > 0 && key.checked_shr(BITS - self.known) != Some(self.prefix) {
            return;
        }
        match &mut self.seen {
            Seen::Counts(counts) => {
                let width = step.min(BITS - self.known);
                counts[(key << self.known >> (BITS - width)) as usize] += 1;
            }
            Seen::Keys(keys) => keys.push(key),
            Seen::Done => {}
        }
    }

    fn end_pass(&mut self, step: u32) {
        match std::mem::replace(&mut self.seen, Seen::Done) {
            Seen::Done => {}
            Seen::Keys(mut keys) => {
                let (_, found, _) = keys.select_nth_unstable(self.rank as usize);
                (self.prefix, self.known) = (*found, BITS);
            }
            Seen::Counts(mut counts) => {
                let mut next = 0;
                while self.rank >= counts[next] {
                    self.rank -= counts[next];
                    next += 1;
                }
                let (width, found) = (step.min(BITS - self.known), counts[next]);
                self.prefix = if self.known == 0 { 0 } else { self.prefix << width } | next as u64;
                self.known += width;
                if self.known == BITS {
                    return;
                }
                counts.fill(0);
                self.seen =
                    if found <= FEW { Seen::Keys(Vec::new()) } else { Seen::Counts(counts) };
            }
        }
    }
}

fn counters(step: u32) -> Seen {
    Seen::Counts(vec![0; 1 << step])
}

#[cfg(test)]
mod tests {
    use super::super::{Choices, Missing};
    use super::*;

    /// The encoding that blocks of so many rows give, and the number of passes.
    fn in_blocks(table: &Table, rows: usize, budget: u64) -> (Encoding, usize) {
        let ctx = Context::new(1).with_budget(budget);
        let mut medians = Medians::new(&ctx, table.n_columns()).unwrap();
        let (all, mut passes): (Vec<usize>, usize) = ((0..table.n_rows()).collect(), 0);
        while medians.needs_pass() {
            for rows in all.chunks(rows) {
                medians.add(&table.take_rows(rows)).unwrap();
            }
            medians.end_pass();
            passes += 1;
        }
        (medians.finish(table).unwrap(), passes)
    }

    fn column(n: usize, value: impl Fn(usize) -> f64) -> Column {
        Column::F64((0..n).map(value).collect())
    }

    #[test]
    fn medians_are_those_of_whole_columns_to_the_last_bit() {
        let hash = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        let holed = |i: usize, v: f64| if i.is_multiple_of(7) { f64::NAN } else { v };
        for n in [1, 2, 3, 10, 20_001] {
            let table = Table::new(
                "abcdefg".chars().map(String::from).collect(),
                vec![
                    column(n, |i| holed(i + 1, (hash(i) as f64).sin())),
                    column(n, |i| holed(i + 1, -(hash(i) as f64) * 1e-300)),
                    column(n, |i| (i % 3) as f64 - 1.0),
                    column(n, |_| 0.1),
                    column(n, |i| if i % 2 == 0 { 0.0 } else { -0.0 }),
                    column(n, |i| if i % 5 == 3 { f64::INFINITY } else { 1e6 + i as f64 * 1e-9 }),
                    Column::F32((0..n).map(|i| holed(i + 1, (i as f64).cos()) as f32).collect()),
                ],
            );
            let choices = Choices { missing: Missing::Median, ..Choices::default() };
            let whole = Encoding::learn(&table, &choices).unwrap();
            for (rows, budget) in [(1000, 1 << 30), (n, 1 << 21)] {
                let (found, _) = in_blocks(&table, rows, budget);
                for (found, whole) in found.columns.iter().zip(&whole.columns) {
                    assert_eq!(found.missing, whole.missing, "{n} rows, {}", whole.name);
                    assert_eq!(found.fill_text(), whole.fill_text(), "{n} rows, {}", whole.name);
                }
            }
        }
    }

    #[test]
    fn few_passes_are_enough() {
        let spread = Table::new(vec!["a".into()], vec![column(30_000, |i| (i as f64).sin())]);
        assert!(in_blocks(&spread, 1000, 1 << 30).1 <= 3);
        let equal = Table::new(vec!["a".into()], vec![column(30_000, |_| 0.1)]);
        assert_eq!(in_blocks(&equal, 1000, 1 << 30).1, 4);
    }

    #[test]
    fn text_and_empty_columns_are_refused_with_their_place() {
        let ctx = Context::new(1);
        let texts = vec!["1".into(), String::new(), "x".into()];
        let table = Table::new(vec!["a".into()], vec![Column::Text(texts)]);
        let refused = Medians::new(&ctx, 1).unwrap().add(&table).unwrap_err().to_string();
        assert!(refused.contains("row 3") && refused.contains("\"x\""), "{refused}");
        let table = Table::new(vec!["a".into()], vec![column(3, |_| f64::NAN)]);
        let mut medians = Medians::new(&ctx, 1).unwrap();
        medians.add(&table).unwrap();
        medians.end_pass();
        assert!(!medians.needs_pass());
        assert!(medians.finish(&table).unwrap_err().to_string().contains("has no values"));
    }
}
