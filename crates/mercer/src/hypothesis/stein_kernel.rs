//! The Stein kernel of a density p with score s(x) = ∇ log p(x), made of a kernel k(x, y) = φ(t) of the squared distance t = ‖x − y‖²:
//!
//! u(x, y) = φ·s(x)ᵀs(y) − 2φ'·(s(x) − s(y))ᵀ(x − y) − 2dφ' − 4tφ''.
//!
//! Its mean over x from p is 0 for every y. Samples are rows [x, s(x)].

use crate::error::{Error, Param, Result};
use crate::kernel::{Kernel, KernelSpec, Tile};
use crate::points::{Dense, Points, Span};

/// φ of the squared distance.
#[derive(Clone, Copy, Debug)]
enum Radial {
    /// exp(−γt).
    Gaussian { gamma: f64 },
    /// (1 + t/c)^(−α).
    RationalQuadratic { alpha: f64, c: f64 },
}

impl Radial {
    /// φ, φ' and φ''.
    fn derivatives(self, t: f64) -> [f64; 3] {
        match self {
            Radial::Gaussian { gamma } => {
                let value = (-gamma * t).exp();
                [value, -gamma * value, gamma * gamma * value]
            }
            Radial::RationalQuadratic { alpha, c } => {
                let base = 1.0 + t / c;
                let value = base.powf(-alpha);
                let first = -alpha / c * value / base;
                [value, first, -(alpha + 1.0) / c * first / base]
            }
        }
    }
}

/// The Stein kernel, on rows of a sample and its score.
pub(super) struct SteinKernel(Radial);

impl SteinKernel {
    /// From a kernel without open widths.
    pub fn new(spec: &KernelSpec) -> Result<Self> {
        let refused = || {
            let message = format!(
                "must be rbf or rational_quadratic, whose second derivatives are known, not {spec}"
            );
            Error::parameter(Param::Kernel, message)
        };
        let leaf = spec.as_leaf().ok_or_else(refused)?;
        let number = |name: &str| leaf.optional(name).filter(|value| value.is_finite());
        let radial = match leaf.family().name {
            "rbf" => {
                let by_sigma = number("sigma").map(|sigma| 0.5 / (sigma * sigma));
                let by_width = number("width").map(|width| 1.0 / (width * width));
                let gamma = by_sigma.or(by_width).or(number("gamma")).ok_or_else(refused)?;
                Radial::Gaussian { gamma }
            }
            "rational_quadratic" => {
                let (alpha, length) = number("alpha").zip(number("length")).ok_or_else(refused)?;
                Radial::RationalQuadratic { alpha, c: 2.0 * alpha * length * length }
            }
            _ => return Err(refused()),
        };
        Ok(Self(radial))
    }

    fn value(&self, t: f64, scores: f64, across: f64, d: f64) -> f64 {
        let [value, first, second] = self.0.derivatives(t);
        value * scores - 2.0 * first * (across + d) - 4.0 * t * second
    }
}

/// t, s(x)ᵀs(y) and (s(x) − s(y))ᵀ(x − y) of one row with all columns side by side.
struct Sums {
    squared: Vec<f64>,
    scores: Vec<f64>,
    across: Vec<f64>,
}

impl Sums {
    fn new(width: usize) -> Self {
        Self { squared: vec![0.0; width], scores: vec![0.0; width], across: vec![0.0; width] }
    }

    /// Adds what coordinate x with score s contributes, given the same of all columns.
    fn add(&mut self, (x, s): (f64, f64), places: &[f64], scores: &[f64]) {
        let own = self.squared.iter_mut().zip(&mut self.scores).zip(&mut self.across);
        for (((t, product), across), (y, r)) in own.zip(places.iter().zip(scores)) {
            let apart = x - y;
            *t += apart * apart;
            *product += s * r;
            *across += (s - r) * apart;
        }
    }

    fn clear(&mut self) {
        for sums in [&mut self.squared, &mut self.scores, &mut self.across] {
            sums.fill(0.0);
        }
    }
}

impl Kernel<Dense<f64>, f64> for SteinKernel {
    fn tile(
        &self,
        rows: Span<'_, Dense<f64>>,
        cols: Span<'_, Dense<f64>>,
        mut out: Tile<'_, f64>,
    ) -> Result<()> {
        let (width, d) = (cols.len(), cols.points.d() / 2);
        let mut columns = vec![0.0; 2 * d * width];
        for (place, j) in cols.range().enumerate() {
            let row = cols.points.row(j);
            row.iter().enumerate().for_each(|(k, value)| columns[k * width + place] = *value);
        }
        let mut sums = Sums::new(width);
        for (place, i) in rows.range().enumerate() {
            let row = rows.points.row(i);
            sums.clear();
            for k in 0..d {
                let line = |k: usize| &columns[k * width..(k + 1) * width];
                sums.add((row[k], row[d + k]), line(k), line(d + k));
            }
            for (j, value) in out.row(place).iter_mut().enumerate() {
                *value = self.value(sums.squared[j], sums.scores[j], sums.across[j], d as f64);
            }
        }
        Ok(())
    }

    fn diag(&self, points: Span<'_, Dense<f64>>, out: &mut [f64]) -> Result<()> {
        let d = points.points.d() / 2;
        for (i, value) in points.range().zip(out) {
            let scores = points.points.row(i)[d..].iter().map(|s| s * s).sum();
            *value = self.value(0.0, scores, 0.0, d as f64);
        }
        Ok(())
    }
}

/// Rows [x, s(x)].
pub(super) fn with_scores(x: &Dense<f64>, scores: crate::MatRef<'_, f64>) -> Result<Dense<f64>> {
    let (n, d) = (x.n(), x.d());
    if (scores.rows(), scores.cols()) != (n, d) {
        let found = format!("{} × {}", scores.rows(), scores.cols());
        let message = format!("scores must be {n} × {d}, as the samples are, not {found}");
        return Err(Error::Shape(message));
    }
    let mut rows = Vec::with_capacity(2 * n * d);
    for i in 0..x.len() {
        rows.extend_from_slice(x.row(i));
        rows.extend((0..d).map(|k| scores.at(i, k)));
    }
    Dense::from_vec(rows, n, 2 * d)
}
