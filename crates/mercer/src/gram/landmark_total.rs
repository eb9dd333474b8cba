//! Sums over many samples in groups of a fixed size: within a group they are added up in order, and groups in any order, on any machine, to the same last bit.

use super::exact_sums::ExactSums;
use super::landmark_sums::{CHUNK, LandmarkSums};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::view::Mat;

/// Rows of a group: counted from the first row of a table, so that the groups are the same however the table is divided. The cost of adding a group up is that of
/// some rows.
pub const GROUP: usize = 16 * CHUNK;

/// Sums over groups of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct LandmarkTotal {
    /// Landmarks.
    m: usize,
    /// The sums, the lower triangle of m × m first.
    sums: ExactSums,
    /// Samples.
    count: u64,
    /// What targets are relative to.
    target_origin: Vec<f64>,
}

impl LandmarkTotal {
    /// Over no samples, for m landmarks and targets near `target_origin`.
    pub fn empty(m: usize, target_origin: Vec<f64>) -> Result<Self> {
        let sums = ExactSums::empty(length(m, target_origin.len()) as usize)?;
        Ok(Self { m, sums, count: 0, target_origin })
    }

    /// Bytes for m landmarks and t targets, with those of a group while it is added.
    pub fn bytes(m: usize, t: usize) -> u64 {
        let length = length(m, t);
        ExactSums::bytes(length).saturating_add(length.saturating_mul(8))
    }

    /// Adds the sums over a group, whose targets are relative to the same numbers.
    pub fn add(&mut self, ctx: &Context, group: &LandmarkSums) {
        assert_eq!((self.m, &self.target_origin), (group.m(), &group.target_origin));
        let mut flat = Vec::with_capacity(self.sums.len());
        (0..self.m).for_each(|i| flat.extend_from_slice(&group.gram.row(i)[..=i]));
        flat.extend_from_slice(group.moments.data());
        flat.extend([group.trace, group.weight]);
        flat.extend_from_slice(&group.target_sums);
        flat.extend_from_slice(&group.target_squares);
        self.sums.add(ctx, &flat);
        self.count += group.count;
    }

    /// Adds what was added up elsewhere.
    pub fn merge(&mut self, ctx: &Context, other: &Self) -> Result<()> {
        if (self.m, &self.target_origin) != (other.m, &other.target_origin) {
            return Err(Error::Shape("the sums belong to other landmarks or targets".into()));
        }
        self.sums.merge(ctx, &other.sums);
        self.count += other.count;
        Ok(())
    }

    /// The sums, rounded.
    pub fn sums(&self) -> Result<LandmarkSums> {
        let (m, t) = (self.m, self.target_origin.len());
        let flat = self.sums.values();
        let mut found = LandmarkSums::empty(m, self.target_origin.clone())?;
        let (triangle, rest) = flat.split_at(m * (m + 1) / 2);
        for i in 0..m {
            let start = i * (i + 1) / 2;
            found.gram.row_mut(i)[..=i].copy_from_slice(&triangle[start..start + i + 1]);
        }
        let (moments, rest) = rest.split_at(m * (1 + t));
        found.moments = Mat::from_vec(moments.to_vec(), m, 1 + t);
        (found.trace, found.weight, found.count) = (rest[0], rest[1], self.count);
        found.target_sums.copy_from_slice(&rest[2..2 + t]);
        found.target_squares.copy_from_slice(&rest[2 + t..]);
        Ok(found)
    }

    /// Landmarks, samples, what targets are relative to, and the sums, as they travel.
    pub fn parts(&self) -> (usize, u64, &[f64], &ExactSums) {
        (self.m, self.count, &self.target_origin, &self.sums)
    }

    /// What has these parts.
    pub fn from_parts(
        (m, count): (usize, u64),
        target_origin: Vec<f64>,
        sums: ExactSums,
    ) -> Result<Self> {
        match sums.len() as u64 == length(m, target_origin.len()) {
            true => Ok(Self { m, sums, count, target_origin }),
            false => Err(Error::Shape("the sums belong to other landmarks or targets".into())),
        }
    }
}

/// How many sums there are.
fn length(m: usize, t: usize) -> u64 {
    let (m, t) = (m as u64, t as u64);
    (m.saturating_mul(m + 1) / 2).saturating_add(m.saturating_mul(1 + t)) + 2 + 2 * t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    fn group(m: usize, seed: u64) -> LandmarkSums {
        let mut stream = Stream::new(seed, "test");
        let mut sums = LandmarkSums::empty(m, vec![5.0]).unwrap();
        for i in 0..m {
            sums.gram.row_mut(i)[..=i].iter_mut().for_each(|v| *v = stream.normal());
            sums.moments.row_mut(i).iter_mut().for_each(|v| *v = stream.normal());
        }
        (sums.trace, sums.weight, sums.count) = (stream.uniform(), 3.5, GROUP as u64);
        (sums.target_sums[0], sums.target_squares[0]) = (stream.normal(), stream.uniform());
        sums
    }

    #[test]
    fn groups_add_up_to_the_same_bits_in_any_order_and_division() {
        let (ctx, m) = (Context::new(2), 30);
        let groups: Vec<LandmarkSums> = (0..9).map(|seed| group(m, seed)).collect();
        let total = |places: &[usize]| {
            let mut total = LandmarkTotal::empty(m, vec![5.0]).unwrap();
            places.iter().for_each(|&place| total.add(&ctx, &groups[place]));
            total
        };
        let whole = total(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let mut parts = total(&[7, 2, 8]);
        parts.merge(&ctx, &total(&[0])).unwrap();
        parts.merge(&ctx, &total(&[6, 5, 4, 3, 1])).unwrap();
        assert_eq!(whole, parts);
        assert_eq!(whole.sums().unwrap(), parts.sums().unwrap());
        assert_eq!(whole.sums().unwrap().count, 9 * GROUP as u64);
        // A single group is its own sum, and what travelled is what was sent.
        assert_eq!(total(&[4]).sums().unwrap(), groups[4]);
        let (m, count, origin, sums) = whole.parts();
        let back = LandmarkTotal::from_parts((m, count), origin.to_vec(), sums.clone()).unwrap();
        assert_eq!(whole, back);
        assert!(parts.merge(&ctx, &LandmarkTotal::empty(m, vec![4.0]).unwrap()).is_err());
    }
}
