//! Sums over samples of their kernel values with m landmarks: what a low-rank model needs of the samples, however many they are.
//!
//! With k_Z(x) the kernel values of a sample with the landmarks Z, one pass accumulates
//!
//! ```text
//! G = Σ w k_Z(x) k_Z(x)ᵀ   (m × m)      moments = Σ w k_Z(x) [1, y − y₀]   (m × (1 + t))
//! Σ w k(x, x),   Σ w,   Σ w (y − y₀),   Σ w (y − y₀)²
//! ```
//!
//! The n × m matrix of kernel values is never held. Sums are values: they can be added up, saved and continued. Samples are worked on in
//! chunks of a fixed size, and every entry of G is the sum over chunks in their order, so that threads change no bit, nor do
//! blocks of a stream whose size is a multiple of a chunk.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Tile};
use crate::linalg::alloc;
use crate::linalg::product::{Onto, multiply, multiply_lower};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Points, Span};
use crate::real::{Numbers, Real};

/// Samples of a chunk. Blocks of streams are multiples of it.
pub const CHUNK: usize = 1024;
/// Landmarks of a task: rows of a chunk of kernel values that it fills, and rows of G that it adds to.
const LANDMARKS: usize = 64;
/// Samples of a tile of kernel values, which stays in the second-level cache.
const SAMPLES: usize = 256;

/// The sums over some samples.
#[derive(Clone, Debug, PartialEq)]
pub struct LandmarkSums {
    /// Σ w k_Z(x) k_Z(x)ᵀ: the lower triangle of m × m.
    pub gram: Mat<f64>,
    /// Σ w k_Z(x) [1, y − y₀]: m × (1 + t).
    pub moments: Mat<f64>,
    /// Σ w k(x, x).
    pub trace: f64,
    /// Σ w.
    pub weight: f64,
    /// How many samples there were.
    pub count: u64,
    /// y₀: a number near the mean of each target, so that large means cost no digits.
    pub target_origin: Vec<f64>,
    /// Σ w (y − y₀).
    pub target_sums: Vec<f64>,
    /// Σ w (y − y₀)².
    pub target_squares: Vec<f64>,
}

/// Samples to be added.
pub struct Batch<'a, P> {
    /// The samples.
    pub samples: Span<'a, P>,
    /// Their targets, a row for each: n × t.
    pub targets: Option<&'a Mat<f64>>,
    /// Their weights, not negative; `None` for 1.
    pub weights: Option<&'a [f64]>,
}

impl LandmarkSums {
    /// Sums over no samples, for m landmarks and targets near `target_origin`.
    pub fn empty(m: usize, target_origin: Vec<f64>) -> Result<Self> {
        let t = target_origin.len();
        Ok(Self {
            gram: Mat::try_zeros(m, m)?,
            moments: Mat::try_zeros(m, 1 + t)?,
            trace: 0.0,
            weight: 0.0,
            count: 0,
            target_origin,
            target_sums: vec![0.0; t],
            target_squares: vec![0.0; t],
        })
    }

    /// Landmarks.
    pub fn m(&self) -> usize {
        self.gram.rows()
    }

    /// Targets.
    pub fn t(&self) -> usize {
        self.target_origin.len()
    }

    /// Bytes of the sums of m landmarks and t targets.
    pub fn bytes(m: usize, t: usize) -> u64 {
        let m = m as u64;
        8 * m.saturating_mul(m + 1 + t as u64)
    }

    /// Bytes that [`LandmarkSums::add`] takes beside the sums, for kernel values of type T.
    pub fn working_bytes<T: Real>(m: usize, t: usize) -> u64 {
        let chunk = (m * CHUNK * size_of::<T>()) as u64;
        let rounded = if size_of::<T>() == 8 { 0 } else { (m * (LANDMARKS + CHUNK) * 8) as u64 };
        chunk + rounded + (CHUNK * (1 + t) * 8) as u64
    }

    /// Adds samples, given the landmarks `z` (m). `done` is called after each chunk with the samples of the batch so far.
    pub fn add<P: Points, T: Real>(
        &mut self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        z: &P,
        batch: &Batch<'_, P>,
        mut done: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let n = batch.samples.len();
        let mut values: Vec<T> = alloc::zeros(z.len() * CHUNK.min(n))?;
        for from in (0..n).step_by(CHUNK) {
            ctx.poll()?;
            let size = CHUNK.min(n - from);
            let samples = batch.samples.part(from..from + size);
            let values = &mut values[..z.len() * size];
            fill(ctx, kernel, Span::all(z), samples, values)?;
            let right = self.right(batch, from, size);
            self.add_diagonal(kernel, samples, &right)?;
            self.add_chunk(ctx, values, &right);
            self.count += size as u64;
            done(from + size)?;
        }
        Ok(())
    }

