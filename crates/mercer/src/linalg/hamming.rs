//! Windows of two sequences by the number of places where they differ.
//!
//! Windows that begin at (i, j) differ as those at (i-1, j-1) do, but for the pair of symbols that leaves and the one that
//! enters. So each diagonal has a counter that is carried along, one byte wide, and the counters of all columns are brought from
//! row to row by whole registers: counter (i, j) stands in place `rows - 1 - i + j`, where its diagonal stays. That takes
//! |x|·|y| steps of one byte, whatever the length of a window and the number of differences that count. The road not taken, a
//! list of all windows near each window, grows with the alphabet to the power of the differences.

use super::simd::dispatch;
use crate::real::Real;

/// The longest window: counters that do not count must stay above those that do, and all in one byte.
pub const LONGEST: usize = 63;

/// A counter that does not count. It moves by at most one window's length.
const BEYOND: u8 = 128;

/// Columns that are taken at a time.
const WIDTH: usize = 64;

/// Numbers of differences that are counted in one pass.
const AT_ONCE: usize = 8;

/// A symbol of a sequence.
pub trait Symbol: Copy + Default + PartialEq {}
impl Symbol for u8 {}
impl Symbol for u32 {}

/// A sequence as the columns of [`count`], with room at both ends.
#[derive(Debug, Default)]
pub struct Columns<S> {
    symbols: Vec<S>, // one place, the sequence, and places up to a whole number of registers
    windows: usize,
}

impl<S: Symbol> Columns<S> {
    /// Takes over `symbols`, to be cut into windows of `length` symbols.
    pub fn set(&mut self, symbols: impl ExactSizeIterator<Item = S>, length: usize) {
        self.windows = (symbols.len() + 1).saturating_sub(length);
        self.symbols.clear();
        self.symbols.push(S::default());
        self.symbols.extend(symbols);
        let needed = 1 + self.windows.next_multiple_of(WIDTH) + length;
        self.symbols.resize(needed.max(self.symbols.len()), S::default());
    }
}

/// `out[d]` = the number of pairs of windows of `length` symbols, one of x and one of y, that differ in d places. `y` was set for
/// windows of that length, between 1 and [`LONGEST`].
pub fn count<S: Symbol>(
    x: &[S],
    y: &Columns<S>,
    length: usize,
    room: &mut Vec<u8>,
    out: &mut [u64],
) {
    assert!((1..=LONGEST).contains(&length) && out.len() <= length + 1);
    out.fill(0);
    if x.len() < length || y.windows == 0 {
        return;
    }
    for (pass, out) in out.chunks_mut(AT_ONCE).enumerate() {
        fill::<f64, S>(x, y, length, room, (pass * AT_ONCE) as u8, out);
    }
}

dispatch! {
    fn fill<T: Real, S: Symbol>(
        x: &[S], y: &Columns<S>, length: usize, room: &mut Vec<u8>, first: u8, out: &mut [u64],
    ) = fill_body: avx512 [S], avx2 [S], base [S];
}

#[inline(always)]
fn fill_body<S: Symbol>(
    x: &[S],
    y: &Columns<S>,
    length: usize,
    room: &mut Vec<u8>,
    first: u8,
    out: &mut [u64],
) {
    match out.len() {
        1 => pass::<S, 1>(x, y, length, room, first, out),
        2 => pass::<S, 2>(x, y, length, room, first, out),
        3 => pass::<S, 3>(x, y, length, room, first, out),
        4 => pass::<S, 4>(x, y, length, room, first, out),
        5 => pass::<S, 5>(x, y, length, room, first, out),
        6 => pass::<S, 6>(x, y, length, room, first, out),
        7 => pass::<S, 7>(x, y, length, room, first, out),
        _ => pass::<S, AT_ONCE>(x, y, length, room, first, out),
    }
}

