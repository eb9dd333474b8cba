//! Samples in patches that lie close together, so that kernel values between patches far apart need not be computed.

use std::sync::Arc;

use crate::points::Dense;
use crate::real::Real;

/// Samples in few dimensions, and how far each of them reaches: beyond, kernel values are lost in rounding.
#[derive(Clone, Debug)]
pub struct Reach {
    d: usize,
    rows: Arc<Vec<f32>>, // n × d
    square: f64,
}

/// Dimensions up to which patches are compact.
const DIMENSIONS: usize = 8;
/// Samples of a patch at most.
const SIZE: usize = 256;
/// The share of pairs of patches and samples within reach from which on leaving the others out does not pay.
const WORTH: f64 = 0.6;
/// Samples that the share is estimated from.
const PROBED: usize = 64;

impl Reach {
    /// Samples that reach up to the squared distance `square`; none in many dimensions.
    pub fn new<T: Real>(x: &Dense<T>, square: f64) -> Option<Self> {
        let rows = || Arc::new(x.data().iter().map(|v| v.to_f64() as f32).collect());
        ((1..=DIMENSIONS).contains(&x.d()) && square.is_finite()).then(|| Self {
            d: x.d(),
            rows: rows(),
            square,
        })
    }

    /// Those at `which`.
    pub fn select(&self, which: &[usize]) -> Self {
        let rows = which.iter().flat_map(|&i| self.row(i).iter().copied()).collect();
        Self { d: self.d, rows: Arc::new(rows), square: self.square }
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.d..][..self.d]
    }

    /// How many samples there are.
    pub fn n(&self) -> usize {
        self.rows.len() / self.d
    }
}

/// A division of samples into patches.
#[derive(Clone, Debug)]
pub struct Patches {
    reach: Reach,
    of: Vec<u32>,
    boxes: Vec<Vec<(f64, f64)>>,
}

impl Patches {
    /// Samples divided at medians, until patches are small; none where most of them are within reach of each other.
    pub fn new(reach: &Reach) -> Option<Self> {
        let n = reach.n();
        let mut order: Vec<usize> = (0..n).collect();
        let mut patches = Self { reach: reach.clone(), of: vec![0; n], boxes: Vec::new() };
        patches.divide(&mut order);
        let probed = PROBED.min(n);
        let near = |k: usize| {
            (0..patches.count()).filter(|&patch| patches.is_near(patch, k * n / probed)).count()
        };
        let pairs: usize = (0..probed).map(near).sum();
        let is_worth = (pairs as f64) <= WORTH * (probed * patches.count()) as f64;
        (n > SIZE && is_worth).then_some(patches)
    }

    fn divide(&mut self, order: &mut [usize]) {
        let side = |axis: usize| {
            let values = order.iter().map(|&i| f64::from(self.reach.row(i)[axis]));
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            })
        };
        let sides: Vec<(f64, f64)> = (0..self.reach.d).map(side).collect();
        if order.len() <= SIZE {
            order.iter().for_each(|&i| self.of[i] = self.boxes.len() as u32);
            self.boxes.push(sides);
            return;
        }
        let width = |axis: usize| sides[axis].1 - sides[axis].0;
        let widest = (1..sides.len()).fold(0, |a, b| if width(b) > width(a) { b } else { a });
        let reach = self.reach.clone();
        let key = |i: usize| reach.row(i)[widest];
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let (left, right) = order.split_at_mut(middle);
        self.divide(left);
        self.divide(right);
    }

    /// How many patches there are.
    pub fn count(&self) -> usize {
        self.boxes.len()
    }

    /// The patch of a sample.
    pub fn of(&self, sample: usize) -> usize {
        self.of[sample] as usize
    }

    /// Whether a sample may reach one of a patch.
    pub fn is_near(&self, patch: usize, sample: usize) -> bool {
        let each = self.boxes[patch].iter().zip(self.reach.row(sample));
        let beyond = |((low, high), v): (&(f64, f64), &f32)| {
            let v = f64::from(*v);
            (low - v).max(v - high).max(0.0)
        };
        each.map(|side| beyond(side).powi(2)).sum::<f64>() <= self.reach.square
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    fn plane(n: usize) -> Dense<f64> {
        let mut stream = Stream::new(1, "patches");
        Dense::from_vec((0..2 * n).map(|_| stream.normal()).collect(), n, 2).unwrap()
    }

    #[test]
    fn who_is_within_reach_is_near() {
        let x = plane(3000);
        let reach = Reach::new(&x, 0.04).unwrap();
        let patches = Patches::new(&reach).unwrap();
        let square = |i: usize, j: usize| -> f64 {
            x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut far = 0;
        for i in (0..3000).step_by(7) {
            for j in (0..3000).step_by(11) {
                let near = patches.is_near(patches.of(i), j);
                assert!(near || square(i, j) > 0.039, "{i} {j}");
                far += usize::from(!near);
            }
        }
        assert!(far > 0, "most are far");
        let mut sizes = vec![0; patches.count()];
        (0..3000).for_each(|i| sizes[patches.of(i)] += 1);
        assert!(sizes.iter().all(|size| (1..=SIZE).contains(size)));
    }

    #[test]
    fn where_it_does_not_pay_there_are_no_patches() {
        assert!(Patches::new(&Reach::new(&plane(3000), 100.0).unwrap()).is_none());
        assert!(Patches::new(&Reach::new(&plane(100), 1e-6).unwrap()).is_none());
        assert!(Reach::new(&plane(100), f64::INFINITY).is_none());
    }
}
