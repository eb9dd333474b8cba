//! The largest eigenpairs of a small matrix, where computing all of them would waste most of the time.
//!
//! ```text
//! A = Q T Qᵀ                       T tridiagonal, by reflectors
//! λ  by bisection                  the signs of the pivots of T − x count the eigenvalues below x
//! z  by inverse iteration          (T − λ) z' = z, made orthogonal to the vectors of neighbouring eigenvalues
//! x = Q z
//! ```
//!
//! Inverse iteration may fail to separate eigenvalues that lie together. So the vectors are checked, and where they are
//! not orthonormal eigenvectors to rounding, the answer is `None` and the caller computes all.

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};

use crate::context::Stream;
use crate::linalg::view::Mat;

/// Some eigenpairs and the other end of the spectrum.
#[derive(Clone, Debug)]
pub struct Few {
    /// The largest eigenvalues, descending.
    pub values: Vec<f64>,
    /// Row i is the unit eigenvector of `values[i]`.
    pub vectors: Mat<f64>,
    /// The smallest eigenvalue.
    pub smallest: f64,
}

/// Rounds of inverse iteration; two suffice for nearly all vectors.
const ROUNDS: usize = 3;
/// Eigenvalues nearer than this share of the norm share their vectors' rounding errors: those are made orthogonal.
const NEAR: f64 = 1e-3;
/// Errors of vectors, relative to one, and of T z − λ z, relative to the norm, that are taken for rounding.
const ROUNDING: f64 = 1e-12;

/// The `count` largest eigenpairs of the symmetric matrix whose lower triangle is that of `a`.
pub fn few(a: &Mat<f64>, count: usize) -> Option<Few> {
    let n = a.rows();
    assert!(n == a.cols() && 0 < count && count <= n);
    if n < 3 || !lower_is_finite(a) {
        return None;
    }
    // Columns of the lower triangle side by side, which is how they are worked on.
    let mut a = Mat::from_fn(n, n, |i, j| if j >= i { a[(j, i)] } else { 0.0 });
    let scales = reduce(&mut a);
    let t = Tridiagonal::new(&a);
    let norm = t.norm();
    if !(1e-100..1e100).contains(&norm) {
        return None;
    }
    let wanted: Vec<usize> = (n - count..n).rev().chain([0]).collect();
    let mut values = t.eigenvalues(&wanted, norm);
    let smallest = values.pop().expect("one more was asked for");
    let mut vectors = t.vectors(&values, norm)?;
    for row in 0..count {
        back(&a, &scales, vectors.row_mut(row));
    }
    Some(Few { values, vectors, smallest })
}

fn lower_is_finite(a: &Mat<f64>) -> bool {
    (0..a.rows()).all(|i| a.row(i)[..=i].iter().all(|v| v.is_finite()))
}

/// Leaves T on the diagonal of `a` and right beside it, and the reflectors, from their second entry on, in the rest of
/// the rows; returns the numbers by which they are divided.
fn reduce(a: &mut Mat<f64>) -> Vec<f64> {
    let n = a.rows();
    let mut scales = vec![0.0; n - 1];
    let scratch = tridiag_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    tridiag_in_place(
        faer::MatMut::from_column_major_slice_mut(a.data_mut(), n, n),
        faer::MatMut::from_column_major_slice_mut(&mut scales, 1, n - 1),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    scales
}

/// z ← Q z: the reflectors H = I − v vᵀ / scale, the last first.
fn back(a: &Mat<f64>, scales: &[f64], z: &mut [f64]) {
    for (k, scale) in scales.iter().enumerate().rev() {
        if !scale.is_finite() {
            continue; // nothing was to be reflected
        }
        let (v, rest) = (&a.row(k)[k + 2..], k + 2);
        let share = (z[k + 1] + dot(v, &z[rest..])) / scale;
        z[k + 1] -= share;
        z[rest..].iter_mut().zip(v).for_each(|(z, v)| *z -= share * v);
    }
}

struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Entry i couples i and i + 1; the last is 0.
    beside: Vec<f64>,
}

/// Eigenvalues that are bisected side by side.
const LANES: usize = 8;

impl Tridiagonal {
    fn new(a: &Mat<f64>) -> Self {
        let n = a.rows();
        let beside = (0..n).map(|i| if i + 1 < n { a[(i, i + 1)] } else { 0.0 });
        Self { diagonal: (0..n).map(|i| a[(i, i)]).collect(), beside: beside.collect() }
    }

    /// The largest sum of absolute values in a row: no eigenvalue is larger.
    fn norm(&self) -> f64 {
        let row = |i: usize| {
            let before = if i > 0 { self.beside[i - 1].abs() } else { 0.0 };
            before + self.diagonal[i].abs() + self.beside[i].abs()
        };
        (0..self.diagonal.len()).map(row).fold(0.0, f64::max)
    }

