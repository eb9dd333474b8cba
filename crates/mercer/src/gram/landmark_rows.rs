//! What low-rank models of many penalties say of each sample: their predictions, and its leverages.
//!
//! With M = V Λ Vᵀ the matrix of a ridge regression on landmarks, the coordinates u(x) = Vᵀ (φ̂(x) − μ) = Bᵀ k_Z(x) − Vᵀμ with B = L⁻ᵀ V make all
//! penalties one product of matrices:
//!
//! ```text
//! f(x) = k_Z(x)ᵀ c + b    (chunk × m times m × models)
//! z(x)ᵀ (M + α)⁻¹ z(x) = Σ_j u_j(x)² / (λ_j + α)    (chunk × m, squared, times m × penalties)
//! ```
//!
//! L⁻ᵀ and V are one m × m matrix, so that a sample costs its kernel values, 2 m² operations and 2 m for each model and penalty. Samples are worked on in
//! the chunks of [`LandmarkSums`](super::LandmarkSums), cut into fixed pieces: threads change no bit.

use rayon::prelude::*;

use super::landmark_sums::fill;
use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Points, Span};
use crate::real::{Numbers, Real};

/// Samples whose predictions one task computes.
const ROWS: usize = 64;
/// Samples and coordinates of a task that rotates features: deep enough that copies of B cost little beside products.
const ROTATED: (usize, usize) = (256, 512);

/// Models whose functions and leverages are evaluated for samples.
pub struct LandmarkRows<'a> {
    /// c: m × p, the coefficients of kernel values with the landmarks.
    pub coef: &'a Mat<f64>,
    /// b: p.
    pub offset: &'a [f64],
    /// What leverages take, if they are wanted.
    pub leverages: Option<&'a Leverages>,
    /// Whether leverages may be computed in single precision.
    pub single: bool,
}

/// What leverages of samples are computed from.
pub struct Leverages {
    /// B: m × m.
    rotation: Mat<f64>,
    /// Vᵀ μ: m.
    shift: Vec<f64>,
    /// 1 / (λ_j + α): m × penalties.
    inverse: Mat<f64>,
    /// The same in single precision.
    single: (Mat<f32>, Mat<f32>),
}

/// What is found for a chunk of samples.
pub struct RowValues {
    /// f(x): samples × models.
    pub predicted: Mat<f64>,
    /// z(x)ᵀ (M + α)⁻¹ z(x): samples × penalties; without columns if they are not wanted.
    pub leverages: Mat<f64>,
}

impl Leverages {
    /// Leverages from B (m × m), Vᵀμ (m) and 1 / (λ + α) (m × penalties).
    pub fn new(rotation: Mat<f64>, shift: Vec<f64>, inverse: Mat<f64>) -> Self {
        let single = |of: &Mat<f64>| Mat::from_fn(of.rows(), of.cols(), |i, j| of[(i, j)] as f32);
        let single = (single(&rotation), single(&inverse));
        Self { rotation, shift, inverse, single }
    }

    /// B (m × m), Vᵀμ (m) and 1 / (λ + α) (m × penalties).
    pub fn parts(&self) -> (&Mat<f64>, &[f64], &Mat<f64>) {
        (&self.rotation, &self.shift, &self.inverse)
    }

    /// Bytes for m landmarks and so many penalties.
    pub fn bytes(m: usize, penalties: usize) -> u64 {
        12 * (m as u64).saturating_mul((m + penalties) as u64)
    }

    /// z(x)ᵀ (M + α)⁻¹ z(x) for kernel values (samples × m): samples × penalties. `narrow` holds them in single precision where that is asked for.
    fn of<T: Real>(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        (single, narrow): (bool, &mut Vec<f32>),
    ) -> Result<Mat<f64>> {
        match (T::numbers(values.data()), single) {
            (Numbers::F64(data), false) => {
                self.product(ctx, values.with_data(data), (&self.rotation, &self.inverse))
            }
            (Numbers::F64(data), true) => {
                narrow.resize(data.len(), 0.0);
                let piece = ROWS * values.cols();
                ctx.install(|| {
                    narrow.par_chunks_mut(piece).zip(data.par_chunks(piece)).for_each(
                        |(to, from)| {
                            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
                        },
                    );
                });
                self.product(ctx, values.with_data(narrow), (&self.single.0, &self.single.1))
            }
            (Numbers::F32(data), _) => {
                self.product(ctx, values.with_data(data), (&self.single.0, &self.single.1))
            }
        }
    }

