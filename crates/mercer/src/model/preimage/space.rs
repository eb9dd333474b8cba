//! Feature space as pre-images see it: the kernel, the training samples, and the points P that scores stand for, all in
//! f64 whatever the samples are.

use std::sync::Arc;

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::expansion::Expansion;
use crate::kernel::{Kernel, Recentred, SpecKernel};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::Mat;
use crate::model::kernel_pca::KernelPca;
use crate::points::{Dense, Span};
use crate::real::Real;

/// Rows of scores that are worked on at a time: many enough for matrix products, few enough to keep all threads busy.
pub(super) const ROWS: usize = 64;

/// What all rows share.
pub(super) struct Space<'a> {
    pub kernel: Arc<SpecKernel<f64>>,
    /// n × d, less `point`.
    pub anchors: Dense<f64>,
    /// What was taken from the samples, d numbers: their mean, where only differences count, so that gradients lose no digits.
    pub point: Vec<f64>,
    /// k(x_i, x_i).
    pub diagonal: Vec<f64>,
    /// The mean kernel value of each x_i with the training samples; zeros without centring.
    means: Vec<f64>,
    /// The root of the mean squared distance of the training samples from their mean.
    pub spread: f64,
    /// n × k: a_m in column m.
    coef: &'a Mat<f64>,
    eigenvalues: &'a [f64],
    offset: &'a [f64],
    /// ‖mean‖² in feature space.
    mean: f64,
    /// What centring adds to each γ_i.
    base: Vec<f64>,
    /// ⟨v_m, φ(x_i)⟩ in column m, where the eigenvectors are not those of the samples' own matrix: n × k.
    along: Option<Mat<f64>>,
    _reservation: Reservation,
}

/// The points P of some rows of scores.
pub(super) struct Target {
    /// rows × n: P = Σ_i γ_i φ(x_i).
    pub gamma: Mat<f64>,
    /// rows × n: ⟨P, φ(x_i)⟩.
    pub inner: Mat<f64>,
    /// ‖P‖².
    pub norm: Vec<f64>,
}

impl<'a> Space<'a> {
    /// The space of `model`, fitted on `anchors`.
    pub fn new<T: Real>(ctx: &Context, model: &'a KernelPca, anchors: &Dense<T>) -> Result<Self> {
        let (n, d) = (anchors.n() as u64, anchors.d() as u64);
        let copies = if T::EPSILON > 1e-10 { 2 * n * d } else { n * d };
        let blocks = ctx.threads() as u64 * ROWS as u64 * (2 * n + 40 * d);
        let hint = "raise the memory budget, use fewer threads, or fit on fewer rows";
        let reservation = ctx.reserve("the search for pre-images", 8 * (copies + blocks), hint)?;
        let kernel = Arc::new(SpecKernel::<f64>::new(&model.params.kernel)?);
        let (anchors, point) = around_mean(&kernel, anchors.convert::<f64>()?)?;
        let mut diagonal = vec![0.0; anchors.n()];
        kernel.diag(Span::all(&anchors), &mut diagonal)?;
        let base = model.mean_weights();
        let means = match model.params.center {
            true => means(ctx, kernel.clone(), &anchors, &base)?,
            false => vec![0.0; anchors.n()],
        };
        let along = match &model.landmarks {
            Some(_) => Some(along(ctx, kernel.clone(), &anchors, &model.coef)?),
            None => None,
        };
        Ok(Self {
            spread: spread(&anchors),
            kernel,
            diagonal,
            means,
            coef: &model.coef,
            eigenvalues: &model.eigenvalues,
            offset: &model.offset,
            mean: model.mean,
            base,
            along,
            anchors,
            point,
            _reservation: reservation,
        })
    }

    /// The points of `scores` (rows × k), without a pass over kernel values: as K̄ v = η v, the products ⟨v_m, φ(x_i)⟩
    /// are η_m a_im less the component's offset.
    pub fn target(&self, scores: &Mat<f64>) -> Target {
        let (rows, k, n) = (scores.rows(), scores.cols(), self.anchors.n());
        let coef = self.coef.view().transposed();
        let mut gamma = Mat::from_fn(rows, n, |_, i| self.base[i]);
        multiply(scores.view(), coef, gamma.view_mut(), Onto::Sum);
        let along = |r: usize| -> f64 {
            scores.row(r).iter().zip(self.offset).map(|(y, offset)| y * offset).sum()
        };
        let shift: Vec<f64> = (0..rows).map(along).collect();
        let inner = match &self.along {
            Some(along) => {
                let mut inner = Mat::from_fn(rows, n, |_, i| self.means[i]);
                multiply(scores.view(), along.view().transposed(), inner.view_mut(), Onto::Sum);
                inner
            }
            None => {
                let scaled = Mat::from_fn(rows, k, |r, c| scores[(r, c)] * self.eigenvalues[c]);
                let mut inner = Mat::from_fn(rows, n, |r, i| self.means[i] - shift[r]);
                multiply(scaled.view(), coef, inner.view_mut(), Onto::Sum);
                inner
            }
        };
        let squares = |r: usize| -> f64 {
            let alive = scores.row(r).iter().zip(self.eigenvalues).filter(|(_, eta)| **eta > 0.0);
            alive.map(|(y, _)| y * y).sum()
        };
        let norm = (0..rows).map(|r| self.mean - 2.0 * shift[r] + squares(r)).collect();
        Target { gamma, inner, norm }
    }
}

/// The samples less their mean, and the mean, where only differences count; else the samples and zeros.
fn around_mean(kernel: &SpecKernel<f64>, x: Dense<f64>) -> Result<(Dense<f64>, Vec<f64>)> {
    let mean = x.mean();
    match Recentred::new(kernel, &mean).is_some_and(|seen| seen.is_of_differences()) {
        true => Ok((x.less(&mean)?, mean)),
        false => Ok((x, vec![0.0; mean.len()])),
    }
}

/// The mean kernel value of each anchor with the training samples, in one pass that stores nothing.
fn means(
    ctx: &Context,
    kernel: Arc<SpecKernel<f64>>,
    anchors: &Dense<f64>,
    weights: &[f64],
) -> Result<Vec<f64>> {
    let coef = Mat::from_vec(weights.to_vec(), weights.len(), 1);
    Ok(along(ctx, kernel, anchors, &coef)?.into_vec())
}

/// The expansions with coefficients `coef` (n × k) at the anchors: n × k.
fn along(
    ctx: &Context,
    kernel: Arc<SpecKernel<f64>>,
    anchors: &Dense<f64>,
    coef: &Mat<f64>,
) -> Result<Mat<f64>> {
    let mut values = Mat::zeros(anchors.n(), coef.cols());
    let all = Expansion::new(kernel, anchors.clone(), coef, &vec![0.0; coef.cols()]);
    all.scores(&ctx.without_steps(), anchors, values.view_mut())?;
    Ok(values)
}

/// The unit that steps are measured in; 1 where all samples are equal.
fn spread(anchors: &Dense<f64>) -> f64 {
    let (n, mean) = (anchors.n(), anchors.mean());
    let away = |i: usize| -> f64 {
        anchors.row(i).iter().zip(&mean).map(|(v, mean)| (v - mean).powi(2)).sum()
    };
    let variance = (0..n).map(away).sum::<f64>() / n as f64;
    if variance > 0.0 { variance.sqrt() } else { 1.0 }
}