    /// The eigenvalues of the given ranks, 0 for the smallest.
    fn eigenvalues(&self, ranks: &[usize], norm: f64) -> Vec<f64> {
        let squares: Vec<f64> = self.beside.iter().map(|b| b * b).collect();
        // A pivot of 0 stands for one of this size: small beside the rounding errors of all others.
        let tiny = f64::EPSILON * f64::EPSILON * norm;
        let mut found = Vec::with_capacity(ranks.len());
        for group in ranks.chunks(LANES) {
            let rank: [usize; LANES] = std::array::from_fn(|l| group[l.min(group.len() - 1)]);
            let (mut low, mut high) = ([-norm; LANES], [norm; LANES]);
            // Each step halves the interval; 2 · norm halved 64 times is below any rounding error.
            for _ in 0..64 {
                let x: [f64; LANES] = std::array::from_fn(|l| 0.5 * (low[l] + high[l]));
                let below = self.count_below(&squares, x, tiny);
                for l in 0..LANES {
                    if below[l] <= rank[l] {
                        low[l] = x[l];
                    } else {
                        high[l] = x[l];
                    }
                }
            }
            found.extend((0..group.len()).map(|l| 0.5 * (low[l] + high[l])));
        }
        found
    }

    /// For each x, how many eigenvalues are smaller: as many as T − x has negative pivots.
    fn count_below(&self, squares: &[f64], x: [f64; LANES], tiny: f64) -> [usize; LANES] {
        let mut negative = [0.0; LANES];
        let mut pivot = [1.0; LANES];
        let mut square = 0.0;
        for (&d, &next) in self.diagonal.iter().zip(squares) {
            for l in 0..LANES {
                let q = d - x[l] - square / pivot[l];
                let q = if q.abs() < tiny { -tiny } else { q };
                negative[l] += if q < 0.0 { 1.0 } else { 0.0 };
                pivot[l] = q;
            }
            square = next;
        }
        negative.map(|count| count as usize)
    }

    /// Unit vectors of the given eigenvalues, in rows; `None` if some are not to be had by inverse iteration.
    fn vectors(&self, values: &[f64], norm: f64) -> Option<Mat<f64>> {
        let n = self.diagonal.len();
        let mut vectors = Mat::zeros(values.len(), n);
        let mut stream = Stream::new(0, "inverse iteration");
        let mut shift = f64::INFINITY;
        for at in 0..values.len() {
            // Equal eigenvalues are moved apart by a rounding error, so that their systems differ.
            shift = values[at].min(shift - 4.0 * f64::EPSILON * norm);
            let system = Factors::new(self, shift, norm);
            let first = (0..at).rev().take_while(|&i| values[i] - values[at] < NEAR * norm).last();
            let (before, own) = vectors.data_mut().split_at_mut(at * n);
            let near = &before[first.unwrap_or(at) * n..];
            let z = &mut own[..n];
            z.iter_mut().for_each(|v| *v = stream.uniform() - 0.5);
            for _ in 0..ROUNDS {
                system.solve(z);
                // Twice: what the first leaves behind is of the size of its own rounding errors.
                for _ in 0..2 {
                    near.chunks_exact(n).for_each(|other| subtract_projection(z, other));
                    normalize(z)?;
                }
            }
            if self.residual(z, values[at]) > ROUNDING * norm {
                return None;
            }
        }
        orthonormal(&vectors).then_some(vectors)
    }

