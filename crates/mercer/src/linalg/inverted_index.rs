//! The samples of a block, found by their features: for each feature, who has it and how much of it.
//!
//! A sum over the features that two samples share then costs one step for each such feature, however many features there
//! are. Features that many samples of the block have lie in lines, one place for each sample, and whole registers are added;
//! the others are lists.
//!
//! Every sum takes its terms in the order of the features of the walked sample, one at a time, whether they come from a line or
//! from a list. So a sum does not depend on the block it was computed in, to the last bit.

use crate::real::Real;

/// The name of a feature: a number that finds its place in a table.
pub trait Key: Copy + Default + Ord + Send + Sync {
    /// The number itself if it is less than 2³², and otherwise one that depends on all of it, such that the upper bits of its product
    /// with an odd number do too.
    fn folded(self) -> u64;

    /// The number itself if it is less than 2³².
    fn small(self) -> Option<u32>;
}

impl Key for u32 {
    #[inline(always)]
    fn folded(self) -> u64 {
        u64::from(self)
    }
    fn small(self) -> Option<u32> {
        Some(self)
    }
}

impl Key for u64 {
    #[inline(always)]
    fn folded(self) -> u64 {
        self ^ (self >> 32)
    }
    fn small(self) -> Option<u32> {
        self.try_into().ok()
    }
}

impl Key for u128 {
    #[inline(always)]
    fn folded(self) -> u64 {
        ((self as u64) ^ ((self >> 64) as u64).wrapping_mul(GOLDEN).rotate_left(29)).folded()
    }
    fn small(self) -> Option<u32> {
        self.try_into().ok()
    }
}

/// 2⁶⁴ over the golden ratio: multiples of it lie far apart.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The contribution of a feature that two samples share. It must be 0 where `y` is 0, and the same with `x` and `y` exchanged.
pub trait Match: Copy + Send + Sync {
    /// The term of the values `x`, not 0, and `y`.
    fn term<T: Real, const FUSED: bool>(x: T, y: T) -> T;
}

/// x·y, whose sum is the dot product.
#[derive(Clone, Copy, Debug)]
pub struct Product;

impl Match for Product {
    #[inline(always)]
    fn term<T: Real, const FUSED: bool>(x: T, y: T) -> T {
        x * y
    }
}

/// The most samples of a block: a place in it is one byte.
pub const WIDEST: usize = 256;

/// Sums for the samples of a block.
pub type Sums<T> = [T; WIDEST];

/// Lines are as long as a whole number of registers.
const PAD: usize = 16;

/// A feature becomes a line if at least one sample in this many has it.
const LINE_FROM: usize = 16;

/// Marks a slot whose feature is a line.
const LINE: u32 = u32::MAX;

/// At most [`WIDEST`] samples by their features.
pub struct Index<T, K> {
    table: Table<K>,
    places: Vec<u8>, // of the samples in the lists
    values: Vec<T>,  // as many
    lines: Vec<T>,   // lines × width
    width: usize,
    len: usize,
}

impl<T: Real, K: Key> Index<T, K> {
    /// The index of the samples `rows`, each a list of rising features and a list of values. Fewer than 2³¹ values in
    /// all. About `walks` features of other samples will be looked for.
    #[inline(always)]
    pub fn new<'a>(
        rows: impl ExactSizeIterator<Item = (&'a [K], &'a [T])> + Clone,
        walks: usize,
    ) -> Self
    where
        K: 'a,
    {
        assert!(rows.len() <= WIDEST, "{} samples in a block", rows.len());
        let width = rows.len().next_multiple_of(PAD);
        let count = rows.clone().map(|(at, _)| at.len()).sum::<usize>();
        assert!(count < LINE as usize / 2, "{count} values in a block");
        let largest = rows.clone().filter_map(|(at, _)| at.last().copied()).max();
        let mut table = Table::new(count, largest.unwrap_or_default(), walks);
        let mut numbers: Vec<u32> = Vec::with_capacity(count);
        for (at, _) in rows.clone() {
            numbers.extend(at.iter().map(|&key| table.number(key)));
        }
        let mut index = Self {
            table,
            places: Vec::new(),
            values: Vec::new(),
            lines: Vec::new(),
            width,
            len: rows.len(),
        };
        let mut homes = index.settle(rows.len());
        let mut rest = &numbers[..];
        for (place, (_, values)) in rows.enumerate() {
            let (own, others) = rest.split_at(values.len());
            for (&value, &number) in values.iter().zip(own) {
                index.put(&mut homes[number as usize], place, value);
            }
            rest = others;
        }
        index
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Gives every feature its list or its line, and returns where the next value of each goes, by number: a place in the lists,
    /// or that of the line, marked.
    #[inline(always)]
    fn settle(&mut self, samples: usize) -> Vec<(u32, bool)> {
        let mut homes = vec![(0, false); self.table.taken];
        let (mut listed, mut lines) = (0_u32, 0_u32);
        for slot in self.table.slots.iter_mut().filter(|slot| slot.count > 0) {
            let home = &mut homes[slot.start as usize];
            if slot.count as usize * LINE_FROM >= samples {
                *home = (lines, true);
                (slot.start, slot.count) = (lines, LINE);
                lines += 1;
            } else {
                *home = (listed, false);
                slot.start = listed;
                listed += slot.count;
            }
        }
        self.places.resize(listed as usize, 0);
        self.values.resize(listed as usize, T::ZERO);
        self.lines.resize(lines as usize * self.width, T::ZERO);
        homes
    }

    #[inline(always)]
    fn put(&mut self, home: &mut (u32, bool), place: usize, value: T) {
        let at = home.0 as usize;
        if home.1 {
            self.lines[at * self.width + place] = value;
        } else {
            (self.places[at], self.values[at]) = (place as u8, value);
            home.0 += 1;
        }
    }

    /// Adds to each sample's sum the terms of the features it shares with the sample that has the features `at` with `values`.
    #[inline(always)]
    pub fn add<M: Match, const FUSED: bool>(&self, at: &[K], values: &[T], sums: &mut Sums<T>) {
        for (&key, &x) in at.iter().zip(values) {
            let Some((start, count)) = self.table.get(key) else { continue };
            if count == LINE {
                let line = &self.lines[start as usize * self.width..][..self.width];
                for (sum, &y) in sums.iter_mut().zip(line) {
                    *sum += M::term::<T, FUSED>(x, y);
                }
            } else {
                let list = start as usize..start as usize + count as usize;
                for (&place, &y) in self.places[list.clone()].iter().zip(&self.values[list]) {
                    sums[place as usize] += M::term::<T, FUSED>(x, y);
                }
            }
        }
    }
}