    /// Adds the sums over other samples with the same landmarks and targets.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let alike = self.m() == other.m() && self.target_origin == other.target_origin;
        if !alike {
            return Err(Error::Shape(
                "the sums belong to other landmarks or targets and cannot be added".into(),
            ));
        }
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        add(self.gram.data_mut(), other.gram.data());
        add(self.moments.data_mut(), other.moments.data());
        add(&mut self.target_sums, &other.target_sums);
        add(&mut self.target_squares, &other.target_squares);
        self.trace += other.trace;
        self.weight += other.weight;
        self.count += other.count;
        Ok(())
    }

    /// What kernel values of a chunk are multiplied with: √w in the first column, √w (y − y₀) in the others.
    fn right<P>(&self, batch: &Batch<'_, P>, from: usize, size: usize) -> Mat<f64> {
        let root = |i: usize| batch.weights.map_or(1.0, |w| w[from + i].sqrt());
        Mat::from_fn(size, 1 + self.t(), |i, j| match (j, batch.targets) {
            (0, _) | (_, None) => root(i),
            (j, Some(y)) => root(i) * (y[(from + i, j - 1)] - self.target_origin[j - 1]),
        })
    }

    /// Adds to the sums that need no kernel values with landmarks.
    fn add_diagonal<P: Points, T: Real>(
        &mut self,
        kernel: &dyn Kernel<P, T>,
        samples: Span<'_, P>,
        right: &Mat<f64>,
    ) -> Result<()> {
        let mut diagonal = vec![T::ZERO; samples.len()];
        kernel.diag(samples, &mut diagonal)?;
        for (i, value) in diagonal.iter().enumerate() {
            let row = right.row(i);
            let (weight, value) = (row[0] * row[0], value.to_f64());
            if !value.is_finite() {
                let row = samples.start + i;
                return Err(Error::Numeric(format!(
                    "k(x, x) is {value} for row {row}: scale the data down, choose a smaller gamma or degree, or use double \
                     precision"
                )));
            }
            self.trace += weight * value;
            self.weight += weight;
            for (j, y) in row[1..].iter().enumerate() {
                self.target_sums[j] += row[0] * y;
                self.target_squares[j] += y * y;
            }
        }
        Ok(())
    }

    /// Adds a chunk of kernel values (m × size), whose columns are multiplied by √w first.
    fn add_chunk<T: Real>(&mut self, ctx: &Context, values: &mut [T], right: &Mat<f64>) {
        let (m, size) = (self.m(), right.rows());
        let roots: Vec<T> = (0..size).map(|i| T::from_f64(right[(i, 0)])).collect();
        let weighted = roots.iter().any(|root| *root != T::ONE);
        let width = self.moments.cols();
        ctx.install(|| {
            let rows = values.par_chunks_mut(LANDMARKS * size);
            let sums = self.moments.data_mut().par_chunks_mut(LANDMARKS * width);
            rows.zip(sums).for_each(|(rows, sums)| {
                if weighted {
                    rows.chunks_exact_mut(size).for_each(|row| {
                        row.iter_mut().zip(&roots).for_each(|(v, root)| *v = *v * *root);
                    });
                }
                add_moments(rows, size, right, sums);
            });
            let values = MatRef::new(values, m, size, size);
            let rows = self.gram.data_mut().par_chunks_mut(LANDMARKS * m).enumerate().rev();
            rows.for_each(|(piece, rows)| add_products(values, piece * LANDMARKS, rows, m));
        });
    }
}

/// Fills the kernel values of landmarks with samples, a row for each landmark.
pub fn fill<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    z: Span<'_, P>,
    samples: Span<'_, P>,
    values: &mut [T],
) -> Result<()> {
    let size = samples.len();
    ctx.install(|| {
        values.par_chunks_mut(LANDMARKS * size).enumerate().try_for_each(|(piece, rows)| {
            ctx.poll()?;
            let start = piece * LANDMARKS;
            let own = z.part(start..start + rows.len() / size);
            for from in (0..size).step_by(SAMPLES) {
                let some = samples.part(from..(from + SAMPLES).min(size));
                let tile = Tile::new(&mut rows[from..], own.len(), some.len(), size);
                kernel.tile(own, some, tile)?;
            }
            Ok(())
        })
    })
}

/// `sums += rows · right` in double precision.
fn add_moments<T: Real>(rows: &[T], size: usize, right: &Mat<f64>, sums: &mut [f64]) {
    let (count, width) = (rows.len() / size, right.cols());
    let sums = MatMut::new(sums, count, width, width);
    match T::numbers(rows) {
        Numbers::F64(rows) => {
            multiply(MatRef::new(rows, count, size, size), right.view(), sums, Onto::Sum);
        }
        Numbers::F32(rows) => {
            let wide: Vec<f64> = rows.iter().map(|v| f64::from(*v)).collect();
            multiply(MatRef::new(&wide, count, size, size), right.view(), sums, Onto::Sum);
        }
    }
}

