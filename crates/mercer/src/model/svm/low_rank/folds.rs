//! Several machines on the same features: along C, on folds, and for a calibration.

use std::time::Instant;

use super::{Fit, LowRank, Solved, posed, problems};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::model::svm::calibrate::Folds;
use crate::model::svm::check::Checked;
use crate::model::svm::decode::{differences, is_one_vs_rest};
use crate::model::svm::{Svm, SvmParams};
use crate::model::targets::Targets;
use crate::solve::smo::Stop;

impl LowRank<'_> {
    /// Fits a machine on the samples that count in `targets`.
    pub fn machine(
        &self,
        ctx: &Context,
        params: &SvmParams,
        targets: &Targets,
        start: Option<&Svm>,
    ) -> Result<Svm> {
        let n = self.n();
        let checked = Checked::new(params, targets, n)?;
        let rows = Some(&checked.rows[..]);
        let fit = Fit { params, checked: &checked, rows, started: Instant::now() };
        self.fit(ctx, fit, n, start, self.held()?)
    }

    /// The decisions for the rows `test` of machines with each of `steps`, fitted on the rows that count in `targets`, each
    /// from the one before.
    pub fn decisions_along(
        &self,
        ctx: &Context,
        steps: &[SvmParams],
        targets: &Targets,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        let checked = Checked::new(&steps[0], targets, self.n())?;
        let k = checked.classes.len();
        let count = problems(&steps[0], &checked);
        let sign = if k == 2 { -1.0 } else { 1.0 };
        let along = |ctx: &Context, problem: usize| -> Result<Vec<Vec<f64>>> {
            let mut start: Option<Vec<f64>> = None;
            let mut decisions = Vec::new();
            for params in steps {
                let rows = Some(&checked.rows[..]);
                let fit = Fit { params, checked: &checked, rows, started: Instant::now() };
                let dual = posed(params, &checked, problem);
                let dual = match start.take() {
                    None => dual,
                    Some(beta) => dual.start_from(&beta),
                };
                let solved = self.solve(ctx, fit, dual)?;
                if solved.dual.report.stop == Stop::Interrupted {
                    return Err(Error::Interrupted);
                }
                decisions.push(self.decisions(ctx, &solved, test, sign)?);
                let mut beta = vec![0.0; checked.rows.len()];
                let each = solved.dual.samples.iter().zip(&solved.dual.beta);
                each.for_each(|(&sample, b)| beta[sample] = *b);
                start = Some(beta);
            }
            Ok(decisions)
        };
        let by_problem = ctx.side_by_side(count, self.problem_bytes(self.n()), along)?;
        let table = |step: usize| {
            let own = |row: usize, problem: usize| by_problem[problem][step][row];
            let table = Mat::from_fn(test.len(), count, own);
            if is_one_vs_rest(&steps[0], k) { differences(&table) } else { table }
        };
        Ok((0..steps.len()).map(table).collect())
    }

    fn decisions(
        &self,
        ctx: &Context,
        solved: &Solved,
        rows: &[usize],
        sign: f64,
    ) -> Result<Vec<f64>> {
        let mut decisions = vec![0.0; rows.len()];
        self.features.products(ctx, rows, &solved.w, &mut decisions)?;
        decisions.iter_mut().for_each(|v| *v = sign * (*v + solved.dual.offset));
        Ok(decisions)
    }

    /// The decisions of one problem for its samples, each by the problem without the fold of that sample.
    pub(in crate::model::svm) fn out_of_fold(
        &self,
        ctx: &Context,
        (params, checked): (&SvmParams, &Checked),
        problem: usize,
        folds: &Folds<'_>,
    ) -> Result<Vec<f64>> {
        let fit = Fit { params, checked, rows: None, started: Instant::now() };
        let samples = posed(params, checked, problem).samples;
        folds.decisions(ctx, &samples, checked.rows.len(), |is_left_out| {
            let dual = posed(params, checked, problem).without(|sample| is_left_out[sample]);
            Ok(self.solve(ctx, fit, dual.start_from(folds.start))?.dual.decisions)
        })
    }

    /// Samples with features.
    pub fn n(&self) -> usize {
        self.features.squares().len()
    }

    /// Bytes that a problem of all samples takes.
    pub fn bytes_of_problem(&self) -> u64 {
        self.problem_bytes(self.n())
    }
}
