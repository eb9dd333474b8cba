//! Approximate feature maps of additive kernels on histograms (Vedaldi & Zisserman 2012).
//!
//! A kernel of two numbers with k(cx, cy) = c·k(x, y) is √(xy)·K(ln x − ln y), and K is a mixture of cosines with a
//! spectrum κ:
//!
//! ```text
//!                  k(x, y)          K(ω)          κ(λ)
//! additive χ²      2xy/(x + y)      1/cosh(ω/2)   1/cosh(πλ)
//! intersection     min(x, y)        e^−|ω|/2      2/(π(1 + 4λ²))
//! Jensen–Shannon   as below         as below      1/(ln 2·(1 + 4λ²)·cosh(πλ))
//! ```
//!
//! with ½·[x·log₂((x + y)/x) + y·log₂((x + y)/y)] and ½·[e^ω/2·log₂(1 + e^−ω) + e^−ω/2·log₂(1 + e^ω)] for the last.
//!
//! Taking κ at 0, ±L, …, ±nL gives 2n + 1 features for each number x: √(Lκ(0)x) and, for j = 1 … n,
//! √(2Lκ(jL)x)·cos(jL·ln x) and the same with the sine. Close samples make K̂ good up to a short range of ω, after which
//! it repeats; distant ones lose detail. With x, y ≤ 1 no √(xy) exceeds e^−|ω|/2, so the L is taken for which the largest
//! e^−|ω|/2·|K̂(ω) − K(ω)| is least. That number bounds the error: |k̂(x, y) − k(x, y)| ≤ ε·max(x, y).

use std::f64::consts::{LN_2, PI};

use super::name::{Name, short};
use crate::error::{Error, Param, Result};

/// Samples of the spectrum at most: the error is then that of rounding, or falls no more.
const MOST_SAMPLES: usize = 500;
/// Where errors are looked at: beyond, nothing weighs anything.
const FARTHEST: f64 = 40.0;
const POINTS: usize = 4000;

/// The kernels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Homogeneous {
    Chi2,
    Intersection,
    JensenShannon,
}

impl Homogeneous {
    /// K(ω).
    fn signature(self, omega: f64) -> f64 {
        match self {
            Homogeneous::Chi2 => 1.0 / (0.5 * omega).cosh(),
            Homogeneous::Intersection => (-0.5 * omega.abs()).exp(),
            Homogeneous::JensenShannon => {
                let half = |omega: f64| (0.5 * omega).exp() * (-omega).exp().ln_1p();
                (half(omega) + half(-omega)) / (2.0 * LN_2)
            }
        }
    }

