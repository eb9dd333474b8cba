//! What an iteration needs of samples and m landmarks: a sketch of the kernel values, and products that compute them anew in each pass.
//!
//! The sketch B (d × m) adds every row √w k_Z(x) of the kernel values, with a random sign, to one of its d rows, so that BᵀB is Σ w k_Z(x) k_Z(x)ᵀ on average and
//! nearly so in all directions at once (Charikar, Chen and Farach-Colton's count sketch, as KRILL uses it). It costs no more than a pass, and is exact in the landmarks whether they
//! were drawn uniformly or not.

use rayon::prelude::*;

use super::landmark_sums::{Batch, LandmarkSums, add_moments, fill};
use crate::context::{Context, Stream};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::cholesky;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Points, Span};
use crate::real::{Numbers, Real};

/// Samples whose kernel values are in memory at a time.
const ROWS: usize = 256;
/// Landmarks of a task.
const LANDMARKS: usize = 64;
/// Rows of the sketch for each landmark.
const ROWS_FOR_EACH: usize = 2;

/// The sketch, and sums that are no larger than some vectors.
pub struct LandmarkSketch {
    /// Bᵀ: m × d.
    pub turned: Mat<f64>,
    /// Σ w k_Z(x) [1, y − y₀] as moments, without Σ w k_Z(x) k_Z(x)ᵀ.
    pub sums: LandmarkSums,
    /// About Σ w φ̂_i(x)² of each feature φ̂(x) = L⁻¹ k_Z(x), from one row of each chunk: m.
    pub explained: Vec<f64>,
    /// Rows that it was estimated on.
    pub sampled: usize,
    stream: Stream,
    /// Kernel values of sampled rows, and what they stand for.
    picked: Vec<(Vec<f64>, f64)>,
}

impl LandmarkSketch {
    /// A sketch of no samples.
    pub fn empty(m: usize, target_origin: Vec<f64>, seed: u64) -> Result<Self> {
        let width = 1 + target_origin.len();
        let sums = LandmarkSums::empty(0, target_origin)?;
        Ok(Self {
            turned: Mat::try_zeros(m, ROWS_FOR_EACH * m)?,
            sums: LandmarkSums { moments: Mat::try_zeros(m, width)?, ..sums },
            explained: vec![0.0; m],
            sampled: 0,
            stream: Stream::new(seed, "landmark sketch"),
            picked: Vec::new(),
        })
    }

    /// Bytes of the sketch and of a chunk of kernel values.
    pub fn bytes(m: usize, t: usize) -> u64 {
        let m = m as u64;
        8 * m.saturating_mul(ROWS_FOR_EACH as u64 * m + 2 * ROWS as u64 + 8 * (1 + t as u64))
    }

    /// Adds samples, given the landmarks `z` (m) and the factor `l` of their kernel matrix.
    pub fn add<P: Points, T: Real>(
        &mut self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        (z, l): (&P, &Mat<f64>),
        batch: &Batch<'_, P>,
        mut done: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let n = batch.samples.len();
        let mut values = Mat::<T>::try_zeros(z.len(), ROWS.min(n))?;
        for from in (0..n).step_by(ROWS) {
            ctx.poll()?;
            let size = ROWS.min(n - from);
            if size < values.cols() {
                values = Mat::try_zeros(z.len(), size)?;
            }
            let samples = batch.samples.part(from..from + size);
            fill(ctx, kernel, Span::all(z), samples, values.data_mut())?;
            let right = self.sums.right(batch, from, size);
            let before = self.sums.trace;
            self.sums.add_diagonal(kernel, samples, &right)?;
            let trace = self.sums.trace - before;
            self.pick(ctx, kernel, samples, &values, trace, l)?;
            self.add_chunk(ctx, &values, &right);
            self.sums.count += size as u64;
            done(from + size)?;
        }
        Ok(())
    }

    /// Ends the estimate of what is explained.
    pub fn finish(&mut self, ctx: &Context, l: &Mat<f64>) -> Result<()> {
        let picked = std::mem::take(&mut self.picked);
        let mut values = Mat::from_fn(l.rows(), picked.len(), |i, j| picked[j].0[i]);
        cholesky::solve_forward(ctx, l, &mut values)?;
        for (j, (_, stands_for)) in picked.iter().enumerate() {
            let squares = self.explained.iter_mut().enumerate();
            squares.for_each(|(i, sum)| *sum += stands_for * values[(i, j)].powi(2));
        }
        self.sampled += picked.len();
        Ok(())
    }

