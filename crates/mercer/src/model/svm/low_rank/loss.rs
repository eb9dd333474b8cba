//! How well decisions on landmarks agree with those of the true kernel, on a sample of the training set.

use super::SampledLoss;
use super::rows::WantedSum;
use crate::model::svm::check::Checked;
use crate::model::svm::decode::is_one_vs_rest;
use crate::model::svm::exact_kernel::spread_out;
use crate::model::svm::problem::DualSolution;
use crate::model::svm::{SvmParams, Task};

/// Samples that are looked at, at most and at least.
const ROWS: (usize, usize) = (256, 16);
/// Kernel values that are worth it.
const VALUES: usize = 50_000_000;

/// The places of the samples of each problem whose loss is computed.
pub fn looked_at(solved: &[DualSolution]) -> Vec<Vec<usize>> {
    let support: usize = solved.iter().map(|solution| solution.report.support).sum();
    let most = (VALUES / support.max(1)).clamp(ROWS.1, ROWS.0).div_ceil(solved.len().max(1));
    solved.iter().map(|solution| spread_out(solution.samples.len(), most)).collect()
}

/// The sum over the support vectors of a problem; `row` is the row of a sample, and `of` are the places of those that are looked at.
pub fn wanted(solution: &DualSolution, row: impl Fn(usize) -> usize, of: Vec<usize>) -> WantedSum {
    let each = solution.samples.iter().zip(&solution.beta).filter(|(_, beta)| **beta != 0.0);
    let mut beta: Vec<(usize, f64)> = each.map(|(&sample, &beta)| (row(sample), beta)).collect();
    beta.sort_unstable_by_key(|(row, _)| *row);
    WantedSum { of, beta }
}

/// The mean loss of the solutions of all problems at the places `looked`, with what the true kernel sums up to there.
pub fn mean_loss(
    params: &SvmParams,
    checked: &Checked,
    solved: &[DualSolution],
    looked: &[Vec<usize>],
    sums: &[Vec<f64>],
) -> SampledLoss {
    let mut total = Totals::default();
    for (problem, ((solution, places), sums)) in solved.iter().zip(looked).zip(sums).enumerate() {
        for (&place, sum) in places.iter().zip(sums) {
            let loss = |decision: f64| loss(params, checked, (solution, problem), place, decision);
            let (model, exact) = (solution.decisions[place], sum + solution.offset);
            total.add(loss(model), loss(exact), model - exact);
        }
    }
    total.mean()
}

/// The loss of a decision on the sample at a place of a problem.
fn loss(
    params: &SvmParams,
    checked: &Checked,
    (solution, problem): (&DualSolution, usize),
    place: usize,
    decision: f64,
) -> f64 {
    let sample = solution.samples[place];
    match params.task {
        Task::CSvc | Task::NuSvc => {
            let first = match is_one_vs_rest(params, checked.classes.len()) {
                true => problem,
                false => checked.places[solution.samples[0]],
            };
            let sign = if checked.places[sample] == first { 1.0 } else { -1.0 };
            (1.0 - sign * decision).max(0.0)
        }
        Task::OneClass => (-decision).max(0.0),
        Task::EpsilonSvr | Task::NuSvr => {
            let tube = solution.tube.unwrap_or(params.epsilon);
            ((checked.values[sample] - decision).abs() - tube).max(0.0)
        }
    }
}

#[derive(Default)]
struct Totals {
    rows: usize,
    model: f64,
    exact: f64,
    square: f64,
}

impl Totals {
    fn add(&mut self, model: f64, exact: f64, difference: f64) {
        self.rows += 1;
        self.model += model;
        self.exact += exact;
        self.square += difference * difference;
    }

    fn mean(self) -> SampledLoss {
        let n = self.rows.max(1) as f64;
        SampledLoss {
            rows: self.rows,
            of_model: self.model / n,
            of_true_kernel: self.exact / n,
            difference: (self.square / n).sqrt(),
        }
    }
}