/// A feature: while the table grows, its number and how many samples have it; then its list `start..start + count` or, if `count` is
/// `LINE`, the line `start`. Free if `count` is 0.
#[derive(Clone, Copy, Default)]
struct Slot<K> {
    key: K,
    start: u32,
    count: u32,
}

/// Where features are found. A feature belongs in the slot that the upper bits of a product with `factor` name, or in the next free one;
/// one that is named a slot beyond the last is not there.
struct Table<K> {
    slots: Vec<Slot<K>>, // a power of two of them, never all in use
    factor: u64,
    shift: u32,
    taken: usize,
    most: usize, // features, before the table grows
}

impl<K: Key> Table<K> {
    /// Room for the features of `count` values, up to `largest`; it grows if need be. `walks` features will be looked for.
    fn new(count: usize, largest: K, walks: usize) -> Self {
        let size = count.next_power_of_two().max(16);
        match largest.small() {
            // With numbers as small as these every feature can have a slot of its own, which pays if enough are looked for.
            Some(largest) if (largest as usize) < (2 * size).max(walks / 4) => {
                let slots = vec![Slot::default(); (largest as usize + 2).next_power_of_two()];
                Self { most: slots.len(), slots, factor: 1, shift: 0, taken: 0 }
            }
            _ => Self::hashed(size),
        }
    }

    /// A table of `size` slots, at most a quarter of which is ever used: features that are not there should be missed at once.
    fn hashed(size: usize) -> Self {
        let shift = 64 - size.trailing_zeros();
        let slots = vec![Slot::default(); size];
        Self { slots, factor: GOLDEN, shift, taken: 0, most: size / 4 }
    }

    /// The slot of `key`, or the free one where it belongs.
    #[inline(always)]
    fn find(&self, key: K) -> Option<usize> {
        let mut at = (key.folded().wrapping_mul(self.factor) >> self.shift) as usize;
        loop {
            let slot = self.slots.get(at)?;
            if slot.count == 0 || slot.key == key {
                return Some(at);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The start and count of `key`'s slot, if it has one.
    #[inline(always)]
    fn get(&self, key: K) -> Option<(u32, u32)> {
        let slot = &self.slots[self.find(key)?];
        (slot.count > 0).then_some((slot.start, slot.count))
    }

    /// Counts a value of the feature `key` and returns the feature's number.
    #[inline(always)]
    fn number(&mut self, key: K) -> u32 {
        let place = |table: &Self| table.find(key).expect("a slot for every feature");
        let mut at = place(self);
        if self.slots[at].count == 0 {
            if self.taken == self.most {
                self.grow();
                at = place(self);
            }
            self.slots[at] = Slot { key, start: self.taken as u32, count: 0 };
            self.taken += 1;
        }
        self.slots[at].count += 1;
        self.slots[at].start
    }

    fn grow(&mut self) {
        let mut larger = Self::hashed(2 * self.slots.len());
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            let at = larger.find(slot.key).expect("a slot for every feature");
            larger.slots[at] = *slot;
        }
        *self = Self { taken: self.taken, ..larger };
    }
}
