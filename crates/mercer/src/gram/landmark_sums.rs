//! Sums over samples of their features in the span of m landmarks: what a low-rank model needs of the samples, however many they are.
//!
//! With k_Z(x) the kernel values of a sample with the landmarks Z, and K_ZZ = L Lᵀ, the features φ̂(x) = L⁻¹ k_Z(x) are the coordinates of φ(x) projected on
//! the landmarks' span. One pass accumulates
//!
//! ```text
//! M = Σ w φ̂(x) φ̂(x)ᵀ   (m × m)      moments = Σ w φ̂(x) [1, y − y₀]   (m × (1 + t))
//! Σ w k(x, x),   Σ w,   Σ w (y − y₀),   Σ w (y − y₀)²
//! ```
//!
//! The n × m matrix of features is never held. Kernel values are divided by L before they are added up and not after: sums of kernel values would lose the
//! square of the condition of K_ZZ in rounding, which is large wherever landmarks are close to each other. Only what loses nothing waits until all samples are added
//! ([`Division`]). Sums are values: they can be added up, saved and continued.
//! Samples are worked on in chunks of a fixed size, and every entry of M is the sum over chunks in their order, so that threads change no bit, nor do
//! blocks of a stream whose size is a multiple of a chunk.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Tile};
use crate::linalg::cholesky;
use crate::linalg::division::{Blocks, Division};
use crate::linalg::product::{Onto, multiply, multiply_lower};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Points, Span};
use crate::real::{Numbers, Real};

/// Samples of a chunk. Blocks of streams are multiples of it.
pub const CHUNK: usize = 1024;
/// Landmarks of a task: rows of M that it adds to.
const LANDMARKS: usize = 96;
/// Samples and landmarks of a tile of kernel values, which stays in the second-level cache.
pub(super) const TILE: (usize, usize) = (64, 384);

/// The sums over some samples.
#[derive(Clone, Debug, PartialEq)]
pub struct LandmarkSums {
    /// Σ w φ̂(x) φ̂(x)ᵀ: the lower triangle of m × m.
    pub gram: Mat<f64>,
    /// Σ w φ̂(x) [1, y − y₀]: m × (1 + t).
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

    /// Goes back to no samples, in the same memory.
    pub fn clear(&mut self) {
        self.gram.data_mut().fill(0.0);
        self.moments.data_mut().fill(0.0);
        (self.trace, self.weight, self.count) = (0.0, 0.0, 0);
        self.target_sums.fill(0.0);
        self.target_squares.fill(0.0);
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

    /// Adds samples to sums that began empty, given the landmarks `z` (m) and the division by the factor of their kernel matrix. After the last batch the sums need
    /// [`LandmarkSums::finish`]. `done` is called after each chunk with the samples of the batch so far.
    pub fn add<P: Points, T: Real>(
        &mut self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        (z, division): (&P, &Division<T>),
        batch: &Batch<'_, P>,
        mut done: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let n = batch.samples.len();
        let mut features = Mat::try_zeros(CHUNK.min(n), z.len())?;
        for from in (0..n).step_by(CHUNK) {
            ctx.poll()?;
            let size = CHUNK.min(n - from);
            if size < features.rows() {
                features = Mat::try_zeros(size, z.len())?;
            }
            let samples = batch.samples.part(from..from + size);
            fill(ctx, kernel, samples, Span::all(z), features.data_mut())?;
            division.divide(ctx, &mut features)?;
            let right = self.right(batch, from, size);
            self.add_diagonal(kernel, samples, &right)?;
            self.add_chunk(ctx, &mut features, &right);
            self.count += size as u64;
            done(from + size)?;
        }
        Ok(())
    }

    /// Divides the sums by what the division of samples left out, given the factor `l` of the landmarks' kernel matrix.
    pub fn finish(&mut self, ctx: &Context, blocks: &Blocks, l: &Mat<f64>) -> Result<()> {
        blocks.finish(ctx, l, &mut self.gram, &mut self.moments)
    }

    /// Adds the sums over other samples with the same landmarks and as many targets.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.t() == other.t() && self.target_origin != other.target_origin {
            return self.merge(&other.relative_to(&self.target_origin));
        }
        if self.m() != other.m() || self.t() != other.t() {
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

    /// The same sums with targets relative to `origin` (t).
    fn relative_to(&self, origin: &[f64]) -> Self {
        let mut sums = self.clone();
        for (j, to) in origin.iter().enumerate() {
            let by = self.target_origin[j] - to;
            sums.target_squares[j] += by * (2.0 * self.target_sums[j] + by * self.weight);
            sums.target_sums[j] += by * self.weight;
            for i in 0..self.m() {
                sums.moments[(i, 1 + j)] += by * self.moments[(i, 0)];
            }
        }
        Self { target_origin: origin.to_vec(), ..sums }
    }

    /// What features of a chunk are multiplied with: √w in the first column, √w (y − y₀) in the others.
    pub(super) fn right<P>(&self, batch: &Batch<'_, P>, from: usize, size: usize) -> Mat<f64> {
        let root = |i: usize| batch.weights.map_or(1.0, |w| w[from + i].sqrt());
        Mat::from_fn(size, 1 + self.t(), |i, j| match (j, batch.targets) {
            (0, _) | (_, None) => root(i),
            (j, Some(y)) => root(i) * (y[(from + i, j - 1)] - self.target_origin[j - 1]),
        })
    }

    /// Adds to the sums that need no kernel values with landmarks.
    pub(super) fn add_diagonal<P: Points, T: Real>(
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

    /// Adds a chunk of features (size × m), whose rows are multiplied by √w first.
    fn add_chunk<T: Real>(&mut self, ctx: &Context, features: &mut Mat<T>, right: &Mat<f64>) {
        let (m, width) = (self.m(), self.moments.cols());
        for (row, weight) in features.data_mut().chunks_exact_mut(m).zip(0..) {
            let root = T::from_f64(right[(weight, 0)]);
            if root != T::ONE {
                row.iter_mut().for_each(|v| *v = *v * root);
            }
        }
        let features = features.view();
        ctx.install(|| {
            let sums = self.moments.data_mut().par_chunks_mut(LANDMARKS * width).enumerate();
            sums.for_each(|(piece, sums)| add_moments(features, piece * LANDMARKS, right, sums));
            let rows = self.gram.data_mut().par_chunks_mut(LANDMARKS * m).enumerate().rev();
            rows.for_each(|(piece, rows)| add_products(features, piece * LANDMARKS, rows));
        });
    }
}

/// The features φ̂(x) = L⁻¹ k_Z(x) of samples, a row for each: n × m, given the landmarks `z` (m) and the factor `l` of their kernel matrix.
pub fn features<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    (z, l): (&P, &Mat<T>),
    samples: Span<'_, P>,
) -> Result<Mat<T>> {
    let mut features = kernel_values(ctx, kernel, z, samples)?;
    cholesky::divide_rows(ctx, l, &mut features)?;
    Ok(features)
}

/// Fills `values` (n × m) with the kernel values of samples with landmarks.
pub fn fill_kernel_values<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    samples: Span<'_, P>,
    z: &P,
    values: &mut Mat<T>,
) -> Result<()> {
    fill(ctx, kernel, samples, Span::all(z), values.data_mut())
}