    /// Takes one sample of a chunk, which stands for its trace.
    fn pick<P: Points, T: Real>(
        &mut self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        samples: Span<'_, P>,
        values: &Mat<T>,
        trace: f64,
        l: &Mat<f64>,
    ) -> Result<()> {
        let row = self.stream.below(samples.len());
        let mut own = [T::ZERO];
        kernel.diag(samples.part(row..row + 1), &mut own)?;
        let own = own[0].to_f64();
        if own > 0.0 {
            let column = (0..values.rows()).map(|i| values[(i, row)].to_f64()).collect();
            self.picked.push((column, trace / own));
        }
        if self.picked.len() == ROWS { self.finish(ctx, l) } else { Ok(()) }
    }

    fn add_chunk<T: Real>(&mut self, ctx: &Context, values: &Mat<T>, right: &Mat<f64>) {
        let (size, d, width) = (values.cols(), self.turned.cols(), right.cols());
        let stream = &mut self.stream;
        let places: Vec<(usize, f64)> = (0..size)
            .map(|i| {
                let sign = if stream.below(2) == 0 { 1.0 } else { -1.0 };
                (stream.below(d), sign * right[(i, 0)])
            })
            .collect();
        let (turned, moments) = (self.turned.data_mut(), self.sums.moments.data_mut());
        ctx.install(|| {
            let rows = turned.par_chunks_mut(LANDMARKS * d);
            let rows = rows.zip(moments.par_chunks_mut(LANDMARKS * width));
            rows.zip(values.data().par_chunks(LANDMARKS * size)).for_each(
                |((rows, sums), values)| {
                    let rows = rows.chunks_exact_mut(d).zip(sums.chunks_exact_mut(width));
                    for ((row, sums), values) in rows.zip(values.chunks_exact(size)) {
                        for (i, (v, (place, by))) in values.iter().zip(&places).enumerate() {
                            let v = v.to_f64();
                            row[*place] += by * v;
                            let weighted = v * right[(i, 0)];
                            sums.iter_mut()
                                .zip(right.row(i))
                                .for_each(|(sum, r)| *sum += weighted * r);
                        }
                    }
                },
            );
        });
    }
}

/// Adds Σ w k_Z(x) (k_Z(x)ᵀ u) over the samples to `image`; both are m × t.
pub fn add_image<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    z: &P,
    batch: &Batch<'_, P>,
    u: &Mat<f64>,
    image: &mut Mat<f64>,
) -> Result<()> {
    let (n, m, t) = (batch.samples.len(), z.len(), u.cols());
    let mut values = Mat::<T>::try_zeros(ROWS.min(n), m)?;
    for from in (0..n).step_by(ROWS) {
        ctx.poll()?;
        let size = ROWS.min(n - from);
        if size < values.rows() {
            values = Mat::try_zeros(size, m)?;
        }
        let samples = batch.samples.part(from..from + size);
        fill(ctx, kernel, samples, Span::all(z), values.data_mut())?;
        let mut scores = Mat::zeros(size, t);
        let seen = values.view();
        ctx.install(|| {
            let pieces = scores.data_mut().par_chunks_mut(LANDMARKS * t).enumerate();
            pieces.for_each(|(piece, out)| {
                score(seen.row_range(piece * LANDMARKS, out.len() / t), u, out);
            });
            if let Some(weights) = batch.weights {
                for (row, w) in scores.data_mut().chunks_exact_mut(t).zip(&weights[from..]) {
                    row.iter_mut().for_each(|v| *v *= w);
                }
            }
            let pieces = image.data_mut().par_chunks_mut(LANDMARKS * t).enumerate();
            pieces.for_each(|(piece, sums)| add_moments(seen, piece * LANDMARKS, &scores, sums));
        });
    }
    Ok(())
}

/// `out = values · u`, in double precision.
fn score<T: Real>(values: MatRef<'_, T>, u: &Mat<f64>, out: &mut [f64]) {
    let (rows, t) = (values.rows(), u.cols());
    let out = MatMut::new(out, rows, t, t);
    match T::numbers(values.data()) {
        Numbers::F64(data) => multiply(values.with_data(data), u.view(), out, Onto::Nothing),
        Numbers::F32(_) => {
            let wide = Mat::from_fn(rows, values.cols(), |i, j| values.at(i, j).to_f64());
            multiply(wide.view(), u.view(), out, Onto::Nothing);
        }
    }
}