/// Adds the products of the landmarks from `start` on with those up to themselves to their rows of G (each of m numbers). Products
/// of single precision are summed over a chunk in single precision, and over chunks in double.
fn add_products<T: Real>(values: MatRef<'_, T>, start: usize, rows: &mut [f64], m: usize) {
    let count = rows.len() / m;
    let own = values.row_range(start, count);
    match T::numbers(values.data()) {
        Numbers::F64(data) => {
            let (values, own) = (values.with_data(data), own.with_data(data));
            let left = values.row_range(0, start).transposed();
            multiply(own, left, MatMut::new(rows, count, start, m), Onto::Sum);
            let corner = MatMut::new(&mut rows[start..], count, count, m);
            multiply_lower(own, own.transposed(), corner, Onto::Sum);
        }
        Numbers::F32(data) => {
            let (values, own) = (values.with_data(data), own.with_data(data));
            let width = start + count;
            let mut product = vec![0.0_f32; count * width];
            let left = values.row_range(0, width).transposed();
            let whole = MatMut::new(&mut product, count, width, width);
            multiply(own, left, whole, Onto::Nothing);
            for (row, product) in rows.chunks_exact_mut(m).zip(product.chunks_exact(width)) {
                row.iter_mut().zip(product).for_each(|(sum, v)| *sum += f64::from(*v));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::kernel::SpecKernel;
    use crate::points::{Dense, Samples};

    fn samples<T: Real>(n: usize, d: usize) -> Samples<T> {
        let mut stream = Stream::new(3, "test");
        let data = (0..n * d).map(|_| T::from_f64(stream.normal())).collect();
        Samples::Dense(Dense::from_vec(data, n, d).unwrap())
    }

    /// The sums over the samples between the cuts, block by block.
    fn sums<T: Real>(ctx: &Context, x: &Samples<T>, cuts: &[usize]) -> LandmarkSums {
        let kernel = SpecKernel::<T>::new(&"rbf(gamma=0.3)".parse().unwrap()).unwrap();
        let z = x.select(&(0..150).map(|i| 7 * i).collect::<Vec<_>>());
        let n = x.n();
        let y = Mat::from_fn(n, 2, |i, j| 1e3 + (i * (j + 2)) as f64 % 7.0);
        let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
        let mut sums = LandmarkSums::empty(150, vec![1e3, 1e3]).unwrap();
        for ends in cuts.windows(2) {
            let rows = ends[0]..ends[1];
            let part = Mat::from_fn(rows.len(), 2, |i, j| y[(rows.start + i, j)]);
            let batch = Batch {
                samples: Span::new(x, rows.clone()),
                targets: Some(&part),
                weights: Some(&weights[rows.clone()]),
            };
            sums.add(ctx, &kernel, &z, &batch, |_| Ok(())).unwrap();
        }
        sums
    }

    #[test]
    fn they_are_those_of_two_loops() {
        fn check<T: Real>(tolerance: f64) {
            let (n, x) = (2500, samples::<T>(2500, 3));
            let found = sums(&Context::new(2), &x, &[0, n]);
            let dense = x.dense().unwrap();
            let k = |i: usize, j: usize| -> f64 {
                let (a, b) = (dense.row(7 * i), dense.row(j));
                let square = a.iter().zip(b).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2));
                (-0.3 * square.sum::<f64>()).exp()
            };
            let w = |j: usize| (j % 3) as f64;
            for (a, b) in [(0, 0), (149, 3), (70, 64), (63, 62)] {
                let want: f64 = (0..n).map(|j| w(j) * k(a, j) * k(b, j)).sum();
                assert!((found.gram[(a, b)] - want).abs() < tolerance * want, "({a}, {b})");
                let want: f64 = (0..n).map(|j| w(j) * k(a, j)).sum();
                assert!((found.moments[(a, 0)] - want).abs() < tolerance * want);
                let want: f64 = (0..n).map(|j| w(j) * k(a, j) * ((j * 3) as f64 % 7.0)).sum();
                assert!((found.moments[(a, 2)] - want).abs() < tolerance * want);
            }
            assert_eq!((found.weight.round(), found.count), (2499.0, 2500));
            assert!((found.trace - found.weight).abs() < 1e-9 * found.weight);
            let want: f64 = (0..n).map(|j| w(j) * ((j * 2) as f64 % 7.0).powi(2)).sum();
            assert!((found.target_squares[0] - want).abs() < 1e-9 * want);
        }
        check::<f64>(1e-11);
        check::<f32>(1e-5);
    }

    #[test]
    fn threads_and_blocks_of_whole_chunks_change_no_bit() {
        let x = samples::<f64>(3000, 3);
        let whole = sums(&Context::new(1), &x, &[0, 3000]);
        assert_eq!(whole, sums(&Context::new(2), &x, &[0, 3000]));
        assert_eq!(whole, sums(&Context::new(2), &x, &[0, CHUNK, 3000]));
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let (ctx, x) = (Context::new(2), samples::<f64>(3000, 3));
        let whole = sums(&ctx, &x, &[0, 3000]);
        let mut part = sums(&ctx, &x, &[0, 700]);
        part.merge(&sums(&ctx, &x, &[700, 3000])).unwrap();
        let largest = whole.gram[(0, 0)];
        for (a, b) in whole.gram.data().iter().zip(part.gram.data()) {
            assert!((a - b).abs() < 1e-12 * largest);
        }
        assert_eq!(whole.count, part.count);
        assert!(part.merge(&LandmarkSums::empty(150, vec![0.0]).unwrap()).is_err());
    }
}