    fn product<T: Real>(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        (rotation, inverse): (&Mat<T>, &Mat<T>),
    ) -> Result<Mat<f64>> {
        let (n, m, count) = (values.rows(), values.cols(), inverse.cols());
        let panels = m.div_ceil(ROTATED.1);
        let tasks: Vec<(usize, usize)> = (0..n)
            .step_by(ROTATED.0)
            .flat_map(|row| (0..panels).map(move |panel| (row, panel * ROTATED.1)))
            .collect();
        let part = |&(row, from): &(usize, usize)| {
            ctx.poll()?;
            let (rows, width) = (ROTATED.0.min(n - row), ROTATED.1.min(m - from));
            let mut turned = Mat::<T>::zeros(rows, width);
            let right = rotation.view().col_range(from, width);
            multiply(values.row_range(row, rows), right, turned.view_mut(), Onto::Nothing);
            for line in turned.data_mut().chunks_exact_mut(width) {
                line.iter_mut().zip(&self.shift[from..]).for_each(|(u, shift)| {
                    let moved = *u - T::from_f64(*shift);
                    *u = moved * moved;
                });
            }
            let mut sums = Mat::<T>::zeros(rows, count);
            let right = inverse.view().row_range(from, width);
            multiply(turned.view(), right, sums.view_mut(), Onto::Nothing);
            Ok((row, sums))
        };
        let parts: Result<Vec<_>> = ctx.install(|| tasks.par_iter().map(part).collect());
        let mut out = Mat::zeros(n, count);
        // In the order of panels, whichever thread was first.
        for (row, sums) in parts? {
            let place = &mut out.data_mut()[row * count..];
            place.iter_mut().zip(sums.data()).for_each(|(sum, v)| *sum += v.to_f64());
        }
        Ok(out)
    }
}

/// Memory that chunks are evaluated in, one after the other: fresh memory is slow to come by.
pub struct RowScratch<T> {
    values: Mat<T>,
    narrow: Vec<f32>,
}

impl<T: Real> Default for RowScratch<T> {
    fn default() -> Self {
        Self { values: Mat::zeros(0, 0), narrow: Vec::new() }
    }
}

impl LandmarkRows<'_> {
    /// Evaluates samples, given the landmarks `z`.
    pub fn evaluate<P: Points, T: Real>(
        &self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        (samples, z): (Span<'_, P>, &P),
        scratch: &mut RowScratch<T>,
    ) -> Result<RowValues> {
        let RowScratch { values, narrow } = scratch;
        if (values.rows(), values.cols()) != (samples.len(), z.len()) {
            *values = Mat::try_zeros(samples.len(), z.len())?;
            narrow.clear();
        }
        fill(ctx, kernel, samples, Span::all(z), values.data_mut())?;
        let predicted = self.predict(ctx, values.view())?;
        let leverages = match self.leverages {
            Some(leverages) => leverages.of(ctx, values.view(), (self.single, narrow))?,
            None => Mat::zeros(samples.len(), 0),
        };
        Ok(RowValues { predicted, leverages })
    }

    /// f(x) for kernel values (samples × m), in double precision.
    fn predict<T: Real>(&self, ctx: &Context, values: MatRef<'_, T>) -> Result<Mat<f64>> {
        let (n, p) = (values.rows(), self.coef.cols());
        let mut out = Mat::from_fn(n, p, |_, j| self.offset[j]);
        ctx.install(|| {
            try_pieces(out.data_mut(), ROWS * p.max(1), &|piece, out| {
                let rows = out.len() / p;
                let own = values.row_range(piece * ROWS, rows);
                let out = MatMut::new(out, rows, p, p);
                times(own, self.coef.view(), out);
                ctx.poll()
            })
        })?;
        Ok(out)
    }
}

/// `out += a · b` in double precision.
fn times<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, f64>, out: MatMut<'_, f64>) {
    match T::numbers(a.data()) {
        Numbers::F64(data) => multiply(a.with_data(data), b, out, Onto::Sum),
        Numbers::F32(_) => {
            let wide = Mat::from_fn(a.rows(), a.cols(), |i, j| a.at(i, j).to_f64());
            multiply(wide.view(), b, out, Onto::Sum);
        }
    }
}

