//! The sample that feature space is seen from, where kernel values are large beside their differences.
//!
//! With 1ᵀa = 0, Σ_j a_j k(x, x_j) does not change when k is replaced by ⟨φ(x) − φ(c), φ(x') − φ(c)⟩ for any sample c,
//! but for a constant; and as that is 0 at x = c, the constant is the score of c itself. So nothing is lost, and numbers
//! that would cancel are never added up. Sums of linear and polynomial kernels and functions of differences are computed from
//! samples less c ([`Recentred`]); of other kernels the values are subtracted ([`Relative`]).

use std::sync::Arc;

use crate::error::Result;
use crate::gram::Precomputed;
use crate::kernel::{Kernel, Recentred, Relative, SpecKernel, Tile};
use crate::linalg::view::Mat;
use crate::points::{Dense, Points, Samples, Span};
use crate::real::Real;

/// A training sample that kernel values are taken relative to.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Its number.
    pub sample: usize,
    /// The mean of all kernel values relative to it.
    pub mean: f64,
    /// Its kernel values with all training samples, where the matrix was given.
    pub row: Option<Vec<f64>>,
}

/// How large kernel values are before any are taken away from others: what their rounding errors are relative to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// The largest.
    pub(super) entry: f64,
    /// About ‖K‖, where the values have an offset; at most that in any case.
    pub(super) norm: f64,
}

impl Size {
    /// From the diagonal of K and the row of the sample that K is seen from: its sum is nearly n·‖mean‖².
    pub(super) fn of(diagonal: impl Iterator<Item = f64>, row: Option<&[f64]>) -> Self {
        let entry = diagonal.fold(0.0_f64, |most, v| most.max(v.abs()));
        let sum = row.map_or(0.0, |row| row.iter().sum::<f64>().abs());
        Self { entry, norm: entry.max(sum) }
    }

    /// The same for samples as `seen` takes them, the one with number `c` its origin.
    pub(super) fn of_samples<T: Real>(seen: &Seen<T>, x: &Samples<T>, c: usize) -> Result<Self> {
        let mut diagonal = vec![T::ZERO; x.n()];
        seen.raw.diag(Span::all(x), &mut diagonal)?;
        let row = row(&*seen.raw, x, c)?;
        Ok(Self::of(diagonal.iter().map(|v| v.to_f64()), Some(&row)))
    }
}

/// Samples looked at to find out whether kernel values have an offset.
const PROBED: usize = 32;
/// From this multiple of the mean squared distance to the mean on, the squared length of the mean is an offset.
const OFFSET: f64 = 3.0;
/// Beyond so many features, squared distances come from dot products, which an offset of the samples spoils.
const DIFFERENCES_UP_TO: usize = 64;

/// Samples spread evenly over n.
fn probed(n: usize) -> Vec<usize> {
    let count = PROBED.min(n);
    (0..count).map(|i| i * n / count).collect()
}

/// The sample nearest to the mean in feature space among those with the kernel matrix `k`, if kernel values have an offset.
fn amid(k: &Mat<f64>) -> Option<usize> {
    let n = k.rows();
    let means: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let away: Vec<f64> = (0..n).map(|i| k[(i, i)] - means[i] - (means[i] - mean)).collect();
    let spread = away.iter().sum::<f64>() / n as f64;
    let nearest = (0..n).min_by(|&a, &b| away[a].total_cmp(&away[b]));
    nearest.filter(|_| mean.abs() > OFFSET * spread.abs())
}

/// The sample to see `x` from, if kernel values have an offset. User-defined functions are not called for it.
pub(super) fn choose<T: Real>(kernel: &SpecKernel<T>, x: &Samples<T>) -> Result<Option<usize>> {
    let spec = Kernel::<Samples<T>, T>::spec(kernel);
    if spec.is_none_or(|spec| !spec.custom_functions().is_empty()) {
        return Ok(None);
    }
    let which = probed(x.n());
    let some = x.select(&which);
    let k = kernel_matrix(kernel, &some)?;
    let by_distances = kernel.is_free_of_origin() && x.features() > DIFFERENCES_UP_TO;
    let products = some.dense().filter(|_| by_distances).map(dot_products);
    Ok(amid(&k).or_else(|| products.and_then(|k| amid(&k))).map(|at| which[at]))
}