    /// κ(λ).
    fn spectrum(self, lambda: f64) -> f64 {
        match self {
            Homogeneous::Chi2 => 1.0 / (PI * lambda).cosh(),
            Homogeneous::Intersection => 2.0 / (PI * (1.0 + 4.0 * lambda * lambda)),
            Homogeneous::JensenShannon => {
                1.0 / (LN_2 * (1.0 + 4.0 * lambda * lambda) * (PI * lambda).cosh())
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Sampled {
    kernel: Homogeneous,
    step: f64,
    /// Lκ(0), 2Lκ(L), …, 2Lκ(nL).
    weights: Vec<f64>,
    /// Whether all columns of a sample of the spectrum come together, and not all features of a column.
    by_sample: bool,
}

impl Sampled {
    /// With samples of the spectrum `interval` apart, or as far as gives the least error.
    pub(super) fn new(
        kernel: Homogeneous,
        samples: usize,
        interval: Option<f64>,
        by_sample: bool,
    ) -> Result<Self> {
        if samples > MOST_SAMPLES {
            let message = format!("must be at most {MOST_SAMPLES}, not {samples}");
            return Err(Error::parameter(Param::Samples, message));
        }
        if let Some(interval) = interval.filter(|step| !(*step >= 0.0 && step.is_finite())) {
            let message = format!("their interval must be a number of at least 0, not {interval}");
            return Err(Error::parameter(Param::Samples, message));
        }
        let step = interval.unwrap_or_else(|| best_step(kernel, samples));
        Ok(Self { by_sample, ..Self::with_step(kernel, samples, step) })
    }

    fn with_step(kernel: Homogeneous, samples: usize, step: f64) -> Self {
        let weight = |j: usize| {
            let share = if j == 0 { 1.0 } else { 2.0 };
            share * step * kernel.spectrum(j as f64 * step)
        };
        let weights = (0..=samples).map(weight).collect();
        Self { kernel, step, weights, by_sample: false }
    }

    /// Features for each number.
    pub(super) fn each(&self) -> usize {
        2 * self.weights.len() - 1
    }

    /// The ε with |k̂(x, y) − k(x, y)| ≤ ε·max(x, y), to the fineness of the points looked at.
    pub(super) fn worst_error(&self) -> f64 {
        let error = |at: usize| {
            let omega = at as f64 * FARTHEST / POINTS as f64;
            let apart = self.approximate(omega) - self.kernel.signature(omega);
            (-0.5 * omega).exp() * apart.abs()
        };
        (0..=POINTS).map(error).fold(0.0, f64::max)
    }

    /// K̂(ω) = Σ weight_j·cos(jLω), each cosine from the two before.
    fn approximate(&self, omega: f64) -> f64 {
        let cosine = (self.step * omega).cos();
        let (mut before, mut now, mut sum) = (cosine, 1.0, 0.0);
        for weight in &self.weights {
            sum += weight * now;
            (before, now) = (now, 2.0 * cosine * now - before);
        }
        sum
    }

    /// Where a feature of a column stands, of `columns`.
    fn place(&self, column: usize, feature: usize, columns: usize) -> usize {
        match self.by_sample {
            true => feature * columns + column,
            false => column * self.each() + feature,
        }
    }

    pub(super) fn fill(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let each = x.iter().enumerate().filter(|(_, x)| **x != 0.0);
        for (column, x_value) in each {
            let (root, angle) = (x_value.sqrt(), self.step * x_value.ln());
            let mut put = |feature, value| out[self.place(column, feature, x.len())] = value;
            put(0, root * self.weights[0].sqrt());
            for (j, weight) in self.weights.iter().enumerate().skip(1) {
                let (sine, cosine) = (j as f64 * angle).sin_cos();
                let size = root * weight.sqrt();
                put(2 * j - 1, size * cosine);
                put(2 * j, size * sine);
            }
        }
    }

    pub(super) fn names(&self, columns: &[String]) -> Vec<Name> {
        let lists: Vec<_> = columns.iter().map(|column| self.names_of(column)).collect();
        let place = |at: usize| match self.by_sample {
            true => (at % columns.len(), at / columns.len()),
            false => (at / self.each(), at % self.each()),
        };
        let each = (0..columns.len() * self.each()).map(place);
        each.map(|(column, feature)| lists[column][feature].clone()).collect()
    }

    fn names_of(&self, column: &str) -> Vec<Name> {
        let first = Name::of(format!("√{column}")).scaled(self.weights[0]);
        let waves = self.weights[1..].iter().enumerate().flat_map(|(j, weight)| {
            let pace = short((j + 1) as f64 * self.step);
            ["cos", "sin"].map(|wave| {
                Name::of(format!("√{column}·{wave}({pace}·ln {column})")).scaled(*weight)
            })
        });
        std::iter::once(first).chain(waves).collect()
    }
}

/// The L with the least worst error: by a coarse look at all, then a golden section.
fn best_step(kernel: Homogeneous, samples: usize) -> f64 {
    let error = |step: f64| Sampled::with_step(kernel, samples, step).worst_error();
    let coarse = |at: i32| 0.01 * 1.12f64.powi(at); // from 0.01 to 2.6
    let best = (0..50).min_by(|&a, &b| error(coarse(a)).total_cmp(&error(coarse(b)))).unwrap_or(0);
    let (mut low, mut high) = (coarse(best - 1), coarse(best + 1));
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..24 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if error(a) < error(b) {
            high = b;
        } else {
            low = a;
        }
    }
    0.5 * (low + high)
}
