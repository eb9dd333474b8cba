//! Windows of two sequences by the number of places where they differ.
//!
//! Windows that begin at (i, j) differ as those at (i-1, j-1) do, but for the pair of symbols that leaves and the one that
//! enters. So each diagonal has a counter, one byte wide, that is updated from pair to pair, and a register holds 64 of them. That takes
//! |x|·|y| steps of one byte, whatever the length of a window and the number of differences that count. The alternative, a
//! list of all windows near each window, grows with the alphabet to the power of the differences.

use super::simd::dispatch;
use crate::real::Real;

/// The longest window: counters that do not count must stay above those that do, and all in one byte.
pub const LONGEST: usize = 63;

/// Added to the counter of a window that begins or ends outside its sequence.
const OUTSIDE: u8 = 128;

/// Diagonals that are taken at a time.
const WIDTH: usize = 64;

/// Numbers of differences that are counted in one pass.
const AT_ONCE: usize = 8;

/// Counters of as many diagonals, in one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Counters([u8; WIDTH]);

/// A symbol of a sequence.
pub trait Symbol: Copy + Default + PartialEq {}
impl Symbol for u8 {}
impl Symbol for u32 {}

/// A sequence as the columns of [`count`], with room at both ends: diagonals of a register need not all be inside.
#[derive(Debug, Default)]
pub struct Columns<S> {
    symbols: Vec<S>,  // WIDTH places, the sequence, WIDTH + length places
    outside: Vec<u8>, // WIDTH times OUTSIDE, a 0 for each window, WIDTH times OUTSIDE
    windows: usize,
}

impl<S: Symbol> Columns<S> {
    /// Takes over `symbols`, to be cut into windows of `length` symbols.
    pub fn set(&mut self, symbols: impl ExactSizeIterator<Item = S>, length: usize) {
        self.windows = (symbols.len() + 1).saturating_sub(length);
        self.symbols.clear();
        self.symbols.resize(WIDTH, S::default());
        self.symbols.extend(symbols);
        self.symbols.resize(self.symbols.len() + WIDTH + length, S::default());
        self.outside.clear();
        self.outside.resize(WIDTH, OUTSIDE);
        self.outside.resize(WIDTH + self.windows, 0);
        self.outside.resize(2 * WIDTH + self.windows, OUTSIDE);
    }

    /// The symbols at WIDTH places; `place` counts from WIDTH before the first.
    #[inline(always)]
    fn symbols(&self, place: usize) -> &[S; WIDTH] {
        self.symbols[place..].first_chunk().expect("the columns have room at their ends")
    }

    #[inline(always)]
    fn outside(&self, place: usize) -> &[u8; WIDTH] {
        self.outside[place..].first_chunk().expect("the columns have room at their ends")
    }
}

/// `out[d]` = the number of pairs of windows of `length` symbols, one of x and one of y, that differ in d places. `y` was set for
/// windows of that length, between 1 and [`LONGEST`].
pub fn count<S: Symbol>(x: &[S], y: &Columns<S>, length: usize, out: &mut [u64]) {
    assert!((1..=LONGEST).contains(&length) && out.len() <= length + 1);
    out.fill(0);
    if x.len() < length || y.windows == 0 {
        return;
    }
    for (pass, out) in out.chunks_mut(AT_ONCE).enumerate() {
        fill::<f64, S>(x, y, length, (pass * AT_ONCE) as u8, out);
    }
}

dispatch! {
    fn fill<T: Real, S: Symbol>(x: &[S], y: &Columns<S>, length: usize, first: u8, out: &mut [u64]) =
        fill_body: avx512 [S], avx2 [S], base [S];
}

#[inline(always)]
fn fill_body<S: Symbol>(x: &[S], y: &Columns<S>, length: usize, first: u8, out: &mut [u64]) {
    match out.len() {
        1 => pass::<S, 1>(x, y, length, first, out),
        2 => pass::<S, 2>(x, y, length, first, out),
        3 => pass::<S, 3>(x, y, length, first, out),
        4 => pass::<S, 4>(x, y, length, first, out),
        5 => pass::<S, 5>(x, y, length, first, out),
        6 => pass::<S, 6>(x, y, length, first, out),
        7 => pass::<S, 7>(x, y, length, first, out),
        _ => pass::<S, AT_ONCE>(x, y, length, first, out),
    }
}

/// Adds up the windows that differ in `first`, `first + 1`, … places, COUNT numbers in all.
#[inline(always)]
fn pass<S: Symbol, const COUNT: usize>(
    x: &[S],
    y: &Columns<S>,
    length: usize,
    first: u8,
    out: &mut [u64],
) {
    let rows = x.len() - length + 1;
    // Diagonal number δ + rows - 1 holds the windows (i, i + δ).
    for left in (0..rows - 1 + y.windows).step_by(WIDTH) {
        let from = (rows - 1).saturating_sub(left + WIDTH - 1);
        let to = rows.min(rows - 1 + y.windows - left);
        // Of column i + δ in `y`, δ the lowest of these diagonals.
        let place = |i: usize| i + left + WIDTH + 1 - rows;
        let mut counters = start(&x[from..from + length], y, place(from));
        for some in (from..to).step_by(u8::MAX as usize) {
            let mut found = [Counters([0; WIDTH]); COUNT];
            for i in some..to.min(some + u8::MAX as usize) {
                let outside = y.outside(place(i));
                for d in 0..COUNT {
                    for c in 0..WIDTH {
                        found[d].0[c] += u8::from(counters.0[c] | outside[c] == first + d as u8);
                    }
                }
                // After the last row there is nothing to enter, nor does it matter what does.
                let (leaves, enters) = (x[i], x[(i + length).min(x.len() - 1)]);
                let (old, new) = (y.symbols(place(i)), y.symbols(place(i) + length));
                for c in 0..WIDTH {
                    let more = counters.0[c].wrapping_add(u8::from(old[c] == leaves));
                    counters.0[c] = more.wrapping_sub(u8::from(new[c] == enters));
                }
            }
            add_up(&found, out);
        }
    }
}

/// In how many places `window` differs from the windows of y from `place` on.
#[inline(always)]
fn start<S: Symbol>(window: &[S], y: &Columns<S>, place: usize) -> Counters {
    let mut counters = Counters([0; WIDTH]);
    for (k, &symbol) in window.iter().enumerate() {
        let other = y.symbols(place + k);
        for c in 0..WIDTH {
            counters.0[c] += u8::from(other[c] != symbol);
        }
    }
    counters
}

// Not inlined, so that its view of `found` does not keep the numbers from staying in registers.
#[inline(never)]
fn add_up<const COUNT: usize>(found: &[Counters; COUNT], totals: &mut [u64]) {
    for (total, found) in totals.iter_mut().zip(found) {
        *total += found.0.iter().map(|&byte| u64::from(byte)).sum::<u64>();
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
        count(&x, &columns, length, &mut found);
        let mut expected = vec![0; length + 1];
        for a in x.windows(length) {
            for b in y.windows(length) {
                expected[a.iter().zip(b).filter(|(a, b)| a != b).count()] += 1;
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
        count(&x, &columns, 4, &mut found);
        assert_eq!(found, [697 * 697, 0]);
    }
}