/// The same for a matrix that was given.
pub(super) fn choose_given<T: Real>(matrix: &Precomputed<'_, T>, n: usize) -> Option<usize> {
    let which = probed(n);
    let entry = |i: usize, j: usize| matrix.given(which[i], which[j]).to_f64();
    amid(&Mat::from_fn(which.len(), which.len(), entry)).map(|at| which[at])
}

fn kernel_matrix<T: Real>(kernel: &SpecKernel<T>, x: &Samples<T>) -> Result<Mat<f64>> {
    let n = x.n();
    let mut values = vec![T::ZERO; n * n];
    kernel.tile(Span::all(x), Span::all(x), Tile::new(&mut values, n, n, n))?;
    Ok(Mat::from_vec(values.into_iter().map(T::to_f64).collect(), n, n))
}

fn dot_products<T: Real>(x: &Dense<T>) -> Mat<f64> {
    let product = |i: usize, j: usize| -> f64 {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
    };
    Mat::from_fn(x.n(), x.n(), product)
}

/// A kernel seen from a sample, and the samples as it takes them.
pub(super) struct Seen<T: Real> {
    pub(super) kernel: Arc<dyn Kernel<Samples<T>, T>>,
    /// The kernel whose values are computed, before any are taken away from others.
    pub(super) raw: Arc<dyn Kernel<Samples<T>, T>>,
    /// What is taken away from each sample.
    moved: Option<Vec<T>>,
}

impl<T: Real> Seen<T> {
    /// `kernel` between `x` and `anchors`, seen from sample `origin` of `anchors`; as it is without one. Sparse samples are
    /// not moved, for less a sample nothing is left of their zeros.
    pub(super) fn new(
        kernel: SpecKernel<T>,
        anchors: &Samples<T>,
        x: &Samples<T>,
        origin: Option<usize>,
    ) -> Result<Self> {
        let Some(c) = origin else {
            let kernel = Arc::new(kernel);
            return Ok(Self { kernel: kernel.clone(), raw: kernel, moved: None });
        };
        let point =
            anchors.dense().filter(|_| x.dense().is_some()).map(|rows| rows.row(c).to_vec());
        let recentred = point.as_deref().and_then(|point| Recentred::new(&kernel, point));
        let moved = recentred.as_ref().and(point);
        let is_zero_there = recentred.as_ref().is_some_and(|kernel| !kernel.has_differences());
        let raw: Arc<dyn Kernel<Samples<T>, T>> = match recentred {
            Some(recentred) => Arc::new(recentred),
            None => Arc::new(kernel),
        };
        if is_zero_there {
            return Ok(Self { kernel: raw.clone(), raw, moved });
        }
        let sample = place(moved.as_deref(), &anchors.select(&[c]))?;
        Ok(Self { kernel: Arc::new(Relative::new(raw.clone(), sample)?), raw, moved })
    }

    /// Whether samples are moved.
    pub(super) fn is_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// The samples as the kernel takes them.
    pub(super) fn place(&self, x: &Samples<T>) -> Result<Samples<T>> {
        place(self.moved.as_deref(), x)
    }
}

/// The samples less `origin`.
fn place<T: Real>(origin: Option<&[T]>, x: &Samples<T>) -> Result<Samples<T>> {
    let Some(origin) = origin else { return Ok(x.clone()) };
    let rows = x.need_dense("the kernel")?;
    let mut data = rows.data().to_vec();
    for row in data.chunks_exact_mut(origin.len()) {
        row.iter_mut().zip(origin).for_each(|(v, &c)| *v = *v - c);
    }
    Ok(Samples::Dense(Dense::from_vec(data, rows.n(), rows.d())?))
}

/// k(c, x_j) for sample c of `x`.
pub(super) fn row<T: Real>(
    kernel: &dyn Kernel<Samples<T>, T>,
    x: &Samples<T>,
    c: usize,
) -> Result<Vec<f64>> {
    let n = x.n();
    let mut values = vec![T::ZERO; n];
    let tile = Tile::new(&mut values, 1, n, n);
    kernel.tile(Span::new(x, c..c + 1), Span::all(x), tile)?;
    Ok(values.into_iter().map(T::to_f64).collect())
}
