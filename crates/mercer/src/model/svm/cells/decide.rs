//! Decisions by the machine of the cell that a sample lies in.

use super::CellState;
use super::partition::route;
use crate::context::Context;
use crate::error::Result;
use crate::kernel::SpecKernel;
use crate::linalg::view::Mat;
use crate::model::prepared::prepared_bytes;
use crate::model::svm::Svm;
use crate::points::{AnySamples, with_samples};

impl Svm {
    /// The decisions for new samples, each by its cell: m × problems.
    pub(in crate::model::svm) fn decisions_on_cells(
        &self,
        ctx: &Context,
        anchors: &AnySamples,
        cells: &CellState,
        x: &AnySamples,
    ) -> Result<Mat<f64>> {
        let bytes = with_samples!(anchors, anchors => prepared_bytes(&self.coef, anchors));
        let machines = self.prepared.get(bytes, || Ok(self.of_cells(cells, anchors)))?;
        let centres: Vec<usize> = (self.support.len()..anchors.n()).collect();
        let places = with_samples!(&anchors.select(&centres), centres => {
            let kernel = SpecKernel::new(&self.params.kernel)?;
            route(ctx, &kernel, &x.to_type()?, centres)
        })?;
        let mut members = vec![Vec::new(); machines.len()];
        places.iter().enumerate().for_each(|(row, &cell)| members[cell].push(row));
        let used: Vec<usize> = (0..machines.len()).filter(|&c| !members[c].is_empty()).collect();
        let of_cell = |ctx: &Context, place: usize| {
            let cell = used[place];
            machines[cell].decisions(ctx, &x.select(&members[cell]))
        };
        let found = ctx.side_by_side(used.len(), 1, of_cell)?;
        let problems = self.offset.len() / machines.len().max(1);
        let mut decisions = Mat::try_zeros(x.n(), problems)?;
        for (&cell, own) in used.iter().zip(&found) {
            for (i, &row) in members[cell].iter().enumerate() {
                decisions.row_mut(row).copy_from_slice(own.row(i));
            }
        }
        Ok(decisions)
    }
}
