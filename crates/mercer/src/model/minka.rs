//! How many dimensions data has: Minka's Laplace approximation of the evidence for each number of components.
//!
//! Given the d variances s_1 ≥ … ≥ s_d of n samples, choose k in 1 … d − 1 that maximises
//!
//! ```text
//! ln p(k) = ln p(U) − n/2 Σ_{i≤k} ln s_i − n(d−k)/2 ln v + (m+k)/2 ln 2π − ½ ln|A| − k/2 ln n
//! ln p(U) = −k ln 2 + Σ_{i≤k} [ln Γ((d−i+1)/2) − (d−i+1)/2 ln π]
//! ln|A|   = Σ_{i≤k} Σ_{j>i} [ln(1/ŝ_j − 1/ŝ_i) + ln(s_i − s_j) + ln n]
//! ```
//!
//! with v the mean of the variances left out, ŝ_j = s_j for j ≤ k and v beyond, m = dk − k(k+1)/2. The double sum changes
//! little from one k to the next, so all of them together cost d² logarithms.

use std::f64::consts::{LN_2, PI};

/// Variances below this count as nothing.
const NOTHING: f64 = 1e-15;

/// The number of components with the largest evidence, given all variances, descending, of `n` samples.
pub(super) fn dimension(variances: &[f64], n: usize) -> usize {
    let d = variances.len();
    let mut best = (f64::NEG_INFINITY, 1.min(d));
    let mut sums = Sums::new(variances, n);
    for k in 1..d {
        if variances[k - 1] < NOTHING {
            break;
        }
        let evidence = sums.advance(k);
        if evidence > best.0 {
            best = (evidence, k);
        }
    }
    best.1
}

/// Running sums over the first k variances.
struct Sums<'a> {
    variances: &'a [f64],
    samples: f64,
    /// ln p(U)
    orientation: f64,
    /// Σ_{i≤k} ln s_i
    logs: f64,
    /// Σ_{i<j≤k} [ln(1/s_j − 1/s_i) + ln(s_i − s_j)]
    within: f64,
    /// For each i ≤ k: Σ_{j>k} ln(s_i − s_j)
    beyond: Vec<f64>,
    /// ln Γ(i/2) in place i.
    log_gamma: Vec<f64>,
}

impl<'a> Sums<'a> {
    fn new(variances: &'a [f64], n: usize) -> Self {
        let log_gamma = log_gamma_of_halves(variances.len());
        let samples = n as f64;
        Self {
            variances,
            samples,
            orientation: 0.0,
            logs: 0.0,
            within: 0.0,
            beyond: vec![],
            log_gamma,
        }
    }

    /// Takes the k-th variance in and returns ln p(k); to be called with k = 1, 2, 3, …
    fn advance(&mut self, k: usize) -> f64 {
        let (s, d) = (self.variances, self.variances.len());
        let newest = s[k - 1];
        let half = (d - k + 1) as f64 / 2.0;
        self.orientation += self.log_gamma[d - k + 1] - half * PI.ln() - LN_2;
        self.logs += newest.ln();
        for (i, sum) in self.beyond.iter_mut().enumerate() {
            let apart = log_difference(s[i], newest);
            *sum -= apart;
            self.within += 2.0 * apart - s[i].ln() - newest.ln();
        }
        self.beyond.push(s[k..].iter().map(|&other| log_difference(newest, other)).sum());
        self.evidence(k)
    }

    fn evidence(&self, k: usize) -> f64 {
        let (d, count) = (self.variances.len() as f64, k as f64);
        let left_out = d - count;
        let v = (self.variances[k..].iter().sum::<f64>() / left_out).max(NOTHING);
        let free = d * count - count * (count + 1.0) / 2.0;
        let across: f64 = (0..k)
            .map(|i| {
                let s = self.variances[i];
                self.beyond[i] + left_out * (log_difference(s, v) - s.ln() - v.ln())
            })
            .sum();
        let determinant = self.within + across + free * self.samples.ln();
        self.orientation - 0.5 * self.samples * (self.logs + left_out * v.ln())
            + 0.5 * (free + count) * (2.0 * PI).ln()
            - 0.5 * determinant
            - 0.5 * count * self.samples.ln()
    }
}

/// ln(a − b) for a ≥ b; equal numbers count as apart by the rounding error of the larger.
fn log_difference(a: f64, b: f64) -> f64 {
    (a - b).max(a * f64::EPSILON).ln()
}

/// ln Γ(i/2) for i = 0 … count, by Γ(x + 1) = x Γ(x) from Γ(½) = √π and Γ(1) = 1.
fn log_gamma_of_halves(count: usize) -> Vec<f64> {
    let mut values = vec![f64::INFINITY, 0.5 * PI.ln(), 0.0];
    for i in 3..=count {
        values.push(values[i - 2] + (i as f64 / 2.0 - 1.0).ln());
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_gap_is_found() {
        assert_eq!(dimension(&[9.0, 5.0, 0.11, 0.1, 0.09, 0.08], 500), 2);
        assert_eq!(dimension(&[9.0, 5.0, 4.0, 0.1, 0.09, 0.08], 500), 3);
    }

    #[test]
    fn equal_and_vanishing_variances_give_an_answer() {
        assert!((1..4).contains(&dimension(&[1.0; 4], 50)));
        assert_eq!(dimension(&[0.0; 4], 50), 1);
        assert_eq!(dimension(&[3.0, 0.0], 50), 1);
    }

    #[test]
    fn gamma_of_halves() {
        let values = log_gamma_of_halves(9);
        assert!((values[8] - 6f64.ln()).abs() < 1e-14);
        assert!((values[5] - (0.75 * PI.sqrt()).ln()).abs() < 1e-14);
    }
}
