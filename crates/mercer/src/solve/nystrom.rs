//! Low-rank problems in orthonormal coordinates of the landmarks' span.
//!
//! With K_ZZ = L Lᵀ, the features φ̂(x) = L⁻¹ k_Z(x) are the coordinates of φ(x) projected on the span of the landmarks, and K̂ = Φ̂ Φ̂ᵀ is the Nyström
//! approximation of K. Everything that a model needs of Φ̂ are sums over samples ([`LandmarkSums`]):
//!
//! ```text
//! M = Σ w φ̂ φ̂ᵀ,    μ = Σ w φ̂ / Σ w,    r = Σ w φ̂ (y − ȳ)
//! ```
//!
//! K − K̂ is positive semidefinite and its trace, the certificate, is Σ w k(x, x) − tr M. A function βᵀφ̂(x) is the expansion with coefficients L⁻ᵀβ.

use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::gram::{LandmarkSums, Precomputed};
use crate::linalg::cholesky;
use crate::linalg::view::Mat;
use crate::solve::path::Path;

/// The sums in coordinates of the landmarks' span.
pub struct Nystrom {
    /// L: m × m, lower triangle.
    factor: Mat<f64>,
    /// M, or M less W μ μᵀ if the features are centred: m × m.
    pub second: Mat<f64>,
    /// μ: m; zeros if the features are not centred.
    pub mean: Vec<f64>,
    /// r: m × t.
    pub right: Mat<f64>,
    /// ȳ: t; zeros if the features are not centred.
    pub target_means: Vec<f64>,
    /// Σ w (y − ȳ)²: t.
    pub target_squares: Vec<f64>,
    /// Σ w k(x, x).
    pub trace: f64,
    /// tr M, before centring: the trace of K̂.
    pub explained: f64,
    /// Σ w.
    pub weight: f64,
    _reservation: Reservation,
}

/// Bytes that it takes beside sums and factor.
pub fn workspace_bytes(m: usize, t: usize) -> u64 {
    let m = m as u64;
    8 * m.saturating_mul(m + 2 * t as u64)
}

impl Nystrom {
    /// Coordinates for landmarks with the factor `l` of their kernel matrix.
    pub fn new(ctx: &Context, l: Mat<f64>, sums: &LandmarkSums, center: bool) -> Result<Self> {
        let m = sums.m();
        let hint = "use fewer landmarks or raise the memory budget";
        let bytes = workspace_bytes(m, sums.t());
        let _reservation = ctx.reserve("the landmarks' coordinates", bytes, hint)?;
        let mut second = Mat::from_fn(m, m, |i, j| sums.gram[(i.max(j), i.min(j))]);
        let explained = (0..m).map(|i| second[(i, i)]).sum();
        let moments = &sums.moments;
        let (t, weight) = (sums.t(), sums.weight);
        let mut mean = vec![0.0; m];
        let mut shift = vec![0.0; t];
        if center {
            mean = (0..m).map(|i| moments[(i, 0)] / weight).collect();
            shift = sums.target_sums.iter().map(|sum| sum / weight).collect();
            subtract_outer(&mut second, &mean, weight);
        }
        // Without centring, targets are taken as they are.
        let add = |j: usize| if center { -shift[j] } else { sums.target_origin[j] };
        let right = Mat::from_fn(m, t, |i, j| moments[(i, 1 + j)] + add(j) * moments[(i, 0)]);
        let target_squares = (0..t).map(|j| {
            let (sum, by) = (sums.target_sums[j], add(j));
            sums.target_squares[j] + 2.0 * by * sum + by * by * weight
        });
        let target_squares = target_squares.map(|v| v.max(0.0)).collect();
        let target_means = (0..t).map(|j| match center {
            true => sums.target_origin[j] + shift[j],
            false => 0.0,
        });
        let target_means = target_means.collect();
        let trace = sums.trace;
        Ok(Self {
            factor: l,
            second,
            mean,
            right,
            target_means,
            target_squares,
            trace,
            explained,
            weight,
            _reservation,
        })
    }

    /// Landmarks.
    pub fn m(&self) -> usize {
        self.second.rows()
    }

    /// The trace of K − K̂, not negative.
    pub fn residual_trace(&self) -> f64 {
        (self.trace - self.explained).max(0.0)
    }

    /// The trace of the matrix that was approximated, centred if the features are. Of the mean only the projection is known; the
    /// true value is smaller by at most the trace of K − K̂.
    pub fn total(&self) -> f64 {
        self.trace - self.weight * self.mean.iter().map(|v| v * v).sum::<f64>()
    }

    /// Functions βᵀφ̂(x) (m × k) as coefficients of kernel values with the landmarks (m × k).
    pub fn to_coef(&self, ctx: &Context, mut beta: Mat<f64>) -> Result<Mat<f64>> {
        cholesky::solve_backward(ctx, &self.factor, &mut beta)?;
        Ok(beta)
    }

    /// The coefficients whose expansion is the mean kernel value with the samples, projected: L⁻ᵀ μ.
    pub fn mean_coef(&self, ctx: &Context) -> Result<Vec<f64>> {
        let mean = Mat::from_vec(self.mean.clone(), self.m(), 1);
        Ok(self.to_coef(ctx, mean)?.into_vec())
    }

    /// −βᵀμ, and the mean of the targets: what makes functions of centred features functions of samples.
    pub fn offsets(&self, beta: &Mat<f64>) -> Vec<f64> {
        let mut offsets = vec![0.0; beta.cols()];
        for (i, mean) in self.mean.iter().enumerate() {
            offsets.iter_mut().zip(beta.row(i)).for_each(|(o, b)| *o -= mean * b);
        }
        offsets
    }

    /// The solutions β of (M + α) β = r for every penalty, from one decomposition of M.
    pub fn path(&self, ctx: &Context) -> Result<Path> {
        Path::new(ctx, &Precomputed::new(self.second.view())?, &self.right)
    }

    /// The solution β of (M + α_j) β_j = r_j for each target from the decomposition of M, and the condition number of the worst system.
    pub fn ridge(&self, ctx: &Context, path: &Path, alphas: &[f64]) -> Result<(Mat<f64>, f64)> {
        let t = self.right.cols();
        let alpha = |j: usize| if alphas.len() == 1 { alphas[0] } else { alphas[j] };
        let each: Vec<f64> = (0..t).map(alpha).collect();
        let cuts: Vec<f64> = each.iter().map(|a| cut(path, *a)).collect();
        let smallest = each.iter().fold(f64::INFINITY, |least, a| least.min(*a));
        let condition = (path.norm() + smallest) / (smallest.max(path.noise(f64::EPSILON)));
        Ok((path.solve_each(ctx, &each, &cuts)?, condition))
    }
}

/// Directions with λ + α up to this are lost in rounding and left out, where no penalty holds them.
pub(super) fn cut(path: &Path, alpha: f64) -> f64 {
    let noise = path.noise(f64::EPSILON);
    if alpha > noise { 0.0 } else { noise }
}

/// `a −= by · v vᵀ`.
fn subtract_outer(a: &mut Mat<f64>, v: &[f64], by: f64) {
    for (i, own) in v.iter().enumerate() {
        let own = by * own;
        a.row_mut(i).iter_mut().zip(v).for_each(|(entry, other)| *entry -= own * other);
    }
}
