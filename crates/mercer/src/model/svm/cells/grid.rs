//! Kernels and values of C compared by folds within each cell.
//!
//! All folds and values of C of a kernel share its matrix, and each value of C starts from the solution of the one before.

use super::division::Division;
use super::merge::widened;
use super::{Checked, Own, constant_of, counted, fit, present, targets_among};
use crate::context::{Context, SharedProgress};
use crate::error::{Error, Param, Result};
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::input::Input;
use crate::model::svm::decode::vote;
use crate::model::svm::shared_kernel::{ExactShared, fold_bytes, matrix_bytes};
use crate::model::svm::{Svm, SvmParams};
use crate::model::targets::Targets;
use crate::points::{AnySamples, Points, with_samples};

/// The rows of a fold.
pub(crate) struct Split<'a> {
    pub train: &'a [usize],
    pub test: &'a [usize],
}

/// What is compared.
pub(crate) struct Compared<'a> {
    /// The parameters of all machines, with cells.
    pub params: &'a SvmParams,
    /// The kernels for the samples of a cell, as many for each.
    pub kernels: &'a (dyn Fn(&AnySamples) -> Result<Vec<KernelSpec>> + Sync),
    /// Values of C, ascending.
    pub cs: &'a [f64],
    pub splits: &'a [Split<'a>],
}

/// What a cell makes of all combinations.
pub(crate) struct CellLosses {
    /// None where one class is all that it has.
    pub kernels: Vec<KernelSpec>,
    /// The loss summed over its own test rows: kernels × values of C × folds. Of classes the wrong ones, of values the squared errors.
    pub losses: Vec<f64>,
    /// Test rows of its own, in all folds.
    pub tested: usize,
}

/// Samples with their cells, and the losses of each cell.
pub(crate) struct CellGrid {
    x: AnySamples,
    division: Division,
    checked: Checked,
    /// One for each cell.
    pub cells: Vec<CellLosses>,
    /// The test rows of each fold that count.
    pub tested: Vec<Vec<usize>>,
}

/// What a row is to a fold.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    None,
    Train,
    Test,
}

impl CellGrid {
    /// Compares all combinations in every cell.
    pub fn new(
        ctx: &Context,
        compared: &Compared<'_>,
        x: &AnySamples,
        targets: &Targets,
    ) -> Result<Self> {
        let params = compared.params;
        let missing = || Error::parameter(Param::Cells, "there are none");
        let wanted = params.cells.as_ref().ok_or_else(missing)?;
        wanted.check()?;
        super::check(params)?;
        let checked = Checked::new(params, targets, x.n())?;
        let division = Division::new(ctx, &params.kernel, counted(x, &checked), wanted)?;
        let roles: Vec<Vec<Role>> =
            compared.splits.iter().map(|split| roles(split, &checked, x.n())).collect();
        let tested = roles.iter().map(|role| rows_of(role, Role::Test)).collect();
        let progress = SharedProgress::new("cells", division.cells.len());
        let one = |own: &Context, cell: usize| -> Result<CellLosses> {
            let cell =
                Comparison { compared, division: &division, checked: &checked, roles: &roles }
                    .cell(own, cell)?;
            progress.add(ctx, 1)?;
            Ok(cell)
        };
        let bytes = bytes(&division);
        let cells = ctx.without_steps().side_by_side(division.cells.len(), bytes, one)?;
        Ok(Self { x: x.clone(), division, checked, cells, tested })
    }

    /// Fits all cells, each with the kernel and the C of its own; of a cell of one class these do not matter.
    pub fn fit(&self, ctx: &Context, params: &SvmParams, own: &[Own]) -> Result<Svm> {
        fit(ctx, params, (&self.division, own), &self.x, &self.checked)
    }

    /// The values of a regression at the test rows of a fold.
    pub fn values(&self, split: usize) -> Vec<f64> {
        self.tested[split].iter().map(|&i| self.checked.values[i]).collect()
    }
}

/// Bytes that a cell takes where there is plenty.
fn bytes(division: &Division) -> u64 {
    let (largest, cost) = (division.largest(), with_samples!(&division.x, x => x.cost()));
    matrix_bytes::<f64>(largest).saturating_add(fold_bytes(largest, largest / 2, cost))
}

/// What each row that counts is to a fold.
fn roles(split: &Split<'_>, checked: &Checked, n: usize) -> Vec<Role> {
    let mut roles = vec![Role::None; n];
    split.train.iter().for_each(|&row| roles[row] = Role::Train);
    split.test.iter().for_each(|&row| roles[row] = Role::Test);
    checked.rows.iter().map(|&row| roles[row]).collect()
}