/// Counts the windows that differ in `first`, `first + 1`, … places, COUNT numbers in all.
#[inline(always)]
fn pass<S: Symbol, const COUNT: usize>(
    x: &[S],
    y: &Columns<S>,
    length: usize,
    room: &mut Vec<u8>,
    first: u8,
    out: &mut [u64],
) {
    let (rows, width) = (x.len() - length + 1, y.windows.next_multiple_of(WIDTH));
    room.clear();
    room.resize(rows - 1 + width, BEYOND);
    start(&x[..length], &y.symbols[1..], &mut room[rows - 1..][..y.windows]);
    let mut found = Found::<COUNT>::new(first);
    for counters in room[rows - 1..].chunks_exact(WIDTH) {
        found.add(counters.try_into().expect("as wide as a chunk"));
    }
    for i in 1..rows {
        let (leaves, enters) = (x[i - 1], x[i + length - 1]);
        let counters = &mut room[rows - 1 - i..][..width + 1];
        // The last counter of the row before has left the matrix; the first of this row enters, as if it had come along.
        counters[y.windows] = BEYOND;
        counters[0] = differences(&x[i..i + length - 1], &y.symbols[1..]) + 1;
        if y.symbols[0] == leaves {
            counters[0] -= 1;
        }
        let columns = y.symbols.chunks_exact(WIDTH).zip(y.symbols[length..].chunks(WIDTH));
        for (counters, (old, new)) in counters[..width].chunks_exact_mut(WIDTH).zip(columns) {
            let counters: &mut [u8; WIDTH] = counters.try_into().expect("as wide as a chunk");
            let old: &[S; WIDTH] = old.try_into().expect("columns reach beyond the windows");
            let new: &[S; WIDTH] = new.try_into().expect("columns reach beyond the windows");
            for c in 0..WIDTH {
                let change = u8::from(old[c] == leaves).wrapping_sub(u8::from(new[c] == enters));
                counters[c] = counters[c].wrapping_add(change);
            }
            found.add(counters);
        }
    }
    found.end(out);
}

/// The counters of the first row: `window` against the windows of y.
#[inline(always)]
fn start<S: Symbol>(window: &[S], y: &[S], counters: &mut [u8]) {
    counters.fill(0);
    for (k, &symbol) in window.iter().enumerate() {
        for (counter, &other) in counters.iter_mut().zip(&y[k..]) {
            *counter += u8::from(symbol != other);
        }
    }
}

#[inline(always)]
fn differences<S: Symbol>(x: &[S], y: &[S]) -> u8 {
    x.iter().zip(y).map(|(a, b)| u8::from(a != b)).sum()
}

/// How many counters had each of the values from `first` on. Bytes are added up in registers, and in time to larger numbers.
struct Found<const COUNT: usize> {
    first: u8,
    bytes: [[u8; WIDTH]; COUNT],
    added: u8,
    totals: [u64; COUNT],
}

impl<const COUNT: usize> Found<COUNT> {
    #[inline(always)]
    fn new(first: u8) -> Self {
        Self { first, bytes: [[0; WIDTH]; COUNT], added: 0, totals: [0; COUNT] }
    }

    #[inline(always)]
    fn add(&mut self, counters: &[u8; WIDTH]) {
        for (d, bytes) in (self.first..).zip(&mut self.bytes) {
            for (byte, &counter) in bytes.iter_mut().zip(counters) {
                *byte += u8::from(counter == d);
            }
        }
        self.added += 1;
        if self.added == u8::MAX {
            self.settle();
        }
    }

    #[inline(always)]
    fn settle(&mut self) {
        for (total, bytes) in self.totals.iter_mut().zip(&mut self.bytes) {
            *total += bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
            bytes.fill(0);
        }
        self.added = 0;
    }

    #[inline(always)]
    fn end(mut self, out: &mut [u64]) {
        self.settle();
        out.copy_from_slice(&self.totals);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    fn check<S: Symbol + From<u8>>(n: usize, m: usize, length: usize, upto: usize) {
        let mut stream = Stream::new((n * 1000 + m) as u64, "windows");
        let mut random = |count: usize| -> Vec<S> {
            (0..count).map(|_| S::from(stream.below(3) as u8)).collect()
        };
        let (x, y) = (random(n), random(m));
        let mut columns = Columns::default();
        columns.set(y.iter().copied(), length);
        let mut found = vec![9; upto + 1];
        count(&x, &columns, length, &mut vec![3; 5], &mut found);
        let mut expected = vec![0; length + 1];
        for a in x.windows(length) {
            for b in y.windows(length) {
                expected[differences(a, b) as usize] += 1;
            }
        }
        assert_eq!(found, expected[..=upto], "{n} {m} {length} {upto}");
    }

    #[test]
    fn windows_are_counted_as_two_loops_count_them() {
        for (n, m) in [(0, 5), (3, 0), (5, 5), (20, 64), (64, 65), (130, 200), (70, 400)] {
            for length in [1, 2, 5, 10, 63] {
                for upto in [0, 1, length / 2, length] {
                    check::<u8>(n, m, length, upto);
                    check::<u32>(n, m, length, upto);
                }
            }
        }
    }

    /// So many equal windows that bytes would overflow.
    #[test]
    fn large_numbers_are_counted() {
        let x = vec![1_u8; 700];
        let mut columns = Columns::default();
        columns.set(x.iter().copied(), 4);
        let mut found = [0; 2];
        count(&x, &columns, 4, &mut Vec::new(), &mut found);
        assert_eq!(found, [697 * 697, 0]);
    }
}