/// The kernel values of samples with landmarks, a row for each: n × m.
pub fn kernel_values<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    z: &P,
    samples: Span<'_, P>,
) -> Result<Mat<T>> {
    let mut values = Mat::try_zeros(samples.len(), z.len())?;
    fill(ctx, kernel, samples, Span::all(z), values.data_mut())?;
    Ok(values)
}

/// Fills the kernel values of samples with landmarks, a row for each sample.
pub(super) fn fill<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    samples: Span<'_, P>,
    z: Span<'_, P>,
    values: &mut [T],
) -> Result<()> {
    let m = z.len();
    ctx.install(|| {
        values.par_chunks_mut(TILE.0 * m).enumerate().try_for_each(|(piece, rows)| {
            ctx.poll()?;
            let start = piece * TILE.0;
            let own = samples.part(start..start + rows.len() / m);
            for from in (0..m).step_by(TILE.1) {
                let some = z.part(from..(from + TILE.1).min(m));
                let tile = Tile::new(&mut rows[from..], own.len(), some.len(), m);
                kernel.tile(own, some, tile)?;
            }
            Ok(())
        })
    })
}

/// Adds the features from `start` on, times `right`, to their moments, in double precision.
pub(super) fn add_moments<T: Real>(
    features: MatRef<'_, T>,
    start: usize,
    right: &Mat<f64>,
    sums: &mut [f64],
) {
    let width = right.cols();
    let count = sums.len() / width;
    let own = features.col_range(start, count).transposed();
    let sums = MatMut::new(sums, count, width, width);
    match T::numbers(features.data()) {
        Numbers::F64(data) => multiply(own.with_data(data), right.view(), sums, Onto::Sum),
        Numbers::F32(_) => {
            let wide = Mat::from_fn(count, own.cols(), |i, j| own.at(i, j).to_f64());
            multiply(wide.view(), right.view(), sums, Onto::Sum);
        }
    }
}

/// Adds the products of the features from `start` on with those up to themselves to their rows of M. Products of single precision are summed over
/// a chunk in single precision, and over chunks in double.
fn add_products<T: Real>(features: MatRef<'_, T>, start: usize, rows: &mut [f64]) {
    let m = features.cols();
    let count = rows.len() / m;
    let own = features.col_range(start, count);
    match T::numbers(features.data()) {
        Numbers::F64(data) => {
            let (features, own) = (features.with_data(data), own.with_data(data));
            let left = features.col_range(0, start);
            multiply(own.transposed(), left, MatMut::new(rows, count, start, m), Onto::Sum);
            let corner = MatMut::new(&mut rows[start..], count, count, m);
            multiply_lower(own.transposed(), own, corner, Onto::Sum);
        }
        Numbers::F32(data) => {
            let (features, own) = (features.with_data(data), own.with_data(data));
            let width = start + count;
            let mut product = vec![0.0_f32; count * width];
            let whole = MatMut::new(&mut product, count, width, width);
            multiply(own.transposed(), features.col_range(0, width), whole, Onto::Nothing);
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
        // With the factor 1, features are kernel values.
        let factor = Mat::from_fn(150, 150, |i, j| f64::from(u8::from(i == j)));
        let division = Division::new(ctx, &factor).unwrap();
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
            sums.add(ctx, &kernel, (&z, &division), &batch, |_| Ok(())).unwrap();
        }
        sums.finish(ctx, division.blocks(), &factor).unwrap();
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
        // Whatever numbers targets are relative to.
        let mut moved = sums(&ctx, &x, &[0, 700]).relative_to(&[990.0, 1010.0]);
        moved.merge(&sums(&ctx, &x, &[700, 3000])).unwrap();
        let moved = moved.relative_to(&[1e3, 1e3]);
        for (a, b) in whole.moments.data().iter().zip(moved.moments.data()) {
            assert!((a - b).abs() < 1e-10 * largest, "{a} {b}");
        }
        for (a, b) in whole.target_squares.iter().zip(&moved.target_squares) {
            assert!((a - b).abs() < 1e-10 * a);
        }
        assert!(part.merge(&LandmarkSums::empty(150, vec![0.0]).unwrap()).is_err());
    }
}
