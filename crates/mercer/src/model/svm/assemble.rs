//! Assembles the solutions of all dual problems into one model.

use super::check::Checked;
use super::decode::{is_one_vs_rest, pairs};
use super::problem::DualSolution;
use super::report::SvmReport;
use super::{Svm, SvmParams};
use crate::linalg::view::Mat;
use crate::model::prepared::Prepared;
use crate::model::report::Report;
use crate::points::Dtype;
use crate::real::Real;
use crate::solve::smo::Stop;

/// The numbers that a model was computed with.
#[derive(Clone, Copy)]
pub(super) struct Computed {
    /// The number type of the samples or of the kernel matrix.
    pub dtype: Dtype,
    /// In which kernel values were computed, where the solver needed no more.
    pub computed_in: Dtype,
}

/// Assembles solutions, which are in the order of the pairs of classes.
pub(super) fn assemble(
    params: &SvmParams,
    checked: &Checked,
    solved: Vec<DualSolution>,
    trained_on: usize,
    computed: Computed,
) -> Svm {
    let n = checked.rows.len();
    let k = checked.classes.len();
    let mut is_support = vec![false; n];
    for solution in &solved {
        let each = solution.samples.iter().zip(&solution.beta);
        each.filter(|(_, b)| **b != 0.0).for_each(|(&sample, _)| is_support[sample] = true);
    }
    let class_of = |i: usize| checked.places.get(i).copied().unwrap_or(0);
    let mut support: Vec<usize> = (0..n).filter(|&i| is_support[i]).collect();
    support.sort_by_key(|&i| (class_of(i), i));
    let mut column_of = vec![0; n];
    support.iter().enumerate().for_each(|(column, &i)| column_of[i] = column);
    let mut counts = vec![0; k.max(1)];
    support.iter().for_each(|&i| counts[class_of(i)] += 1);
    let is_rest = is_one_vs_rest(params, k);
    let lines = if is_rest { k } else { k.max(2) - 1 };
    let mut coef = Mat::zeros(lines, support.len());
    let sign = if k == 2 { -1.0 } else { 1.0 };
    for (problem, solution) in solved.iter().enumerate() {
        let (a, b) = pairs(k).nth(problem).unwrap_or((0, 1));
        for (&sample, &beta) in solution.samples.iter().zip(&solution.beta) {
            if beta != 0.0 {
                let line = match is_rest {
                    true => problem,
                    false if k > 0 && class_of(sample) == a => b - 1,
                    false => a,
                };
                coef[(line, column_of[sample])] = sign * beta;
            }
        }
    }
    let all_in = |dtype: Dtype| solved.iter().all(|s| s.report.precision == dtype.name());
    let computed_in = if all_in(Dtype::F32) { computed.computed_in } else { Dtype::F64 };
    let report = report(&solved, computed_in);
    Svm {
        params: params.clone(),
        support: support.iter().map(|&i| checked.rows[i]).collect(),
        anchors: None,
        dtype: computed.dtype,
        computed_in,
        trained_on,
        counts,
        coef,
        landmarks: None,
        cells: None,
        offset: solved.iter().map(|solution| sign * solution.offset).collect(),
        classes: (k > 0).then(|| checked.classes.clone()),
        class_weights: (k > 0).then(|| checked.class_weights.clone()),
        calibration: None,
        prepared: Prepared::default(),
        report,
    }
}

fn report(solved: &[DualSolution], computed_in: Dtype) -> Report {
    let problems: Vec<_> = solved.iter().map(|solution| solution.report.clone()).collect();
    let all_in = |name: &str| problems.iter().all(|problem| problem.precision == name);
    let columns_used = solved.iter().map(|solution| solution.asked).sum();
    // A solver whose working set is all samples asks for no columns: it has all values.
    let (storage, reason) = match columns_used {
        0 => ("columns", "all samples fit in one working set, which holds all kernel values"),
        _ => ("columns", "kernel columns are computed for coefficients that change"),
    };
    Report {
        solver: "smo".into(),
        storage: storage.into(),
        reason: reason.into(),
        passes: solved.iter().map(|solution| solution.rounds as usize).sum(),
        residual: problems.iter().map(|problem| problem.violation).fold(0.0, f64::max),
        converged: problems.iter().all(|problem| problem.stop == Stop::Converged),
        precision: if all_in(f64::NAME) { f64::NAME } else { f32::NAME }.into(),
        seconds: 0.0,
        notes: Vec::new(),
        system: None,
        machine: Some(SvmReport {
            choice: None,
            precision: computed_in.name().into(),
            problems,
            tube: solved.first().and_then(|solution| solution.tube),
            columns_used,
            cache_hits: solved.iter().map(|solution| solution.hits).sum(),
        }),
        clusters: None,
        landmarks: None,
        optimization: None,
    }
}
