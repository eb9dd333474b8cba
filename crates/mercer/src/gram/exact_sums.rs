//! Sums that are the same to the last bit in whatever order their summands come.
//!
//! Sums of floating-point numbers depend on their order, and so would those of a table that is divided among machines. Here every summand is cut at fixed places into
//! digits of 32 bits, and digits of the same place are added up as integers, which loses nothing. Of each sum the three highest places are held that any of its summands
//! reaches: at least 65 bits below the leading bit of the largest one, more than the 53 of a double. What lies below is cut off from every summand alike, whenever it came.
//! So parts of a sum can be made anywhere, added up in any order, and rounded once at the end. A sum of one number is that number.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};

/// Bits of a digit.
const BITS: i32 = 32;
/// Places that are held.
const PLACES: usize = 3;
/// The place of a sum without summands, and of one that is no number.
const EMPTY: i16 = i16::MIN;
const INVALID: i16 = i16::MAX;
/// Sums of a task.
const PIECE: usize = 1 << 14;

/// Places, digits and what is added to them.
type Piece<'a, V> = ((&'a mut [i16], &'a mut [[i64; PLACES]]), &'a [V]);

/// Some sums.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactSums {
    /// The highest place of each.
    tops: Vec<i16>,
    /// The sums of the digits, from the highest place down.
    digits: Vec<[i64; PLACES]>,
}

impl ExactSums {
    /// So many sums without summands.
    pub fn empty(count: usize) -> Result<Self> {
        let (mut tops, mut digits) = (Vec::new(), Vec::new());
        let failed = |_| Error::Allocation(Self::bytes(count as u64));
        tops.try_reserve_exact(count).map_err(failed)?;
        digits.try_reserve_exact(count).map_err(failed)?;
        tops.resize(count, EMPTY);
        digits.resize(count, [0; PLACES]);
        Ok(Self { tops, digits })
    }

    /// The same of so few that their memory is not worth a refusal.
    pub fn few(count: usize) -> Self {
        Self { tops: vec![EMPTY; count], digits: vec![[0; PLACES]; count] }
    }

    /// Bytes of so many sums.
    pub fn bytes(count: u64) -> u64 {
        count.saturating_mul(8 * PLACES as u64 + 2)
    }

    /// How many sums there are.
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tops.is_empty()
    }

    /// Adds a number to each sum.
    pub fn add(&mut self, ctx: &Context, values: &[f64]) {
        assert_eq!(values.len(), self.len());
        self.each(ctx, values, |top, digits, value| add(top, digits, *value));
    }

    /// The same on this thread: for few sums.
    pub fn add_few(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.len());
        let sums = self.tops.iter_mut().zip(&mut self.digits).zip(values);
        sums.for_each(|((top, digits), value)| add(top, digits, *value));
    }

    /// These sums, and others behind them.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.tops.extend(other.tops);
        self.digits.extend(other.digits);
        self
    }

    /// Takes out the sums from `at` on.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        Self { tops: self.tops.split_off(at), digits: self.digits.split_off(at) }
    }

    /// Adds sums of other summands.
    pub fn merge(&mut self, ctx: &Context, other: &Self) {
        assert_eq!(other.len(), self.len());
        let others: Vec<(i16, [i64; PLACES])> =
            other.tops.iter().copied().zip(other.digits.iter().copied()).collect();
        self.each(ctx, &others, |top, digits, (place, added)| join(top, digits, *place, added));
    }

    fn each<V: Sync>(
        &mut self,
        ctx: &Context,
        values: &[V],
        one: impl Fn(&mut i16, &mut [i64; PLACES], &V) + Sync,
    ) {
        let work = |((tops, digits), values): Piece<'_, V>| {
            let sums = tops.iter_mut().zip(digits).zip(values);
            sums.for_each(|((top, digits), value)| one(top, digits, value));
        };
        let all = (&mut self.tops[..], &mut self.digits[..], values);
        if values.len() <= PIECE {
            return work(((all.0, all.1), all.2));
        }
        let sums = all.0.par_chunks_mut(PIECE).zip(all.1.par_chunks_mut(PIECE));
        ctx.install(|| sums.zip(all.2.par_chunks(PIECE)).for_each(work));
    }

    /// The sums, rounded to the nearest double.
    pub fn values(&self) -> Vec<f64> {
        self.tops.iter().zip(&self.digits).map(|(&top, digits)| rounded(top, digits)).collect()
    }

    /// The places and digits, as they travel.
    pub fn parts(&self) -> (&[i16], &[[i64; PLACES]]) {
        (&self.tops, &self.digits)
    }

    /// The sums of these places and digits.
    pub fn from_parts(tops: Vec<i16>, digits: Vec<[i64; PLACES]>) -> Result<Self> {
        match tops.len() == digits.len() {
            true => Ok(Self { tops, digits }),
            false => Err(Error::Shape("sums have other places than digits".into())),
        }
    }
}

