//! Folds and values of C on the same cells.

use super::division::{Cell, Division};
use super::merge::widened;
use super::{Checked, constant_of, present, targets_of};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::linalg::view::Mat;
use crate::model::input::Input;
use crate::model::svm::decode::pairs;
use crate::model::svm::shared_kernel::{ExactShared, fold_bytes, matrix_bytes};
use crate::model::svm::{Svm, SvmParams};
use crate::model::targets::Targets;
use crate::points::{AnySamples, Points, with_samples};

/// Samples with their cells.
pub(crate) struct SharedCells(Division);

impl SharedCells {
    /// Divides the samples of an input.
    pub fn new(ctx: &Context, params: &SvmParams, x: &AnySamples) -> Result<Self> {
        super::check(params)?;
        let missing = || Error::parameter(Param::Cells, "there are none");
        let wanted = params.cells.as_ref().ok_or_else(missing)?;
        wanted.check()?;
        Division::new(ctx, &params.kernel, x.clone(), wanted).map(Self)
    }

    /// Fits a model on the rows that count in `targets`.
    pub fn fit(&self, ctx: &Context, params: &SvmParams, targets: &Targets) -> Result<Svm> {
        let params = SvmParams { kernel: self.0.spec.clone(), ..params.clone() };
        Svm::fit(ctx, &params, &self.0.x, targets, None)
    }

    /// Bytes that a fold takes where there is plenty.
    pub fn fold_bytes(&self) -> u64 {
        let largest = self.0.largest();
        let cost = with_samples!(&self.0.x, x => x.cost());
        matrix_bytes::<f64>(largest).saturating_add(fold_bytes(largest, largest, cost))
    }

    /// The decisions for the rows `test` of models with each of `steps`, fitted on the rows that count in `targets`.
    pub fn decisions_along(
        &self,
        ctx: &Context,
        steps: &[SvmParams],
        targets: &Targets,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        let n = self.0.x.n();
        let checked = Checked::new(&steps[0], targets, n)?;
        let problems = pairs(checked.classes.len()).count().max(1);
        let mut place_of = vec![None; n];
        test.iter().enumerate().for_each(|(place, &row)| place_of[row] = Some(place));
        let mut counted = vec![None; n];
        checked.rows.iter().enumerate().for_each(|(i, &row)| counted[row] = Some(i));
        let one = |ctx: &Context, cell: usize| -> Result<Vec<(usize, Vec<Vec<f64>>)>> {
            let Cell { own, learned } = &self.0.cells[cell];
            let asked: Vec<usize> =
                own.iter().copied().filter(|&row| place_of[row].is_some()).collect();
            if asked.is_empty() {
                return Ok(Vec::new());
            }
            let rows: Vec<usize> = learned.iter().filter_map(|&row| counted[row]).collect();
            let found = self.cell(ctx, steps, &checked, &rows, &asked)?;
            Ok(asked.into_iter().filter_map(|row| place_of[row]).zip(found).collect())
        };
        let found = ctx.side_by_side(self.0.cells.len(), self.fold_bytes(), one)?;
        let mut tables: Vec<Mat<f64>> =
            steps.iter().map(|_| Mat::zeros(test.len(), problems)).collect();
        for (place, by_step) in found.into_iter().flatten() {
            for (table, decisions) in tables.iter_mut().zip(by_step) {
                table.row_mut(place).copy_from_slice(&decisions);
            }
        }
        Ok(tables)
    }

    /// The decisions for each of `asked` by models of each of `steps`, fitted on `rows` among those that count.
    fn cell(
        &self,
        ctx: &Context,
        steps: &[SvmParams],
        checked: &Checked,
        rows: &[usize],
        asked: &[usize],
    ) -> Result<Vec<Vec<Vec<f64>>>> {
        let k = checked.classes.len();
        // Without a sample to learn from, all of them.
        let all: Vec<usize> = (0..checked.rows.len()).collect();
        let found = present(checked, if rows.is_empty() { &all } else { rows });
        if rows.is_empty() || found.len() == 1 {
            let known = if rows.is_empty() { &all[..] } else { rows };
            let constant = constant_of(checked, known, k);
            return Ok(vec![vec![constant; steps.len()]; asked.len()]);
        }
        let training: Vec<usize> = rows.iter().map(|&i| checked.rows[i]).collect();
        let places: Vec<usize> = training.iter().chain(asked).copied().collect();
        let some = self.0.x.select(&places);
        let mut targets = targets_of(checked, rows, &found);
        pad(&mut targets, asked.len());
        let input = Input::Samples(some);
        let alone = |params: &SvmParams| SvmParams {
            kernel: self.0.spec.clone(),
            cells: None,
            ..params.clone()
        };
        let steps: Vec<SvmParams> = steps.iter().map(alone).collect();
        let shared = ExactShared::new(ctx, &steps[0], &input)?;
        let test: Vec<usize> = (training.len()..places.len()).collect();
        let tables = shared.decisions_along(ctx, &steps, &targets, &test)?;
        let of = |i: usize| tables.iter().map(|table| widened(table.row(i), &found, k)).collect();
        Ok((0..asked.len()).map(of).collect())
    }
}

/// Samples of weight 0 behind those that count.
fn pad(targets: &mut Targets, more: usize) {
    use crate::model::targets::Target;
    if let Some(weights) = &mut targets.weights {
        weights.resize(weights.len() + more, 0.0);
    }
    match &mut targets.target {
        Target::Classes { labels, .. } => labels.places.resize(labels.places.len() + more, 0),
        Target::Values(values) => {
            let mut padded = values.data().to_vec();
            padded.resize(padded.len() + more, 0.0);
            *values = Mat::from_vec(padded.clone(), padded.len(), 1);
        }
        Target::Unsupervised => {}
    }
}