fn rows_of(roles: &[Role], role: Role) -> Vec<usize> {
    (0..roles.len()).filter(|&i| roles[i] == role).collect()
}

/// What all cells see of a comparison.
struct Comparison<'a> {
    compared: &'a Compared<'a>,
    division: &'a Division,
    checked: &'a Checked,
    /// For each fold, the role of each row that counts.
    roles: &'a [Vec<Role>],
}

/// The rows of a fold in a cell.
struct Fold {
    /// Rows that count.
    train: Vec<usize>,
    /// Places among the rows that the cell learns from.
    test: Vec<usize>,
    /// The classes of `train`, by place.
    present: Vec<usize>,
}

impl Comparison<'_> {
    fn cell(&self, ctx: &Context, cell: usize) -> Result<CellLosses> {
        let learned = &self.division.cells[cell].learned;
        if present(self.checked, learned).len() == 1 {
            return Ok(CellLosses { kernels: Vec::new(), losses: Vec::new(), tested: 0 });
        }
        let samples = self.division.x.select(learned);
        let kernels = (self.compared.kernels)(&samples)?;
        let input = Input::Samples(samples);
        let folds: Vec<Fold> = self.roles.iter().map(|roles| self.fold(cell, roles)).collect();
        let (cs, splits) = (self.compared.cs.len(), folds.len());
        let mut losses = vec![0.0; kernels.len() * cs * splits];
        for (spec, losses) in kernels.iter().zip(losses.chunks_exact_mut(cs * splits)) {
            let step = |&c: &f64| SvmParams {
                kernel: spec.clone(),
                c,
                cells: None,
                ..self.compared.params.clone()
            };
            let steps: Vec<SvmParams> = self.compared.cs.iter().map(step).collect();
            let shared = ExactShared::new(ctx, &steps[0], &input)?;
            let of_fold =
                |ctx: &Context, f: usize| self.losses(ctx, &shared, &steps, learned, &folds[f]);
            let cost = shared.cost();
            let bytes = fold_bytes(learned.len(), learned.len() / splits.max(1), cost);
            let found = ctx.side_by_side(splits, bytes, of_fold)?;
            for (f, own) in found.iter().enumerate() {
                own.iter().enumerate().for_each(|(c, loss)| losses[c * splits + f] = *loss);
            }
        }
        let tested = folds.iter().map(|fold| fold.test.len()).sum();
        Ok(CellLosses { kernels, losses, tested })
    }

    fn fold(&self, cell: usize, roles: &[Role]) -> Fold {
        let cell = &self.division.cells[cell];
        let train: Vec<usize> =
            cell.learned.iter().copied().filter(|&i| roles[i] == Role::Train).collect();
        let asked = cell.own.iter().filter(|&&i| roles[i] == Role::Test);
        let place = |i: &usize| cell.learned.binary_search(i).ok();
        let test = asked.filter_map(place).collect();
        Fold { present: present(self.checked, &train), train, test }
    }

    /// The loss of each of `steps` on a fold of a cell.
    fn losses(
        &self,
        ctx: &Context,
        shared: &ExactShared<'_>,
        steps: &[SvmParams],
        learned: &[usize],
        fold: &Fold,
    ) -> Result<Vec<f64>> {
        let k = self.checked.classes.len();
        if fold.test.is_empty() {
            return Ok(vec![0.0; steps.len()]);
        }
        if fold.train.is_empty() || fold.present.len() == 1 {
            // Without a sample to learn from, what the cell has.
            let known = if fold.train.is_empty() { learned } else { &fold.train };
            let constant = constant_of(self.checked, known, k);
            let loss = fold.test.iter().map(|&at| self.loss(learned[at], &constant)).sum();
            return Ok(vec![loss; steps.len()]);
        }
        let is_learned = |i: usize| fold.train.binary_search(&i).is_ok();
        let targets = targets_among(self.checked, learned, &fold.present, is_learned);
        let tables = shared.decisions_along(ctx, steps, &targets, &fold.test)?;
        let of_step = |table: &Mat<f64>| {
            let loss = |(row, &at): (usize, &usize)| {
                self.loss(learned[at], &widened(table.row(row), &fold.present, k))
            };
            fold.test.iter().enumerate().map(loss).sum()
        };
        Ok(tables.iter().map(of_step).collect())
    }

    /// What the decisions for a row cost.
    fn loss(&self, i: usize, decisions: &[f64]) -> f64 {
        match self.checked.classes.len() {
            0 => (decisions[0] - self.checked.values[i]).powi(2),
            k => f64::from(u8::from(vote(decisions, k) != self.checked.places[i])),
        }
    }
}