/// Makes `place` the highest one of a sum, if it is higher.
fn raise(top: &mut i16, digits: &mut [i64; PLACES], place: i16) {
    if place <= *top {
        return;
    }
    let by = usize::try_from(i32::from(place) - i32::from(*top)).unwrap_or(PLACES).min(PLACES);
    digits.copy_within(..PLACES - by, by);
    digits[..by].fill(0);
    *top = place;
}

fn add(top: &mut i16, digits: &mut [i64; PLACES], value: f64) {
    if value == 0.0 {
        return;
    }
    if !value.is_finite() {
        *top = INVALID;
        return;
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    // |value| = whole · 2^power
    let (whole, power) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    let (place, shift) = (power.div_euclid(BITS), power.rem_euclid(BITS));
    let wide = u128::from(whole) << shift;
    let highest = (127 - wide.leading_zeros() as i32) / BITS;
    raise(top, digits, (place + highest) as i16);
    if *top == INVALID {
        return;
    }
    for own in 0..=highest {
        let at = i32::from(*top) - (place + own);
        let digit = ((wide >> (BITS * own)) as u32) as i64;
        if let Some(sum) = usize::try_from(at).ok().and_then(|at| digits.get_mut(at)) {
            *sum += if value < 0.0 { -digit } else { digit };
        }
    }
}

fn join(top: &mut i16, digits: &mut [i64; PLACES], place: i16, added: &[i64; PLACES]) {
    raise(top, digits, place);
    let by = usize::try_from(i32::from(*top) - i32::from(place)).unwrap_or(PLACES);
    digits.iter_mut().skip(by).zip(added).for_each(|(sum, v)| *sum += v);
}

fn rounded(top: i16, digits: &[i64; PLACES]) -> f64 {
    match top {
        EMPTY => return 0.0,
        INVALID => return f64::NAN,
        _ => {}
    }
    let sum = digits.iter().fold(0_i128, |sum, digit| (sum << BITS) + i128::from(*digit));
    let power = BITS * (i32::from(top) + 1 - PLACES as i32);
    // In two steps, since the power itself may be too small for a double.
    sum as f64 * 2_f64.powi(power / 2) * 2_f64.powi(power - power / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, "test");
        (0..count).map(|_| stream.normal() * 2_f64.powi(stream.below(120) as i32 - 60)).collect()
    }

    fn sums(ctx: &Context, rows: &[Vec<f64>]) -> ExactSums {
        let mut sums = ExactSums::empty(rows[0].len()).unwrap();
        rows.iter().for_each(|row| sums.add(ctx, row));
        sums
    }

    #[test]
    fn any_order_and_any_division_give_the_same_bits() {
        let ctx = Context::new(2);
        let mut rows: Vec<Vec<f64>> = (0..40).map(|seed| numbers(PIECE + 5, seed)).collect();
        let whole = sums(&ctx, &rows);
        rows.reverse();
        rows.swap(3, 17);
        assert_eq!(whole, sums(&Context::new(1), &rows));
        for cut in [1, 13, 39] {
            let (mut last, first) = (sums(&ctx, &rows[cut..]), sums(&ctx, &rows[..cut]));
            last.merge(&ctx, &first);
            assert_eq!(whole.values(), last.values());
            assert_eq!(whole, last);
        }
    }

    #[test]
    fn sums_are_as_exact_as_doubles_can_be() {
        let ctx = Context::new(1);
        let rows: Vec<Vec<f64>> = (0..50).map(|seed| numbers(200, seed)).collect();
        let found = sums(&ctx, &rows).values();
        for (j, found) in found.iter().enumerate() {
            let largest = rows.iter().map(|row| row[j].abs()).fold(0.0, f64::max);
            // Exactly, in integers of 2^-120.
            let parts = rows.iter().map(|row| row[j]);
            let (mut high, mut low) = (0.0_f64, 0.0_f64);
            for v in parts {
                let sum = high + v;
                let back = sum - high;
                low += (high - (sum - back)) + (v - back);
                high = sum;
            }
            assert!((found - (high + low)).abs() <= 4.0 * f64::EPSILON * largest);
        }
        assert_eq!(sums(&ctx, &[vec![1e30], vec![1.0], vec![-1e30]]).values(), [0.0]);
        assert_eq!(sums(&ctx, &[vec![1e15], vec![1.0], vec![-1e15]]).values(), [1.0]);
    }

    #[test]
    fn a_sum_of_one_number_is_that_number() {
        let ctx = Context::new(1);
        let mut values = numbers(1000, 1);
        values.extend([0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, -f64::MAX, -1.5e-310]);
        assert_eq!(sums(&ctx, std::slice::from_ref(&values)).values(), values);
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let ctx = Context::new(1);
        for order in [[f64::INFINITY, 1.0], [1.0, f64::NAN]] {
            assert!(sums(&ctx, &[vec![order[0]], vec![order[1]]]).values()[0].is_nan());
        }
    }
}
