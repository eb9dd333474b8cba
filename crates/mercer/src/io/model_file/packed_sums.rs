//! Sums over rows as they travel: a byte for the place of each, and its three digits in as few bytes as the largest of all needs, which is five for up to a hundred groups
//! of rows, and not the eight that they have in memory.

use super::frame::Fault;
use crate::gram::ExactSums;

/// The bytes that stand for a sum without summands, and for one that is no number.
const EMPTY: u8 = 0;
const INVALID: u8 = u8::MAX;
/// What is added to places, which all exponents of doubles leave between -34 and 33.
const SHIFT: i16 = 64;

/// The places and the digits of sums, as bytes.
pub fn packed(sums: &ExactSums) -> (Vec<u8>, Vec<u8>) {
    let (tops, digits) = sums.parts();
    let width = width(digits.iter().flatten());
    let mut bytes = Vec::with_capacity(3 * width * digits.len());
    let numbers = digits.iter().flatten();
    numbers.for_each(|digit| bytes.extend_from_slice(&digit.to_le_bytes()[..width]));
    (tops.iter().copied().map(packed_place).collect(), bytes)
}

/// The sums of these bytes.
pub fn unpacked(places: &[u8], bytes: &[u8]) -> Result<ExactSums, Fault> {
    let invalid = || Fault::Invalid("sums with other places than digits".into());
    let width = bytes.len() / (3 * places.len()).max(1);
    if !(1..=8).contains(&width) || bytes.len() != 3 * width * places.len() {
        return if bytes.is_empty() && places.is_empty() { empty() } else { Err(invalid()) };
    }
    let digit = |at: usize| number(&bytes[at * width..(at + 1) * width]);
    let digits = (0..places.len()).map(|i| [digit(3 * i), digit(3 * i + 1), digit(3 * i + 2)]);
    let tops = places.iter().copied().map(place).collect();
    ExactSums::from_parts(tops, digits.collect()).map_err(|_| invalid())
}

fn empty() -> Result<ExactSums, Fault> {
    ExactSums::empty(0).map_err(|error| Fault::Invalid(error.to_string()))
}

/// The bytes that hold all numbers with their signs.
fn width<'a>(numbers: impl Iterator<Item = &'a i64>) -> usize {
    // A number and what is left of it without its sign need the same bits.
    let bits = numbers.fold(0, |bits, v| bits | (v ^ (v >> 63)));
    (65 - bits.leading_zeros() as usize).div_ceil(8)
}

/// The number that the lowest bytes stand for.
fn number(bytes: &[u8]) -> i64 {
    let mut whole = [if bytes[bytes.len() - 1] & 0x80 == 0 { 0 } else { 0xff }; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(whole)
}

fn packed_place(top: i16) -> u8 {
    match top {
        i16::MIN => EMPTY,
        i16::MAX => INVALID,
        place => (place + SHIFT) as u8,
    }
}

fn place(byte: u8) -> i16 {
    match byte {
        EMPTY => i16::MIN,
        INVALID => i16::MAX,
        byte => i16::from(byte) - SHIFT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;

    fn back(sums: &ExactSums) -> usize {
        let (places, bytes) = packed(sums);
        assert_eq!(&unpacked(&places, &bytes).unwrap(), sums);
        bytes.len()
    }

    #[test]
    fn sums_come_back_as_they_were() {
        let ctx = Context::new(1);
        let values = [1.0, -2.5e-300, 0.0, 1e300, f64::MAX, -5e-324, f64::NAN, -1.0, 0.1];
        let mut sums = ExactSums::empty(values.len()).unwrap();
        back(&sums);
        for times in 0..200 {
            sums.add(&ctx, &values);
            // A digit of 32 bits with its sign takes five bytes, also a hundred of them.
            let size = back(&sums);
            assert!(times >= 100 || size == 15 * values.len(), "{times}: {size}");
        }
        back(&ExactSums::empty(0).unwrap());
    }

    #[test]
    fn digits_have_as_many_bytes_as_the_largest_needs() {
        for (digit, bytes) in [(0, 1), (127, 1), (128, 2), (-128, 1), (-129, 2), (1 << 31, 5)] {
            let sums = ExactSums::from_parts(vec![3, -4], vec![[digit, 0, -1], [1, 2, 3]]).unwrap();
            assert_eq!(back(&sums), 6 * bytes, "{digit}");
        }
        for digit in [i64::MAX, i64::MIN] {
            assert_eq!(back(&ExactSums::from_parts(vec![0], vec![[digit; 3]]).unwrap()), 24);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(unpacked(&[1, 2], &[0; 7]).is_err());
        assert!(unpacked(&[1], &[0; 27]).is_err());
        assert!(unpacked(&[1], &[]).is_err());
        assert!(unpacked(&[], &[1]).is_err());
    }
}