    /// The largest entry of T z − value · z.
    fn residual(&self, z: &[f64], value: f64) -> f64 {
        let n = z.len();
        let entry = |i: usize| {
            let before = if i > 0 { self.beside[i - 1] * z[i - 1] } else { 0.0 };
            let after = if i + 1 < n { self.beside[i] * z[i + 1] } else { 0.0 };
            (before + (self.diagonal[i] - value) * z[i] + after).abs()
        };
        (0..n).map(entry).fold(0.0, f64::max)
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn subtract_projection(z: &mut [f64], other: &[f64]) {
    let share = dot(z, other);
    z.iter_mut().zip(other).for_each(|(a, b)| *a -= share * b);
}

/// Scales to unit length; `None` if nothing is left.
fn normalize(z: &mut [f64]) -> Option<()> {
    let largest = z.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    z.iter_mut().for_each(|v| *v /= largest);
    let length = dot(z, z).sqrt();
    z.iter_mut().for_each(|v| *v /= length);
    Some(())
}

fn orthonormal(vectors: &Mat<f64>) -> bool {
    let close = |i: usize, j: usize| {
        let want = if i == j { 1.0 } else { 0.0 };
        (dot(vectors.row(i), vectors.row(j)) - want).abs() <= ROUNDING
    };
    (0..vectors.rows()).all(|i| (0..=i).all(|j| close(i, j)))
}

/// T − shift as P L U, rows exchanged where the pivot below is larger.
struct Factors {
    /// (pivot, next, next but one) of the rows of U.
    upper: Vec<[f64; 3]>,
    /// By what a row was multiplied before it was taken from the next, and whether the two had been exchanged.
    lower: Vec<(f64, bool)>,
}

impl Factors {
    fn new(t: &Tridiagonal, shift: f64, norm: f64) -> Self {
        let n = t.diagonal.len();
        let tiny = f64::EPSILON * norm;
        let (mut upper, mut lower) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut row = [t.diagonal[0] - shift, t.beside[0], 0.0];
        for i in 0..n - 1 {
            let below = [t.beside[i], t.diagonal[i + 1] - shift, t.beside[i + 1]];
            let exchanged = below[0].abs() > row[0].abs();
            let (mut pivot, rest) = if exchanged { (below, row) } else { (row, below) };
            if pivot[0] == 0.0 {
                pivot[0] = tiny;
            }
            let factor = rest[0] / pivot[0];
            row = [rest[1] - factor * pivot[1], rest[2] - factor * pivot[2], 0.0];
            upper.push(pivot);
            lower.push((factor, exchanged));
        }
        if row[0].abs() < tiny {
            row[0] = tiny;
        }
        upper.push(row);
        Self { upper, lower }
    }

    /// z ← (T − shift)⁻¹ z.
    fn solve(&self, z: &mut [f64]) {
        for (i, &(factor, exchanged)) in self.lower.iter().enumerate() {
            if exchanged {
                z.swap(i, i + 1);
            }
            z[i + 1] -= factor * z[i];
        }
        let n = z.len();
        for (i, &[pivot, next, after]) in self.upper.iter().enumerate().rev() {
            let one = if i + 1 < n { next * z[i + 1] } else { 0.0 };
            let two = if i + 2 < n { after * z[i + 2] } else { 0.0 };
            z[i] = (z[i] - one - two) / pivot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::eigen::small;

    fn agrees(a: &Mat<f64>, count: usize) -> bool {
        let Some(few) = few(a, count) else {
            return false;
        };
        let n = a.rows();
        let all = small(&Mat::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))])).unwrap();
        let norm = all.values[0].abs().max(all.values[n - 1].abs());
        assert!((few.smallest - all.values[n - 1]).abs() <= 1e-13 * norm);
        for i in 0..count {
            assert!((few.values[i] - all.values[i]).abs() <= 1e-13 * norm, "value {i} of {n}");
            let x = few.vectors.row(i);
            for r in 0..n {
                let image: f64 = (0..n).map(|c| a[(r.max(c), r.min(c))] * x[c]).sum();
                assert!((image - few.values[i] * x[r]).abs() <= 1e-12 * norm, "vector {i} of {n}");
            }
        }
        assert!(orthonormal(&few.vectors));
        true
    }

    fn random(n: usize, seed: u64) -> Mat<f64> {
        let mut stream = Stream::new(seed, "test");
        let data = (0..n * n).map(|_| stream.normal()).collect();
        let x = Mat::from_vec(data, n, n);
        Mat::from_fn(n, n, |i, j| if j <= i { x[(i, j)] } else { f64::NAN }) // the upper is not read
    }

    #[test]
    fn the_largest_pairs_are_those_of_all() {
        for (n, count) in [(3, 1), (4, 4), (9, 2), (64, 10), (130, 30), (200, 10)] {
            assert!(agrees(&random(n, n as u64), count), "{n}");
        }
    }

    #[test]
    fn smooth_kernels_and_repeated_eigenvalues_are_right_or_refused() {
        let mut answered = 0;
        let gaussian = |n: usize, width: f64| {
            Mat::from_fn(n, n, |i, j| (-(i as f64 - j as f64).powi(2) / width).exp())
        };
        let blocks = |n: usize| Mat::from_fn(n, n, |i, j| f64::from(u8::from(i / 5 == j / 5)));
        let identity = |n: usize| Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        let rank_one = |n: usize| Mat::from_fn(n, n, |i, j| ((i + 1) * (j + 1)) as f64);
        for n in [20, 57, 100] {
            for a in [gaussian(n, 3.0), gaussian(n, 500.0), blocks(n), identity(n), rank_one(n)] {
                answered += usize::from(agrees(&a, n / 4));
            }
        }
        assert!(answered >= 6, "only {answered} of 15 were answered");
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        assert!(few(&Mat::zeros(10, 10), 2).is_none());
        assert!(few(&Mat::from_fn(10, 10, |_, _| f64::NAN), 2).is_none());
        assert!(few(&Mat::from_fn(10, 10, |_, _| 1e200), 2).is_none());
        assert!(few(&Mat::from_fn(2, 2, |_, _| 1.0), 1).is_none());
    }
}
