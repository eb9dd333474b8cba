//! A vector that proves a matrix indefinite, carried by as few samples as will do.

use serde::Serialize;

use super::Spectrum;
use super::part::Part;
use crate::linalg::eigen;
use crate::linalg::view::Mat;

/// Samples in a witness that counts as short; beyond, the whole eigenvector is as good.
const MOST_SAMPLES: usize = 256;
/// A short witness must be this much as negative as the whole matrix is, each relative to its own largest eigenvalue.
const AS_GOOD: f64 = 0.5;
/// And this many times as negative as rounding may be.
const CLEARLY: f64 = 10.0;

/// A vector a of unit length with aᵀKa < 0; the weights of samples not listed are 0.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// The samples that carry it, the heaviest first.
    pub samples: Vec<usize>,
    /// Their weights; the first is positive.
    pub weights: Vec<f64>,
    /// aᵀKa.
    pub value: f64,
}

impl Witness {
    /// The same witness with samples named by their places in a larger set.
    pub(super) fn among(mut self, which: &[usize]) -> Self {
        self.samples.iter_mut().for_each(|sample| *sample = which[*sample]);
        self
    }

    /// aᵀKa, summed term by term, from the weights of the samples of a part.
    fn new(part: &Part, mut carried: Vec<(usize, f64)>) -> Self {
        carried.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let length = carried.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
        let unit = if carried[0].1 < 0.0 { -length } else { length };
        let samples: Vec<usize> = carried.iter().map(|&(sample, _)| sample).collect();
        let weights: Vec<f64> = carried.iter().map(|&(_, weight)| weight / unit).collect();
        let mut value = 0.0;
        for (i, a) in samples.iter().zip(&weights) {
            for (j, b) in samples.iter().zip(&weights) {
                value += a * b * part.matrix[(*i, *j)];
            }
        }
        Self { samples, weights, value: value * part.scale }
    }
}

/// A witness for a matrix whose smallest eigenvalue, clearly negative, has the eigenvector `vector`: one sample or two
/// if some are enough, else the fewest of those with the largest weights, else all.
pub(super) fn find(part: &Part, vector: &[f64], spectrum: &Spectrum) -> Witness {
    let goal = Goal { spectrum: *spectrum };
    let order = by_weight(vector);
    let few = [lowest_diagonal(&part.matrix), worst_pair(&part.matrix)].into_iter();
    let heaviest = sizes(vector.len()).map(|size| order[..size].to_vec());
    let mut sets = few.filter(|set| !set.is_empty()).chain(heaviest);
    let short = sets.find_map(|set| goal.reached_by(part, &set));
    short.unwrap_or_else(|| {
        Witness::new(part, order.iter().map(|&sample| (sample, vector[sample])).collect())
    })
}

/// When a short witness is good enough.
struct Goal {
    spectrum: Spectrum,
}

impl Goal {
    /// The witness that the samples `set` carry, if it is good enough.
    fn reached_by(&self, part: &Part, set: &[usize]) -> Option<Witness> {
        let n = set.len();
        let sub = Mat::from_fn(n, n, |i, j| part.matrix[(set[i], set[j])]);
        let pairs = eigen::small(&sub).ok()?;
        let (first, last) = (pairs.values[0], pairs.values[n - 1]);
        let size = first.abs().max(last.abs());
        let ratio = AS_GOOD * self.spectrum.ratio;
        let clear = CLEARLY * self.spectrum.noise * (n as f64 / part.matrix.rows() as f64).sqrt();
        // Against the size of the whole matrix too: of that the entries may carry rounding errors.
        let rounding = self.spectrum.noise * self.spectrum.size;
        let good = last < -size * ratio.max(clear) && last < -rounding;
        let carried = || set.iter().copied().zip(pairs.vectors.row(n - 1).iter().copied());
        good.then(|| Witness::new(part, carried().collect()))
    }
}

/// Samples by falling absolute weight.
fn by_weight(vector: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..vector.len()).collect();
    order.sort_by(|&a, &b| vector[b].abs().total_cmp(&vector[a].abs()).then(a.cmp(&b)));
    order
}

/// Numbers of samples to try: 3, 4, … and then in growing steps.
fn sizes(n: usize) -> impl Iterator<Item = usize> {
    let next = |size: &usize| Some(size + 1 + size / 8);
    std::iter::successors(Some(3), next).take_while(move |size| *size < n.min(MOST_SAMPLES + 1))
}

/// The sample with the lowest k(x, x).
fn lowest_diagonal(matrix: &Mat<f64>) -> Vec<usize> {
    let lowest = |a: &usize, b: &usize| matrix[(*a, *a)].total_cmp(&matrix[(*b, *b)]);
    (0..matrix.rows()).min_by(lowest).into_iter().collect()
}

/// The pair that breaks |k(x, y)| ≤ √(k(x, x)·k(y, y)) worst, by the eigenvalues of its 2 × 2 matrix; none if no pair
/// does.
fn worst_pair(matrix: &Mat<f64>) -> Vec<usize> {
    let (mut worst, mut pair) = (0.0, Vec::new());
    for i in 0..matrix.rows() {
        let row = matrix.row(i);
        for j in 0..i {
            let (middle, half) = (0.5 * (row[i] + matrix[(j, j)]), 0.5 * (row[i] - matrix[(j, j)]));
            let reach = (half * half + row[j] * row[j]).sqrt();
            let ratio = (middle - reach) / (middle.abs() + reach);
            if ratio < worst {
                (worst, pair) = (ratio, vec![i, j]);
            }
        }
    }
    pair
}