/// `sums += k(s, x) · a`: kernel values of the samples `checked` (s) with others (n), times a column of `coef` (n × p) for each model: s × p.
pub(crate) fn add_products<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    (checked, samples): (&P, Span<'_, P>),
    coef: &Mat<f64>,
    sums: &mut Mat<f64>,
) -> Result<()> {
    let (count, p) = (checked.len(), coef.cols());
    let mut values = Mat::<T>::try_zeros(samples.len(), count)?;
    fill(ctx, kernel, samples, Span::all(checked), values.data_mut())?;
    let values = values.view();
    ctx.install(|| {
        try_pieces(sums.data_mut(), ROWS * p.max(1), &|piece, sums| {
            let rows = sums.len() / p;
            let own = values.col_range(piece * ROWS, rows).transposed();
            times(own, coef.view(), MatMut::new(sums, rows, p, p));
            ctx.poll()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::kernel::SpecKernel;
    use crate::points::{Dense, Samples};

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut stream = Stream::new(seed, "test");
        Mat::from_vec((0..rows * cols).map(|_| stream.normal()).collect(), rows, cols)
    }

    /// Every size around the edges of pieces, against loops.
    #[test]
    fn values_are_those_of_loops() {
        fn check<T: Real>(n: usize, m: usize, single: bool, tolerance: f64) {
            let ctx = Context::new(2);
            let points = random(n, 2, 1).into_vec().into_iter().map(T::from_f64).collect();
            let x = Samples::Dense(Dense::from_vec(points, n, 2).unwrap());
            let z = x.select(&(0..m).map(|i| i * n / m).collect::<Vec<_>>());
            let kernel = SpecKernel::<T>::new(&"rbf(gamma=0.3)".parse().unwrap()).unwrap();
            let mut values = Mat::<T>::zeros(n, m);
            fill(&ctx, &kernel, Span::all(&x), Span::all(&z), values.data_mut()).unwrap();
            let (rotation, shift) = (random(m, m, 2), random(m, 1, 3).into_vec());
            let inverse = Mat::from_fn(m, 3, |i, a| 1.0 / (1.0 + i as f64 + a as f64));
            let leverages = Leverages::new(rotation.clone(), shift.clone(), inverse.clone());
            let coef = random(m, 5, 4);
            let offset = vec![1.0, 2.0, 3.0, 4.0, 5.0];
            let rows =
                LandmarkRows { coef: &coef, offset: &offset, leverages: Some(&leverages), single };
            let on = |ctx: &Context, scratch: &mut RowScratch<T>| {
                rows.evaluate(ctx, &kernel, (Span::all(&x), &z), scratch).unwrap()
            };
            let mut scratch = RowScratch::default();
            let found = on(&ctx, &mut scratch);
            let again = on(&Context::new(1), &mut scratch);
            assert_eq!(found.predicted, again.predicted);
            assert_eq!(found.leverages, again.leverages);
            let k = |i: usize, j: usize| values[(i, j)].to_f64();
            for i in [0, n / 2, n - 1] {
                let want: f64 = offset[4] + (0..m).map(|j| k(i, j) * coef[(j, 4)]).sum::<f64>();
                assert!((found.predicted[(i, 4)] - want).abs() < tolerance * m as f64);
                let turned = |c: usize| (0..m).map(|j| k(i, j) * rotation[(j, c)]).sum::<f64>();
                let square = |c: usize| (turned(c) - shift[c]).powi(2);
                let want: f64 = (0..m).map(|c| square(c) * inverse[(c, 1)]).sum();
                let error = (found.leverages[(i, 1)] - want).abs();
                assert!(error < tolerance * want.max(1.0) * m as f64, "{error:e} of {want}");
            }
        }
        for (n, m) in [(1, 1), (70, 9), (300, 130), (600, 520)] {
            check::<f64>(n, m, false, 1e-13);
            check::<f64>(n, m, true, 1e-5);
            check::<f32>(n, m, false, 1e-5);
        }
    }

    #[test]
    fn products_add_up() {
        let ctx = Context::new(2);
        let x = Samples::Dense(Dense::from_vec(random(200, 2, 5).into_vec(), 200, 2).unwrap());
        let checked = x.select(&(0..70).collect::<Vec<_>>());
        let kernel = SpecKernel::<f64>::new(&"rbf(gamma=0.3)".parse().unwrap()).unwrap();
        let coef = random(200, 3, 6);
        let mut sums = Mat::zeros(70, 3);
        for rows in [0..128, 128..200] {
            let part = Mat::from_fn(rows.len(), 3, |i, j| coef[(rows.start + i, j)]);
            let both = (&checked, Span::new(&x, rows));
            add_products(&ctx, &kernel, both, &part, &mut sums).unwrap();
        }
        let mut values = Mat::zeros(70, 200);
        fill(&ctx, &kernel, Span::all(&checked), Span::all(&x), values.data_mut()).unwrap();
        for s in [0, 64, 69] {
            let want: f64 = (0..200).map(|i| values[(s, i)] * coef[(i, 2)]).sum();
            assert!((sums[(s, 2)] - want).abs() < 1e-11);
        }
    }
}
