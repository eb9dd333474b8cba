//! The choice of kernel and C of machines on cells: for all cells together, or for each by its own folds.

use super::criterion::Criterion;
use super::grid::{Rounding, widths_rounded};
use super::svm::{Search, SvmSearch, SvmSearchParams, ascending, best};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::svm::{CellGrid, Compared, Split};
use crate::model::{Target, Targets};
use crate::points::AnySamples;

/// What single cells have chosen.
#[derive(Clone, Debug)]
pub struct CellChoices {
    /// For each cell the places of its kernel and of its C; none for a cell of one class, which has nothing to choose.
    pub chosen: Vec<Option<(usize, usize)>>,
    /// The score of each fold: the accuracy, or R² of regressions, with the choice of every cell.
    pub scores: Vec<f64>,
}

/// How much the mean loss of all cells counts beside that of a cell's own rows. Of these there are too few to choose by alone: among some hundred
/// combinations, chance makes one look good.
const PRIOR: f64 = 1.0;

/// Searches within each cell, by accuracy or R².
pub(super) fn search(
    ctx: &Context,
    search: &Search<'_>,
    x: &AnySamples,
    criterion: Criterion,
) -> Result<SvmSearch> {
    let (params, targets) = (search.params, search.targets);
    check(params, criterion)?;
    let known: Vec<Vec<KernelSpec>> =
        params.kernels.iter().map(|spec| candidates(spec, x)).collect::<Result<_>>()?;
    let of_cell = |x: &AnySamples| of_cell(&params.kernels, &known, x);
    let order = ascending(&params.cs);
    let cs: Vec<f64> = order.iter().map(|&place| params.cs[place]).collect();
    let split = params.folds.iter().map(|fold| Split { train: &fold.train, test: &fold.test });
    let splits: Vec<Split<'_>> = split.collect();
    let compared = Compared { params: &params.model, kernels: &of_cell, cs: &cs, splits: &splits };
    let grid = CellGrid::new(ctx, &compared, x, targets)?;
    let table = Totals { grid: &grid, kernels: known.iter().map(Vec::len).sum(), order: &order };
    let losses = table.of_all();
    let scores: Vec<Mat<f64>> = losses.iter().map(|losses| table.scores(targets, losses)).collect();
    let shared = best(&scores)?;
    let chosen = table.chosen(&losses, shared);
    let kernels = common_kernels(&grid, &known);
    let own = |cell: usize| match chosen[cell] {
        Some((kernel, c)) => (grid.cells[cell].kernels[kernel].clone(), params.cs[c]),
        None => (kernels[shared.0].clone(), params.cs[shared.1]),
    };
    let own: Vec<(KernelSpec, f64)> = (0..chosen.len()).map(own).collect();
    let mut of_chosen = Mat::zeros(1, splits.len());
    for (cell, place) in chosen.iter().enumerate() {
        let Some(place) = place else { continue };
        (0..splits.len()).for_each(|f| of_chosen[(0, f)] += table.loss(cell, *place, f));
    }
    let own_scores = table.scores(targets, &of_chosen).row(0).to_vec();
    let model_params =
        crate::model::svm::SvmParams { c: params.cs[shared.1], ..params.model.clone() };
    let model = grid.fit(ctx, &model_params, &own)?;
    let cells = Some(CellChoices { chosen, scores: own_scores });
    Ok(SvmSearch { model, kernels, scores, chosen: shared, cells })
}

fn check(params: &SvmSearchParams, criterion: Criterion) -> Result<()> {
    if params.model.cells.is_none() {
        return Err(Error::parameter(Param::Cells, "requires cells"));
    }
    if !matches!(criterion, Criterion::Accuracy | Criterion::R2) {
        let message = format!(
            "{} is not available with a choice for each cell, which goes by accuracy or squared errors",
            criterion.name()
        );
        return Err(Error::parameter("metric", message));
    }
    match params.kernels.iter().any(|spec| !spec.custom_functions().is_empty()) {
        true => Err(Error::parameter(
            Param::Kernel,
            "a user-defined kernel cannot be chosen for each cell",
        )),
        false => Ok(()),
    }
}

/// The kernels that a spec stands for.
fn candidates(spec: &KernelSpec, x: &AnySamples) -> Result<Vec<KernelSpec>> {
    widths_rounded(spec, x, Rounding::PowerOfTwo)
}

/// The kernels for the samples of a cell: where it does not suggest any, those for all samples.
fn of_cell(
    specs: &[KernelSpec],
    known: &[Vec<KernelSpec>],
    x: &AnySamples,
) -> Result<Vec<KernelSpec>> {
    let mut kernels = Vec::new();
    for (spec, known) in specs.iter().zip(known) {
        let own = candidates(spec, x)?;
        kernels.extend(if own.len() == known.len() { own } else { known.clone() });
    }
    Ok(kernels)
}

/// In each place the kernel that most cells compare there.
fn common_kernels(grid: &CellGrid, known: &[Vec<KernelSpec>]) -> Vec<KernelSpec> {
    let of_place = |(place, known): (usize, &KernelSpec)| {
        let mut counted: Vec<(&KernelSpec, usize)> = Vec::new();
        for kernel in grid.cells.iter().filter_map(|cell| cell.kernels.get(place)) {
            match counted.iter_mut().find(|(other, _)| *other == kernel) {
                Some((_, count)) => *count += 1,
                None => counted.push((kernel, 1)),
            }
        }
        let first = counted.iter().copied().reduce(|a, b| if a.1 < b.1 { b } else { a });
        first.map_or(known, |(kernel, _)| kernel).clone()
    };
    known.iter().flatten().enumerate().map(of_place).collect()
}

/// The losses of all cells, by the places that the caller knows of.
struct Totals<'a> {
    grid: &'a CellGrid,
    kernels: usize,
    /// The places of rising values of C.
    order: &'a [usize],
}

impl Totals<'_> {
    fn folds(&self) -> usize {
        self.grid.tested.len()
    }

    /// The loss of a cell with a combination on a fold.
    fn loss(&self, cell: usize, (kernel, c): (usize, usize), fold: usize) -> f64 {
        let turn = self.order.iter().position(|&place| place == c).unwrap_or(0);
        let at = (kernel * self.order.len() + turn) * self.folds() + fold;
        self.grid.cells[cell].losses.get(at).copied().unwrap_or(0.0)
    }

    /// For each kernel, cs × folds: the losses summed over cells.
    fn of_all(&self) -> Vec<Mat<f64>> {
        let sum = |kernel: usize, c: usize, f: usize| {
            (0..self.grid.cells.len()).map(|cell| self.loss(cell, (kernel, c), f)).sum()
        };
        let table =
            |kernel: usize| Mat::from_fn(self.order.len(), self.folds(), |c, f| sum(kernel, c, f));
        (0..self.kernels).map(table).collect()
    }

    /// Scores, given losses (combinations × folds).
    fn scores(&self, targets: &Targets, losses: &Mat<f64>) -> Mat<f64> {
        let unit: Vec<f64> = match &targets.target {
            Target::Values(_) => (0..self.folds()).map(|f| squares(&self.grid.values(f))).collect(),
            _ => self.grid.tested.iter().map(|rows| rows.len() as f64).collect(),
        };
        Mat::from_fn(losses.rows(), losses.cols(), |i, f| match unit[f] > 0.0 {
            true => 1.0 - losses[(i, f)] / unit[f],
            false => f64::from(u8::from(losses[(i, f)] == 0.0)),
        })
    }

    /// The combination with the least loss in each cell, where what all cells make of it counts like as many more rows; of equal ones, the best of all cells
    /// together, and then the first.
    fn chosen(&self, all: &[Mat<f64>], shared: (usize, usize)) -> Vec<Option<(usize, usize)>> {
        let tested: f64 = self.grid.tested.iter().map(|rows| rows.len() as f64).sum();
        let total = |(kernel, c): (usize, usize)| all[kernel].row(c).iter().sum::<f64>();
        let of_cell = |cell: usize| {
            if self.grid.cells[cell].kernels.is_empty() {
                return None;
            }
            let own_tested = self.grid.cells[cell].tested as f64;
            let loss = |place: (usize, usize)| {
                let own: f64 = (0..self.folds()).map(|f| self.loss(cell, place, f)).sum();
                own + PRIOR * own_tested * total(place) / tested
            };
            let places = (0..self.kernels)
                .flat_map(|kernel| (0..self.order.len()).map(move |c| (kernel, c)));
            let least = places.fold((shared, loss(shared)), |best, place| {
                let own = loss(place);
                if own < best.1 { (place, own) } else { best }
            });
            Some(least.0)
        };
        (0..self.grid.cells.len()).map(of_cell).collect()
    }
}

/// The sum of squares around the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|v| (v - mean).powi(2)).sum()
}
